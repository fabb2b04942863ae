//! Chapter 6 of the thesis, contours of narrow wells in wider ones: its figures, as data.

use afterstate_games::Combine::{Average, Largest};

use super::contour::{
    FIVE, FIVE_STANDARD, SARSA_FIVE, SARSA_FIVE_MIRRORED, SARSA_FIVE_STANDARD,
    SARSA_FIVE_STANDARD_MIRRORED, SARSA_FOUR, SARSA_FOUR_STANDARD, TD_FIVE, TD_FIVE_STANDARD, TEN,
    TEN_STANDARD,
};
use super::narrow::subwells;
use super::{ROWS, small, statements};
use crate::experiment::{Experiment, published};

/// Why the rows of wider wells differ.
const SUBWELL_REASON: &str = "the thesis has one agent and 100 games, and does not name the reward and \
    the initial values by which it learned in its own well";
/// What differs in wider wells.
const WIDER: &str = "The thesis' figures are of one agent and 25 or 100 games; ours are of \
    one agent for each of fifty seeds, trained as in chapter 5, with the interval over agents. A subwell sees the \
    columns of its own; rows clear as they do in the whole well, and the reward of TD(0) is that of \
    the whole well. Games are truncated after a million pieces.";

/// The reward of Sarsa(lambda), where the thesis names penalties only.
const LOWER: &str = "Sarsa(lambda) is rewarded with 100 for each row of height that the well loses, which \
    the thesis does not name.";

/// How the agents of standard pieces learned.
const STANDARD: &str = "The agents learned with standard pieces, in games truncated after 100,000 pieces: fours by \
    Sarsa(lambda) 50,000 games and fivers 200,000, rewarded with 100 for each row of height that the well \
    loses; fivers by TD(0) 2,000 games of at most 200,000 pieces.";

pub(crate) const SUBWELLS: &[Experiment] = &[
    Experiment {
        name: "carr-figure6-1",
        title: "Sarsa(lambda) four in a well of five",
        source: "Carr 2005, figure 6.1: reduced pieces, no learning",
        published: published![
            "average" => ROWS; "largest" => ROWS; "at random" => ROWS;
        ],
        differences: &[LOWER, WIDER],
        reasons: &[(
            "the averaging of the subtransitions",
            "fifty agents cannot tell: both are alike within their intervals; the thesis has one agent, and \
             agents differ by more than the two methods; 400 more (seven core-hours) would if they are as these",
        )],
        statements: statements::FIGURE_6_1,
        minutes: 25,
        rules: "tetris:5x20,pieces=melax",
        measure: |experiment, cache| {
            let cases = [("average", SARSA_FOUR, Average), ("largest", SARSA_FOUR, Largest)];
            let shape = "two noisy lines, the average above the largest, both far below the \
                agent in its own well.";
            subwells(experiment, cache, FIVE, &cases, shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure6-2",
        title: "Sarsa(lambda) fiver in a well of ten",
        source: "Carr 2005, figure 6.2: reduced pieces, no learning",
        published: published!["average" => ROWS; "largest" => ROWS; "at random" => ROWS],
        differences: &[
            LOWER,
            "Its original results are taken as those of ours in its own well, 54,617 rows in `carr-figure5-6`.",
            WIDER,
        ],
        statements: statements::FIGURE_6_2,
        minutes: 60,
        rules: "tetris:10x20,pieces=melax",
        measure: |experiment, cache| {
            let cases = [("average", SARSA_FIVE, Average), ("largest", SARSA_FIVE, Largest)];
            let shape = "two noisy lines, the largest above the average, which often clears \
                nothing at all.";
            subwells(experiment, cache, TEN, &cases, shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure6-3",
        title: "Four against fiver in the full well, reduced pieces",
        source: "Carr 2005, figure 6.3: Sarsa(lambda), largest value",
        published: published!["four" => ROWS; "fiver" => ROWS; "at random" => ROWS],
        differences: &[LOWER, WIDER],
        statements: statements::FIGURE_6_3,
        minutes: 90,
        rules: "tetris:10x20,pieces=melax",
        measure: |experiment, cache| {
            let cases = [("four", SARSA_FOUR, Largest), ("fiver", SARSA_FIVE, Largest)];
            let shape = "the fiver lies above the four in almost every game.";
            subwells(experiment, cache, TEN, &cases, shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure6-4",
        title: "Four against fiver in the full well, standard pieces",
        source: "Carr 2005, figure 6.4: Sarsa(lambda), largest value",
        published: published!["four" => ROWS; "fiver" => ROWS; "at random" => ROWS],
        differences: &[STANDARD, WIDER],
        statements: statements::FIVER_IS_BETTER,
        minutes: 2,
        rules: "tetris:10x20",
        measure: |experiment, cache| {
            let cases =
                [("four", SARSA_FOUR_STANDARD, Largest), ("fiver", SARSA_FIVE_STANDARD, Largest)];
            let shape = "the fiver lies above the four.";
            subwells(experiment, cache, TEN_STANDARD, &cases, shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure6-5",
        title: "TD(0) fiver in the full well, reduced pieces",
        source: "Carr 2005, figure 6.5: 100 games, largest value",
        published: published!["largest" => ROWS = 4.0; "average" => ROWS; "at random" => ROWS],
        differences: &[WIDER],
        reasons: &[
            ("largest", SUBWELL_REASON),
            (
                "We therefore adopt",
                "the agent of TD(0) clears four times as many rows by the average; that of Sarsa(lambda), for \
                 which the thesis compares both, clears more by the largest (`carr-figure6-6`)",
            ),
        ],
        statements: statements::FIGURE_6_5,
        minutes: 5,
        rules: "tetris:10x20,pieces=melax",
        measure: |experiment, cache| {
            let cases = [("largest", TD_FIVE, Largest), ("average", TD_FIVE, Average)];
            let shape = "scattered games of zero to some ten rows.";
            subwells(experiment, cache, TEN, &cases, shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure6-6",
        title: "Sarsa(lambda) fiver in the full well, reduced pieces",
        source: "Carr 2005, figure 6.6: 100 games, largest value",
        published: published![
            "largest" => ROWS = 30.0; "largest, mirrored" => ROWS; "average" => ROWS;
            "at random" => ROWS;
        ],
        differences: &[LOWER, WIDER],
        reasons: &[("largest", SUBWELL_REASON)],
        statements: statements::FIGURE_6_6,
        minutes: 120,
        rules: "tetris:10x20,pieces=melax",
        measure: |experiment, cache| {
            let cases = [
                ("largest", SARSA_FIVE, Largest),
                ("largest, mirrored", SARSA_FIVE_MIRRORED, Largest),
                ("average", SARSA_FIVE, Average),
            ];
            let shape = "scattered games, 30 rows on average.";
            subwells(experiment, cache, TEN, &cases, shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure6-7",
        title: "TD(0) in the reduced well, standard pieces",
        source: "Carr 2005, figure 6.7 (empty)",
        published: published!["five columns" => ROWS; "at random" => ROWS],
        differences: &[STANDARD, WIDER],
        statements: statements::FIGURE_6_7,
        rules: "tetris:5x20",
        measure: |experiment, cache| {
            let cases = [("five columns", TD_FIVE_STANDARD, Largest)];
            let shape = "the thesis leaves this figure empty; ours fills it.";
            subwells(experiment, cache, FIVE_STANDARD, &cases, shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure6-8",
        title: "Sarsa(lambda) in the reduced well, standard pieces",
        source: "Carr 2005, figure 6.8 (empty)",
        published: published![
            "five columns" => ROWS; "five columns, mirrored" => ROWS; "at random" => ROWS;
        ],
        differences: &[STANDARD, WIDER],
        statements: statements::FIGURE_6_8,
        minutes: 2,
        rules: "tetris:5x20",
        measure: |experiment, cache| {
            let cases = [
                ("five columns", SARSA_FIVE_STANDARD, Largest),
                ("five columns, mirrored", SARSA_FIVE_STANDARD_MIRRORED, Largest),
            ];
            let shape = "the thesis leaves this figure empty; ours fills it.";
            subwells(experiment, cache, FIVE_STANDARD, &cases, shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure6-9",
        title: "Sarsa(lambda) fiver playing full Tetris",
        source: "Carr 2005, figure 6.9 (empty)",
        published: published![
            "largest" => ROWS; "largest, mirrored" => ROWS; "average" => ROWS;
            "TD(0) fiver" => ROWS; "at random" => ROWS;
        ],
        differences: &[STANDARD, WIDER],
        minutes: 4,
        rules: "tetris:10x20",
        measure: |experiment, cache| {
            let cases = [
                ("largest", SARSA_FIVE_STANDARD, Largest),
                ("largest, mirrored", SARSA_FIVE_STANDARD_MIRRORED, Largest),
                ("average", SARSA_FIVE_STANDARD, Average),
                ("TD(0) fiver", TD_FIVE_STANDARD, Largest),
            ];
            let shape = "the thesis leaves this figure empty; ours fills it.";
            subwells(experiment, cache, TEN_STANDARD, &cases, shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-exact",
        title: "Contour agents in wells three rows high, beside the exact optimum",
        source: "Carr 2005, chapter 5, in wells small enough to be solved",
        published: published![
            small::SOLVED[0][0] => ROWS; small::SOLVED[0][1] => ROWS; small::SOLVED[0][2] => ROWS;
            small::SOLVED[1][0] => ROWS; small::SOLVED[1][1] => ROWS; small::SOLVED[1][2] => ROWS;
        ],
        differences: &["The wells of the thesis are twenty rows high and cannot be written \
            out. The agents see differences capped at two, mirrored, and learn in games of 10,000 pieces at \
            the most; the optimum sees every cell."],
        rules: "tetris:4x3,pieces=melax",
        measure: small::solved,
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-ntuple",
        title: "Overlapping windows of contours, learned together on full Tetris",
        source: "Carr 2005, chapters 6 and 7: the best agent of the thesis in the full well",
        published: published![small::NTUPLES => ROWS = 30.0],
        differences: &["The 30 rows are of Sarsa(lambda) fiver with reduced pieces, whose \
            subwells were trained alone; ours are trained together, with standard pieces: the \
            value of a board is the sum of its windows four wide, the same wherever they stand, \
            and three wide, each with its place and the height of its highest column. TD with \
            temporal coherence, reward one for a row, minus two for a covered hole, discount 0.95. \
            Games are truncated after a million pieces."],
        minutes: 30,
        rules: "tetris:10x20",
        measure: small::ntuples,
        ..Experiment::NONE
    },
];
