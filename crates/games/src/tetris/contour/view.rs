//! `View`: what a table distinguishes of a well, as a list of abstraction steps.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use afterstate_core::text::parse_number;

use super::size::Size;

/// One abstraction step from the whole well to the entries of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// All cells, full or empty.
    Cells,
    /// The height of each column (Carr's assumption 1).
    Heights,
    /// The height differences of neighbours only (assumption 2).
    Differences,
    /// Clamps differences to this absolute value (assumption 3).
    Cap(u8),
    /// Sorts differences into this number of intervals to either side, wider as they grow: 1, 2, 3 to 4,
    /// 5 to 8, and so on; larger ones belong to the last (the alternative that assumption 3 names).
    Fuzzy(u8),
    /// In addition, the height of the highest column, in this number of equal intervals.
    Level(u8),
    /// In addition, the number of holes, clamped to this maximum.
    Holes(u8),
    /// Windows of this number of adjacent columns (assumption 4).
    Window(u8),
    /// All windows share one table, where their values are summed.
    Anywhere,
    /// Mirror images share an entry (assumption 5).
    Mirror,
}

/// A valid list of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View(Vec<Step>);

/// A text is not a view, or a view does not fit a well.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ViewError(String);

impl ViewError {
    pub(super) fn new(sentence: impl Into<String>) -> ViewError {
        ViewError(sentence.into())
    }
}

impl View {
    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// Whether mirror images share an entry.
    pub fn is_mirrored(&self) -> bool {
        self.0.contains(&Step::Mirror)
    }

    /// The number of columns of a window; `None` for the whole well.
    pub fn window(&self) -> Option<usize> {
        let window =
            |step: &Step| if let Step::Window(columns) = step { Some(*columns) } else { None };
        self.0.iter().find_map(window).map(usize::from)
    }

    /// The largest absolute difference, or interval of differences.
    pub(super) fn cap(&self) -> Option<i32> {
        let cap = |step: &Step| match step {
            Step::Cap(max) | Step::Fuzzy(max) => Some(*max),
            _ => None,
        };
        self.0.iter().find_map(cap).map(i32::from)
    }

    /// The number of height intervals, at least one.
    pub(super) fn levels(&self) -> u32 {
        let level = |step: &Step| if let Step::Level(parts) = step { Some(*parts) } else { None };
        self.0.iter().find_map(level).map_or(1, u32::from)
    }

    /// The largest number of holes; `None` if holes are not counted.
    pub(super) fn holes(&self) -> Option<u32> {
        let holes = |step: &Step| if let Step::Holes(max) = step { Some(*max) } else { None };
        self.0.iter().find_map(holes).map(u32::from)
    }

    /// Whether differences are sorted into intervals.
    pub(super) fn is_fuzzy(&self) -> bool {
        self.0.iter().any(|step| matches!(step, Step::Fuzzy(_)))
    }

    pub(super) fn has(&self, step: Step) -> bool {
        self.0.contains(&step)
    }

    /// The number of states after each step, the whole well first, as Carr counts them: heights and
    /// differences have as many values as the well has rows.
    pub fn sizes(&self, width: usize, height: usize) -> Vec<Size> {
        let rows = height as u64;
        let mut sizes = vec![Size::Power(2, (width * height) as u32)];
        for (number, step) in self.0.iter().enumerate() {
            let before = sizes[sizes.len() - 1];
            let (base, power) = match before {
                Size::Power(base, power) => (base, power),
                Size::Count(count) => (count, 1),
            };
            let differ = u32::from(self.0[..number].contains(&Step::Differences));
            sizes.push(match step {
                Step::Cells => continue,
                // Not among Carr's assumptions.
                Step::Level(_) | Step::Holes(_) | Step::Anywhere => continue,
                Step::Heights => Size::Power(rows, width as u32),
                Step::Differences => Size::Power(base, power - 1),
                Step::Cap(max) | Step::Fuzzy(max) => Size::Power(2 * u64::from(*max) + 1, power),
                Step::Window(columns) if self.has(Step::Cells) => {
                    Size::Power(2, u32::from(*columns) * height as u32)
                }
                Step::Window(columns) => Size::Power(base, u32::from(*columns) - differ),
                Step::Mirror => Size::mirrored(base, power, self.has(Step::Cells).then_some(rows)),
            });
        }
        sizes
    }
}

impl Size {
    /// The number of classes if patterns share an entry with their mirror images: half of the
    /// asymmetric patterns plus all symmetric ones. `rows` is the height of a column of cells.
    fn mirrored(base: u64, power: u32, rows: Option<u64>) -> Size {
        let (base, power) = match rows {
            Some(rows) => (1u64.checked_shl(rows as u32).unwrap_or(0), power / rows as u32),
            None => (base, power),
        };
        // The middle difference is its own image only if it is zero; a middle column always is.
        let same = if rows.is_some() { power.div_ceil(2) } else { power / 2 };
        match (base.checked_pow(power), base.checked_pow(same)) {
            (Some(all), Some(same)) => Size::Count(all / 2 + same.div_ceil(2)),
            _ => Size::Power(base, power),
        }
    }
}

impl FromStr for View {
    type Err = ViewError;

    fn from_str(text: &str) -> Result<View, ViewError> {
        let error = || {
            let text: String = text.chars().take(80).collect();
            ViewError(format!(
                "invalid view {text:?}: expected cells or heights, then optionally, in this order, \
                 differences, cap=1 to cap=9 or fuzzy=1 to fuzzy=9, level=2 to level=32, holes=1 to holes=9, \
                 window=2 to window=16, anywhere, mirror"
            ))
        };
        let within = |range: RangeInclusive<u8>, number: &str| {
            parse_number(number).filter(|n| range.contains(n))
        };
        let step = |word: &str| match word.split_once('=') {
            None if word == "cells" => Some(Step::Cells),
            None if word == "heights" => Some(Step::Heights),
            None if word == "differences" => Some(Step::Differences),
            None if word == "anywhere" => Some(Step::Anywhere),
            None if word == "mirror" => Some(Step::Mirror),
            Some(("cap", max)) => within(1..=9, max).map(Step::Cap),
            Some(("fuzzy", max)) => within(1..=9, max).map(Step::Fuzzy),
            Some(("level", parts)) => within(2..=32, parts).map(Step::Level),
            Some(("holes", max)) => within(1..=9, max).map(Step::Holes),
            Some(("window", columns)) => within(2..=16, columns).map(Step::Window),
            _ => None,
        };
        let words = text.split(',').map(|word| step(word.trim()));
        let steps: Vec<Step> = words.collect::<Option<_>>().ok_or_else(error)?;
        let place = |step: &Step| match step {
            Step::Cells | Step::Heights => 0,
            Step::Differences => 1,
            Step::Cap(_) | Step::Fuzzy(_) => 2,
            Step::Level(_) => 3,
            Step::Holes(_) => 4,
            Step::Window(_) => 5,
            Step::Anywhere => 6,
            Step::Mirror => 7,
        };
        let in_order = steps.is_sorted_by(|a, b| place(a) < place(b));
        let begins = matches!(steps.first(), Some(Step::Cells | Step::Heights));
        let view = View(steps);
        let more = view.has(Step::Differences) || view.levels() > 1 || view.holes().is_some();
        let of_cells = view.has(Step::Cells) && more;
        let uncapped = view.cap().is_some() && !view.has(Step::Differences);
        if !in_order || !begins || of_cells || uncapped {
            return Err(error());
        }
        Ok(view)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Cells => f.write_str("cells"),
            Step::Heights => f.write_str("heights"),
            Step::Differences => f.write_str("differences"),
            Step::Cap(max) => write!(f, "cap={max}"),
            Step::Fuzzy(max) => write!(f, "fuzzy={max}"),
            Step::Level(parts) => write!(f, "level={parts}"),
            Step::Holes(max) => write!(f, "holes={max}"),
            Step::Window(columns) => write!(f, "window={columns}"),
            Step::Anywhere => f.write_str("anywhere"),
            Step::Mirror => f.write_str("mirror"),
        }
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<String> = self.0.iter().map(Step::to_string).collect();
        f.write_str(&steps.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_five_assumptions_leave_175_states() {
        let view: View = "heights,differences,cap=3,window=4,mirror".parse().unwrap();
        let sizes = view.sizes(10, 20);
        let shown: Vec<String> = sizes.iter().map(Size::to_string).collect();
        assert_eq!(shown, ["2^200", "20^10", "20^9", "7^9", "7^3", "175"]);
        let counts: Vec<Option<u64>> = sizes.iter().map(|size| size.count()).collect();
        assert_eq!(counts[4..], [Some(343), Some(175)]);
        // The powers of two that Carr gives for them.
        let powers: Vec<i64> = sizes.iter().map(|size| size.log2() as i64).collect();
        assert_eq!(powers, [200, 43, 38, 25, 8, 7]);
        assert_eq!(view.to_string().parse::<View>(), Ok(view));
    }

    #[test]
    fn cells_of_melax_s_well() {
        let view: View = "cells,mirror".parse().unwrap();
        let shown: Vec<String> = view.sizes(6, 2).iter().map(Size::to_string).collect();
        assert_eq!(shown, ["2^12", "2080"]);
    }

    #[test]
    fn invalid_views_are_rejected() {
        for text in [
            "",
            "cell",
            "differences",
            "heights,mirror,window=4",
            "cells,differences",
            "cap=3",
            "heights,cap=3",
            "heights,differences,cap=3,fuzzy=3",
            "heights,differences,cap=0",
            "heights,window=17",
            "cells,holes=1",
            "heights,holes=2,level=2",
            "heights,heights",
        ] {
            assert!(text.parse::<View>().is_err(), "{text}");
        }
    }
}
