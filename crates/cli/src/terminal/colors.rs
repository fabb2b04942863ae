//! The colours that the terminal supports.

use afterstate_render::palette::Color;
use ratatui::style;

/// The colours of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colors {
    /// None, or `NO_COLOR` is set.
    None,
    /// The 256 colours of xterm.
    Indexed,
    /// 24-bit colours.
    True,
}

impl Colors {
    /// From `NO_COLOR`, `COLORTERM` and `TERM`.
    pub(crate) fn from_environment() -> Colors {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        Colors::of(&variable("NO_COLOR"), &variable("COLORTERM"), &variable("TERM"))
    }

    fn of(no_color: &str, color_term: &str, term: &str) -> Colors {
        if !no_color.is_empty() || term.starts_with("vt") {
            Colors::None
        } else if matches!(color_term, "truecolor" | "24bit") || term.ends_with("-direct") {
            Colors::True
        } else {
            Colors::Indexed
        }
    }

    /// Whether there are any colours.
    pub(crate) fn any(self) -> bool {
        self != Colors::None
    }

    /// The nearest colour of the terminal.
    pub(crate) fn nearest(self, color: Color) -> style::Color {
        let Color([red, green, blue]) = color;
        match self {
            Colors::None => style::Color::Reset,
            Colors::Indexed => style::Color::Indexed(nearest_indexed(color)),
            Colors::True => style::Color::Rgb(red, green, blue),
        }
    }
}

/// The nearest of xterm's colours: a cube of 6 x 6 x 6, and 24 greys.
fn nearest_indexed(Color(parts): Color) -> u8 {
    const LEVELS: [i32; 6] = [0, 95, 135, 175, 215, 255];
    let distance = |other: [i32; 3]| {
        let each = parts.iter().zip(other).map(|(a, b)| (i32::from(*a) - b).pow(2));
        each.sum::<i32>()
    };
    let cube = (0..216).map(|n| {
        let level = |digit: usize| LEVELS[digit % 6];
        (16 + n as u8, [level(n / 36), level(n / 6), level(n)])
    });
    let greys = (0..24u8).map(|n| (232 + n, [8 + 10 * i32::from(n); 3]));
    let all = cube.chain(greys);
    all.min_by_key(|(_, color)| distance(*color)).map_or(0, |(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_follow_the_environment() {
        assert_eq!(Colors::of("1", "truecolor", "xterm-256color"), Colors::None);
        assert_eq!(Colors::of("", "truecolor", "xterm"), Colors::True);
        assert_eq!(Colors::of("", "", "xterm-256color"), Colors::Indexed);
        assert_eq!(Colors::of("", "", "vt100"), Colors::None);
    }

    #[test]
    fn an_indexed_color_is_its_own_nearest() {
        assert_eq!(nearest_indexed(Color([0, 0, 0])), 16);
        assert_eq!(nearest_indexed(Color([255, 255, 255])), 231);
        assert_eq!(nearest_indexed(Color([95, 135, 175])), 67);
        assert_eq!(nearest_indexed(Color([8, 8, 8])), 232);
        assert_eq!(nearest_indexed(Color([200, 60, 50])), 167);
    }
}
