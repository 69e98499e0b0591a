//! CUDA texts that were generated when the program was built.

use crate::element::Element;
use crate::error::PlanError;
use crate::plan::{Plan, PlanBuilder};
use std::sync::OnceLock;
use waveloom_codegen::emit::cuda::{self, CudaRequest, CudaSource};
use waveloom_codegen::gpu::{Operations, Proved, Strategy};
use waveloom_codegen::kernel::Element as ElementKind;
use waveloom_wavelets::{Mode, SchemeKind, Wavelet, catalogue, definition};

/// What `dwt_kernel!` and build scripts write down beside a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeneratedParts {
    /// The text.
    pub text: &'static str,
    /// The wavelet's definition; without it, `wavelet` is a name of the catalogue.
    pub definition: Option<&'static str>,
    /// The wavelet's name.
    pub wavelet: &'static str,
    /// How the text's header names the wavelet.
    pub source: &'static str,
    /// The algorithm.
    pub scheme: SchemeKind,
    /// Number of axes.
    pub dims: usize,
    /// Element type.
    pub element: ElementKind,
    /// Name of the mapping to blocks.
    pub strategy: &'static str,
    /// How the text's header names the mapping.
    pub options: &'static str,
    /// Mode that plans begin with.
    pub mode: Mode,
    /// Levels that plans begin with.
    pub levels: usize,
}

/// A CUDA text from when the program was built, ready for plans.
#[derive(Debug)]
pub struct Generated {
    parts: GeneratedParts,
    wavelet: OnceLock<Wavelet>,
}

impl Generated {
    /// Takes the parts as they were written; what is wrong with them shows in [`Self::plan`].
    pub const fn new(parts: GeneratedParts) -> Self {
        Self { parts, wavelet: OnceLock::new() }
    }

    /// What the text was made from.
    pub fn parts(&self) -> &GeneratedParts {
        &self.parts
    }

    /// The wavelet.
    ///
    /// # Errors
    /// [`PlanError::Generated`] if its definition is no longer valid.
    pub fn wavelet(&self) -> Result<&Wavelet, PlanError> {
        if let Some(wavelet) = self.wavelet.get() {
            return Ok(wavelet);
        }
        let name = self.parts.wavelet;
        let wavelet = match self.parts.definition {
            Some(text) => definition::parse(text, name).map_err(refused)?,
            None => catalogue::wavelet(name).map_err(refused)?,
        };
        Ok(self.wavelet.get_or_init(|| wavelet))
    }

    /// Starts a plan for arrays of a shape, with the text's algorithm and mapping. On a card it runs
    /// the text's own functions; where some are missing, because the axes to be transformed lie
    /// otherwise in memory or another algorithm is asked for, the plan has a text of its own.
    ///
    /// # Errors
    /// [`PlanError::Generated`] if the text is for elements of another type, or not what this version
    /// of the generator writes.
    pub fn plan<T: Element>(&self, shape: &[usize]) -> Result<PlanBuilder<'_, T>, PlanError> {
        let GeneratedParts { scheme, mode, levels, element, .. } = self.parts;
        if element != T::KIND {
            let (element, asked) = (element.name(), T::KIND.name());
            return Err(refused(format!("it is for {element}, not for {asked}")));
        }
        self.kernels()?;
        let builder = Plan::<T>::builder(self.wavelet()?, shape).scheme(scheme).mode(mode);
        Ok(builder.levels(levels).strategy(self.strategy()?).generated(self))
    }

    /// The text for these kernels, if it has them all.
    pub(crate) fn source(&self, all: &Operations) -> Result<Option<CudaSource>, PlanError> {
        let (source, known) = self.kernels()?;
        let place = |kernel: &Proved| known.iter().position(|known| known == kernel);
        let functions = all.kernels.iter().map(|kernel| {
            let function = source.functions.get(place(kernel)?)?;
            Some(function.clone())
        });
        let functions = functions.collect::<Option<Vec<String>>>();
        Ok(functions.map(|functions| CudaSource { text: source.text.clone(), functions }))
    }

    fn strategy(&self) -> Result<Strategy, PlanError> {
        let name = self.parts.strategy;
        let named = Strategy::named(name)
            .ok_or_else(|| refused(format!("there is no strategy '{name}'")))?;
        // The text is for lines of any length: long ones would be walked along by kernels that it does not have.
        Ok(Strategy { stretch: Some(0), ..named })
    }

    /// The text as this version writes it, which must be the one at hand.
    fn kernels(&self) -> Result<(CudaSource, Vec<Proved>), PlanError> {
        let GeneratedParts { text, source, scheme, dims, element, levels, options, .. } =
            self.parts;
        let wavelet = self.wavelet()?;
        let (strategy, options) = (self.strategy()?, options.to_owned());
        let request =
            CudaRequest { wavelet, source, scheme, dims, element, levels, strategy, options };
        let (written, kernels) = cuda::module_kernels(&request)?;
        match written.text == text {
            true => Ok((written, kernels)),
            false => Err(refused("another version of the generator wrote it")),
        }
    }
}

fn refused(reason: impl ToString) -> PlanError {
    PlanError::Generated { reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waveloom_codegen::gpu::{OperationsRequest, operations};

    fn parts(text: &'static str) -> GeneratedParts {
        GeneratedParts {
            text,
            definition: None,
            wavelet: "bior4.4",
            source: "bior4.4",
            scheme: SchemeKind::SeparableLifting,
            dims: 2,
            element: ElementKind::F32,
            strategy: "shared",
            options: "--strategy shared",
            mode: Mode::Symmetric,
            levels: 3,
        }
    }

    fn written() -> GeneratedParts {
        let wavelet = catalogue::wavelet("bior4.4").unwrap();
        let scheme = SchemeKind::SeparableLifting;
        let request = CudaRequest { scheme, ..CudaRequest::new(&wavelet, 2) };
        parts(Box::leak(cuda::module(&request).unwrap().text.into_boxed_str()))
    }

    #[test]
    fn plans_find_their_functions() {
        let generated = Generated::new(written());
        let plan = generated.plan::<f32>(&[37, 50]).unwrap().build().unwrap();
        assert_eq!((plan.levels(), plan.mode()), (3, Mode::Symmetric));
        let wavelet = generated.wavelet().unwrap();
        let source = |shape: &[usize], axes: &[usize]| {
            let all = operations(&OperationsRequest {
                operations: &[],
                wavelet,
                kind: SchemeKind::SeparableLifting,
                shape,
                axes,
                mode: Mode::Smooth,
                origins: &[],
                levels: 2,
                align_rows: None,
                element: ElementKind::F32,
                strategy: Strategy::SHARED,
            });
            let all = all.unwrap();
            (generated.source(&all).unwrap(), all.kernels.len())
        };
        for (shape, axes) in
            [(&[37, 50][..], &[0, 1][..]), (&[5, 9, 12], &[1, 2]), (&[1, 64], &[0, 1])]
        {
            let (source, kernels) = source(shape, axes);
            let source = source.unwrap();
            assert_eq!(source.text, written().text);
            assert_eq!(source.functions.len(), kernels);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let refused = |parts: GeneratedParts| match Generated::new(parts).plan::<f32>(&[8, 8]) {
            Err(PlanError::Generated { reason }) => reason,
            other => panic!("{other:?}"),
        };
        assert!(refused(parts("// nothing")).contains("another version"));
        assert!(refused(GeneratedParts { wavelet: "bior9.9", ..written() }).contains("bior9.9"));
        assert!(refused(GeneratedParts { strategy: "tiled", ..written() }).contains("'tiled'"));
        let element = ElementKind::F64;
        assert!(refused(GeneratedParts { element, ..written() }).contains("not for f32"));
    }
}
