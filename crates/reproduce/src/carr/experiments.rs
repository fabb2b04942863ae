//! The tables and figures of the thesis, as data.

use afterstate_games::Combine::{Average, Largest};

use super::contour::{
    FIVE, FIVE_STANDARD, SARSA_FIVE, SARSA_FIVE_MIRRORED, SARSA_FIVE_PENALTIES,
    SARSA_FIVE_STANDARD, SARSA_FIVE_STANDARD_MIRRORED, SARSA_FOUR, SARSA_FOUR_MIRRORED,
    SARSA_FOUR_PENALTIES, SARSA_FOUR_STANDARD, TD_FIVE, TD_FIVE_HOLES, TD_FIVE_STANDARD, TD_FOUR,
    TD_FOUR_HOLES, TEN, TEN_STANDARD,
};
use super::melax::{self, MELAX, MelaxTd, OPTIMISTIC, PESSIMISTIC};
use super::narrow::{narrow, subwells};
use super::{COUNT, END, GAMES, JUMP, NEVER, PART, POWER, PUSHED, PUSHED_END, ROWS, small};
use crate::experiment::{Experiment, published};

/// What differs in Melax's well.
const MELAX_RULES: &str = "Melax's rules and ours agree as far as the thesis tells them; the \
    exact optimum is that of ours, so that no agent of ours can be below it.";

/// Why the rows of Melax's table differ.
const MELAX_TABLE: &str = "rows pushed out, fewer are better; the table ends below the exact optimum \
    of the rules as the thesis tells them";

/// What differs in wells of four and five columns.
const TRUNCATED: &str = "Rows of a truncated game of learning are those until then; of games \
    without learning the mean is all rows over all ends. The thesis counts a drop above the top as the end; \
    here it is not a move, and the game ends when none is left.";

/// What differs in wider wells.
const SUBWELLS: &str = "The thesis' figures are of one agent and 25 or 100 games; ours of an \
    agent a seed, each trained as in chapter 5, with the interval over agents. A subwell sees the \
    columns of its own; rows clear as they do in the whole well, and the reward of TD(0) is that of \
    the whole well.";

/// What the thesis leaves open of exploration.
const EXPLORATION: &str = "The thesis gives an epsilon of 5% and no temperatures; ours cool from \
    30 to 1 over 30 games from optimistic values, and from 100 to 1 otherwise.";

pub(crate) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "carr-states",
        title: "How many states each assumption leaves",
        source: "Carr 2005, section 3.1; powers of two, and the last two as numbers",
        published: published![
            "whole well, 2^200" => POWER = 200.0; "heights, 20^10" => POWER = 43.0;
            "differences, 20^9" => POWER = 39.0; "capped, 7^9" => POWER = 25.0;
            "window of four, 7^3" => COUNT = 343.0; "mirrored" => COUNT = 175.0;
        ],
        differences: &["The thesis counts a height as one of 20, though an empty column is one \
            more; so does this table. Its powers of two are rounded."],
        rules: "tetris:10x20",
        measure: small::states,
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-table2-1",
        title: "Melax's agent, game by game",
        source: "Carr 2005, table 2.1 (Melax 1998): rows of game 1 to 256",
        published: published![
            "game 1" => PUSHED = 1485.0; "game 2" => PUSHED = 1166.0; "game 4" => PUSHED = 1032.0;
            "game 8" => PUSHED = 902.0; "game 16" => PUSHED = 837.0; "game 32" => PUSHED = 644.0;
            "game 64" => PUSHED = 395.0; "game 128" => PUSHED = 303.0; "game 256" => PUSHED = 289.0;
            "exact optimum" => PUSHED;
        ],
        differences: &["Melax's figures are of one training and below the exact optimum of our \
            rules, which value iteration finds: his well or his score must differ from the one \
            that the thesis describes. Ours are means over seeds of single games while learning, \
            with mirror symmetry off as his were."],
        reasons: &[
            ("game 1", MELAX_TABLE),
            ("game 2", MELAX_TABLE),
            ("game 4", MELAX_TABLE),
            ("game 8", MELAX_TABLE),
            ("game 16", MELAX_TABLE),
            ("game 32", MELAX_TABLE),
            ("game 64", MELAX_TABLE),
            ("game 128", MELAX_TABLE),
            ("game 256", MELAX_TABLE),
        ],
        rules: "tetris:6x2,melax",
        measure: melax::game_by_game,
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-table2-2",
        title: "Relational reinforcement learning on full Tetris, as context",
        source: "Carr 2005, table 2.2 (Driessens 2004): average rows after 5,000, 50 and 10 \
            to 20 games",
        published: published![
            "RRL-TG" => ROWS = 10.0; "RRL-RIB" => ROWS = 12.0; "RRL-KBR, 30 to 40" => ROWS = 35.0;
            "Sarsa(lambda) fiver, mirrored" => ROWS; "TD(0) fiver" => ROWS; "at random" => ROWS;
        ],
        differences: &["The three relational results are quoted, not measured again: they are \
            not learned by tables. Ours are the contour agents of figure 6.9 on the same game."],
        rules: "tetris:10x20",
        measure: |experiment, cache| {
            let cases = [
                ("Sarsa(lambda) fiver, mirrored", SARSA_FIVE_STANDARD_MIRRORED, Largest),
                ("TD(0) fiver", TD_FIVE_STANDARD, Largest),
            ];
            let shape = "three numbers, of which RRL-KBR's fell again after 20 to 30 games \
                more.";
            subwells(
                &Experiment { title: "Contour agents on full Tetris", ..*experiment },
                cache,
                TEN_STANDARD,
                &cases,
                shape,
            )
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure4-2",
        title: "The Melax-defined agent and players that learn nothing",
        source: "Carr 2005, figure 4.2: TD(0), rate 0.02, discount 0.8",
        published: published![
            "no movement" => PUSHED; "random placement" => PUSHED; "untrained" => PUSHED; "TD(0)" => PUSHED;
            "TD(0) beside untrained" => PART = 25.0; "exact optimum" => PUSHED;
        ],
        differences: &[
            "The thesis shows one training as a picture, and tells only that the end is about a \
                quarter of the untrained agent's rows.",
            MELAX_RULES,
        ],
        reasons: &[("TD(0) beside untrained", "the thesis says about a quarter")],
        rules: "tetris:6x2,melax",
        measure: melax::beside_untrained,
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure4-3",
        title: "Mirror symmetry in Melax's well",
        source: "Carr 2005, figure 4.3: TD(0), rate 0.02, discount 0.8",
        published: published![
            "mirrored" => PUSHED_END, GAMES = 50.0;
            "not mirrored" => PUSHED_END, GAMES = 90.0;
            "exact optimum" => PUSHED_END;
        ],
        differences: &[
            "The thesis reads 50 and 90 games off its curves of one training each; we count games \
                until the mean of ten is within a tenth of the end.",
            MELAX_RULES,
        ],
        rules: "tetris:6x2,melax",
        measure: |experiment, cache| {
            let cases = [("mirrored", MELAX), ("not mirrored", MelaxTd { mirror: false, ..MELAX })];
            let shape = "both curves end at the same level; the mirrored one gets there in \
                about half the games.";
            melax::compare(experiment, cache, "Mirror symmetry: TD(0), rate 0.02", &cases, shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure4-4",
        title: "Exploration from values of 0, optimistic: learning",
        source: "Carr 2005, figure 4.4: 100 games of learning, 50 without",
        published: published![
            "greedy" => PUSHED_END; "epsilon-greedy" => PUSHED_END; "softmax" => PUSHED_END; "exact optimum" => PUSHED_END;
        ],
        differences: &[EXPLORATION, MELAX_RULES],
        rules: "tetris:6x2,melax",
        measure: |experiment, cache| {
            let shape = "all three fall within forty games; greedy is the fastest and ends \
                lowest, softmax and epsilon-greedy end together above it.";
            melax::explore(experiment, cache, OPTIMISTIC, false, shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure4-5",
        title: "Exploration from values of 0, optimistic: playing",
        source: "Carr 2005, figure 4.5: 100 games of learning, 50 without",
        published: published![
            "greedy" => PUSHED_END; "epsilon-greedy" => PUSHED_END; "softmax" => PUSHED_END; "exact optimum" => PUSHED_END;
        ],
        differences: &[EXPLORATION, MELAX_RULES],
        rules: "tetris:6x2,melax",
        measure: |experiment, cache| {
            let shape = "flat and noisy lines of fifty games: greedy is the lowest, softmax \
                and epsilon-greedy are alike.";
            melax::explore(experiment, cache, OPTIMISTIC, true, shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure4-6",
        title: "Exploration from values of -150, below all that is learned: learning",
        source: "Carr 2005, figure 4.6: 100 games of learning, 50 without",
        published: published![
            "greedy" => PUSHED_END; "epsilon-greedy" => PUSHED_END; "softmax" => PUSHED_END; "exact optimum" => PUSHED_END;
        ],
        differences: &[EXPLORATION, MELAX_RULES],
        rules: "tetris:6x2,melax",
        measure: |experiment, cache| {
            let shape = "all begin far lower than with optimistic values; greedy stays on a \
                poor policy, epsilon-greedy learns a little, softmax begins high and settles \
                lowest within 30 games.";
            melax::explore(experiment, cache, PESSIMISTIC, false, shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure4-7",
        title: "Exploration from values of -150, below all that is learned: playing",
        source: "Carr 2005, figure 4.7: 100 games of learning, 50 without",
        published: published![
            "greedy" => PUSHED_END; "epsilon-greedy" => PUSHED_END; "softmax" => PUSHED_END; "exact optimum" => PUSHED_END;
        ],
        differences: &[EXPLORATION, MELAX_RULES],
        rules: "tetris:6x2,melax",
        measure: |experiment, cache| {
            let shape = "flat and noisy lines of fifty games: greedy is the worst, \
                epsilon-greedy better, softmax the best.";
            melax::explore(experiment, cache, PESSIMISTIC, true, shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure4-8",
        title: "Learning rate 0.2 against 0.02 in Melax's well",
        source: "Carr 2005, figure 4.8: TD(0), discount 0.8, mirrored",
        published: published![
            "rate 0.2" => PUSHED_END, GAMES = 10.0;
            "rate 0.02" => PUSHED_END, GAMES = 50.0;
            "exact optimum" => PUSHED_END;
        ],
        differences: &[
            "The thesis reads the games off its curves of one training each; we count games until \
                the mean of ten is within a tenth of the end.",
            MELAX_RULES,
        ],
        rules: "tetris:6x2,melax",
        measure: |experiment, cache| {
            let cases = [("rate 0.2", MelaxTd { rate: 0.2, ..MELAX }), ("rate 0.02", MELAX)];
            let shape = "rate 0.2 falls almost ten times as fast and ends slightly above \
                rate 0.02.";
            melax::compare(experiment, cache, "The learning rate of TD(0)", &cases, shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure4-9",
        title: "Sarsa(0) in Melax's well",
        source: "Carr 2005, figure 4.9: Sarsa(0), rate 0.2, discount 0.8, 491,520 entries",
        published: published![
            "Sarsa(0)" => PUSHED_END = 1_400.0; "Sarsa(0), mirrored" => PUSHED_END; "TD(0)" => PUSHED_END;
            "exact optimum" => PUSHED_END;
        ],
        differences: &[
            "The thesis' Sarsa could not use mirror symmetry; ours shows both. Its end of 1,400 \
                rows after a day of training is not reproduced: ours goes on falling, so that \
                nothing in the method stops there.",
            MELAX_RULES,
        ],
        rules: "tetris:6x2,melax",
        measure: melax::sarsa,
        ..Experiment::NONE
    },
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
            "The reward of a row is one, values start at five (optimistic: the most that a row a move is \
                worth); the thesis names neither, nor the size of its penalty for holes, ours is \
                0.4.",
            TRUNCATED,
        ],
        rules: "tetris:4x20,pieces=melax",
        measure: |experiment, cache| {
            let cases = [("TD(0)", TD_FOUR), ("TD(0), holes punished", TD_FOUR_HOLES)];
            let shape = "tens of rows, then after 19 games a jump to over 100,000 rows in \
                most games, at times almost a million.";
            narrow(experiment, cache, &cases, TD_FOUR, (1_000.0, 1), shape)
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
            "The reward of a row is one, values start at five; the thesis names neither.",
            TRUNCATED,
        ],
        rules: "tetris:5x20,pieces=melax",
        measure: |experiment, cache| {
            let cases = [("TD(0)", TD_FIVE), ("TD(0), holes punished", TD_FIVE_HOLES)];
            let shape = "a few tens of rows for 600 games, a rise at about 700, then about \
                300 rows, very noisy.";
            narrow(experiment, cache, &cases, TD_FIVE, (150.0, 10), shape)
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
            "Sarsa(lambda), penalties only" => END, JUMP, NEVER;
            "untrained" => END;
        ],
        differences: &[
            "Lambda is 0.9, which the thesis does not name. The thesis names penalties only; here a \
                row of height that the well loses is rewarded with the 100 that it cost, and a case \
                without that stands beside it. The thesis' axis shows the explosion at 76; ours comes after some \
                hundred games more, and twice as early with mirror symmetry, which the thesis \
                could not use here.",
            TRUNCATED,
        ],
        rules: "tetris:4x20,pieces=melax",
        measure: |experiment, cache| {
            let cases = [
                ("Sarsa(lambda)", SARSA_FOUR),
                ("Sarsa(lambda), mirrored", SARSA_FOUR_MIRRORED),
                ("Sarsa(lambda), penalties only", SARSA_FOUR_PENALTIES),
            ];
            let shape = "a handful of rows, slowly more, and then at one game an explosion: \
                a game that had to be stopped after a day and twelve million rows.";
            narrow(experiment, cache, &cases, SARSA_FOUR_MIRRORED, (1_000.0, 1), shape)
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
            "Sarsa(lambda), penalties only" => END, JUMP, NEVER;
            "untrained" => END;
        ],
        differences: &[
            "Lambda is 0.9, which the thesis does not name. The thesis names penalties only; here a \
                row of height that the well loses is rewarded with the 100 that it cost, and a case \
                without that stands beside it.",
            TRUNCATED,
        ],
        rules: "tetris:5x20,pieces=melax",
        measure: |experiment, cache| {
            let cases = [
                ("Sarsa(lambda)", SARSA_FIVE),
                ("Sarsa(lambda), mirrored", SARSA_FIVE_MIRRORED),
                ("Sarsa(lambda), penalties only", SARSA_FIVE_PENALTIES),
            ];
            let shape = "a steady rise that quickens at 700 games and ends at about 10,000 \
                rows after 900.";
            narrow(experiment, cache, &cases, SARSA_FIVE_MIRRORED, (500.0, 1), shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure6-1",
        title: "Sarsa(lambda) four in a well of five",
        source: "Carr 2005, figure 6.1: reduced pieces, no learning",
        published: published!["average" => ROWS; "largest" => ROWS; "at random" => ROWS],
        differences: &[SUBWELLS],
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
        differences: &[SUBWELLS],
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
        differences: &[SUBWELLS],
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
        differences: &["The agents are trained with standard pieces.", SUBWELLS],
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
        differences: &[SUBWELLS],
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
        differences: &[SUBWELLS],
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
        differences: &[SUBWELLS],
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
        differences: &[SUBWELLS],
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
            out. The agents see differences capped at two, mirrored; the optimum sees every cell."],
        rules: "tetris:4x3,pieces=melax",
        measure: small::solved,
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-ntuple",
        title: "Overlapping windows of contours, learned together on full Tetris",
        source: "Carr 2005, chapters 6 and 7: the best agent of the thesis in the full well",
        published: published![small::NTUPLES => ROWS = 30.0; "RRL-KBR, 30 to 40" => ROWS = 35.0],
        differences: &["The 30 rows are of Sarsa(lambda) fiver with reduced pieces, whose \
            subwells were trained alone; ours are trained together, with standard pieces: the \
            value of a board is the sum of its windows four wide, the same wherever they stand, \
            and three wide, each with its place and the height of its highest column. TD with \
            temporal coherence, reward one for a row, minus two for a covered hole, discount 0.95. \
            Games are truncated, so that the rows are bounds from below."],
        rules: "tetris:10x20",
        measure: small::ntuples,
        ..Experiment::NONE
    },
];
