//! Neural networks whose kernels run on the host, beside the trainer of the processor: the same outputs and the same
//! steps of Adam, to rounding.

use std::sync::Arc;

use afterstate_core::Rng;
use afterstate_cuda::CudaError;
use afterstate_cuda::neural::{Args, Machine, Memory, NeuralTrainer, Product, Transposed, source};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_learn::Interrupted;
use afterstate_learn::neural::{Batch, Learned, Parameters, ProcessorTrainer, Stopped, Trainer};
use afterstate_values::neural::{
    Architecture, BoardReader, BoardShape, Layer, NeuralNetwork, SymmetryUse,
};
use half::f16;

use crate::host::Library;

/// The memory of the host, and products of matrices by their definition.
struct Host {
    library: Library,
    memory: Vec<Vec<u64>>,
    downloads: Vec<Vec<f32>>,
}

impl Host {
    /// Numbers at an address.
    #[allow(unsafe_code)]
    fn numbers(memory: Memory, count: usize, half: bool) -> Vec<f32> {
        // SAFETY: the trainer asks for live memory only, which has so many numbers.
        unsafe {
            if half {
                let own = std::slice::from_raw_parts(memory.address as *const f16, count);
                own.iter().map(|own| own.to_f32()).collect()
            } else {
                std::slice::from_raw_parts(memory.address as *const f32, count).to_vec()
            }
        }
    }

    #[allow(unsafe_code)]
    fn write(memory: Memory, numbers: &[f32], half: bool) {
        let bytes: Vec<u8> = if half {
            numbers.iter().flat_map(|&own| f16::from_f32(own).to_ne_bytes()).collect()
        } else {
            numbers.iter().flat_map(|own| own.to_ne_bytes()).collect()
        };
        assert!(bytes.len() <= memory.bytes, "{} bytes into {}", bytes.len(), memory.bytes);
        // SAFETY: there is room, as was just checked.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory.address as *mut u8, bytes.len());
        }
    }
}

impl Machine for Host {
    fn zeros(&mut self, bytes: usize) -> Result<Memory, CudaError> {
        // Vectors of eight floats are aligned to 32 bytes.
        let own = vec![0u64; bytes.div_ceil(8) + 4];
        let address = (own.as_ptr() as u64).next_multiple_of(32);
        self.memory.push(own);
        Ok(Memory { address, bytes })
    }

    #[allow(unsafe_code)]
    fn upload<T: AsRef<[u8]>>(&mut self, parts: &[T], to: Memory) -> Result<(), CudaError> {
        let from: Vec<u8> = parts.iter().flat_map(|part| part.as_ref().to_vec()).collect();
        assert!(from.len() <= to.bytes, "{} bytes into {}", from.len(), to.bytes);
        // SAFETY: there is room, as was just checked.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to.address as *mut u8, from.len()) };
        Ok(())
    }

    fn begin_download(&mut self, from: Memory) -> Result<usize, CudaError> {
        self.downloads.push(Host::numbers(from, from.bytes / 4, false));
        Ok(self.downloads.len() - 1)
    }

    fn finish(&mut self, download: usize, to: &mut Vec<f32>) -> Result<(), CudaError> {
        to.clone_from(&self.downloads[download]);
        Ok(())
    }

    fn copy(&mut self, from: Memory, to: Memory) -> Result<(), CudaError> {
        let numbers = Host::numbers(from, from.bytes / 4, false);
        Host::write(to, &numbers, false);
        Ok(())
    }

    fn launch(&mut self, kernel: &'static str, count: usize, args: Args) -> Result<(), CudaError> {
        self.library.neural(kernel, count as u32, &args);
        Ok(())
    }

    fn multiply(&mut self, product: Product) -> Result<(), CudaError> {
        let Product { transposed, rows, inner, columns, factors, half, .. } = product;
        let first = Host::numbers(factors[0], rows * inner, half);
        let second = Host::numbers(factors[1], inner * columns, half);
        let mut numbers = vec![0.0; rows * columns];
        for row in 0..rows {
            for i in 0..inner {
                let own = match transposed {
                    Transposed::First => first[i * rows + row],
                    _ => first[row * inner + i],
                };
                for column in 0..columns {
                    let other = match transposed {
                        Transposed::Second => second[column * inner + i],
                        _ => second[i * columns + column],
                    };
                    numbers[row * columns + column] += own * other;
                }
            }
        }
        Host::write(product.product, &numbers, half);
        Ok(())
    }
}

struct Build<'a>(&'a [&'a str]);

impl Visitor for Build<'_> {
    type Output = (Architecture, BoardReader);

    fn visit<G: Spec>(self, game: &G) -> (Architecture, BoardReader) {
        let layers: Vec<Layer> = self.0.iter().map(|text| text.parse().unwrap()).collect();
        let architecture = Architecture::new(BoardShape::of(game), &layers).unwrap();
        (architecture, BoardReader::new(game, SymmetryUse::Canonical))
    }
}

/// Layers of channels that are multiples of eight, and others.
const NETWORKS: [(&str, &[&str]); 5] = [
    ("2048:4x4", &["conv 2x2 8", "conv 1x2 16", "dense 24"]),
    ("2048:4x4", &["conv 2x2 6", "conv 2x3 5", "dense 7", "dense 9"]),
    ("2048:3x3", &["dense 16"]),
    ("1010:6x6", &["conv 3x3 8", "conv 2x3 8", "dense 8"]),
    ("tetris:6x7", &["dense 8", "dense 5"]),
];

const BATCH: usize = 12;

type Trainers = (Architecture, Processor, NeuralTrainer<Host>);

/// The trainer of the processor, for boards of which the other one finds the largest images itself.
struct Processor {
    trainer: ProcessorTrainer,
    boards: BoardReader,
}

impl Processor {
    fn canonical(&self, mut cells: Vec<u8>) -> Vec<u8> {
        let boards = cells.chunks_exact_mut(self.boards.shape().cells());
        boards.for_each(|board| self.boards.canonicalize(board));
        cells
    }
}

impl Trainer for Processor {
    fn submit(&mut self, parts: &[Vec<u8>], parameters: Parameters) {
        self.trainer.submit(&[self.canonical(parts.concat())], parameters);
    }

    fn receive(&mut self, outputs: &mut Vec<f32>, interrupted: Interrupted) -> Result<(), Stopped> {
        self.trainer.receive(outputs, interrupted)
    }

    fn learn(&mut self, batch: Batch, rate: f32, interrupted: Interrupted) -> Result<(), Stopped> {
        let cells = self.canonical(batch.cells);
        self.trainer.learn(Batch { cells, ..batch }, rate, interrupted)
    }

    fn update_target(&mut self) {
        self.trainer.update_target();
    }

    fn error(&mut self) -> Result<f64, Stopped> {
        self.trainer.error()
    }

    fn learned(&mut self) -> &mut Learned {
        self.trainer.learned()
    }

    fn synchronize(&mut self) -> Result<(), Stopped> {
        self.trainer.synchronize()
    }

    fn refresh(&mut self) {
        self.trainer.refresh();
    }
}

fn trainers(spec: &str, layers: &[&str]) -> Trainers {
    let (architecture, boards) = spec.parse::<GameSpec>().unwrap().with(Build(layers));
    let mut rng = Rng::stream(1, 0);
    let mut parameters = NeuralNetwork::initial(&architecture, 0.3, &mut rng);
    parameters.iter_mut().for_each(|own| *own += 0.2 * (rng.unit() as f32 - 0.5));
    let learned = Learned::new(parameters);
    let threads = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap());
    let processor = ProcessorTrainer::new(&architecture, &boards, learned.clone(), threads);
    let library = Library::compile(&source(&architecture));
    let host = Host { library, memory: Vec::new(), downloads: Vec::new() };
    let trainer = NeuralTrainer::new(host, &architecture, &boards, learned, BATCH).unwrap();
    (architecture, Processor { trainer: processor, boards }, trainer)
}

fn batch(architecture: &Architecture, boards: usize, rng: &mut Rng) -> Batch {
    let board = architecture.board();
    Batch {
        cells: (0..boards * board.cells()).map(|_| rng.below(board.values) as u8).collect(),
        targets: (0..boards).map(|_| 3.0 * rng.unit() as f32 - 1.0).collect(),
        weights: (0..boards).map(|_| rng.below(3) as f32).collect(),
    }
}

fn outputs(trainer: &mut dyn Trainer, cells: &[u8], parameters: Parameters) -> Vec<f32> {
    let mut outputs = Vec::new();
    let (first, second) = cells.split_at(cells.len() / 2);
    trainer.submit(&[first.to_vec(), second.to_vec()], parameters);
    trainer.receive(&mut outputs, &|| false).unwrap();
    outputs
}

fn assert_close(one: &[f32], other: &[f32], bound: f32, what: &str) {
    assert_eq!(one.len(), other.len(), "{what}");
    for (i, (one, other)) in one.iter().zip(other).enumerate() {
        let bound = bound * (1.0 + one.abs());
        assert!((one - other).abs() <= bound, "{what}, number {i}: {one} and {other}");
    }
}

#[test]
fn kernels_learn_what_the_processor_learns() {
    for (spec, layers) in NETWORKS {
        let (architecture, mut processor, mut trainer) = trainers(spec, layers);
        let mut rng = Rng::stream(2, 0);
        for step in 0..8 {
            let own = batch(&architecture, BATCH, &mut rng);
            for parameters in [Parameters::Learning, Parameters::Target] {
                let [one, other] = [&mut processor as &mut dyn Trainer, &mut trainer]
                    .map(|trainer| outputs(trainer, &own.cells, parameters));
                let what = format!("{spec} {layers:?}, step {step}, {parameters:?}");
                // Activations and weights have 11 bits.
                assert_close(&one, &other, 4e-3, &what);
            }
            for trainer in [&mut processor as &mut dyn Trainer, &mut trainer] {
                trainer.learn(own.clone(), 0.003, &|| false).unwrap();
                if step == 3 {
                    trainer.update_target();
                }
            }
            let (one, other) = (processor.error().unwrap(), trainer.error().unwrap());
            assert!((one - other).abs() < 1e-4 * one, "{spec}, step {step}: {one} and {other}");
        }
        trainer.synchronize().unwrap();
        let (one, other) = (processor.learned(), trainer.learned());
        let what = format!("{spec} {layers:?}");
        assert_eq!(one.steps, other.steps, "{what}");
        assert_close(&one.first, &other.first, 1e-4, &what);
        assert_close(&one.parameters, &other.parameters, 1e-3, &what);
        assert_close(&one.target, &other.target, 1e-3, &what);
        assert!(one.target != one.parameters, "{what}");
    }
}

/// The boards of two groups of games are submitted before the outputs of the first are received.
#[test]
fn outputs_come_in_the_order_of_their_boards() {
    let (spec, layers) = NETWORKS[0];
    let (architecture, mut processor, mut trainer) = trainers(spec, layers);
    let mut rng = Rng::stream(3, 0);
    let boards = [1, 40, 3].map(|count| batch(&architecture, count, &mut rng).cells);
    for cells in &boards {
        trainer.submit(std::slice::from_ref(cells), Parameters::Learning);
    }
    for cells in &boards {
        let expected = outputs(&mut processor, cells, Parameters::Learning);
        let mut found = Vec::new();
        trainer.receive(&mut found, &|| false).unwrap();
        assert_close(&expected, &found, 4e-3, spec);
    }
}

/// What was learned can be replaced, as when a run is resumed; boards that were submitted are forgotten.
#[test]
fn parameters_are_set() {
    let (spec, layers) = NETWORKS[1];
    let (architecture, mut processor, mut trainer) = trainers(spec, layers);
    let own = batch(&architecture, BATCH, &mut Rng::stream(3, 0));
    processor.learn(own.clone(), 0.1, &|| false).unwrap();
    *trainer.learned() = processor.learned().clone();
    trainer.submit(std::slice::from_ref(&own.cells), Parameters::Learning);
    trainer.refresh();
    let [one, other] = [&mut processor as &mut dyn Trainer, &mut trainer]
        .map(|trainer| outputs(trainer, &own.cells, Parameters::Learning));
    assert_close(&one, &other, 4e-3, spec);
    trainer.synchronize().unwrap();
    assert!(trainer.learned() == processor.learned());
}

#[test]
fn a_network_without_hidden_layers_is_refused() {
    let (architecture, _) = "2048:2x2".parse::<GameSpec>().unwrap().with(Build(&[]));
    let error = NeuralTrainer::<Host>::check(&architecture).unwrap_err().to_string();
    assert_eq!(
        error,
        "neural.layers: --device cuda needs a hidden layer at least; use --device cpu"
    );
}
