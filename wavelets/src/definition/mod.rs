//! Definition files: one wavelet each, in TOML.
//!
//! ```toml
//! name = "mine"                # optional, default: the file's name
//! default_mode = "jpeg2000"    # optional, default: "symmetric"
//! even_lengths = false         # optional: whether only even lengths may be transformed
//! axis_order = "first-to-last" # optional: order of axes of a rounded transform, or "last-to-first"
//! approximate = false          # optional: whether a reconstruction defect up to 1e-2 is meant
//!
//! [taps]                       # or [lifting], or [lattice]: exactly one of the three
//! lo = { first = -2, taps = ["-1/8", "1/4", "3/4", "1/4", "-1/8"] }
//! hi = { first = 0, taps = ["-1/2", 1, "-1/2"] }
//! ```
//!
//! **Numbers** are floats (`0.25`), integers, or exact strings: decimals (`"-0.5"`, `"1e-3"`) and
//! fractions (`"9/16"`). A definition without floats is verified in exact arithmetic.
//!
//! **`[taps]`**: PyWavelets' arrays `dec_lo, dec_hi, rec_lo, rec_hi`, equally long; or tables
//! `lo, hi, rec_lo, rec_hi` with `taps` and the position `first` of the first of them (default 0),
//! meaning `a[k] = Σ_j lo.taps[j] x[2k + lo.first + j]`, `d[k]` likewise with `hi`, and
//! `x[2k + first + j] += rec_lo.taps[j] a[k]`. Synthesis may be left out (it is then the exact
//! inverse), and for an orthogonal wavelet also the high-pass filter.
//!
//! **`[lifting]`**: `steps`, each with `target` (`"even"` or `"odd"`; `"a"` and `"d"` mean the same),
//! `taps` and the exponent `first` of the first of them (default 0), meaning
//! `target[k] += Σ_j taps[j] other[k + first + j]` on `even[k] = x[2k]`, `odd[k] = x[2k+1]`. With
//! `shift` (and `offset`, default 0) the increment is `floor((Σ n_j other[k+first+j] + offset) /
//! 2^shift)` with the integers `n_j = taps[j] 2^shift`. At the end
//! `a[k] = gains[0] even[k + advances[0]]`, `d[k] = gains[1] odd[k + advances[1]]` (defaults 1 and
//! 0), or with `swap = true` the other way round.
//!
//! **`[lattice]`**: `stages`, input side first, each a matrix `[[p, q], [r, s]]`, or
//! `{ t = …, s = … }` for `[[1, t], [s, 1]]`, or `{ degrees = … }` or `{ radians = … }` for the
//! rotation `[[cos, sin], [-sin, cos]]`; and `final`, one more such matrix. The first stage acts on
//! `(even, odd)`; between two stages stands the exchange `(u, v) -> (v, z u)`, with `z` the advance
//! by one pair. Optional: `advances` of the bands, and `lead = { target = "low", first, taps }`, a
//! lifting step of one band by the other after `final`.

mod lattice;
mod lifting;
mod node;
mod number;
mod problem;
mod taps;
mod write;

pub use problem::{DefinitionErrors, Problem};
pub use write::{ExportError, Form, to_toml};

use crate::extension::Mode;
use crate::wavelet::{AxisOrder, Options, Wavelet};
use node::{Place, Reader, Table};
use toml::de::DeTable;

/// The longest definition that is read, in bytes.
const LONGEST_TEXT: usize = 1 << 20;

/// The longest name of a wavelet, in bytes.
const LONGEST_NAME: usize = 80;

/// A wavelet in one of the forms, read but not verified.
enum Definition {
    Taps(taps::Taps),
    Lifting(lifting::Lifted),
    Lattice(lattice::Staged),
}

impl Definition {
    fn verify(&self, name: &str, options: &Options) -> Result<Wavelet, String> {
        match self {
            Definition::Taps(taps) => taps.verify(name, options),
            Definition::Lifting(lifting) => lifting.verify(name, options),
            Definition::Lattice(lattice) => lattice.verify(name, options),
        }
    }
}

/// Reads and verifies a definition. `fallback_name` is the wavelet's name if the text gives none.
///
/// # Errors
/// Every problem that was found, with its line: in the text's form; or, if that is in order, in
/// what it says, for example the identity of perfect reconstruction that does not hold.
pub fn parse(text: &str, fallback_name: &str) -> Result<Wavelet, DefinitionErrors> {
    let mut reader = Reader::new(text);
    if text.len() > LONGEST_TEXT {
        let length = text.len();
        let message = format!("has {length} bytes; at most {LONGEST_TEXT} are read");
        reader.report(&Place::new("file", 0), message);
        return Err(DefinitionErrors::new(reader.into_problems()));
    }
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let place = Place::new("syntax", error.span().map_or(0, |span| span.start));
        reader.report(&place, error.message().replace('\n', " "));
    }
    if !errors.is_empty() {
        return Err(DefinitionErrors::new(reader.into_problems()));
    }
    let root = Table::root(&document);
    wavelet(&mut reader, root, fallback_name)
        .ok_or_else(|| DefinitionErrors::new(reader.into_problems()))
}

/// `None` if anything was reported.
fn wavelet(reader: &mut Reader, mut root: Table, fallback_name: &str) -> Option<Wavelet> {
    let name = name(reader, &mut root, fallback_name);
    let mode_place = root.take("default_mode");
    let modes = Mode::ALL.map(|mode| (mode.name(), mode));
    let default_mode = mode_place.as_ref().and_then(|node| node.choice(reader, &modes));
    let orders =
        [("first-to-last", AxisOrder::FirstToLast), ("last-to-first", AxisOrder::LastToFirst)];
    let axis_order = root.take("axis_order").and_then(|node| node.choice(reader, &orders));
    let mut flag = |key| match root.take(key) {
        Some(node) => node.boolean(reader),
        None => Some(false),
    };
    let (even_lengths, approximate) = (flag("even_lengths"), flag("approximate"));
    let defaults = Options::default();
    let options = Options {
        default_mode: default_mode.unwrap_or(defaults.default_mode),
        even_lengths: even_lengths.unwrap_or(false),
        axis_order: axis_order.unwrap_or(defaults.axis_order),
        approximate: approximate.unwrap_or(false),
    };
    let understood = reader.count();
    let form = form(reader, &mut root);
    let readable = reader.count() == understood;
    root.finish(reader);
    let (place, definition) = form?;
    if !readable || approximate.is_none() {
        return None;
    }
    // Mistakes elsewhere do not keep the filters from being looked at.
    let name = name.filter(|_| reader.count() == 0);
    let wavelet = match definition.verify(name.as_deref().unwrap_or(fallback_name), &options) {
        Ok(wavelet) => wavelet,
        Err(message) => {
            reader.report(&place, message);
            return None;
        }
    };
    name?;
    let symmetric = wavelet.frame().symmetry.is_some();
    match mode_place {
        Some(node) if options.default_mode == Mode::Jpeg2000 && !symmetric => {
            let error = crate::geometry::GeometryError::NotWholeSample;
            reader.report(&node.place, error.to_string());
            None
        }
        _ => Some(wavelet),
    }
}

fn name(reader: &mut Reader, root: &mut Table, fallback: &str) -> Option<String> {
    let Some(node) = root.take("name") else {
        return Some(fallback.to_owned());
    };
    let name = node.string(reader, "a name")?.trim();
    if name.is_empty() || name.len() > LONGEST_NAME || name.chars().any(char::is_control) {
        let message = format!("expected a printable name of 1 to {LONGEST_NAME} bytes");
        reader.report(&node.place, message);
        return None;
    }
    Some(name.to_owned())
}

/// The one form that is given, and where.
fn form(reader: &mut Reader, root: &mut Table) -> Option<(Place, Definition)> {
    let given = ["taps", "lifting", "lattice"].map(|key| root.take(key));
    let mut first: Option<Place> = None;
    let mut read = None;
    for (node, which) in given.into_iter().zip(0..) {
        let Some(node) = node else { continue };
        let definition =
            node.table(reader, "a table with the keys of a form").and_then(|table| match which {
                0 => taps::read(reader, table).map(Definition::Taps),
                1 => lifting::read(reader, table).map(Definition::Lifting),
                _ => lattice::read(reader, table).map(Definition::Lattice),
            });
        match &first {
            None => first = Some(node.place.clone()),
            Some(place) => {
                let message = format!(
                    "a second form; the wavelet is already defined by {} in line {}, keep one of them",
                    place.field,
                    reader.line(place.offset)
                );
                reader.report(&node.place, message);
            }
        }
        read = read.or(definition.map(|definition| (node.place, definition)));
    }
    if first.is_none() {
        let message = "is missing; expected a table [taps], [lifting] or [lattice]";
        reader.report(&Place::new("definition", 0), message);
    }
    read
}
