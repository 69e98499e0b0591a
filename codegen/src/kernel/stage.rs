//! A kernel cut into one kernel for every segment.

use super::{Kernel, Output, margin};
use waveloom_wavelets::algebra::MAX_AXES;

impl Kernel {
    /// One kernel for every segment, in order. The first reads what this kernel reads, every other
    /// one all planes as the one before has left them; all but the last give every plane at the
    /// position itself, the last gives this kernel's outputs. `spread` stays that of the whole.
    ///
    /// ```
    /// use waveloom_codegen::kernel::{lower, Element, Exchange, Operation};
    /// use waveloom_wavelets::{catalogue, SchemeKind};
    ///
    /// let scheme = catalogue::wavelet("db4")?.scheme(SchemeKind::Lattice, 1)?;
    /// let kernel = lower(&scheme, Operation::Forward, Element::F32, Exchange::Launch)?;
    /// assert_eq!(kernel.stages().len(), 4); // M / 2 butterflies of 8 taps
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stages(&self) -> Vec<Kernel> {
        let count = self.segments.len();
        let planes = (0..self.planes()).map(|plane| Output { plane, offset: [0; MAX_AXES] });
        let planes: Vec<Output> = planes.collect();
        let stage = |(index, segment): (usize, &super::Segment)| {
            let mut segments = vec![segment.clone()];
            let outputs = if index + 1 == count { &self.outputs } else { &planes };
            let halo = margin::margins(&mut segments, outputs);
            Kernel { segments, outputs: outputs.clone(), halo, ..self.clone() }
        };
        self.segments.iter().enumerate().map(stage).collect()
    }
}
