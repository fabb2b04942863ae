//! Section 8: Monte-Carlo, temporal differences, Sarsa and Q-learning, which the study describes and
//! does not run, on boards whose optimum is known.
//!
//! Published: nothing. Each learns for 1 a move, discounted by 0.9, and is evaluated exactly.

use afterstate_core::{Game, Index, Policy, Rng};
use afterstate_games::tenten::{After, Placement, State, TenTen};
use afterstate_games::{RewardMixture, StateActionAggregation, StateAggregation};
use afterstate_lab::solve::{estimate, solve};
use afterstate_learn::Td;
use afterstate_learn::solve::Chain;
use afterstate_learn::table::{Control, Exploration, Sarsa, TableTd, Task};
use afterstate_values::{ActionTablePolicy, AfterstateTablePolicy, Table};

use super::{Found, board, findings};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::measure::Value;
use crate::{Error, Session};

const ROUNDS: Quantity = Quantity::Decimal("rounds");

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

/// How much a move is worth a move later.
const DISCOUNT: f32 = 0.9;

/// Seeds that are averaged over.
const SEEDS: u64 = 5;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "tang-learners",
    title: "Learners of section 8 on small boards, beside the exact optimum",
    source: "Tang 2019, section 8, which describes them",
    published: &[
        Published::not(CASES[0][0], ROUNDS),
        Published::not(CASES[0][1], ROUNDS),
        Published::not(CASES[0][2], ROUNDS),
        Published::not(CASES[0][3], ROUNDS),
        Published::not(CASES[0][4], ROUNDS),
        Published::not(CASES[1][0], ROUNDS),
        Published::not(CASES[1][1], ROUNDS),
        Published::not(CASES[1][2], ROUNDS),
        Published::not(CASES[1][3], ROUNDS),
        Published::not(CASES[1][4], ROUNDS),
    ],
    differences: "The study names these methods and does not run them; it calls Monte-Carlo impossible because a game may last for ever, which with 7 pieces none does. TD(0) values boards after a move, starts every value at its largest and plays greedily; the others value moves and explore in one of twenty. The worth of what they learned is exact, the mean over five seeds; the optimum is that of survival.",
    rules: "1010:3x3,pieces=7 and 1010:4x4,pieces=7",
    measure,
};

/// A place of the table for every board, or for every board and placement.
struct Places {
    boards: u64,
    actions: u64,
}

impl StateAggregation<TenTen> for Places {
    fn size(&self) -> u64 {
        self.boards
    }

    fn indices(&self, game: &TenTen, after: &After, out: &mut [u32]) {
        out[0] = game.index_of(after).unwrap_or(0) as u32;
    }
}

impl StateActionAggregation<TenTen> for Places {
    fn size(&self) -> u64 {
        self.boards * self.actions
    }

    fn indices(&self, game: &TenTen, state: &State, moves: &[Placement], out: &mut [u32]) {
        for (&mv, out) in moves.iter().zip(out) {
            *out =
                (state.board.bits() as u64 * self.actions + game.action_number(mv) as u64) as u32;
        }
    }
}

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let (moves, seeds) = match (session.form.is_full(), session.form.tuples.is_some()) {
        (true, _) => (20_000_000, SEEDS),
        (_, true) => (2_000, 1),
        _ => (400_000, SEEDS),
    };
    let mut found = Vec::new();
    for (side, cases) in (3..).zip(CASES) {
        let game = board(side, "7")?;
        for (number, case) in cases.into_iter().take(4).enumerate() {
            let learned = (0..seeds).map(|seed| learn(&game, number, moves, session.seed + seed));
            let rounds = learned.collect::<Result<Vec<f64>, Error>>()?;
            found.push(Found::new(case, &ROUNDS, Value::mean(&rounds)));
        }
        let plan = estimate(&game, None, 1.0).map_err(|_| Error::TooLarge)?;
        let best = solve(&game, &plan, |_| {}).map_err(|_| Error::TooLarge)?;
        let optimum = best.optimum.unwrap_or(f64::INFINITY);
        found.push(Found::new(cases[4], &ROUNDS, Value::exact(optimum)));
    }
    Ok(findings(&session.form, published, &found, Vec::new(), Vec::new()))
}

/// What a learner's policy is worth after about so many moves.
fn learn(game: &TenTen, number: usize, moves: u64, seed: u64) -> Result<f64, Error> {
    let boards = game.index_len().ok_or(Error::TooLarge)?;
    let places = Places { boards, actions: game.actions() as u64 };
    let size = if number == 1 {
        StateAggregation::size(&places)
    } else {
        StateActionAggregation::size(&places)
    };
    // A game that never ends is worth 10 by this discount; moves are unknown at first.
    let initial = if number == 1 { 1.0 / (1.0 - DISCOUNT) } else { 0.0 };
    let table = Table::new(size, initial).map_err(|_| Error::TooLarge)?;
    let reward = RewardMixture::STEP;
    let task = Task {
        table: &table,
        entries: &places,
        reward: &reward,
        discount: DISCOUNT,
        end: Some(0.0),
        max_moves: 100_000,
    };
    let mut played = 0;
    let mut episodes = (0..).map(|episode| Rng::stream(seed, episode));
    if number == 1 {
        let mut learner = TableTd::new(game, task, Td { rate: 0.1 }, Exploration::Greedy);
        while let Some(mut rng) = episodes.next().filter(|_| played < moves) {
            played += learner.episode(game.start(&mut rng), &mut rng).moves.max(1);
        }
        return worth(game, AfterstateTablePolicy::new(&table, &places, &reward, DISCOUNT));
    }
    let control = if number == 3 { Control::QLearning } else { Control::Sarsa };
    let lambda = if number == 0 { 1.0 } else { 0.0 };
    let explore = Exploration::Epsilon(0.05);
    let mut learner = Sarsa::new(game, task, control, 0.1, lambda, explore);
    while let Some(mut rng) = episodes.next().filter(|_| played < moves) {
        played += learner.episode(game.start(&mut rng), &mut rng).moves.max(1);
    }
    worth(game, ActionTablePolicy::new(&table, &places))
}

fn worth(game: &TenTen, mut player: impl Policy<TenTen>) -> Result<f64, Error> {
    let mut rng = Rng::stream(0, 0);
    let chain = Chain::new(game, |state, offer| {
        if let Some(choice) = player.choose(game, state, &mut rng) {
            offer(choice, 1.0);
        }
    });
    Ok(chain.ok_or(Error::TooLarge)?.expected().rounds.unwrap_or(f64::INFINITY))
}
