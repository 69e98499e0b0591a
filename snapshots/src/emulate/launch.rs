//! What is launched.

use super::Scalar;

/// In which order blocks, and the threads of a block between two barriers, run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By rising index.
    #[default]
    Forward,
    /// By falling index.
    Reverse,
    /// At random, drawn anew after every barrier.
    Shuffled {
        /// Determines the order.
        seed: u64,
    },
}

impl Order {
    /// The orders that a conformance run should try.
    pub const ALL: [Order; 3] = [Order::Forward, Order::Reverse, Order::Shuffled { seed: 1 }];
}

/// One kernel argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A pointer into a buffer.
    Buffer {
        /// Which of the run's buffers.
        index: u32,
        /// Where in it, in bytes.
        offset: u64,
    },
    /// A value, or a structure passed by value, in native byte order and layout.
    Value(Vec<u8>),
}

impl Argument {
    /// A pointer to the beginning of buffer `index`.
    pub fn buffer(index: u32) -> Self {
        Argument::Buffer { index, offset: 0 }
    }
}

impl<T: Scalar> From<T> for Argument {
    fn from(value: T) -> Self {
        let mut bytes = Vec::with_capacity(T::BYTES);
        value.append(&mut bytes);
        Argument::Value(bytes)
    }
}

/// A kernel with its grid and arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The kernel's name.
    pub kernel: String,
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads along x, y, z; at most 1024 together.
    pub block: [u32; 3],
    /// Bytes of the text's `extern __shared__` array.
    pub shared_bytes: u32,
    /// Arguments in the order of the parameters.
    pub arguments: Vec<Argument>,
    /// Order of execution.
    pub order: Order,
    /// After how many seconds the launch counts as hanging.
    pub timeout_seconds: u32,
}

impl Launch {
    /// A launch without arguments and dynamic shared memory, in forward order.
    pub fn new(kernel: &str, grid: [u32; 3], block: [u32; 3]) -> Self {
        Self {
            kernel: kernel.to_owned(),
            grid,
            block,
            shared_bytes: 0,
            arguments: Vec::new(),
            order: Order::Forward,
            timeout_seconds: 120,
        }
    }

    /// The same with one more argument.
    pub fn argument(mut self, argument: impl Into<Argument>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// The same with `bytes` of dynamic shared memory.
    pub fn shared(mut self, bytes: u32) -> Self {
        self.shared_bytes = bytes;
        self
    }

    /// The same in another order.
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }
}
