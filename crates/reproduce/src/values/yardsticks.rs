//! The games that are solved, and the value functions of each: sizes, speeds and how they learn.

use super::learner::Learner::{Lspi, Neural, Scores, Survival};
use super::learner::{Goal, Learner};
use super::{LINEAR, Method, NEURAL, NTUPLES, TABLE, Yardstick};

const POINTS: [&str; 2] = ["regret of a game", "RMS error"];
const MOVES: [&str; 2] = ["regret of a move", "RMS error, fitted"];

/// Points of a game of some moves.
const SHORT: Goal = Goal::Points { scale: "50", batches: false };

/// Points of longer games.
const STEPS: Goal = Goal::Points { scale: "1000", batches: true };

const SURVIVAL: Goal = Goal::Survival;

/// A value function that is trained for the longest time.
const fn method(kind: &'static str, size: &'static str, speed: u64, learner: Learner) -> Method {
    Method { kind, size, speed, over_time: false, learner }
}

impl Method {
    /// The same, trained for shorter times, too.
    const fn over_time(self) -> Method {
        Method { over_time: true, ..self }
    }
}

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
            method(TABLE, "all boards", 7_000_000, Scores(&["0123"], "tc", "1.0")).over_time(),
            method(LINEAR, "tiles of cells", 7_000_000, Scores(&["0"], "td", "0.05")).over_time(),
            method(NTUPLES, "pairs", 6_000_000, Scores(&["01", "03"], "td", "0.2")),
            method(NTUPLES, "triples", 6_000_000, Scores(&["012"], "tc", "1.0")).over_time(),
            method(NEURAL, "dense 8", 1_600_000, Neural(&["dense 8"], "0.005", SHORT)),
            method(NEURAL, "dense 32", 1_000_000, Neural(&["dense 32"], "0.005", SHORT))
                .over_time(),
            method(
                NEURAL,
                "dense 64, dense 32",
                400_000,
                Neural(&["dense 64", "dense 32"], "0.005", SHORT),
            ),
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
            method(LINEAR, "tiles of cells", 6_000_000, Scores(&["0", "1", "4"], "td", "0.05"))
                .over_time(),
            method(
                NTUPLES,
                "2x2 and lines",
                5_500_000,
                Scores(&["rectangles 2x2", "rectangles 3x1"], "td", "0.1"),
            ),
            method(
                NTUPLES,
                "four of 6 cells",
                3_400_000,
                Scores(&["012345", "013467", "012346", "034567"], "tc", "1.0"),
            )
            .over_time(),
            method(
                NTUPLES,
                "four of 6 and three of 7 cells",
                1_600_000,
                Scores(
                    &["012345", "013467", "012346", "034567", "0123456", "0123467", "0123478"],
                    "tc",
                    "1.0",
                ),
            ),
            method(NEURAL, "dense 16", 1_000_000, Neural(&["dense 16"], "0.005", STEPS)),
            method(NEURAL, "dense 64", 550_000, Neural(&["dense 64"], "0.005", STEPS)).over_time(),
            method(
                NEURAL,
                "dense 256, dense 32",
                120_000,
                Neural(&["dense 256", "dense 32"], "0.002", STEPS),
            ),
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
            method(TABLE, "all boards", 1_500_000, Survival(&["rectangles 3x3"])).over_time(),
            method(LINEAR, "21 features by LSPI", 450_000, Lspi("tang")).over_time(),
            method(NTUPLES, "lines", 1_500_000, Survival(&["rectangles 3x1"])),
            method(
                NTUPLES,
                "2x2 and lines",
                1_300_000,
                Survival(&["rectangles 2x2", "rectangles 3x1"]),
            ),
            method(NTUPLES, "3x2", 1_500_000, Survival(&["rectangles 3x2"])).over_time(),
            method(NEURAL, "dense 8", 1_600_000, Neural(&["dense 8"], "0.005", SURVIVAL)),
            method(NEURAL, "dense 32", 850_000, Neural(&["dense 32"], "0.005", SURVIVAL))
                .over_time(),
            method(
                NEURAL,
                "dense 128, dense 32",
                330_000,
                Neural(&["dense 128", "dense 32"], "0.002", SURVIVAL),
            ),
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
            method(TABLE, "all boards", 980_000, Survival(&["rectangles 4x4"])).over_time(),
            method(LINEAR, "21 features by LSPI", 320_000, Lspi("tang")).over_time(),
            method(
                NTUPLES,
                "2x2 and lines",
                900_000,
                Survival(&["rectangles 2x2", "rectangles 4x1"]),
            ),
            method(
                NTUPLES,
                "3x3, 4x2 and lines",
                860_000,
                Survival(&["rectangles 3x3", "rectangles 4x1", "rectangles 4x2"]),
            )
            .over_time(),
            method(NTUPLES, "4x3", 980_000, Survival(&["rectangles 4x3"])),
            method(NEURAL, "dense 16", 900_000, Neural(&["dense 16"], "0.005", SURVIVAL)),
            method(
                NEURAL,
                "dense 128, dense 32",
                240_000,
                Neural(&["dense 128", "dense 32"], "0.002", SURVIVAL),
            )
            .over_time(),
            method(
                NEURAL,
                "conv 2x2 32, dense 64",
                130_000,
                Neural(&["conv 2x2 32", "dense 64"], "0.002", SURVIVAL),
            ),
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
            method(TABLE, "all boards", 400_000, Survival(&["rectangles 5x5"])).over_time(),
            method(LINEAR, "21 features by LSPI", 200_000, Lspi("tang")).over_time(),
            method(
                NTUPLES,
                "3x3 and lines",
                500_000,
                Survival(&["rectangles 3x3", "rectangles 5x1"]),
            ),
            method(
                NTUPLES,
                "4x3 and lines",
                450_000,
                Survival(&["rectangles 4x3", "rectangles 5x1"]),
            )
            .over_time(),
            method(
                NTUPLES,
                "5x3 and 4x4",
                400_000,
                Survival(&["rectangles 5x3", "rectangles 4x4"]),
            ),
            method(NEURAL, "dense 32", 350_000, Neural(&["dense 32"], "0.002", SURVIVAL)),
            method(
                NEURAL,
                "dense 128, dense 32",
                130_000,
                Neural(&["dense 128", "dense 32"], "0.002", SURVIVAL),
            )
            .over_time(),
            method(
                NEURAL,
                "conv 3x3 32, dense 64",
                60_000,
                Neural(&["conv 3x3 32", "dense 64"], "0.001", SURVIVAL),
            ),
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
            method(TABLE, "all boards", 1_300_000, Survival(&["rectangles 4x4"])).over_time(),
            method(LINEAR, "9 features by LSPI", 2_000_000, Lspi("dt6")).over_time(),
            method(NTUPLES, "lines", 700_000, Survival(&["rectangles 4x1", "rectangles 1x4"])),
            method(
                NTUPLES,
                "3x3, 2x4 and lines",
                600_000,
                Survival(&["rectangles 4x1", "rectangles 2x4", "rectangles 3x3"]),
            )
            .over_time(),
            method(
                NTUPLES,
                "4x3 and 3x4",
                700_000,
                Survival(&["rectangles 4x3", "rectangles 3x4"]),
            ),
            method(NEURAL, "dense 16", 1_000_000, Neural(&["dense 16"], "0.005", SURVIVAL)),
            method(NEURAL, "dense 64", 520_000, Neural(&["dense 64"], "0.005", SURVIVAL))
                .over_time(),
            method(
                NEURAL,
                "dense 128, dense 32",
                250_000,
                Neural(&["dense 128", "dense 32"], "0.002", SURVIVAL),
            ),
        ],
    },
];
