//! Learners against exact solutions: on a solvable board they reach the optimum.

use std::collections::HashMap;

use afterstate_core::{Game, Rng, Text};
use afterstate_games::twenty48::{Board, Twenty48};
use afterstate_games::{Cells, Tuples};
use afterstate_learn::{Coherence, StateLearner, Tc, Td, TdLearner, Update};
use afterstate_values::{Network, Values};

use crate::{bits, episodes};

/// The expected score of optimal play on 2x2 (exact).
const OPTIMUM: f64 = 66.96415;

/// A table of whole boards: every afterstate has its own weights.
fn table(game: &Twenty48, initial: f32) -> Network<Twenty48> {
    Network::new(game, Tuples::new(game, &[vec![0, 1, 2, 3]]).unwrap(), initial).unwrap()
}

/// The exact expected score of playing greedily by a function of afterstates.
fn policy_value(game: &Twenty48, value: &dyn Fn(&Board) -> f32) -> f64 {
    fn from(
        game: &Twenty48,
        value: &dyn Fn(&Board) -> f32,
        state: Board,
        known: &mut HashMap<Board, f64>,
    ) -> f64 {
        if let Some(&value) = known.get(&state) {
            return value;
        }
        let mut best: Option<(f32, f32, Board)> = None;
        game.for_each_move(&state, |_, step| {
            let estimate = step.reward + value(&step.after);
            if best.is_none_or(|(max, ..)| estimate > max) {
                best = Some((estimate, step.reward, step.after));
            }
        });
        let mut expected = 0.0;
        if let Some((_, reward, after)) = best {
            expected = f64::from(reward);
            game.for_each_chance(&after, |next, probability| {
                expected += probability * from(game, value, next, known);
            });
        }
        known.insert(state, expected);
        expected
    }
    let (mut known, mut total) = (HashMap::new(), 0.0);
    game.for_each_start(|state, probability| {
        total += probability * from(game, value, state, &mut known);
    });
    total
}

fn learned<U: Update>(lambda: f32, initial: f32, backwards: bool, update: U) -> f64 {
    let game = Twenty48::new(2, 2, 0.1).unwrap();
    let network = table(&game, initial);
    let mut learner = TdLearner::new(&game, &network, update, lambda);
    if backwards {
        learner = learner.backwards();
    }
    episodes(&game, 1, 200_000, |start, rng| learner.episode(start, rng, |_| {}).score);
    policy_value(&game, &|after| network.value(&game, after))
}

#[test]
fn td_and_tc_play_2x2_almost_perfectly() {
    let [coherence, tc_lambda] = &[(); 2].map(|()| Coherence::new(1 << 16).unwrap());
    for (name, found) in [
        ("td", learned(0.0, 0.0, false, Td { rate: 0.1 })),
        ("optimistic td", learned(0.0, 100.0, false, Td { rate: 0.1 })),
        ("td(0.5)", learned(0.5, 100.0, false, Td { rate: 0.05 })),
        ("tc", learned(0.0, 100.0, false, Tc { rate: 1.0, coherence })),
        ("tc(0.5)", learned(0.5, 100.0, false, Tc { rate: 1.0, coherence: tc_lambda })),
        ("td backwards", learned(0.0, 100.0, true, Td { rate: 0.05 })),
    ] {
        assert!(found <= OPTIMUM + 1e-4, "{name} cannot beat the optimum: {found}");
        assert!(found > 0.985 * OPTIMUM, "{name} reaches {found} of {OPTIMUM}");
    }
}

#[test]
fn an_untrained_table_is_far_from_the_optimum() {
    let game = Twenty48::new(2, 2, 0.1).unwrap();
    let found = policy_value(&game, &|_| 0.0);
    assert!(found < 0.9 * OPTIMUM, "greedy play reaches {found}");
}

#[test]
fn learning_states_is_almost_optimal() {
    let game = Twenty48::new(2, 2, 0.1).unwrap();
    let network = table(&game, 0.0);
    let mut learner = StateLearner::new(&game, &network, Td { rate: 0.05 });
    episodes(&game, 1, 100_000, |start, rng| learner.episode(start, rng, |_| {}).score);
    // Playing by afterstates whose value is the expected value of the states that follow.
    let expected = |after: &Board| {
        let mut value = 0.0;
        game.for_each_chance(after, |next, probability| {
            value += probability as f32 * network.value(&game, &game.board_of(&next));
        });
        value
    };
    let found = policy_value(&game, &expected);
    assert!(found > 0.97 * OPTIMUM && found <= OPTIMUM + 1e-4, "{found} of {OPTIMUM}");
}

/// A network with two stages learns as well, and weights of the second stage are promoted from the
/// first.
#[test]
fn stages_are_promoted_and_learned() {
    let game = Twenty48::new(2, 2, 0.1).unwrap();
    let tuples = Tuples::new(&game, &[vec![0, 1, 2, 3]]).unwrap().with_stages(vec![24]).unwrap();
    let network = Network::new(&game, tuples, 80.0).unwrap();
    let late = game.parse_after("16 4|4 .").unwrap();
    assert_eq!(network.value(&game, &late), 80.0, "not promoted yet: the first stage's value");
    let mut learner = TdLearner::new(&game, &network, Td { rate: 0.1 }, 0.0);
    episodes(&game, 1, 200_000, |start, rng| learner.episode(start, rng, |_| {}).score);
    let weights = bits(network.weights());
    let (first, second) = weights.split_at(network.tuples().stage_weights() as usize);
    let first = first.iter().filter(|&&word| word != (80f32 / 8.0).to_bits());
    let second = second.iter().filter(|&&word| word != 0);
    assert!(first.count() > 100 && second.count() > 100, "both stages are used");
    assert!(
        network.value(&game, &late) < 60.0,
        "the score to go is less than that of a whole game"
    );
    let found = policy_value(&game, &|after| network.value(&game, after));
    assert!(found > 0.985 * OPTIMUM && found <= OPTIMUM + 1e-4, "{found} of {OPTIMUM}");
}

/// A game of TD(0), one move at a time: the reference implementation.
struct ReferenceGame {
    rng: Rng,
    state: Board,
    last: Option<Board>,
    score: f64,
    /// Every afterstate of the game with the reward of the move to it, if it is learned backwards.
    path: Option<Vec<(Board, f32)>>,
}

impl ReferenceGame {
    fn new(game: &Twenty48, number: u64, backwards: bool) -> ReferenceGame {
        let mut rng = Rng::stream(4, number);
        let state = game.start(&mut rng);
        ReferenceGame { rng, state, last: None, score: 0.0, path: backwards.then(Vec::new) }
    }

    fn learn(game: &Twenty48, network: &Network<Twenty48>, after: &Board, target: f32) {
        let mut indices = vec![0; network.active_features()];
        network.indices(game, after, &mut indices);
        let error = target - network.value(game, after);
        Td { rate: 0.1 }.apply(network.weights(), &indices, error);
    }

    /// `false` if the state is terminal.
    fn step(&mut self, game: &Twenty48, network: &Network<Twenty48>) -> bool {
        let mut best: Option<(f32, f32, Board)> = None;
        game.for_each_move(&self.state, |_, step| {
            let value = step.reward + network.value(game, &step.after);
            if best.is_none_or(|(max, ..)| value > max) {
                best = Some((value, step.reward, step.after));
            }
        });
        match (&mut self.path, &self.last, best) {
            (Some(path), _, Some((_, reward, after))) => path.push((after, reward)),
            (Some(path), _, None) => {
                let mut target = 0.0;
                for (after, reward) in path.iter().rev() {
                    ReferenceGame::learn(game, network, after, target);
                    target = reward + network.value(game, after);
                }
            }
            (None, Some(last), best) => {
                ReferenceGame::learn(game, network, last, best.map_or(0.0, |(value, ..)| value));
            }
            (None, None, _) => {}
        }
        let Some((_, reward, after)) = best else { return false };
        self.score += f64::from(reward);
        self.last = Some(after);
        self.state = game.sample(&after, &mut self.rng);
        true
    }
}

/// The learner against the reference implementation, one game after the other.
#[test]
fn the_learner_agrees_with_the_reference() {
    let game = Twenty48::new(3, 3, 0.1).unwrap();
    let tuples = || Tuples::new(&game, &[vec![0, 1, 3, 4], vec![3, 4, 5]]).unwrap();
    let [fast, slow] = [(); 2].map(|()| Network::new(&game, tuples(), 5.0).unwrap());
    let mut learner = TdLearner::new(&game, &fast, Td { rate: 0.1 }, 0.0);
    for number in 0..300 {
        let mut rng = Rng::stream(4, number);
        let start = game.start(&mut rng);
        let played = learner.episode(start, &mut rng, |_| {});
        let mut reference = ReferenceGame::new(&game, number, false);
        while reference.step(&game, &slow) {}
        assert_eq!(
            (played.score, played.last),
            (reference.score, reference.state),
            "game {number}"
        );
        assert_eq!(rng, reference.rng);
    }
    assert_eq!(bits(fast.weights()), bits(slow.weights()));
}

/// The same for interleaved games, learned forwards or backwards.
#[test]
fn interleaved_games_agree_with_the_reference() {
    let game = Twenty48::new(3, 3, 0.1).unwrap();
    let tuples = || Tuples::new(&game, &[vec![0, 1, 3, 4], vec![3, 4, 5]]).unwrap();
    for (at_once, backwards) in [(1, false), (2, false), (3, false), (1, true), (2, true)] {
        let [fast, slow] = [(); 2].map(|()| Network::new(&game, tuples(), 5.0).unwrap());
        let (mut numbers, mut found) = (0..300, Vec::new());
        let mut learner = TdLearner::new(&game, &fast, Td { rate: 0.1 }, 0.0);
        if backwards {
            learner = learner.backwards();
        }
        learner.episodes(
            at_once,
            |_| {
                let mut rng = Rng::stream(4, numbers.next()?);
                let start = game.start(&mut rng);
                Some((numbers.start - 1, start, rng))
            },
            |number, played| found.push((number, played.score, played.last)),
        );
        let (mut numbers, mut expected) = (0..300, Vec::new());
        let mut begin = || {
            let number = numbers.next()?;
            Some((number, ReferenceGame::new(&game, number, backwards)))
        };
        let mut slots: Vec<_> = (0..at_once).map_while(|_| begin()).collect();
        while !slots.is_empty() {
            slots = slots
                .into_iter()
                .filter_map(|(number, mut reference)| {
                    if reference.step(&game, &slow) {
                        return Some((number, reference));
                    }
                    expected.push((number, reference.score, reference.state));
                    begin()
                })
                .collect();
        }
        assert_eq!(found.len(), 300);
        assert_eq!(found, expected, "{at_once} at once, backwards: {backwards}");
        assert_eq!(bits(fast.weights()), bits(slow.weights()));
    }
}
