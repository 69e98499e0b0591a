//! Typed reading of a TOML document that goes on after a mistake and notes every one with its line.

use super::number::{Number, parse_exact};
use super::problem::Problem;
use crate::algebra::Rational;
use std::ops::RangeInclusive;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Collects problems.
pub(super) struct Reader {
    /// Byte offsets of the line ends.
    ends: Vec<usize>,
    problems: Vec<Problem>,
}

impl Reader {
    pub(super) fn new(text: &str) -> Self {
        let bytes = text.bytes().enumerate();
        let ends = bytes.filter(|(_, byte)| *byte == b'\n').map(|(offset, _)| offset).collect();
        Self { ends, problems: Vec::new() }
    }

    /// The line of a byte offset, from 1.
    pub(super) fn line(&self, offset: usize) -> usize {
        1 + self.ends.partition_point(|end| *end < offset)
    }

    pub(super) fn report(&mut self, place: &Place, message: impl Into<String>) {
        let (line, field) = (self.line(place.offset), place.field.clone());
        self.problems.push(Problem { line, field, message: message.into() });
    }

    /// How many problems were reported.
    pub(super) fn count(&self) -> usize {
        self.problems.len()
    }

    pub(super) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }
}

/// Where something stands: a byte offset and the path of keys.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) offset: usize,
    pub(super) field: String,
}

impl Place {
    pub(super) fn new(field: &str, offset: usize) -> Self {
        Self { offset, field: field.to_owned() }
    }

    fn child(&self, key: &str, offset: usize) -> Self {
        let field = match self.field.as_str() {
            "" => key.to_owned(),
            parent => format!("{parent}.{key}"),
        };
        Self { offset, field }
    }
}

/// A value and its place.
#[derive(Clone)]
pub(super) struct Node<'d> {
    pub(super) place: Place,
    value: &'d DeValue<'d>,
}

impl<'d> Node<'d> {
    fn expected<T>(&self, reader: &mut Reader, what: &str) -> Option<T> {
        let got = match self.value {
            DeValue::String(text) => {
                let shown: String = text.chars().take(40).collect();
                format!("the string {shown:?}")
            }
            DeValue::Integer(value) => format!("the integer {value}"),
            DeValue::Float(value) => format!("the float {value}"),
            DeValue::Boolean(value) => format!("{value}"),
            DeValue::Datetime(_) => "a date".to_owned(),
            DeValue::Array(_) => "an array".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
        };
        reader.report(&self.place, format!("expected {what}, got {got}"));
        None
    }

    pub(super) fn is_table(&self) -> bool {
        self.value.is_table()
    }

    pub(super) fn string(&self, reader: &mut Reader, what: &str) -> Option<&'d str> {
        match self.value {
            DeValue::String(text) => Some(text),
            _ => self.expected(reader, what),
        }
    }

    pub(super) fn boolean(&self, reader: &mut Reader) -> Option<bool> {
        match self.value {
            DeValue::Boolean(value) => Some(*value),
            _ => self.expected(reader, "true or false"),
        }
    }

    /// One of some words.
    pub(super) fn choice<T: Copy>(&self, reader: &mut Reader, words: &[(&str, T)]) -> Option<T> {
        let given = self.value.as_str();
        if let Some((_, value)) = words.iter().find(|(word, _)| Some(*word) == given) {
            return Some(*value);
        }
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        if let Some(nearest) = given.and_then(|given| nearest(given, &names)) {
            reader.report(
                &self.place,
                format!("{:?} is not known; did you mean {nearest:?}?", given.unwrap_or_default()),
            );
            return None;
        }
        let quoted: Vec<String> = names.iter().map(|word| format!("\"{word}\"")).collect();
        self.expected(reader, &format!("one of {}", quoted.join(", ")))
    }

    pub(super) fn integer(&self, reader: &mut Reader, range: RangeInclusive<i64>) -> Option<i64> {
        let what = format!("a whole number from {} to {}", range.start(), range.end());
        let DeValue::Integer(value) = self.value else {
            return self.expected(reader, &what);
        };
        match i64::from_str_radix(value.as_str(), value.radix()) {
            Ok(value) if range.contains(&value) => Some(value),
            _ => self.expected(reader, &what),
        }
    }

    /// A finite number.
    pub(super) fn number(&self, reader: &mut Reader) -> Option<Number> {
        match self.value {
            DeValue::Integer(value) if value.radix() == 10 => self.exact(reader, value.as_str()),
            DeValue::Integer(value) => match i64::from_str_radix(value.as_str(), value.radix()) {
                Ok(value) => Some(Number::Exact(Rational::from_integer(value.into()))),
                Err(_) => self.expected(reader, "an integer of at most 64 bits"),
            },
            DeValue::Float(literal) => match literal.as_str().parse::<f64>() {
                Ok(value) if value.is_finite() => Some(Number::Float(value)),
                _ => {
                    reader
                        .report(&self.place, format!("is {literal}; every number must be finite"));
                    None
                }
            },
            DeValue::String(text) => self.exact(reader, text),
            _ => self.expected(reader, "a number (0.25 or \"1/4\")"),
        }
    }

    fn exact(&self, reader: &mut Reader, text: &str) -> Option<Number> {
        match parse_exact(text) {
            Ok(value) => Some(Number::Exact(value)),
            Err(message) => {
                reader.report(&self.place, message);
                None
            }
        }
    }

    pub(super) fn array(&self, reader: &mut Reader, what: &str) -> Option<Vec<Node<'d>>> {
        let DeValue::Array(items) = self.value else {
            return self.expected(reader, what);
        };
        let items = items.iter().enumerate().map(|(index, item)| Node {
            place: Place {
                offset: item.span().start,
                field: format!("{}[{index}]", self.place.field),
            },
            value: item.get_ref(),
        });
        Some(items.collect())
    }

    /// An array of numbers; every one that is wrong is reported.
    pub(super) fn numbers(&self, reader: &mut Reader) -> Option<Vec<Number>> {
        let items = self.array(reader, "an array of numbers")?;
        let numbers: Vec<_> = items.iter().map(|item| item.number(reader)).collect();
        numbers.into_iter().collect()
    }

    /// An array of so many numbers.
    pub(super) fn tuple<const N: usize>(&self, reader: &mut Reader) -> Option<[Number; N]> {
        let numbers = self.numbers(reader)?;
        let got = numbers.len();
        numbers.try_into().map_or_else(
            |_| {
                reader.report(&self.place, format!("expected {N} numbers, got {got}"));
                None
            },
            Some,
        )
    }

    pub(super) fn table(&self, reader: &mut Reader, what: &str) -> Option<Table<'d>> {
        match self.value {
            DeValue::Table(table) => Some(Table::new(self.place.clone(), table)),
            _ => self.expected(reader, what),
        }
    }
}

/// A table, and which of its keys were asked for.
pub(super) struct Table<'d> {
    pub(super) place: Place,
    entries: &'d DeTable<'d>,
    known: Vec<&'static str>,
}

impl<'d> Table<'d> {
    fn new(place: Place, entries: &'d DeTable<'d>) -> Self {
        Self { place, entries, known: Vec::new() }
    }

    /// The document's own table.
    pub(super) fn root(document: &'d Spanned<DeTable<'d>>) -> Self {
        Self::new(Place::new("", 0), document.get_ref())
    }

    /// The value of a key that may be absent.
    pub(super) fn take(&mut self, key: &'static str) -> Option<Node<'d>> {
        self.known.push(key);
        let (_, value) = self.entries.iter().find(|(name, _)| name.get_ref() == key)?;
        let place = self.place.child(key, value.span().start);
        Some(Node { place, value: value.get_ref() })
    }

    /// The value of a key that must be there.
    pub(super) fn need(&mut self, reader: &mut Reader, key: &'static str) -> Option<Node<'d>> {
        let node = self.take(key);
        if node.is_none() {
            let place = self.place.child(key, self.place.offset);
            reader.report(&place, "is missing");
        }
        node
    }

    /// Reports every key that was not asked for.
    pub(super) fn finish(self, reader: &mut Reader) {
        for (name, _) in self.entries.iter() {
            let key: &str = name.get_ref();
            if self.known.contains(&key) {
                continue;
            }
            let hint = match nearest(key, &self.known) {
                Some(known) => format!("; did you mean '{known}'?"),
                None => format!("; expected one of {}", self.known.join(", ")),
            };
            let shown: String = key.chars().take(40).collect();
            let place = self.place.child(&shown, name.span().start);
            reader.report(&place, format!("unknown key{hint}"));
        }
    }
}

/// The word that is closest to what was typed, unless more than half of it would have to change.
fn nearest<'w>(typed: &str, words: &[&'w str]) -> Option<&'w str> {
    let typed: String = typed.chars().take(40).collect();
    let distances = words.iter().map(|word| (strsim::damerau_levenshtein(&typed, word), *word));
    let (distance, word) = distances.min_by_key(|(distance, _)| *distance)?;
    (2 * distance <= word.len()).then_some(word)
}
