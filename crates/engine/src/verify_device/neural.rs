//! Neural networks: outputs and steps of Adam on a GPU, against those of the processor.

use std::sync::Arc;

use afterstate_core::Rng;
use afterstate_cuda::Device;
use afterstate_cuda::neural::trainer;
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_learn::neural::{Batch, Learned, Parameters, ProcessorTrainer, Trainer};
use afterstate_values::neural::{
    Architecture, BoardReader, BoardShape, Layer, NeuralNetwork, SymmetryUse,
};

use super::{Check, VerifyError, network_error};

/// Networks with layers of every kind, and channels that are multiples of eight or not.
const NETWORKS: [(&str, &[&str]); 4] = [
    ("2048:4x4", &["conv 2x2 64", "conv 1x2 32", "dense 64"]),
    ("2048:3x3", &["dense 24", "dense 33"]),
    ("1010:10x10", &["conv 3x3 16", "conv 3x3 16", "dense 32"]),
    ("tetris:10x10", &["conv 4x3 8", "dense 16"]),
];

/// Boards of a batch, and steps of Adam.
const BOARDS: usize = 512;
const STEPS: u64 = 20;

/// The largest difference of an output that rounding to 11 bits makes here, relative to the root mean square of all.
const BOUND: f64 = 0.02;

struct Build<'a>(&'a [&'a str]);

impl Visitor for Build<'_> {
    type Output = Result<(Architecture, BoardReader), VerifyError>;

    fn visit<G: Spec>(self, game: &G) -> Self::Output {
        let layers: Result<Vec<Layer>, _> = self.0.iter().map(|text| text.parse()).collect();
        let layers = layers.map_err(network_error)?;
        let architecture =
            Architecture::new(BoardShape::of(game), &layers).map_err(network_error)?;
        Ok((architecture, BoardReader::new(game, SymmetryUse::Canonical)))
    }
}

/// All comparisons.
pub(super) fn checks(device: &Device) -> Result<Vec<Check>, VerifyError> {
    let mut checks = Vec::new();
    for (name, layers) in NETWORKS {
        let game: GameSpec = name.parse().map_err(network_error)?;
        let (architecture, boards) = game.with(Build(layers))?;
        let mut rng = Rng::stream(1, 0);
        let learned = Learned::new(NeuralNetwork::initial(&architecture, 0.3, &mut rng));
        let threads = rayon::ThreadPoolBuilder::new().build().map_err(network_error)?;
        let (own, threads) = (learned.clone(), Arc::new(threads));
        let mut here = ProcessorTrainer::new(&architecture, &boards, own, threads);
        let mut there = trainer(device, &architecture, &boards, learned, BOARDS)?;
        let mut differences = Vec::new();
        for step in 0..=STEPS {
            let raw = batch(&architecture, &mut rng);
            let mut batch = raw.clone();
            let cells = batch.cells.chunks_exact_mut(architecture.board().cells());
            cells.for_each(|board| boards.canonicalize(board));
            let one = outputs(&mut here, &batch.cells)?;
            let other = outputs(&mut *there, &raw.cells)?;
            differences.push(difference(&one, &other));
            if step < STEPS {
                for (trainer, batch) in
                    [(&mut here as &mut dyn Trainer, &batch), (&mut *there, &raw)]
                {
                    let learned = trainer.learn(batch.clone(), 0.001, &|| false);
                    learned.map_err(network_error)?;
                }
            }
        }
        for (what, found) in
            [("outputs", differences[0]), ("outputs after 20 steps", differences[STEPS as usize])]
        {
            checks.push(Check {
                what: format!("{name}, {architecture}: {what}"),
                found: format!("differ by {:.2}% at most", 100.0 * found),
                agrees: Some(found < BOUND),
            });
        }
    }
    Ok(checks)
}

fn batch(architecture: &Architecture, rng: &mut Rng) -> Batch {
    let board = architecture.board();
    Batch {
        cells: (0..BOARDS * board.cells()).map(|_| rng.below(board.values) as u8).collect(),
        targets: (0..BOARDS).map(|_| 3.0 * rng.unit() as f32 - 1.0).collect(),
        weights: vec![1.0; BOARDS],
    }
}

fn outputs(trainer: &mut dyn Trainer, cells: &[u8]) -> Result<Vec<f32>, VerifyError> {
    let mut outputs = Vec::new();
    trainer.submit(&[cells.to_vec()], Parameters::Learning);
    trainer.receive(&mut outputs, &|| false).map_err(network_error)?;
    Ok(outputs)
}

/// The largest difference, relative to the root mean square.
fn difference(one: &[f32], other: &[f32]) -> f64 {
    let square = one.iter().map(|&own| f64::from(own).powi(2)).sum::<f64>() / one.len() as f64;
    let pairs = one.iter().zip(other);
    let largest = pairs.map(|(one, other)| f64::from((one - other).abs())).fold(0.0, f64::max);
    largest / square.sqrt()
}
