//! Real inputs of every target: what the program itself writes, and the examples of its help.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::{env, fs};

use afterstate_agents::Agent;
use afterstate_engine::cs3243;
use afterstate_games::pieces::{parse_pieces, pieces_text};
use afterstate_games::spec::GameSpec;
use afterstate_search::Search;
use afterstate_train::Hardware;
use afterstate_train::recipe::Recipe;
use afterstate_train::recipes::BUILT_IN;
use afterstate_train::run::{Folder, MIN_PIECE};
use afterstate_values::coded::CodingSettings;

use crate::targets::{RECIPES, Unobserved, recipe_with};

type Corpus = Vec<Vec<u8>>;

/// An agent of at most 20 kB.
const CODING: CodingSettings =
    CodingSettings { max_size: 20_000, games: 3, seed: 1, threads: Some(1) };

fn of<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Corpus {
    texts.into_iter().map(|text| text.as_ref().to_vec()).collect()
}

/// Documented rules, and some with every option.
pub(crate) fn rules() -> Corpus {
    let more = ["tetris:6x8,next,limit=100", "1010:5x5,pieces=oo/oo|o,hand=2", "2048:3x3,four=0.5"];
    of(GameSpec::documented().chain(more))
}

/// Positions of every game, after the number of its rules.
pub(crate) fn boards() -> Corpus {
    positions(|_, states| states)
}

/// Moves of every game, after the number of its rules.
pub(crate) fn moves() -> Corpus {
    positions(|moves, _| vec![moves.join("\n")])
}

/// What `part` takes from the moves and the states of a game of each of the eight rules.
fn positions(part: impl Fn(Vec<String>, Vec<String>) -> Vec<String>) -> Corpus {
    let mut corpus = Corpus::new();
    for number in 0..8u8 {
        let rules = crate::targets::RULES[usize::from(number)];
        let engine = afterstate_engine::open(&rules.parse().unwrap());
        let agent = engine.load(&Agent::Random).unwrap();
        let mut session = engine.session(7, None).unwrap();
        let (mut moves, mut states) = (Vec::new(), Vec::new());
        for _ in 0..20 {
            states.push(session.view().state);
            if session.play_by(&agent, &Search::GREEDY, 1).unwrap() == 0 {
                break;
            }
            moves.extend(session.view().last.map(|last| last.mv));
        }
        for text in part(moves, states) {
            corpus.push([&[number], text.as_bytes()].concat());
        }
    }
    corpus
}

pub(crate) fn pieces() -> Corpus {
    let drawn = ["dot 2 ; small\n#\n\n##\n##\n", "#.\n##\n", "bar:###*3+##/#.", "#"];
    let parsed = drawn.map(|text| pieces_text(&parse_pieces(text).unwrap_or_default()));
    [of(drawn), of(parsed)].concat()
}

pub(crate) fn searches() -> Corpus {
    of([
        "greedy",
        "expectimax:3",
        "expectimax:50ms",
        "expectimax:hand,beam=4",
        "minimax:2",
        "reference-minimax:2",
        "builtin",
        "random",
        "dt-20",
        "linear:dt=1,-2,3,-4,5,-6,7,-8",
        "runs/2048-1",
    ])
}

pub(crate) fn recipes() -> Corpus {
    of(BUILT_IN.iter().map(|(_, text)| text).chain(&RECIPES))
}

pub(crate) fn settings() -> Corpus {
    let settings = [
        "seed=7\nbudget.seconds=3",
        "phase.0.rate=0.5\nphase.0.method=td\nphase.1.share=2",
        "game=1010:3x3,pieces=3\nnetwork.tuples=012345678",
        "network.tuples=['0134', '0125']\nnetwork.stages=[100,200]",
        "table.exploration={epsilon=0.1}\ntable.max_moves=100",
        "weights.optimiser={method='cma_es'}\nweights.games={count=4,early=2}",
        "weights.optimiser={method='cross_entropy',population=20}\nweights.games.max_score=50",
        "weights.optimiser={method='genetic'}\nweights.features=cs3243",
        "weights.optimiser.spread=2\nweights.curriculum=[{game='tetris:10x6',until=0.5}]",
        "lambda_pi.games=5\nlambda_pi.max_moves=100\nlambda_pi.lambda=0.5",
        "lspi.features=tang\nlspi.samples=100\nlspi.reward='r2'\nlspi.every=5",
        "cbmpi.games=5\ncbmpi.iteration.states=50\ncbmpi.iteration.classifier=3",
        "evaluation.agent=dt-20\nbudget.episodes=7",
        "neural.games=8\nneural.steps=3\nneural.lambda=0.5\nneural.symmetry=mean",
        "neural.layers=['conv 2x2 8', 'dense 9']\nneural.batch=5\nneural.survival=2",
        "table.views='heights,differences,cap=3,mirror'\ntable.method=sarsa\ntable.lambda=0.5",
        "table.views=['heights,cap=2', 'level=3']\ntable.combine=sum\ntable.reward={hole=-2}",
        "network.batch=30\nnetwork.average=0.2\nphase.0.order=forward\nphase.0.survival=3",
        "log.window=1\nlog.checkpoint_seconds=0.1",
        // A finding: the mirror images of 7^9 patterns took a second, only to be refused.
        "game=tetris:10x20\ntable.views='heights,differences,cap=3,mirror'",
    ];
    // What a recipe refuses at once tells nothing about those who read on.
    let accepted = |text: &&str| {
        let mut numbered = (0..=255u8).map(|number| [&[number], text.as_bytes()].concat());
        let accepted = numbered.find(|bytes| recipe_with(bytes).unwrap().is_ok());
        accepted.unwrap_or_else(|| panic!("no recipe takes {text}"))
    };
    settings.iter().map(accepted).collect()
}

pub(crate) fn replays() -> Corpus {
    let mut corpus = Corpus::new();
    for rules in crate::targets::RULES {
        let engine = afterstate_engine::open(&rules.parse().unwrap());
        let agent = engine.load(&Agent::Greedy).unwrap();
        let mut session = engine.session(3, None).unwrap();
        session.play_by(&agent, &Search::GREEDY, 30).unwrap();
        corpus.push(session.replay().unwrap().by("greedy", "greedy").to_json().into_bytes());
    }
    corpus
}

pub(crate) fn text_pipe() -> Corpus {
    let weights = vec![0.0; cs3243::COLUMNS];
    let mut games: Vec<u8> = Vec::new();
    let played = cs3243::play(2, &weights, 1, 2_000, |game| {
        let first = games.is_empty();
        cs3243::write(game, first, &mut games)
    });
    played.unwrap();
    let weights = ["-0.5"; cs3243::COLUMNS].join(" ");
    vec![games, weights.into_bytes(), b"#\n#\n".to_vec()]
}

/// A temporary folder of a test.
fn folder(name: &str) -> PathBuf {
    let path = env::temp_dir().join(format!("afterstate-fuzz-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// A finished run of a recipe.
fn trained(recipe: &str, folder: &Path) -> Folder {
    let run = Folder::create(folder, Recipe::parse(recipe, &[]).unwrap()).unwrap();
    let engine = afterstate_engine::open(&run.recipe().rules);
    let stop = AtomicBool::new(false);
    engine.train(&run, Hardware::threads(1), &stop, &mut Unobserved).unwrap();
    engine.measure(&run, 3, Hardware::threads(1)).unwrap();
    run
}

/// A file of a finished run of each recipe, after the number of the recipe.
fn run_files(name: &str) -> Corpus {
    let path = folder(name);
    let file = |(number, recipe): (usize, &&str)| {
        let run = trained(recipe, &path.join(number.to_string()));
        [&[number as u8], &fs::read(run.path().join(name)).unwrap()[..]].concat()
    };
    let corpus = RECIPES.iter().enumerate().map(file).collect();
    fs::remove_dir_all(&path).unwrap();
    corpus
}

/// Agents of every kind: as trained, those that can be with 16-bit weights and those of a given size, and
/// an exact solution.
pub(crate) fn agents() -> Corpus {
    let (path, mut corpus) = (folder("agents"), Corpus::new());
    for (number, recipe) in RECIPES.iter().enumerate() {
        let run = trained(recipe, &path.join(number.to_string()));
        let engine = afterstate_engine::open(&run.recipe().rules);
        let smaller = run.path().join("smaller.safetensors");
        corpus.push(fs::read(run.agent()).unwrap());
        if engine.quantize(&run.agent(), &smaller).is_ok() {
            corpus.push(fs::read(&smaller).unwrap());
        }
        if engine.save_coded(&run.agent(), &smaller, &CODING).is_ok() {
            corpus.push(fs::read(&smaller).unwrap());
        }
    }
    let solved = afterstate_engine::open(&"2048:2x2".parse().unwrap());
    let plan = solved.estimate(None, 1.0).unwrap();
    let file = path.join("solved.safetensors");
    solved.save_solution(&solved.solve(&plan, &mut |_| {}).unwrap().table, &file).unwrap();
    corpus.push(fs::read(&file).unwrap());
    let text =
        |bytes: &Vec<u8>| String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).into_owned();
    let heads: Vec<String> = corpus.iter().map(text).collect();
    for kind in ["ntuple", "coded", "linear", "table", "neural", "solved", "F16", "I16"] {
        assert!(heads.iter().any(|head| head.contains(kind)), "no agent is {kind}: {heads:?}");
    }
    fs::remove_dir_all(&path).unwrap();
    corpus
}

pub(crate) fn checkpoints() -> Corpus {
    run_files("checkpoint.safetensors")
}

pub(crate) fn metrics() -> Corpus {
    run_files("metrics.jsonl")
}

pub(crate) fn packed_runs() -> Corpus {
    let path = folder("pieces");
    let piece = |(number, recipe): (usize, &&str)| {
        let run = trained(recipe, &path.join(number.to_string()));
        let pieces = run.pack(&path.join(format!("{number}-pieces")), MIN_PIECE).unwrap();
        fs::read(&pieces[0]).unwrap()
    };
    let corpus = RECIPES.iter().enumerate().map(piece).collect();
    fs::remove_dir_all(&path).unwrap();
    corpus
}

/// Bodies of every kind, after the number of their path.
pub(crate) fn requests() -> Corpus {
    let thought = r#""agent":"greedy","search":"greedy""#;
    let bodies = [
        r#"{"game":"1010:4x4,pieces=7","seed":7,"board":null}"#.to_owned(),
        r#"{"revision":0,"move":"left"}"#.to_owned(),
        format!(r#"{{"revision":0,{thought},"moves":3,"ms":5}}"#),
        r#"{"revision":0,"to":1}"#.to_owned(),
        format!("{{{thought}}}"),
        format!(r#"{{{thought},"number":1}}"#),
        format!(r#"{{{thought},"from":0}}"#),
        String::from_utf8(replays().swap_remove(1)).unwrap(),
        format!(r#"{{"game":"2048:2x2","seed":1,"players":[{{{thought}}}],"pace":null}}"#),
        r#"{"pace":2.5}"#.to_owned(),
        r#"{"recipe":"2048-3x3","seconds":1.5,"threads":1,"seed":2,"settings":["log.window=50"],"games":5}"#
            .to_owned(),
        r#"{"threads":1,"games":5}"#.to_owned(),
    ];
    assert_eq!(bodies.len(), crate::targets::PATHS.len());
    let numbered = |(number, text): (usize, &String)| [&[number as u8], text.as_bytes()].concat();
    bodies.iter().enumerate().map(numbered).collect()
}
