//! The words of the command line.

use std::path::PathBuf;
use std::time::Instant;
use waveloom_codegen::gpu::Strategy;
use waveloom_snapshots::conformance::Breadth;

/// What may be asked for.
#[derive(Clone, Debug)]
pub struct Options {
    pub device: usize,
    pub breadth: Breadth,
    pub strategies: Vec<(String, Option<Strategy>)>,
    pub threads: usize,
    /// Rows of bands begin at multiples of so many elements.
    pub align_rows: Option<u32>,
    pub limit: usize,
    pub skip_to: usize,
    /// Part k of n, from 0.
    pub part: (usize, usize),
    pub sample: Option<usize>,
    pub seconds: Option<f64>,
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
        let command = words.next().unwrap_or_else(|| "--help".to_owned());
        let mut options = Self {
            device: 0,
            breadth: Breadth::Quick,
            strategies: Vec::new(),
            align_rows: None,
            threads: std::thread::available_parallelism().map_or(1, |all| all.get().min(16)),
            limit: usize::MAX,
            skip_to: 0,
            part: (0, 1),
            sample: None,
            seconds: None,
            only: Vec::new(),
            skip: Vec::new(),
            reps: 15,
            json: None,
            list: false,
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--list" => {
                    options.list = true;
                    continue;
                }
                "--help" | "-h" => return Ok(("--help".to_owned(), options)),
                _ => {}
            }
            let value = words.next().ok_or_else(|| format!("{word}: a value is missing"))?;
            let number = || value.parse::<usize>().map_err(|_| format!("{word}: '{value}'"));
            match word.as_str() {
                "--part" => options.part = part(&value)?,
                "--sample" => options.sample = Some(number()?),
                "--seconds" => options.seconds = Some(number()? as f64),
                "--device" => options.device = number()?,
                "--threads" => options.threads = number()?.max(1),
                "--align-rows" => {
                    let multiple = u32::try_from(number()?).map_err(|error| error.to_string())?;
                    options.align_rows = Some(multiple);
                }
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

    /// Whether the time of `--seconds` is over.
    pub fn late(&self, begin: Instant) -> bool {
        self.seconds.is_some_and(|limit| begin.elapsed().as_secs_f64() > limit)
    }

    /// The same with only the time that is left.
    pub fn left(&self, begin: Instant) -> Self {
        let left = |limit: f64| (limit - begin.elapsed().as_secs_f64()).max(0.0);
        Self { seconds: self.seconds.map(left), ..self.clone() }
    }

    /// Whether `--only` and `--skip` let a name pass.
    pub fn wants(&self, name: &str) -> bool {
        let within = |list: &[String]| list.iter().any(|part| name.contains(part.as_str()));
        (self.only.is_empty() || within(&self.only)) && !within(&self.skip)
    }
}

/// `k/n` with k from 1, as a pair with k from 0.
fn part(value: &str) -> Result<(usize, usize), String> {
    let parsed = value.split_once('/').and_then(|(k, n)| {
        let (k, n) = (k.parse::<usize>().ok()?, n.parse::<usize>().ok()?);
        (1..=n).contains(&k).then(|| (k - 1, n))
    });
    parsed.ok_or_else(|| format!("--part: '{value}', expected K/N with K from 1 to N"))
}

/// A named strategy; `default` leaves the choice to plans, `small-NAME` has small blocks so that short
/// lines have several, and `small` is that of `shared`.
fn strategy(name: &str) -> Result<Option<Strategy>, String> {
    let small = |strategy: Strategy| Strategy {
        tile: Some([6, 5, 3]),
        lanes: Some(4),
        threads: Some(32),
        ..strategy
    };
    let found = match (name, name.strip_prefix("small-")) {
        ("default", _) => return Ok(None),
        ("small", _) => Some(small(Strategy::SHARED)),
        (_, Some(rest)) => Strategy::named(rest).map(small),
        _ => Strategy::named(name),
    };
    found.map(Some).ok_or_else(|| {
        let all = Strategy::NAMED.iter().chain(&Strategy::ALIASES);
        let names = all.map(|(name, _)| *name).collect::<Vec<&str>>().join(", ");
        format!(
            "--strategy: '{name}', expected default, small, {names}, or small- and one of these"
        )
    })
}
