//! Arrays of any element type that files can hold.

use crate::error::{Failure, Outcome};
use ndarray::ArrayD;
use num_traits::{AsPrimitive, NumCast};
use std::any::Any;
use std::fmt;

/// A C-ordered array whose element type is only known at run time.
#[derive(Clone, Debug, PartialEq)]
pub enum Samples {
    /// Truth values, computed with as 0 and 1.
    Bool(ArrayD<bool>),
    /// 8-bit signed.
    I8(ArrayD<i8>),
    /// 8-bit unsigned.
    U8(ArrayD<u8>),
    /// 16-bit signed.
    I16(ArrayD<i16>),
    /// 16-bit unsigned.
    U16(ArrayD<u16>),
    /// 32-bit signed.
    I32(ArrayD<i32>),
    /// 32-bit unsigned.
    U32(ArrayD<u32>),
    /// 64-bit signed.
    I64(ArrayD<i64>),
    /// 64-bit unsigned.
    U64(ArrayD<u64>),
    /// IEEE single.
    F32(ArrayD<f32>),
    /// IEEE double.
    F64(ArrayD<f64>),
}

/// Evaluates an expression with `$array` bound to the typed array inside `$samples`.
#[macro_export]
macro_rules! with_samples {
    ($samples:expr, $array:ident => $body:expr) => {
        match $samples {
            $crate::samples::Samples::Bool($array) => $body,
            $crate::samples::Samples::I8($array) => $body,
            $crate::samples::Samples::U8($array) => $body,
            $crate::samples::Samples::I16($array) => $body,
            $crate::samples::Samples::U16($array) => $body,
            $crate::samples::Samples::I32($array) => $body,
            $crate::samples::Samples::U32($array) => $body,
            $crate::samples::Samples::I64($array) => $body,
            $crate::samples::Samples::U64($array) => $body,
            $crate::samples::Samples::F32($array) => $body,
            $crate::samples::Samples::F64($array) => $body,
        }
    };
}

/// The element types of [`Samples`], named as NumPy names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SampleType {
    /// `bool`
    Bool,
    /// `int8`
    I8,
    /// `uint8`
    U8,
    /// `int16`
    I16,
    /// `uint16`
    U16,
    /// `int32`
    I32,
    /// `uint32`
    U32,
    /// `int64`
    I64,
    /// `uint64`
    U64,
    /// `float32`
    F32,
    /// `float64`
    F64,
}

impl SampleType {
    /// Every type.
    pub const ALL: [Self; 11] = [
        Self::Bool,
        Self::I8,
        Self::U8,
        Self::I16,
        Self::U16,
        Self::I32,
        Self::U32,
        Self::I64,
        Self::U64,
        Self::F32,
        Self::F64,
    ];

    /// NumPy's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "int8",
            Self::U8 => "uint8",
            Self::I16 => "int16",
            Self::U16 => "uint16",
            Self::I32 => "int32",
            Self::U32 => "uint32",
            Self::I64 => "int64",
            Self::U64 => "uint64",
            Self::F32 => "float32",
            Self::F64 => "float64",
        }
    }

    /// The type of a NumPy name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Bytes per element.
    pub fn bytes(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// Whether this is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }
}

impl fmt::Display for SampleType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Samples {
    /// The element type.
    pub fn kind(&self) -> SampleType {
        match self {
            Self::Bool(_) => SampleType::Bool,
            Self::I8(_) => SampleType::I8,
            Self::U8(_) => SampleType::U8,
            Self::I16(_) => SampleType::I16,
            Self::U16(_) => SampleType::U16,
            Self::I32(_) => SampleType::I32,
            Self::U32(_) => SampleType::U32,
            Self::I64(_) => SampleType::I64,
            Self::U64(_) => SampleType::U64,
            Self::F32(_) => SampleType::F32,
            Self::F64(_) => SampleType::F64,
        }
    }

    /// The lengths of the axes, C order.
    pub fn shape(&self) -> &[usize] {
        with_samples!(self, array => array.shape())
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        with_samples!(self, array => array.len())
    }

    /// Number of elements that are not finite.
    pub fn not_finite(&self) -> usize {
        match self {
            Self::F32(array) => array.iter().filter(|value| !value.is_finite()).count(),
            Self::F64(array) => array.iter().filter(|value| !value.is_finite()).count(),
            _ => 0,
        }
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values in C order, converted to `T`. Floating-point targets round to nearest; an integer
    /// target refuses a value outside its range, and floating-point values altogether.
    pub fn values<T: Number>(&self) -> Outcome<Vec<T>> {
        let mut values = reserved(self.len())?;
        with_samples!(self, array => {
            for value in array {
                values.push(T::convert(value.widen())?);
            }
        });
        Ok(values)
    }
}

impl Samples {
    /// As [`Samples::values`], without a copy where the element type is `T` already.
    pub fn into_values<T: Number>(mut self) -> Outcome<Vec<T>> {
        let taken = with_samples!(&mut self, array => {
            (array as &mut dyn Any).downcast_mut::<ArrayD<T>>().map(std::mem::take)
        });
        match taken {
            Some(same) if same.is_standard_layout() => {
                let len = same.len();
                let (mut values, offset) = same.into_raw_vec_and_offset();
                values.drain(..offset.unwrap_or(0));
                values.truncate(len);
                Ok(values)
            }
            Some(same) => Ok(same.iter().copied().collect()),
            None => self.values(),
        }
    }
}

/// Room for so many values, unless memory does not suffice.
pub fn reserved<T>(len: usize) -> Outcome<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(len).map_err(|_| {
        let bytes = len.saturating_mul(size_of::<T>());
        Failure::of_option("shape", format!("{bytes} bytes are needed, more than there is memory"))
    })?;
    Ok(values)
}

/// A value on its way from one element type to another.
#[derive(Clone, Copy, Debug)]
pub enum Wide {
    /// Any integer, exactly.
    Integer(i128),
    /// A single, kept apart so that it does not pass through a double.
    Single(f32),
    /// A double.
    Double(f64),
}

/// Element types that can be read out of [`Samples`].
pub trait Element: Copy {
    /// The value, without loss.
    fn widen(self) -> Wide;
}

macro_rules! integer_elements {
    ($($kind:ty),*) => {$(
        impl Element for $kind {
            fn widen(self) -> Wide {
                Wide::Integer(self.into())
            }
        }
    )*};
}
integer_elements!(bool, i8, u8, i16, u16, i32, u32, i64, u64);

impl Element for f32 {
    fn widen(self) -> Wide {
        Wide::Single(self)
    }
}

impl Element for f64 {
    fn widen(self) -> Wide {
        Wide::Double(self)
    }
}

/// Element types of transforms.
pub trait Number: Element + waveloom::Element {
    /// Narrows a value; see [`Samples::values`].
    fn convert(value: Wide) -> Outcome<Self>;
    /// An array of this type.
    fn samples(array: ArrayD<Self>) -> Samples;
    /// The nearest `f64`.
    fn to_f64(self) -> f64;
}

macro_rules! float_numbers {
    ($($kind:ty => $variant:ident),*) => {$(
        impl Number for $kind {
            fn convert(value: Wide) -> Outcome<Self> {
                Ok(match value {
                    Wide::Integer(value) => value.as_(),
                    Wide::Single(value) => value.as_(),
                    Wide::Double(value) => value.as_(),
                })
            }

            fn samples(array: ArrayD<Self>) -> Samples {
                Samples::$variant(array)
            }

            fn to_f64(self) -> f64 {
                self.as_()
            }
        }
    )*};
}
float_numbers!(f32 => F32, f64 => F64);

macro_rules! integer_numbers {
    ($($kind:ty => $variant:ident),*) => {$(
        impl Number for $kind {
            fn convert(value: Wide) -> Outcome<Self> {
                match value {
                    Wide::Integer(value) => NumCast::from(value).ok_or_else(|| {
                        let (low, high) = (<$kind>::MIN, <$kind>::MAX);
                        Failure::of_option(
                            "--dtype",
                            format!(
                                "the value {value} does not fit {}; expected {low} to {high}{}",
                                stringify!($kind),
                                // Where this is the widest type, none is wider.
                                if size_of::<$kind>() < 8 { " (--dtype i64 is wider)" } else { "" },
                            ),
                        )
                    }),
                    Wide::Single(_) | Wide::Double(_) => Err(Failure::of_option(
                        "dtype",
                        "floating-point values cannot enter an integer transform; expected integers",
                    )),
                }
            }

            fn samples(array: ArrayD<Self>) -> Samples {
                Samples::$variant(array)
            }

            fn to_f64(self) -> f64 {
                self.as_()
            }
        }
    )*};
}
integer_numbers!(i16 => I16, i32 => I32, i64 => I64);

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::arr1;

    #[test]
    fn integers_convert_only_within_range() {
        let samples = Samples::I32(arr1(&[-32768, 32767]).into_dyn());
        assert_eq!(samples.values::<i16>().unwrap(), [-32768, 32767]);
        let samples = Samples::U16(arr1(&[1, 32768]).into_dyn());
        let error = samples.values::<i16>().unwrap_err().to_string();
        assert!(error.contains("32768") && error.contains("i16"), "{error}");
        assert!(error.ends_with("(--dtype i64 is wider)"), "{error}");
        let error = Samples::U64(arr1(&[1 << 63]).into_dyn()).values::<i64>().unwrap_err();
        assert!(error.to_string().ends_with("to 9223372036854775807"), "{error}");
        assert_eq!(samples.values::<f32>().unwrap(), [1.0, 32768.0]);
    }

    #[test]
    fn values_of_the_same_type_move() {
        let samples = Samples::F32(arr1(&[1.0, 2.0]).into_dyn());
        assert_eq!(samples.clone().into_values::<f32>().unwrap(), [1.0, 2.0]);
        assert_eq!(samples.into_values::<f64>().unwrap(), [1.0, 2.0]);
    }

    #[test]
    fn floats_do_not_become_integers() {
        let samples = Samples::F64(arr1(&[1.0]).into_dyn());
        assert!(samples.values::<i64>().is_err());
    }

    #[test]
    fn names_are_numpys() {
        for kind in SampleType::ALL {
            assert_eq!(SampleType::named(kind.name()), Some(kind));
        }
        assert_eq!(SampleType::named("float16"), None);
    }
}
