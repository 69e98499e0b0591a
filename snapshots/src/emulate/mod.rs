//! Runs CUDA text on the CPU.
//!
//! The unmodified text is compiled by the host C++ compiler behind a header that turns a block's
//! threads into fibres ([`Emulator::compile`]), and the resulting program serves launches
//! ([`Program::run`]). Builds check different things ([`Checks`]):
//!
//! * `Memory`: address and undefined-behaviour sanitizers. Finds accesses outside of buffers and of
//!   dynamic shared memory, subscripts beyond an array, misaligned vector accesses, signed overflow;
//! * `Bounds`: of these, accesses and subscripts;
//! * `Races`: every access is watched. Finds unordered accesses of different threads to shared
//!   memory or to buffers, and reads of shared memory that nobody wrote.
//!
//! All find barriers and shuffles that not all threads reach. The [`Order`] of blocks and threads
//! varies at will; shared memory is filled with NaNs before every block.
//!
//! ```
//! use waveloom_snapshots::emulate::{Argument, Checks, Emulator, Launch};
//!
//! # let Some(emulator) = waveloom_snapshots::available(Emulator::find()) else { return };
//! let text = r#"
//! extern "C" __global__ void twice(float* x, int n) {
//!     const int i = blockIdx.x * blockDim.x + threadIdx.x;
//!     if (i < n) x[i] *= 2.0f;
//! }"#;
//! let mut program = emulator.compile(text, &["twice"], Checks::Memory).unwrap();
//! let launch = Launch::new("twice", [2, 1, 1], [4, 1, 1])
//!     .argument(Argument::buffer(0))
//!     .argument(Argument::from(5i32));
//! let mut buffers = vec![waveloom_snapshots::emulate::to_bytes(&[1.0f32, 2.0, 3.0, 4.0, 5.0])];
//! program.run(&launch, &mut buffers).unwrap();
//! let result: Vec<f32> = waveloom_snapshots::emulate::from_bytes(&buffers[0]);
//! assert_eq!(result, [2.0, 4.0, 6.0, 8.0, 10.0]);
//! ```

mod compiler;
mod error;
mod launch;
mod program;
mod scalar;

pub use compiler::{Checks, Emulator};
pub use error::{EmulateError, Fault};
pub use launch::{Argument, Launch, Order};
pub use program::{Program, Report};
pub use scalar::{Scalar, from_bytes, to_bytes};
