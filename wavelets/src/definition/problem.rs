//! What is wrong with a definition, and where.

use std::fmt;

/// Problems beyond this number are counted, not listed.
const MOST_PROBLEMS: usize = 100;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Line of the file, from 1.
    pub line: usize,
    /// The key it is about, such as `lifting.steps[0].taps[2]` (indices from 0); or, where it is
    /// about no key, `file`, `syntax`, `definition` or `others`.
    pub field: String,
    /// What was expected and what came.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}: {}", self.line, self.field, self.message)
    }
}

/// Everything that is wrong with a definition, in the order of its lines. There is at least one
/// problem; all of them are shown on one line, separated by semicolons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionErrors {
    problems: Vec<Problem>,
}

impl DefinitionErrors {
    /// Sorts problems by line, and leaves out what nobody would read.
    pub(super) fn new(mut problems: Vec<Problem>) -> Self {
        problems.sort();
        problems.dedup();
        if let Some(line) = problems.get(MOST_PROBLEMS).map(|problem| problem.line) {
            let message = format!("{} more problems", problems.len() - MOST_PROBLEMS);
            let field = "others".to_owned();
            problems.truncate(MOST_PROBLEMS);
            problems.push(Problem { line, field, message });
        }
        Self { problems }
    }

    /// The problems, sorted by line.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for DefinitionErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, problem) in self.problems.iter().enumerate() {
            if position > 0 {
                f.write_str("; ")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for DefinitionErrors {}
