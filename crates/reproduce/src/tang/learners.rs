//! Section 8: Monte Carlo, temporal differences, Sarsa and Q-learning, which the study describes
//! and does not run, on boards whose optimum is known.

use afterstate_core::{Game, Index, Rng, threads};
use afterstate_games::spec::Spec;
use afterstate_games::tenten::{After, Placement, State, TenTen};
use afterstate_games::{RewardMixture, StateActionAggregation, StateAggregation};
use afterstate_learn::Td;
use afterstate_learn::table::{Control, Exploration, Sarsa, TableTd, Task};
use afterstate_values::{ActionTablePolicy, AfterstateTablePolicy, ValueTable};

use super::exact::{best_survival, follow, rounds};
use super::{ROUNDS, board, results};
use crate::experiment::{Experiment, Measured, Measurement, published};
use crate::measure::Value;
use crate::verdict::Statement;
use crate::{Error, TrainingCache};

/// The learners of each board, and its optimum.
const CASES: [[&str; 5]; 2] = [
    [
        "3x3, Monte-Carlo: Sarsa(1)",
        "3x3, TD(0)",
        "3x3, Sarsa(0)",
        "3x3, Q-learning",
        "3x3, exact optimum",
    ],
    [
        "4x4, Monte-Carlo: Sarsa(1)",
        "4x4, TD(0)",
        "4x4, Sarsa(0)",
        "4x4, Q-learning",
        "4x4, exact optimum",
    ],
];

pub(super) const LEARNERS_OF_SECTION_8: Experiment = Experiment {
    name: "tang-learners",
    title: "Learners of section 8 on small boards, beside the exact optimum",
    source: "Tang 2019, section 8, which describes them",
    published: published![
        CASES[0][0] => ROUNDS; CASES[0][1] => ROUNDS; CASES[0][2] => ROUNDS; CASES[0][3] => ROUNDS;
        CASES[0][4] => ROUNDS; CASES[1][0] => ROUNDS; CASES[1][1] => ROUNDS; CASES[1][2] => ROUNDS;
        CASES[1][3] => ROUNDS; CASES[1][4] => ROUNDS;
    ],
    statements: &[
        Statement {
            // Of 3x3 and 4x4 with seven pieces.
            says: "Since the limitation of space in 4 x 4 board is lower than that in 3 x 3 board, its \
            performance is better than that in 3 x 3 board",
            holds: |figures| figures.more(ROUNDS, CASES[1][4], CASES[0][4]),
        },
        Statement {
            // Of the game that the study is about, four bytes for each entry, beside all that a program can
            // address.
            says: "the size of Q table is still very large that memory issue will also be happened",
            holds: |_| Some(4.0 * entries_of_the_game()? > 2_f64.powi(57)),
        },
        Statement {
            says: "[Monte-Carlo] is not applicable to our game as the game can last forever, it \
                will not exist a terminal state for MC to compute.",
            // With seven pieces even the best play ends, and Monte-Carlo learns.
            holds: |figures| {
                let ends = figures.of(CASES[1][4], ROUNDS)?.is_finite();
                Some(!(ends && figures.of(CASES[0][0], ROUNDS)?.is_finite()))
            },
        },
    ],
    reasons: &[(
        "[Monte-Carlo]",
        "with seven pieces even the best play ends, and Monte-Carlo learns on both boards",
    )],
    differences: &[
        "The study names these methods and does not run them.",
        "TD(0) values boards after a move, starts every value at its largest and plays greedily; \
        the others value moves and explore in one of twenty.",
        "What they learned is evaluated exactly, and intervals are over five seeds; the optimum is \
        that of survival.",
        "The Q tables of both boards fit into memory; that of the game on 10x10 has more than 10^30 entries, since \
        single cells reach every board without a full line.",
    ],
    minutes: 10,
    rules: "1010:3x3,pieces=7 and 1010:4x4,pieces=7",
    measure,
    ..Experiment::NONE
};

/// The entries of a Q table of 1010! on 10x10, at the least: one for each board without a full line, which
/// single cells reach and on which another one has a place. All but 20 times 2^90 of 2^100 boards are such.
fn entries_of_the_game() -> Option<f64> {
    let game = board(10, "19").ok()?;
    let single = game.pieces().iter().any(|piece| piece.shape.cells().len() == 1);
    single.then(|| 2_f64.powi(100) - 20.0 * 2_f64.powi(90))
}

/// A learner of section 8.
#[derive(Clone, Copy, Debug)]
enum Learner {
    Td,
    Sarsa { control: Control, lambda: f32 },
}

/// In the order of the cases.
const LEARNERS: [Learner; 4] = [
    Learner::Sarsa { control: Control::Sarsa, lambda: 1.0 },
    Learner::Td,
    Learner::Sarsa { control: Control::Sarsa, lambda: 0.0 },
    Learner::Sarsa { control: Control::QLearning, lambda: 0.0 },
];

/// The discount factor of a reward of 1 per move.
const DISCOUNT: f32 = 0.9;

const RATE: f32 = 0.1;

/// An entry of the table for every board, or for every board and placement.
struct Entries {
    boards: u64,
    actions: u64,
}

impl StateAggregation<TenTen> for Entries {
    fn size(&self) -> u64 {
        self.boards
    }

    fn indices(&self, game: &TenTen, after: &After, out: &mut [u32]) {
        let index = game.index_of(after);
        out[0] = index.expect("the boards of a game with an index have indices") as u32;
    }
}

impl StateActionAggregation<TenTen> for Entries {
    fn size(&self) -> u64 {
        self.boards * self.actions
    }

    fn indices(&self, game: &TenTen, state: &State, moves: &[Placement], out: &mut [u32]) {
        for (&mv, out) in moves.iter().zip(out) {
            let first = state.board.bits() as u64 * self.actions;
            *out = (first + game.action_number(mv) as u64) as u32;
        }
    }
}

fn measure(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let (moves, seeds) = cache.scale.pick([(2_000, 1), (400_000, 5), (20_000_000, 5)]);
    let mut measured = Vec::new();
    for (side, cases) in (3..).zip(CASES) {
        let game = board(side, "7")?;
        for (case, learner) in cases.into_iter().zip(LEARNERS) {
            cache.observer.begin(&format!("{case}: {seeds} seeds"))?;
            cache.check_stopped()?;
            let first = cache.seed;
            let learn = |seed| learn(&game, learner, moves, first + seed as u64);
            let rounds = threads::map(cache.threads, seeds, learn);
            let rounds = rounds.into_iter().collect::<Result<Vec<f64>, Error>>()?;
            measured.push(Measurement::training(case, ROUNDS, Value::mean(&rounds)));
        }
        measured.push(Measurement::training(cases[4], ROUNDS, best_survival(&game)?));
    }
    Ok(results(experiment, cache, &measured, Vec::new(), None))
}

/// The expected rounds of a learner's policy after about so many moves.
fn learn(game: &TenTen, learner: Learner, moves: u64, seed: u64) -> Result<f64, Error> {
    let boards = game.index_len().ok_or_else(|| Error::NotEnumerable(game.spec()))?;
    let entries = Entries { boards, actions: game.actions() as u64 };
    let (size, initial) = match learner {
        // Optimistic: the value of a game that never ends.
        Learner::Td => (StateAggregation::size(&entries), 1.0 / (1.0 - DISCOUNT)),
        Learner::Sarsa { .. } => (StateActionAggregation::size(&entries), 0.0),
    };
    let table = ValueTable::new(size, initial)?;
    let reward = RewardMixture::STEP;
    let task = Task {
        table: &table,
        aggregation: &entries,
        reward: &reward,
        discount: DISCOUNT,
        terminal_value: Some(0.0),
        max_moves: 100_000,
    };
    let train = |episode: &mut dyn FnMut(State, &mut Rng) -> u64| {
        let (mut played, mut number) = (0, 0);
        while played < moves {
            let mut rng = Rng::stream(seed, number);
            played += episode(game.start(&mut rng), &mut rng).max(1);
            number += 1;
        }
    };
    let chain = match learner {
        Learner::Td => {
            let mut learner = TableTd::new(game, task, Td { rate: RATE }, Exploration::Greedy);
            train(&mut |start, rng| learner.episode(start, rng).moves);
            follow(game, &mut AfterstateTablePolicy::new(&table, &entries, &reward, DISCOUNT))?
        }
        Learner::Sarsa { control, lambda } => {
            let explore = Exploration::Epsilon(0.05);
            let mut learner = Sarsa::new(game, task, control, RATE, lambda, explore);
            train(&mut |start, rng| learner.episode(start, rng).moves);
            follow(game, &mut ActionTablePolicy::new(&table, &entries))?
        }
    };
    Ok(rounds(&chain).value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counted on small boards, the boards without a full line are at least as many as the bound says.
    #[test]
    fn boards_without_a_full_line_are_most_of_all() {
        let full = |bits: u32, line: u32| bits & line == line;
        let lines =
            [0b111, 0b111 << 3, 0b111 << 6, 0b1_001_001, 0b1_001_001 << 1, 0b1_001_001 << 2];
        let counted = (0..1u32 << 9).filter(|&bits| !lines.iter().any(|&line| full(bits, line)));
        assert!(counted.count() >= (1 << 9) - 6 * (1 << 6));
        let entries = entries_of_the_game().unwrap_or_default();
        assert!(entries > 1e30 && entries < 2_f64.powi(100), "{entries}");
    }
}
