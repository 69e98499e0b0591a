//! The suite `speed`: what users transform, and how many copies it may take.

use super::work::{BOTH, Method, Place, Work};
use waveloom::codegen::Element;
use waveloom::wavelets::Mode;

/// Goals: at most, and as an aim.
type Goal = (f64, Option<f64>);

/// The works of the processor: single thread, both modes alike.
pub fn host() -> Vec<Work> {
    const LONG: usize = 1 << 24;
    let mut works = Vec::new();
    let mut add =
        |shape: &[usize], wavelets: &[&'static str], elements: &[Element], levels, goal| {
            for wavelet in wavelets {
                for element in elements {
                    for mode in modes_of(wavelet) {
                        works.push(host_work(shape, wavelet, *element, mode, levels, goal, 1));
                    }
                }
            }
        };
    let (single, floats) = (&[Element::F32][..], &[Element::F32, Element::F64][..]);
    let common = &["haar", "db4", "bior4.4", "irr97"][..];
    add(&[LONG], common, floats, 1, 1.25);
    add(&[LONG], &["db16"], floats, 1, 1.6);
    add(&[LONG], &["haar", "db4", "bior4.4"], floats, 5, 1.8);
    for side in [2048, 4096] {
        add(&[side, side], common, single, 1, 1.8);
        add(&[side, side], common, single, 4, 2.2);
    }
    add(&[2048, 2048], &["rev53"], &[Element::I32], 1, 2.0);
    add(&[2048, 2048], &["rev53"], &[Element::I32], 4, 2.4);
    add(&[256, 256, 256], &["haar", "bior2.2"], single, 1, 2.8);
    add(&[512, 512], &["bior4.4"], single, 4, 8.0);
    for mode in modes_of("bior4.4") {
        works.push(host_work(&[4096, 4096], "bior4.4", Element::F32, mode, 1, 1.1, 2));
    }
    works
}

fn modes_of(wavelet: &str) -> Vec<Mode> {
    match wavelet {
        "rev53" => vec![Mode::Jpeg2000],
        _ => vec![Mode::Periodization, Mode::Symmetric],
    }
}

fn host_work(
    shape: &[usize],
    wavelet: &'static str,
    element: Element,
    mode: Mode,
    levels: usize,
    at_most: f64,
    threads: usize,
) -> Work {
    let name = if threads == 1 { "waveloom".to_owned() } else { format!("waveloom x{threads}") };
    let method = Method { threads, ..Method::new(name, Place::Host) };
    let work = Work::new("speed", shape, wavelet, mode).levels(levels).methods([method]);
    let times = if shape.len() == 1 { 5.0 } else { 15.0 };
    let peers = (threads == 1).then_some(times);
    Work { element, goal: Some((at_most, None)), peers, ..work }
}

/// The works of a card.
pub fn card() -> Vec<Work> {
    let mut works = Vec::new();
    let add =
        |works: &mut Vec<Work>, shape: &[usize], wavelets: &[&'static str], levels, goal: Goal| {
            for wavelet in wavelets {
                for mode in card_modes(wavelet) {
                    works.push(card_work(shape, wavelet, mode, levels, goal));
                }
            }
        };
    let common = &["haar", "rev53", "irr97", "bior4.4", "db4"][..];
    for (side, one) in [(8192, 1.15), (16384, 1.11)] {
        add(&mut works, &[side, side], common, 1, (one, Some(1.04)));
        add(&mut works, &[side, side], common, 4, (1.28, Some(1.08)));
    }
    add(&mut works, &[8192, 8192], &["db8", "bior6.8", "coif3"], 1, (1.35, Some(1.15)));
    let lengths = &["haar", "db2", "db4", "db6", "db8", "db12", "db16"][..];
    add(&mut works, &[1 << 28], lengths, 1, (1.10, Some(1.03)));
    add(&mut works, &[1 << 28], &["haar", "db4", "db16"], 5, (1.30, Some(1.10)));
    add(&mut works, &[512, 512, 512], &["haar", "bior2.2", "irr97"], 1, (1.50, Some(1.20)));
    let images = card_work(&[16, 1024, 1024], "irr97", Mode::Periodization, 4, (1.60, Some(1.25)));
    works.push(Work { axes: vec![1, 2], array: "16 images of 1024^2".to_owned(), ..images });
    add(&mut works, &[2048, 2048], &["irr97"], 4, (2.5, Some(1.7)));
    works.extend(["irr97", "db4"].iter().flat_map(|wavelet| against_periodization(wavelet)));
    works
}

/// Integers also in the mode of the codec that they were made for.
fn card_modes(wavelet: &str) -> Vec<Mode> {
    match wavelet {
        "rev53" => vec![Mode::Periodization, Mode::Jpeg2000],
        _ => vec![Mode::Periodization],
    }
}

fn card_work(
    shape: &[usize],
    wavelet: &'static str,
    mode: Mode,
    levels: usize,
    goal: Goal,
) -> Work {
    let element = if wavelet == "rev53" { Element::I32 } else { Element::F32 };
    let method = Method::new("waveloom", Place::Card);
    let work = Work::new("speed", shape, wavelet, mode).levels(levels).methods([method]);
    Work { element, goal: Some(goal), ..work }
}

/// Values of four bytes in a sector of memory.
const SECTOR: u32 = 8;

/// Every mode against periodization: the edges are a vanishing share of a large image. Most make rows that are no whole
/// sectors; they are measured without gaps between rows, and with rows that begin with a sector.
fn against_periodization(wavelet: &'static str) -> Vec<Work> {
    let modes = Mode::ALL.into_iter().filter(|mode| *mode != Mode::Periodization);
    let symmetric = wavelet == "irr97";
    let of = |mode: Mode| {
        let method =
            |mode: Mode| Method { mode: Some(mode), ..Method::new(mode.to_string(), Place::Card) };
        let name = format!("{mode}, rows aligned");
        let aligned = Method { name, align_rows: Some(SECTOR), ..method(mode) };
        let work = Work::new("modes", &[8192, 8192], wavelet, mode).methods([
            method(Mode::Periodization),
            method(mode),
            aligned,
        ]);
        let against = Some(Mode::Periodization.to_string());
        Work { goal: Some((1.05, Some(1.01))), against, operations: BOTH, ..work }
    };
    modes.filter(|mode| symmetric || *mode != Mode::Jpeg2000).map(of).collect()
}
