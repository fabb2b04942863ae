//! Drawings: shapes and letters on a sheet, which become SVG or pixels. Charts and boards are laid out
//! in them, so that files, films, the page and the README show the same.

mod raster;
mod svg;
mod typeface;

pub(crate) use typeface::{Font, Typeface};

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Color(pub [u8; 3]);

/// Across and down, in pixels.
pub(crate) type Point = (f64, f64);

/// One thing to draw; later ones cover earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mark {
    /// The inside of an outline.
    Area { outline: Vec<Point>, color: Color, opacity: f64 },
    /// A curve through points.
    Curve { points: Vec<Point>, color: Color, width: f64, dashed: bool },
    /// Discs around points.
    Dots { points: Vec<Point>, color: Color, radius: f64 },
    /// Text whose baseline meets a point; `anchor` of its width lies left of the point.
    Text { text: String, at: Point, anchor: f64, font: Font, color: Color },
}

impl Mark {
    /// The lengths of a dash and of the gap after it.
    const DASHES: [f64; 2] = [6.0, 4.0];
}

/// A sheet with everything that is drawn on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// In pixels of an SVG file.
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) marks: Vec<Mark>,
}

/// A drawing could not be made.
#[derive(Debug, thiserror::Error)]
pub enum DrawingError {
    /// The font inside the program is damaged.
    #[error("met an embedded font that cannot be read ({0}), expected Noto Sans")]
    Font(#[from] ttf_parser::FaceParsingError),
    /// The picture did not become a file.
    #[error("the PNG could not be encoded: {0}")]
    Png(#[from] png::EncodingError),
}

/// Pixels, row after row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green and blue of each pixel.
    pub rgb: Vec<u8>,
}

impl Sheet {
    /// Width and height in pixels of the SVG file.
    pub fn size(&self) -> (f64, f64) {
        (self.width, self.height)
    }

    /// The drawing as an SVG file with a title.
    pub fn svg(&self, title: &str) -> String {
        svg::write(self, &plain(title))
    }

    /// The drawing as a PNG file, with so many pixels for one of the SVG file.
    pub fn png(&self, scale: f64) -> Result<Vec<u8>, DrawingError> {
        raster::encode(&self.pixels(scale)?)
    }

    /// The drawing as pixels, so many for one of the SVG file.
    pub fn pixels(&self, scale: f64) -> Result<Pixels, DrawingError> {
        Ok(raster::paint(self, scale, &Typeface::embedded()?))
    }
}

/// Text on one row: control characters, which neither XML nor a terminal may meet, become spaces.
pub(crate) fn plain(text: &str) -> String {
    let stray = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if stray(c) { ' ' } else { c }).collect()
}
