//! `waveloom show`

mod json;
mod schemes;
pub mod text;

use super::analysis::check_picture;
use crate::args::ShowArgs;
use crate::console::Console;
use crate::error::{End, Failure};
use crate::plot;
use crate::session::Session;

/// Prints a wavelet as text or JSON; draws it if asked.
pub fn run(args: &ShowArgs, session: &mut Session, console: &mut Console<'_>) -> Result<(), End> {
    if let Some(path) = &args.plot {
        check_picture(path, "--plot")?;
    }
    let chosen = session.wavelet(&args.wavelet, None)?;
    if let Some(path) = &args.plot {
        console.during("drawing", || plot::draw(path, &chosen.wavelet))?;
    }
    if args.json {
        let text = serde_json::to_string_pretty(&json::Shown::of(&chosen.wavelet));
        console.line(text.map_err(Failure::plain)?)?;
    } else {
        console.print(&text::long(&chosen.wavelet))?;
    }
    if let Some(path) = args.plot.as_ref().filter(|_| !args.json) {
        console.remark(format!("\ndrawn into {}", path.display()))?;
    }
    Ok(())
}
