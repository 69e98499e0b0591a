//! The words of the command line.

use std::path::PathBuf;
use waveloom_codegen::gpu::Strategy;
use waveloom_snapshots::conformance::Breadth;

/// What may be asked for.
#[derive(Clone, Debug)]
pub struct Options {
    pub device: usize,
    pub breadth: Breadth,
    pub strategies: Vec<(String, Option<Strategy>)>,
    pub threads: usize,
    pub limit: usize,
    pub skip_to: usize,
    pub only: Vec<String>,
    pub skip: Vec<String>,
    pub reps: usize,
    pub json: Option<PathBuf>,
    pub list: bool,
}

impl Options {
    /// The command and its options.
    pub fn read(words: impl Iterator<Item = String>) -> Result<(String, Self), String> {
        let mut words = words;
        let command = words.next().ok_or("expected conformance, stress, cache or bench")?;
        let mut options = Self {
            device: 0,
            breadth: Breadth::Quick,
            strategies: Vec::new(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            limit: usize::MAX,
            skip_to: 0,
            only: Vec::new(),
            skip: Vec::new(),
            reps: 15,
            json: None,
            list: false,
        };
        while let Some(word) = words.next() {
            if word == "--list" {
                options.list = true;
                continue;
            }
            let value = words.next().ok_or_else(|| format!("{word}: a value is missing"))?;
            let number = || value.parse::<usize>().map_err(|_| format!("{word}: '{value}'"));
            match word.as_str() {
                "--device" => options.device = number()?,
                "--threads" => options.threads = number()?,
                "--limit" => options.limit = number()?,
                "--skip-to" => options.skip_to = number()?,
                "--reps" => options.reps = number()?.max(1),
                "--json" => options.json = Some(PathBuf::from(value)),
                "--only" => options.only.push(value),
                "--skip" => options.skip.push(value),
                "--strategy" => options.strategies.push((value.clone(), strategy(&value)?)),
                "--breadth" => {
                    options.breadth = match value.as_str() {
                        "quick" => Breadth::Quick,
                        "broad" => Breadth::Broad,
                        _ => return Err(format!("--breadth: '{value}', expected quick or broad")),
                    }
                }
                _ => return Err(format!("unknown option '{word}'")),
            }
        }
        Ok((command, options))
    }

    /// Whether `--only` and `--skip` let a name pass.
    pub fn wants(&self, name: &str) -> bool {
        let within = |list: &[String]| list.iter().any(|part| name.contains(part.as_str()));
        (self.only.is_empty() || within(&self.only)) && !within(&self.skip)
    }
}

/// A named strategy; `default` leaves the choice to plans, `small` has small blocks so that short
/// lines have several.
fn strategy(name: &str) -> Result<Option<Strategy>, String> {
    let small = |strategy: Strategy| Strategy {
        tile: Some([6, 5, 3]),
        lanes: Some(4),
        threads: Some(32),
        ..strategy
    };
    match name {
        "default" => Ok(None),
        "small" => Ok(Some(small(Strategy::SHARED))),
        "small-global" => Ok(Some(small(Strategy::GLOBAL))),
        "small-trapezoid" => Ok(Some(small(Strategy::TRAPEZOID))),
        _ => Strategy::named(name).map(Some).ok_or_else(|| {
            let names: Vec<&str> = Strategy::NAMED.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            format!("--strategy: '{name}', expected default, small, small-global, small-trapezoid, {names}")
        }),
    }
}
