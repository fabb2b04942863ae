//! The Rust examples of README.md and of the guide to the library, compiled and run as doctests. They
//! are here because published crates include nothing from outside their folders.

#[doc = include_str!("../../README.md")]
#[cfg(doctest)]
pub struct Readme;

#[doc = include_str!("../../docs/library.md")]
#[cfg(doctest)]
pub struct LibraryGuide;
