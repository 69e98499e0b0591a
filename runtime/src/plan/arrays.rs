//! The front for `ndarray`: arrays of any strides in, owned arrays out.

use super::Plan;
use crate::element::Element;
use crate::error::ExecuteError;
use ndarray::{ArrayD, ArrayView, ArrayViewD, Dimension, IxDyn};
use waveloom_codegen::kernel::Operation;
use waveloom_wavelets::geometry::Band;

/// All bands of a transformed array, with the plan that made them.
#[derive(Clone, Debug)]
pub struct Coefficients<T: Element> {
    plan: Plan<T>,
    values: Vec<T>,
}

impl<T: Element> Coefficients<T> {
    /// Coefficients from a plan's flat buffer.
    ///
    /// # Errors
    /// The number of values is not the plan's.
    pub fn new(plan: &Plan<T>, values: Vec<T>) -> Result<Self, ExecuteError> {
        let (expected, got) = (plan.coefficient_len(), values.len());
        match expected == got {
            true => Ok(Self { plan: plan.clone(), values }),
            false => Err(ExecuteError::Length { what: "coefficients", expected, got }),
        }
    }

    /// Values that are known to be as many as the plan's.
    pub(crate) fn of_plan(plan: &Plan<T>, values: Vec<T>) -> Self {
        Self { plan: plan.clone(), values }
    }

    /// Coefficients from single bands by key. Bands that are absent, and those without elements, are
    /// zero; an approximation that is one sample longer than the plan's on any transformed axis
    /// loses that sample (PyWavelets' rule for coefficients of unknown origin).
    ///
    /// # Errors
    /// A key that the plan does not have, a band of another shape.
    pub fn from_bands<'a>(
        plan: &Plan<T>,
        bands: impl IntoIterator<Item = (&'a str, ArrayViewD<'a, T>)>,
    ) -> Result<Self, ExecuteError> {
        let mut values = vec![T::default(); plan.coefficient_len()];
        for (key, array) in bands {
            let Some(band) = plan.band(key) else {
                let known = plan.bands().iter().map(|band| band.key.clone()).collect();
                return Err(ExecuteError::UnknownBand { key: key.to_owned(), known });
            };
            if array.is_empty() {
                continue;
            }
            let trimmed = trim(plan, band, array.clone());
            if trimmed.shape() != band.shape {
                let (expected, got) = (band.shape.clone(), array.shape().to_vec());
                return Err(ExecuteError::Shape { what: format!("band {key}"), expected, got });
            }
            let out = &mut values[band.offset..band.offset + band.len];
            for (out, value) in out.iter_mut().zip(trimmed) {
                *out = *value;
            }
        }
        Ok(Self { plan: plan.clone(), values })
    }

    /// The plan.
    pub fn plan(&self) -> &Plan<T> {
        &self.plan
    }

    /// All values, band after band.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The same, to change (thresholding, weighting).
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// The values alone.
    pub fn into_values(self) -> Vec<T> {
        self.values
    }

    /// A band by its key.
    pub fn band(&self, key: &str) -> Option<ArrayViewD<'_, T>> {
        self.plan.band(key).and_then(|band| self.view(band))
    }

    /// Every band with its key, coarsest first.
    pub fn bands(&self) -> impl Iterator<Item = (&str, ArrayViewD<'_, T>)> {
        let bands = self.plan.bands().iter();
        bands.filter_map(|band| Some((band.key.as_str(), self.view(band)?)))
    }

    fn view(&self, band: &Band) -> Option<ArrayViewD<'_, T>> {
        let values = self.values.get(band.offset..band.offset + band.len)?;
        ArrayView::from_shape(IxDyn(&band.shape), values).ok()
    }
}

/// Drops an approximation's surplus last sample on the transformed axes.
fn trim<'a, T: Element>(
    plan: &Plan<T>,
    band: &Band,
    mut array: ArrayViewD<'a, T>,
) -> ArrayViewD<'a, T> {
    if band.channel == 0 && array.ndim() == band.shape.len() {
        for axis in plan.axes() {
            if array.shape()[*axis] == band.shape[*axis] + 1 {
                array.slice_axis_inplace(ndarray::Axis(*axis), ndarray::Slice::from(..-1));
            }
        }
    }
    array
}

impl<T: Element> Plan<T> {
    /// [`Plan::forward`] of an array of any strides. Allocates result and workspace.
    ///
    /// # Errors
    /// An array of another shape, and those of [`Plan::forward`].
    pub fn forward_array<D: Dimension>(
        &self,
        signal: ArrayView<'_, T, D>,
    ) -> Result<Coefficients<T>, ExecuteError> {
        self.analyse_array(Operation::Forward, signal.into_dyn())
    }

    /// [`Plan::adjoint_of_inverse`] of an array of any strides. Allocates result and workspace.
    ///
    /// # Errors
    /// An array of another shape, and those of [`Plan::adjoint_of_inverse`].
    pub fn adjoint_of_inverse_array<D: Dimension>(
        &self,
        signal: ArrayView<'_, T, D>,
    ) -> Result<Coefficients<T>, ExecuteError> {
        self.analyse_array(Operation::AdjointInverse, signal.into_dyn())
    }

    /// [`Plan::inverse`] of coefficients. Allocates result and workspace.
    ///
    /// # Errors
    /// Coefficients of a plan with other bands, and those of [`Plan::inverse`].
    pub fn inverse_array(&self, coefficients: &Coefficients<T>) -> Result<ArrayD<T>, ExecuteError> {
        self.synthesise_array(Operation::Inverse, coefficients)
    }

    /// [`Plan::adjoint`] of coefficients. Allocates result and workspace.
    ///
    /// # Errors
    /// Coefficients of a plan with other bands, and those of [`Plan::adjoint`].
    pub fn adjoint_array(&self, coefficients: &Coefficients<T>) -> Result<ArrayD<T>, ExecuteError> {
        self.synthesise_array(Operation::AdjointForward, coefficients)
    }

    fn analyse_array(
        &self,
        operation: Operation,
        signal: ArrayViewD<'_, T>,
    ) -> Result<Coefficients<T>, ExecuteError> {
        if signal.shape() != self.shape() {
            let (expected, got) = (self.shape().to_vec(), signal.shape().to_vec());
            return Err(ExecuteError::Shape { what: "signal".to_owned(), expected, got });
        }
        let mut values = vec![T::default(); self.coefficient_len()];
        let mut workspace = self.workspace();
        let signal = signal.as_standard_layout();
        let flat = signal.as_slice().unwrap_or_default();
        self.execute(operation, flat, &mut values, &mut workspace)?;
        Ok(Coefficients { plan: self.clone(), values })
    }

    fn synthesise_array(
        &self,
        operation: Operation,
        coefficients: &Coefficients<T>,
    ) -> Result<ArrayD<T>, ExecuteError> {
        if coefficients.plan.bands() != self.bands() {
            return Err(ExecuteError::ForeignCoefficients);
        }
        let mut signal = ArrayD::from_elem(IxDyn(self.shape()), T::default());
        let mut workspace = self.workspace();
        if let Some(flat) = signal.as_slice_mut() {
            self.execute(operation, &coefficients.values, flat, &mut workspace)?;
        }
        Ok(signal)
    }
}
