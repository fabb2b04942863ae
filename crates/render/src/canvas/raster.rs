//! A canvas as pixels, and pixels as a PNG file.

use tiny_skia::{
    FillRule, LineJoin, Paint, Path, PathBuilder, PixmapMut, Stroke, StrokeDash, Transform,
};

use super::typeface::Typeface;
use super::{Canvas, DASHES, Element, Pixels, Point};
use crate::RenderError;
use crate::palette::Color;

pub(super) fn encode(pixels: &Pixels) -> Result<Vec<u8>, RenderError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width, pixels.height);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels.rgb)?;
    writer.finish()?;
    Ok(bytes)
}

pub(super) fn rasterize(canvas: &Canvas, scale: f64, typeface: &Typeface) -> Pixels {
    let [width, height] = [canvas.width, canvas.height].map(|side| (side * scale).round() as u32);
    let mut pixels = vec![255; (width * height * 4) as usize];
    if let Some(pixmap) = PixmapMut::from_bytes(&mut pixels, width, height) {
        let scale = Transform::from_scale(scale as f32, scale as f32);
        let mut raster = Raster { pixmap, scale };
        for element in &canvas.elements {
            raster.draw(element, typeface);
        }
    }
    let rgb = pixels.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    Pixels { width, height, rgb }
}

struct Raster<'a> {
    pixmap: PixmapMut<'a>,
    scale: Transform,
}

impl Raster<'_> {
    fn draw(&mut self, element: &Element, typeface: &Typeface) {
        match element {
            Element::Polygon { points, color, opacity } => {
                let path = path(points, true);
                self.fill(path.as_ref(), *color, *opacity);
            }
            Element::Polyline { points, color, width, dashed } => {
                let dash = StrokeDash::new(DASHES.map(|length| length as f32).to_vec(), 0.0);
                let stroke = Stroke {
                    width: *width as f32,
                    line_join: LineJoin::Round,
                    dash: dash.filter(|_| *dashed),
                    ..Stroke::default()
                };
                if let Some(path) = path(points, false) {
                    self.pixmap.stroke_path(&path, &paint(*color, 1.0), &stroke, self.scale, None);
                }
            }
            Element::Circles { centers, color, radius } => {
                for &(x, y) in centers {
                    let circle = PathBuilder::from_circle(x as f32, y as f32, *radius as f32);
                    self.fill(circle.as_ref(), *color, 1.0);
                }
            }
            Element::Text { text, at, anchor, font, color } => {
                let outline = typeface.outline(*font, text, *at, *anchor);
                self.fill(outline.as_ref(), *color, 1.0);
            }
        }
    }

    fn fill(&mut self, path: Option<&Path>, color: Color, opacity: f64) {
        if let Some(path) = path {
            let paint = paint(color, opacity);
            self.pixmap.fill_path(path, &paint, FillRule::Winding, self.scale, None);
        }
    }
}

fn paint(Color([red, green, blue]): Color, opacity: f64) -> Paint<'static> {
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
