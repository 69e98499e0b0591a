//! Numbers in words.

/// The middle of some numbers, and their quartiles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spread {
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

/// Sorts and picks; zeros for an empty list.
pub fn spread(mut values: Vec<f64>) -> Spread {
    values.sort_by(f64::total_cmp);
    let at = |part: f64| {
        let index = (part * values.len().saturating_sub(1) as f64).round() as usize;
        values.get(index).copied().unwrap_or_default()
    };
    Spread { low: at(0.25), median: at(0.5), high: at(0.75) }
}

/// Runs something that must not end the program.
pub fn guarded<R>(work: impl FnOnce() -> Result<R, String>) -> Result<R, String> {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
        Ok(outcome) => outcome,
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            Err(format!("panicked: {}", text.unwrap_or_default()))
        }
    }
}

/// One line at once.
pub fn say(text: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    // Nobody to tell if nobody listens.
    let _ = writeln!(out, "{text}");
    let _ = out.flush();
}
