//! What a coefficient file remembers of its making, beside the coefficients.
//!
//! | member | type | meaning |
//! |---|---|---|
//! | `shape` | int64, 1-D | shape of the transformed array |
//! | `axes` | int64, 1-D | its transformed axes |
//! | `levels` | int64, 0-D | number of levels |
//! | `origin` | int64, 1-D | coordinate of sample 0 on each transformed axis |
//! | `wavelet`, `mode`, `layout`, `norm` | text | names as on the command line |
//! | `definition` | text | the definition file, of a wavelet that is not in the catalogue |
//! | `sample` | text | NumPy name of the original element type |
//! | `source` | text (JSON) | what the original file was, to write the same kind again |
//!
//! Text is UTF-8 in a one-dimensional uint8 array (`bytes(z['mode']).decode()` in Python); NumPy's
//! own strings are understood too.

use crate::args::{Layout, Norm};
use crate::error::{Failure, Outcome};
use crate::files::Source;
use crate::files::npz::Content;
use crate::samples::{SampleType, Samples};
use ndarray::ArrayD;
use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;
use waveloom::wavelets::Mode;

/// The record; everything is optional, for files of other origin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Shape of the transformed array.
    pub shape: Option<Vec<usize>>,
    /// Its transformed axes.
    pub axes: Option<Vec<usize>>,
    /// Number of levels.
    pub levels: Option<usize>,
    /// Name of the wavelet.
    pub wavelet: Option<String>,
    /// Text of its definition file.
    pub definition: Option<String>,
    /// Mode.
    pub mode: Option<Mode>,
    /// Coordinate of sample 0 on each transformed axis.
    pub origin: Option<Vec<i64>>,
    /// Arrangement of the coefficients.
    pub layout: Option<Layout>,
    /// Normalisation of the Haar wavelet.
    pub norm: Option<Norm>,
    /// Original element type.
    pub sample: Option<SampleType>,
    /// Original file.
    pub source: Option<Source>,
}

/// Names of the members of a record.
const MEMBERS: [&str; 11] = [
    "shape",
    "axes",
    "levels",
    "origin",
    "wavelet",
    "definition",
    "mode",
    "layout",
    "norm",
    "sample",
    "source",
];

impl Record {
    /// Takes the record's members out of an archive.
    pub fn take(path: &Path, members: &mut BTreeMap<String, Content>) -> Outcome<Self> {
        let mut fields = Fields { path, found: BTreeMap::new() };
        for name in MEMBERS {
            if let Some(content) = members.remove(name) {
                fields.found.insert(name, content);
            }
        }
        Ok(Self {
            shape: fields.numbers("shape")?,
            axes: fields.numbers("axes")?,
            levels: fields.number("levels")?,
            wavelet: fields.text("wavelet")?,
            definition: fields.text("definition")?,
            mode: fields.parsed("mode")?,
            origin: fields.numbers("origin")?,
            layout: fields.parsed("layout")?,
            norm: fields.parsed("norm")?,
            sample: fields.sample()?,
            source: fields.source()?,
        })
    }

    /// The members to write.
    pub fn members(&self) -> Outcome<Vec<(&'static str, Samples)>> {
        let mut members = Vec::new();
        let list = |values: Vec<i64>| Samples::I64(ndarray::arr1(&values).into_dyn());
        let text = |value: &str| Samples::U8(ndarray::arr1(value.as_bytes()).into_dyn());
        let lengths = |values: &[usize]| values.iter().map(|value| *value as i64).collect();
        members.extend(self.shape.as_ref().map(|shape| ("shape", list(lengths(shape)))));
        members.extend(self.axes.as_ref().map(|axes| ("axes", list(lengths(axes)))));
        let levels = self.levels.map(|levels| ArrayD::from_elem(vec![], levels as i64));
        members.extend(levels.map(|levels| ("levels", Samples::I64(levels))));
        members.extend(self.origin.as_ref().map(|origin| ("origin", list(origin.clone()))));
        members.extend(self.wavelet.as_ref().map(|name| ("wavelet", text(name))));
        members.extend(self.definition.as_ref().map(|definition| ("definition", text(definition))));
        members.extend(self.mode.map(|mode| ("mode", text(mode.name()))));
        members.extend(self.layout.map(|layout| ("layout", text(layout.name()))));
        members.extend(self.norm.map(|norm| ("norm", text(norm.name()))));
        members.extend(self.sample.map(|sample| ("sample", text(sample.name()))));
        if let Some(source) = &self.source {
            let json = serde_json::to_string(source).map_err(Failure::plain)?;
            members.push(("source", text(&json)));
        }
        Ok(members)
    }
}

/// What is wrong with a damaged `source`.
const NO_SOURCE: &str = "expected the description of an array, a picture or a sound that forward wrote; the member can be left out";

/// The members found, read one by one.
struct Fields<'a> {
    path: &'a Path,
    found: BTreeMap<&'static str, Content>,
}

impl Fields<'_> {
    fn wrong(&self, name: &str, message: impl std::fmt::Display) -> Failure {
        Failure::of_field(self.path, name, message)
    }

    fn numbers<T: TryFrom<i64>>(&mut self, name: &'static str) -> Outcome<Option<Vec<T>>> {
        let samples = match self.found.remove(name) {
            None => return Ok(None),
            Some(Content::Samples(samples)) if !samples.kind().is_float() => samples,
            Some(content) => {
                let got = match &content {
                    Content::Samples(samples) => samples.kind().name(),
                    Content::Text(_) => "text",
                };
                return Err(self.wrong(name, format!("expected whole numbers, got {got}")));
            }
        };
        let values = samples.values::<i64>().map_err(|failure| failure.in_file(self.path))?;
        let values = values.into_iter().map(|value| {
            T::try_from(value)
                .map_err(|_| self.wrong(name, format!("expected 0 or more, got {value}")))
        });
        values.collect::<Outcome<Vec<T>>>().map(Some)
    }

    fn number<T: TryFrom<i64>>(&mut self, name: &'static str) -> Outcome<Option<T>> {
        let Some(mut values) = self.numbers(name)? else { return Ok(None) };
        match (values.pop(), values.is_empty()) {
            (Some(value), true) => Ok(Some(value)),
            _ => Err(self.wrong(name, "expected one number")),
        }
    }

    fn text(&mut self, name: &'static str) -> Outcome<Option<String>> {
        match self.found.remove(name) {
            None => Ok(None),
            Some(Content::Text(text)) => Ok(Some(text)),
            Some(Content::Samples(Samples::U8(bytes))) => {
                let text = String::from_utf8(bytes.into_iter().collect());
                text.map(Some).map_err(|_| self.wrong(name, "expected UTF-8 text"))
            }
            Some(Content::Samples(other)) => {
                Err(self.wrong(name, format!("expected text (uint8), got {}", other.kind())))
            }
        }
    }

    fn parsed<T: FromStr<Err: std::fmt::Display>>(
        &mut self,
        name: &'static str,
    ) -> Outcome<Option<T>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        text.parse().map(Some).map_err(|error| self.wrong(name, error))
    }

    fn sample(&mut self) -> Outcome<Option<SampleType>> {
        let Some(text) = self.text("sample")? else { return Ok(None) };
        let kind = SampleType::named(&text);
        kind.map(Some).ok_or_else(|| self.wrong("sample", format!("'{text}' is no element type")))
    }

    fn source(&mut self) -> Outcome<Option<Source>> {
        let Some(text) = self.text("source")? else { return Ok(None) };
        let source: Source =
            serde_json::from_str(&text).map_err(|_| self.wrong("source", NO_SOURCE))?;
        if source.is_possible() {
            return Ok(Some(source));
        }
        Err(self
            .wrong("source", format!("{text} describes no file that can be written; {NO_SOURCE}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::picture::Picture;

    fn contents(record: &Record) -> BTreeMap<String, Content> {
        let members = record.members().unwrap();
        members.into_iter().map(|(name, s)| (name.to_owned(), Content::Samples(s))).collect()
    }

    #[test]
    fn a_record_survives() {
        let record = Record {
            shape: Some(vec![3, 5, 7]),
            axes: Some(vec![1, 2]),
            levels: Some(2),
            wavelet: Some("mine".to_owned()),
            definition: Some("name = \"mine\"".to_owned()),
            mode: Some(Mode::Jpeg2000),
            origin: Some(vec![-1, 2]),
            layout: Some(Layout::Mallat),
            norm: Some(Norm::Ortho),
            sample: Some(SampleType::U16),
            source: Some(Source::Picture(Picture { channels: 3, bits: 16 })),
        };
        let mut members = contents(&record);
        assert_eq!(Record::take(Path::new("x.npz"), &mut members).unwrap(), record);
        assert!(members.is_empty());
        assert_eq!(Record::take(Path::new("x.npz"), &mut members).unwrap(), Record::default());
    }

    #[test]
    fn damaged_records_are_refused_by_name() {
        let path = Path::new("x.npz");
        let text = |text: &str| Samples::U8(ndarray::arr1(text.as_bytes()).into_dyn());
        let bad = [
            ("levels", Samples::I64(ndarray::arr1(&[1, 2]).into_dyn())),
            ("shape", Samples::F64(ndarray::arr1(&[1.0]).into_dyn())),
            ("shape", Samples::I64(ndarray::arr1(&[-4]).into_dyn())),
            ("mode", Samples::U8(ndarray::arr1(b"bogus").into_dyn())),
            ("wavelet", Samples::U8(ndarray::arr1(&[0xff, 0xfe]).into_dyn())),
            ("source", text("{}")),
            ("source", text(r#"{"picture":{"channels":1,"bits":7}}"#)),
            ("source", text(r#"{"sound":{"channels":0,"rate":1,"bits":16,"float":false}}"#)),
            ("source", text(r#"{"sound":{"channels":1,"rate":1,"bits":16,"float":true}}"#)),
        ];
        for (name, samples) in bad {
            let mut members = BTreeMap::from([(name.to_owned(), Content::Samples(samples))]);
            let error = Record::take(path, &mut members).unwrap_err().to_string();
            assert!(error.starts_with(&format!("x.npz: {name}: ")), "{error}");
            assert!(name != "source" || error.contains(NO_SOURCE), "{error}");
        }
    }
}
