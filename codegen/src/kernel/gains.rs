//! Gains of planes at either end of a kernel, which commute with whatever is done along another axis.

use super::{Kernel, Step};

/// Factors of a kernel's channels: of those it reads before its first step, and of those it leaves after its last.
#[derive(Clone, Debug, PartialEq)]
pub struct Gains {
    /// One for every channel of the input.
    pub before: Vec<f64>,
    /// One for every channel of the output.
    pub after: Vec<f64>,
}

impl Gains {
    /// Channels as they are.
    pub fn none(channels: usize) -> Self {
        Self { before: vec![1.0; channels], after: vec![1.0; channels] }
    }

    /// Those of two axes together, the first one's channels apart by as many as the second one has. Factors that cancel
    /// but for their rounding are 1.
    ///
    /// ```
    /// use waveloom_codegen::kernel::Gains;
    ///
    /// let line = Gains { before: vec![1.0, 1.0], after: vec![0.8, 1.25] };
    /// assert_eq!(line.with(&line).after, [0.8 * 0.8, 1.0, 1.0, 1.25 * 1.25]);
    /// ```
    pub fn with(&self, other: &Self) -> Self {
        let both = |a: &[f64], b: &[f64]| {
            let products = a.iter().flat_map(|a| b.iter().map(move |b| a * b));
            products.map(|g| if (g - 1.0).abs() <= 2.0 * f64::EPSILON { 1.0 } else { g }).collect()
        };
        Self { before: both(&self.before, &other.before), after: both(&self.after, &other.after) }
    }

    /// How many factors are products that somebody has to make.
    pub fn products(&self) -> usize {
        self.before.iter().chain(&self.after).filter(|gain| **gain != 1.0).count()
    }
}

/// The gains of a step that does nothing else, by plane.
fn gains(step: &Step, planes: usize) -> Option<Vec<f64>> {
    let mut gains = vec![1.0; planes];
    for update in &step.updates {
        let [term] = update.terms.as_slice() else { return None };
        let own = term.plane == update.plane && term.offset == update.offset;
        if !own || update.increment || update.rounding.is_some() {
            return None;
        }
        gains[update.plane] = term.coefficient;
    }
    Some(gains)
}

impl Kernel {
    /// The kernel without the gains that it begins and ends with, and these. At least one step stays, and of what is
    /// rounded all.
    pub fn without_gains(&self) -> (Self, Gains) {
        let planes = self.planes();
        let (mut kernel, mut taken) = (self.clone(), Gains::none(planes));
        let count = |kernel: &Self| match kernel.element.is_integer() {
            true => 0,
            false => kernel.steps().count(),
        };
        if count(&kernel) > 1 {
            let last = kernel.segments.iter_mut().rev().find(|segment| !segment.steps.is_empty());
            let last = last.and_then(|segment| {
                let gains = gains(segment.steps.last()?, planes)?;
                segment.steps.pop();
                Some(gains)
            });
            if let Some(gains) = last {
                taken.after = self.outputs.iter().map(|output| gains[output.plane]).collect();
            }
        }
        if count(&kernel) > 1 {
            let first = kernel.segments.iter_mut().find(|segment| !segment.steps.is_empty());
            let first = first.and_then(|segment| {
                let gains = gains(segment.steps.first()?, planes)?;
                segment.steps.remove(0);
                Some(gains)
            });
            if let Some(gains) = first {
                taken.before = gains;
            }
        }
        let some = kernel.segments.iter().any(|segment| !segment.steps.is_empty());
        kernel.segments.retain(|segment| !some || !segment.steps.is_empty());
        (kernel, taken)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Element, Exchange, Operation, Side, lower};
    use waveloom_wavelets::{SchemeKind, catalogue};

    #[test]
    fn lifting_begins_or_ends_with_its_gains() {
        for name in ["irr97", "db4", "bior2.2"] {
            let scheme = catalogue::wavelet(name).unwrap().scheme(SchemeKind::Lifting, 1).unwrap();
            for operation in Operation::ALL {
                let kernel = lower(&scheme, operation, Element::F32, Exchange::Stream).unwrap();
                let (rest, gains) = kernel.without_gains();
                assert_eq!(
                    rest.steps().count() + 1,
                    kernel.steps().count(),
                    "{name} {operation:?}"
                );
                let (some, none) = match operation.input() {
                    Side::Signal => (gains.after, gains.before),
                    Side::Bands => (gains.before, gains.after),
                };
                assert!(some.iter().all(|gain| *gain != 1.0), "{name} {operation:?} {some:?}");
                assert_eq!(none, [1.0, 1.0], "{name} {operation:?}");
                assert_eq!(rest.without_gains().0, rest, "{name} {operation:?}");
            }
        }
    }

    #[test]
    fn what_is_not_a_gain_stays() {
        for (name, kind) in [("haar", SchemeKind::Convolution), ("db4", SchemeKind::Convolution)] {
            let scheme = catalogue::wavelet(name).unwrap().scheme(kind, 1).unwrap();
            let kernel =
                lower(&scheme, Operation::Forward, Element::F32, Exchange::Stream).unwrap();
            assert_eq!(kernel.without_gains().0, kernel, "{name}");
        }
        let scheme = catalogue::wavelet("rev53").unwrap().scheme(SchemeKind::Lifting, 1).unwrap();
        let kernel = lower(&scheme, Operation::Forward, Element::I32, Exchange::Stream).unwrap();
        assert_eq!(kernel.without_gains().0, kernel);
    }
}
