//! Figures 8 to 12, scores and rounds against the discount, as data.

use super::curve_statements::{ON_3X3, ON_4X4, ROUNDS_3X3, ROUNDS_4X4, WITH_3_PIECES};
use super::discounts::{
    AT_ONE, BEST, CONVERGED, CREST, ENDLESS, LEAST, MOST, NOT_ITERATED, SIZES, Shown, three_pieces,
    with_7_pieces,
};
use crate::experiment::{Experiment, published};

const LIMITED: &str = "Rewards: r1 is the square of the lines cleared plus the number of moves in the \
    next state, r2 the square alone, r3 the moves alone; the study stopped after the iterations that its \
    section 5 gives, so we do; dashed curves are converged.";
const EXACT: &str = "Each of its points is a mean of a few games, of ten as in table 2 with an error \
    of 32%; ours are exact expectations.";
const TIES: &str = "Ties go to the first placement, row by row.";

const REASONS_3X3: &[(&str, &str)] = &[
    ("Scores and rounds", "r1 does; r2 rises more between 0.8 and 0.9, and r3 between 0.7 and 0.8"),
    ("Applying reward function 1", "r2 scores 5% more at gamma 1"),
    ("There is no remarkable trend", "r1 and r3 never fall; a few games make noise"),
    (
        "Reward function 1 got",
        "r2 falls to about half of r1 between gamma 0.4 and 0.8, and r1 is not always the first",
    ),
    (
        "The score is directly",
        "r2 clears more lines at once: it makes 11.7 to 15.8 points per round",
    ),
];

/// Why the scores differ, and the rounds.
const SCORES_4X4: [(&str, &str); 4] = [
    ("r2", "its scores at 0.2 and 0.3 differ by a hundredth, which a few games cannot tell"),
    CREST_4X4,
    (
        "Reward function 1 will",
        "r3 is as good as r1, and a little better at 0.4 and 0.7; r3 after one iteration, which fits \
         table 2, is below r1 at every discount",
    ),
    BEYOND_4X4,
];

const CREST_4X4: (&str, &str) =
    ("It rose", "r2 falls to 0.5 as published, r1 to 0.4 only, and r3 rises all along");
const BEYOND_4X4: (&str, &str) =
    ("The difference with", "r1 and r3 differ by 13% at most; r2 is far below from 0.4 on");

const ROUNDS_REASONS_4X4: [(&str, &str); 7] = [
    (
        "r2",
        "its figures at 0.2 and 0.3 differ by a hundredth, and that of gamma 1 by a tenth, which a \
         few games cannot tell",
    ),
    ("They attain", "r2 has 417 rounds at gamma 1 and 466 at 0.2, which a few games cannot tell"),
    CREST_4X4,
    (
        "Reward function 1 will",
        "r3 is as good as r1, and better at 0.4, 0.5 and 0.7; r3 after one iteration, which fits \
         table 2, is below r1 at every discount",
    ),
    BEYOND_4X4,
    ("The score is directly", "r2 makes 8.3 points per round at small discounts and 13.8 at large"),
    (
        "Given seven pieces",
        "r1 and r3 have more than 2,000 rounds at gamma 1, and the study's own table 2 \
         (`tang-table2`) has 1,450.7 with r1 at gamma 0.8",
    ),
];

const ON_3X3_SCORES: Experiment = Experiment {
    name: "tang-figure9",
    title: "3x3 with 7 pieces: expected score against the discount",
    source: "Tang 2019, section 6.2.1, figure 9: curves without numbers",
    published: published![
        "r1" => BEST = 1.0, AT_ONE; "r2" => BEST = 1.0, CREST = 0.3, AT_ONE;
        "r3" => BEST = 1.0, AT_ONE;
        CONVERGED[0] => AT_ONE; CONVERGED[1] => AT_ONE; CONVERGED[2] => AT_ONE;
    ],
    reasons: REASONS_3X3,
    statements: &ON_3X3,
    differences: &[LIMITED, EXACT, TIES],
    rules: "1010:3x3,pieces=7,score=square",
    measure: |experiment, cache| with_7_pieces(experiment, cache, 3, Shown::Score),
    ..Experiment::NONE
};

const ON_4X4_SCORES: Experiment = Experiment {
    name: "tang-figure11",
    title: "4x4 with 7 pieces: expected score against the discount",
    source: "Tang 2019, section 6.2.2, figure 11: curves without numbers",
    published: published![
        "r1" => BEST = 1.0, CREST = 0.3, AT_ONE; "r2" => BEST = 1.0, CREST = 0.3, AT_ONE;
        "r3" => BEST = 1.0, AT_ONE;
        CONVERGED[0] => AT_ONE; CONVERGED[1] => AT_ONE; CONVERGED[2] => AT_ONE;
        NOT_ITERATED => AT_ONE;
    ],
    reasons: &SCORES_4X4,
    statements: &ON_4X4,
    differences: &[
        LIMITED,
        EXACT,
        "At gamma 1 the converged policies live ten times longer, for 16 iterations look 16 moves ahead.",
        "r3 after one iteration, the same at any discount, is drawn because it fits table 2.",
        TIES,
    ],
    minutes: 2,
    rules: "1010:4x4,pieces=7,score=square",
    measure: |experiment, cache| with_7_pieces(experiment, cache, 4, Shown::Score),
    ..Experiment::NONE
};

pub(super) const FIGURE8: Experiment = Experiment {
    name: "tang-figure8",
    title: "3 pieces: score of 10,000 rounds against the discount",
    source: "Tang 2019, section 6.1, figure 8: curves without numbers",
    published: published![
        SIZES[0] => BEST = 0.9, ENDLESS; SIZES[1] => BEST = 0.9, ENDLESS;
        SIZES[2] => BEST = 0.9, ENDLESS; SIZES[3] => BEST = 0.9, ENDLESS;
    ],
    statements: &WITH_3_PIECES,
    reasons: &[
        (
            SIZES[1],
            "after 20 iterations gamma 0.9 plays as 0.7 and 0.8, 11% below gamma 1; converged, \
             0.9 is within a hundredth of gamma 1",
        ),
        (SIZES[3], "the scores of 0.9 and 1 differ by less than a hundredth"),
        ("After the increase, the scores remain", "r2 falls by 11% between gamma 0.6 and 0.7"),
        ("The value of gamma 0.9", "r2 on 3x3 scores 13% more at gamma 1"),
        ("There is no remarkable", "r1 on 3x3 rises by 18% between gamma 0.6 and 0.7"),
        ("There is a significant drop", "r1 scores the same at 0.9 and 1"),
        ("The scores of the game", "r2 at gamma 0.9 scores 1% more on 4x4; converged, it does not"),
        ("Obviously", "r1 scores 2% more than r2 on 4x4 up to gamma 0.3"),
        ("For games with three pieces", "r2 has the highest score, on 3x3 at gamma 1 (13% more)"),
    ],
    differences: &[
        LIMITED,
        "Ours are expectations over all games, also of those that end early where a policy can \
        lose; the study's are means of a few games.",
        TIES,
    ],
    rules: "1010:3x3,pieces=3,score=square and 1010:4x4,pieces=3,score=square",
    measure: three_pieces,
    ..Experiment::NONE
};

pub(super) const FIGURE9: Experiment = ON_3X3_SCORES;

pub(super) const FIGURE10: Experiment = Experiment {
    name: "tang-figure10",
    title: "3x3 with 7 pieces: expected rounds against the discount",
    source: "Tang 2019, section 6.2.1, figure 10: curves without numbers",
    published: published![
        "r1" => BEST = 1.0, AT_ONE, LEAST, MOST; "r2" => BEST = 1.0, CREST = 0.3, AT_ONE, LEAST, MOST;
        "r3" => BEST = 1.0, AT_ONE, LEAST, MOST;
        CONVERGED[0] => AT_ONE; CONVERGED[1] => AT_ONE; CONVERGED[2] => AT_ONE;
    ],
    statements: &ROUNDS_3X3,
    measure: |experiment, cache| with_7_pieces(experiment, cache, 3, Shown::Rounds),
    ..ON_3X3_SCORES
};

pub(super) const FIGURE11: Experiment = ON_4X4_SCORES;

pub(super) const FIGURE12: Experiment = Experiment {
    name: "tang-figure12",
    title: "4x4 with 7 pieces: expected rounds against the discount",
    source: "Tang 2019, section 6.2.2, figure 12: curves without numbers",
    published: published![
        "r1" => BEST = 1.0, CREST = 0.3, AT_ONE, LEAST, MOST;
        "r2" => BEST = 1.0, CREST = 0.3, AT_ONE, LEAST, MOST;
        "r3" => BEST = 1.0, AT_ONE, LEAST, MOST;
        CONVERGED[0] => AT_ONE; CONVERGED[1] => AT_ONE; CONVERGED[2] => AT_ONE;
        NOT_ITERATED => AT_ONE;
    ],
    reasons: &ROUNDS_REASONS_4X4,
    statements: &ROUNDS_4X4,
    measure: |experiment, cache| with_7_pieces(experiment, cache, 4, Shown::Rounds),
    ..ON_4X4_SCORES
};
