//! `Architecture`: the layers of a neural network over the cells of a board, and where their
//! parameters lie.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use afterstate_games::Cells;

/// A hidden layer with rectified linear units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// A convolution without padding: `conv 2x2 64`.
    Conv {
        /// Rows of the window.
        rows: usize,
        /// Columns of the window.
        columns: usize,
        /// Output channels.
        channels: usize,
    },
    /// A fully connected layer: `dense 256`.
    Dense {
        /// Its units.
        units: usize,
    },
}

/// A network that cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArchitectureError {
    /// The text is no layer.
    #[error("unknown layer {0:?}: expected \"dense 256\" or \"conv 2x2 64\"")]
    Layer(String),
    /// A window does not fit.
    #[error("{layer} does not fit: its input has {rows}x{columns} positions")]
    Window {
        /// The layer.
        layer: Layer,
        /// Rows of its input.
        rows: usize,
        /// Columns of its input.
        columns: usize,
    },
    /// There are too many layers.
    #[error("{0} layers: a network has at most {MAX_LAYERS} hidden layers")]
    Layers(usize),
    /// There are too many parameters.
    #[error("the network has more than {MAX_PARAMETERS} parameters")]
    TooLarge,
}

/// The largest number of hidden layers.
const MAX_LAYERS: usize = 32;

/// The largest number of parameters.
const MAX_PARAMETERS: usize = 1 << 28;

/// The largest number of channels or units of a layer.
const MAX_OUTPUTS: usize = 1 << 16;

impl FromStr for Layer {
    type Err = ArchitectureError;

    fn from_str(text: &str) -> Result<Layer, ArchitectureError> {
        let number =
            |text: &str, max| text.parse().ok().filter(|number| (1..=max).contains(number));
        let parsed = match text.split_whitespace().collect::<Vec<_>>()[..] {
            ["dense", units] => number(units, MAX_OUTPUTS).map(|units| Layer::Dense { units }),
            ["conv", window, channels] => window.split_once('x').and_then(|(rows, columns)| {
                let (rows, columns) = (number(rows, 64)?, number(columns, 64)?);
                Some(Layer::Conv { rows, columns, channels: number(channels, MAX_OUTPUTS)? })
            }),
            _ => None,
        };
        parsed.ok_or_else(|| ArchitectureError::Layer(text.chars().take(40).collect()))
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Layer::Conv { rows, columns, channels } => {
                write!(f, "conv {rows}x{columns} {channels}")
            }
            Layer::Dense { units } => write!(f, "dense {units}"),
        }
    }
}

/// The boards that a network reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardShape {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// The number of values of a cell.
    pub values: usize,
}

impl BoardShape {
    /// The boards of a game.
    pub fn of<G: Cells>(game: &G) -> BoardShape {
        let columns = game.cell_columns();
        let rows = game.cell_count() / columns;
        BoardShape { rows, columns, values: game.cell_values() as usize }
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.rows * self.columns
    }

    /// The planes of the input: one per value of a cell; a cell that is empty or full has one
    /// plane, which is 1 where it is full.
    pub fn planes(&self) -> usize {
        if self.values <= 2 { 1 } else { self.values }
    }
}

/// A layer as a window that slides over its input. That of a dense layer covers it all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerShape {
    /// Rows, columns and channels of the input.
    pub input: [usize; 3],
    /// Rows and columns of the window.
    pub window: [usize; 2],
    /// Rows, columns and channels of the output.
    pub output: [usize; 3],
    /// The weights among all parameters: for each input of the window (row, column, channel) one
    /// per output channel.
    pub weights: Range<usize>,
    /// The biases among all parameters, one per output channel.
    pub bias: Range<usize>,
}

impl LayerShape {
    /// The number of inputs of a window.
    pub fn inputs(&self) -> usize {
        self.window[0] * self.window[1] * self.input[2]
    }

    /// The number of output channels.
    pub fn channels(&self) -> usize {
        self.output[2]
    }

    /// The number of positions of the window.
    pub fn positions(&self) -> usize {
        self.output[0] * self.output[1]
    }

    /// Whether the window covers the input.
    pub fn is_dense(&self) -> bool {
        self.positions() == 1
    }
}

/// The layers of a network: those given, then one linear output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Architecture {
    board: BoardShape,
    layers: Vec<Layer>,
    shapes: Vec<LayerShape>,
}

impl Architecture {
    /// The network of some hidden layers over boards of a shape.
    pub fn new(board: BoardShape, layers: &[Layer]) -> Result<Architecture, ArchitectureError> {
        if layers.len() > MAX_LAYERS {
            return Err(ArchitectureError::Layers(layers.len()));
        }
        let mut shapes: Vec<LayerShape> = Vec::new();
        let (mut input, mut end) = ([board.rows, board.columns, board.planes()], 0usize);
        for &layer in layers.iter().chain(&[Layer::Dense { units: 1 }]) {
            let [rows, columns, _] = input;
            let (window, channels) = match layer {
                Layer::Dense { units } => ([rows, columns], units),
                Layer::Conv { rows, columns, channels } => ([rows, columns], channels),
            };
            if window[0] > rows || window[1] > columns {
                return Err(ArchitectureError::Window { layer, rows, columns });
            }
            let output = [rows - window[0] + 1, columns - window[1] + 1, channels];
            let inputs = window[0] * window[1] * input[2];
            let weights = end..end + inputs * channels;
            let bias = weights.end..weights.end + channels;
            end = bias.end;
            if end > MAX_PARAMETERS {
                return Err(ArchitectureError::TooLarge);
            }
            shapes.push(LayerShape { input, window, output, weights, bias });
            input = output;
        }
        Ok(Architecture { board, layers: layers.to_vec(), shapes })
    }

    /// The boards that it reads.
    pub fn board(&self) -> BoardShape {
        self.board
    }

    /// The hidden layers.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// All layers with the output, and where their parameters lie.
    pub fn shapes(&self) -> &[LayerShape] {
        &self.shapes
    }

    /// The number of parameters.
    pub fn parameters(&self) -> usize {
        self.shapes.last().map_or(0, |shape| shape.bias.end)
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let layers: Vec<String> = self.layers.iter().map(Layer::to_string).collect();
        f.write_str(&layers.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: BoardShape = BoardShape { rows: 4, columns: 4, values: 18 };

    #[test]
    fn layers_are_written_as_they_are_read() {
        for text in ["dense 256", "conv 2x2 64", "conv 1x4 3"] {
            assert_eq!(text.parse::<Layer>().unwrap().to_string(), text);
        }
        for text in
            ["", "dense", "dense 0", "dense -1", "conv 64", "conv 2x 5", "conv 0x2 5", "x 1"]
        {
            let error = text.parse::<Layer>().unwrap_err().to_string();
            assert!(error.contains("expected \"dense 256\""), "{error}");
        }
    }

    #[test]
    fn parameters_follow_one_another() {
        let layers = ["conv 2x2 8", "conv 2x2 5", "dense 3"].map(|text| text.parse().unwrap());
        let network = Architecture::new(BOARD, &layers).unwrap();
        let inputs: Vec<_> = network.shapes().iter().map(LayerShape::inputs).collect();
        assert_eq!(inputs, [4 * 18, 4 * 8, 4 * 5, 3]);
        let positions: Vec<_> = network.shapes().iter().map(LayerShape::positions).collect();
        assert_eq!(positions, [9, 4, 1, 1]);
        assert_eq!(network.parameters(), 72 * 8 + 8 + 32 * 5 + 5 + 20 * 3 + 3 + 3 + 1);
        assert_eq!(network.to_string(), "conv 2x2 8, conv 2x2 5, dense 3");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let network = |layers: &[&str]| {
            let layers: Vec<Layer> = layers.iter().map(|text| text.parse().unwrap()).collect();
            Architecture::new(BOARD, &layers).map_err(|error| error.to_string())
        };
        let error = network(&["conv 3x3 8", "conv 3x1 8"]).unwrap_err();
        assert_eq!(error, "conv 3x1 8 does not fit: its input has 2x2 positions");
        assert!(network(&["dense 65536", "dense 65536"]).unwrap_err().contains("parameters"));
        assert!(network(&["dense 2"; 33]).unwrap_err().contains("33 layers"));
        assert_eq!(network(&[]).unwrap().parameters(), 16 * 18 + 1);
    }
}
