//! NumPy arrays: `.npy` files and the members of `.npz` files.

use crate::error::{Failure, Outcome};
use crate::samples::{SampleType, Samples};
use crate::with_samples;
use ndarray::ArrayD;
use ndarray_npy::npy::header::Header;
use ndarray_npy::{ReadNpyExt, ReadableElement, WriteNpyExt};
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

/// Headers of plain numeric arrays are far shorter; longer ones describe records.
const LONGEST_HEADER: usize = 8192;

/// What an array holds: numbers, or text.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Numbers.
    Samples(Samples),
    /// A single string (`<U…` or `|S…` with one element).
    Text(String),
}

/// Reads a `.npy` file of numbers.
pub fn read(path: &Path) -> Outcome<Samples> {
    let file = File::open(path).map_err(|error| Failure::unreadable(path, error))?;
    let metadata = file.metadata().map_err(|error| Failure::unreadable(path, error))?;
    let content = if metadata.is_file() {
        read_array(BufReader::new(file), metadata.len())
    } else if metadata.is_dir() {
        Err("is a folder; expected a .npy file".to_owned())
    } else {
        let mut bytes = Vec::new();
        BufReader::new(file)
            .read_to_end(&mut bytes)
            .map_err(|error| Failure::of_file(path, error))?;
        read_array(bytes.as_slice(), bytes.len() as u64)
    };
    match content.map_err(|problem| Failure::of_file(path, problem))? {
        Content::Samples(samples) => Ok(samples),
        Content::Text(_) => Err(Failure::of_field(path, "dtype", expected_dtype("text"))),
    }
}

/// Reads one array of `length` bytes, header included. Nothing is allocated before the header's
/// claims are checked against `length`.
pub fn read_array(mut reader: impl Read, length: u64) -> Result<Content, String> {
    let head = read_head(&mut reader, length)?;
    let header = Header::from_reader(&mut head.as_slice()).map_err(|_| {
        "has a damaged header; expected a NumPy array's descr, fortran_order and shape".to_owned()
    })?;
    let descriptor = header.type_descriptor.to_string();
    let descriptor = descriptor.trim_matches('\'');
    let element = element_of(descriptor)
        .ok_or_else(|| format!("dtype: {}", expected_dtype(describe(descriptor))))?;
    // Without the extents that are 0: these make an array empty, whatever the others are.
    let mut extents = header.shape.iter().map(|len| (*len).max(1));
    let most = extents.try_fold(1_usize, |product, len| product.checked_mul(len));
    let count = if header.shape.contains(&0) { Some(0) } else { most };
    let needed = count.and_then(|count| count.checked_mul(element.bytes())).map(|n| n as u64);
    // An archive may claim less than it holds: then nothing is left for the data.
    let found = length.saturating_sub(head.len() as u64);
    if needed != Some(found) {
        let what = if needed.is_some_and(|needed| needed < found) {
            "has extra bytes at its end"
        } else {
            "is truncated"
        };
        return Err(format!(
            "{what}: {descriptor} of shape {:?} and {found} bytes of data do not agree",
            header.shape
        ));
    }
    // But these must be no larger than memory has addresses.
    let bytes = most.and_then(|count| count.checked_mul(element.bytes()));
    if bytes.is_none_or(|bytes| bytes > isize::MAX as usize) {
        return Err(format!(
            "has the shape {:?}, whose extents are larger than memory has addresses",
            header.shape
        ));
    }
    // The library reserves room for all data and gives up where there is none.
    let room = usize::try_from(found).map(|bytes| Vec::<u8>::new().try_reserve_exact(bytes));
    if !matches!(room, Ok(Ok(()))) {
        return Err(format!("holds {found} bytes of data, more than there is memory"));
    }
    match element {
        Stored::Text { wide, units } => read_text(reader, wide, units, count).map(Content::Text),
        Stored::Numbers(kind) => {
            read_samples(kind, head.as_slice().chain(reader)).map(Content::Samples)
        }
    }
}

/// Writes an array.
pub fn write_array(writer: impl Write, samples: &Samples) -> Outcome<()> {
    with_samples!(samples, array => array.write_npy(writer).map_err(Failure::plain))
}

/// The bytes up to and including the header.
fn read_head(reader: &mut impl Read, length: u64) -> Result<Vec<u8>, String> {
    if length == 0 {
        return Err("is empty; expected a NumPy array".to_owned());
    }
    let not_numpy = || "is not a NumPy array (the magic string \\x93NUMPY is missing)".to_owned();
    let mut head = vec![0; 10];
    reader.read_exact(&mut head).map_err(|_| not_numpy())?;
    if !head.starts_with(b"\x93NUMPY") {
        return Err(not_numpy());
    }
    if !matches!((head[6], head[7]), (1..=3, 0)) {
        return Err(format!(
            "is a NumPy array of the unknown format version {}.{}; expected 1.0, 2.0 or 3.0",
            head[6], head[7]
        ));
    }
    let mut text = usize::from(u16::from_le_bytes([head[8], head[9]]));
    if head[6] > 1 {
        let mut more = [0; 2];
        reader.read_exact(&mut more).map_err(|_| "is truncated within its header".to_owned())?;
        head.extend_from_slice(&more);
        text |= usize::from(u16::from_le_bytes(more)) << 16;
    }
    if text > LONGEST_HEADER {
        return Err(format!(
            "has a header of {text} bytes; expected a plain numeric array (at most {LONGEST_HEADER})"
        ));
    }
    let begin = head.len();
    head.resize(begin + text, 0);
    reader
        .read_exact(&mut head[begin..])
        .map_err(|_| format!("is truncated: its header of {text} bytes is incomplete"))?;
    Ok(head)
}

/// What a type descriptor stands for.
#[derive(Clone, Copy)]
enum Stored {
    Numbers(SampleType),
    Text { wide: bool, units: usize },
}

impl Stored {
    fn bytes(self) -> usize {
        match self {
            Self::Numbers(kind) => kind.bytes(),
            Self::Text { wide, units } => units.saturating_mul(if wide { 4 } else { 1 }),
        }
    }
}

fn element_of(descriptor: &str) -> Option<Stored> {
    let (order, name) = descriptor.split_at_checked(1)?;
    if !matches!(order, "<" | ">" | "|" | "=") {
        return None;
    }
    Some(Stored::Numbers(match name {
        "b1" => SampleType::Bool,
        "i1" => SampleType::I8,
        "u1" => SampleType::U8,
        "i2" => SampleType::I16,
        "u2" => SampleType::U16,
        "i4" => SampleType::I32,
        "u4" => SampleType::U32,
        "i8" => SampleType::I64,
        "u8" => SampleType::U64,
        "f4" => SampleType::F32,
        "f8" => SampleType::F64,
        _ => {
            let (letter, units) = name.split_at_checked(1)?;
            let units = units.parse().ok()?;
            return match (letter, order) {
                ("U", "<") => Some(Stored::Text { wide: true, units }),
                ("S", "|") => Some(Stored::Text { wide: false, units }),
                _ => None,
            };
        }
    }))
}

fn describe(descriptor: &str) -> &str {
    match descriptor.trim_start_matches(['<', '>', '|', '=']) {
        "O" => "Python objects",
        "c8" => "complex64",
        "c16" => "complex128",
        "f2" => "float16",
        "f16" => "float128",
        _ => descriptor,
    }
}

fn expected_dtype(found: &str) -> String {
    format!(
        "{found} cannot be transformed; expected bool, int8 to int64, uint8 to uint64, float32 or float64"
    )
}

fn read_samples(kind: SampleType, reader: impl Read) -> Result<Samples, String> {
    Ok(match kind {
        SampleType::Bool => Samples::Bool(read_typed(reader)?),
        SampleType::I8 => Samples::I8(read_typed(reader)?),
        SampleType::U8 => Samples::U8(read_typed(reader)?),
        SampleType::I16 => Samples::I16(read_typed(reader)?),
        SampleType::U16 => Samples::U16(read_typed(reader)?),
        SampleType::I32 => Samples::I32(read_typed(reader)?),
        SampleType::U32 => Samples::U32(read_typed(reader)?),
        SampleType::I64 => Samples::I64(read_typed(reader)?),
        SampleType::U64 => Samples::U64(read_typed(reader)?),
        SampleType::F32 => Samples::F32(read_typed(reader)?),
        SampleType::F64 => Samples::F64(read_typed(reader)?),
    })
}

/// Reads a typed array and brings it into C order.
fn read_typed<T: ReadableElement + Clone>(reader: impl Read) -> Result<ArrayD<T>, String> {
    let array =
        ArrayD::<T>::read_npy(reader).map_err(|error| format!("cannot be read: {error}"))?;
    Ok(if array.is_standard_layout() { array } else { array.as_standard_layout().into_owned() })
}

fn read_text(
    mut reader: impl Read,
    wide: bool,
    units: usize,
    count: Option<usize>,
) -> Result<String, String> {
    if count != Some(1) {
        let count = count.unwrap_or_default();
        return Err(format!("holds {count} texts; expected numbers, or one text"));
    }
    if units > LONGEST_HEADER {
        return Err(format!(
            "holds a text of {units} characters; expected at most {LONGEST_HEADER}"
        ));
    }
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    let text = if wide {
        let units = bytes
            .chunks_exact(4)
            .map(|unit| u32::from_le_bytes([unit[0], unit[1], unit[2], unit[3]]));
        units.map(char::from_u32).collect::<Option<String>>()
    } else {
        String::from_utf8(bytes).ok()
    };
    let text = text.ok_or_else(|| "holds text that is not Unicode".to_owned())?;
    Ok(text.trim_end_matches('\0').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, ShapeBuilder, arr2};

    fn bytes_of(samples: &Samples) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_array(&mut bytes, samples).unwrap();
        bytes
    }

    fn parse(bytes: &[u8]) -> Result<Content, String> {
        read_array(bytes, bytes.len() as u64)
    }

    /// A version 1.0 file with the given dictionary and data.
    fn file(dictionary: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend_from_slice(&(dictionary.len() as u16 + 1).to_le_bytes());
        bytes.extend_from_slice(dictionary.as_bytes());
        bytes.push(b'\n');
        bytes.extend_from_slice(data);
        bytes
    }

    #[test]
    fn arrays_survive_a_round_trip() {
        let samples = Samples::I16(arr2(&[[1, -2, 3], [4, 5, 6]]).into_dyn());
        assert_eq!(parse(&bytes_of(&samples)).unwrap(), Content::Samples(samples));
        let empty = Samples::F32(ArrayD::zeros(vec![0, 4]));
        assert_eq!(parse(&bytes_of(&empty)).unwrap(), Content::Samples(empty));
    }

    #[test]
    fn fortran_order_is_brought_into_c_order() {
        let array = Array2::from_shape_vec((2, 3).f(), vec![1.0, 4.0, 2.0, 5.0, 3.0, 6.0]).unwrap();
        let mut bytes = Vec::new();
        array.write_npy(&mut bytes).unwrap();
        let Content::Samples(samples) = parse(&bytes).unwrap() else { panic!("text") };
        assert_eq!(samples.values::<f64>().unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(samples.shape(), [2, 3]);
    }

    #[test]
    fn big_endian_is_understood() {
        let bytes = file("{'descr': '>i2', 'fortran_order': False, 'shape': (2,)}", &[1, 0, 0, 2]);
        let Content::Samples(samples) = parse(&bytes).unwrap() else { panic!("text") };
        assert_eq!(samples.values::<i32>().unwrap(), [256, 2]);
    }

    #[test]
    fn damaged_files_are_refused_without_allocating() {
        let good = bytes_of(&Samples::F64(ArrayD::zeros(vec![3])));
        for cut in 0..good.len() {
            assert!(parse(&good[..cut]).is_err(), "cut at {cut}");
        }
        // A container that claims fewer bytes than the header has.
        assert!(read_array(good.as_slice(), 5).unwrap_err().contains("truncated"));
        let longer = [good.as_slice(), &[0]].concat();
        assert!(parse(&longer).unwrap_err().contains("extra bytes"));
        for shape in [
            "(4611686018427387904,)",
            "(9223372036854775807, 9223372036854775807)",
            "(1099511627776,)",
        ] {
            let bytes = file(
                &format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}"),
                &[0; 8],
            );
            assert!(parse(&bytes).unwrap_err().contains("truncated"), "{shape}");
        }
        let deep = file(&"(".repeat(60_000), &[]);
        assert!(parse(&deep).unwrap_err().contains("header"));
        assert!(parse(b"hello, world").unwrap_err().contains("magic"));
        let mut newer = good.clone();
        newer[6] = 9;
        assert!(parse(&newer).unwrap_err().contains("version 9.0; expected 1.0, 2.0 or 3.0"));
    }

    #[test]
    fn types_without_a_transform_are_named() {
        for (descriptor, name) in
            [("|O", "Python objects"), ("<c16", "complex128"), ("<f2", "float16")]
        {
            let bytes = file(
                &format!("{{'descr': '{descriptor}', 'fortran_order': False, 'shape': (1,)}}"),
                &[0; 16],
            );
            let error = parse(&bytes).unwrap_err();
            assert!(error.contains(name) && error.contains("expected"), "{error}");
        }
    }

    #[test]
    fn text_is_read_for_the_record() {
        let bytes = file(
            "{'descr': '<U3', 'fortran_order': False, 'shape': ()}",
            b"d\0\0\0b\0\0\0\x32\0\0\0",
        );
        assert_eq!(parse(&bytes).unwrap(), Content::Text("db2".to_owned()));
        let bytes = file("{'descr': '|S4', 'fortran_order': False, 'shape': ()}", b"zero");
        assert_eq!(parse(&bytes).unwrap(), Content::Text("zero".to_owned()));
    }
}
