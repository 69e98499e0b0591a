//! Property tests of the algebra that schemes are made of: Laurent polynomials, polyphase matrices,
//! and the functions that turn schemes into schemes.

mod generate;
mod laurent;
mod matrix;
mod scheme;
