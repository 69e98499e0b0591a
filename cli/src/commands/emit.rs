//! `waveloom emit`
