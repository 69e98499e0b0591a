//! The form `[lifting]`: steps, gains, advances.

use super::node::{Node, Place, Reader, Table};
use super::number::{Number, is_affordable};
use super::taps::placed;
use crate::algebra::Rational;
use crate::lifting::{BandOutput, Channel, Lifting, LiftingStep, Rounding};
use crate::verify::{ExactLifting, ExactOutput, ExactStep, FARTHEST_POSITION, MOST_FACTORS};
use crate::wavelet::{Options, Wavelet};
use num_traits::One;
use std::collections::BTreeMap;

/// The names of the channels: of their samples, or of the band they become.
const CHANNELS: [(&str, Channel); 4] =
    [("even", Channel::Even), ("odd", Channel::Odd), ("a", Channel::Even), ("d", Channel::Odd)];

/// Limits of rounding; see [`crate::verify::check_lifting`].
const LARGEST_SHIFT: i64 = 30;
const LARGEST_OFFSET: i64 = 1 << 40;
const LARGEST_WHOLE: i64 = 1 << 31;

struct Step {
    place: Place,
    target: Channel,
    taps: BTreeMap<i32, Number>,
    rounding: Option<Rounding>,
}

/// A lifting as it was read.
pub(super) struct Lifted {
    steps: Vec<Step>,
    gains: [Number; 2],
    advances: [i32; 2],
    swap: bool,
}

/// Reads the table.
pub(super) fn read(reader: &mut Reader, mut table: Table) -> Option<Lifted> {
    let steps = table.need(reader, "steps").and_then(|node| steps(reader, &node));
    let gains_node = table.take("gains");
    let gains = match &gains_node {
        Some(node) => gains(reader, node),
        None => Some([0, 1].map(|_| Number::Exact(Rational::one()))),
    };
    let advances = advances(reader, &mut table);
    let swap = match table.take("swap") {
        Some(node) => node.boolean(reader),
        None => Some(false),
    };
    table.finish(reader);
    let (steps, gains) = (steps?, gains?);
    let rounded = steps.iter().any(|step| step.rounding.is_some());
    let scaled = rounded && gains.iter().any(|gain| gain.to_f64() != 1.0);
    if let Some(node) = gains_node.filter(|_| scaled) {
        reader.report(&node.place, "a rounded lifting has no final scaling; expected [1, 1]");
    }
    Some(Lifted { steps, gains, advances: advances?, swap: swap? })
}

/// Two numbers that are not zero.
fn gains(reader: &mut Reader, node: &Node) -> Option<[Number; 2]> {
    let gains = node.tuple::<2>(reader)?;
    if gains.iter().any(Number::is_zero) {
        reader.report(&node.place, "a gain of 0 could not be inverted");
        return None;
    }
    Some(gains)
}

/// The key `advances`, by default `[0, 0]`.
pub(super) fn advances(reader: &mut Reader, table: &mut Table) -> Option<[i32; 2]> {
    let Some(node) = table.take("advances") else {
        return Some([0, 0]);
    };
    let far = i64::from(FARTHEST_POSITION);
    let items = node.array(reader, "an array of two whole numbers")?;
    let advances: Vec<_> = items.iter().map(|item| item.integer(reader, -far..=far)).collect();
    match advances.as_slice() {
        [Some(low), Some(high)] => Some([*low as i32, *high as i32]),
        [_, _] => None,
        _ => {
            reader.report(&node.place, format!("expected 2 numbers, got {}", advances.len()));
            None
        }
    }
}

fn steps(reader: &mut Reader, node: &Node) -> Option<Vec<Step>> {
    let nodes = node.array(reader, "an array of steps, [[lifting.steps]]")?;
    if nodes.len() > MOST_FACTORS {
        let message = format!("has {} steps; at most {MOST_FACTORS} are supported", nodes.len());
        reader.report(&node.place, message);
        return None;
    }
    let steps: Vec<_> = nodes.iter().map(|node| step(reader, node)).collect();
    let mut steps: Vec<Step> = steps.into_iter().collect::<Option<_>>()?;
    if steps.iter().any(|step| step.rounding.is_some()) {
        for step in steps.iter_mut().filter(|step| step.rounding.is_none()) {
            step.rounding = Some(Rounding { offset: 0, shift: 0 });
            if step.taps.values().any(|tap| whole(tap, 0).is_none()) {
                let message = "is not rounded although other steps are; give it a shift, or whole numbers as taps";
                reader.report(&step.place, message);
            }
        }
    }
    Some(steps)
}

fn step(reader: &mut Reader, node: &Node) -> Option<Step> {
    let what = "a step such as { target = \"odd\", first = 0, taps = [\"-1/2\", \"-1/2\"] }";
    let mut table = node.table(reader, what)?;
    let target = table.need(reader, "target").and_then(|node| node.choice(reader, &CHANNELS));
    let (first, taps_node) = placed(reader, &mut table);
    let taps = taps_node.as_ref().and_then(|node| node.numbers(reader));
    let shift = table.take("shift");
    let shift_place = shift.as_ref().map(|node| node.place.clone());
    let shift = shift.and_then(|node| node.integer(reader, 0..=LARGEST_SHIFT));
    let offset = table.take("offset").and_then(|node| {
        if shift_place.is_none() {
            reader.report(&node.place, "an offset needs a shift beside it");
        }
        node.integer(reader, -LARGEST_OFFSET..=LARGEST_OFFSET)
    });
    table.finish(reader);
    let taps = taps?;
    let far = FARTHEST_POSITION.unsigned_abs() as usize;
    if taps.len() > far {
        let message = format!("has {} taps; at most {far} are supported", taps.len());
        reader.report(&node.place, message);
        return None;
    }
    let rounding = shift.map(|shift| Rounding { offset: offset.unwrap_or(0), shift: shift as u32 });
    if let (Some(rounding), Some(taps_node)) = (rounding, taps_node) {
        let items = taps_node.array(reader, "an array of numbers")?;
        for (item, tap) in items.iter().zip(&taps) {
            if whole(tap, rounding.shift).is_none() {
                let message = format!(
                    "a rounded step needs multiples of 2^-{} of at most {LARGEST_WHOLE}/2^{}, got {}",
                    rounding.shift,
                    rounding.shift,
                    tap.to_f64()
                );
                reader.report(&item.place, message);
            }
        }
    }
    let taps = (first?..).zip(taps).filter(|(_, tap)| !tap.is_zero()).collect();
    Some(Step { place: node.place.clone(), target: target?, taps, rounding })
}

/// `tap · 2^shift`, if that is an integer of a supported size.
fn whole(tap: &Number, shift: u32) -> Option<i64> {
    let scaled = tap.to_f64() * 2.0_f64.powi(shift as i32);
    let is_whole = match tap {
        Number::Exact(value) => {
            (value * Rational::from_integer((1_i64 << shift).into())).is_integer()
        }
        Number::Float(_) => scaled.fract() == 0.0,
    };
    (is_whole && scaled.abs() <= LARGEST_WHOLE as f64).then_some(scaled as i64)
}

impl Lifted {
    /// Multiplies the bank out and measures it: exactly if every number is exact.
    pub(super) fn verify(&self, name: &str, options: &Options) -> Result<Wavelet, String> {
        let exact = self.exact().filter(|lifting| {
            let factors = lifting.steps.iter().map(|step| step.taps.values().collect::<Vec<_>>());
            is_affordable(factors.chain([vec![&lifting.low.gain, &lifting.high.gain]]))
        });
        let verified = match exact {
            Some(lifting) => Wavelet::from_exact_lifting(name, &lifting, options),
            None => Wavelet::from_lifting(name, self.rounded(), options),
        };
        verified.map_err(|error| error.to_string())
    }

    fn channels(&self) -> [Channel; 2] {
        match self.swap {
            false => [Channel::Even, Channel::Odd],
            true => [Channel::Odd, Channel::Even],
        }
    }

    fn exact(&self) -> Option<ExactLifting> {
        let channels = self.channels();
        let output = |band: usize| {
            let gain = self.gains[band].exact()?.clone();
            Some(ExactOutput { channel: channels[band], advance: self.advances[band], gain })
        };
        let steps = self.steps.iter().map(|step| {
            let taps = step.taps.iter().map(|(e, tap)| Some((*e, tap.exact()?.clone())));
            let taps = taps.collect::<Option<_>>()?;
            Some(ExactStep { target: step.target, taps, rounding: step.rounding })
        });
        let steps = steps.collect::<Option<_>>()?;
        Some(ExactLifting { steps, low: output(0)?, high: output(1)? })
    }

    fn rounded(&self) -> Lifting {
        let channels = self.channels();
        let output = |band: usize| BandOutput {
            channel: channels[band],
            advance: self.advances[band],
            gain: self.gains[band].to_f64(),
        };
        let steps = self.steps.iter().map(|step| LiftingStep {
            target: step.target,
            taps: step.taps.iter().map(|(e, tap)| (*e, tap.to_f64())).collect(),
            rounding: step.rounding,
        });
        Lifting { steps: steps.collect(), low: output(0), high: output(1) }
    }
}
