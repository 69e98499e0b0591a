//! The commands, one file each.

mod adjoint;
pub mod analysis;
mod batch;
mod check;
mod compress;
mod demo;
mod devices;
mod emit;
mod forward;
mod inverse;
mod list;
mod show;
mod synthesis;
mod tune;

use crate::args::Command;
use crate::bench;
use crate::console::Console;
use crate::error::End;
use crate::session::Session;

/// Carries out a command.
pub fn run(command: &Command, session: &mut Session, console: &mut Console<'_>) -> Result<(), End> {
    match command {
        Command::List => list::run(console),
        Command::Show(args) => show::run(args, session, console),
        Command::Check(args) => check::run(args, console),
        Command::Emit(args) => emit::run(args, session, console),
        Command::Forward(args) => forward::run(args, session, console),
        Command::Inverse(args) => inverse::run(args, session, console),
        Command::Adjoint(args) => adjoint::run(args, session, console),
        Command::Batch(args) => batch::run(args, session, console),
        Command::Devices(args) => devices::run(args, session, console),
        Command::Bench(args) => bench::run(args, session, console),
        Command::Tune(args) => tune::run(args, session, console),
        Command::Compress(args) => compress::run(args, session, console),
        Command::Demo(args) => demo::run(args, session, console),
    }
}
