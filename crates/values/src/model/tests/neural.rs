//! Neural networks.

use std::fs;

use afterstate_core::Game;
use afterstate_games::spec::{GameSpec, Visitor};

use super::*;
use crate::file::read_info;
use crate::neural::SymmetryUse;
use crate::neural::tests::random_neural;
use crate::test_networks::random_afterstates;

fn model<G: Spec>(game: &G) -> NeuralModel {
    NeuralModel::new(random_neural(game, &["conv 2x2 9", "dense 12"], SymmetryUse::Canonical))
}

fn values<G: Spec>(game: &G, model: &dyn Model<G>, afters: &[G::After]) -> Vec<f32> {
    let mut found = vec![f32::NAN; afters.len()];
    let values = model.afterstate_values().unwrap();
    values.evaluate(game, afters, &mut crate::Scratch::default(), &mut found);
    found
}

struct RoundTrip;

impl Visitor for RoundTrip {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let folder = Folder::new("neural");
        let (path, again) = (folder.path("agent"), folder.path("again"));
        let mut own = model(game);
        let afters = random_afterstates(game, 500, 1);
        let expected = values(game, &own, &afters);
        Model::<G>::save(&mut own, &path, &full_info(&game.spec(), G::VERSION)).unwrap();
        let (info, mut read) = loaded(&path, game).unwrap();
        assert_eq!(info, read_info(&path).unwrap());
        assert_eq!(info.describe(), "neural network of conv 2x2 9, dense 12");
        assert_eq!(values(game, &*read, &afters), expected);
        read.save(&again, &info).unwrap();
        assert!(fs::read(&path).unwrap() == fs::read(&again).unwrap());

        let (mut rounded, loss) = read.quantize().unwrap();
        assert_eq!(loss.bytes_before, 2 * loss.bytes_after);
        let found = values(game, &*rounded, &afters);
        let changes = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
        let change = changes.fold(0.0, f32::max);
        // Parameters and activations of the order of 1, a scale of 7, weights of 11 bits.
        assert!(change > 0.0 && change < 0.1, "{change} {loss:?}");
        assert!(matches!(rounded.quantize().err().unwrap(), QuantizeError::Already));
        rounded.save(&path, &info).unwrap();
        let (info, mut read) = loaded(&path, game).unwrap();
        assert!(info.describe().ends_with(", 16-bit weights"), "{}", info.describe());
        assert_eq!(values(game, &*read, &afters), found);
        read.save(&again, &info).unwrap();
        assert!(fs::read(&path).unwrap() == fs::read(&again).unwrap());
    }
}

#[test]
fn networks_are_loaded_as_they_were_saved() {
    for spec in ["2048:4x4", "2048:2x2", "tetris:10x20", "1010:10x10"] {
        spec.parse::<GameSpec>().unwrap().with(RoundTrip);
    }
}

#[test]
fn greedy_play_and_explanations_are_those_of_the_values() {
    let (game, mut rng) = (Twenty48::standard(), Rng::stream(1, 0));
    let model: Box<dyn Model<Twenty48>> = Box::new(model(&game));
    let (mut policy, mut searcher) = (model.policy(), model.searcher(&Search::GREEDY, 1).unwrap());
    for state in random_states(&game, 300, 1) {
        let value = |choice: &Choice<Twenty48>| {
            choice.1.reward + values(&game, &*model, &[choice.1.after])[0]
        };
        let best = game.best_move(&state, value);
        assert_eq!(policy.choose(&game, &state, &mut rng), best.map(|best| best.0));
        assert_eq!(searcher.choose(&game, &state, &mut rng), best.map(|best| best.0));
        if let Some((choice, value)) = best {
            let parts = model.explain(&game, &state, &choice).unwrap();
            assert_eq!(Explanation::new(String::new(), parts).value, value);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_in_one_sentence() {
    let (folder, game) = (Folder::new("neural-errors"), Twenty48::standard());
    let path = folder.path("agent");
    let info = full_info("2048:4x4", Twenty48::VERSION);
    Model::<Twenty48>::save(&mut model(&game), &path, &info).unwrap();
    let bytes = fs::read(&path).unwrap();
    let damaged = |from: &str, to: &str| {
        let text = bytes.windows(from.len()).position(|own| own == from.as_bytes()).unwrap();
        let mut bytes = bytes.clone();
        bytes[text..text + from.len()].copy_from_slice(to.as_bytes());
        fs::write(&path, &bytes).unwrap();
        loaded(&path, &game).err().unwrap()
    };
    for (from, to, expected) in [
        ("dense 12", "dense -2", "unknown layer \"dense -2\""),
        ("conv 2x2 9", "conv 9x9 9", "conv 9x9 9 does not fit: its input has 4x4 positions"),
        ("dense 12", "dense 13", "layer.1.weights"),
        ("[4,4,16]", "[4,5,16]", "reads boards of 4x5 cells with 16 values"),
        ("canonical", "canonica1", "canonica1"),
    ] {
        let error = damaged(from, to);
        assert!(error.contains(expected), "{error}");
    }
    let mut bytes = bytes.clone();
    let end = bytes.len();
    bytes[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(&path, &bytes).unwrap();
    assert!(loaded(&path, &game).err().unwrap().contains("layer.2.biases"));
}
