//! The agents in `agents/`: they play as they did when they were trained, by version 0.1, whose files
//! named no kind of model and had no room for a strength.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::{Path, PathBuf};
use std::{env, fs, process};

use afterstate_agents::embedded::{self, EMBEDDED};
use afterstate_core::{Episode, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_values::file::{read_info, save_strength};
use afterstate_values::model::load;
use afterstate_values::{AgentInfo, Strength};

fn shipped(name: &str) -> PathBuf {
    let agents = Path::new(env!("CARGO_MANIFEST_DIR")).join("agents");
    agents.join(format!("{name}.safetensors"))
}

/// Loads an agent and plays 900 moves greedily.
struct Play<'a>(&'a Path);

impl Visitor for Play<'_> {
    type Output = (AgentInfo, f64);

    fn visit<G: Spec>(self, game: &G) -> (AgentInfo, f64) {
        let (info, model) = load(self.0, game).unwrap();
        let mut rng = Rng::stream(7, 0);
        let episode = Episode::play_up_to(900, game, &mut model.policy(), &mut rng);
        assert_eq!(episode.moves, 900);
        (info, episode.score)
    }
}

/// Loads an agent and saves it elsewhere.
struct SaveAgain<'a>(&'a Path, &'a Path);

impl Visitor for SaveAgain<'_> {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let (info, mut model) = load(self.0, game).unwrap();
        model.save(self.1, &info).unwrap();
    }
}

/// What follows the header of a file: the weights.
fn weights(file: &[u8]) -> &[u8] {
    let header = u64::from_le_bytes(file[..8].try_into().unwrap());
    &file[8 + usize::try_from(header).unwrap()..]
}

/// Each plays the same game by every version of the program; tetris-10x20 is a file of version 0.1.
#[test]
fn agents_play_as_they_did() {
    let folder = env::temp_dir().join(format!("afterstate-shipped-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (path, again) = (folder.join("agent"), folder.join("again"));
    let strength = Strength {
        games: 1000,
        seed: 7,
        mean: 0.1 + 0.2,
        ci95: Some((-1.0 / 3.0, 1e300)),
        median: 5e-324,
        max: 2e5,
        search: "expectimax:2".to_owned(),
        reach: vec![("2048".to_owned(), 0.97)],
    };
    let ntuple =
        |tuples, weights| ("ntuple", format!("network of {tuples} tuples, {weights} weights"));
    let linear = || ("linear", "weights of the features dt6".to_owned());
    for (name, (kind, description), score, program) in [
        ("2048", ntuple(4, "coded"), 15_696.0, "0.2.0"),
        ("1010", ntuple(25, "16-bit"), 7_152.0, "0.2.0"),
        ("1010-without-3x3", ntuple(25, "16-bit"), 6_398.0, "0.2.0"),
        ("tetris-10x10", linear(), 354.0, "0.2.0"),
        ("tetris-10x20", linear(), 358.0, "0.2.0"),
    ] {
        let original = fs::read(shipped(name)).unwrap();
        let game: GameSpec = read_info(&shipped(name)).unwrap().game.parse().unwrap();
        let (info, found) = game.with(Play(&shipped(name)));
        assert_eq!((info.kind.as_str(), info.describe(), found), (kind, description, score));
        assert_eq!((info.program.as_str(), info.trained.is_some()), (program, true));
        assert_eq!(info.kind().map(|kind| kind.any_rules), Some(kind == "linear"));

        // A strength and a second save change the header alone.
        fs::write(&path, &original).unwrap();
        save_strength(&path, strength.clone()).unwrap();
        let measured = fs::read(&path).unwrap();
        let (after, found) = game.with(Play(&path));
        assert_eq!(found, score);
        assert_eq!(after, AgentInfo { strength: Some(strength.clone()), ..info.clone() });
        game.with(SaveAgain(&path, &again));
        let saved = fs::read(&again).unwrap();
        assert!(weights(&measured) == weights(&original), "{name}");
        // A coded network is saved as what it stands for.
        let coded = info.describe().contains("coded");
        assert!(coded || weights(&saved) == weights(&original), "{name}");
        assert!(String::from_utf8_lossy(&saved[..200]).contains("rules_version"));
        let (after, found) = game.with(Play(&again));
        assert_eq!((after.kind.as_str(), found), (kind, score));
        game.with(SaveAgain(&again, &path));
        assert!(fs::read(&path).unwrap() == saved, "{name} saved again");
    }
    fs::remove_dir_all(folder).unwrap();
}

/// Every file in `agents/` has a line in `embedded.rs`.
#[test]
fn every_agent_is_known_by_name() {
    let entries = fs::read_dir(shipped("").parent().unwrap()).unwrap();
    let files = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let name = |file: String| file.strip_suffix(".safetensors").map(str::to_owned);
    let names: Vec<String> = files.filter_map(name).collect();
    for name in &names {
        let found = embedded::find(name).is_some_and(|agent| agent.name == name);
        assert_eq!(found, cfg!(feature = "embedded"), "{name}");
    }
    assert_eq!(EMBEDDED.len(), if cfg!(feature = "embedded") { names.len() } else { 0 });
}
