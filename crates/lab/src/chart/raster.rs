//! A picture as a PNG file, at two pixels for one of the SVG file.

use tiny_skia::{
    FillRule, LineJoin, Paint, Path, PathBuilder, PixmapMut, Stroke, StrokeDash, Transform,
};

use super::ChartError;
use super::scene::{Color, HEIGHT, Mark, Point, WIDTH};
use super::typeface::Typeface;

const SCALE: u32 = 2;
const COLUMNS: u32 = WIDTH as u32 * SCALE;
const ROWS: u32 = HEIGHT as u32 * SCALE;

pub(super) fn encode(marks: &[Mark]) -> Result<Vec<u8>, ChartError> {
    let pixels = paint(marks, &Typeface::embedded()?);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, COLUMNS, ROWS);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(bytes)
}

/// Red, green and blue of every pixel, row after row.
fn paint(marks: &[Mark], typeface: &Typeface) -> Vec<u8> {
    let mut pixels = vec![255; (COLUMNS * ROWS * 4) as usize];
    if let Some(mut canvas) = PixmapMut::from_bytes(&mut pixels, COLUMNS, ROWS) {
        for mark in marks {
            draw(&mut canvas, mark, typeface);
        }
    }
    pixels.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
}

fn draw(canvas: &mut PixmapMut<'_>, mark: &Mark, typeface: &Typeface) {
    match mark {
        Mark::Area { outline, color, opacity } => {
            let path = path(outline, true);
            fill(canvas, path.as_ref(), *color, *opacity);
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
                canvas.stroke_path(&path, &ink(*color, 1.0), &stroke, scaled(), None);
            }
        }
        Mark::Dots { points, color, radius } => {
            for &(x, y) in points {
                let disc = PathBuilder::from_circle(x as f32, y as f32, *radius as f32);
                fill(canvas, disc.as_ref(), *color, 1.0);
            }
        }
        Mark::Text { text, at, anchor, font, color } => {
            let outline = typeface.outline(*font, text, *at, *anchor);
            fill(canvas, outline.as_ref(), *color, 1.0);
        }
    }
}

fn fill(canvas: &mut PixmapMut<'_>, path: Option<&Path>, color: Color, opacity: f64) {
    if let Some(path) = path {
        canvas.fill_path(path, &ink(color, opacity), FillRule::Winding, scaled(), None);
    }
}

fn ink(Color([red, green, blue]): Color, opacity: f64) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, (opacity * 255.0).round() as u8);
    paint
}

fn scaled() -> Transform {
    Transform::from_scale(SCALE as f32, SCALE as f32)
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
