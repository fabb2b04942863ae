//! `View`: which words describe the well, as a list of steps that each leave something out.

use std::fmt;
use std::str::FromStr;

use afterstate_core::text::parse_number;

use super::size::Size;

/// One step from the whole well to what a table looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Every cell, full or empty: nothing is left out.
    Cells,
    /// How high each column reaches; what lies below is not seen (Carr's assumption 1).
    Heights,
    /// Only the differences between neighbours (assumption 2).
    Differences,
    /// Differences beyond this count as this (assumption 3).
    Cap(u8),
    /// Besides, how high the highest of the columns is, in so many equal parts of the well.
    Level(u8),
    /// Besides, how many empty cells lie below the tops of the columns, as if never more.
    Holes(u8),
    /// Only so many neighbouring columns (assumption 4).
    Window(u8),
    /// The same wherever they stand, where the values of all places are summed.
    Anywhere,
    /// The mirror image counts as the same (assumption 5).
    Mirror,
}

/// A list of steps that makes sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View(Vec<Step>);

/// A text is not a view.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "view: met {0:?}, expected cells or heights, then as wanted and in this order differences, \
     cap=1 to cap=9, level=2 to level=32, holes=1 to holes=9, window=2 to window=16, anywhere, mirror"
)]
pub struct ViewError(String);

impl ViewError {
    pub(super) fn new(met: &str) -> ViewError {
        ViewError(met.to_owned())
    }
}

impl View {
    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// Whether mirror images count as the same.
    pub fn is_mirrored(&self) -> bool {
        self.0.contains(&Step::Mirror)
    }

    /// How many neighbouring columns are seen, if not all.
    pub fn window(&self) -> Option<usize> {
        self.0.iter().find_map(|step| match step {
            Step::Window(columns) => Some(usize::from(*columns)),
            _ => None,
        })
    }

    /// The largest difference that is told from smaller ones.
    pub(super) fn cap(&self) -> Option<i32> {
        self.0.iter().find_map(|step| match step {
            Step::Cap(most) => Some(i32::from(*most)),
            _ => None,
        })
    }

    /// How many parts of the well's height are told apart: one where it is not seen.
    pub(super) fn levels(&self) -> u32 {
        let level = |step: &Step| if let Step::Level(parts) = step { Some(*parts) } else { None };
        self.0.iter().find_map(level).map_or(1, u32::from)
    }

    /// The largest number of holes that is told from smaller ones.
    pub(super) fn holes(&self) -> Option<u32> {
        let holes = |step: &Step| if let Step::Holes(most) = step { Some(*most) } else { None };
        self.0.iter().find_map(holes).map(u32::from)
    }

    pub(super) fn has(&self, step: Step) -> bool {
        self.0.contains(&step)
    }

    /// How many states there are after each step in a well of a size, the whole well first, as
    /// Carr counts them: a height has as many values as the well has rows, and so has a
    /// difference.
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
                // Beside the assumptions, for overlapping windows: a factor of their own.
                Step::Level(_) | Step::Holes(_) | Step::Anywhere => continue,
                Step::Heights => Size::Power(rows, width as u32),
                Step::Differences => Size::Power(base, power - 1),
                Step::Cap(most) => Size::Power(2 * u64::from(*most) + 1, power),
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
    /// How many classes there are when words are the same as their mirror images: half of those
    /// that differ from their image, and all others. Where cells are counted a column has so many
    /// rows.
    fn mirrored(base: u64, power: u32, rows: Option<u64>) -> Size {
        let (base, power) = match rows {
            Some(rows) => (1u64.checked_shl(rows as u32).unwrap_or(0), power / rows as u32),
            None => (base, power),
        };
        // A difference in the middle is its own image only if it is zero; a column always is.
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
        let error = || ViewError(text.chars().take(80).collect());
        let step = |word: &str| match word.split_once('=') {
            None if word == "cells" => Some(Step::Cells),
            None if word == "heights" => Some(Step::Heights),
            None if word == "differences" => Some(Step::Differences),
            None if word == "anywhere" => Some(Step::Anywhere),
            None if word == "mirror" => Some(Step::Mirror),
            Some(("cap", most)) => {
                parse_number(most).filter(|most| (1..=9).contains(most)).map(Step::Cap)
            }
            Some(("level", parts)) => {
                parse_number(parts).filter(|n| (2..=32).contains(n)).map(Step::Level)
            }
            Some(("holes", most)) => {
                parse_number(most).filter(|n| (1..=9).contains(n)).map(Step::Holes)
            }
            Some(("window", columns)) => {
                parse_number(columns).filter(|n| (2..=16).contains(n)).map(Step::Window)
            }
            _ => None,
        };
        let words = text.split(',').map(|word| step(word.trim()));
        let steps: Vec<Step> = words.collect::<Option<_>>().ok_or_else(error)?;
        let place = |step: &Step| match step {
            Step::Cells | Step::Heights => 0,
            Step::Differences => 1,
            Step::Cap(_) => 2,
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
            Step::Cap(most) => write!(f, "cap={most}"),
            Step::Level(parts) => write!(f, "level={parts}"),
            Step::Holes(most) => write!(f, "holes={most}"),
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
        // The powers of two that Carr writes beside them.
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
    fn what_is_no_view_is_refused() {
        for text in [
            "",
            "cell",
            "differences",
            "heights,mirror,window=4",
            "cells,differences",
            "cap=3",
            "heights,cap=3",
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
