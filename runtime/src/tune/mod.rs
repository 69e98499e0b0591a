//! Which kernels are fastest for a wavelet, a shape and a card, found by measurement and kept.
//!
//! [`tune`] measures [`candidates`] and returns a [`Finding`]: a [`TuningKey`], the best strategy and
//! what it takes. [`Finding::store`] keeps it beside the compiled kernels; from then on every plan of
//! such a transform on such a card takes that strategy, unless one is given
//! ([`crate::PlanBuilder::strategy`]) or findings are not wanted ([`crate::PlanBuilder::tuned`]).
//!
//! ```
//! use waveloom::device::DiskCache;
//! use waveloom::tune::{Finding, TuningKey};
//! use waveloom::wavelets::{SchemeKind, catalogue};
//!
//! let folder = tempfile::tempdir()?;
//! let cache = DiskCache::at(folder.path());
//! let (wavelet, scheme) = (catalogue::wavelet("bior4.4")?, SchemeKind::SeparableLifting);
//! let element = waveloom::codegen::Element::F32;
//! let key = TuningKey::new("some card", &wavelet, scheme, &[4096, 4096], &[0, 1], element);
//! assert_eq!(Finding::load(&cache, &key), None);
//!
//! let strategy = "--strategy stream --block 64 --rows 16".parse()?;
//! let finding = Finding { key: key.clone(), strategy, copies: [1.2, 1.1] };
//! finding.store(&cache)?;
//! assert_eq!(Finding::load(&cache, &key), Some(finding));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod candidates;
mod finding;
mod key;
mod tuner;

pub use candidates::candidates;
pub use finding::Finding;
pub use key::TuningKey;
pub use tuner::{Outcome, Score, Trial, TuneError, tune};
