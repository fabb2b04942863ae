//! Gradients compared with differences of the error, and Adam with its definition.

use std::sync::Arc;

use afterstate_core::Rng;
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_values::neural::{
    Architecture, BoardReader, BoardShape, Layer, NeuralNetwork, SymmetryUse, reference_value,
};

use super::{Batch, Learned, Parameters, ProcessorTrainer, Trainer};

struct Build<'a>(&'a [&'a str]);

impl Visitor for Build<'_> {
    type Output = NeuralNetwork;

    fn visit<G: Spec>(self, game: &G) -> NeuralNetwork {
        let layers: Vec<Layer> = self.0.iter().map(|text| text.parse().unwrap()).collect();
        let architecture = Architecture::new(BoardShape::of(game), &layers).unwrap();
        let mut rng = Rng::stream(1, 0);
        let mut parameters = NeuralNetwork::initial(&architecture, 0.3, &mut rng);
        for parameter in &mut parameters {
            *parameter += 0.2 * (rng.unit() as f32 - 0.5);
        }
        let boards = BoardReader::new(game, SymmetryUse::None);
        NeuralNetwork::new(architecture, boards, 1.0, parameters)
    }
}

const NETWORKS: [(&str, &[&str]); 4] = [
    ("2048:4x4", &["conv 2x2 6", "conv 1x2 5", "dense 19"]),
    ("2048:3x3", &["dense 20", "dense 33"]),
    ("1010:5x5", &["conv 3x3 4", "dense 5"]),
    ("tetris:6x7", &["dense 8"]),
];

fn network(spec: &str, layers: &[&str]) -> NeuralNetwork {
    spec.parse::<GameSpec>().unwrap().with(Build(layers))
}

fn random_boards(network: &NeuralNetwork, boards: usize, seed: u64) -> Vec<u8> {
    let (board, mut rng) = (network.architecture().board(), Rng::stream(seed, 0));
    (0..boards * board.cells()).map(|_| rng.below(board.values) as u8).collect()
}

fn trainer(network: &NeuralNetwork, threads: usize) -> ProcessorTrainer {
    let learned = Learned::new(network.parameters().to_vec());
    let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    ProcessorTrainer::new(network.architecture(), network.boards(), learned, Arc::new(threads))
}

/// The weighted mean squared error, by the reference implementation.
fn error(network: &NeuralNetwork, cells: &[u8], targets: &[f32], weights: &[f32]) -> f64 {
    let boards = cells.chunks(network.architecture().board().cells());
    let each = boards.zip(targets).zip(weights).map(|((cells, target), weight)| {
        let error = f64::from(reference_value(network, cells)) - f64::from(*target);
        f64::from(*weight) * error * error
    });
    each.sum::<f64>() / targets.len() as f64
}

#[test]
fn outputs_are_those_of_the_reference_implementation() {
    for (spec, layers) in NETWORKS {
        let network = network(spec, layers);
        let cells = random_boards(&network, 600, 2);
        let mut found = Vec::new();
        let mut trainer = trainer(&network, 2);
        trainer.submit(std::slice::from_ref(&cells), Parameters::Learning);
        trainer.receive(&mut found, &|| false).unwrap();
        let boards = cells.chunks(network.architecture().board().cells());
        let expected: Vec<f32> = boards.map(|cells| reference_value(&network, cells)).collect();
        assert_eq!(found, expected, "{spec}");
    }
}

/// After one step from zero moments, the mean of the gradients is a tenth of the gradient.
#[test]
fn gradients_are_those_of_differences() {
    for (spec, layers) in NETWORKS {
        let network = network(spec, layers);
        let cells = random_boards(&network, 40, 3);
        let mut rng = Rng::stream(4, 0);
        let targets: Vec<f32> = (0..40).map(|_| 4.0 * rng.unit() as f32 - 2.0).collect();
        let weights: Vec<f32> = (0..40).map(|i| [0.0, 1.0, 2.0][i % 3]).collect();
        let mut trainer = trainer(&network, 1);
        let batch =
            Batch { cells: cells.clone(), targets: targets.clone(), weights: weights.clone() };
        trainer.learn(batch, 0.01, &|| false).unwrap();
        let own = error(&network, &cells, &targets, &weights);
        assert!((trainer.error().unwrap() - own).abs() < 1e-4 * own, "{spec}: {own}");
        let learned = trainer.learned();
        let (mut agree, mut all) = (0, 0);
        for at in (0..network.parameters().len()).step_by(11) {
            let moved = |by: f32| {
                let mut parameters = network.parameters().to_vec();
                parameters[at] += by;
                error(&network.with_parameters(parameters), &cells, &targets, &weights)
            };
            let difference = (moved(1e-3) - moved(-1e-3)) / 2e-3;
            let gradient = f64::from(learned.first[at]) / 0.1;
            // Units whose sum changes its sign between the two have another difference.
            agree += u32::from((difference - gradient).abs() <= 0.02 * difference.abs() + 2e-3);
            all += 1;
            let squares = f64::from(learned.second[at]) / 0.001;
            assert!((squares - gradient * gradient).abs() <= 1e-3 * squares + 1e-9, "{spec} {at}");
            let step = f64::from(learned.parameters[at] - network.parameters()[at]);
            let expected = -0.01 * gradient / (gradient.abs() + 1e-8);
            assert!((step - expected).abs() < 1e-4, "{spec} {at}: {step} {expected}");
        }
        assert!(agree * 100 >= all * 97, "{spec}: {agree} of {all}");
    }
}

#[test]
fn steps_lower_the_error_on_any_number_of_threads_and_go_on_from_what_was_learned() {
    let network = network("2048:4x4", &["conv 2x2 6", "dense 12"]);
    let cells = random_boards(&network, 64, 5);
    let targets: Vec<f32> = cells.chunks(16).map(|board| f32::from(board[3]) / 9.0).collect();
    let batch = Batch { cells, targets, weights: vec![1.0; 64] };
    let steps = |trainer: &mut ProcessorTrainer, count| {
        let mut step = || trainer.learn(batch.clone(), 0.01, &|| false).unwrap();
        (0..count).for_each(|_| step());
    };
    let (mut one, mut three) = (trainer(&network, 1), trainer(&network, 3));
    steps(&mut one, 1);
    let first = one.error().unwrap();
    steps(&mut one, 20);
    steps(&mut three, 21);
    assert!(one.learned() == three.learned(), "the number of threads changes nothing");
    let between = one.learned().clone();
    steps(&mut one, 80);
    let last = one.error().unwrap();
    assert!(last < 0.05 * first, "{first} {last}");
    *three.learned() = between;
    three.refresh();
    steps(&mut three, 80);
    assert!(one.learned() == three.learned() && one.learned().steps == 101);
}
