//! Schemes of a wavelet.
