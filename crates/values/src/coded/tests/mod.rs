//! Coded networks: what is decoded is what was coded, sizes are kept, and play is that of memory.

mod bytes;

use std::fs;

use afterstate_core::{Policy, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_games::twenty48::Twenty48;

use super::*;
use crate::model::{NTupleModel, ValuesOf, load};
use crate::network::Network;
use crate::test_files::{Folder, full_info, model};
use crate::test_networks::{random_network, random_states};
use crate::weights::{load as load_weight, store};
use crate::{Model, NetworkPolicy, Values};

fn settings(max_size: u64) -> CodingSettings {
    CodingSettings { max_size, games: 4, seed: 1, threads: Some(2) }
}

/// The size of the coded tuples alone.
fn size(coded: &[Vec<u8>]) -> Result<u64, AgentFileError> {
    Ok(coded.iter().map(|bytes| bytes.len() as u64).sum())
}

fn coded<G: Spec>(game: &G, model: &NTupleModel<G>, max_size: u64) -> Coded<G> {
    let uses = Uses::count(game, model, &settings(max_size)).unwrap();
    Coded::new(game, &model.network, &uses, &settings(max_size), size).unwrap()
}

/// A network of which some weights are used in every game, in two stages if asked for.
fn network<G: Spec>(game: &G, staged: bool) -> Network<G> {
    let network = random_network(game, &[vec![0], vec![1, 2, 3], vec![2, 5, 4, 3]], 3);
    if !staged {
        return network;
    }
    let tuples = network.tuples().clone().with_stages(vec![12]).unwrap();
    let copy = Network::new(game, tuples, 0.0).unwrap();
    for (from, to) in network.weights().iter().chain(network.weights()).zip(copy.weights()) {
        store(to, load_weight(from));
    }
    copy
}

struct FileIsMemory;

impl Visitor for FileIsMemory {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let (folder, mut rng) = (Folder::new("coded"), Rng::stream(1, 0));
        let path = folder.path("agent");
        for (values_of, staged, max_size) in [
            (ValuesOf::Afterstates, false, 1 << 30),
            (ValuesOf::Afterstates, true, 12 << 10),
            (ValuesOf::States, false, 10 << 10),
        ] {
            let network = AnyNetwork::Full(network(game, staged));
            let model = NTupleModel { network, values_of };
            let info = full_info(&game.spec(), G::VERSION);
            let loss = model.save_coded(game, &path, &info, &settings(max_size)).unwrap();
            let length = fs::metadata(&path).unwrap().len();
            assert_eq!(length, loss.bytes_after);
            assert!(length <= max_size, "{length} in {}", game.spec());
            assert_eq!(loss.bytes_before, 4 * model.network.tuples().weights());

            // The same limit for the tuples alone as in the file.
            let header = length - size_of_tuples(&path);
            let memory = coded(game, &model, max_size - header);
            let memory = NTupleModel { network: AnyNetwork::Quantized(memory.network), values_of };
            let (found, loaded) = load(&path, game).unwrap();
            assert!(found.describe().contains("coded weights"), "{}", found.describe());
            assert_eq!(loaded.afterstate_values().is_some(), values_of == ValuesOf::Afterstates);
            let (mut from_file, mut from_memory) = (loaded.policy(), memory.policy());
            for state in random_states(game, 200, 5) {
                let choice = from_file.choose(game, &state, &mut rng);
                assert_eq!(choice, from_memory.choose(game, &state, &mut rng), "{state:?}");
            }
        }
    }
}

/// The bytes of the tensors `tuple.N` of a file.
fn size_of_tuples(path: &std::path::Path) -> u64 {
    let mut file = crate::file::AgentFile::open(path).unwrap();
    let lengths = (0..).map_while(|tuple| file.bytes(&format!("tuple.{tuple}")).ok());
    lengths.map(|bytes| bytes.len() as u64).sum()
}

#[test]
fn a_coded_file_plays_as_the_network_in_memory() {
    for spec in ["2048:4x4", "2048:3x3", "tetris:6x8", "1010:5x5,pieces=7"] {
        spec.parse::<GameSpec>().unwrap().with(FileIsMemory);
    }
}

/// The reference: one game on one thread, move by move.
#[test]
fn uses_are_those_of_every_board_compared() {
    let game = Twenty48::new(2, 2, 0.1).unwrap();
    let model = model(AnyNetwork::Full(random_network(&game, &[vec![0], vec![1, 2, 3]], 1)));
    let counted = |threads, games| {
        let settings = CodingSettings { games, threads: Some(threads), ..settings(0) };
        let uses = Uses::count(&game, &model, &settings).unwrap();
        let counts =
            uses.counts().iter().map(|count| count.load(std::sync::atomic::Ordering::Relaxed));
        (counts.collect::<Vec<u32>>(), uses.moves)
    };
    let mut expected = vec![0; model.network.tuples().weights() as usize];
    let (mut rng, mut moves) = (Rng::stream(1, 0), 0);
    let mut state = afterstate_core::Game::start(&game, &mut rng);
    let mut policy = NetworkPolicy::new(&model.network);
    let mut indices = vec![0; model.network.active_features()];
    while let Some((_, step)) = policy.choose(&game, &state, &mut rng) {
        use afterstate_core::Game;
        game.for_each_move(&state, |_, step| {
            model.network.indices(&game, &step.after, &mut indices);
            indices.iter().for_each(|&index| expected[index as usize] += 1);
        });
        (state, moves) = (game.sample(&step.after, &mut rng), moves + 1);
    }
    assert_eq!(counted(1, 1), (expected, moves));
    assert_eq!(counted(1, 50), counted(3, 50));
}

#[test]
fn a_larger_file_has_a_smaller_error() {
    let game = Twenty48::standard();
    let model = model(AnyNetwork::Full(network(&game, false)));
    let found = [2 << 10, 8 << 10, 32 << 10, 1 << 30].map(|max_size| {
        let Coded { tuples, loss, network } = coded(&game, &model, max_size);
        let length = size(&tuples).unwrap();
        assert!(length <= max_size, "{length}");
        assert!(max_size == 1 << 30 || length > max_size / 8, "{length}");
        let zeros = network.tuples().weights() - loss.weights;
        let is_zero = |&index: &usize| model.network.weight(0, index) == 0.0;
        assert_eq!(
            (0..model.network.tuples().weights() as usize).filter(is_zero).count() as u64,
            zeros
        );
        loss
    });
    for pair in found.windows(2) {
        assert!(pair[0].rms_error > pair[1].rms_error && pair[0].kept < pair[1].kept, "{pair:?}");
        assert!(pair[0].use_share < pair[1].use_share && pair[0].max_step > pair[1].max_step);
    }
    // Without a limit, weights are those of 16 bits but for the smallest ones.
    let AnyNetwork::Full(full) = &model.network else { unreachable!() };
    let (quantized, _) = QuantizedNetwork::from_network(full).unwrap();
    let all = coded(&game, &model, 1 << 30);
    for (part, range) in ranges(full.tuples()).enumerate() {
        let scale = quantized.scales()[part];
        assert_eq!(all.network.scales()[part], scale);
        for index in range {
            let (coded, rounded) = (all.network.weight(part, index), quantized.weight(part, index));
            assert!(
                coded == rounded || coded == 0.0 && rounded.abs() <= scale,
                "{coded} {rounded}"
            );
        }
    }
}

/// A coded network can be coded again, to a smaller size.
#[test]
fn a_coded_network_is_a_network() {
    let game = Twenty48::standard();
    let first = coded(&game, &model(AnyNetwork::Full(network(&game, false))), 32 << 10);
    let again = coded(&game, &model(AnyNetwork::Quantized(first.network)), 8 << 10);
    assert!(again.loss.weights == first.loss.kept && again.loss.kept < first.loss.kept);
    assert_eq!(again.loss.bytes_before, 2 * again.network.tuples().weights());
}

#[test]
fn a_size_may_be_too_small() {
    let (folder, game) = (Folder::new("too-small"), Twenty48::standard());
    let path = folder.path("agent");
    let model = model(AnyNetwork::Full(network(&game, false)));
    let save =
        |max_size| model.save_coded(&game, &path, &full_info("2048:4x4", 1), &settings(max_size));
    let error = save(100).unwrap_err().to_string();
    let needed =
        error.strip_prefix("100 bytes are too few for this agent: even without weights it takes ");
    let needed: u64 = needed.unwrap().parse().unwrap();
    assert!(folder.names().is_empty());
    let loss = save(needed).unwrap();
    assert!(loss.bytes_after <= needed && loss.kept < 50, "{loss:?}");
    assert!(save(needed - 1).is_err());
}

#[test]
fn weights_must_be_finite_and_may_all_be_zero() {
    let game = Twenty48::standard();
    let zeros = Network::new(&game, network(&game, false).tuples().clone(), 0.0).unwrap();
    let zeros = model(AnyNetwork::Full(zeros));
    let Coded { loss, network, .. } = coded(&game, &zeros, 1 << 20);
    assert_eq!((loss.weights, loss.kept, loss.rms_error), (0, 0, 0.0));
    assert_eq!(network.scales(), [0.0; 3]);
    let AnyNetwork::Full(full) = &zeros.network else { unreachable!() };
    store(&full.weights()[20], f32::INFINITY);
    let uses = Uses::count(&game, &zeros, &settings(0)).unwrap();
    let error = Coded::new(&game, &zeros.network, &uses, &settings(0), size).err().unwrap();
    assert_eq!(error.to_string(), "weight 4 of tuple 1 is inf: weights must be finite");
}
