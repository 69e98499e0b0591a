//! Definition files.
