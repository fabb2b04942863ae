//! The learner of states beside a transcription of the code that Chen 2022 prints.

use afterstate_core::{Game, Rng};
use afterstate_games::twenty48::{Board, Twenty48};
use afterstate_games::{Cells, Tuples};
use afterstate_learn::{StateLearner, Td};
use afterstate_values::weights::{load, store};
use afterstate_values::{Network, Values};

use crate::{bits, episodes};

const RATE: f32 = 0.1;

fn network(game: &Twenty48) -> Network<Twenty48> {
    let tuples =
        Tuples::new(game, &[vec![0, 1, 2, 3], vec![4, 5, 6, 7], vec![0, 1, 4, 5]]).unwrap();
    Network::new(game, tuples, 0.0).unwrap()
}

/// `select_best_move`, sections 4.4 of the report: the chosen afterstate and its reward.
fn select_best_move(
    game: &Twenty48,
    network: &Network<Twenty48>,
    b: &Board,
) -> Option<(Board, f32)> {
    let mut best: Option<(f32, Board, f32)> = None;
    game.for_each_move(b, |_, step| {
        let mut value: i32 = 0;
        let mut empty_tile = 0;
        for i in 0..16 {
            if game.cell(&step.after, i) == 0 {
                let mut tmp = step.after.with(i / 4, i % 4, 1);
                value = (f64::from(value) + 0.9 * f64::from(network.value(game, &tmp))) as i32;
                tmp = step.after.with(i / 4, i % 4, 2);
                value = (f64::from(value) + 0.1 * f64::from(network.value(game, &tmp))) as i32;
                empty_tile += 1;
            }
        }
        value /= empty_tile;
        let value = step.reward + value as f32;
        if best.is_none_or(|(most, ..)| value > most) {
            best = Some((value, step.after, step.reward));
        }
    });
    best.map(|(_, after, reward)| (after, reward))
}

/// `update` of section 4.2, for all tuples.
fn update(game: &Twenty48, network: &Network<Twenty48>, b: &Board, u: f32) -> f32 {
    let mut indices = vec![0; network.active_features()];
    network.indices(game, b, &mut indices);
    let u_split = u / indices.len() as f32;
    for &index in &indices {
        let word = &network.weights()[index as usize];
        store(word, load(word) + u_split);
    }
    network.sum(&indices)
}

/// A game, and `update_episode` of section 4.5.
fn episode(game: &Twenty48, network: &Network<Twenty48>, start: Board, rng: &mut Rng) -> f64 {
    let (mut state, mut path, mut score) = (start, Vec::new(), 0.0);
    while let Some((after, reward)) = select_best_move(game, network, &state) {
        path.push((state, reward));
        score += f64::from(reward);
        state = game.sample(&after, rng);
    }
    let mut exact = 0.0;
    while let Some((before_state, reward)) = path.pop() {
        let error = reward + exact - network.value(game, &before_state);
        exact = reward + update(game, network, &before_state, RATE * error);
    }
    score
}

#[test]
fn the_variant_learns_what_the_printed_code_learns() {
    let game = Twenty48::standard();
    let [expected, found, corrected] = [(); 3].map(|()| network(&game));
    let games = 40;
    episodes(&game, 1, games, |start, rng| episode(&game, &expected, start, rng));
    let mut learner = StateLearner::new(&game, &found, Td { rate: RATE }).as_printed();
    episodes(&game, 1, games, |start, rng| learner.episode(start, rng, |_| {}).score);
    assert!(bits(expected.weights()) == bits(found.weights()), "the same weights");
    let mut learner = StateLearner::new(&game, &corrected, Td { rate: RATE });
    episodes(&game, 1, games, |start, rng| learner.episode(start, rng, |_| {}).score);
    assert!(bits(expected.weights()) != bits(corrected.weights()), "the variant differs");
}
