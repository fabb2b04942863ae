//! Evaluation compared with its reference implementation, and the symmetries.

use afterstate_core::Rng;
use afterstate_games::spec::{GameSpec, Spec, Visitor};

use super::*;
use crate::test_networks::random_afterstates;
use crate::{AfterstateValues, Scratch};

/// A network with random parameters, biases too.
pub(crate) fn random_neural<G: Spec>(
    game: &G,
    layers: &[&str],
    symmetry: SymmetryUse,
) -> NeuralNetwork {
    let layers: Vec<Layer> = layers.iter().map(|text| text.parse().unwrap()).collect();
    let architecture = Architecture::new(BoardShape::of(game), &layers).unwrap();
    let mut rng = Rng::stream(1, 0);
    let mut parameters = NeuralNetwork::initial(&architecture, 0.3, &mut rng);
    for shape in architecture.shapes() {
        for parameter in &mut parameters[shape.bias.clone()] {
            *parameter += rng.unit() as f32 - 0.5;
        }
        if shape.channels() == 1 {
            for weight in &mut parameters[shape.weights.clone()] {
                *weight += rng.unit() as f32 - 0.5;
            }
        }
    }
    NeuralNetwork::new(architecture, BoardReader::new(game, symmetry), 7.0, parameters)
}

struct Check<'a>(&'a [&'a str], usize);

impl Visitor for Check<'_> {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let afters = random_afterstates(game, self.1, 1);
        for symmetry in [SymmetryUse::None, SymmetryUse::Canonical, SymmetryUse::Mean] {
            let network = random_neural(game, self.0, symmetry);
            let (mut scratch, mut values) = (Scratch::default(), vec![f32::NAN; afters.len()]);
            // Chunks of different lengths: nothing of one may be left in the next.
            let (mut begin, mut length) = (0, 1);
            while begin < afters.len() {
                let end = (begin + length).min(afters.len());
                let values = &mut values[begin..end];
                network.evaluate(game, &afters[begin..end], &mut scratch, values);
                (begin, length) = (end, length % 150 + 1);
            }
            let boards = network.boards().boards();
            let mut cells = Vec::new();
            for (after, value) in afters.iter().zip(&values) {
                cells.clear();
                network.boards().read(game, after, &mut cells);
                let outputs = cells.chunks(network.architecture().board().cells());
                let sum: f32 = outputs.map(|cells| reference_value(&network, cells)).sum();
                assert_eq!(*value, 7.0 * (sum / boards as f32), "{} {symmetry:?}", game.spec());
            }
            let spread = values.iter().fold(f32::NEG_INFINITY, |max, &value| max.max(value))
                - values.iter().fold(f32::INFINITY, |min, &value| min.min(value));
            assert!(spread > 0.1, "the values say something: {spread}");
            if symmetry != SymmetryUse::None {
                same_for_images(game, &network, &afters, &values);
            }
        }
    }
}

fn same_for_images<G: Spec>(
    game: &G,
    network: &NeuralNetwork,
    afters: &[G::After],
    values: &[f32],
) {
    let mut scratch = Scratch::default();
    for k in 0..game.symmetries() {
        let images: Vec<_> =
            afters.iter().map(|after| game.apply_symmetry_to_after(k, after)).collect();
        let mut found = vec![0.0; images.len()];
        network.evaluate(game, &images, &mut scratch, &mut found);
        for (found, value) in found.iter().zip(values) {
            // A mean has another order of its sum.
            assert!((found - value).abs() <= 1e-5 * value.abs().max(1.0), "{found} {value}");
        }
    }
}

#[test]
fn evaluation_is_that_of_the_reference_implementation() {
    let check = |spec: &str, layers: &[&str], count| {
        spec.parse::<GameSpec>().unwrap().with(Check(layers, count));
    };
    check("2048:4x4", &["conv 2x2 20", "conv 2x1 17", "dense 33"], 2_000);
    check("2048:4x4", &["dense 40", "dense 16"], 2_000);
    check("2048:3x3", &[], 1_000);
    check("1010:10x10", &["conv 3x3 5", "dense 7"], 500);
    check("1010:4x4", &["dense 31"], 1_000);
    check("tetris:10x20", &["dense 24", "dense 9"], 500);
}

/// A million boards, where every layer has its full and its ragged blocks.
#[test]
fn a_million_evaluations_have_the_bits_of_the_reference_implementation() {
    let game = afterstate_games::twenty48::Twenty48::new(2, 2, 0.1).unwrap();
    let network = random_neural(&game, &["dense 19", "dense 3"], SymmetryUse::Canonical);
    let mut rng = Rng::stream(2, 0);
    let cells: Vec<u8> = (0..4_000_000).map(|_| rng.below(6) as u8).collect();
    let mut outputs = vec![f32::NAN; 1_000_000];
    network.outputs(&cells, &mut Activations::default(), &mut outputs);
    for (cells, output) in cells.chunks(4).zip(outputs) {
        assert_eq!(output, reference_value(&network, cells));
    }
}
