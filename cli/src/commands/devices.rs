//! `waveloom devices`

use crate::console::Console;
use crate::error::End;
use waveloom::device::{Description, Device};

/// Lists what can compute, and why a card cannot.
pub fn run(console: &mut Console<'_>) -> Result<(), End> {
    for device in Device::list() {
        console.line(line(&device))?;
    }
    Ok(())
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
