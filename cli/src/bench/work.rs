//! What is measured: pieces of work, the methods that do them, and what was claimed of them.

use std::fmt;
use waveloom::codegen::Element;
use waveloom::codegen::kernel::Operation;
use waveloom::wavelets::{Mode, SchemeKind};

/// Forward and inverse.
pub const BOTH: &[Operation] = &[Operation::Forward, Operation::Inverse];
/// Forward alone.
pub const FORWARD: &[Operation] = &[Operation::Forward];

/// Where a method runs, and what its time contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The processor, on the calling thread unless the method says otherwise.
    Host,
    /// A card: kernels alone, by the card's clock.
    Card,
    /// A card, with the copies from the host's memory and back, by the host's clock.
    Transfers,
    /// The same piece by piece (the first axis counts them), from page-locked memory and back to it,
    /// while other pieces are copied and transformed. Forward only.
    Overlapped,
}

/// One way to do a piece of work.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// Its name within the work, unique there.
    pub name: String,
    /// Where it runs.
    pub place: Place,
    /// The scheme; the wavelet's best if `None`.
    pub scheme: Option<SchemeKind>,
    /// The strategy of its kernels by name; the plan's choice if `None`.
    pub strategy: Option<String>,
    /// Shape of its blocks where it is part of the method.
    pub shape: Shape,
    /// Rows of bands begin at multiples of so many elements, on a card.
    pub align_rows: Option<u32>,
    /// The mode, if another than the work's.
    pub mode: Option<Mode>,
    /// The number of levels, if another than the work's.
    pub levels: Option<usize>,
    /// Threads of the processor.
    pub threads: usize,
}

/// Shape of a card's blocks: what is `None` is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Output pairs of a block, per axis.
    pub tile: Option<[u32; 3]>,
    /// Threads of a block.
    pub threads: Option<u32>,
    /// Samples of a thread.
    pub items: Option<u32>,
}

impl Method {
    /// A method with the plan's own choices.
    pub fn new(name: impl Into<String>, place: Place) -> Self {
        Self {
            name: name.into(),
            place,
            scheme: None,
            strategy: None,
            shape: Shape::default(),
            align_rows: None,
            mode: None,
            levels: None,
            threads: 1,
        }
    }

    /// A scheme by a strategy, on a card.
    pub fn on_card(name: &str, scheme: SchemeKind, strategy: &str) -> Self {
        let strategy = Some(strategy.to_owned());
        Self { scheme: Some(scheme), strategy, ..Self::new(name, Place::Card) }
    }
}

/// A published ratio of the times of two methods.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The slower method, by name.
    pub over: String,
    /// The faster one.
    pub under: String,
    /// Smallest and largest ratio that the paper reports (equal for a single figure).
    pub published: (f64, f64),
    /// Where, and on which machine.
    pub source: &'static str,
}

impl Claim {
    /// `over` takes `published` times as long as `under`.
    pub fn new(
        over: impl Into<String>,
        under: impl Into<String>,
        published: (f64, f64),
        source: &'static str,
    ) -> Self {
        Self { over: over.into(), under: under.into(), published, source }
    }
}

/// A transform of one array, and all that is to be compared on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// Which part of a suite it belongs to.
    pub section: &'static str,
    /// The array in words: `2-D 4096^2`.
    pub array: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Transformed axes.
    pub axes: Vec<usize>,
    /// Element type.
    pub element: Element,
    /// The wavelet.
    pub wavelet: &'static str,
    /// The mode.
    pub mode: Mode,
    /// Number of levels.
    pub levels: usize,
    /// What is measured of every method.
    pub operations: &'static [Operation],
    /// The methods, measured in turn with a copy.
    pub methods: Vec<Method>,
    /// Multiples of a copy that a method may take at most, and should.
    pub goal: Option<(f64, Option<f64>)>,
    /// The method whose time is the yardstick of the goal, if it is not the copy.
    pub against: Option<String>,
    /// What a paper says.
    pub claims: Vec<Claim>,
    /// How many times as fast as PyWavelets the first method shall be; `None` where no other
    /// libraries are compared.
    pub peers: Option<f64>,
}

impl Work {
    /// A transform of all axes in single precision, forward and inverse, without methods yet.
    pub fn new(section: &'static str, shape: &[usize], wavelet: &'static str, mode: Mode) -> Self {
        Self {
            section,
            array: array_name(shape),
            shape: shape.to_vec(),
            axes: (0..shape.len()).collect(),
            element: Element::F32,
            wavelet,
            mode,
            levels: 1,
            operations: BOTH,
            methods: Vec::new(),
            goal: None,
            against: None,
            claims: Vec::new(),
            peers: None,
        }
    }

    /// With a number of levels.
    pub fn levels(self, levels: usize) -> Self {
        Self { levels, ..self }
    }

    /// With methods.
    pub fn methods(self, methods: impl IntoIterator<Item = Method>) -> Self {
        Self { methods: methods.into_iter().collect(), ..self }
    }

    /// With claims.
    pub fn claims(self, claims: impl IntoIterator<Item = Claim>) -> Self {
        Self { claims: claims.into_iter().collect(), ..self }
    }

    /// Bytes of the array.
    pub fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.element.bytes()
    }

    /// The whole name of a method of this work: what `--only` looks at.
    pub fn name_of(&self, method: &Method) -> String {
        format!("{self} {}", method.name)
    }
}

impl fmt::Display for Work {
    /// `section: array wavelet mode levels element`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} {} {} L{} {}",
            self.section,
            self.array,
            self.wavelet,
            self.mode,
            self.levels,
            self.element.name()
        )
    }
}

/// `2-D 4096^2`, `1-D 2^24`, `2-D 1080x1920`.
pub fn array_name(shape: &[usize]) -> String {
    let one = |len: usize| match len {
        len if len >= 1 << 10 && len.is_power_of_two() && shape.len() == 1 => {
            format!("2^{}", len.trailing_zeros())
        }
        len => len.to_string(),
    };
    let extent = match shape {
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|len| len == first) => {
            format!("{first}^{}", shape.len())
        }
        shape => shape.iter().map(|len| one(*len)).collect::<Vec<_>>().join("x"),
    };
    format!("{}-D {extent}", shape.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_have_short_names() {
        for (shape, name) in [
            (vec![1 << 24], "1-D 2^24"),
            (vec![4096, 4096], "2-D 4096^2"),
            (vec![1080, 1920], "2-D 1080x1920"),
            (vec![256, 256, 256], "3-D 256^3"),
            (vec![1000], "1-D 1000"),
        ] {
            assert_eq!(array_name(&shape), name);
        }
    }
}
