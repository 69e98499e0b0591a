//! `waveloom devices`

use crate::args::DevicesArgs;
use crate::console::Console;
use crate::error::End;
use crate::session::Session;
use waveloom::codegen::Element;
use waveloom::codegen::gpu::Architecture;
use waveloom::device::{Description, Device, Selection};

/// Lists what can compute, and why a card cannot, or says it of the device that was chosen; or lists
/// what untuned plans take.
pub fn run(
    args: &DevicesArgs,
    session: &mut Session,
    console: &mut Console<'_>,
) -> Result<(), End> {
    if args.defaults {
        for architecture in Architecture::KNOWN {
            console.line(defaults(&architecture))?;
        }
        return Ok(());
    }
    let chosen = session.device;
    if chosen != Selection::Auto {
        // One that cannot be used is an error, as for every other command.
        session.open_device()?;
    }
    for device in Device::list() {
        if chosen == Selection::Auto || chosen == device.selection {
            console.line(line(&device))?;
        }
    }
    Ok(())
}

/// Capability, name, and the strategy of 4-byte values and of 8-byte ones where it is another.
fn defaults(architecture: &Architecture) -> String {
    let (major, minor) = (architecture.capability / 10, architecture.capability % 10);
    let [single, double] = [Element::F32, Element::F64].map(|one| architecture.strategy(one));
    let mut line = format!("{major:>2}.{minor} {:10} {single}", architecture.name);
    if single != double {
        line += &format!(" (f64 and i64: {double})");
    }
    line
}

fn line(device: &Description) -> String {
    let facts = match (&device.unusable, &device.limits) {
        (Some(error), _) => {
            let reason = error.to_string();
            let words: Vec<&str> = reason.split_whitespace().collect();
            format!("cannot be used: {}", words.join(" "))
        }
        (None, Some(limits)) => {
            let (major, minor) = (limits.capability / 10, limits.capability % 10);
            format!("{}, compute capability {major}.{minor}", device.name)
        }
        (None, None) => device.name.clone(),
    };
    format!("{:8} {facts}", device.selection.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_told_architecture_by_architecture() {
        let lines = Architecture::KNOWN.map(|known| defaults(&known));
        assert_eq!(
            lines[4],
            " 9.0 Hopper     --strategy stream (f64 and i64: --strategy stream --depth 3)"
        );
        assert_eq!(
            lines[2],
            " 8.6 Ampere     --strategy stream --depth 3 (f64 and i64: --strategy stream --depth 2)"
        );
    }
}
