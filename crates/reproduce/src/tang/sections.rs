//! Sections 4, 5 and 7: the state diagram, the iterations until the policy no longer changes, and the sizes.

use afterstate_core::{Game, Index};
use afterstate_games::spec::Spec;
use afterstate_games::tenten::{BitTransitionModel, TenTen};
use afterstate_games::{RewardMixture, TransitionModel};
use afterstate_values::SolvedTable;

use super::exact::{best_survival, solution};
use super::{ITERATIONS, ROUNDS, board, results, rewards};
use crate::experiment::Quantity::{Decimal, Named, Ratio};
use crate::experiment::{Experiment, Measured, Measurement, Quantity, published};
use crate::measure::Value;
use crate::verdict::Statement;
use crate::{Error, Scale, TrainingCache};

const LARGEST: Quantity = Ratio("largest value of a state");
const EMPTY: Quantity = Ratio("value of the empty board and the single cell");
const DIAGRAM: [&str; 4] = ["3x3, r2", "4x4, r2", "3x3, (10 n)^2", "4x4, (10 n)^2"];

/// The values of the next states after an action of the diagram, and the value that is published
/// for the action.
const ACTIONS: [([f64; 3], f64); 3] = [
    ([472.39, 472.39, 475.18], 378.656),
    ([472.39, 469.97, 459.72], 375.754),
    ([472.39, 469.97, 458.04], 373.440),
];

/// Whether the value of an action follows of its terms: 0.8 times the mean of the next states.
fn follows((next, value): ([f64; 3], f64)) -> bool {
    (0.8 * next.iter().sum::<f64>() / 3.0 - value).abs() < 0.01
}

pub(super) const FIGURE7: Experiment = Experiment {
    name: "tang-figure7",
    title: "The values of a state diagram: 3 pieces, r2, gamma 0.8, 20 iterations",
    source: "Tang 2019, section 4.1.7, figure 7; the board was printed as a picture",
    published: published![
        DIAGRAM[0] => LARGEST = 475.18, EMPTY; DIAGRAM[1] => LARGEST, EMPTY;
        DIAGRAM[2] => LARGEST, EMPTY; DIAGRAM[3] => LARGEST, EMPTY;
    ],
    reasons: &[
        (
            DIAGRAM[0],
            "squares of lines cannot add up to such values; the program of the study seems to have \
         squared ten points per line",
        ),
        ("V_2", "its terms make 373.888; with 466.72 in the place of 459.72 they make 375.755"),
    ],
    statements: &[
        Statement {
            says: "V_1 = 0 + 0.8 (472.39 / 3 + 472.39 / 3 + 475.18 / 3) = 378.656",
            holds: |_| Some(follows(ACTIONS[0])),
        },
        Statement {
            says: "V_2 = 0 + 0.8 (472.39 / 3 + 469.97 / 3 + 459.72 / 3) = 375.754",
            holds: |_| Some(follows(ACTIONS[1])),
        },
        Statement {
            says: "V_3 = V_4 = 0 + 0.8 (472.39 / 3 + 469.97 / 3 + 458.04 / 3) = 373.440",
            holds: |_| Some(follows(ACTIONS[2])),
        },
        Statement {
            says: "The highest value is V_1 among the others.",
            holds: |_| Some(ACTIONS[1..].iter().all(|action| action.1 < ACTIONS[0].1)),
        },
    ],
    differences: &[
        "The board is not in the text, so its four values cannot be measured one by one; the \
        largest of all states bounds them.",
        "With (10 n)^2 for n lines, the empty board of 3x3 is worth 475.62, which comes near the diagram's \
        largest value, but no board has all of its values.",
    ],
    rules: "1010:3x3,pieces=3 and 1010:4x4,pieces=3",
    measure: diagram,
    ..Experiment::NONE
};

/// The largest value of a state, and that of the empty board and the first piece.
fn state_values(game: &TenTen, table: &SolvedTable) -> Result<(f64, f64), Error> {
    let boards = game.index_len().ok_or_else(|| Error::NotEnumerable(game.spec()))?;
    let (mut largest, mut empty) = (0.0_f64, 0.0);
    for after in (0..boards).filter_map(|index| game.after_at(index)) {
        game.for_each_chance(&after, |state, _| {
            let best = game.best_move(&state, |choice| table.move_value(game, &state, choice));
            let value = best.map_or(0.0, |best| f64::from(best.1));
            largest = largest.max(value);
            if state.board.count() == 0 && state.hand.has(0) {
                empty = value;
            }
        });
    }
    Ok((largest, empty))
}

fn diagram(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let mut measured = Vec::new();
    for (number, case) in DIAGRAM.into_iter().enumerate() {
        let game = board(3 + number % 2, "3")?;
        let lines = if number < 2 { 1.0 } else { 100.0 };
        let reward = RewardMixture { lines, ..RewardMixture::default() };
        let sweeps = ITERATIONS[0][0] - 1;
        let table = solution(&game, Some(reward), 0.8, Some(sweeps))?.table;
        let (largest, empty) = state_values(&game, &table)?;
        measured.push(Measurement::training(case, LARGEST, Value::exact(largest)));
        measured.push(Measurement::training(case, EMPTY, Value::exact(empty)));
    }
    Ok(results(experiment, cache, &measured, Vec::new(), None))
}

const GAMES: [&str; 4] = [
    "game 1: 3x3, 3 pieces",
    "game 2: 3x3, 7 pieces",
    "game 3: 4x4, 3 pieces",
    "game 4: 4x4, 7 pieces",
];
const R1_CHANGES: Quantity = Decimal("first iteration that changes no policy, r1");
const R2_CHANGES: Quantity = Decimal("first iteration that changes no policy, r2");
const R3_CHANGES: Quantity = Decimal("first iteration that changes no policy, r3");
const CHANGES: [Quantity; 3] = [R1_CHANGES, R2_CHANGES, R3_CHANGES];

const NOT_SAID: &str = "the study does not say for which discount and reward it counts, and when it \
    takes a policy for final; ours changes again later on a few boards";

pub(super) const SECTION5: Experiment = Experiment {
    name: "tang-section5",
    title: "Iterations of value iteration until the policy no longer changes, gamma 0.8",
    source: "Tang 2019, section 5",
    published: published![
        GAMES[0] => R1_CHANGES, R2_CHANGES = 20.0, R3_CHANGES;
        GAMES[1] => R1_CHANGES, R2_CHANGES = 18.0, R3_CHANGES;
        GAMES[2] => R1_CHANGES, R2_CHANGES = 16.0, R3_CHANGES;
        GAMES[3] => R1_CHANGES, R2_CHANGES = 16.0, R3_CHANGES;
    ],
    reasons: &[
        (GAMES[0], NOT_SAID),
        (GAMES[1], NOT_SAID),
        (GAMES[2], NOT_SAID),
        (GAMES[3], NOT_SAID),
        ("In our case", "ours range from 4 to 35 with the game and the reward"),
    ],
    statements: &[Statement {
        says: "In our case, around 20 iterations are needed for convergence.",
        holds: |figures| {
            GAMES.iter().try_fold(true, |all, game| {
                Some(all && (15.0..=25.0).contains(&figures.of(game, R2_CHANGES)?))
            })
        },
    }],
    differences: &[
        "Figure 7 is of 20 iterations with r2 and gamma 0.8, so these are set beside the counts.",
        "Ours are plain value iteration from 0 on all boards without a full line; moves that are \
        equal but for rounding count as changes.",
    ],
    rules: "1010:3x3,pieces=3, 1010:3x3,pieces=7, 1010:4x4,pieces=3 and 1010:4x4,pieces=7",
    measure: iterations,
    ..Experiment::NONE
};

/// Enough sweeps for any policy of a small game to stand at gamma 0.8.
const ENOUGH: u64 = 300;

fn iterations(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let mut measured = Vec::new();
    for (number, case) in GAMES.into_iter().enumerate() {
        let game = board(3 + number / 2, ["3", "7"][number % 2])?;
        for (quantity, reward) in CHANGES.into_iter().zip(rewards()) {
            let changes = solution(&game, Some(reward), 0.8, Some(ENOUGH))?.policy_changes;
            let first = changes.iter().position(|&changed| changed == 0);
            let first = first.unwrap_or(changes.len()) as f64 + 1.0;
            measured.push(Measurement::training(case, quantity, Value::exact(first)));
        }
    }
    Ok(results(experiment, cache, &measured, Vec::new(), None))
}

const STATES: Quantity = Named("states: boards with or without full lines, times pieces");
const BOARDS: Quantity = Named("boards without a full line");
const EDGES: Quantity = Named("edges");
const EDGES_PER_STATE: Quantity = Ratio("edges per state");
const BYTES: Quantity = Ratio("bytes of the table that the study plans, as a power of two");
const SIDES: [&str; 3] = ["3x3", "4x4", "5x5"];

pub(super) const FIGURE13: Experiment = Experiment {
    name: "tang-figure13",
    title: "States and edges with 7 pieces",
    source: "Tang 2019, section 7, figure 13",
    published: published![
        SIDES[0] => STATES = 3_584.0, BOARDS, EDGES = 3_317.0, EDGES_PER_STATE = 0.925;
        SIDES[1] => STATES = 458_752.0, BOARDS, EDGES = 892_062.0, EDGES_PER_STATE = 1.944;
        SIDES[2] => STATES, BOARDS, EDGES, EDGES_PER_STATE = 2.0, BYTES = 32.89, ROUNDS;
    ],
    reasons: &[
        (
            SIDES[2],
            "2 edges per state is the study's estimate, which the larger board exceeds; its \
             product of bytes leaves out its last factor, 4",
        ),
        ("The configuration", "its optimum is measured here, with one value per board"),
    ],
    statements: &[
        Statement {
            says: "Game1: [3 pieces] total number of states = 512 * 3 = 1,536; Game3: 65,536 * 3 = \
                196,608.",
            holds: |figures| {
                let with_three = |side| Some(figures.of(side, STATES)? / 7.0 * 3.0);
                Some(with_three(SIDES[0])? == 1_536.0 && with_three(SIDES[1])? == 196_608.0)
            },
        },
        Statement {
            says: "With a larger board, the number of edges are increase with size.",
            holds: |figures| {
                let ratio = |side| figures.of(side, EDGES_PER_STATE);
                Some(ratio(SIDES[0])? < ratio(SIDES[1])? && ratio(SIDES[1])? < ratio(SIDES[2])?)
            },
        },
        Statement {
            says: "The configuration of a larger board, 5x5, is too larger that it fails to find \
                out optimal policy by MDP.",
            // The optimum is measured here.
            holds: |figures| Some(!figures.of(SIDES[2], ROUNDS)?.is_finite()),
        },
    ],
    differences: &[
        "The study counts 892,062 edges on 4x4, which is two fewer than there are.",
        "It calls 5x5 impossible, for it would store every state with its board and its edges; one \
        value per board is enough, and rounds are those of the policy that survives longest.",
    ],
    minutes: 5,
    rules: "1010:3x3,pieces=7, 4x4 and 5x5",
    measure: sizes,
    ..Experiment::NONE
};

fn sizes(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let mut measured = Vec::new();
    for (side, case) in (3..).zip(SIDES) {
        // Tests do not count the 25 million boards of 5x5.
        let played = if cache.scale == Scale::Tiny { side.min(4) } else { side };
        let game = board(played, "7")?;
        let states = 2f64.powi((side * side) as i32) * 7.0;
        let model = BitTransitionModel::of(&game);
        let model = model.ok_or_else(|| Error::NotEnumerable(game.spec()))?;
        let size = TransitionModel::<f32>::size(&model);
        let (boards, edges) = (size.boards as f64, size.edges as f64);
        for (quantity, count) in [
            (STATES, states),
            (BOARDS, boards),
            (EDGES, edges),
            (EDGES_PER_STATE, edges / states),
            // A board, three edges of two numbers, a value and an action of two, of 4 bytes each.
            (BYTES, (states * (25.0 + 6.0 + 1.0 + 2.0) * 4.0).log2()),
        ] {
            measured.push(Measurement::training(case, quantity, Value::exact(count)));
        }
        // Solving 5x5 takes minutes.
        if side == 5 && cache.scale != Scale::Quick {
            measured.push(Measurement::training(case, ROUNDS, best_survival(&game)?));
        }
    }
    Ok(results(experiment, cache, &measured, Vec::new(), None))
}
