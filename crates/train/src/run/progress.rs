//! The progress of a training in words.

use afterstate_core::numbers::{duration, grouped, number};

use super::Status;
use crate::metrics::Window;

/// What a training on a cluster measures; people look for it first.
const OF_CLUSTER: [&str; 3] = ["workers", "games/s", "lost tasks"];

impl Status<'_> {
    /// The progress in parts, the most important first, with the last window so far.
    pub fn parts(&self, window: Option<&Window>) -> Vec<String> {
        let Status { position, fraction, moves_per_second, .. } = self;
        let mut share = format!("{:>3.0}%", 100.0 * fraction);
        if *fraction > 0.0 {
            share += &format!(" {} left", duration(position.seconds * (1.0 - fraction) / fraction));
        }
        let speed = moves_per_second / 1e6;
        let games = format!("{} games", grouped(&position.episodes.to_string()));
        let mut parts = vec![share, games, format!("{speed:.2}M moves/s")];
        if let Some(window) = window {
            let told = |name: &&str| Some(format!("{name} {}", number(*window.extra.get(*name)?)));
            let cluster = OF_CLUSTER.iter().filter_map(told);
            let mean = format!("mean {}", number(window.mean));
            parts.splice(1..1, [mean].into_iter().chain(cluster));
            let shown = window.reach.iter().rev().filter(|(_, part)| **part >= 0.01).take(3);
            parts.extend(shown.map(|(tile, part)| format!("{tile}: {:.0}%", 100.0 * part)));
            let extra = window.extra.iter().filter(|(name, _)| !OF_CLUSTER.contains(&&***name));
            parts.extend(extra.map(|(name, value)| format!("{name} {}", number(*value))));
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use crate::Position;

    use super::*;

    #[test]
    fn what_a_cluster_does_comes_first() {
        let extra =
            [("games/s", 250.0), ("iteration", 4.0), ("lost tasks", 1.0), ("workers", 12.0)];
        let extra = extra.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let window = Window { mean: 1234.0, extra, ..Window::default() };
        let position = Position { episodes: 5000, moves: 9_000_000, seconds: 30.0 };
        let status = Status { position, fraction: 0.5, moves_per_second: 3e5, windows: &[] };
        let parts = status.parts(Some(&window)).join(", ");
        let expected = " 50% 30 s left, mean 1,234, workers 12, games/s 250, lost tasks 1, 5,000 games, \
                        0.30M moves/s, iteration 4";
        assert_eq!(parts, expected);
    }
}
