//! Learning curves, one point per block of games, with published figures as dashed levels.

use afterstate_render::chart::{Axis, Chart, Line};
use afterstate_train::Window;

use super::figures::reach;
use super::training::Trained;
use crate::charts::{chart, with_levels};

/// The tiles of the report's tables and curves.
const TILES: [u64; 6] = [256, 512, 1024, 2048, 4096, 8192];

/// A chart of some cases: its title, its curves, and published figures as levels.
pub(super) struct CurveChart(
    pub(super) &'static str,
    pub(super) Curves,
    pub(super) &'static [(&'static str, f64)],
);

/// The curves of a chart.
pub(super) enum Curves {
    /// Maximum and mean score of the first case.
    Scores,
    /// How many games of the first case reach each tile.
    Tiles,
    /// The mean score of every case.
    Means,
    /// How many games of the cases from a number on reach 2048.
    Reach2048 {
        /// The number of the first case that is shown.
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
                ("score, points", lines)
            }
            Curves::Tiles => {
                let lines = TILES.iter().map(|&tile| Line {
                    tile: Some(tile),
                    ..line(tile.to_string(), first, percent(tile))
                });
                ("games that reach the tile, %", lines.collect())
            }
            Curves::Means => {
                let lines = cases.iter().map(|(name, trained)| line(*name, trained, mean));
                ("mean score, points", lines.collect())
            }
            Curves::Reach2048 { from } => {
                let shown = cases[from..].iter().filter(|(_, trained)| !trained.runs.is_empty());
                let lines = shown.map(|(name, trained)| line(*name, trained, percent(2048)));
                ("games that reach 2048, %", lines.collect())
            }
        };
        let x = Axis::linear("games of training");
        with_levels(chart(title, x, Axis::linear(label), lines), levels)
    }
}

/// The mean over the seeds, with a band from the lowest to the highest training.
fn line(name: impl Into<String>, trained: &Trained, of: impl Fn(&[Window]) -> f64) -> Line {
    // A reduced scale has few blocks: its curves have a point per window.
    let size = if trained.scale.is_full() { trained.scale.block() } else { 1 };
    let curves = trained.runs.iter().map(|run| {
        let blocks = run.windows.chunks(size);
        blocks.filter_map(|block| Some((block.last()?.episodes as f64, of(block)))).collect()
    });
    let curves: Vec<Vec<(f64, f64)>> = curves.collect();
    let length = curves.iter().map(Vec::len).min().unwrap_or(0);
    let all = |at: usize| curves.iter().map(move |curve| curve[at].1);
    let points =
        (0..length).map(|at| (curves[0][at].0, all(at).sum::<f64>() / curves.len() as f64));
    let ends = |at| (all(at).fold(f64::MAX, f64::min), all(at).fold(f64::MIN, f64::max));
    let band = (curves.len() > 1).then(|| (0..length).map(ends).collect());
    Line { band, ..Line::new(name, points.collect()) }
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
