//! Which CUDA kernels: from options to a strategy.

use crate::args::{CudaOptions, List, Positive};
use crate::error::{Failure, Outcome};
use std::fmt::Display;
use waveloom::codegen::gpu::{Scope, Strategy};
use waveloom::codegen::kernel::Exchange;

/// Most threads of a block, on every card.
const MOST_THREADS: usize = 1024;

/// Blocks of a multiprocessor, on every card.
const MOST_BLOCKS: u32 = 32;

/// The strategy that the options name for arrays of so many dimensions, of which these axes are
/// transformed; `None` if they say nothing.
pub fn strategy(
    options: &CudaOptions,
    dimensions: usize,
    axes: &[usize],
) -> Outcome<Option<Strategy>> {
    if options.given().next().is_none() {
        return Ok(None);
    }
    let mut strategy = match (&options.strategy, &options.exchange) {
        (Some(name), _) => Strategy::named(name).ok_or_else(|| unknown(name))?,
        (None, Some(list)) => {
            let mut kinds = list.0.iter().map(|name| name.0);
            let first = kinds.next().unwrap_or(Exchange::Shared);
            let strategy = match first {
                Exchange::Shared => Strategy::SHARED,
                Exchange::Global => Strategy::GLOBAL,
                Exchange::Stream => Strategy::STREAM,
                Exchange::Launch => Strategy::LAUNCH,
                Exchange::Recompute => Strategy::REG,
                Exchange::Transpose => Strategy::HYBRID,
                Exchange::Shuffle => Strategy::FULL_REGISTER,
            };
            Some(strategy).filter(|_| kinds.all(|other| other == first)).ok_or_else(|| {
                let message =
                    format!("CUDA kernels have the same exchange along every axis, got {list}");
                Failure::of_option("--exchange", message)
            })?
        }
        (None, None) => Strategy::SHARED,
    };
    let list = |list: &Option<List<Positive>>| -> Vec<usize> {
        list.iter().flat_map(|list| list.0.iter().map(|value| value.0)).collect()
    };
    let (block, items) = (list(&options.block), list(&options.items));
    if !block.is_empty() {
        let threads = block.iter().try_fold(1_usize, |product, n| product.checked_mul(*n));
        match threads {
            Some(threads @ 1..=MOST_THREADS) => strategy.threads = Some(threads as u32),
            _ => {
                let message =
                    format!("a CUDA block has at most {MOST_THREADS} threads, got {block:?}");
                return Err(Failure::of_option("--block", message));
            }
        }
    }
    if strategy.has_items() && !items.is_empty() {
        let [samples] = items.as_slice() else {
            let message = format!("'{}' takes the samples of a thread", strategy.name());
            return Err(Failure::of_option("--items", message));
        };
        strategy.items = Some(small("--items", Positive(*samples))?);
    } else if block.len() > 1 || !items.is_empty() {
        strategy.tile = Some(tile(&block, &items)?);
    }
    let extents = list(&options.tile);
    if !extents.is_empty() {
        let narrow = |extent: &usize| small("--tile", Positive(*extent));
        let extents = extents.iter().map(narrow).collect::<Outcome<Vec<u32>>>()?;
        let tile = <[u32; 3]>::try_from(extents).map_err(|extents| {
            let message = format!("expected the extents of 3 axes, got {}", extents.len());
            Failure::of_option("--tile", message)
        })?;
        strategy.tile = Some(tile);
    }
    if let Some(tile) = strategy.tile
        && let Some(axis) = (axes.len().min(3)..3).find(|axis| tile[*axis] != 1)
    {
        let message = format!(
            "expected 1 along axis {axis}: {} transformed, got {}",
            if axes.len() == 1 { "one axis is" } else { "two axes are" },
            tile[axis]
        );
        return Err(Failure::of_option("--tile", message));
    }
    let number =
        |name: &str, value: Option<Positive>| value.map(|value| small(name, value)).transpose();
    let rows = number("--rows", options.rows)?;
    match strategy.exchange {
        Exchange::Stream => strategy.rows = rows,
        _ => strategy.lanes = rows,
    }
    strategy.groups = number("--groups", options.groups)?;
    strategy.pairs = number("--pairs", options.pairs)?;
    strategy.resident = number("--resident", options.resident)?;
    strategy.depth = number("--depth", options.depth)?;
    strategy.deep = number("--deep", options.deep)?;
    strategy.together = number("--together", options.together)?;
    strategy.stretch = number("--stretch", options.stretch)?;
    if let Some(axes) = strategy.together.filter(|axes| !(2..=3).contains(axes)) {
        let message = format!("a strip transforms 2 or 3 axes at most, got {axes}");
        return Err(Failure::of_option("--together", message));
    }
    let of_strips = [
        strategy.groups,
        strategy.pairs,
        strategy.depth,
        strategy.resident,
        strategy.deep,
        strategy.together,
        strategy.stretch,
    ];
    let names =
        ["--groups", "--pairs", "--depth", "--resident", "--deep", "--together", "--stretch"];
    let name = names.into_iter().zip(of_strips);
    if strategy.exchange != Exchange::Stream
        && let Some((name, _)) = name.into_iter().find(|(_, value)| value.is_some())
    {
        let message = format!("shapes strips, which '{}' has none of", strategy.name());
        return Err(Failure::of_option(name, message));
    }
    if strategy.exchange == Exchange::Stream && strategy.tile.is_some() {
        let name = if options.tile.is_some() {
            "--tile"
        } else if items.is_empty() {
            "--block"
        } else {
            "--items"
        };
        let message = "'stream' has no tiles: --groups, --pairs and --rows shape its strips";
        return Err(Failure::of_option(name, message.to_owned()));
    }
    if let Some(blocks) = strategy.resident.filter(|blocks| *blocks > MOST_BLOCKS) {
        let message = format!("a multiprocessor holds at most {MOST_BLOCKS} blocks, got {blocks}");
        return Err(Failure::of_option("--resident", message));
    }
    shapes_stretches(&strategy, dimensions, axes)?;
    shapes_lines(&strategy, rows.is_some(), dimensions, axes)?;
    Ok(Some(strategy))
}

/// Refuses walks along lines that are no such, or of a shape that there is not.
fn shapes_stretches(strategy: &Strategy, dimensions: usize, axes: &[usize]) -> Outcome<()> {
    let Some(pairs) = strategy.stretch else { return Ok(()) };
    let refuse = |message: String| Err(Failure::of_option("--stretch", message));
    if ![2, 4, 8, 16].contains(&pairs) {
        return refuse(format!("a lane has 2, 4, 8 or 16 pairs of a chunk, got {pairs}"));
    }
    if axes.len() != 1 || axes[0] + 1 != dimensions {
        let message = "warps walk along lines of the last axis, where it alone is transformed";
        return refuse(message.to_owned());
    }
    if strategy.groups.or(strategy.pairs).is_some() {
        return refuse("shapes walks along lines, --groups and --pairs shape strips".to_owned());
    }
    Ok(())
}

/// Refuses rows and depths where no kernel walks along lines or takes several side by side: it would
/// ignore them.
fn shapes_lines(strategy: &Strategy, rows: bool, dimensions: usize, axes: &[usize]) -> Outcome<()> {
    let name = match (rows, strategy.depth) {
        (true, _) => "--rows",
        (false, Some(_)) => "--depth",
        (false, None) => return Ok(()),
    };
    if strategy.stretch.is_some() {
        return Ok(());
    }
    if axes.iter().all(|axis| axis + 1 == dimensions) {
        let message = "shapes kernels along axes before the last, but the last alone is \
                       transformed; leave it out";
        return Err(Failure::of_option(name, message));
    }
    // One launch for all axes, the last one among them, has tiles instead of lines.
    let whole = strategy.scope != Scope::Axis && axes.iter().any(|axis| axis + 1 == dimensions);
    if whole || strategy.turns() {
        let message = format!("'{}' has no lines that a block takes side by side", strategy.name());
        return Err(Failure::of_option(name, message));
    }
    Ok(())
}

/// A number that no shape of a block may exceed.
fn small(name: &str, value: Positive) -> Outcome<u32> {
    u32::try_from(value.0).map_err(|_| {
        Failure::of_option(name, format!("{} is more than any CUDA block holds", value.0))
    })
}

/// Pairs of a block per axis: threads times items. A list that is too short goes on with ones.
fn tile(block: &[usize], items: &[usize]) -> Outcome<[u32; 3]> {
    let refuse = |message: String| Err(Failure::of_option("--items", message));
    if block.len().max(items.len()) > 3 {
        return refuse("CUDA kernels have at most 3 axes".to_owned());
    }
    let block = if block.is_empty() { &[256] } else { block };
    let mut tile = [1; 3];
    for (axis, extent) in tile.iter_mut().enumerate() {
        let of = |list: &[usize]| list.get(axis).copied().unwrap_or(1);
        let pairs = of(block).checked_mul(of(items)).and_then(|pairs| u32::try_from(pairs).ok());
        match pairs {
            Some(pairs) => *extent = pairs,
            None => return refuse(format!("{items:?} items are more than any CUDA block holds")),
        }
    }
    Ok(tile)
}

/// The options that make the same kernels, for a command that is printed.
pub fn spelled(options: &CudaOptions) -> String {
    let mut words = Vec::new();
    let mut add = |name: &str, value: Option<&dyn Display>| {
        words.extend(value.map(|value| format!("{name} {value}")));
    };
    add("--exchange", options.exchange.as_ref().map(|list| list as &dyn Display));
    match (&options.strategy, &options.exchange) {
        (None, None) => add("--strategy", Some(&Strategy::SHARED.name())),
        (name, _) => add("--strategy", name.as_ref().map(|name| name as &dyn Display)),
    }
    add("--block", options.block.as_ref().map(|list| list as &dyn Display));
    add("--items", options.items.as_ref().map(|list| list as &dyn Display));
    add("--tile", options.tile.as_ref().map(|list| list as &dyn Display));
    let numbers = [
        ("--rows", options.rows),
        ("--groups", options.groups),
        ("--pairs", options.pairs),
        ("--depth", options.depth),
        ("--resident", options.resident),
        ("--deep", options.deep),
        ("--together", options.together),
        ("--stretch", options.stretch),
    ];
    for (name, number) in &numbers {
        add(name, number.as_ref().map(|number| number as &dyn Display));
    }
    words.join(" ")
}

/// A refusal that lists the names there are.
pub fn unknown(name: &str) -> Failure {
    let all = Strategy::NAMED.iter().chain(&Strategy::ALIASES);
    let names: Vec<&str> = all.map(|(name, _)| *name).collect();
    let message = format!("no CUDA kernels go by '{name}'; expected one of {}", names.join(", "));
    Failure::of_option("--strategy", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For planes, whose kernels have lines in either direction.
    fn strategy(options: &CudaOptions) -> Outcome<Option<Strategy>> {
        super::strategy(options, 2, &[0, 1])
    }

    /// Options on a command line.
    #[derive(clap::Parser)]
    struct Worded {
        #[command(flatten)]
        cuda: CudaOptions,
    }

    fn options(block: &str, items: &str, rows: &str) -> CudaOptions {
        let list = |text: &str| -> Option<List<Positive>> { text.parse().ok() };
        CudaOptions {
            block: list(block),
            items: list(items),
            rows: rows.parse().ok(),
            ..CudaOptions::default()
        }
    }

    #[test]
    fn shapes_of_blocks() {
        assert_eq!(strategy(&options("", "", "")).unwrap(), None);
        let of = |block, items, rows| strategy(&options(block, items, rows)).unwrap().unwrap();
        assert_eq!(of("128", "", ""), Strategy { threads: Some(128), ..Strategy::SHARED });
        let shaped = of("128", "4", "");
        assert_eq!((shaped.threads, shaped.tile), (Some(128), Some([512, 1, 1])));
        let shaped = of("8,32", "2,1", "16");
        assert_eq!((shaped.threads, shaped.tile), (Some(256), Some([16, 32, 1])));
        assert_eq!(shaped.lanes, Some(16));
        assert_eq!(of("", "2", "").tile, Some([512, 1, 1]));
        assert!(strategy(&options("64,64", "", "")).is_err());
        assert!(strategy(&options("1,1,1,1", "", "")).is_err());
        assert_eq!(spelled(&options("8,32", "2", "")), "--strategy shared --block 8,32 --items 2");
    }

    #[test]
    fn strips_refuse_shapes_of_tiles() {
        let stream = |options: CudaOptions| {
            strategy(&CudaOptions { strategy: Some("stream".to_owned()), ..options })
                .err()
                .map(|failure| failure.to_string())
        };
        assert_eq!(stream(options("64", "", "16")), None);
        for (block, items, name) in [("8,32", "", "--block"), ("64", "2", "--items")] {
            let refusal = stream(options(block, items, "")).unwrap();
            assert!(refusal.contains(name) && refusal.contains("no tiles"), "{refusal}");
        }
        let resident = "33".parse().ok();
        let refusal = stream(CudaOptions { resident, ..CudaOptions::default() }).unwrap();
        assert!(refusal.contains("at most 32"), "{refusal}");
    }

    #[test]
    fn methods_by_name() {
        let named =
            |name: &str| CudaOptions { strategy: Some(name.to_owned()), ..CudaOptions::default() };
        for (name, expected) in Strategy::NAMED.iter().chain(&Strategy::ALIASES) {
            assert_eq!(strategy(&named(name)).unwrap(), Some(*expected));
        }
        // What a strategy prints is what makes it.
        for strips in [
            "stream --block 64 --rows 16 --groups 4 --pairs 1 --depth 2 --resident 8 --deep 2 --together 2",
            "shared --tile 8,32,1 --block 128",
            "trapezoid --rows 16",
            "ilp --block 256 --items 8",
        ] {
            let text = format!("--strategy {strips}");
            let words = std::iter::once("emit").chain(text.split(' '));
            let options = <Worded as clap::Parser>::try_parse_from(words).unwrap().cuda;
            assert_eq!(strategy(&options).unwrap(), Some(text.parse().unwrap()));
            let mut spelled: Vec<String> =
                spelled(&options).split(" --").map(str::to_owned).collect();
            let mut given: Vec<String> = text.split(" --").map(str::to_owned).collect();
            spelled.sort();
            given.sort();
            assert_eq!(spelled, given);
        }
        let strips = CudaOptions { groups: "2".parse().ok(), ..named("shared") };
        assert!(strategy(&strips).unwrap_err().to_string().contains("--groups"));
        let error = strategy(&named("magic")).unwrap_err().to_string();
        assert!(error.contains("trapezoid-split"), "{error}");
        let exchange =
            |text: &str| CudaOptions { exchange: text.parse().ok(), ..CudaOptions::default() };
        assert_eq!(strategy(&exchange("global,global")).unwrap(), Some(Strategy::GLOBAL));
        assert!(strategy(&exchange("global,shared")).is_err());
        assert!(exchange("shuffle").exchange.is_none());
    }

    #[test]
    fn rows_and_depths_need_lines() {
        let named = |name: &str, words: &str, dimensions, axes: &[usize]| {
            let words = format!("emit --strategy {name} {words}");
            let options = <Worded as clap::Parser>::try_parse_from(words.split(' ')).unwrap().cuda;
            super::strategy(&options, dimensions, axes).err().map(|failure| failure.to_string())
        };
        for (name, words, dimensions, axes) in [
            ("stream", "--rows 16", 2, &[0, 1][..]),
            ("stream", "--depth 3", 2, &[0]),
            ("stream", "--groups 2", 1, &[0]),
            ("shared", "--rows 16", 3, &[1]),
            ("joint", "--rows 16", 3, &[0, 1]),
        ] {
            assert_eq!(named(name, words, dimensions, axes), None);
        }
        for (name, words, dimensions, axes, part) in [
            ("stream", "--rows 16", 1, &[0][..], "--rows: shapes kernels along axes before"),
            ("stream", "--depth 99", 1, &[0], "--depth: shapes kernels along axes before"),
            ("stream", "--depth 3", 2, &[1], "the last alone"),
            ("stream", "--stretch 3", 1, &[0], "2, 4, 8 or 16 pairs"),
            ("stream", "--stretch 8", 2, &[0, 1], "it alone is transformed"),
            ("stream", "--stretch 8 --groups 2", 1, &[0], "--pairs shape strips"),
            ("shared", "--stretch 8", 1, &[0], "which 'shared' has none of"),
            ("shared", "--rows 16", 2, &[1], "the last alone"),
            ("joint", "--rows 16", 2, &[0, 1], "'joint' has no lines"),
            ("hybrid", "--rows 16", 2, &[0, 1], "'hybrid' has no lines"),
        ] {
            let refusal = named(name, words, dimensions, axes).unwrap();
            assert!(refusal.contains(part), "{refusal}");
        }
    }
}
