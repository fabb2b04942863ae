//! A drawing as pixels, and those as a PNG file.

use tiny_skia::{
    FillRule, LineJoin, Paint, Path, PathBuilder, PixmapMut, Stroke, StrokeDash, Transform,
};

use super::typeface::Typeface;
use super::{Color, DrawingError, Mark, Pixels, Point, Sheet};

pub(super) fn encode(pixels: &Pixels) -> Result<Vec<u8>, DrawingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width, pixels.height);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels.rgb)?;
    writer.finish()?;
    Ok(bytes)
}

/// Red, green and blue of every pixel, row after row.
pub(super) fn paint(sheet: &Sheet, scale: f64, typeface: &Typeface) -> Pixels {
    let [width, height] = [sheet.width, sheet.height].map(|side| (side * scale).round() as u32);
    let mut pixels = vec![255; (width * height * 4) as usize];
    if let Some(canvas) = PixmapMut::from_bytes(&mut pixels, width, height) {
        let scale = Transform::from_scale(scale as f32, scale as f32);
        let mut brush = Brush { canvas, scale };
        for mark in &sheet.marks {
            brush.draw(mark, typeface);
        }
    }
    let rgb = pixels.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    Pixels { width, height, rgb }
}

struct Brush<'a> {
    canvas: PixmapMut<'a>,
    scale: Transform,
}

impl Brush<'_> {
    fn draw(&mut self, mark: &Mark, typeface: &Typeface) {
        match mark {
            Mark::Area { outline, color, opacity } => {
                let path = path(outline, true);
                self.fill(path.as_ref(), *color, *opacity);
            }
            Mark::Curve { points, color, width, dashed } => {
                let dash = StrokeDash::new(Mark::DASHES.map(|length| length as f32).to_vec(), 0.0);
                let stroke = Stroke {
                    width: *width as f32,
                    line_join: LineJoin::Round,
                    dash: dash.filter(|_| *dashed),
                    ..Stroke::default()
                };
                if let Some(path) = path(points, false) {
                    self.canvas.stroke_path(&path, &ink(*color, 1.0), &stroke, self.scale, None);
                }
            }
            Mark::Dots { points, color, radius } => {
                for &(x, y) in points {
                    let disc = PathBuilder::from_circle(x as f32, y as f32, *radius as f32);
                    self.fill(disc.as_ref(), *color, 1.0);
                }
            }
            Mark::Text { text, at, anchor, font, color } => {
                let outline = typeface.outline(*font, text, *at, *anchor);
                self.fill(outline.as_ref(), *color, 1.0);
            }
        }
    }

    fn fill(&mut self, path: Option<&Path>, color: Color, opacity: f64) {
        if let Some(path) = path {
            let ink = ink(color, opacity);
            self.canvas.fill_path(path, &ink, FillRule::Winding, self.scale, None);
        }
    }
}

fn ink(Color([red, green, blue]): Color, opacity: f64) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, (opacity * 255.0).round() as u8);
    paint
}

fn path(points: &[Point], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (i, &(x, y)) in points.iter().enumerate() {
        let (x, y) = (x as f32, y as f32);
        if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    if closed {
        path.close();
    }
    path.finish()
}
