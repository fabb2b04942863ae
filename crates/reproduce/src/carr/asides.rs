//! Sentences of the thesis about what agents do that no figure of its shows: figures 2.5 and 5.5, and
//! sections 2.2, 5.1 and 6.1.

use afterstate_core::{Ending, Episode, Rng};
use afterstate_games::Combine::{Average, Largest};
use afterstate_games::tetris::contour::ContourReward;

use super::alternating::{self, IN_TURN, SAFE, WELLS};
use super::contour::{Contour, Learner, TEN};
use super::melax::{MELAX, MelaxTd, NOT_MIRRORED};
use super::melax_figures::compare;
use super::narrow::{Games, limits, narrow, player};
use super::seeds::{each, first_seed, mean, played_seed};
use super::statements;
use super::studies::{SARSA_FIVE_UNMIRRORED, SARSA_FOUR_SHORT};
use super::{END, GAMES, JUMP, NEVER, PUSHED_END, ROWS, results};
use crate::TrainingCache;
use crate::experiment::{Experiment, Measured, Measurement, Quantity, published};
use crate::measure::Value;

/// Twelve million rows of four columns take so many pieces: 2.4 cells each on average.
const PIECES: u64 = 20_000_000;

/// The seeds that play on for so long.
const PLAYERS: u64 = 10;

pub(super) const LASTING: Quantity = Quantity::Part("games of twenty million pieces that last");
pub(super) const FILLED: Quantity = Quantity::Part("filled cells at their end");
pub(super) const HIGHEST: Quantity = Quantity::Fewer("highest column at their end");
pub(super) const EMPTY: Quantity = Quantity::Part("games without a row");
pub(super) const BEST_TENTH: Quantity =
    Quantity::Part("rows that the best tenth of the games clear");

pub(super) const FOUR: &str = "Sarsa(lambda) four";
pub(super) const ROWS_ONLY: &str = "rewarded for rows";
pub(super) const THESIS: &str = "height and up to three holes";
pub(super) const ALL_HOLES: &str = "height and all holes";

/// Agents that all play long are told apart by long games.
const LASTING_FOUR: Contour = Contour { max_played: [50, 50_000, 5_000_000], ..SARSA_FOUR_SHORT };

const fn rewarded(reward: ContourReward) -> Contour {
    Contour { learner: Learner::Rewarded(reward), ..LASTING_FOUR }
}

const BY_REWARDS: [(&str, Contour); 3] = [
    (THESIS, LASTING_FOUR),
    (ROWS_ONLY, rewarded(ContourReward::points(1.0))),
    (ALL_HOLES, rewarded(ContourReward { max_holes: u32::MAX, ..ContourReward::CARR })),
];

pub(crate) const ASIDES: &[Experiment] = &[
    Experiment {
        name: "carr-alternating",
        title: "S and Z in turn: wells in which they end every game",
        source: "Carr 2005, section 2.2 (Brzustowski 1992, Burgiel 1997), in wells low enough to be solved",
        published: published![
            WELLS[0].0 => SAFE, IN_TURN; WELLS[1].0 => SAFE, IN_TURN; WELLS[2].0 => SAFE, IN_TURN;
            WELLS[3].0 => SAFE, IN_TURN;
        ],
        differences: &[
            "The theorem is of wells of any height, and is proven; what is measured is that it holds in \
                two of six columns. Boards that can be played for ever are those from which a player \
                survives any order of the two pieces. In four columns the two in turn end no game within \
                200 pieces, and an adversary who selects the next one does.",
        ],
        statements: alternating::STATEMENTS,
        rules: "tetris:6x3 and others, pieces S and Z",
        measure: alternating::measure,
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure2-5",
        title: "Mirror symmetry and contours in Melax's well",
        source: "Carr 2005, figure 2.5 (Bdolah & Livnat 2000): TD(0), rate 0.02, discount 0.8",
        published: published![
            "cells" => PUSHED_END, GAMES; "cells, mirrored" => PUSHED_END, GAMES;
            "signs of differences" => PUSHED_END, GAMES; "differences" => PUSHED_END, GAMES;
            "exact optimum" => PUSHED_END;
        ],
        differences: &[
            "The figure is a picture of others' results, and the thesis doubts them. Their contours kept \
                the structure below the two working rows and lowered it later; in Melax's well, as the \
                thesis tells it, what lies below is gone, and contours are the heights of two rows.",
        ],
        reasons: &[
            (
                "The mirror symmetry results",
                "both come to the same rows, the mirrored agent in half the games, as the thesis expects",
            ),
            (
                "by the end of the first game",
                "by signs the agent settles in its first game and by differences in its twelfth, on more \
                 than twice the rows of the cells",
            ),
        ],
        statements: statements::FIGURE_2_5,
        minutes: 1,
        rules: "tetris:6x2,melax",
        measure: |experiment, cache| {
            let seen = |view| MelaxTd { contour: Some(view), ..MELAX };
            let cases = [
                ("cells", NOT_MIRRORED),
                ("cells, mirrored", MELAX),
                ("signs of differences", seen("heights,differences,cap=1")),
                ("differences", seen("heights,differences,cap=2")),
            ];
            let shape = "two curves far below Melax's, that of contours from the first game on.";
            compare(experiment, cache, "Views of Melax's well: TD(0), rate 0.02", &cases, shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure5-5",
        title: "The well of Sarsa(lambda) four after twelve million rows",
        source: "Carr 2005, figure 5.5: a picture of the well when the game was terminated",
        published: published![FOUR => LASTING, FILLED, HIGHEST],
        differences: &[
            "Ten agents of the training of `carr-agents`, rewarded with 100 for each row of height that the \
                well loses, play one game each, without learning, of twenty million pieces, which are twelve \
                million rows. A tenth of the 80 cells or less is taken \
                as almost empty.",
        ],
        statements: statements::FIGURE_5_5,
        minutes: 2,
        rules: "tetris:4x20,pieces=melax",
        measure: after_twelve_million_rows,
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-rewards",
        title: "Sarsa(lambda) four by other rewards",
        source: "Carr 2005, section 5.1: rewards that were tried and left",
        published: published![
            THESIS => END, JUMP, NEVER; ROWS_ONLY => END, JUMP, NEVER; ALL_HOLES => END, JUMP, NEVER;
            "untrained" => END;
        ],
        differences: &[
            "The trainings are those of `carr-agents`, with mirror symmetry and short games of learning; those \
                by height have 100 for each row of height that the well loses. \
                The thesis reports no figures of the rewards that it left. The jump is the first game of 150 \
                rows.",
        ],
        statements: statements::REWARDS,
        limits: &limits(BY_REWARDS),
        minutes: 4,
        rules: "tetris:4x20,pieces=melax",
        measure: |experiment, cache| {
            let shape = "none is shown.";
            narrow(experiment, cache, &BY_REWARDS, LASTING_FOUR, (150.0, 1), shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-section6-1",
        title: "Sarsa(lambda) fiver in a well of ten: games without a row",
        source: "Carr 2005, section 6.1: what the agents of figure 6.2 do",
        published: published![
            "average" => ROWS, EMPTY, BEST_TENTH; "largest" => ROWS, EMPTY, BEST_TENTH;
        ],
        differences: &[
            "The games of the trainings are shorter than those of figure 6.2, and there are more of them; 100 \
                is earned by each row of height that the well loses. Games without learning are truncated \
                after a million pieces. Regularly is taken as one game in ten or more.",
        ],
        reasons: &[(
            "[The averaging approach] resulted",
            "fewer than one game in ten ends without a row, by either method",
        )],
        statements: statements::SECTION_6_1,
        minutes: 3,
        rules: "tetris:10x20,pieces=melax",
        measure: games_without_a_row,
        ..Experiment::NONE
    },
];

fn after_twelve_million_rows(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let contour = SARSA_FOUR_SHORT;
    let agents = contour.train(cache, FOUR)?;
    let (first, pieces) = (first_seed(cache), cache.scale.pick([5, 200_000, PIECES]));
    let game = contour.well.game()?;
    let (table, reward) = (contour.table(), contour.reward());
    let seen = table.aggregation(&game)?;
    let played = each(cache, FOUR, |seed| {
        if seed - first >= PLAYERS {
            return Ok(None);
        }
        let mut player = player(&table, &agents[(seed - first) as usize], &seen, &reward, Largest);
        let mut rng = Rng::stream(played_seed(seed), 0);
        let played = Episode::play_up_to(pieces, &game, &mut player, &mut rng);
        let board = played.last.board;
        let filled: u32 = board.columns().iter().map(|column| column.count_ones()).sum();
        Ok(Some((played.ending == Ending::Truncated, f64::from(filled), board.height() as f64)))
    })?;
    let played: Vec<(bool, f64, f64)> = played.into_iter().flatten().collect();
    let lasting: Vec<(f64, f64)> =
        played.iter().filter(|game| game.0).map(|game| (game.1, game.2)).collect();
    let of = |value: fn(&(f64, f64)) -> f64| mean(&lasting.iter().map(value).collect::<Vec<f64>>());
    let figure = |quantity, value| Measurement::played(FOUR, quantity, value);
    let mut measured: Vec<Measurement> = Value::percent(lasting.len() as f64, played.len() as f64)
        .map(|part| figure(LASTING, part))
        .into_iter()
        .collect();
    if !lasting.is_empty() {
        measured.push(figure(FILLED, of(|game| 100.0 * game.0 / 80.0)));
        measured.push(figure(HIGHEST, of(|game| game.1)));
    }
    Ok(results(experiment, cache, &measured, None, "an almost empty well."))
}

fn games_without_a_row(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let contour = SARSA_FIVE_UNMIRRORED;
    let (count, max_moves) = cache.scale.pick([(10, 50), (20, 20_000), (100, 1_000_000)]);
    let (mut measured, mut notes) = (Vec::new(), Vec::new());
    for (name, combine) in [("average", Average), ("largest", Largest)] {
        let agents = contour.train(cache, name)?;
        let played = Games { well: TEN, combine, count, max_moves };
        let played = played.play(cache, name, &contour, &agents)?;
        let parts = |part: fn(&[f64]) -> f64| {
            mean(&played.rows.iter().map(|games| 100.0 * part(games)).collect::<Vec<f64>>())
        };
        let figure = |quantity, value| Measurement::played(name, quantity, value);
        measured.push(figure(ROWS, played.mean()));
        measured.push(figure(EMPTY, parts(without_a_row)));
        measured.push(figure(BEST_TENTH, parts(best_tenth)));
        notes.extend(played.note(name, max_moves));
    }
    let shape = "by the average, zero rows regularly and a flood of rows alternatively.";
    let mut results = results(experiment, cache, &measured, None, shape);
    results.notes.extend(notes);
    Ok(results)
}

/// The part of the games of one agent that end without a row.
fn without_a_row(games: &[f64]) -> f64 {
    games.iter().filter(|&&rows| rows == 0.0).count() as f64 / games.len().max(1) as f64
}

/// The part of all rows that the best tenth of the games of one agent clear; 0 without any.
fn best_tenth(games: &[f64]) -> f64 {
    let mut sorted = games.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let best: f64 = sorted[..games.len().div_ceil(10)].iter().sum();
    best / games.iter().sum::<f64>().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_games_and_of_their_rows() {
        let games: Vec<f64> = (0..20).map(f64::from).collect();
        assert_eq!(without_a_row(&games), 0.05);
        assert_eq!(best_tenth(&games), (19.0 + 18.0) / 190.0);
        assert_eq!(best_tenth(&[0.0; 10]), 0.0);
    }
}
