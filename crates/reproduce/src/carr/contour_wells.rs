//! Chapter 5 of the thesis, contours of narrow wells: its figures, as data.

use super::contour::{
    Contour, SARSA_FIVE, SARSA_FIVE_MIRRORED, SARSA_FIVE_PENALTIES, SARSA_FOUR,
    SARSA_FOUR_MIRRORED, SARSA_FOUR_PENALTIES, TD_FIVE, TD_FIVE_HOLES, TD_FOUR, TD_FOUR_HOLES,
};
use super::narrow::{limits, narrow};
use super::{END, JUMP, NEVER, statements};
use crate::experiment::{Experiment, published};

/// What differs in wells of four and five columns.
const TRUNCATED: &str = "A truncated game of learning counts the rows until then, which bounds `measured`; \
    the mean of games without learning, truncated after 25 million pieces, is all their rows divided by the \
    number of games that ended. The thesis counts a drop above the top as the end; here it is not a move, and \
    the game ends when none is left.";

/// Why the rows and games of narrow wells differ.
const TD_FOUR_REASON: &str = "the thesis shows one training and names neither the reward of a row nor \
    the initial values, which decide when a greedy agent stops to explore";
const SARSA_REASON: &str = "the thesis shows one training and names neither lambda nor what lost height is \
    rewarded with, which decide how soon an agent learns";
const NO_SEED_LEARNS: &str = "by these penalties alone no seed learns in as many games; rewarded for lost height, \
    too, all do";

const FIGURE_5_1: [(&str, Contour); 2] =
    [("TD(0)", TD_FOUR), ("TD(0), holes punished", TD_FOUR_HOLES)];
const FIGURE_5_2: [(&str, Contour); 2] =
    [("TD(0)", TD_FIVE), ("TD(0), holes punished", TD_FIVE_HOLES)];
const FIGURE_5_4: [(&str, Contour); 3] = [
    ("Sarsa(lambda)", SARSA_FOUR),
    ("Sarsa(lambda), mirrored", SARSA_FOUR_MIRRORED),
    ("Sarsa(lambda), penalties only", SARSA_FOUR_PENALTIES),
];
const FIGURE_5_6: [(&str, Contour); 3] = [
    ("Sarsa(lambda)", SARSA_FIVE),
    ("Sarsa(lambda), mirrored", SARSA_FIVE_MIRRORED),
    ("Sarsa(lambda), penalties only", SARSA_FIVE_PENALTIES),
];

pub(crate) const CONTOUR_WELLS: &[Experiment] = &[
    Experiment {
        name: "carr-figure5-1",
        title: "TD(0) on contours, four columns",
        source: "Carr 2005, figure 5.1: rate 0.2, discount 0.8, rewarded for rows",
        published: published![
            "TD(0)" => END = 100_000.0, JUMP = 19.0, NEVER;
            "TD(0), holes punished" => END, JUMP, NEVER;
            "untrained" => END;
        ],
        differences: &[
            "The reward of a row is one, and values are initialised optimistically at five, the \
                discounted return of one row per move; the thesis names neither, nor the size of \
                its penalty for holes, ours is 0.4. The jump is the first game of 1,000 rows; `carr-agents` \
                counts 150, and comes to fewer games.",
            TRUNCATED,
        ],
        reasons: &[
            ("TD(0)", TD_FOUR_REASON),
            (
                "the introduction of the covered hole penalty",
                "with a penalty of 0.4 of a row, which the thesis does not name, the agent plays for \
                 42 million rows instead of 4 million",
            ),
        ],
        statements: statements::FIGURE_5_1,
        limits: &limits(FIGURE_5_1),
        minutes: 45,
        rules: "tetris:4x20,pieces=melax",
        measure: |experiment, cache| {
            let shape = "tens of rows, then after 19 games a jump to over 100,000 rows in \
                most games, at times almost a million.";
            narrow(experiment, cache, &FIGURE_5_1, TD_FOUR, (1_000.0, 1), shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure5-2",
        title: "TD(0) on contours, five columns",
        source: "Carr 2005, figure 5.2: rate 0.2, discount 0.8, rewarded for rows",
        published: published![
            "TD(0)" => END = 300.0, JUMP = 700.0, NEVER;
            "TD(0), holes punished" => END, JUMP, NEVER;
            "untrained" => END;
        ],
        differences: &[
            "The reward of a row is one, values are initialised at five; the thesis names neither. \
                The jump is where ten games first have 150 rows on average.",
            TRUNCATED,
        ],
        reasons: &[
            ("TD(0)", TD_FOUR_REASON),
            (
                "The agent in the well of width five",
                "with a penalty of 0.4 of a row, which the thesis does not name, it learns to clear a \
                 hundred times the rows",
            ),
        ],
        statements: statements::FIGURE_5_2,
        limits: &limits(FIGURE_5_2),
        minutes: 30,
        rules: "tetris:5x20,pieces=melax",
        measure: |experiment, cache| {
            let shape = "a few tens of rows for 600 games, a rise at about 700, then about \
                300 rows, very noisy.";
            narrow(experiment, cache, &FIGURE_5_2, TD_FIVE, (150.0, 10), shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure5-4",
        title: "Sarsa(lambda) on contours, four columns",
        source: "Carr 2005, figures 5.4 and 5.5: rate 0.2, discount 0.8, height and holes",
        published: published![
            "Sarsa(lambda)" => END = 12_000_000.0, JUMP = 76.0, NEVER;
            "Sarsa(lambda), mirrored" => END, JUMP, NEVER;
            "Sarsa(lambda), penalties only" => END = 12_000_000.0, JUMP, NEVER;
            "untrained" => END;
        ],
        differences: &[
            "Lambda is 0.9, which the thesis does not name. The thesis names penalties only; here a \
                row of height that the well loses is rewarded with the 100 that it cost, and a case \
                without that stands beside it. The thesis' axis shows the explosion at 76; ours, the first game of \
                1,000 rows, comes after some hundred games more, and twice as early with mirror symmetry, which the thesis \
                could not use here.",
            TRUNCATED,
        ],
        reasons: &[(
            "Sarsa(lambda)",
            "mirrored it comes twice as early and by penalties only twice as late; the thesis shows one \
                 training and names neither lambda nor what lost height is rewarded with, which decide how \
                 soon an agent learns",
        )],
        statements: statements::FIGURE_5_4,
        limits: &limits(FIGURE_5_4),
        minutes: 90,
        rules: "tetris:4x20,pieces=melax",
        measure: |experiment, cache| {
            let shape = "a handful of rows, slowly more, and then at one game an explosion: \
                a game that had to be stopped after a day and twelve million rows.";
            narrow(experiment, cache, &FIGURE_5_4, SARSA_FOUR_MIRRORED, (1_000.0, 1), shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure5-6",
        title: "Sarsa(lambda) on contours, five columns",
        source: "Carr 2005, figure 5.6: rate 0.2, discount 0.8, height and holes",
        published: published![
            "Sarsa(lambda)" => END = 10_000.0, JUMP = 900.0, NEVER;
            "Sarsa(lambda), mirrored" => END, JUMP, NEVER;
            "Sarsa(lambda), penalties only" => END = 10_000.0, JUMP, NEVER;
            "untrained" => END;
        ],
        differences: &[
            "Lambda is 0.9, which the thesis does not name. The thesis names penalties only; here a \
                row of height that the well loses is rewarded with the 100 that it cost, and a case \
                without that stands beside it. The jump is the first game of 500 rows.",
            TRUNCATED,
        ],
        reasons: &[
            ("Sarsa(lambda)", SARSA_REASON),
            (
                "After around seven hundred",
                "the rows of ours rise as slowly after seven hundred games as before, and quicken after some \
                 three thousand",
            ),
            ("Sarsa(lambda), penalties only", NO_SEED_LEARNS),
            ("We settled on a reward scheme", NO_SEED_LEARNS),
        ],
        statements: statements::FIGURE_5_6,
        limits: &limits(FIGURE_5_6),
        minutes: 120,
        rules: "tetris:5x20,pieces=melax",
        measure: |experiment, cache| {
            let shape = "a steady rise that quickens at 700 games and ends at about 10,000 \
                rows after 900.";
            narrow(experiment, cache, &FIGURE_5_6, SARSA_FIVE_MIRRORED, (500.0, 1), shape)
        },
        ..Experiment::NONE
    },
];
