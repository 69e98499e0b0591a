//! Other libraries, run by a Python process beside us in the same rounds.

use super::work::Work;
use crate::error::{Failure, Outcome};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use waveloom::codegen::kernel::Operation;

const SCRIPT: &str = include_str!("peer.py");

/// Names of `--peer`.
pub const NAMES: [&str; 2] = ["pywavelets", "ndwt"];

/// A running Python process that has one library loaded.
pub struct Peer {
    name: &'static str,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    version: Option<String>,
}

impl Peer {
    /// Starts `python` for a library, and makes sure that it can be loaded.
    pub fn start(name: &'static str, python: &str) -> Outcome<Self> {
        let failed = |error: std::io::Error| {
            let message = format!("Python does not start: '{python}': {error}");
            Failure::of_option("--peer", message)
        };
        let mut child = Command::new(python)
            // One thread, as everything else here.
            .env("RAYON_NUM_THREADS", "1")
            .env("OMP_NUM_THREADS", "1")
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::of_option("--peer", "Python's pipes are missing"));
        };
        let output = BufReader::new(output);
        let mut peer = Self { name, child, input, output, version: None };
        let smallest = json!({
            "peer": name, "shape": [64], "axes": [0], "dtype": "float64", "wavelet": "haar",
            "mode": "periodization", "levels": 1,
        });
        peer.prepare_job(&smallest).map_err(|reason| {
            let message = format!("{name} cannot be used by '{python}': {reason}");
            Failure::of_option("--peer", message)
        })?;
        Ok(peer)
    }

    /// Its name and version.
    pub fn label(&self) -> String {
        format!("{} {}", self.name, self.version.as_deref().unwrap_or("?"))
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Makes arrays for a piece of work; an error says why the library cannot do it.
    pub fn prepare(&mut self, work: &Work) -> Result<(), String> {
        let dtype = match work.element.name() {
            "f32" => "float32",
            "f64" => "float64",
            other => return Err(format!("no transforms of {other}")),
        };
        self.prepare_job(&json!({
            "peer": self.name,
            "shape": work.shape,
            "axes": work.axes,
            "dtype": dtype,
            "wavelet": work.wavelet,
            "mode": work.mode.to_string(),
            "levels": work.levels,
        }))
    }

    fn prepare_job(&mut self, job: &Value) -> Result<(), String> {
        let answer = self.ask(job)?;
        self.version = answer["version"].as_str().map(str::to_owned);
        Ok(())
    }

    /// Seconds of runs of what was prepared.
    pub fn run(&mut self, operation: Operation, runs: usize) -> Result<f64, String> {
        let name = match operation {
            Operation::Forward => "forward",
            Operation::Inverse => "inverse",
            _ => return Err("no adjoints are compared".to_owned()),
        };
        let answer = self.ask(&json!({ "run": name, "runs": runs }))?;
        answer["seconds"].as_f64().ok_or_else(|| "the answer holds no time".to_owned())
    }

    fn ask(&mut self, question: &Value) -> Result<Value, String> {
        let gone = |error: std::io::Error| format!("Python has ended: {error}");
        writeln!(self.input, "{question}").map_err(gone)?;
        self.input.flush().map_err(gone)?;
        let mut line = String::new();
        if self.output.read_line(&mut line).map_err(gone)? == 0 {
            return Err("Python has ended without an answer".to_owned());
        }
        let answer: Value = serde_json::from_str(&line).map_err(|error| error.to_string())?;
        match answer["error"].as_str() {
            Some(error) => Err(error.to_owned()),
            None => Ok(answer),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It ends with its input; killed if it is in the middle of something.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_started_is_told() {
        let error = Peer::start("pywavelets", "no-such-python").err().map(|e| e.to_string());
        assert!(error.is_some_and(|error| error.contains("no-such-python")));
        // A program that is no Python ends at once.
        let error = Peer::start("ndwt", "true").err().map(|e| e.to_string());
        assert!(error.is_some_and(|error| error.contains("ndwt cannot be used")));
    }
}
