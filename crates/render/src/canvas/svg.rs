//! A canvas as an SVG file.

use std::fmt::{self, Display, Write};

use super::{Canvas, DASHES, Element, Point};

/// Fonts close in width to Noto Sans, by which texts are laid out.
const FAMILY: &str = "Noto Sans, Segoe UI, Roboto, Helvetica, Arial, sans-serif";

pub(super) fn write(canvas: &Canvas, title: &str) -> String {
    let title = escaped(title);
    let Canvas { width, height, elements } = canvas;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{FAMILY}\">\n\
         <title>{title}</title>\n"
    );
    for element in elements {
        // Writing to a string cannot fail.
        let _ = writeln!(svg, "{element}");
    }
    svg + "</svg>\n"
}

impl Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Polygon { points, color, opacity } => {
                write!(f, "<path d=\"")?;
                write_path(f, points)?;
                write!(f, "Z\" fill=\"{color}\" fill-opacity=\"{opacity}\"/>")
            }
            Element::Polyline { points, color, width, dashed } => {
                write!(f, "<path d=\"")?;
                write_path(f, points)?;
                write!(f, "\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"")?;
                let [dash, gap] = DASHES;
                match dashed {
                    true => write!(f, " stroke-dasharray=\"{dash} {gap}\"/>"),
                    false => f.write_str(" stroke-linejoin=\"round\"/>"),
                }
            }
            Element::Circles { centers, color, radius } => {
                write!(f, "<g fill=\"{color}\">")?;
                for (x, y) in centers {
                    write!(f, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>")?;
                }
                f.write_str("</g>")
            }
            Element::Text { text, at: (x, y), anchor, font, color } => {
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

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
