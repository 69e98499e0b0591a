//! Values of any element type, and the seeded stream that test inputs come from.

use waveloom_codegen::kernel::Element;

/// A flat array (a signal in C order, or the bands one after the other) of one element type.
#[derive(Clone, Debug, PartialEq)]
pub enum Samples {
    /// Single precision.
    F32(Vec<f32>),
    /// Double precision.
    F64(Vec<f64>),
    /// 16-bit integers.
    I16(Vec<i16>),
    /// 32-bit integers.
    I32(Vec<i32>),
    /// 64-bit integers.
    I64(Vec<i64>),
}

macro_rules! each {
    ($samples:expr, $values:ident => $body:expr) => {
        match $samples {
            Samples::F32($values) => $body,
            Samples::F64($values) => $body,
            Samples::I16($values) => $body,
            Samples::I32($values) => $body,
            Samples::I64($values) => $body,
        }
    };
}

impl Samples {
    /// The element type.
    pub fn element(&self) -> Element {
        match self {
            Samples::F32(_) => Element::F32,
            Samples::F64(_) => Element::F64,
            Samples::I16(_) => Element::I16,
            Samples::I32(_) => Element::I32,
            Samples::I64(_) => Element::I64,
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        each!(self, values => values.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Real numbers in `element`; rounded to the nearest value it has.
    pub fn from_f64(element: Element, values: &[f64]) -> Self {
        match element {
            Element::F32 => Samples::F32(values.iter().map(|v| *v as f32).collect()),
            Element::F64 => Samples::F64(values.to_vec()),
            Element::I16 => Samples::I16(values.iter().map(|v| v.round() as i16).collect()),
            Element::I32 => Samples::I32(values.iter().map(|v| v.round() as i32).collect()),
            Element::I64 => Samples::I64(values.iter().map(|v| v.round() as i64).collect()),
        }
    }

    /// Integers in `element`. The caller keeps them in its range; beyond it they wrap.
    pub fn from_i64(element: Element, values: &[i64]) -> Self {
        match element {
            Element::F32 => Samples::F32(values.iter().map(|v| *v as f32).collect()),
            Element::F64 => Samples::F64(values.iter().map(|v| *v as f64).collect()),
            Element::I16 => Samples::I16(values.iter().map(|v| *v as i16).collect()),
            Element::I32 => Samples::I32(values.iter().map(|v| *v as i32).collect()),
            Element::I64 => Samples::I64(values.to_vec()),
        }
    }

    /// The values as `f64` (64-bit integers beyond 2^53 are rounded).
    pub fn to_f64(&self) -> Vec<f64> {
        match self {
            Samples::F32(values) => values.iter().map(|v| f64::from(*v)).collect(),
            Samples::F64(values) => values.clone(),
            Samples::I16(values) => values.iter().map(|v| f64::from(*v)).collect(),
            Samples::I32(values) => values.iter().map(|v| f64::from(*v)).collect(),
            Samples::I64(values) => values.iter().map(|v| *v as f64).collect(),
        }
    }

    /// The values as `i64`; `None` for floats.
    pub fn to_i64(&self) -> Option<Vec<i64>> {
        match self {
            Samples::F32(_) | Samples::F64(_) => None,
            Samples::I16(values) => Some(values.iter().map(|v| i64::from(*v)).collect()),
            Samples::I32(values) => Some(values.iter().map(|v| i64::from(*v)).collect()),
            Samples::I64(values) => Some(values.clone()),
        }
    }

    /// The same values in another element type.
    pub fn converted(&self, element: Element) -> Self {
        match self.to_i64() {
            Some(values) => Self::from_i64(element, &values),
            None => Self::from_f64(element, &self.to_f64()),
        }
    }

    /// Several pieces of one element type, one after the other.
    pub fn concatenated(element: Element, parts: &[Samples]) -> Self {
        match element.is_integer() {
            true => {
                let values = parts.iter().filter_map(Samples::to_i64).flatten();
                Self::from_i64(element, &values.collect::<Vec<_>>())
            }
            false => {
                let values = parts.iter().flat_map(Samples::to_f64);
                Self::from_f64(element, &values.collect::<Vec<_>>())
            }
        }
    }

    /// Largest absolute value.
    pub fn magnitude(&self) -> f64 {
        self.to_f64().into_iter().fold(0.0, |largest, v| largest.max(v.abs()))
    }
}

/// A reproducible stream of pseudo-random numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct Stream {
    state: u64,
}

impl Stream {
    /// A stream for a piece of text: equal text, equal numbers.
    pub fn for_text(text: &str) -> Self {
        // FNV-1a.
        let state = text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self { state }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An integer in `0..count`; 0 for an empty range.
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count.max(1) as u64) as usize
    }

    /// A real number in -1..1 with 20 significant bits, so that it is exact in `f32` and a sum of
    /// a few of them is, too.
    pub fn real(&mut self) -> f64 {
        let steps = (self.bits() >> 43) as i64 - (1 << 20);
        steps as f64 / f64::from(1 << 20)
    }

    /// An integer in `-limit..=limit`.
    pub fn integer(&mut self, limit: i64) -> i64 {
        let limit = limit.max(0);
        let span = 2 * limit as u64 + 1;
        (self.bits() % span) as i64 - limit
    }

    /// `len` values of an element type: reals in -1..1, or integers of magnitude at most `most` that
    /// leave room for a transform of a few levels.
    pub fn samples(&mut self, element: Element, len: usize, most: Option<i64>) -> Samples {
        let limit = match element {
            Element::F32 | Element::F64 => {
                let values: Vec<f64> = (0..len).map(|_| self.real()).collect();
                return Samples::from_f64(element, &values);
            }
            Element::I16 => 200,
            Element::I32 => 1 << 22,
            Element::I64 => 1 << 50,
        };
        let limit = most.map_or(limit, |most| limit.min(most));
        let values: Vec<i64> = (0..len).map(|_| self.integer(limit)).collect();
        Samples::from_i64(element, &values)
    }
}
