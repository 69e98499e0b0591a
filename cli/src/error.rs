//! What goes wrong, told in one line.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A refusal: which file, which field of it (or which option), and what was expected.
///
/// Printed as `error: FILE: FIELD: MESSAGE`, always one line.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub struct Failure {
    file: Option<PathBuf>,
    field: Option<String>,
    message: String,
}

/// The result of everything that a command does.
pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// A failure that no file is to blame for: an option, or a computation.
    pub fn of_option(option: impl Into<String>, message: impl fmt::Display) -> Self {
        Self { file: None, field: Some(option.into()), message: message.to_string() }
    }

    /// A failure of a file as a whole.
    pub fn of_file(file: &Path, message: impl fmt::Display) -> Self {
        Self { file: Some(file.to_owned()), field: None, message: message.to_string() }
    }

    /// A file that cannot be opened or read at all.
    pub fn unreadable(file: &Path, error: impl fmt::Display) -> Self {
        Self::of_field(file, "file", format!("expected one that can be read: {error}"))
    }

    /// A failure of one field (array, chunk, option) of a file.
    pub fn of_field(file: &Path, field: impl Into<String>, message: impl fmt::Display) -> Self {
        Self {
            file: Some(file.to_owned()),
            field: Some(field.into()),
            message: message.to_string(),
        }
    }

    /// A failure that speaks for itself.
    pub fn plain(message: impl fmt::Display) -> Self {
        Self { file: None, field: None, message: message.to_string() }
    }

    /// The same failure, told of `file` if it names none yet.
    pub fn in_file(mut self, file: &Path) -> Self {
        self.file.get_or_insert_with(|| file.to_owned());
        self
    }

    /// The same failure, with what may have been meant.
    pub fn with_hint(mut self, hint: &str) -> Self {
        self.message = format!("{} ({hint})", self.message);
        self
    }
}

impl fmt::Display for Failure {
    /// One line: whatever a path or a library's message contains, line breaks become spaces, and
    /// other control characters are written as escapes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        parts.extend(self.file.as_ref().map(|file| file.display().to_string()));
        parts.extend(self.field.clone());
        parts.push(self.message.clone());
        let text = parts.join(": ");
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        for (position, line) in lines.enumerate() {
            if position > 0 {
                f.write_str(" ")?;
            }
            for character in line.chars() {
                match character {
                    // Line and paragraph separators are no control characters, but end lines.
                    '\u{2028}' | '\u{2029}' => write!(f, "{}", character.escape_unicode())?,
                    _ if character.is_control() => write!(f, "{}", character.escape_default())?,
                    _ => write!(f, "{character}")?,
                }
            }
        }
        Ok(())
    }
}

/// How a command ends without success.
#[derive(Debug)]
pub enum End {
    /// Bad input.
    Failure(Failure),
    /// Whoever reads standard output has left: nothing to report.
    BrokenPipe,
}

impl From<Failure> for End {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<io::Error> for End {
    /// Errors of standard output; files are wrapped in [`Failure`]s where they are touched.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => Self::Failure(Failure::plain(format!("standard output: {error}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_line() {
        let failure = Failure::of_field(Path::new("a\nb.npy"), "shape", "expected\n\n  one line");
        assert_eq!(failure.to_string(), "a b.npy: shape: expected one line");
        let failure = Failure::of_option("x\u{c}y", "\u{1b}[31m\u{2028}\u{85}.");
        assert_eq!(failure.to_string(), "x\\u{c}y: \\u{1b}[31m\\u{2028}\\u{85}.");
    }

    #[test]
    fn the_first_file_named_stays() {
        let failure = Failure::of_file(Path::new("a.npy"), "is truncated");
        assert_eq!(failure.in_file(Path::new("b.npy")).to_string(), "a.npy: is truncated");
        let option = Failure::of_option("--axes", "axis 3 does not exist");
        assert_eq!(
            option.in_file(Path::new("b.npy")).to_string(),
            "b.npy: --axes: axis 3 does not exist"
        );
    }
}
