//! A compiled text that serves launches.

use super::{Argument, EmulateError, Fault, Launch, Order};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

/// The exit code with which the runtime reports what it found.
const REPORTED: i32 = 70;

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Barriers passed, block's and warps', summed over blocks.
    pub barriers: u64,
    /// Warp-wide shuffles.
    pub shuffles: u64,
    /// Bytes read from buffers, as the text reads them ([`super::Checks::Races`] only, else 0).
    pub global_read: u64,
    /// Bytes written to buffers (likewise).
    pub global_written: u64,
    /// Bytes read from shared memory (likewise).
    pub shared_read: u64,
    /// Bytes written to shared memory (likewise).
    pub shared_written: u64,
}

/// A compiled text. Its process starts at the first run and serves further ones.
#[derive(Debug)]
pub struct Program {
    executable: PathBuf,
    kernels: Vec<String>,
    process: Option<Process>,
}

#[derive(Debug)]
struct Process {
    child: Child,
    complaints: File,
}

impl Program {
    pub(super) fn new(executable: PathBuf, kernels: Vec<String>) -> Self {
        Self { executable, kernels, process: None }
    }

    /// Runs `launch` over `buffers`, whose contents are replaced by the results. Buffers lie in
    /// memory of their own, aligned to 256 bytes, and are exactly as long as given.
    ///
    /// # Errors
    ///
    /// [`EmulateError::Fault`] if a check failed, [`EmulateError::BadLaunch`] if the arguments do
    /// not fit the kernel; the buffers are then unchanged.
    pub fn run(
        &mut self,
        launch: &Launch,
        buffers: &mut [Vec<u8>],
    ) -> Result<Report, EmulateError> {
        let index =
            self.kernels.iter().position(|name| *name == launch.kernel).ok_or_else(|| {
                EmulateError::UnknownKernel {
                    kernel: launch.kernel.clone(),
                    known: self.kernels.clone(),
                }
            })?;
        let request = request(index, launch, buffers);
        let process = match self.process.take() {
            Some(process) => process,
            None => self.start()?,
        };
        let process = self.process.insert(process);
        match process.exchange(&request, buffers) {
            Ok((report, results)) => {
                for (buffer, result) in buffers.iter_mut().zip(results) {
                    *buffer = result;
                }
                Ok(report)
            }
            // The process died: it says why.
            Err(error) => match self.process.take() {
                Some(process) => Err(process.verdict(&self.executable, error)),
                None => Err(EmulateError::Io { path: self.executable.clone(), error }),
            },
        }
    }

    fn start(&self) -> Result<Process, EmulateError> {
        let complaints = tempfile::tempfile().map_err(EmulateError::io("temporary file"))?;
        let stderr = complaints.try_clone().map_err(EmulateError::io("temporary file"))?;
        let child = Command::new(&self.executable)
            .env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=0")
            .env("UBSAN_OPTIONS", "print_stacktrace=0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .map_err(EmulateError::io(&self.executable))?;
        Ok(Process { child, complaints })
    }
}

impl Process {
    fn exchange(
        &mut self,
        request: &[u8],
        buffers: &[Vec<u8>],
    ) -> io::Result<(Report, Vec<Vec<u8>>)> {
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        let stdin = self.child.stdin.as_mut().ok_or_else(closed)?;
        stdin.write_all(request)?;
        stdin.flush()?;
        let stdout = self.child.stdout.as_mut().ok_or_else(closed)?;
        let mut done = [0; 4];
        stdout.read_exact(&mut done)?;
        if done != *b"done" {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
        let mut number = || -> io::Result<u64> {
            let mut bytes = [0; 8];
            stdout.read_exact(&mut bytes)?;
            Ok(u64::from_ne_bytes(bytes))
        };
        let report = Report {
            barriers: number()?,
            shuffles: number()?,
            global_read: number()?,
            global_written: number()?,
            shared_read: number()?,
            shared_written: number()?,
        };
        let mut results = Vec::with_capacity(buffers.len());
        for buffer in buffers {
            let mut result = vec![0; buffer.len()];
            stdout.read_exact(&mut result)?;
            results.push(result);
        }
        Ok((report, results))
    }

    /// Waits for the end of a process that broke off, and reads what it wrote to standard error.
    fn verdict(mut self, executable: &std::path::Path, error: io::Error) -> EmulateError {
        drop(self.child.stdin.take());
        drop(self.child.stdout.take());
        let status = match self.child.wait() {
            Ok(status) => status,
            Err(error) => return EmulateError::Io { path: executable.to_owned(), error },
        };
        let mut bytes = Vec::new();
        let read = self.complaints.rewind().and_then(|()| self.complaints.read_to_end(&mut bytes));
        let report = String::from_utf8_lossy(&bytes).into_owned();
        match (read, classify(status, &report)) {
            (Ok(_), Some(Ok(fault))) => EmulateError::Fault { fault, report },
            (Ok(_), Some(Err(message))) => EmulateError::BadLaunch(message),
            _ => EmulateError::Io { path: executable.to_owned(), error },
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It ends when its input does.
        drop(self.child.stdin.take());
        drop(self.child.stdout.take());
        let _ = self.child.wait();
    }
}

/// A fault, a complaint about the request, or nothing that is understood.
fn classify(status: ExitStatus, report: &str) -> Option<Result<Fault, String>> {
    const SIGALRM: i32 = 14;
    if status.code() == Some(REPORTED) {
        let report = report.split_once("waveloom-emulate: ")?.1;
        let (kind, message) = report.split_once(": ")?;
        return Some(match kind {
            "divergence" => Ok(Fault::Divergence),
            "race" => Ok(Fault::Race),
            "uninitialised" => Ok(Fault::Uninitialised),
            "ends" => Ok(Fault::Memory),
            _ => Err(message.trim().to_owned()),
        });
    }
    if report.contains("AddressSanitizer") {
        return Some(Ok(Fault::Memory));
    }
    if report.contains("runtime error:") {
        return Some(Ok(Fault::Undefined));
    }
    match status.signal() {
        Some(SIGALRM) => Some(Ok(Fault::Timeout)),
        Some(_) => Some(Ok(Fault::Crash)),
        None => None,
    }
}

/// The request in the layout that `runtime.cpp` reads.
fn request(kernel: usize, launch: &Launch, buffers: &[Vec<u8>]) -> Vec<u8> {
    fn put32(bytes: &mut Vec<u8>, value: u32) {
        bytes.extend_from_slice(&value.to_ne_bytes());
    }
    fn put64(bytes: &mut Vec<u8>, value: u64) {
        bytes.extend_from_slice(&value.to_ne_bytes());
    }
    let (order, seed) = match launch.order {
        Order::Forward => (0, 0),
        Order::Reverse => (1, 0),
        Order::Shuffled { seed } => (2, seed),
    };
    let mut bytes = Vec::with_capacity(256 + buffers.iter().map(|b| b.len() + 8).sum::<usize>());
    put32(&mut bytes, kernel as u32);
    for &number in launch.grid.iter().chain(&launch.block) {
        put32(&mut bytes, number);
    }
    put32(&mut bytes, launch.shared_bytes);
    put32(&mut bytes, order);
    put64(&mut bytes, seed);
    put32(&mut bytes, launch.timeout_seconds);
    put32(&mut bytes, buffers.len() as u32);
    for buffer in buffers {
        put64(&mut bytes, buffer.len() as u64);
        bytes.extend_from_slice(buffer);
    }
    put32(&mut bytes, launch.arguments.len() as u32);
    for argument in &launch.arguments {
        match argument {
            Argument::Buffer { index, offset } => {
                put32(&mut bytes, *index);
                put64(&mut bytes, *offset);
            }
            Argument::Value(value) => {
                put32(&mut bytes, u32::MAX);
                put64(&mut bytes, value.len() as u64);
                bytes.extend_from_slice(value);
            }
        }
    }
    bytes
}
