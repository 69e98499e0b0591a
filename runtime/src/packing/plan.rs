//! Packed arrays of plans and coefficients.

use super::{Layout, PackError, Packing};
use crate::element::Element;
use crate::plan::{Coefficients, Plan};
use ndarray::{ArrayD, ArrayViewD, IxDyn};

impl<T: Element> Plan<T> {
    /// Where the plan's bands stand in one array.
    ///
    /// # Errors
    /// [`PackError::NotInPlace`] for a mixed layout of a transform that has more coefficients than
    /// samples on some axis of some level.
    pub fn packing(&self, layout: Layout) -> Result<Packing, PackError> {
        match layout {
            Layout::Mallat => Packing::mallat(self.bands(), self.axes(), 0),
            Layout::Mixed => {
                let (origin, geometry) = (self.origin(), self.geometry());
                Packing::mixed(self.bands(), self.axes(), self.shape(), origin, geometry)
            }
        }
    }
}

impl<T: Element> Coefficients<T> {
    /// All bands in one array. See [`Layout`] for its shape.
    ///
    /// # Errors
    /// Those of [`Plan::packing`].
    pub fn packed(&self, layout: Layout) -> Result<ArrayD<T>, PackError> {
        let packing = self.plan().packing(layout)?;
        let mut packed = vec![T::default(); packing.len()];
        packing.pack(self.values(), &mut packed)?;
        let got = packed.len();
        ArrayD::from_shape_vec(IxDyn(packing.shape()), packed)
            .map_err(|_| packing.length("packed array", got))
    }

    /// Coefficients from one array, of any strides.
    ///
    /// # Errors
    /// Those of [`Plan::packing`]; an array of another shape.
    pub fn from_packed(
        plan: &Plan<T>,
        layout: Layout,
        packed: ArrayViewD<'_, T>,
    ) -> Result<Self, PackError> {
        let packing = plan.packing(layout)?;
        if packed.shape() != packing.shape() {
            let (expected, got) = (packing.shape().to_vec(), packed.shape().to_vec());
            return Err(PackError::Shape { expected, got });
        }
        let mut values = vec![T::default(); plan.coefficient_len()];
        let packed = packed.as_standard_layout();
        packing.unpack(packed.as_slice().unwrap_or_default(), &mut values)?;
        Ok(Self::of_plan(plan, values))
    }
}
