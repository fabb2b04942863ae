//! Trains the value functions of a yardstick and compares them with the exact solution.

use std::sync::atomic::AtomicBool;

use afterstate_agents::evaluate::evaluation_seed;
use afterstate_agents::{Agent, EvaluationSettings, LoadedAgent};
use afterstate_core::Device;
use afterstate_engine::Engine;
use afterstate_games::spec::GameSpec;
use afterstate_learn::compare::{CompareSettings, Comparison};
use afterstate_render::chart::{Axis, Chart, Line};
use afterstate_search::Search;
use afterstate_values::file::AgentFile;
use serde::{Deserialize, Serialize};

use super::processor_time::ProcessorTime;
use super::training::train;
use super::{Method, ValuePoint, Yardstick, yardstick};
use crate::cache::Cost;
use crate::charts::{chart, level_between};
use crate::experiment::{Experiment, Measured, Results};
use crate::files::{create_folder, remove_file, write_json};
use crate::measure::Value;
use crate::{Error, Scale, TrainingCache};

/// Trainings of each value function.
const SEEDS: u64 = 3;

/// The parts of the longest training that are measured.
const PARTS: [f64; 4] = [1.0 / 64.0, 1.0 / 16.0, 1.0 / 4.0, 1.0];

/// Moves of greedy play that are timed, about.
const TIMED: f64 = 20_000.0;

/// What one training gave.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Compared {
    parameters: u64,
    bytes: u64,
    moves: u64,
    episodes: u64,
    seconds: f64,
    regret: f64,
    optimal: f64,
    error: Option<f64>,
    fitted: Option<f64>,
    microseconds: f64,
}

/// A game that is solved, and where its trainings lie.
struct Bench<'a> {
    yardstick: &'static Yardstick,
    engine: Box<dyn Engine>,
    solution: LoadedAgent,
    folder: &'a str,
    settings: CompareSettings,
}

pub(super) fn compared(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    // Timings are those of one thread.
    let threads = std::mem::replace(&mut cache.threads, 1);
    let results = measure(experiment, cache);
    cache.threads = threads;
    results
}

fn measure(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let own = yardstick(experiment.name)?;
    // The games of tests are solved at once.
    let yardstick = match own.tiny {
        Some(smaller) if cache.scale == Scale::Tiny => yardstick(smaller)?,
        _ => own,
    };
    let bench = Bench::new(yardstick, experiment.name, cache)?;
    let parts = cache.scale.pick([&PARTS[..1], &PARTS[..3], &PARTS]);
    let seeds = cache.scale.pick([1, 1, SEEDS]);
    let (mut points, mut costs) = (Vec::new(), Vec::new());
    for method in yardstick.methods {
        let Some((&last, before)) = parts.split_last() else { continue };
        let before = if method.over_time { before } else { &[] };
        let mut cost = Cost {
            training: method.name(),
            episodes: 0,
            moves: 0,
            seconds: 0.0,
            threads: 1,
            machine: cache.machine(),
        };
        for &part in before.iter().chain([&last]) {
            let seconds = part * yardstick.seconds;
            let moves = (method.speed as f64 * seconds).max(2_000.0) as u64;
            let first = cache.seed;
            let all = (first..first + seeds).map(|seed| bench.train(method, moves, seed, cache));
            let all = all.collect::<Result<Vec<Compared>, Error>>()?;
            for one in &all {
                cost.episodes += one.episodes;
                cost.moves += one.moves;
                cost.seconds += one.seconds;
            }
            points.push(point(method, &all));
        }
        costs.push(cost);
    }
    let random = bench.random()?;
    let best = |kind: &str| {
        let own = points.iter().filter(|point| point.kind == kind);
        own.map(|point| point.regret).min_by(|a, b| a.value.total_cmp(&b.value))
    };
    let rows = experiment.rows_by(|published| {
        let value =
            if published.case == super::RANDOM { Some(random) } else { best(published.case) };
        (None, value)
    });
    let charts = charts(yardstick, &points, random.value);
    let notes = vec![format!(
        "{} Each value function was trained {seeds} times, on one thread; seconds are those of one \
         processor. Regrets are over {} games of each, truncated after {} moves. Shaded: from the least \
         to the largest of the seeds; regrets below a millionth of random play's are drawn there.",
        yardstick.unit(),
        bench.settings.games,
        bench.settings.max_moves
    )];
    Ok(Results { rows, charts, costs, notes, values: points, ..Results::default() })
}

impl<'a> Bench<'a> {
    /// Solves the game, or loads its solution.
    fn new(
        yardstick: &'static Yardstick,
        folder: &'a str,
        cache: &mut TrainingCache,
    ) -> Result<Bench<'a>, Error> {
        let rules: GameSpec = yardstick.rules.parse()?;
        let engine = afterstate_engine::open(&rules);
        create_folder(&cache.path(folder))?;
        let path = cache.path(&format!("{folder}/solution.safetensors"));
        if !path.exists() {
            cache.check_stopped()?;
            cache.observer.begin(&format!("{rules}: solving"))?;
            let solution = engine.solve(&engine.estimate(None, 1.0)?, &mut |_| {})?;
            engine.save_solution(&solution.table, &path)?;
        }
        let solution = engine.load(&Agent::File(path))?;
        let (games, max_moves) = yardstick.play;
        let games = cache.scale.pick([games.min(20), games.div_ceil(4), games]);
        let settings = CompareSettings { games, seed: 0, max_moves, threads: 1 };
        Ok(Bench { yardstick, engine, solution, folder, settings })
    }

    /// Trains a value function, or reads what an earlier training gave.
    fn train(
        &self,
        method: &Method,
        moves: u64,
        seed: u64,
        cache: &mut TrainingCache,
    ) -> Result<Compared, Error> {
        cache.check_stopped()?;
        let name = format!("{}/{}-{moves}-seed{seed}", self.folder, method.folder());
        let path = cache.path(&format!("{name}/compared.json"));
        if let Some(found) = cache.saved(&path)? {
            return Ok(found);
        }
        let recipe = format!(
            "game = \"{}\"\nseed = {seed}\n[budget]\nmoves = {moves}\n{}\n[log]\nwindow = 1000\n",
            self.yardstick.rules,
            method.learner.recipe()
        );
        let (run, seconds) = train(cache, &name, &recipe)?;
        let cost = run.finished.cost;
        let file = run.folder.agent();
        let (parameters, bytes) = AgentFile::open(&*file)?.sizes();
        let agent = Agent::File(file.clone());
        let found = self.compare(&agent, seed)?;
        let microseconds = self.time(&agent, &found)?;
        let compared = Compared {
            parameters,
            bytes,
            moves: cost.moves,
            episodes: cost.episodes,
            seconds,
            regret: self.regret(&found),
            optimal: 100.0 * found.optimal as f64 / found.moves.max(1) as f64,
            error: found.values.map(|values| values.rms),
            fitted: found.values.map(|values| values.fitted),
            microseconds,
        };
        write_json(&path, &compared)?;
        // Agents of all sizes and seeds would fill a disk, and their recipes make them again.
        remove_file(&file)?;
        Ok(compared)
    }

    fn compare(&self, agent: &Agent, seed: u64) -> Result<Comparison, Error> {
        let loaded = self.engine.load(agent)?;
        let settings = CompareSettings { seed: evaluation_seed(seed), ..self.settings };
        let found = self.engine.compare(&self.solution, &loaded, &settings);
        let found = found.map_err(|error| Error::Table(error.to_string()))?;
        found.ok_or_else(|| Error::NotEnumerable(self.yardstick.rules.to_owned()))
    }

    fn regret(&self, found: &Comparison) -> f64 {
        if self.yardstick.survives {
            found.regret * found.games as f64 / found.moves.max(1) as f64
        } else {
            found.regret
        }
    }

    /// Microseconds for a move of greedy play.
    fn time(&self, agent: &Agent, found: &Comparison) -> Result<f64, Error> {
        let each = found.moves.max(1) as f64 / found.games.max(1) as f64;
        let settings = EvaluationSettings {
            games: (TIMED / each).ceil().clamp(1.0, 100_000.0) as u64,
            seed: evaluation_seed(0),
            threads: Some(1),
            max_moves: Some(self.settings.max_moves),
            device: Device::Cpu,
        };
        let loaded = self.engine.load(agent)?;
        let clock = ProcessorTime::start();
        let stop = AtomicBool::new(false);
        let played = self.engine.evaluate_loaded(&loaded, &Search::GREEDY, &settings, &stop)?;
        Ok(1e6 * clock.seconds() / played.moves.max(1) as f64)
    }

    /// The regret of random play.
    fn random(&self) -> Result<Value, Error> {
        let agent: Agent = "random".parse()?;
        let seeds = (0..SEEDS).map(|seed| Ok(self.regret(&self.compare(&agent, seed)?)));
        Ok(Value::mean(&seeds.collect::<Result<Vec<f64>, Error>>()?))
    }
}

/// The means of some trainings.
fn point(method: &Method, all: &[Compared]) -> ValuePoint {
    let mean = |of: fn(&Compared) -> f64| all.iter().map(of).sum::<f64>() / all.len().max(1) as f64;
    let some = |of: fn(&Compared) -> Option<f64>| {
        let own: Option<Vec<f64>> = all.iter().map(of).collect();
        own.map(|own| own.iter().sum::<f64>() / own.len().max(1) as f64)
    };
    let regrets: Vec<f64> = all.iter().map(|one| one.regret).collect();
    let range =
        regrets.iter().fold((f64::MAX, 0.0f64), |(low, high), &one| (low.min(one), high.max(one)));
    ValuePoint {
        kind: method.kind.to_owned(),
        size: method.size.to_owned(),
        seeds: all.len(),
        parameters: all.first().map_or(0, |one| one.parameters),
        bytes: all.first().map_or(0, |one| one.bytes),
        moves: mean(|one| one.moves as f64) as u64,
        seconds: mean(|one| one.seconds),
        regret: Value::mean(&regrets),
        range,
        optimal: mean(|one| one.optimal),
        error: some(|one| one.error),
        fitted: some(|one| one.fitted),
        microseconds: mean(|one| one.microseconds),
    }
}

/// Regret by time of training and by parameters.
fn charts(yardstick: &Yardstick, points: &[ValuePoint], random: f64) -> Vec<(&'static str, Chart)> {
    let (regret, floor) = (|| Axis::log(yardstick.regret), 1e-6 * random);
    let mut by_time = Vec::new();
    for method in yardstick.methods.iter().filter(|method| method.over_time) {
        let own = |point: &&ValuePoint| (&*point.kind, &*point.size) == (method.kind, method.size);
        let own: Vec<&ValuePoint> = points.iter().filter(own).collect();
        by_time.push(line(method.name(), &own, |point| point.seconds, floor));
    }
    let mut by_size = Vec::new();
    for kind in yardstick.kinds() {
        let last = |point: &ValuePoint| points.iter().rfind(|other| other.is_of(point));
        let own = |point: &&ValuePoint| point.kind == kind && last(point) == Some(*point);
        let mut own: Vec<&ValuePoint> = points.iter().filter(own).collect();
        own.sort_by_key(|point| point.parameters);
        by_size.push(line(kind.to_owned(), &own, |point| point.parameters as f64, floor));
    }
    let with_random = |mut lines: Vec<Line>| {
        let across = lines.iter().flat_map(|line| line.points.iter().map(|point| point.0));
        let ends = across.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
        if ends.0 <= ends.1 {
            lines.push(level_between(super::RANDOM, random, ends.0, ends.1));
        }
        lines
    };
    let title = |by: &str| format!("{}: regret by {by}", yardstick.title);
    let time = Axis::log("seconds of training on one processor");
    let size = Axis::log("parameters");
    vec![
        ("-time", chart(title("time of training"), time, regret(), with_random(by_time))),
        ("-size", chart(title("parameters"), size, regret(), with_random(by_size))),
    ]
}

/// A curve on a logarithmic axis, on which a regret of 0 has a place at the floor.
fn line(name: String, points: &[&ValuePoint], x: fn(&ValuePoint) -> f64, floor: f64) -> Line {
    let places = points.iter().map(|point| (x(point), point.regret.value.max(floor))).collect();
    let band = points.iter().map(|point| point.range);
    let band = band.map(|(low, high)| (low.max(floor), high.max(floor))).collect();
    Line { band: Some(band), ..Line::new(name, places) }
}
