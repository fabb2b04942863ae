//! The games that are solved, and the value functions of each: sizes, recipes and speeds.

use super::{LINEAR, Method, NEURAL, NTUPLES, TABLE, Yardstick};

const POINTS: [&str; 2] = ["regret of a game", "RMS error"];
const MOVES: [&str; 2] = ["regret of a move", "RMS error, fitted"];

/// One yardstick of each experiment.
pub(super) const YARDSTICKS: &[Yardstick] = &[
    Yardstick {
        name: "values-2048-2x2",
        title: "2048 2x2",
        rules: "2048:2x2",
        survives: false,
        regret: POINTS[0],
        error: POINTS[1],
        seconds: 1.0,
        play: (2_000, 10_000),
        tiny: None,
        methods: &[
            Method {
                kind: TABLE,
                size: "all boards",
                speed: 7_000_000,
                over_time: true,
                recipe: r#"[network]
tuples = ["0123"]
initial = 0
[[phase]]
method = "tc"
rate = 1.0
order = "backward""#,
            },
            Method {
                kind: LINEAR,
                size: "tiles of cells",
                speed: 7_000_000,
                over_time: true,
                recipe: r#"[network]
tuples = ["0"]
initial = 0
[[phase]]
method = "td"
rate = 0.05
order = "backward""#,
            },
            Method {
                kind: NTUPLES,
                size: "pairs",
                speed: 6_000_000,
                over_time: false,
                recipe: r#"[network]
tuples = ["01", "03"]
initial = 0
[[phase]]
method = "td"
rate = 0.2
order = "backward""#,
            },
            Method {
                kind: NTUPLES,
                size: "triples",
                speed: 6_000_000,
                over_time: true,
                recipe: r#"[network]
tuples = ["012"]
initial = 0
[[phase]]
method = "tc"
rate = 1.0
order = "backward""#,
            },
            Method {
                kind: NEURAL,
                size: "dense 8",
                speed: 1_600_000,
                over_time: false,
                recipe: r#"[neural]
layers = ["dense 8"]
scale = 50
games = 64
rate = 0.005
final_rate = 0.00002"#,
            },
            Method {
                kind: NEURAL,
                size: "dense 32",
                speed: 1_000_000,
                over_time: true,
                recipe: r#"[neural]
layers = ["dense 32"]
scale = 50
games = 64
rate = 0.005
final_rate = 0.00002"#,
            },
            Method {
                kind: NEURAL,
                size: "dense 64, dense 32",
                speed: 400_000,
                over_time: false,
                recipe: r#"[neural]
layers = ["dense 64", "dense 32"]
scale = 50
games = 64
rate = 0.005
final_rate = 0.00002"#,
            },
        ],
    },
    Yardstick {
        name: "values-2048-3x3",
        title: "2048 3x3",
        rules: "2048:3x3",
        survives: false,
        regret: POINTS[0],
        error: POINTS[1],
        seconds: 3.0,
        play: (300, 10_000),
        tiny: Some("values-2048-2x2"),
        methods: &[
            Method {
                kind: LINEAR,
                size: "tiles of cells",
                speed: 6_000_000,
                over_time: true,
                recipe: r#"[network]
tuples = ["0", "1", "4"]
initial = 0
[[phase]]
method = "td"
rate = 0.05
order = "backward""#,
            },
            Method {
                kind: NTUPLES,
                size: "2x2 and lines",
                speed: 5_500_000,
                over_time: false,
                recipe: r#"[network]
tuples = ["rectangles 2x2", "rectangles 3x1"]
initial = 0
[[phase]]
method = "td"
rate = 0.1
order = "backward""#,
            },
            Method {
                kind: NTUPLES,
                size: "four of 6 cells",
                speed: 3_400_000,
                over_time: true,
                recipe: r#"[network]
tuples = ["012345", "013467", "012346", "034567"]
initial = 0
[[phase]]
method = "tc"
rate = 1.0
order = "backward""#,
            },
            Method {
                kind: NTUPLES,
                size: "four of 6 and three of 7 cells",
                speed: 1_600_000,
                over_time: false,
                recipe: r#"[network]
tuples = ["012345", "013467", "012346", "034567", "0123456", "0123467", "0123478"]
initial = 0
[[phase]]
method = "tc"
rate = 1.0
order = "backward""#,
            },
            Method {
                kind: NEURAL,
                size: "dense 16",
                speed: 1_000_000,
                over_time: false,
                recipe: r#"[neural]
layers = ["dense 16"]
scale = 1000
games = 64
rate = 0.005
final_rate = 0.00002
steps = 4
lambda = 0.5
batch = 64"#,
            },
            Method {
                kind: NEURAL,
                size: "dense 64",
                speed: 550_000,
                over_time: true,
                recipe: r#"[neural]
layers = ["dense 64"]
scale = 1000
games = 64
rate = 0.005
final_rate = 0.00002
steps = 4
lambda = 0.5
batch = 64"#,
            },
            Method {
                kind: NEURAL,
                size: "dense 256, dense 32",
                speed: 120_000,
                over_time: false,
                recipe: r#"[neural]
layers = ["dense 256", "dense 32"]
scale = 1000
games = 64
rate = 0.002
final_rate = 0.00002
steps = 4
lambda = 0.5
batch = 64"#,
            },
        ],
    },
    Yardstick {
        name: "values-1010-3x3",
        title: "1010! 3x3",
        rules: "1010:3x3,pieces=7",
        survives: true,
        regret: MOVES[0],
        error: MOVES[1],
        seconds: 1.0,
        play: (1_000, 5_000),
        tiny: None,
        methods: &[
            Method {
                kind: TABLE,
                size: "all boards",
                speed: 1_500_000,
                over_time: true,
                recipe: r#"[network]
tuples = ["rectangles 3x3"]
initial = 120_000
batch = 64
[[phase]]
method = "tc"
rate = 1.0
survival = 1000
discount = 0.99"#,
            },
            Method {
                kind: LINEAR,
                size: "21 features by LSPI",
                speed: 450_000,
                over_time: true,
                recipe: r#"[lspi]
features = "tang""#,
            },
            Method {
                kind: NTUPLES,
                size: "lines",
                speed: 1_500_000,
                over_time: false,
                recipe: r#"[network]
tuples = ["rectangles 3x1"]
initial = 120_000
batch = 64
[[phase]]
method = "tc"
rate = 1.0
survival = 1000
discount = 0.99"#,
            },
            Method {
                kind: NTUPLES,
                size: "2x2 and lines",
                speed: 1_300_000,
                over_time: false,
                recipe: r#"[network]
tuples = ["rectangles 2x2", "rectangles 3x1"]
initial = 120_000
batch = 64
[[phase]]
method = "tc"
rate = 1.0
survival = 1000
discount = 0.99"#,
            },
            Method {
                kind: NTUPLES,
                size: "3x2",
                speed: 1_500_000,
                over_time: true,
                recipe: r#"[network]
tuples = ["rectangles 3x2"]
initial = 120_000
batch = 64
[[phase]]
method = "tc"
rate = 1.0
survival = 1000
discount = 0.99"#,
            },
            Method {
                kind: NEURAL,
                size: "dense 8",
                speed: 1_600_000,
                over_time: false,
                recipe: r#"[neural]
layers = ["dense 8"]
scale = 100_000
games = 64
rate = 0.005
final_rate = 0.00002
survival = 1000
discount = 0.99
initial = 120_000"#,
            },
            Method {
                kind: NEURAL,
                size: "dense 32",
                speed: 850_000,
                over_time: true,
                recipe: r#"[neural]
layers = ["dense 32"]
scale = 100_000
games = 64
rate = 0.005
final_rate = 0.00002
survival = 1000
discount = 0.99
initial = 120_000"#,
            },
            Method {
                kind: NEURAL,
                size: "dense 128, dense 32",
                speed: 330_000,
                over_time: false,
                recipe: r#"[neural]
layers = ["dense 128", "dense 32"]
scale = 100_000
games = 64
rate = 0.002
final_rate = 0.00002
survival = 1000
discount = 0.99
initial = 120_000"#,
            },
        ],
    },
    Yardstick {
        name: "values-1010-4x4",
        title: "1010! 4x4",
        rules: "1010:4x4,pieces=7",
        survives: true,
        regret: MOVES[0],
        error: MOVES[1],
        seconds: 6.0,
        play: (40, 5_000),
        tiny: None,
        methods: &[
            Method {
                kind: TABLE,
                size: "all boards",
                speed: 980_000,
                over_time: true,
                recipe: r#"[network]
tuples = ["rectangles 4x4"]
initial = 120_000
batch = 64
[[phase]]
method = "tc"
rate = 1.0
survival = 1000
discount = 0.99"#,
            },
            Method {
                kind: LINEAR,
                size: "21 features by LSPI",
                speed: 320_000,
                over_time: true,
                recipe: r#"[lspi]
features = "tang""#,
            },
            Method {
                kind: NTUPLES,
                size: "2x2 and lines",
                speed: 900_000,
                over_time: false,
                recipe: r#"[network]
tuples = ["rectangles 2x2", "rectangles 4x1"]
initial = 120_000
batch = 64
[[phase]]
method = "tc"
rate = 1.0
survival = 1000
discount = 0.99"#,
            },
            Method {
                kind: NTUPLES,
                size: "3x3, 4x2 and lines",
                speed: 860_000,
                over_time: true,
                recipe: r#"[network]
tuples = ["rectangles 3x3", "rectangles 4x1", "rectangles 4x2"]
initial = 120_000
batch = 64
[[phase]]
method = "tc"
rate = 1.0
survival = 1000
discount = 0.99"#,
            },
            Method {
                kind: NTUPLES,
                size: "4x3",
                speed: 980_000,
                over_time: false,
                recipe: r#"[network]
tuples = ["rectangles 4x3"]
initial = 120_000
batch = 64
[[phase]]
method = "tc"
rate = 1.0
survival = 1000
discount = 0.99"#,
            },
            Method {
                kind: NEURAL,
                size: "dense 16",
                speed: 900_000,
                over_time: false,
                recipe: r#"[neural]
layers = ["dense 16"]
scale = 100_000
games = 64
rate = 0.005
final_rate = 0.00002
survival = 1000
discount = 0.99
initial = 120_000"#,
            },
            Method {
                kind: NEURAL,
                size: "dense 128, dense 32",
                speed: 240_000,
                over_time: true,
                recipe: r#"[neural]
layers = ["dense 128", "dense 32"]
scale = 100_000
games = 64
rate = 0.002
final_rate = 0.00002
survival = 1000
discount = 0.99
initial = 120_000"#,
            },
            Method {
                kind: NEURAL,
                size: "conv 2x2 32, dense 64",
                speed: 130_000,
                over_time: false,
                recipe: r#"[neural]
layers = ["conv 2x2 32", "dense 64"]
scale = 100_000
games = 64
rate = 0.002
final_rate = 0.00002
survival = 1000
discount = 0.99
initial = 120_000"#,
            },
        ],
    },
    Yardstick {
        name: "values-1010-5x5",
        title: "1010! 5x5",
        rules: "1010:5x5,pieces=7",
        survives: true,
        regret: MOVES[0],
        error: MOVES[1],
        seconds: 3.0,
        play: (20, 10_000),
        tiny: Some("values-1010-3x3"),
        methods: &[
            Method {
                kind: TABLE,
                size: "all boards",
                speed: 400_000,
                over_time: true,
                recipe: r#"[network]
tuples = ["rectangles 5x5"]
initial = 120_000
batch = 64
[[phase]]
method = "tc"
rate = 1.0
survival = 1000
discount = 0.99"#,
            },
            Method {
                kind: LINEAR,
                size: "21 features by LSPI",
                speed: 200_000,
                over_time: true,
                recipe: r#"[lspi]
features = "tang""#,
            },
            Method {
                kind: NTUPLES,
                size: "3x3 and lines",
                speed: 500_000,
                over_time: false,
                recipe: r#"[network]
tuples = ["rectangles 3x3", "rectangles 5x1"]
initial = 120_000
batch = 64
[[phase]]
method = "tc"
rate = 1.0
survival = 1000
discount = 0.99"#,
            },
            Method {
                kind: NTUPLES,
                size: "4x3 and lines",
                speed: 450_000,
                over_time: true,
                recipe: r#"[network]
tuples = ["rectangles 4x3", "rectangles 5x1"]
initial = 120_000
batch = 64
[[phase]]
method = "tc"
rate = 1.0
survival = 1000
discount = 0.99"#,
            },
            Method {
                kind: NTUPLES,
                size: "5x3 and 4x4",
                speed: 400_000,
                over_time: false,
                recipe: r#"[network]
tuples = ["rectangles 5x3", "rectangles 4x4"]
initial = 120_000
batch = 64
[[phase]]
method = "tc"
rate = 1.0
survival = 1000
discount = 0.99"#,
            },
            Method {
                kind: NEURAL,
                size: "dense 32",
                speed: 350_000,
                over_time: false,
                recipe: r#"[neural]
layers = ["dense 32"]
scale = 100_000
games = 64
rate = 0.002
final_rate = 0.00002
survival = 1000
discount = 0.99
initial = 120_000"#,
            },
            Method {
                kind: NEURAL,
                size: "dense 128, dense 32",
                speed: 130_000,
                over_time: true,
                recipe: r#"[neural]
layers = ["dense 128", "dense 32"]
scale = 100_000
games = 64
rate = 0.002
final_rate = 0.00002
survival = 1000
discount = 0.99
initial = 120_000"#,
            },
            Method {
                kind: NEURAL,
                size: "conv 3x3 32, dense 64",
                speed: 60_000,
                over_time: false,
                recipe: r#"[neural]
layers = ["conv 3x3 32", "dense 64"]
scale = 100_000
games = 64
rate = 0.001
final_rate = 0.00002
survival = 1000
discount = 0.99
initial = 120_000"#,
            },
        ],
    },
    Yardstick {
        name: "values-melax",
        title: "Tetris 4x4 with Melax's pieces",
        rules: "tetris:4x4,pieces=melax",
        survives: true,
        regret: MOVES[0],
        error: MOVES[1],
        seconds: 6.0,
        play: (40, 5_000),
        tiny: None,
        methods: &[
            Method {
                kind: TABLE,
                size: "all boards",
                speed: 1_300_000,
                over_time: true,
                recipe: r#"[network]
tuples = ["rectangles 4x4"]
initial = 120_000
batch = 64
[[phase]]
method = "tc"
rate = 1.0
survival = 1000
discount = 0.99"#,
            },
            Method {
                kind: LINEAR,
                size: "9 features by LSPI",
                speed: 2_000_000,
                over_time: true,
                recipe: r#"[lspi]
features = "dt6""#,
            },
            Method {
                kind: NTUPLES,
                size: "lines",
                speed: 700_000,
                over_time: false,
                recipe: r#"[network]
tuples = ["rectangles 4x1", "rectangles 1x4"]
initial = 120_000
batch = 64
[[phase]]
method = "tc"
rate = 1.0
survival = 1000
discount = 0.99"#,
            },
            Method {
                kind: NTUPLES,
                size: "3x3, 2x4 and lines",
                speed: 600_000,
                over_time: true,
                recipe: r#"[network]
tuples = ["rectangles 4x1", "rectangles 2x4", "rectangles 3x3"]
initial = 120_000
batch = 64
[[phase]]
method = "tc"
rate = 1.0
survival = 1000
discount = 0.99"#,
            },
            Method {
                kind: NTUPLES,
                size: "4x3 and 3x4",
                speed: 700_000,
                over_time: false,
                recipe: r#"[network]
tuples = ["rectangles 4x3", "rectangles 3x4"]
initial = 120_000
batch = 64
[[phase]]
method = "tc"
rate = 1.0
survival = 1000
discount = 0.99"#,
            },
            Method {
                kind: NEURAL,
                size: "dense 16",
                speed: 1_000_000,
                over_time: false,
                recipe: r#"[neural]
layers = ["dense 16"]
scale = 100_000
games = 64
rate = 0.005
final_rate = 0.00002
survival = 1000
discount = 0.99
initial = 120_000"#,
            },
            Method {
                kind: NEURAL,
                size: "dense 64",
                speed: 520_000,
                over_time: true,
                recipe: r#"[neural]
layers = ["dense 64"]
scale = 100_000
games = 64
rate = 0.005
final_rate = 0.00002
survival = 1000
discount = 0.99
initial = 120_000"#,
            },
            Method {
                kind: NEURAL,
                size: "dense 128, dense 32",
                speed: 250_000,
                over_time: false,
                recipe: r#"[neural]
layers = ["dense 128", "dense 32"]
scale = 100_000
games = 64
rate = 0.002
final_rate = 0.00002
survival = 1000
discount = 0.99
initial = 120_000"#,
            },
        ],
    },
];
