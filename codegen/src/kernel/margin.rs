//! pass
