//! `Typeface`: the letters of a picture, from the font inside the program, so that a machine
//! without any font draws the same.

use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::DrawingError;

/// Noto Sans in two weights.
pub(crate) struct Typeface {
    regular: Face<'static>,
    bold: Face<'static>,
}

/// How a text is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Font {
    /// Pixels to the em.
    pub(crate) size: f64,
    pub(crate) bold: bool,
}

/// The reader of an SVG file sees its text in another font, which may be this much wider.
const SLACK: f64 = 1.16;

impl Typeface {
    pub(crate) fn embedded() -> Result<Typeface, DrawingError> {
        let regular = Face::parse(ttf_noto_sans::REGULAR, 0)?;
        Ok(Typeface { regular, bold: Face::parse(ttf_noto_sans::BOLD, 0)? })
    }

    fn face(&self, font: Font) -> &Face<'static> {
        if font.bold { &self.bold } else { &self.regular }
    }

    /// The width of a letter in this font.
    fn advance(&self, font: Font, letter: char) -> f64 {
        let face = self.face(font);
        // Letters that Noto Sans lacks are mostly as wide as high.
        let units = face.glyph_index(letter).and_then(|glyph| face.glyph_hor_advance(glyph));
        let em = f64::from(face.units_per_em());
        font.size * units.map_or(1.0, |units| f64::from(units) / em)
    }

    fn exact_width(&self, font: Font, text: &str) -> f64 {
        text.chars().map(|letter| self.advance(font, letter)).sum()
    }

    /// The room to leave for a text.
    pub(crate) fn width(&self, font: Font, text: &str) -> f64 {
        SLACK * self.exact_width(font, text)
    }

    /// The text, or its beginning and three dots where it is wider than the room.
    pub(crate) fn fit(&self, font: Font, text: &str, room: f64) -> String {
        if self.width(font, text) <= room {
            return text.to_owned();
        }
        let mut left = room - self.width(font, "…");
        let fits = |letter: &char| {
            left -= SLACK * self.advance(font, *letter);
            left >= 0.0
        };
        let mut start: String = text.chars().take_while(fits).collect();
        start.truncate(start.trim_end().len());
        start + "…"
    }

    /// The text in rows broken between words, at most so many; the last is cut to fit.
    pub(crate) fn wrap(&self, font: Font, text: &str, room: f64, most: usize) -> Vec<String> {
        let mut rows: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            let joined = rows.last().map(|row| format!("{row} {word}"));
            match (rows.last_mut(), joined) {
                (Some(row), Some(joined)) if self.width(font, &joined) <= room => *row = joined,
                _ => rows.push(word.to_owned()),
            }
            if rows.len() > most {
                // Joined again, the last two rows are too wide, and are cut below.
                let last = rows.split_off(most.saturating_sub(1)).join(" ");
                rows.push(last);
                break;
            }
        }
        rows.iter().map(|row| self.fit(font, row, room)).collect()
    }

    /// The outline of a text on a baseline through a point, if it has any ink. `anchor` is the part
    /// of the text's width that lies left of the point.
    pub(crate) fn outline(
        &self,
        font: Font,
        text: &str,
        (x, y): (f64, f64),
        anchor: f64,
    ) -> Option<Path> {
        let face = self.face(font);
        let scale = font.size / f64::from(face.units_per_em());
        let x = x - anchor * self.exact_width(font, text);
        let mut pen =
            Pen { path: PathBuilder::new(), scale: scale as f32, x: x as f32, y: y as f32 };
        for letter in text.chars() {
            // Glyph 0 is the box that stands for a missing letter.
            face.outline_glyph(face.glyph_index(letter).unwrap_or(GlyphId(0)), &mut pen);
            pen.x += self.advance(font, letter) as f32;
        }
        pen.path.finish()
    }
}

/// Moves outlines from the font's units, which grow upwards, to the picture's.
struct Pen {
    path: PathBuilder,
    scale: f32,
    x: f32,
    y: f32,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.y - y * self.scale)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
