//! Chapters 5 and 6 of the thesis, contours of narrow and of wide wells: its figures, as data.

use afterstate_games::Combine::{Average, Largest};

use super::contour::{
    Contour, FIVE, FIVE_STANDARD, SARSA_FIVE, SARSA_FIVE_MIRRORED, SARSA_FIVE_PENALTIES,
    SARSA_FIVE_STANDARD, SARSA_FIVE_STANDARD_MIRRORED, SARSA_FOUR, SARSA_FOUR_MIRRORED,
    SARSA_FOUR_PENALTIES, SARSA_FOUR_STANDARD, TD_FIVE, TD_FIVE_HOLES, TD_FIVE_STANDARD, TD_FOUR,
    TD_FOUR_HOLES, TEN, TEN_STANDARD,
};
use super::narrow::{limits, narrow, subwells};
use super::{END, JUMP, NEVER, ROWS, small, statements};
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
const SUBWELL_REASON: &str = "the thesis has one agent and 100 games, and does not name the reward and \
    the initial values by which it learned in its own well";

/// What differs in wider wells.
const SUBWELLS: &str = "The thesis' figures are of one agent and 25 or 100 games; ours are of \
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
    Experiment {
        name: "carr-figure6-1",
        title: "Sarsa(lambda) four in a well of five",
        source: "Carr 2005, figure 6.1: reduced pieces, no learning",
        published: published![
            "average" => ROWS; "largest" => ROWS; "at random" => ROWS;
        ],
        differences: &[LOWER, SUBWELLS],
        reasons: &[(
            "the averaging of the subtransitions",
            "fifty agents cannot tell: both are alike within their intervals; the thesis has one agent, and \
             agents differ by more than the two methods",
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
            SUBWELLS,
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
        differences: &[LOWER, SUBWELLS],
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
        differences: &[STANDARD, SUBWELLS],
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
        differences: &[SUBWELLS],
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
        differences: &[LOWER, SUBWELLS],
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
        differences: &[STANDARD, SUBWELLS],
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
        differences: &[STANDARD, SUBWELLS],
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
        differences: &[STANDARD, SUBWELLS],
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
