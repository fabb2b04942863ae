//! Tang Sin Yee, "Markov Decision Processes and Reinforcement Learning for Puzzles" (final year
//! project, CUHK, 2019): 1010! by greedy rules, value iteration and LSPI.
//!
//! Where the study played 10 or 20 games, policies are evaluated exactly here. Its score columns
//! fit cells + 10 n^2 best, which `score=square` counts.

mod exact;
mod learners;
mod lspi;

use afterstate_games::RewardMixture;
use afterstate_games::spec::{GameSpec, Spec};
use afterstate_games::tenten::TenTen;
use afterstate_render::chart::Chart;

use crate::experiment::Quantity::{Decimal, Named};
use crate::experiment::{Experiment, Measurement, Quantity, Results, published};
use crate::{Error, TrainingCache};
use exact::{REWARDS, SIZES_AND_REWARDS, rows};
use lspi::PUBLISHED_WEIGHTS;

const ROUNDS: Quantity = Decimal("rounds");
const SCORE: Quantity = Decimal("score");
const STATES: Quantity = Named("states: boards with or without full lines, times pieces");
const BOARDS: Quantity = Named("boards without a full line");
const EDGES: Quantity = Named("edges");
const MDP: Quantity = Decimal("rounds, value iteration");
const LSPI: Quantity = Decimal("rounds, LSPI");
const MEAN: Quantity = Decimal("mean rounds");
const MAX: Quantity = Named("most rounds");

const GREEDY_RULES: [&str; 3] =
    ["algorithm 1, most lines", "algorithm 2, best survival", "algorithm 3, either by a coin"];
const SIDES: [&str; 3] = ["3x3", "4x4", "5x5"];
const TRAINED: [&str; 2] = ["with the 3x3 piece", "without it"];

/// By the weights that the study publishes.
const GIVEN: [&str; 2] = ["with it, by the weights of table 4", "without it, by the same weights"];

/// What differs in figures 9 to 12.
const EXACT: &str = "The study's curves are means of a few games each, whose lengths are nearly \
    geometric: an error of 22 to 32% a point. Ours are exact. Its values come from about 20 \
    sweeps, which matters only near gamma 1. Ties go to the first placement, row by row, in both.";

pub(crate) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "tang-figure5",
        title: "Three greedy rules on 3x3 with 3 pieces",
        source: "Tang 2019, figure 5: means of 20 games",
        published: published![
            GREEDY_RULES[0] => ROUNDS = 4_221.3, SCORE = 32_052.2;
            GREEDY_RULES[1] => ROUNDS = 321.5, SCORE = 2_919.9;
            GREEDY_RULES[2] => ROUNDS = 648.42, SCORE = 5_269.4;
        ],
        differences: &["Ours are exact expectations, by policy evaluation. Lengths are nearly \
            geometric, so a mean of 20 games is off by 22%: the published ones lie within that. \
            The score counts cells + 10 n^2 for n lines, which fits two of the three rules of the \
            study."],
        rules: "1010:3x3,pieces=3,score=square",
        measure: exact::greedy_rules,
        ..Experiment::NONE
    },
    Experiment {
        name: "tang-figure8",
        title: "3 pieces: score of 10,000 rounds against the discount",
        source: "Tang 2019, figure 8",
        published: &rows::<40>(&SIZES_AND_REWARDS),
        differences: &["Ours are expectations over all games, also of those that end early \
            where a policy can die; the study's are means of a few games. Its values come from \
            about 20 sweeps, ours from as many as converge; at gamma 1, where values grow for \
            ever, their differences do."],
        rules: "1010:3x3,pieces=3,score=square and 1010:4x4,pieces=3,score=square",
        measure: exact::scores,
        ..Experiment::NONE
    },
    Experiment {
        name: "tang-figure9",
        title: "3x3 with 7 pieces: expected score against the discount",
        source: "Tang 2019, figure 9",
        published: &rows::<30>(&REWARDS),
        differences: &[EXACT],
        rules: "1010:3x3,pieces=7,score=square",
        measure: |experiment, cache| {
            exact::expectations(
                experiment,
                cache,
                3,
                exact::Expectation::Score,
                "the highest scores at gamma 1, a jump between \
            0.9 and 1; r2 rises until 0.3 and drops at 0.4; no order between 0.1 and 0.9 \
            otherwise; r1 the best, by little.",
            )
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "tang-figure10",
        title: "3x3 with 7 pieces: expected rounds against the discount",
        source: "Tang 2019, figure 10",
        published: &rows::<30>(&REWARDS),
        differences: &[EXACT],
        rules: "1010:3x3,pieces=7,score=square",
        measure: |experiment, cache| {
            exact::expectations(
                experiment,
                cache,
                3,
                exact::Expectation::Rounds,
                "as the scores: a jump between 0.9 and 1, and \
            for r2 a crest at 0.3 with a drop at 0.4.",
            )
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "tang-figure11",
        title: "4x4 with 7 pieces: expected score against the discount",
        source: "Tang 2019, figure 11",
        published: &rows::<30>(&REWARDS),
        differences: &[EXACT],
        rules: "1010:4x4,pieces=7,score=square",
        measure: |experiment, cache| {
            exact::expectations(
                experiment,
                cache,
                4,
                exact::Expectation::Score,
                "a jump between 0.9 and 1, a little crest at \
            0.3 and a fall to 0.5; r1 far above the others under any gamma.",
            )
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "tang-figure12",
        title: "4x4 with 7 pieces: expected rounds against the discount",
        source: "Tang 2019, figure 12",
        published: &rows::<30>(&REWARDS),
        differences: &[EXACT],
        rules: "1010:4x4,pieces=7,score=square",
        measure: |experiment, cache| {
            exact::expectations(
                experiment,
                cache,
                4,
                exact::Expectation::Rounds,
                "as the scores: the highest at gamma 1, a crest \
            at 0.3; r1 lives longest under any gamma.",
            )
        },
        ..Experiment::NONE
    },
    Experiment {
        name: "tang-figure13",
        title: "States and edges with 7 pieces",
        source: "Tang 2019, figure 13",
        published: published![
            SIDES[0] => STATES = 3_584.0, BOARDS, EDGES = 3_317.0;
            SIDES[1] => STATES = 458_752.0, BOARDS, EDGES = 892_062.0;
            SIDES[2] => STATES, BOARDS, EDGES;
        ],
        differences: &["The study counts 892,062 edges on 4x4, which is two fewer than there \
            are. It calls 5x5 impossible, for it would store every state; one value a board is \
            enough."],
        rules: "1010:3x3,pieces=7, 4x4 and 5x5",
        measure: exact::sizes,
        ..Experiment::NONE
    },
    Experiment {
        name: "tang-table2",
        title: "Value iteration against LSPI, 4x4 with 7 pieces, gamma 0.8",
        source: "Tang 2019, section 11.1, table 2: means of 10 games",
        published: published![
            "r1" => MDP = 1_450.7, LSPI = 307.2;
            "r2" => MDP = 115.5, LSPI = 276.05;
            "r3" => MDP = 307.2, LSPI = 302.2;
            "1 a move" => MDP;
            "best survival" => MDP;
        ],
        differences: &["Exact expectations of the policies; LSPI's is the mean over eight \
            seeds of the exact worth of its last weights. The study's r3 for value iteration \
            repeats its r1 for LSPI and looks like a slip of copying. Its rewards are the \
            bottleneck: a reward of 1 a move lives twenty times longer."],
        rules: "1010:4x4,pieces=7,score=square",
        measure: lspi::against_value_iteration,
        ..Experiment::NONE
    },
    Experiment {
        name: "tang-table3",
        title: "LSPI on 10x10, with and without the 3x3 piece",
        source: "Tang 2019, section 11.2, table 3: 20 games",
        published: published![
            TRAINED[0] => MEAN = 204.473, MAX = 517.0;
            TRAINED[1] => MEAN = 517.736, MAX = 1_047.0;
            GIVEN[0] => MEAN;
            GIVEN[1] => MEAN;
        ],
        differences: &["The study trains until the weights stand; we train for 200,000 moves \
            (20,000 in the quick form), ten times (four), and play 100 games (25) by the weights \
            of each training. Intervals of what is trained are over trainings; a maximum grows \
            with the number of games. The published means are those of 19 games (times 19 they \
            are whole numbers): by themselves they are good to 136 to 339 rounds and 346 to 860. \
            The words leave open what is averaged in the first and third feature: over holes, \
            each with the run that it lies in, or over runs. We take holes, because it reproduces \
            both means at gamma 0.8, the only one that the study gives for LSPI. What follows of \
            other readings was measured by a trial program that is no part of this one. Over runs \
            the same training makes 114 and 294, and 246 and 399 at gamma 0.95; the weights of \
            table 4 make 174 and 382. With means over runs and gamma 0.8 nothing else that was \
            tried, at least 4 trainings each, lives for more than about 140 and 300 rounds: \
            solving every 20 games, which may be what the study calls turns; equations that \
            forget; a sample of every move of a position; exploration; features of the last \
            board; boards before lines go; lines instead of their squares; other probabilities; other \
            distances from the edge; cells joined at corners."],
        rules: "1010:10x10,pieces=19 and 1010:10x10,pieces=18",
        measure: lspi::full_board,
        ..Experiment::NONE
    },
    Experiment {
        name: "tang-table4",
        title: "The weights of 21 features by LSPI on 10x10",
        source: "Tang 2019, section 11.2, table 4",
        published: PUBLISHED_WEIGHTS,
        differences: &["Full and blank cells and the constant say the same thrice, so their \
            weights are not determined: we take the smallest solution, the study inverted a \
            singular matrix. What is determined is close: with the weight of full cells taken as \
            0, blank cells have 2.5 (ours 1.4) and the constant has -1,454 (ours -1,632). The \
            means over holes (see tang-table3) have half the published weight. Each of ours is \
            the mean over trainings with other seeds; an interval that holds 0 means that the \
            sign of that weight is not known."],
        rules: "1010:10x10,pieces=19",
        measure: lspi::weights,
        ..Experiment::NONE
    },
    Experiment {
        name: "tang-learners",
        title: "Learners of section 8 on small boards, beside the exact optimum",
        source: "Tang 2019, section 8, which describes them",
        published: published![
            learners::CASES[0][0] => ROUNDS; learners::CASES[0][1] => ROUNDS;
            learners::CASES[0][2] => ROUNDS; learners::CASES[0][3] => ROUNDS;
            learners::CASES[0][4] => ROUNDS; learners::CASES[1][0] => ROUNDS;
            learners::CASES[1][1] => ROUNDS; learners::CASES[1][2] => ROUNDS;
            learners::CASES[1][3] => ROUNDS; learners::CASES[1][4] => ROUNDS;
        ],
        differences: &["The study names these methods and does not run them; it calls \
            Monte-Carlo impossible because a game may last for ever, which with 7 pieces none \
            does. TD(0) values boards after a move, starts every value at its largest and plays \
            greedily; the others value moves and explore in one of twenty. The worth of what they \
            learned is exact, the mean over five seeds; the optimum is that of survival."],
        rules: "1010:3x3,pieces=7 and 1010:4x4,pieces=7",
        measure: learners::measure,
        ..Experiment::NONE
    },
];

/// A square board of the study with one of its piece sets, one piece at a time.
fn board(side: usize, pieces: &str) -> Result<TenTen, Error> {
    match format!("1010:{side}x{side},pieces={pieces},score=square").parse()? {
        GameSpec::TenTen(game) => Ok(game),
        other => Err(Error::Game { rules: other.to_string(), game: TenTen::NAME }),
    }
}

/// The study's rewards r1, r2 and r3.
fn rewards() -> [RewardMixture; 3] {
    let none = RewardMixture::default();
    let (r2, r3) = (RewardMixture { lines: 1.0, ..none }, RewardMixture { moves: 1.0, ..none });
    [RewardMixture { lines: 1.0, moves: 1.0, ..none }, r2, r3]
}

/// The published figures beside the measured ones.
fn results(
    experiment: &Experiment,
    cache: &TrainingCache,
    measurements: &[Measurement],
    charts: Vec<(&'static str, Chart)>,
    note: Option<String>,
) -> Results {
    let reduced = cache.scale.note(
        "what is learned learns from fewer moves than with `--full`; what is solved is exact in \
         every form.",
    );
    let notes = note.into_iter().chain(reduced).collect();
    Results { rows: experiment.rows(measurements), charts, notes, ..Results::default() }
}
