//! Property tests of the algebra that schemes are made of: Laurent polynomials, polyphase matrices,
//! the functions that turn schemes into schemes, and the stages below them.

mod dag;
mod generate;
mod kernel;
mod laurent;
mod matrix;
mod scheme;
