//! Coefficients in files: band names, bands, and the record of how they were made.

pub mod file;
pub mod key;
pub mod piece;
pub mod record;

pub use file::CoefficientFile;
pub use key::Key;
pub use piece::Piece;
pub use record::Record;
