//! The strongest results of this program: its own agents beside the best published ones, and the
//! optima that it solves.

use afterstate_agents::evaluate::evaluation_seed;
use afterstate_agents::{Agent, EvaluationSettings};
use afterstate_core::Device;
use afterstate_core::numbers::whole;
use afterstate_games::spec::{GameSpec, Spec};
use afterstate_games::tenten::TenTen;
use afterstate_search::{Algorithm, Depth, Search};

use crate::cache::Cost;
use crate::experiment::Quantity::{Decimal, Mean, Named, Ratio};
use crate::experiment::{Experiment, Measured, Quantity, Results, published};
use crate::files::create_folder;
use crate::measure::Value;
use crate::verdict::Statement;
use crate::weights::Player;
use crate::{Error, Scale, TrainingCache};

pub(crate) const ROUNDS: Quantity = Named("rounds per game");
pub(crate) const HANDS: Quantity = Named("hands per game");
const DEATHS: Quantity = Ratio("lost games per million hands");
pub(crate) const OPTIMUM: Quantity = Decimal("points of best play");

pub(crate) const TENTEN: &str = "1010";
pub(crate) const WITHOUT_3X3: &str = "1010-without-3x3";
pub(crate) const HAND: &str = "1010, expectimax:hand,beam=4";
pub(crate) const TWENTY48: &str = "2048";
pub(crate) const BOARDS: [&str; 2] = ["2x2", "3x3"];

const TRAINED: &str = "The agents were trained on one GPU in some three minutes each, by the recipes \
    1010-record and 1010-record-without-3x3; `afterstate agents NAME` has the commands.";

pub(crate) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "1010-record",
        title: "The agents 1010 and 1010-without-3x3, one piece at a time",
        source: "This program's own agents beside LSPI of Tang 2019, table 3, the best published",
        published: published![TENTEN => ROUNDS = 204.473; WITHOUT_3X3 => ROUNDS = 517.736],
        differences: &[
            "Games are played to their end. Both are n-tuple networks, whose value is a sum of entries for \
            patterns of cells, where LSPI weighs 21 numbers.",
            TRAINED,
        ],
        reasons: &[(WITHOUT_3X3, "the file of the agent was not found in agents/")],
        statements: &[Statement {
            says: "The performance of the game can be enhanced by other reinforcement learning method \
                with non-linear/more complex architecture [Tang 2019, section 12].",
            holds: |figures| figures.value(TENTEN, ROUNDS)?.exceeds(204.473),
        }],
        minutes: 4,
        rules: "1010:10x10,pieces=19 and 1010:10x10,pieces=18",
        measure: rounds,
        ..Experiment::NONE
    },
    Experiment {
        name: "1010-record-hand",
        title: "The agent 1010 with the real hand of three",
        source: "This program's own agent; nothing published is known",
        published: published![HAND => HANDS, DEATHS],
        differences: &[
            "Hands to the end of a game are all hands over all lost games, since most games are \
            truncated.",
            TRAINED,
        ],
        minutes: 20,
        rules: "1010:10x10,pieces=19,hand=3",
        measure: hands,
        ..Experiment::NONE
    },
    Experiment {
        name: "2048-agent",
        title: "The agent 2048, greedy",
        source: "This program's own agent beside Guei et al. 2021, the best published greedy network",
        published: published![TWENTY48 => Mean = 412_785.0],
        differences: &["The agent is small enough to be embedded in the program."],
        reasons: &[(TWENTY48, "4 MiB of weights, trained for 100 seconds on one GPU")],
        minutes: 1,
        rules: "2048:4x4",
        measure: points,
        ..Experiment::NONE
    },
    Experiment {
        name: "2048-exact",
        title: "Best play of 2048 on small boards",
        source: "Solved by this program; nothing published is known",
        published: published![BOARDS[0] => OPTIMUM; BOARDS[1] => OPTIMUM],
        differences: &["The expected points of best play from the start, solved exactly."],
        minutes: 10,
        rules: "2048:2x2 and 2048:3x3",
        measure: optima,
        ..Experiment::NONE
    },
];

/// Games of an agent under some rules: how many, and after how many moves they are truncated.
struct Games {
    agent: Agent,
    rules: GameSpec,
    search: Search,
    games: u64,
    max_moves: Option<u64>,
}

impl Games {
    /// The mean of the moves or of the score of a game, what the games took, and how many ended.
    fn play(
        &self,
        cache: &mut TrainingCache,
        quantity: Quantity,
    ) -> Result<(Option<Value>, Cost, String), Error> {
        let (seed, threads) = (evaluation_seed(cache.seed), Some(cache.threads));
        let settings = EvaluationSettings {
            games: self.games,
            seed,
            threads,
            max_moves: self.max_moves,
            device: match cache.device {
                Device::Cluster => Device::Cluster,
                _ => Device::Cpu,
            },
        };
        cache.observer.begin(&format!("{}: {} games", self.agent, self.games))?;
        let engine = afterstate_engine::open(&self.rules);
        let played = engine.evaluate(&self.agent, &self.search, &settings)?;
        let summary = if quantity == Mean { &played.score } else { &played.length };
        let value = match played.moves_to_the_end {
            Some(exposure) if played.truncated > 0 => Value::exposure(exposure),
            _ => Some(Value::within(summary.mean, summary.ci95)),
        };
        let cost = Cost {
            training: self.agent.to_string(),
            episodes: self.games,
            moves: played.moves,
            seconds: played.seconds,
            threads: cache.threads,
            machine: cache.machine(),
        };
        let lost = self.games - played.truncated;
        let note =
            format!("{}: {lost} of {} games were played to their end.", self.rules, self.games);
        Ok((value, cost, note))
    }
}

fn rounds(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let mut results = Results { played: true, ..Results::default() };
    let mut values = Vec::new();
    for (name, pieces, games) in [(TENTEN, 19, [1, 20, 1_000]), (WITHOUT_3X3, 18, [1, 4, 200])] {
        // Only a checkout of the project has the second.
        let Ok(agent) = name.parse::<Agent>() else {
            values.push(None);
            continue;
        };
        let games = Games {
            agent,
            rules: format!("1010:10x10,pieces={pieces}").parse()?,
            search: Search::GREEDY,
            games: cache.scale.pick(games),
            max_moves: cache.scale.pick([Some(100), None, None]),
        };
        let (value, cost, note) = games.play(cache, ROUNDS)?;
        values.push(value);
        results.costs.push(cost);
        results.notes.push(note);
    }
    let mut values = values.into_iter();
    results.rows = experiment.rows_by(|_| (None, values.next().flatten()));
    Ok(results)
}

fn hands(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let mut search = Search::new(Algorithm::Expectimax, Depth::Known);
    search.beam = Some(4);
    let game = match experiment.rules.parse()? {
        GameSpec::TenTen(game) => game,
        other => return Err(Error::Game { rules: other.to_string(), game: TenTen::NAME }),
    };
    let player = Player { name: HAND, agent: TENTEN.parse()?, search };
    let (games, max_moves) = cache.scale.pick([(1, 6), (2, 3_000), (100, 300_000)]);
    let path = cache.path(&format!("{}-seed{}.json", experiment.name, cache.seed));
    create_folder(&cache.path(""))?;
    let played = cache.play_games(&path, &game, &player, games, max_moves)?;
    let hands = played.moves_to_the_end().map(|moves| moves.times(1.0 / 3.0));
    let deaths = hands.map(|hands| match hands.at_least {
        // No game was lost.
        true => Value::within(0.0, Some((0.0, 1e6 / hands.value))),
        false => {
            let ends = hands.ci95.map(|(low, high)| (1e6 / high, 1e6 / low));
            Value::within(1e6 / hands.value, ends)
        }
    });
    let note = format!(
        "{} of {games} games were lost within {} hands, the others truncated after {} hands.",
        played.ends,
        whole((played.moves / 3) as f64),
        whole((max_moves / 3) as f64),
    );
    Ok(Results {
        rows: experiment.rows_by(|row| (None, if row.quantity == HANDS { hands } else { deaths })),
        costs: vec![Cost {
            training: TENTEN.to_owned(),
            episodes: games,
            moves: played.moves,
            seconds: played.seconds,
            threads: cache.threads,
            machine: played.machine,
        }],
        played: true,
        notes: vec![note],
        ..Results::default()
    })
}

fn points(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let games = Games {
        agent: TWENTY48.parse()?,
        rules: experiment.rules.parse()?,
        search: Search::GREEDY,
        games: cache.scale.pick([1, 20, 1_000]),
        max_moves: cache.scale.pick([Some(100), None, None]),
    };
    let (value, cost, note) = games.play(cache, Mean)?;
    Ok(Results {
        rows: experiment.rows_by(|_| (None, value)),
        costs: vec![cost],
        played: true,
        notes: vec![note],
        ..Results::default()
    })
}

fn optima(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let mut values = Vec::new();
    for board in BOARDS {
        // 3x3 takes minutes and 2.3 GiB; tests and quick forms solve 2x2 in its place.
        let solved = if cache.scale == Scale::Full { board } else { BOARDS[0] };
        let engine = afterstate_engine::open(&format!("2048:{solved}").parse()?);
        let solution = engine.solve(&engine.estimate(None, 1.0)?, &mut |_| {})?;
        values.push(solution.optimum.map(Value::exact).filter(|_| solved == board));
    }
    let mut values = values.into_iter();
    Ok(Results {
        rows: experiment.rows_by(|_| (values.next().flatten(), None)),
        ..Results::default()
    })
}
