//! Real inputs of every target: what the program itself writes, and the examples of its help.

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

use crate::targets::{RECIPE, Unobserved};

type Corpus = Vec<Vec<u8>>;

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
    of(BUILT_IN.iter().map(|(_, text)| text).chain([&RECIPE]))
}

pub(crate) fn settings() -> Corpus {
    let settings = [
        "seed=7\nbudget.seconds=3",
        "phase.0.rate=0.5\nphase.0.method=td\nphase.1.share=2",
        "game=1010:3x3,pieces=3\nnetwork.tuples=012345678",
        "network.tuples=['0134', '0125']\nnetwork.stages=[100,200]",
        "table.exploration={epsilon=0.1}\ntable.max_moves=100",
        "weights.optimiser={method='cma_es'}\nweights.games={count=4,early=2}",
        "log.window=1\nlog.checkpoint_seconds=0.1",
    ];
    let numbered = |(number, text): (usize, &&str)| [&[number as u8], text.as_bytes()].concat();
    settings.iter().enumerate().map(numbered).collect()
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

/// The files of a finished run, each by its name, and the run in pieces.
fn run_files(names: &[&str]) -> Corpus {
    let name = format!("afterstate-fuzz-corpus-{}-{}", std::process::id(), names.join("-"));
    let path = env::temp_dir().join(name);
    let _ = fs::remove_dir_all(&path);
    let mut corpus = Corpus::new();
    for method in ["tc", "td"] {
        let recipe = RECIPE.replace("'tc'", &format!("'{method}'"));
        let run = Folder::create(&path.join(method), Recipe::parse(&recipe, &[]).unwrap()).unwrap();
        let engine = afterstate_engine::open(&run.recipe().rules);
        let stop = AtomicBool::new(false);
        engine.train(&run, Hardware::threads(1), &stop, &mut Unobserved).unwrap();
        engine.measure(&run, 3, Hardware::threads(1)).unwrap();
        let pieces = run.pack(&path.join(format!("{method}-pieces")), MIN_PIECE).unwrap();
        for name in names {
            let file = if *name == "piece" { pieces[0].clone() } else { run.path().join(name) };
            corpus.push(fs::read(file).unwrap());
        }
    }
    fs::remove_dir_all(&path).unwrap();
    corpus
}

pub(crate) fn agents() -> Corpus {
    let mut corpus = run_files(&["agent.safetensors"]);
    let solved = afterstate_engine::open(&"2048:2x2".parse().unwrap());
    let plan = solved.estimate(None, 1.0).unwrap();
    let path = env::temp_dir().join(format!("afterstate-fuzz-solved-{}", std::process::id()));
    solved.save_solution(&solved.solve(&plan, &mut |_| {}).unwrap().table, &path).unwrap();
    corpus.push(fs::read(&path).unwrap());
    fs::remove_file(&path).unwrap();
    corpus
}

pub(crate) fn checkpoints() -> Corpus {
    run_files(&["checkpoint.safetensors"])
}

pub(crate) fn metrics() -> Corpus {
    run_files(&["metrics.jsonl"])
}

pub(crate) fn packed_runs() -> Corpus {
    run_files(&["piece"])
}
