//! Agents as text, and the games that they play.

use std::{env, fs, process};

use afterstate_core::Device;
use afterstate_games::Tuples;
use afterstate_games::spec::Spec;
use afterstate_games::tenten::{Scoring, TenTen, sets};
use afterstate_games::tetris::Tetris;
use afterstate_games::twenty48::Twenty48;
use afterstate_search::Search;
use afterstate_values::model::ValuesOf;
use afterstate_values::{AgentInfo, Network};

use crate::agent::UnknownAgent;
use crate::controllers::CONTROLLERS;
use crate::evaluate::evaluate;
use crate::{Agent, EvaluationSettings, embedded};

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
    let rules = |hand| TenTen::new(4, 4, sets::named("7").unwrap(), hand, Scoring::Real).unwrap();
    let (one, three) = (rules(1), rules(3));
    let tuples = Tuples::new(&one, &[vec![0, 1, 2]]).unwrap();
    let mut network = Network::new(&one, tuples, 0.0).unwrap();
    let path = env::temp_dir().join(format!("hand-{}.safetensors", process::id()));
    let mut save = |rules: &str| {
        network.save(&path, &AgentInfo::new(rules, 1), ValuesOf::Afterstates).unwrap();
    };
    save("1010:4x4,pieces=7");
    assert!(Agent::File(path.clone()).load(&three).is_ok());
    save("1010:4x4,pieces=7,hand=3");
    assert!(Agent::File(path.clone()).load(&one).is_err());
    fs::remove_file(path).unwrap();
}

#[test]
fn errors_of_agents_name_the_cause() {
    let error = |text: &str| text.parse::<Agent>().unwrap_err().to_string();
    assert_eq!(error("linear:dt=1,NaN"), "weight 2 is \"NaN\", not a finite number");
    assert_eq!(error("linear:dt=1,1e99"), "weight 2 is \"1e99\", not a finite number");
    assert_eq!(error("linear:dt=1,,2"), "weight 2 is \"\", not a finite number");
    assert!(error("linear:dt").starts_with("\"dt\" has no weights: write linear:SET=W,W,..."));
    assert!(error("genius").contains("dellacherie, bcts, dt-10, dt-20, marchal, rv-ce"));
    let game = Tetris::standard();
    let error = |text: &str| text.parse::<Agent>().unwrap().load(&game).err().unwrap().to_string();
    assert_eq!(error("linear:dt=1,2"), "2 weights for the 9 features of the set dt");
    let set = error("linear:dt9=1");
    assert!(set.starts_with("tetris has no feature set \"dt9\": it has dt, dt6"), "{set}");
    let error = "dt-10".parse::<Agent>().unwrap().load(&Twenty48::standard()).err().unwrap();
    assert_eq!(error.to_string(), "2048 has no feature set \"dt\"");
}

#[test]
fn an_agent_that_a_build_lacks_is_found_elsewhere() {
    let (name, train) = embedded::absent("1010-without-3x3").unwrap();
    assert_eq!(
        UnknownAgent::NotEmbedded { name, train }.to_string(),
        "the agent 1010-without-3x3 is not part of this build: give the path of its file, \
         crates/agents/agents/1010-without-3x3.safetensors in the project's repository, or train one \
         for the same rules with `afterstate train 1010 --set game=1010:10x10,pieces=18`"
    );
    assert_eq!(embedded::absent("genius"), None);
}

#[test]
fn every_published_controller_plays() {
    let game = Tetris::standard();
    for controller in &CONTROLLERS {
        let model = Agent::Published(controller).load(&game).unwrap();
        assert!(model.linear().is_some_and(|linear| linear.reward() == 0.0));
        assert!(!controller.source.is_empty());
    }
}

/// What a GPU cannot play is refused before one is looked for.
#[test]
fn a_device_says_what_it_cannot_play() {
    fn error<G: Spec>(game: &G, agent: &str) -> String {
        let device = Device::Cuda(1_000);
        let settings = EvaluationSettings { device, ..EvaluationSettings::default() };
        let agent: Agent = agent.parse().unwrap();
        evaluate(game, &agent, &Search::GREEDY, &settings).unwrap_err().to_string()
    }
    let linear = error(&Tetris::standard(), "random");
    assert!(linear.contains("plays Tetris by weights of features, which this agent"), "{linear}");
    let features = error(&Tetris::standard(), "marchal");
    assert!(features.contains("dt, dt6 and dellacherie, not cs3243"), "{features}");
    // The machine of the test has no driver, or fewer devices.
    let device = error(&Tetris::standard(), "dt-20");
    assert!(device.contains("driver") || device.contains("cuda:1000"), "{device}");
}
