//! The form `[taps]`: filters.

use super::node::{Node, Place, Reader, Table};
use super::number::{Number, is_affordable};
use crate::algebra::{Laurent, PolyphaseMatrix, Rational, Scalar};
use crate::bank::{Filter, FilterBank};
use crate::verify::{
    APPROXIMATE_LIMIT, ExactBank, ExactFilter, FARTHEST_POSITION, LONGEST_FRAME, PERFECT_LIMIT,
    VerifyError,
};
use crate::wavelet::{Options, Wavelet};

/// Keys of the form in PyWavelets' orientation, and of the one with positions.
const PYWAVELETS: [&str; 4] = ["dec_lo", "dec_hi", "rec_lo", "rec_hi"];

/// A filter: `taps[j]` at position `first + j`.
#[derive(Clone, Debug)]
struct Row<T> {
    first: i32,
    taps: Vec<T>,
}

/// The filters that were given, in the crate's orientation: all four, the analysis pair, or the
/// analysis low-pass filter alone.
pub(super) struct Taps {
    rows: Vec<Row<Number>>,
    /// Frame length, where filters were given in PyWavelets' form.
    length: Option<usize>,
}

/// Reads the table.
pub(super) fn read(reader: &mut Reader, mut table: Table) -> Option<Taps> {
    let lo = table.take("lo");
    let hi = table.take("hi");
    let [dec_lo, dec_hi, rec_lo, rec_hi] = PYWAVELETS.map(|key| table.take(key));
    let place = table.place.clone();
    table.finish(reader);
    match (lo.is_some() || hi.is_some(), dec_lo.is_some() || dec_hi.is_some()) {
        (true, false) => positioned(reader, &place, [lo, hi, rec_lo, rec_hi]),
        (false, true) => pywavelets(reader, &place, [dec_lo, dec_hi, rec_lo, rec_hi]),
        (true, true) => {
            for node in [lo, hi].iter().flatten() {
                row(reader, node);
            }
            for node in [dec_lo, dec_hi].iter().flatten() {
                filter(reader, node, node);
            }
            let message = "lo and hi (with positions) and dec_lo and dec_hi (PyWavelets' order) are two ways of saying the same; keep one of them";
            reader.report(&place, message);
            None
        }
        (false, false) => {
            let message = "no analysis filter; expected dec_lo or lo (alone for an orthogonal wavelet), or also dec_hi or hi";
            reader.report(&place, message);
            None
        }
    }
}

/// Checks that the filters given are a set that defines the rest: the low-pass filter of analysis,
/// its pair, or all four.
fn is_complete(
    reader: &mut Reader,
    place: &Place,
    names: [&str; 4],
    nodes: &[Option<Node>; 4],
) -> bool {
    let given = nodes.each_ref().map(Option::is_some);
    if let [true, false, false, false] | [true, true, false, false] | [true, true, true, true] =
        given
    {
        return true;
    }
    let [low, high, ..] = names;
    let missing: Vec<&str> = names.into_iter().zip(given).filter(|g| !g.1).map(|g| g.0).collect();
    let verb = if missing.len() == 1 { "is" } else { "are" };
    let message = format!(
        "{} {verb} missing; expected {low} alone (orthogonal), {low} and {high}, or all four filters",
        missing.join(", ")
    );
    reader.report(place, message);
    false
}

/// Arrays in PyWavelets' orientation.
fn pywavelets(reader: &mut Reader, place: &Place, nodes: [Option<Node>; 4]) -> Option<Taps> {
    let complete = is_complete(reader, place, PYWAVELETS, &nodes);
    let filters: Vec<_> = nodes.iter().flatten().map(|node| filter(reader, node, node)).collect();
    let filters: Vec<Vec<Number>> = filters.into_iter().collect::<Option<_>>()?;
    if !complete {
        return None;
    }
    let length = filters[0].len();
    if filters.iter().any(|taps| taps.len() != length) {
        let pairs = PYWAVELETS.iter().zip(&filters);
        let lengths: Vec<String> = pairs.map(|(n, taps)| format!("{} ({n})", taps.len())).collect();
        let message = format!(
            "the filters must be equally long, got lengths {}; pad the shorter ones with zeros, or give each filter its position (lo, hi, rec_lo, rec_hi)",
            lengths.join(", ")
        );
        reader.report(place, message);
        return None;
    }
    // PyWavelets appends a zero to filters of odd length.
    let extra = (length % 2) as i32;
    let rows = filters.into_iter().enumerate().map(|(index, mut taps)| {
        if index < 2 {
            taps.reverse();
        }
        Row { first: if index < 2 { extra } else { 0 }, taps }
    });
    Some(Taps { rows: rows.collect(), length: Some(length + length % 2) })
}

/// Tables `{ first, taps }`.
fn positioned(reader: &mut Reader, place: &Place, nodes: [Option<Node>; 4]) -> Option<Taps> {
    let complete = is_complete(reader, place, ["lo", "hi", "rec_lo", "rec_hi"], &nodes);
    let rows: Vec<_> = nodes.iter().flatten().map(|node| row(reader, node)).collect();
    let rows = rows.into_iter().collect::<Option<_>>()?;
    complete.then_some(Taps { rows, length: None })
}

fn row(reader: &mut Reader, node: &Node) -> Option<Row<Number>> {
    let mut table = node.table(reader, "a table such as { first = -1, taps = [1, 2, 1] }")?;
    let (first, taps) = placed(reader, &mut table);
    table.finish(reader);
    Some(Row { first: first?, taps: filter(reader, node, &taps?)? })
}

/// The keys `first` (default 0) and `taps` of a table.
pub(super) fn placed<'d>(
    reader: &mut Reader,
    table: &mut Table<'d>,
) -> (Option<i32>, Option<Node<'d>>) {
    let far = i64::from(FARTHEST_POSITION);
    let first = match table.take("first") {
        Some(node) => node.integer(reader, -far..=far).map(|first| first as i32),
        None => Some(0),
    };
    (first, table.need(reader, "taps"))
}

/// The taps of a filter, at least one of which is not zero.
fn filter(reader: &mut Reader, node: &Node, taps: &Node) -> Option<Vec<Number>> {
    let numbers = taps.numbers(reader)?;
    if numbers.len() > LONGEST_FRAME {
        let message = format!("has {} taps; at most {LONGEST_FRAME} are supported", numbers.len());
        reader.report(&node.place, message);
        return None;
    }
    if numbers.iter().all(Number::is_zero) {
        reader.report(&node.place, "is empty; it needs at least one tap that is not zero");
        return None;
    }
    Some(numbers)
}

impl Taps {
    /// Completes the bank and measures it: exactly if every number is exact.
    pub(super) fn verify(&self, name: &str, options: &Options) -> Result<Wavelet, String> {
        let exact = self.rows.iter().map(|row| row.map(|number| number.exact().cloned()));
        let exact = exact.collect::<Option<Vec<Row<Rational>>>>();
        let exact = exact.filter(|rows| is_affordable(rows.iter().map(|row| &row.taps)));
        let verified = if let Some(rows) = exact {
            let filters =
                bank(rows, |_| false)?.map(|Row { first, taps }| ExactFilter { first, taps });
            let places = filters.each_ref().map(ExactFilter::to_filter);
            let bank = ExactBank { length: self.frame(&places), filters };
            Wavelet::from_exact_bank(name, &bank, options)
        } else {
            let rows = self.rows.iter().map(|row| row.map(|number| Some(number.to_f64())));
            let rows = rows.collect::<Option<Vec<Row<f64>>>>().unwrap_or_default();
            let filters = bank(rows, |energy| (energy - 1.0).abs() <= PERFECT_LIMIT)?;
            let filters = filters.map(|row| Filter::new(row.first, &row.taps));
            let length = self.frame(&filters);
            let [lo, hi, rec_lo, rec_hi] = filters;
            let bank = match length {
                Some(length) => FilterBank::in_frame(length, lo, hi, rec_lo, rec_hi),
                None => FilterBank::new(lo, hi, rec_lo, rec_hi),
            };
            Wavelet::from_bank(name, bank, options)
        };
        verified.map_err(|error| {
            let derived = match (&error, self.rows.len()) {
                (VerifyError::NotReconstructing { .. }, 1) => {
                    "; the other filters were derived from the low-pass filter, which is not orthogonal"
                }
                (VerifyError::NotReconstructing { .. }, 2) => {
                    "; the synthesis filters were derived from the analysis filters, which have no exact inverse of finite length"
                }
                _ => "",
            };
            let flag = match error {
                VerifyError::NotReconstructing { defect, .. }
                    if defect <= APPROXIMATE_LIMIT && !options.approximate =>
                {
                    ": write approximate = true above [taps] if that is meant"
                }
                _ => "",
            };
            format!("{error}{derived}{flag}")
        })
    }

    /// PyWavelets' frame, if the filters lie in it; derived ones may not.
    fn frame(&self, filters: &[Filter; 4]) -> Option<usize> {
        let last = i64::try_from(self.length?).ok()? - 1;
        let inside = |filter: &Filter| filter.first() >= 0 && i64::from(filter.last()) <= last;
        filters.iter().all(inside).then_some(self.length).flatten()
    }
}

impl<T> Row<T> {
    /// Converts the taps; `None` if one cannot be.
    fn map<U>(&self, map: impl Fn(&T) -> Option<U>) -> Option<Row<U>> {
        let taps = self.taps.iter().map(map).collect::<Option<_>>()?;
        Some(Row { first: self.first, taps })
    }
}

/// All four filters. `is_unit` says whether the energy of a low-pass filter counts as 1.
fn bank<T: Scalar>(rows: Vec<Row<T>>, is_unit: impl Fn(&T) -> bool) -> Result<[Row<T>; 4], String> {
    let given = match <[Row<T>; 1]>::try_from(rows) {
        Ok([low]) => return orthogonal(low, is_unit),
        Err(rows) => rows,
    };
    match <[Row<T>; 2]>::try_from(given) {
        Ok(pair) => inverted(pair),
        Err(rows) => <[Row<T>; 4]>::try_from(rows).map_err(|_| "expected four filters".to_owned()),
    }
}

/// The high-pass filter by the alternating flip, and synthesis as the transpose of analysis over
/// the energy of the low-pass filter.
fn orthogonal<T: Scalar>(
    mut low: Row<T>,
    is_unit: impl Fn(&T) -> bool,
) -> Result<[Row<T>; 4], String> {
    if low.taps.len() % 2 == 1 {
        low.taps.push(T::zero());
    }
    let flipped = low.taps.iter().rev().enumerate();
    let taps = flipped.map(|(j, tap)| if j % 2 == 0 { tap.clone() } else { -tap.clone() });
    let high = Row { first: low.first, taps: taps.collect() };
    let squares = low.taps.iter().map(|tap| tap.clone() * tap.clone());
    let energy = squares.fold(T::zero(), |sum, square| sum + square);
    if is_unit(&energy) {
        return Ok([low.clone(), high.clone(), low, high]);
    }
    let scale =
        usable_reciprocal(&energy, "the energy of the low-pass filter, the sum of its squares,")?;
    let scaled = |row: &Row<T>| Row {
        first: row.first,
        taps: row.taps.iter().map(|tap| tap.clone() * scale.clone()).collect(),
    };
    let (rec_low, rec_high) = (scaled(&low), scaled(&high));
    Ok([low, high, rec_low, rec_high])
}

/// `1 / value`, unless `value`, which was computed, left the range of the numbers at hand.
fn usable_reciprocal<T: Scalar>(value: &T, what: &str) -> Result<T, String> {
    let refuse = |way: &str, remedy: &str| {
        format!("{what} {way} the range of 64-bit floating point numbers; expected {remedy} taps")
    };
    if !value.is_finite() {
        return Err(refuse("exceeds", "smaller"));
    }
    let inverse = value.reciprocal().filter(Scalar::is_finite);
    inverse.ok_or_else(|| refuse("falls below", "larger"))
}

/// Synthesis as the inverse of the analysis polyphase matrix. Where its determinant is more than
/// one term, the largest stands for all, and verification will find the defect.
fn inverted<T: Scalar>([low, high]: [Row<T>; 2]) -> Result<[Row<T>; 4], String> {
    let phases = [&low, &high].map(|row| [0, 1].map(|phase| row.phase(phase)));
    let matrix = PolyphaseMatrix::two_by_two(phases);
    let determinant = matrix.determinant();
    let largest = determinant.terms().max_by(|a, b| a.1.magnitude().total_cmp(&b.1.magnitude()));
    let dependent = "the low-pass and the high-pass filter say the same: their polyphase determinant is 0, so that they have no inverse";
    let (exponent, value) = largest.ok_or(dependent)?;
    let inverse = usable_reciprocal(value, "the determinant of the two filters' polyphase matrix")?;
    let scale = Laurent::monomial(exponent.map(|e| -e), inverse);
    let inverse = |row: usize, column: usize| {
        let entry =
            if row == column { matrix.entry(1 - row, 1 - row) } else { matrix.entry(row, column) };
        let product = entry.times(&scale).time_reversed();
        if row == column { product } else { product.scaled(&-T::one()) }
    };
    let [rec_low, rec_high] =
        [0, 1].map(|column| Row::from_phases([0, 1].map(|phase| inverse(phase, column))));
    Ok([low, high, rec_low, rec_high])
}

impl<T: Scalar> Row<T> {
    /// The polynomial of the taps at even (`0`) or odd (`1`) positions.
    fn phase(&self, phase: i32) -> Laurent<T> {
        let placed = (self.first..).zip(&self.taps);
        let chosen = placed.filter(|(position, _)| position.rem_euclid(2) == phase);
        Laurent::from_terms(chosen.map(|(p, tap)| ([p.div_euclid(2), 0, 0], tap.clone())))
    }

    fn from_phases(phases: [Laurent<T>; 2]) -> Self {
        let terms = || {
            let both = phases.iter().zip(0..);
            both.flat_map(|(p, phase)| p.terms().map(move |(e, tap)| (2 * e[0] + phase, tap)))
        };
        let positions = || terms().map(|(position, _)| position);
        let (Some(first), Some(last)) = (positions().min(), positions().max()) else {
            return Self { first: 0, taps: Vec::new() };
        };
        let mut taps = vec![T::zero(); (last - first + 1) as usize];
        for (position, tap) in terms() {
            taps[(position - first) as usize] = tap.clone();
        }
        Self { first, taps }
    }
}
