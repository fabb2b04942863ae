//! Rendering of plain data: shapes and text on a canvas as SVG or PNG, charts of curves and
//! comparisons, boards and animated GIFs. The caller fills in the data; nothing here plays, trains or
//! opens a file.

pub mod animation;
mod board;
mod canvas;
pub mod chart;
pub mod palette;

pub use board::{Frame, Position};
pub use canvas::{Canvas, Pixels};

/// Why something could not be rendered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The embedded font is damaged.
    #[error("the embedded font Noto Sans cannot be parsed: {0}")]
    Font(#[from] ttf_parser::FaceParsingError),
    /// The PNG encoder failed.
    #[error("cannot encode the PNG: {0}")]
    Png(#[from] png::EncodingError),
    /// The GIF encoder failed, or what it writes to.
    #[error("cannot write the animation: {0}")]
    Gif(#[from] gif::EncodingError),
    /// An animation of nothing.
    #[error("an animation needs at least one position")]
    NoPositions,
    /// A frame is larger than the GIF format allows.
    #[error("frames of {0} pixels are too large: a GIF has at most 65535 pixels per side")]
    FrameSize(u32),
}

/// The examples of the README, compiled and run as tests.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct Readme;
