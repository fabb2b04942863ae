//! Figure 5: three greedy rules on 3x3, and the readings of its words that the scores choose between.

use afterstate_core::Game;
use afterstate_core::policy::Choice;
use afterstate_games::reward::survival;
use afterstate_games::tenten::{State, TenTen};
use afterstate_learn::solve::Chain;
use afterstate_values::GreedyRule;

use super::exact::{Offer, chain};
use super::repeat::{Games, Repetitions};
use super::{board, results, scored_board};
use crate::experiment::Quantity::{Decimal, Ratio};
use crate::experiment::{Experiment, Measured, Measurement, Quantity, published};
use crate::measure::Value;
use crate::verdict::Statement;
use crate::{Error, TrainingCache};

const MEAN: Quantity = Decimal("mean rounds");
const FEWEST: Quantity = Decimal("fewest rounds");
const MOST: Quantity = Decimal("most rounds");
const SCORE: Quantity = Decimal("mean score");
const LOWEST: Quantity = Decimal("score of the shortest game");
const HIGHEST: Quantity = Decimal("score of the longest game");
const PER_ROUND: Quantity = Ratio("score per round");
const PER_ROUND_OF_SHORTEST: Quantity = Ratio("score per round of the shortest game");
const PER_ROUND_OF_LONGEST: Quantity = Ratio("score per round of the longest game");

const LINES: &str = "algorithm 1, most lines";
const SURVIVAL: &str = "algorithm 2, best survival";
const BOTH: &str = "algorithm 3, the best by both, ties at random";
const COIN: &str = "algorithm 3 as a coin for each move";
const GAME_COIN: &str = "algorithm 3 as a coin for each game";
const RANDOM_COIN: &str = "algorithm 3 as a coin for each move, ties at random";
const BOTH_FIRST: &str = "the best by both, ties to the first";
const REAL: [&str; 3] = [
    "algorithm 1, 5 n (n + 1) for n lines",
    "algorithm 2, 5 n (n + 1) for n lines",
    "algorithm 3, 5 n (n + 1) for n lines",
];

/// The fewest games that the three means can be of: they have one decimal, and the third, with two,
/// is of more than 24 games, as its extremes are.
const GAMES: [u64; 3] = [10, 10, 50];

pub(super) const FIGURE5: Experiment = Experiment {
    name: "tang-figure5",
    title: "Three greedy rules on 3x3 with 3 pieces",
    source: "Tang 2019, section 3.3, figure 5; the number of games is not given",
    published: published![
        LINES => MEAN = 4_221.3, FEWEST = 1_471.0, MOST = 10_315.0, SCORE = 32_052.2,
            LOWEST = 12_587.0, HIGHEST = 87_422.0, PER_ROUND = 7.593,
            PER_ROUND_OF_SHORTEST = 8.557, PER_ROUND_OF_LONGEST = 8.475;
        SURVIVAL => MEAN = 321.5, FEWEST = 136.0, MOST = 642.0, SCORE = 2_919.9, LOWEST = 1_200.0,
            HIGHEST = 5_795.0, PER_ROUND = 9.082, PER_ROUND_OF_SHORTEST = 8.824,
            PER_ROUND_OF_LONGEST = 9.026;
        BOTH => MEAN = 648.42, FEWEST = 434.0, MOST = 5_714.0, SCORE = 5_269.4, LOWEST = 3_396.0,
            HIGHEST = 46_214.0, PER_ROUND = 8.127, PER_ROUND_OF_SHORTEST = 7.825,
            PER_ROUND_OF_LONGEST = 8.088;
        COIN => MEAN, PER_ROUND; GAME_COIN => MEAN, PER_ROUND; RANDOM_COIN => MEAN, PER_ROUND;
        BOTH_FIRST => MEAN;
        REAL[0] => PER_ROUND; REAL[1] => PER_ROUND; REAL[2] => PER_ROUND;
    ],
    repeats: true,
    reasons: &[
        (
            LINES,
            "its mean score is not of the same games as its mean rounds: its shortest and its \
             longest game have 8.56 and 8.48 points per round, as ours",
        ),
        (SURVIVAL, "the shortest of ten such games is shorter, more than 97 times of 100"),
        (
            BOTH,
            "the row contradicts itself: N games with these extremes have a mean of at least \
             434 + (5,714 - 434) / N rounds, so N is 25 or more, and the shortest of so many games with a \
             mean of 648 has some 20 rounds",
        ),
    ],
    statements: &[
        Statement {
            says: "Using Algorithm 1, it has the largest number round of survival.",
            holds: |figures| {
                let more = |than| figures.more(MEAN, LINES, than);
                Some(more(SURVIVAL)? && more(BOTH)?)
            },
        },
        Statement {
            says: "Although [algorithm 1] can also survive for around 4000 round. The game is \
                finally over.",
            holds: |figures| Some((3_500.0..5_000.0).contains(&figures.of(LINES, MEAN)?)),
        },
        Statement {
            says: "[Of algorithm 2] the average around is about 300.",
            holds: |figures| Some((250.0..350.0).contains(&figures.of(SURVIVAL, MEAN)?)),
        },
        Statement {
            says: "[Algorithm 3] only improved a little bit comparing with algorithm 2, it still \
                has much lower round comparing with algorithm 1.",
            holds: |figures| {
                let (three, one) = (figures.of(BOTH, MEAN)?, figures.of(LINES, MEAN)?);
                Some(three > figures.of(SURVIVAL, MEAN)? && three < one / 2.0)
            },
        },
        Statement {
            says: "Trying to maximize the number of lines killed can maximize the survival \
                probability at the same time.",
            // Preferring survival among the moves with the most lines then changes nothing.
            holds: |figures| Some(figures.of(BOTH_FIRST, MEAN)? == figures.of(LINES, MEAN)?),
        },
    ],
    differences: &[
        "Means are exact; the other figures are means over 2,000 repetitions of the \
        study's games, and intervals hold 95% of the repetitions.",
        "The means of algorithms 1 and 2 have one decimal, so we repeat 10 games; 648.42 needs 50, \
        or another number above 24.",
        "Scores count cells + 10 n^2 for n lines, which fits eight of the nine published scores per \
        round; with the real game's 5 n (n + 1) algorithm 2 would make 8.11 (published 9.08).",
        "Algorithm 3 chooses \"randomly by algorithm 1 and algorithm 2\": a coin for each move makes \
        8.68 points per round and a coin for each game 8.58, but a random choice among the moves \
        that are best by both makes 8.22 (published 8.13) and 685 rounds (published 648).",
        "Ties of the other two go to the first placement, which the study says of algorithm 1.",
    ],
    rules: "1010:3x3,pieces=3,score=square",
    measure,
    ..Experiment::NONE
};

/// A rule of the figure, or a reading of one, as the probabilities of moves.
type Rule = fn(&TenTen, &State, Offer);

fn most_lines(game: &TenTen, state: &State, offer: Offer) {
    GreedyRule::MostLines.probabilities(game, state, offer);
}

fn best_survival(game: &TenTen, state: &State, offer: Offer) {
    GreedyRule::BestSurvival.probabilities(game, state, offer);
}

fn coin(game: &TenTen, state: &State, offer: Offer) {
    GreedyRule::Either.probabilities(game, state, offer);
}

/// The moves of `moves` with the largest value.
fn best(moves: &[Choice<TenTen>], value: impl Fn(&Choice<TenTen>) -> f64) -> Vec<Choice<TenTen>> {
    let most = moves.iter().map(&value).fold(f64::MIN, f64::max);
    moves.iter().filter(|choice| value(choice) == most).copied().collect()
}

/// All moves, those with the most lines, and those with the best survival.
fn tied(game: &TenTen, state: &State) -> [Vec<Choice<TenTen>>; 3] {
    let mut all = Vec::new();
    game.for_each_move(state, |mv, step| all.push((mv, step)));
    let lines = best(&all, |choice| f64::from(game.lines(state, choice).unwrap_or(0)));
    let survival = best(&all, |choice| survival(game, &choice.1.after));
    [all, lines, survival]
}

fn offer_all(moves: &[Choice<TenTen>], probability: f64, offer: Offer) {
    for &choice in moves {
        offer(choice, probability / moves.len() as f64);
    }
}

/// The moves with the most lines that no other of them beats in survival.
fn best_by_both(game: &TenTen, state: &State) -> Vec<Choice<TenTen>> {
    best(&tied(game, state)[1], |choice| survival(game, &choice.1.after))
}

fn both_at_random(game: &TenTen, state: &State, offer: Offer) {
    offer_all(&best_by_both(game, state), 1.0, offer);
}

fn both_first(game: &TenTen, state: &State, offer: Offer) {
    let moves = best_by_both(game, state);
    offer_all(&moves[..moves.len().min(1)], 1.0, offer);
}

fn random_coin(game: &TenTen, state: &State, offer: Offer) {
    let [_, lines, survival] = tied(game, state);
    offer_all(&lines, 0.5, offer);
    offer_all(&survival, 0.5, offer);
}

fn measure(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let game = board(3, "3")?;
    let follow = |game: &TenTen, rule: Rule| -> Result<Chain, Error> {
        chain(game, &mut |state, offer| rule(game, state, offer))
    };
    let mut measured = Vec::new();
    let rules: [(&str, Rule); 3] =
        [(LINES, most_lines), (SURVIVAL, best_survival), (BOTH, both_at_random)];
    let real_game = scored_board(3, "3", "real")?;
    let (mut rounds_of_one, mut score_of_one) = (0.0, 0.0);
    for (number, (case, rule)) in rules.into_iter().enumerate() {
        let chain = follow(&game, rule)?;
        let expected = chain.expected();
        let rounds = expected.rounds.unwrap_or(f64::INFINITY);
        let score = expected.score.unwrap_or(f64::INFINITY);
        if number < 2 {
            (rounds_of_one, score_of_one) =
                (rounds_of_one + rounds / 2.0, score_of_one + score / 2.0);
        }
        let repeated = Repetitions::of(cache, &[chain], GAMES[number]);
        let per_round = |(rounds, score): (f64, f64)| score / rounds;
        for (quantity, value) in [
            (MEAN, repeated.around(rounds, Games::mean_rounds)),
            (FEWEST, repeated.value(|games| games.shortest().0)),
            (MOST, repeated.value(|games| games.longest().0)),
            (SCORE, repeated.around(score, Games::mean_score)),
            (LOWEST, repeated.value(|games| games.shortest().1)),
            (HIGHEST, repeated.value(|games| games.longest().1)),
            (
                PER_ROUND,
                repeated.around(expected.score_per_move, |games| {
                    games.mean_score() / games.mean_rounds()
                }),
            ),
            (PER_ROUND_OF_SHORTEST, repeated.value(|games| per_round(games.shortest()))),
            (PER_ROUND_OF_LONGEST, repeated.value(|games| per_round(games.longest()))),
        ] {
            measured.push(Measurement::training(case, quantity, value));
        }
        let real = follow(&real_game, rule)?.expected().score_per_move;
        measured.push(Measurement::training(REAL[number], PER_ROUND, Value::exact(real)));
    }
    let mut push = |case, rounds: f64, per_round: f64| {
        measured.push(Measurement::training(case, MEAN, Value::exact(rounds)));
        measured.push(Measurement::training(case, PER_ROUND, Value::exact(per_round)));
    };
    push(GAME_COIN, rounds_of_one, score_of_one / rounds_of_one);
    let readings: [(&str, Rule); 3] =
        [(COIN, coin), (RANDOM_COIN, random_coin), (BOTH_FIRST, both_first)];
    for (case, rule) in readings {
        let expected = follow(&game, rule)?.expected();
        push(case, expected.rounds.unwrap_or(f64::INFINITY), expected.score_per_move);
    }
    Ok(results(experiment, cache, &measured, Vec::new(), None))
}
