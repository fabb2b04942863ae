//! A picture as an SVG file.

use std::fmt::{self, Display, Write};

use super::{Color, Mark, Point, Sheet};

/// Faces near in width to the one the layout was measured with.
const FAMILY: &str = "Noto Sans, Segoe UI, Roboto, Helvetica, Arial, sans-serif";

pub(super) fn write(sheet: &Sheet, title: &str) -> String {
    let title = escaped(title);
    let Sheet { width, height, marks } = sheet;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{FAMILY}\">\n\
         <title>{title}</title>\n"
    );
    for mark in marks {
        // Writing to a string cannot fail.
        let _ = writeln!(svg, "{mark}");
    }
    svg + "</svg>\n"
}

impl Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mark::Area { outline, color, opacity } => {
                write!(f, "<path d=\"")?;
                write_path(f, outline)?;
                write!(f, "Z\" fill=\"{color}\" fill-opacity=\"{opacity}\"/>")
            }
            Mark::Curve { points, color, width, dashed } => {
                write!(f, "<path d=\"")?;
                write_path(f, points)?;
                write!(f, "\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"")?;
                let [dash, gap] = Mark::DASHES;
                match dashed {
                    true => write!(f, " stroke-dasharray=\"{dash} {gap}\"/>"),
                    false => f.write_str(" stroke-linejoin=\"round\"/>"),
                }
            }
            Mark::Dots { points, color, radius } => {
                write!(f, "<g fill=\"{color}\">")?;
                for (x, y) in points {
                    write!(f, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>")?;
                }
                f.write_str("</g>")
            }
            Mark::Text { text, at: (x, y), anchor, font, color } => {
                let anchor = match anchor {
                    0.0 => "",
                    1.0 => " text-anchor=\"end\"",
                    _ => " text-anchor=\"middle\"",
                };
                let weight = if font.bold { " font-weight=\"bold\"" } else { "" };
                let (size, text) = (font.size, escaped(text));
                write!(f, "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{color}\"")?;
                write!(f, "{anchor}{weight}>{text}</text>")
            }
        }
    }
}

fn write_path(f: &mut fmt::Formatter<'_>, points: &[Point]) -> fmt::Result {
    for (i, (x, y)) in points.iter().enumerate() {
        let command = if i == 0 { 'M' } else { 'L' };
        write!(f, "{command}{x:.1} {y:.1}")?;
    }
    Ok(())
}

impl Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
