//! Scaling without a pass of its own.
//!
//! A lifting ends (and its inverse begins) with a gain per channel. Here each gain moves into the
//! coefficients of the channel's last update before it, or of the first update behind it; whoever
//! reads the channel in between gets coefficients divided accordingly. Values change by rounding
//! only, and a channel is read and written once less.

use waveloom_codegen::kernel::{Kernel, Step, Term, Update};

/// The kernel without gains of their own. Kernels that round are left as they are.
pub(crate) fn absorb_gains(kernel: &Kernel) -> Kernel {
    let mut steps: Vec<Step> = kernel.steps().cloned().collect();
    if steps.iter().flat_map(|step| &step.updates).any(|update| update.rounding.is_some()) {
        return kernel.clone();
    }
    let gains: Vec<Vec<Option<f64>>> =
        steps.iter().map(|s| s.updates.iter().map(gain).collect()).collect();
    let after: Vec<Option<(usize, f64)>> =
        (0..kernel.planes()).map(|plane| behind_last_update(&steps, &gains, plane)).collect();
    // A plane's true value is its factor times what stands in the buffer.
    let mut factors = vec![1.0; kernel.planes()];
    for (index, step) in steps.iter_mut().enumerate() {
        let before = factors.clone();
        let mut kept = Vec::with_capacity(step.updates.len());
        for (update, gain) in step.updates.iter().zip(&gains[index]) {
            let plane = update.plane;
            match (*gain, after[plane]) {
                (Some(gain), Some(_)) => factors[plane] *= gain,
                (_, last) => {
                    let scale = match last {
                        Some((at, total)) if at == index => total,
                        _ => 1.0,
                    };
                    factors[plane] = 1.0 / scale;
                    kept.push(scaled(update, &before, scale));
                }
            }
        }
        step.updates = kept;
    }
    steps.retain(|step| !step.updates.is_empty());
    let mut absorbed = kernel.clone();
    absorbed.segments.truncate(1);
    if let Some(segment) = absorbed.segments.first_mut() {
        segment.steps = steps;
    }
    absorbed
}

/// The factor of an update that only scales its plane.
fn gain(update: &Update) -> Option<f64> {
    match update.terms.as_slice() {
        [term]
            if !update.increment && term.plane == update.plane && term.offset == update.offset =>
        {
            Some(term.coefficient)
        }
        _ => None,
    }
}

/// The last step that updates a plane otherwise than by a gain, and the product of the gains behind
/// it; `None` if there is no such step or the product cannot be divided by.
fn behind_last_update(
    steps: &[Step],
    gains: &[Vec<Option<f64>>],
    plane: usize,
) -> Option<(usize, f64)> {
    let mut total = 1.0_f64;
    for (index, step) in steps.iter().enumerate().rev() {
        for (update, gain) in step.updates.iter().zip(&gains[index]) {
            if update.plane != plane {
                continue;
            }
            match gain {
                Some(gain) => total *= gain,
                None => return (total.is_normal() && total.abs() < 1e6).then_some((index, total)),
            }
        }
    }
    None
}

/// The update on scaled planes, its result times `scale`.
fn scaled(update: &Update, factors: &[f64], scale: f64) -> Update {
    let mut terms: Vec<Term> = update
        .terms
        .iter()
        .map(|term| Term { coefficient: term.coefficient * factors[term.plane] * scale, ..*term })
        .collect();
    let own = factors[update.plane] * scale;
    let increment = update.increment && own == 1.0;
    if update.increment && !increment {
        terms.push(Term { plane: update.plane, offset: update.offset, coefficient: own });
    }
    Update { terms, increment, ..update.clone() }
}
