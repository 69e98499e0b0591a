//! Deterministic lists of cases: quick for every test run, broad on demand.

use super::Case;
use std::sync::Arc;
use waveloom_codegen::kernel::Element;
use waveloom_wavelets::catalogue::{UnknownWavelet, names, wavelet};
use waveloom_wavelets::{Mode, SchemeKind, Wavelet};

/// How many cases a list holds, how many texts and cards a compile check takes, and how much is looked for in emulated texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Breadth {
    /// A choice of wavelets; schemes and element types take turns. Seconds.
    Quick,
    /// The whole catalogue, every scheme with every element type. Many minutes.
    Broad,
}

impl Breadth {
    /// The environment variable that chooses: unset or `quick`, or `broad`.
    pub const VARIABLE: &str = "WAVELOOM_CONFORMANCE";

    /// Reads [`Breadth::VARIABLE`].
    pub fn from_environment() -> Result<Self, String> {
        match std::env::var(Self::VARIABLE).as_deref() {
            Err(_) | Ok("" | "quick") => Ok(Breadth::Quick),
            Ok("broad") => Ok(Breadth::Broad),
            Ok(other) => Err(format!("{} is '{other}', expected quick or broad", Self::VARIABLE)),
        }
    }
}

/// Wavelets of the quick list: every family, short and long, even and odd, each special kind.
const QUICK: [&str; 20] = [
    "haar", "db2", "db3", "db4", "db11", "sym5", "coif2", "bior1.3", "bior2.2", "bior3.1",
    "bior4.4", "bior5.5", "bior6.8", "rbio2.4", "rbio3.3", "dmey", "cdf97", "irr97", "rev53",
    "ccsds97m",
];

/// Wavelets tried in two and three dimensions in the quick list.
const QUICK_PLANES: [&str; 9] =
    ["haar", "db2", "db4", "bior1.3", "bior2.2", "bior4.4", "irr97", "rev53", "ccsds97m"];

const PLANES: [[usize; 2]; 9] =
    [[1, 1], [1, 7], [7, 1], [2, 3], [6, 8], [16, 16], [13, 17], [33, 20], [40, 9]];

const VOLUMES: [[usize; 3]; 5] = [[1, 1, 1], [3, 4, 5], [8, 8, 8], [7, 1, 9], [12, 10, 6]];

/// One level of every wavelet of the catalogue, in every element type and scheme.
pub fn catalogue() -> Result<Vec<Case>, UnknownWavelet> {
    let mut list = List { breadth: Breadth::Broad, turn: 0, cases: Vec::new() };
    for name in names() {
        let wavelet = Arc::new(wavelet(name)?);
        for (mode, len) in [(Mode::Symmetric, 96), (Mode::Periodization, 80), (Mode::Smooth, 33)] {
            list.push(Case::new(&wavelet, &[len], mode));
        }
    }
    Ok(list.cases)
}

/// The quick list for wavelets of one's own.
pub fn custom(wavelets: &[Arc<Wavelet>]) -> Vec<Case> {
    let mut list = List { breadth: Breadth::Quick, turn: 0, cases: Vec::new() };
    for wavelet in wavelets {
        list.lines(wavelet);
        list.levels(wavelet);
        list.planes(wavelet);
    }
    list.cases
}

/// Longer filters are tried on lines only: in several dimensions they take very long, and the
/// passes are the same.
const LONGEST_PLANE: usize = 12;

/// All cases of a breadth. `tiles` are the lengths at which something changes inside the backend
/// (see [`super::Backend::tile_lengths`]).
pub fn cases(breadth: Breadth, tiles: &[usize]) -> Result<Vec<Case>, UnknownWavelet> {
    let mut list = List { breadth, turn: 0, cases: Vec::new() };
    let lines = chosen(breadth, &QUICK)?;
    let planes = chosen(breadth, &QUICK_PLANES)?;
    for wavelet in &lines {
        list.lines(wavelet);
        list.levels(wavelet);
    }
    for wavelet in planes.iter().filter(|wavelet| wavelet.bank().length() <= LONGEST_PLANE) {
        list.planes(wavelet);
        list.tiles(wavelet, tiles);
        list.axes(wavelet);
        list.origins(wavelet);
    }
    Ok(list.cases)
}

fn chosen(breadth: Breadth, quick: &[&str]) -> Result<Vec<Arc<Wavelet>>, UnknownWavelet> {
    let chosen: Vec<&str> = match breadth {
        Breadth::Quick => quick.to_vec(),
        Breadth::Broad => names().collect(),
    };
    chosen.into_iter().map(|name| wavelet(name).map(Arc::new)).collect()
}

struct List {
    breadth: Breadth,
    turn: usize,
    cases: Vec<Case>,
}

impl List {
    /// Adds a case in every element type and scheme, or in the next of them.
    fn push(&mut self, case: Case) {
        let variants = variants(&case.wavelet, case.axes.len());
        self.turn += 1;
        let taken = match self.breadth {
            Breadth::Broad => &variants[..],
            Breadth::Quick => {
                let at = self.turn % variants.len().max(1);
                variants.get(at..=at).unwrap_or_default()
            }
        };
        for (element, scheme) in taken {
            self.cases.push(case.clone().element(*element).scheme(*scheme));
        }
    }

    fn lines(&mut self, wavelet: &Arc<Wavelet>) {
        for mode in Mode::ALL {
            for len in 1..=40 {
                self.push(Case::new(wavelet, &[len], mode));
            }
        }
    }

    /// Lengths around a backend's tile sizes: as signals and as bands, alone and as either side of a
    /// plane.
    fn tiles(&mut self, wavelet: &Arc<Wavelet>, tiles: &[usize]) {
        for (index, tile) in tiles.iter().enumerate() {
            for (offset, len) in (tile.saturating_sub(1)..=tile + 1).enumerate() {
                let modes = [wavelet.default_mode(), Mode::Periodization, Mode::Smooth];
                let mode = modes[(index + offset) % 3];
                self.push(Case::new(wavelet, &[len], mode));
                self.push(Case::new(wavelet, &[2 * len], mode));
                self.push(Case::new(wavelet, &[len, 6], mode));
                self.push(Case::new(wavelet, &[6, 2 * len], mode));
            }
        }
    }

    fn levels(&mut self, wavelet: &Arc<Wavelet>) {
        for mode in Mode::ALL {
            for (len, levels) in [(9, 0), (1, 2), (2, 3), (7, 2), (16, 4), (33, 3), (64, 5)] {
                self.push(Case::new(wavelet, &[len], mode).levels(levels));
            }
        }
        self.push(Case::new(wavelet, &[20, 24], wavelet.default_mode()).levels(2));
    }

    fn planes(&mut self, wavelet: &Arc<Wavelet>) {
        for mode in Mode::ALL {
            for shape in &PLANES {
                self.push(Case::new(wavelet, shape, mode));
            }
            for shape in &VOLUMES {
                self.push(Case::new(wavelet, shape, mode));
            }
            self.push(Case::new(wavelet, &[13, 22], mode).levels(3));
            self.push(Case::new(wavelet, &[16, 32], mode).levels(2));
            self.push(Case::new(wavelet, &[6, 7, 12], mode).levels(2));
        }
    }

    fn axes(&mut self, wavelet: &Arc<Wavelet>) {
        let shape = [4, 10, 6];
        let choices: [&[usize]; 8] =
            [&[0], &[1], &[2], &[1, 2], &[2, 1], &[0, 2], &[2, 0, 1], &[1, 0, 2]];
        for mode in [wavelet.default_mode(), Mode::Periodization, Mode::Smooth] {
            for axes in choices {
                self.push(Case::new(wavelet, &shape, mode).axes(axes));
                self.push(Case::new(wavelet, &shape, mode).axes(axes).levels(2));
            }
            // Batches of one and of none.
            self.push(Case::new(wavelet, &[1, 8], mode).axes(&[1]));
            self.push(Case::new(wavelet, &[1, 8, 1], mode).axes(&[1]));
            self.push(Case::new(wavelet, &[0, 8], mode).axes(&[1]));
            // Nothing to transform along a chosen axis.
            self.push(Case::new(wavelet, &[0, 8], mode).axes(&[0]));
        }
    }

    fn origins(&mut self, wavelet: &Arc<Wavelet>) {
        for len in 1..=12 {
            for origin in [-3, -1, 1, 2] {
                let case = Case::new(wavelet, &[len], Mode::Jpeg2000);
                self.push(case.clone().origin(&[origin]));
                self.push(case.origin(&[origin]).levels(2));
            }
        }
        for origin in [[0, 1], [1, 0], [1, 1], [2, 5]] {
            for shape in [[1, 1], [8, 6], [9, 14], [13, 1]] {
                let case = Case::new(wavelet, &shape, Mode::Jpeg2000).origin(&origin);
                self.push(case.clone());
                self.push(case.levels(3));
            }
        }
        // An origin that the mode does not have.
        self.push(Case::new(wavelet, &[8], Mode::Symmetric).origin(&[1]));
    }
}

/// A fused scheme has up to `length^axes` terms per channel; beyond this many, building it takes
/// longer than all the rest of a test.
const MOST_FUSED: usize = 1500;

/// The element types and schemes that a wavelet has on that many axes; very large fused schemes are
/// left out.
pub fn variants(wavelet: &Wavelet, axes: usize) -> Vec<(Element, Option<SchemeKind>)> {
    let elements: &[Element] = match wavelet.is_rounded() {
        true => &[Element::I16, Element::I32, Element::I64],
        false => &[Element::F32, Element::F64],
    };
    let fused = wavelet.bank().length().pow(axes as u32);
    let kinds = SchemeKind::ALL.into_iter().filter(|kind| {
        let small = fused <= MOST_FUSED || !kind.is_nonseparable();
        small && wavelet.scheme(*kind, axes).is_ok()
    });
    let schemes: Vec<_> = std::iter::once(None).chain(kinds.map(Some)).collect();
    let pairs = schemes.iter().flat_map(|scheme| elements.iter().map(move |e| (*e, *scheme)));
    pairs.collect()
}
