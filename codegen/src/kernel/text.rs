//! Kernels as text: one line per update.

use super::{Exchange, Kernel, Margin, Operation, Side, Step, Update};
use std::fmt;
use waveloom_wavelets::algebra::Exponent;

impl Operation {
    /// A name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Forward => "forward",
            Operation::Inverse => "inverse",
            Operation::AdjointForward => "adjoint of forward",
            Operation::AdjointInverse => "adjoint of inverse",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The kernel from load to store. `p0[+1]` is plane 0 one pair after the position of the step;
/// margins are pairs before and after the tile, per axis.
impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Kernel { operation, element, axes, .. } = self;
        writeln!(f, "{operation}, {}, {axes} axes, {} planes", element.name(), self.planes())?;
        writeln!(f, "load halo {}", margin(&self.halo, *axes))?;
        for (index, segment) in self.segments.iter().enumerate() {
            writeln!(f, "segment {} by {}", index + 1, segment.exchange.name())?;
            for step in &segment.steps {
                write_step(f, step, *axes)?;
            }
        }
        for (channel, output) in self.outputs.iter().enumerate() {
            let name = channel_name(operation.output(), channel, *axes);
            writeln!(f, "store {name} = {}", place(output.plane, &output.offset, *axes))?;
        }
        writeln!(f, "spread {}", margin(&self.spread, *axes))
    }
}

impl Exchange {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Exchange::Launch => "launch",
            Exchange::Global => "global",
            Exchange::Shared => "shared",
            Exchange::Recompute => "recompute",
            Exchange::Shuffle => "shuffle",
            Exchange::Stream => "stream",
            Exchange::Transpose => "transpose",
        }
    }
}

fn write_step(f: &mut fmt::Formatter<'_>, step: &Step, axes: usize) -> fmt::Result {
    let how = if step.in_place { "in place" } else { "out of place" };
    writeln!(f, "  {}, margin {}, {how}", step.kind, margin(&step.margin, axes))?;
    for update in &step.updates {
        writeln!(f, "    {}", update_line(update, axes))?;
    }
    Ok(())
}

fn update_line(update: &Update, axes: usize) -> String {
    let target = place(update.plane, &update.offset, axes);
    let mut sum = String::new();
    for (index, term) in update.terms.iter().enumerate() {
        let negative = term.coefficient < 0.0;
        sum.push_str(match (index, negative) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        });
        let read = place(term.plane, &term.offset, axes);
        match term.coefficient.abs() {
            1.0 => sum.push_str(&read),
            magnitude => sum.push_str(&format!("{magnitude:?} {read}")),
        }
    }
    if sum.is_empty() {
        sum.push('0');
    }
    match update.rounding {
        Some(rounded) => {
            let sign = if rounded.subtract { '-' } else { '+' };
            let (offset, shift) = (rounded.rounding.offset, rounded.rounding.shift);
            format!("{target} {sign}= floor({sum} + {offset} / 2^{shift})")
        }
        None if update.increment => format!("{target} += {sum}"),
        None => format!("{target} = {sum}"),
    }
}

fn place(plane: usize, offset: &Exponent, axes: usize) -> String {
    let parts: Vec<String> = offset[..axes]
        .iter()
        .map(|component| if *component == 0 { "0".to_owned() } else { format!("{component:+}") })
        .collect();
    format!("p{plane}[{}]", parts.join(","))
}

fn margin(margin: &Margin, axes: usize) -> String {
    let parts: Vec<String> =
        (0..axes).map(|axis| format!("{}+{}", margin.before[axis], margin.after[axis])).collect();
    parts.join(" ")
}

/// `ad` for a band, `x[0,1]` for a phase.
fn channel_name(side: Side, channel: usize, axes: usize) -> String {
    let bits = (0..axes).map(|axis| channel >> (axes - 1 - axis) & 1);
    match side {
        Side::Bands => bits.map(|bit| if bit == 1 { 'd' } else { 'a' }).collect(),
        Side::Signal => {
            let phases: Vec<String> = bits.map(|bit| bit.to_string()).collect();
            format!("x[{}]", phases.join(","))
        }
    }
}
