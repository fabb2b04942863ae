//! Learning curves, one point per block of games, with published figures as dashed levels.

use afterstate_render::chart::{Axis, Chart, Line};
use afterstate_train::Window;

use super::training::{Trained, reach};
use crate::charts::{chart, with_levels};

/// The tiles of the report's tables and curves.
const TILES: [u64; 6] = [256, 512, 1024, 2048, 4096, 8192];

/// A chart of some trainings: its title, its curves, and published figures as levels.
pub(super) struct CurveChart(
    pub(super) &'static str,
    pub(super) Curves,
    pub(super) &'static [(&'static str, f64)],
);

/// The curves of a chart.
pub(super) enum Curves {
    /// Maximum and mean score of the first training.
    Scores,
    /// How many games of the first training reach each tile.
    Tiles,
    /// The mean score of every training.
    Means,
    /// How many games of the trainings from a number on reach 2048.
    Reach2048 {
        /// The number of the first training that is shown.
        from: usize,
    },
}

impl CurveChart {
    pub(super) fn draw(&self, cases: &[(&'static str, Trained)]) -> Chart {
        let &CurveChart(title, ref curves, levels) = self;
        let first = &cases[0].1;
        let (label, lines) = match *curves {
            Curves::Scores => {
                let lines = vec![line("maximum", first, max), line("mean", first, mean)];
                ("score", lines)
            }
            Curves::Tiles => {
                let lines = TILES.iter().map(|&tile| line(tile.to_string(), first, percent(tile)));
                ("games that reach the tile, %", lines.collect())
            }
            Curves::Means => {
                let lines = cases.iter().map(|(name, trained)| line(*name, trained, mean));
                ("mean score", lines.collect())
            }
            Curves::Reach2048 { from } => {
                let shown = cases[from..].iter();
                let lines = shown.map(|(name, trained)| line(*name, trained, percent(2048)));
                ("games that reach 2048, %", lines.collect())
            }
        };
        let x = Axis::linear("games of training");
        with_levels(chart(title, x, Axis::linear(label), lines), levels)
    }
}

fn line(name: impl Into<String>, trained: &Trained, of: impl Fn(&[Window]) -> f64) -> Line {
    // A reduced scale has few blocks: its curves have a point per window.
    let size = if trained.scale.is_full() { trained.scale.block() } else { 1 };
    let blocks = trained.run.windows.chunks(size);
    let points = blocks.filter_map(|block| Some((block.last()?.episodes as f64, of(block))));
    Line::new(name, points.collect())
}

fn average(block: &[Window], of: impl Fn(&Window) -> f64) -> f64 {
    block.iter().map(of).sum::<f64>() / block.len() as f64
}

fn mean(block: &[Window]) -> f64 {
    average(block, |window| window.mean)
}

fn max(block: &[Window]) -> f64 {
    block.iter().map(|window| window.max).fold(0.0, f64::max)
}

fn percent(tile: u64) -> impl Fn(&[Window]) -> f64 {
    move |block| 100.0 * average(block, |window| reach(window, tile))
}
