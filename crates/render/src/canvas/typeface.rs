//! `Typeface`: the widths and outlines of text, from an embedded font, so that the result does not
//! depend on the fonts that are installed.

use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::{Point, single_line};
use crate::RenderError;

/// Noto Sans in two weights.
pub(crate) struct Typeface {
    regular: Face<'static>,
    bold: Face<'static>,
}

/// Size and weight of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Font {
    /// Pixels per em.
    pub(crate) size: f64,
    pub(crate) bold: bool,
}

/// How much wider the viewer of an SVG file may draw a text in a font of its own.
const SLACK: f64 = 1.16;

impl Typeface {
    pub(crate) fn embedded() -> Result<Typeface, RenderError> {
        let regular = Face::parse(ttf_noto_sans::REGULAR, 0)?;
        Ok(Typeface { regular, bold: Face::parse(ttf_noto_sans::BOLD, 0)? })
    }

    fn face(&self, font: Font) -> &Face<'static> {
        if font.bold { &self.bold } else { &self.regular }
    }

    fn advance(&self, font: Font, letter: char) -> f64 {
        let face = self.face(font);
        // Letters that Noto Sans lacks are mostly one em wide.
        let units = face.glyph_index(letter).and_then(|glyph| face.glyph_hor_advance(glyph));
        let em = f64::from(face.units_per_em());
        font.size * units.map_or(1.0, |units| f64::from(units) / em)
    }

    fn exact_width(&self, font: Font, text: &str) -> f64 {
        text.chars().map(|letter| self.advance(font, letter)).sum()
    }

    /// The width to reserve for a text.
    pub(crate) fn width(&self, font: Font, text: &str) -> f64 {
        SLACK * self.exact_width(font, text)
    }

    /// The trimmed text, or its beginning and an ellipsis where it is wider than `room`.
    pub(crate) fn fit(&self, font: Font, text: &str, room: f64) -> String {
        let text = single_line(text);
        let text = text.trim();
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

    /// The text in at most `max_rows` rows, broken between words; the last one is shortened to fit.
    pub(crate) fn wrap(&self, font: Font, text: &str, room: f64, max_rows: usize) -> Vec<String> {
        let mut rows: Vec<String> = Vec::new();
        for word in single_line(text).split_whitespace() {
            let joined = rows.last().map(|row| format!("{row} {word}"));
            match (rows.last_mut(), joined) {
                (Some(row), Some(joined)) if self.width(font, &joined) <= room => *row = joined,
                _ => rows.push(word.to_owned()),
            }
            if rows.len() > max_rows {
                // Joined again, the last two rows are too wide; `fit` shortens them.
                let last = rows.split_off(max_rows.saturating_sub(1)).join(" ");
                rows.push(last);
                break;
            }
        }
        rows.iter().map(|row| self.fit(font, row, room)).collect()
    }

    /// The outline of a text whose baseline meets a point, with `anchor` of its width left of the
    /// point; `None` if it has no outline, as spaces have none.
    pub(crate) fn outline(
        &self,
        font: Font,
        text: &str,
        (x, y): Point,
        anchor: f64,
    ) -> Option<Path> {
        let face = self.face(font);
        let scale = font.size / f64::from(face.units_per_em());
        let x = x - anchor * self.exact_width(font, text);
        let (scale, x, y) = (scale as f32, x as f32, y as f32);
        let mut outline = TextOutline { path: PathBuilder::new(), scale, x, y };
        for letter in text.chars() {
            // Glyph 0 is the replacement for a missing letter.
            face.outline_glyph(face.glyph_index(letter).unwrap_or(GlyphId(0)), &mut outline);
            outline.x += self.advance(font, letter) as f32;
        }
        outline.path.finish()
    }
}

/// Collects glyphs, transformed from font units, which grow upwards, to pixels.
struct TextOutline {
    path: PathBuilder,
    scale: f32,
    x: f32,
    y: f32,
}

impl TextOutline {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.y - y * self.scale)
    }
}

impl OutlineBuilder for TextOutline {
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
