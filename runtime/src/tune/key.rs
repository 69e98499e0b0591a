//! For what a finding holds.

use crate::device::hexadecimal;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use waveloom_codegen::Element;
use waveloom_wavelets::{SchemeKind, Wavelet};

/// The transforms that a finding speaks of: those of one wavelet by one scheme, of arrays of a size
/// and an element type, on one kind of card. Levels and modes are not told apart: the first level
/// takes most of the time, and modes differ at the ends alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuningKey {
    /// Version of this library, whose kernels were measured.
    pub version: String,
    /// The card's name.
    pub device: String,
    /// Hash of the wavelet's taps and of its rounding, if it rounds: 64 hexadecimal digits.
    pub wavelet: String,
    /// The scheme's name.
    pub scheme: String,
    /// The extents to the nearest power of two, transformed ones with a star, runs of others
    /// multiplied: `2^4 2^12* 2^12*`.
    pub shape: String,
    /// The element type's name.
    pub element: String,
}

impl TuningKey {
    /// For arrays of `shape`, transformed along `axes`, on a card of that name. Axes that the shape
    /// does not have are ignored.
    pub fn new(
        device: &str,
        wavelet: &Wavelet,
        scheme: SchemeKind,
        shape: &[usize],
        axes: &[usize],
        element: Element,
    ) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            device: device.to_owned(),
            wavelet: fingerprint(wavelet),
            scheme: scheme.name().to_owned(),
            shape: shape_class(shape, axes),
            element: element.name().to_owned(),
        }
    }

    /// The name of the file of such a finding.
    pub fn file_name(&self) -> String {
        let mut hash = Sha256::new();
        let fields =
            [&self.version, &self.device, &self.wavelet, &self.scheme, &self.shape, &self.element];
        for field in fields {
            hash.update((field.len() as u64).to_le_bytes());
            hash.update(field.as_bytes());
        }
        format!("tuned-{}.json", hexadecimal(&hash.finalize()))
    }
}

/// Two wavelets with the same filters are the same, whatever they are called.
fn fingerprint(wavelet: &Wavelet) -> String {
    let mut hash = Sha256::new();
    let bank = wavelet.bank();
    let filters =
        [bank.analysis_low(), bank.analysis_high(), bank.synthesis_low(), bank.synthesis_high()];
    for filter in filters {
        hash.update(filter.first().to_le_bytes());
        hash.update((filter.taps().len() as u64).to_le_bytes());
        for tap in filter.taps() {
            hash.update(tap.to_bits().to_le_bytes());
        }
    }
    let rounded = wavelet.lifting().filter(|_| wavelet.is_rounded());
    for step in rounded.into_iter().flat_map(|lifting| &lifting.steps) {
        hash.update(format!("{:?}", step.rounding).as_bytes());
    }
    hexadecimal(&hash.finalize())
}

fn shape_class(shape: &[usize], axes: &[usize]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut batch: Option<u128> = None;
    for (dim, len) in shape.iter().enumerate() {
        if axes.contains(&dim) {
            words.extend(batch.take().map(power));
            words.push(power(*len as u128) + "*");
        } else {
            batch = Some(batch.unwrap_or(1).saturating_mul(*len as u128));
        }
    }
    words.extend(batch.map(power));
    words.join(" ")
}

fn power(extent: u128) -> String {
    match extent {
        0 => "0".to_owned(),
        extent => format!("2^{}", (extent as f64).log2().round()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use waveloom_wavelets::catalogue;

    fn key(wavelet: &str, shape: &[usize], axes: &[usize]) -> TuningKey {
        let wavelet = catalogue::wavelet(wavelet).unwrap();
        let scheme = SchemeKind::SeparableLifting;
        TuningKey::new("card", &wavelet, scheme, shape, axes, Element::F32)
    }

    #[test]
    fn shapes_fall_into_classes() {
        for (shape, axes, class) in [
            (&[4096, 4096][..], &[0, 1][..], "2^12* 2^12*"),
            (&[4000, 5000], &[1, 0], "2^12* 2^12*"),
            (&[1080, 1920], &[0, 1], "2^10* 2^11*"),
            (&[12, 3, 1000, 1000], &[2, 3], "2^5 2^10* 2^10*"),
            (&[1000, 3], &[0], "2^10* 2^2"),
            (&[102_400_000], &[0], "2^27*"),
            (&[0, 7], &[1], "0 2^3*"),
            (&[7], &[3], "2^3"),
        ] {
            assert_eq!(shape_class(shape, axes), class);
        }
    }

    #[test]
    fn every_part_of_the_key_counts() {
        let base = key("bior4.4", &[512, 512], &[0, 1]);
        let changed = |change: &dyn Fn(&mut TuningKey)| {
            let mut key = base.clone();
            change(&mut key);
            key
        };
        let names: BTreeSet<String> = [
            base.clone(),
            key("db4", &[512, 512], &[0, 1]),
            key("bior4.4", &[512, 2048], &[0, 1]),
            key("bior4.4", &[512, 512], &[1]),
            changed(&|key| key.version.push('1')),
            changed(&|key| key.device = "another".to_owned()),
            changed(&|key| key.scheme = "separable-convolution".to_owned()),
            changed(&|key| key.element = "f64".to_owned()),
            // Fields do not run into each other.
            changed(&|key| {
                (key.version, key.device) = (String::new(), format!("{}card", key.version))
            }),
        ]
        .iter()
        .map(TuningKey::file_name)
        .collect();
        assert_eq!(names.len(), 9);
        assert_eq!(base.file_name(), key("bior4.4", &[500, 520], &[0, 1]).file_name());
        assert!(names.iter().all(|name| name.len() == "tuned-.json".len() + 64));
    }

    #[test]
    fn wavelets_are_their_filters() {
        let of = |name: &str| fingerprint(&catalogue::wavelet(name).unwrap());
        assert_eq!(of("haar"), of("db1"));
        assert_ne!(of("db4"), of("sym4"));
        assert_ne!(of("rev53"), of("bior2.2"), "rounding is another transform");
    }
}
