//! Chapters 2 to 4 of the thesis, Melax's well: its tables and figures, as data.

use super::melax::{MELAX, MelaxTd, OPTIMISTIC, PESSIMISTIC};
use super::melax_figures;
use super::seeds::SEEDS;
use super::{COUNT, FIRST, GAMES, PART, POWER, PUSHED, PUSHED_END, SMALLEST, small, statements};
use crate::experiment::{Experiment, published};

/// What differs in Melax's well.
const MELAX_RULES: &str = "Melax's rules and ours agree as far as the thesis tells them; the \
    exact optimum is that of ours, so that no agent of ours can be below it.";

/// Why the rows of Melax's table differ.
const MELAX_TABLE: &str = "no play by the rules that the thesis tells is below the exact optimum, \
    which the table ends under; with three times the corners or half the squares the same agent \
    comes near all of it (`carr-melax-rules`)";

/// Why the games until a curve is flat differ.
const BY_EYE: &str = "the thesis reads the game off one curve by eye, ours is the mean over seeds of \
    the first ten games within a tenth of the end";

/// The seeds where a twentieth of the rows, or a tenth of an improvement, decides.
const MANY_SEEDS: [u64; 3] = [2, 25, 400];

/// What the thesis leaves open of exploration.
const EXPLORATION: &str = "The thesis gives an epsilon of 5% and no temperatures; ours cool from \
    30 to 1 over 30 games from optimistic values, and from 100 to 1 otherwise.";

pub(crate) const MELAX_WELL: &[Experiment] = &[
    Experiment {
        name: "carr-states",
        title: "How many states each assumption leaves",
        source: "Carr 2005, sections 3.1 and 4.6; powers of two, and the last four as numbers",
        published: published![
            "whole well, 2^200" => POWER = 200.0; "heights, 20^10" => POWER = 43.0;
            "differences, 20^9" => POWER = 39.0; "capped, 7^9" => POWER = 25.0;
            "window of four, 7^3" => COUNT = 343.0; "mirrored" => COUNT = 175.0;
            small::MELAX_STATES[0] => COUNT = 4_096.0; small::MELAX_STATES[1] => COUNT = 491_520.0;
        ],
        differences: &["The thesis counts a height as one of 20, though an empty column is one \
            more; so does this table. Its powers of two are rounded."],
        reasons: &[
            (
                "Extending the wells",
                "six columns have 7^5 = 16,807 states, a fraction of the 491,520 entries that the thesis \
                 trains in section 4.6; with every piece and placement they are four times these",
            ),
            ("only the L shaped", "two of the five have two, the dot and the square one"),
        ],
        statements: statements::STATES,
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
            rules, which value iteration finds: his pieces or their frequencies must differ from \
            those that the thesis describes. Ours are means over seeds of single games while learning, \
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
        statements: statements::TABLE_2_1,
        rules: "tetris:6x2,melax",
        measure: melax_figures::game_by_game,
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure4-2",
        title: "The Melax-defined agent and players that learn nothing",
        source: "Carr 2005, figure 4.2: TD(0), rate 0.02, discount 0.8",
        published: published![
            "no movement" => PUSHED; "random placement" => PUSHED; "untrained" => PUSHED; "TD(0)" => PUSHED;
            "TD(0) beside untrained" => PART; "exact optimum" => PUSHED;
        ],
        differences: &[
            "The thesis shows one training as a picture, and tells only that the end is about a \
                quarter of the untrained agent's rows.",
            MELAX_RULES,
        ],
        statements: statements::FIGURE_4_2,
        rules: "tetris:6x2,melax",
        measure: melax_figures::beside_untrained,
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
        reasons: &[("mirrored", BY_EYE), ("not mirrored", BY_EYE)],
        statements: statements::FIGURE_4_3,
        rules: "tetris:6x2,melax",
        measure: |experiment, cache| {
            let cases = [("mirrored", MELAX), ("not mirrored", MelaxTd { mirror: false, ..MELAX })];
            let shape = "both curves end at the same level; the mirrored one gets there in \
                about half the games.";
            melax_figures::compare(
                experiment,
                cache,
                "Mirror symmetry: TD(0), rate 0.02",
                &cases,
                shape,
            )
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
        reasons: &[(
            "all three agents",
            "all are still a seventh above their level at game 100 after forty games, and within a tenth of it before game sixty",
        )],
        statements: statements::FIGURE_4_4,
        rules: "tetris:6x2,melax",
        measure: |experiment, cache| {
            let shape = "all three fall within forty games; greedy is the fastest and ends \
                lowest, softmax and epsilon-greedy end together above it.";
            melax_figures::explore(experiment, cache, (OPTIMISTIC, SEEDS), false, shape)
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
        reasons: &[(
            "The greedy approach",
            "softmax plays a little better (469 rows, greedy 479), with temperatures that are ours; epsilon-greedy does not (491)",
        )],
        statements: statements::FIGURE_4_5,
        minutes: 3,
        rules: "tetris:6x2,melax",
        measure: |experiment, cache| {
            let shape = "flat and noisy lines of fifty games: greedy is the lowest, softmax \
                and epsilon-greedy are alike.";
            melax_figures::explore(experiment, cache, (OPTIMISTIC, MANY_SEEDS), true, shape)
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "carr-figure4-6",
        title: "Exploration from values of -150, below all that is learned: learning",
        source: "Carr 2005, figure 4.6: 100 games of learning, 50 without",
        published: published![
            "greedy" => PUSHED_END, FIRST; "epsilon-greedy" => PUSHED_END, FIRST;
            "softmax" => PUSHED_END, FIRST;
            melax_figures::FROM_0[0] => FIRST, SMALLEST; melax_figures::FROM_0[1] => FIRST;
            melax_figures::FROM_0[2] => FIRST; "exact optimum" => PUSHED_END;
        ],
        differences: &[
            EXPLORATION,
            MELAX_RULES,
            "An improvement by less than a tenth counts as none, as in every figure of this thesis: from the first \
                games to game 100 greedy improves by 7%, epsilon-greedy by 15%.",
        ],
        reasons: &[
            (
                "all three agents",
                "softmax begins worse: its temperature starts at 100 here and at 30 from values of 0, where the thesis names none",
            ),
            (
                "The epsilon-greedy agent",
                "it goes on improving, by more than a tenth from the first games to game 100",
            ),
            (
                "settles on the optimal policy",
                "it settles on 521 rows when it plays, a sixth above the exact optimum of 449",
            ),
        ],
        statements: statements::FIGURE_4_6,
        minutes: 3,
        rules: "tetris:6x2,melax",
        measure: |experiment, cache| {
            let shape = "all begin far lower than with optimistic values; greedy stays on a \
                poor policy, epsilon-greedy learns a little, softmax begins high and settles \
                lowest within 30 games.";
            melax_figures::explore(experiment, cache, (PESSIMISTIC, MANY_SEEDS), false, shape)
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
        reasons: &[(
            "the Softmax approach",
            "epsilon-greedy plays a little better (513 rows, softmax 520), and the temperatures are ours",
        )],
        statements: statements::FIGURE_4_7,
        rules: "tetris:6x2,melax",
        measure: |experiment, cache| {
            let shape = "flat and noisy lines of fifty games: greedy is the worst, \
                epsilon-greedy better, softmax the best.";
            melax_figures::explore(experiment, cache, (PESSIMISTIC, SEEDS), true, shape)
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
        reasons: &[("rate 0.2", BY_EYE), ("rate 0.02", BY_EYE)],
        statements: statements::FIGURE_4_8,
        rules: "tetris:6x2,melax",
        measure: |experiment, cache| {
            let cases = [("rate 0.2", MelaxTd { rate: 0.2, ..MELAX }), ("rate 0.02", MELAX)];
            let shape = "rate 0.2 falls almost ten times as fast and ends slightly above \
                rate 0.02.";
            melax_figures::compare(experiment, cache, "The learning rate of TD(0)", &cases, shape)
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
        reasons: &[
            (
                "These results are far worse",
                "ours come to the rows of TD(0): nothing in the method stops at 1,400 rows",
            ),
            (
                "The TD(0) agent only",
                "Sarsa(0) takes as many as published (840), and TD(0) fewer (30 at most): by the same rate the \
             thesis has ten in figure 4.8, and fifty are those of a rate of 0.02",
            ),
        ],
        statements: statements::FIGURE_4_9,
        minutes: 2,
        rules: "tetris:6x2,melax",
        measure: melax_figures::sarsa,
        ..Experiment::NONE
    },
];
