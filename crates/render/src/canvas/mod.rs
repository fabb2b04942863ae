//! `Canvas`: shapes and text, written as SVG or rasterised to pixels. Charts and boards are laid out
//! on it, so that files, animations and the page show the same.

mod raster;
mod svg;
mod typeface;

pub(crate) use typeface::{Font, Typeface};

use crate::RenderError;
use crate::palette::Color;

/// Across and down, in pixels.
pub(crate) type Point = (f64, f64);

/// One element to draw; later ones cover earlier ones.
#[derive(Clone, Debug, PartialEq)]
enum Element {
    Polygon {
        points: Vec<Point>,
        color: Color,
        opacity: f64,
    },
    Polyline {
        points: Vec<Point>,
        color: Color,
        width: f64,
        dashed: bool,
    },
    Circles {
        centers: Vec<Point>,
        color: Color,
        radius: f64,
    },
    /// Text whose baseline meets a point; `anchor` of its width lies left of the point.
    Text {
        text: String,
        at: Point,
        anchor: f64,
        font: Font,
        color: Color,
    },
}

/// The lengths of a dash and of the gap after it.
const DASHES: [f64; 2] = [6.0, 4.0];

/// A picture as a list of elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Canvas {
    width: f64,
    height: f64,
    elements: Vec<Element>,
}

/// Pixels, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green and blue of each pixel.
    pub rgb: Vec<u8>,
}

impl Canvas {
    /// A canvas with a background; its size is in pixels of the SVG file.
    pub(crate) fn new(width: f64, height: f64, background: Color) -> Canvas {
        let points = rectangle((0.0, 0.0), (width, height));
        let elements = vec![Element::Polygon { points, color: background, opacity: 1.0 }];
        Canvas { width, height, elements }
    }

    /// Changes the height, and that of the background with it.
    pub(crate) fn set_height(&mut self, height: f64) {
        self.height = height;
        if let Some(Element::Polygon { points, .. }) = self.elements.first_mut() {
            *points = rectangle((0.0, 0.0), (self.width, height));
        }
    }

    pub(crate) fn polygon(&mut self, points: Vec<Point>, color: Color, opacity: f64) {
        self.elements.push(Element::Polygon { points, color, opacity });
    }

    pub(crate) fn polyline(&mut self, points: Vec<Point>, color: Color, width: f64, dashed: bool) {
        self.elements.push(Element::Polyline { points, color, width, dashed });
    }

    pub(crate) fn circles(&mut self, centers: Vec<Point>, color: Color, radius: f64) {
        self.elements.push(Element::Circles { centers, color, radius });
    }

    /// Text whose baseline meets a point; `anchor` of its width lies left of the point.
    pub(crate) fn text(&mut self, text: &str, at: Point, anchor: f64, font: Font, color: Color) {
        self.elements.push(Element::Text { text: single_line(text), at, anchor, font, color });
    }

    /// Width and height in pixels of the SVG file.
    pub fn size(&self) -> (f64, f64) {
        (self.width, self.height)
    }

    /// The picture as an SVG file with a title.
    pub fn svg(&self, title: &str) -> String {
        svg::write(self, &single_line(title))
    }

    /// The picture as a PNG file with `scale` pixels for one of the SVG file.
    pub fn png(&self, scale: f64) -> Result<Vec<u8>, RenderError> {
        raster::encode(&self.pixels(scale)?)
    }

    /// The picture as pixels, `scale` for one of the SVG file.
    pub fn pixels(&self, scale: f64) -> Result<Pixels, RenderError> {
        Ok(raster::rasterize(self, scale, &Typeface::embedded()?))
    }
}

/// The corners of a rectangle.
pub(crate) fn rectangle((x, y): Point, (width, height): Point) -> Vec<Point> {
    vec![(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
}

/// Text on one line: control characters, invalid in XML and on a terminal, become spaces.
pub(crate) fn single_line(text: &str) -> String {
    let invalid = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if invalid(c) { ' ' } else { c }).collect()
}
