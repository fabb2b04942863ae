//! Agents in batches: their moves are those of an evaluation, their values those of a search.

use std::sync::atomic::AtomicBool;

use afterstate_agents::evaluate::EvaluateError;
use afterstate_agents::{Agent, EvaluationSettings};
use afterstate_engine::{Autoreset, GameBatch, Observed, Stepped, ValuesError};
use afterstate_search::Search;

use crate::open;

/// Plays actions in all games.
fn step(batch: &mut dyn GameBatch, actions: &[u32]) {
    let games = batch.games();
    let (mut rewards, mut terminated) = (vec![0.0; games], vec![false; games]);
    let (mut truncated, mut illegal) = (vec![false; games], vec![false; games]);
    let mut cells = vec![0; games * batch.cells()];
    let mut pieces = vec![0; games * batch.piece_slots()];
    let observed = Observed { cells: &mut cells, pieces: &mut pieces, legal: &mut [] };
    let stepped = Stepped {
        rewards: &mut rewards,
        terminated: &mut terminated,
        truncated: &mut truncated,
        illegal: &mut illegal,
        observed,
        last: None,
    };
    batch.step(actions, Autoreset::Disabled, stepped);
}

#[test]
fn games_of_a_batch_are_those_of_an_evaluation() {
    for (rules, agent) in [
        ("2048:3x3", "random"),
        ("2048", "greedy"),
        ("tetris:10x10,limit=40", "dellacherie"),
        ("1010:5x5,hand=3", "lines-or-survival"),
    ] {
        let (engine, agent) = (open(rules), agent.parse::<Agent>().unwrap());
        let settings = EvaluationSettings { games: 12, seed: 3, ..EvaluationSettings::default() };
        let expected = engine.evaluate(&agent, &Search::GREEDY, &settings).unwrap();
        let loaded = engine.load(&agent).unwrap();
        let never = AtomicBool::new(false);
        let again = engine.evaluate_loaded(&loaded, &Search::GREEDY, &settings, &never).unwrap();
        assert_eq!(again.scores, expected.scores, "{rules}");
        let mut batch = engine.batch(12, 3);
        let mut actions = [0; 12];
        while (0..12).any(|game| !batch.is_over(game)) {
            let (first, second) = actions.split_at_mut(7);
            batch.agent_actions(0, &loaded, &Search::GREEDY, 2, &never, first).unwrap();
            batch.agent_actions(7, &loaded, &Search::GREEDY, 1, &never, second).unwrap();
            step(&mut *batch, &actions);
        }
        let found = batch.summary(None, 1.0).unwrap();
        assert_eq!(found.scores, expected.scores, "{rules}");
        assert_eq!((found.length, &found.reach), (expected.length, &expected.reach), "{rules}");
        assert_eq!(found.truncated, expected.truncated, "{rules}");
    }
}

#[test]
fn trees_choose_the_moves_of_a_search_by_the_same_values() {
    for (rules, agent, plies) in [("2048", "2048", 3), ("1010", "1010", 2)] {
        let engine = open(rules);
        let loaded = engine.load(&agent.parse().unwrap()).unwrap();
        let (mut batch, never) = (engine.batch(6, 1), AtomicBool::new(false));
        for plies in 1..=plies {
            // Fewer positions where trees are larger.
            for _ in 0..12 >> (plies - 1) {
                let mut expected = [0; 6];
                let search = Search::expectimax(plies);
                batch.agent_actions(0, &loaded, &search, 2, &never, &mut expected).unwrap();
                let mut found = Vec::new();
                while found.len() < 6 {
                    let tree = batch.tree(found.len(), plies, 200_000).unwrap();
                    let mut values = vec![0.0; tree.boards()];
                    engine.values(&loaded, tree.cells(), &mut values).unwrap();
                    found.extend(tree.best(&values));
                }
                assert_eq!(found, expected, "{rules}, {plies} plies");
                step(&mut *batch, &expected);
            }
        }
        let error = batch.tree(0, plies, 3).unwrap_err();
        assert!(error.to_string().contains("more than 3 boards"), "{error}");
        let mut values = Vec::new();
        for games in [0..2, 2..6] {
            assert!(batch.agent_values(games, &loaded, &mut values).unwrap());
        }
        let mut moves = afterstate_engine::Afterstates::default();
        batch.afterstates(&mut moves);
        let mut alone = vec![0.0; moves.rewards.len()];
        engine.values(&loaded, &moves.cells, &mut alone).unwrap();
        let sums = moves.rewards.iter().zip(&alone).map(|(reward, value)| reward + value);
        assert_eq!(values, sums.collect::<Vec<_>>(), "{rules}");
    }
}

#[test]
fn what_an_agent_cannot_value_is_an_error() {
    let engine = open("2048");
    let loaded = engine.load(&Agent::Greedy).unwrap();
    let values = engine.values(&loaded, &[0; 16], &mut [0.0]);
    assert_eq!(values, Err(ValuesError::NoValues("greedy".to_owned())));
    let network = engine.load(&"2048".parse().unwrap()).unwrap();
    let mut cells = [0; 32];
    cells[17] = 18;
    let error = engine.values(&network, &cells, &mut [0.0; 2]).unwrap_err();
    assert_eq!(error.to_string(), "board 1 has a cell of 18: expected 0 to 17");
    let other = open("2048:3x3");
    assert!(other.batch(1, 1).agent_values(0..1, &network, &mut Vec::new()).is_err());
    assert!(other.tensors(&network).is_err());
}

#[test]
fn a_stopped_choice_and_its_copy_leave_the_games_alone() {
    let engine = open("2048:3x3");
    let random = engine.load(&Agent::Random).unwrap();
    let (mut batch, mut actions) = (engine.batch(3, 1), [9; 3]);
    let before = batch.generator(0);
    let stopped = AtomicBool::new(true);
    batch.agent_actions(0, &random, &Search::GREEDY, 1, &stopped, &mut actions).unwrap();
    assert_eq!((actions, batch.generator(0)), ([9; 3], before));
    let (mut copy, never) = (batch.copy(), AtomicBool::new(false));
    copy.agent_actions(0, &random, &Search::GREEDY, 1, &never, &mut actions).unwrap();
    assert_eq!(batch.generator(0), before);
    let mut own = [9; 3];
    batch.agent_actions(0, &random, &Search::GREEDY, 1, &never, &mut own).unwrap();
    assert_eq!((own, batch.generator(0)), (actions, copy.generator(0)));
}

#[test]
fn an_evaluation_can_be_stopped() {
    let engine = open("tetris:10x20");
    let stop = AtomicBool::new(true);
    let settings = EvaluationSettings { games: 4, ..EvaluationSettings::default() };
    for name in ["dellacherie", "random"] {
        let loaded = engine.load(&name.parse().unwrap()).unwrap();
        let stopped = engine.evaluate_loaded(&loaded, &Search::GREEDY, &settings, &stop);
        assert!(matches!(stopped, Err(EvaluateError::Stopped)), "{name}");
    }
}
