//! Coefficients in files: band names, arrangements, and the record of how they were made.

pub mod arrangement;
pub mod file;
pub mod key;
pub mod record;

pub use arrangement::Arrangement;
pub use file::CoefficientFile;
pub use key::Key;
pub use record::Record;
