//! Adjoints: outputs beyond the ends, and folding them back.

use super::super::abi::View;
use super::super::pass::Fold;
use super::framed::Area;
use super::jobs::OutputSide;
use super::{Array, Builder, Launch};
use crate::kernel::{Margin, Side};
use waveloom_wavelets::extension::{Extension, ExtensionKind};
use waveloom_wavelets::geometry::{AxisGeometry, Span};

/// What a pass reads and writes, after widening.
pub(super) struct Sides {
    pub(super) geometry: Vec<AxisGeometry>,
    pub(super) whole: Array,
    pub(super) bands: Vec<Array>,
    pub(super) folds: Vec<Launch>,
    /// The pairs that are made, if these are not all.
    pub(super) area: Option<Area>,
}

impl Sides {
    /// The same arrays, of which only these pairs are made; there are no folds then.
    pub(super) fn within(&self, area: Area) -> Self {
        Self {
            geometry: self.geometry.clone(),
            whole: self.whole.clone(),
            bands: self.bands.clone(),
            folds: Vec::new(),
            area: Some(area),
        }
    }
}

impl Builder<'_> {
    /// For adjoints whose output side has an extension: widens the outputs, by what a kernel spreads, into temporary
    /// arrays and lists the folds that bring them back.
    pub(super) fn extended(
        &mut self,
        spread: Margin,
        geometry: &[AxisGeometry],
        array_axes: &[usize],
        whole: &Array,
        bands: &[Array],
    ) -> Sides {
        let operation = self.request.operation;
        let mut sides = Sides {
            geometry: geometry.to_vec(),
            whole: whole.clone(),
            bands: bands.to_vec(),
            folds: Vec::new(),
            area: None,
        };
        if !operation.is_adjoint() {
            return sides;
        }
        let output_signal = operation.output() == Side::Signal;
        for (i, axis) in sides.geometry.iter_mut().enumerate() {
            let rule = if output_signal { &axis.signal_extension } else { &axis.band_extension };
            if rule.kind() == ExtensionKind::Zero {
                continue;
            }
            let (before, after) = (i64::from(spread.before[i]), i64::from(spread.after[i]));
            let input = if output_signal { axis.bands() } else { axis.signal };
            let first = input.start.div_euclid(2) - before;
            let end = (input.end() + 1).div_euclid(2) + after;
            if output_signal {
                axis.signal = cover(axis.signal, 2 * first, 2 * end);
            } else {
                axis.low = cover(axis.low, first, end);
                axis.high = cover(axis.high, first, end);
            }
        }
        let widened = |array: &Array, channel: Option<usize>| -> Vec<usize> {
            let mut shape = array.shape.clone();
            for (i, axis) in array_axes.iter().enumerate() {
                shape[*axis] = sides.geometry[i].output(channel, i, array_axes.len()).len;
            }
            shape
        };
        let widened: Vec<(Option<usize>, Array, Vec<usize>)> = if output_signal {
            vec![(None, whole.clone(), widened(whole, None))]
        } else {
            let each = bands.iter().enumerate();
            each.map(|(c, band)| (Some(c), band.clone(), widened(band, Some(c)))).collect()
        };
        for (channel, target, shape) in widened {
            if shape == target.shape {
                continue;
            }
            let wide = self.temporary(shape);
            match channel {
                None => sides.whole = wide.clone(),
                Some(channel) => sides.bands[channel] = wide.clone(),
            }
            let folds = self.folds(&sides.geometry, geometry, array_axes, channel, wide, &target);
            sides.folds.extend(folds);
        }
        sides
    }

    /// Folds one wide array into its target, axis by axis.
    fn folds(
        &mut self,
        wide_geometry: &[AxisGeometry],
        geometry: &[AxisGeometry],
        array_axes: &[usize],
        channel: Option<usize>,
        wide: Array,
        target: &Array,
    ) -> Vec<Launch> {
        let mut current = wide;
        let mut folds = Vec::new();
        let todo: Vec<usize> = (0..array_axes.len())
            .filter(|i| current.shape[array_axes[*i]] != target.shape[array_axes[*i]])
            .collect();
        for (position, i) in todo.iter().enumerate() {
            let axis = array_axes[*i];
            let mut shape = current.shape.clone();
            shape[axis] = target.shape[axis];
            let last = position + 1 == todo.len();
            let to = if last { target.clone() } else { self.temporary(shape) };
            let from_span = wide_geometry[*i].output(channel, *i, array_axes.len());
            let to_span = geometry[*i].output(channel, *i, array_axes.len());
            let (rule, base): (Extension, i64) = match channel {
                None => (geometry[*i].signal_extension, geometry[*i].signal.start),
                Some(_) => (geometry[*i].band_extension, geometry[*i].bands().start),
            };
            let (step, phase) = match channel {
                None => (1, 0),
                Some(channel) => (2, ((channel >> (array_axes.len() - 1 - i)) & 1) as i64),
            };
            let outer = current.shape[..axis].iter().product::<usize>() as i64;
            let lanes = current.shape[axis + 1..].iter().product::<usize>() as i64;
            let view = |array: &Array| View {
                buffer: array.buffer,
                offset: array.offset as i64,
                outer: [array.stride_before(axis), 0, 0],
                axes: [array.stride(axis), 0, 0],
            };
            if outer * lanes > 0 && to.shape[axis] > 0 {
                folds.push(Launch::Fold(Fold {
                    from: view(&current),
                    to: view(&to),
                    outer,
                    lanes,
                    from_len: from_span.len as i64,
                    to_len: to_span.len as i64,
                    first: step * from_span.start + phase - base,
                    to_first: step * to_span.start + phase - base,
                    step,
                    extension: rule.kind(),
                    len: rule.len() as i64,
                }));
            }
            current = to;
        }
        folds
    }
}

fn cover(span: Span, first: i64, end: i64) -> Span {
    let start = span.start.min(first);
    Span { start, len: (span.end().max(end) - start) as usize }
}
