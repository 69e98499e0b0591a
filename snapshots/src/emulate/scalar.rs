//! Values as bytes.

/// A plain number that kernels take and buffers hold.
pub trait Scalar: Copy {
    /// Bytes per value.
    const BYTES: usize;
    /// Appends the value in native byte order.
    fn append(self, bytes: &mut Vec<u8>);
    /// Reads a value from exactly [`Scalar::BYTES`] bytes in native order; zero-extends less.
    fn read(bytes: &[u8]) -> Self;
}

macro_rules! scalar {
    ($($t:ty)*) => {$(
        impl Scalar for $t {
            const BYTES: usize = size_of::<$t>();

            fn append(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_ne_bytes());
            }

            fn read(bytes: &[u8]) -> Self {
                let mut whole = [0; size_of::<$t>()];
                for (to, from) in whole.iter_mut().zip(bytes) {
                    *to = *from;
                }
                Self::from_ne_bytes(whole)
            }
        }
    )*};
}
scalar!(i16 i32 i64 u32 u64 f32 f64);

/// The bytes of `values`.
pub fn to_bytes<T: Scalar>(values: &[T]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(values.len() * T::BYTES);
    for &value in values {
        value.append(&mut bytes);
    }
    bytes
}

/// The values in `bytes`; an incomplete one at the end is left out.
pub fn from_bytes<T: Scalar>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(T::BYTES).map(T::read).collect()
}
