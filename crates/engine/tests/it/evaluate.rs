//! Evaluations: statistics of many games, on any number of threads.

use std::fs;
use std::path::Path;

use afterstate_agents::{Agent, EvaluationSettings, evaluate_policy};
use afterstate_core::Device;
use afterstate_core::policy::Choice;
use afterstate_core::{Game, Policy, Rng};
use afterstate_games::twenty48::Twenty48;
use afterstate_search::Search;
use afterstate_values::model;
use afterstate_values::values::Scratch;
use serde_json::Value;

use crate::{Run, Stop, evaluate, open, recipe};

fn settings(games: u64, seed: u64) -> EvaluationSettings {
    EvaluationSettings { games, seed, threads: Some(1), max_moves: None, device: Device::Cpu }
}

#[test]
fn threads_do_not_change_the_result() {
    for rules in ["2048:3x3", "tetris:4x20,pieces=melax", "1010:4x4,pieces=7"] {
        let on = |threads| EvaluationSettings { threads: Some(threads), ..settings(200, 5) };
        let one = evaluate(rules, "random", &on(1)).unwrap();
        let three = evaluate(rules, "random", &on(3)).unwrap();
        assert_eq!((one.score, one.length, one.moves), (three.score, three.length, three.moves));
        assert_eq!(one.reach, three.reach);
    }
}

#[test]
fn reach_rates_fall_from_tile_to_tile() {
    let reach = evaluate("2048:4x4", "random", &settings(300, 1)).unwrap().reach;
    assert_eq!(reach[&2].rate, 1.0);
    let rates: Vec<f64> = reach.values().map(|rate| rate.rate).collect();
    assert!(rates.is_sorted_by(|a, b| a >= b) && rates.len() >= 6, "{reach:?}");
    assert!(reach[&64].ci95.0 < reach[&64].rate && reach[&64].rate < reach[&64].ci95.1);
}

#[test]
fn the_move_limit_of_the_rules_truncates_games() {
    let evaluation = evaluate("tetris:6x2,melax,limit=50", "greedy", &settings(10, 1)).unwrap();
    assert_eq!((evaluation.truncated, evaluation.moves), (10, 500));
}

/// Truncated games give the same estimate of the mean with a wider interval.
#[test]
fn truncated_games_still_count() {
    let agent = "linear:dellacherie=-1,1,-1,-1,-4,0";
    let evaluation = |games, max_moves| {
        let settings =
            EvaluationSettings { games, seed: 3, threads: Some(2), max_moves, device: Device::Cpu };
        evaluate("tetris:10x10", agent, &settings).unwrap()
    };
    let (whole, truncated) = (evaluation(300, None), evaluation(1_500, Some(400)));
    assert!(whole.truncated == 0 && truncated.truncated > 100, "{} games", truncated.truncated);
    let (whole, truncated) = (whole.to_the_end.unwrap(), truncated.to_the_end.unwrap());
    let overlap = whole.low < truncated.high.unwrap() && truncated.low < whole.high.unwrap();
    assert!(overlap, "{whole:?} {truncated:?}");
    let none = evaluation(3, Some(5)).to_the_end.unwrap();
    assert_eq!((none.mean, none.high), (None, None));
}

#[test]
fn no_games_are_refused() {
    let error = evaluate("2048", "random", &settings(0, 1)).unwrap_err();
    assert_eq!(error.to_string(), "0 games cannot be evaluated: play at least 1");
}

/// Every game has an embedded agent that is far better than random play, and rules that it cannot
/// play are played greedily.
#[test]
fn every_game_has_an_embedded_agent() {
    for (rules, agent, least) in [
        ("2048", "2048", 20_000.0),
        ("tetris", "tetris-10x20", 700.0),
        ("1010", "1010", 1_000.0),
        ("1010:hand=3", "1010", 1_000.0),
        ("tetris:8x16", "tetris-10x20", 700.0),
        ("2048:3x3", "greedy", 0.0),
        ("1010:5x5", "greedy", 0.0),
    ] {
        assert_eq!(open(rules).resolve(&Agent::Builtin).to_string(), agent, "{rules}");
        let settings = EvaluationSettings { max_moves: Some(2_000), ..settings(2, 1) };
        let mean = evaluate(rules, "builtin", &settings).unwrap().score.mean;
        assert!(mean >= least, "{rules}: {mean}");
    }
    assert_eq!("tetris".parse::<Agent>().unwrap().to_string(), "tetris-10x20");
    let error = open("tetris").load(&"2048".parse().unwrap()).err().unwrap().to_string();
    assert_eq!(error, "2048: is an agent for 2048:4x4, not for tetris:10x20");
}

/// Plays by values of states: the argmax of the reward plus the expectation of the next state's
/// value.
struct ExpectedValue<F>(F);

impl<F: Fn(&<Twenty48 as Game>::State) -> f32> Policy<Twenty48> for ExpectedValue<F> {
    fn choose(
        &mut self,
        game: &Twenty48,
        state: &<Twenty48 as Game>::State,
        _: &mut Rng,
    ) -> Option<Choice<Twenty48>> {
        let best = game.best_move(state, |(_, step)| {
            let mut value = 0.0;
            game.for_each_chance(&step.after, |next, probability| {
                value += probability as f32 * (self.0)(&next);
            });
            step.reward + value
        });
        best.map(|(choice, _)| choice)
    }
}

/// Makes the agent in a file one whose values belong to afterstates.
fn set_afterstate_values(path: &Path) {
    let bytes = fs::read(path).unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut header: Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    let info = &mut header["__metadata__"]["afterstate"];
    let mut fields: Value = serde_json::from_str(info.as_str().unwrap()).unwrap();
    let values_of = &mut fields["values_of"];
    assert_eq!(*values_of, "states");
    *values_of = "afterstates".into();
    *info = fields.to_string().into();
    let mut header = serde_json::to_vec(&header).unwrap();
    header.resize(header.len().next_multiple_of(8), b' ');
    let length = (header.len() as u64).to_le_bytes();
    let tensors = &bytes[8 + usize::from_le_bytes(bytes[..8].try_into().unwrap())..];
    fs::write(path, [&length, &header[..], tensors].concat()).unwrap();
}

#[test]
fn values_of_states_are_played_by_expectation_over_chance_outcomes() {
    let phases = ["phase.0.values=states", "phase.1.values=states"];
    let changes = ["budget.episodes=300", "network.tuples=0134", phases[0], phases[1]];
    let run = Run::new("states", recipe("2048-3x3", &changes));
    assert!(run.train(Stop::Never).unwrap().0.finished);
    let game = Twenty48::new(3, 3, 0.1).unwrap();
    let (agent, settings) = (Agent::File(run.agent()), settings(50, 3));
    let found = open("2048:3x3").evaluate(&agent, &Search::GREEDY, &settings).unwrap();
    set_afterstate_values(&run.agent());
    let (_, model) = model::load(&run.agent(), &game).unwrap();
    let values = model.afterstate_values().unwrap();
    let value = |state: &_| {
        let (mut scratch, mut value) = (Scratch::default(), [0.0]);
        values.evaluate(&game, std::slice::from_ref(state), &mut scratch, &mut value);
        value[0]
    };
    let expected = evaluate_policy(&game, || ExpectedValue(value), &settings).unwrap();
    assert_eq!((found.score, found.length), (expected.score, expected.length));
    // Play by the same numbers as values of afterstates is another policy.
    let other = open("2048:3x3").evaluate(&agent, &Search::GREEDY, &settings).unwrap();
    assert_ne!(found.score, other.score);
}
