//! Agents as text, and which games they play.

use afterstate_games::tetris::Tetris;
use afterstate_games::twenty48::Twenty48;

use super::*;

#[test]
fn agents_are_written_as_they_are_read() {
    for text in [
        "random",
        "greedy",
        "most-lines",
        "lines-or-survival",
        "dt-10",
        "bcts",
        "linear:dt6=1,-2.5,0.001",
    ] {
        assert_eq!(text.parse::<Agent>().unwrap().to_string(), text);
    }
    let with_reward = "linear:reward+bertsekas=1, 2e1";
    assert_eq!(with_reward.parse::<Agent>().unwrap().to_string(), "linear:reward+bertsekas=1,20");
}

#[test]
fn a_network_for_one_piece_plays_a_hand() {
    let rules = |hand| {
        let pieces = afterstate_games::tenten::sets::named("7").unwrap();
        let real = afterstate_games::tenten::Scoring::Real;
        afterstate_games::tenten::TenTen::new(4, 4, pieces, hand, real).unwrap()
    };
    let (one, three) = (rules(1), rules(3));
    let tuples = afterstate_games::Tuples::new(&one, &[vec![0, 1, 2]]).unwrap();
    let mut network = afterstate_values::Network::new(&one, tuples, 0.0).unwrap();
    let path = std::env::temp_dir().join(format!("hand-{}.safetensors", std::process::id()));
    let save = |game: &str, network: &mut _| {
        file::save(&path, &file::AgentInfo::new(game, 1), network).unwrap();
    };
    save("1010:4x4,pieces=7", &mut network);
    assert!(Agent::File(path.clone()).load(&three).is_ok());
    save("1010:4x4,pieces=7,hand=3", &mut network);
    assert!(Agent::File(path.clone()).load(&one).is_err());
    std::fs::remove_file(path).unwrap();
}

#[test]
fn wrong_agents_get_a_sentence() {
    let said = |text: &str| text.parse::<Agent>().unwrap_err().to_string();
    assert_eq!(said("linear:dt=1,NaN"), "met \"NaN\" as weight 2, expected a finite number");
    assert_eq!(said("linear:dt=1,1e99"), "met \"1e99\" as weight 2, expected a finite number");
    assert_eq!(said("linear:dt=1,,2"), "met \"\" as weight 2, expected a finite number");
    assert!(said("linear:dt").starts_with("met \"dt\", expected linear:SET=W,W,..."));
    assert!(said("genius").contains("dellacherie, bcts, dt-10, dt-20, rv-ce"));
    let game = Tetris::standard();
    let load = |text: &str| text.parse::<Agent>().unwrap().load(&game).err().unwrap();
    let error = load("linear:dt=1,2").to_string();
    assert_eq!(error, "features dt: met 2 weights, expected 9");
    assert!(load("linear:dt9=1").to_string().contains("expected a set of tetris: dt, dt6"));
    let error = "dt-10".parse::<Agent>().unwrap().load(&Twenty48::standard()).err().unwrap();
    assert!(error.to_string().ends_with("expected a set of 2048: it has none"), "{error}");
}

#[test]
fn every_published_controller_plays() {
    let game = Tetris::standard();
    for controller in &CONTROLLERS {
        let loaded = Agent::Published(controller).load(&game).unwrap();
        assert!(matches!(loaded, Loaded::Linear(linear) if linear.reward() == 0.0));
        assert!(!controller.source.is_empty());
    }
}

/// Every game has an agent in the program, far better than play at random, and by rules that it
/// does not know there is still somebody who plays.
#[test]
fn every_game_has_an_agent_in_the_program() {
    use crate::{Plan, evaluate};
    for (rules, agent, least) in [
        ("2048", "2048", 20_000.0),
        ("tetris", "tetris-10x20", 700.0),
        ("1010", "1010", 1_000.0),
        ("1010:hand=3", "1010", 1_000.0),
        ("tetris:8x16", "tetris-10x20", 700.0),
        ("2048:3x3", "greedy", 0.0),
        ("1010:5x5", "greedy", 0.0),
    ] {
        let rules: GameSpec = rules.parse().unwrap();
        assert_eq!(Agent::Builtin.by_rules(&rules).to_string(), agent, "{rules}");
        let plan = Plan { games: 2, seed: 1, threads: Some(1), max_moves: Some(2_000) };
        let mean = evaluate(&rules, &Agent::Builtin, &plan).unwrap().score.mean;
        assert!(mean >= least, "{rules}: {mean}");
    }
    assert_eq!("tetris".parse::<Agent>().unwrap().to_string(), "tetris-10x20");
    let error = Agent::Embedded(embedded::find("2048").unwrap()).load(&Tetris::standard());
    let said = error.err().unwrap().to_string();
    assert_eq!(said, "2048: the agent plays 2048:4x4, expected one for tetris:10x20");
}
