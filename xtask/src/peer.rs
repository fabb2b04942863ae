//! Speeds of this program and of TDL2048+, the fastest published trainer of 2048, in one interleaved
//! run on one thread. Its source is not part of this project: the folder is given.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use crate::compare::median;
use crate::machine::machine;

/// A work that both programs do: its name, the tuples, and what is done.
type Work = (&'static str, &'static str, Task);

#[derive(Clone, Copy)]
enum Task {
    /// Training by a method with a learning rate.
    Train(&'static str, &'static str),
    /// Play by the network that TD has trained: plies, and how many games of training there are for
    /// one of play.
    Play(u32, u64),
}

const TD: Task = Task::Train("td", "0.1");
const TC: Task = Task::Train("tc", "1.0");

/// Play follows the training of its network.
const WORKS: [Work; 8] = [
    ("4x6 TD(0) training", "4x6", TD),
    ("4x6 play, 1 ply", "4x6", Task::Play(1, 1)),
    ("4x6 play, 2 plies", "4x6", Task::Play(2, 50)),
    ("4x6 play, 3 plies", "4x6", Task::Play(3, 1_000)),
    ("4x6 TC training", "4x6", TC),
    ("8x6 TD(0) training", "8x6", TD),
    ("8x6 play, 1 ply", "8x6", Task::Play(1, 1)),
    ("8x6 TC training", "8x6", TC),
];

/// Parts of a training: the first, in which the system hands out the memory, is left out for both.
const PARTS: u64 = 10;

struct Arguments {
    source: PathBuf,
    games: u64,
    rounds: usize,
    /// Whether the peer runs as it does by default, without huge pages.
    default_pages: bool,
    /// Whether speeds are of processor time, which other work on the machine changes little.
    processor_time: bool,
}

/// Builds both programs, lets them take turns and prints a table in Markdown.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let Arguments { source, games, rounds, default_pages, processor_time } = parse(arguments)?;
    check_source(&source)?;
    let folder = crate::target().join("peer");
    fs::create_dir_all(&folder).context("cannot make a folder for the programs")?;
    let program = folder.join("2048");
    let peer = Peer { program, folder: folder.clone(), games, default_pages };
    let mut make = Command::new("make");
    make.args(["--silent", "native"])
        .arg(format!("OUTPUT={}", peer.program.display()))
        .current_dir(&source);
    crate::step("the peer", &mut make)?;
    crate::cargo("the program", &["build", "--release", "--package", "afterstate"])?;
    let own = Own { program: crate::target().join("release/afterstate"), folder, games };
    let speed = |which: usize, work: &Work| match processor_time {
        false if which == 0 => peer.measure(work),
        false => own.measure(work),
        true if which == 0 => by_processor_time(games, |games| peer.count(work, games)),
        true => by_processor_time(games, |games| own.count(work, games)),
    };
    let mut speeds = vec![[Vec::new(), Vec::new()]; WORKS.len()];
    for round in 0..rounds {
        for (work, speeds) in WORKS.iter().zip(&mut speeds) {
            // Whoever is first alternates.
            for which in [round % 2, (round + 1) % 2] {
                let speed = speed(which, work)?;
                crate::note(format!("round {}: {}: {speed:.0} moves/s", round + 1, work.0));
                speeds[which].push(speed);
            }
        }
    }
    let time = if processor_time { ", processor time" } else { "" };
    print(&table(&mut speeds, games, rounds, time));
    Ok(())
}

/// Moves per second of processor time of the last nine tenths of the games: what a command takes for the
/// first tenth, its start and the memory from the system included, is subtracted.
fn by_processor_time(
    games: u64,
    mut run: impl FnMut(u64) -> anyhow::Result<f64>,
) -> anyhow::Result<f64> {
    let mut timed = |games| {
        let begin = processor_seconds()?;
        let moves = run(games)?;
        anyhow::Ok((moves, processor_seconds()? - begin))
    };
    let (few, short) = timed(games / PARTS)?;
    let (all, long) = timed(games)?;
    ensure!(long > short, "the programs were too fast to be measured: use more --games");
    Ok((all - few) / (long - short))
}

/// The processor time of all commands so far, in seconds.
fn processor_seconds() -> anyhow::Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat").context("--processor-time needs Linux")?;
    let (_, fields) = stat.rsplit_once(')').context("/proc/self/stat has no name")?;
    // The times of children, of the program and of the system, in hundredths of a second.
    let ticks = fields.split_whitespace().skip(13).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>().context("/proc/self/stat has no times")? / 100.0)
}

#[allow(clippy::print_stdout, reason = "the table is the output")]
fn print(table: &str) {
    println!("{table}");
}

fn table(speeds: &mut [[Vec<f64>; 2]], games: u64, rounds: usize, time: &str) -> String {
    let mut text = format!(
        "Machine: {}. Medians of {rounds} interleaved rounds of {games} games, one thread{time}.\n\n\
         | work | it | we | ratio |\n|---|---:|---:|---:|\n",
        machine()
    );
    for ((name, ..), [it, we]) in WORKS.iter().zip(speeds) {
        if let (Some(it), Some(we)) = (median(it), median(we)) {
            let (ratio, it, we) = (we / it, moves(it), moves(we));
            text += &format!("| {name} | {it} | {we} | {ratio:.2} |\n");
        }
    }
    text
}

fn moves(speed: f64) -> String {
    let (number, unit) = if speed < 1e6 { (speed / 1e3, "k") } else { (speed / 1e6, "M") };
    format!("{number:.2}{unit} moves/s")
}

fn parse(arguments: &[String]) -> anyhow::Result<Arguments> {
    let (mut source, mut games, mut rounds) = (None, 20_000, 3);
    let (mut default_pages, mut processor_time) = (false, false);
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        if option == "--default-pages" {
            default_pages = true;
            continue;
        }
        if option == "--processor-time" {
            processor_time = true;
            continue;
        }
        let value = rest.next().with_context(|| format!("{option} needs a value"))?;
        let number = || value.parse().with_context(|| format!("{option} {value}: not a number"));
        match option.as_str() {
            "--source" => source = Some(env::current_dir()?.join(value)),
            "--games" => games = number()?,
            "--rounds" => rounds = number()? as usize,
            _ => bail!(
                "unknown option {option:?}: peer has --source, --games, --rounds, --default-pages and --processor-time"
            ),
        }
    }
    let source = source.context("peer needs the source of TDL2048+: peer --source FOLDER")?;
    ensure!(games >= PARTS * PARTS, "--games {games}: play at least {}", PARTS * PARTS);
    ensure!(rounds > 0, "--rounds 0: measure at least 1");
    let games = games / PARTS * PARTS;
    Ok(Arguments { source, games, rounds, default_pages, processor_time })
}

/// Says what is missing in a folder that is not the peer's source.
fn check_source(source: &Path) -> anyhow::Result<()> {
    for name in ["makefile", "2048.cpp", "board.h"] {
        if !source.join(name).is_file() {
            let folder = source.display();
            bail!("{folder} has no {name}: --source is a clone of github.com/moporgic/TDL2048");
        }
    }
    Ok(())
}

/// TDL2048+.
struct Peer {
    program: PathBuf,
    folder: PathBuf,
    games: u64,
    default_pages: bool,
}

impl Peer {
    fn measure(&self, work: &Work) -> anyhow::Result<f64> {
        let skipped = usize::from(matches!(work.2, Task::Train(..)));
        let parts = self.run(work, self.games)?.split_off(skipped);
        let seconds: f64 = parts.iter().map(|(seconds, _)| seconds).sum();
        ensure!(seconds > 0.0, "the peer printed no speed");
        Ok(moves_of(&parts) / seconds)
    }

    /// The moves of so many games.
    fn count(&self, work: &Work, games: u64) -> anyhow::Result<f64> {
        Ok(moves_of(&self.run(work, games)?))
    }

    /// Seconds and moves per second of the parts of so many games.
    fn run(&self, &(_, tuples, task): &Work, games: u64) -> anyhow::Result<Vec<(f64, f64)>> {
        let weights = self.folder.join(format!("{tuples}.w"));
        let mut command = Command::new(&self.program);
        command.args(["-n", &format!("{tuples}patt"), "-s", "1", "-%", "none"]);
        if !self.default_pages {
            // It does not ask for huge pages itself, and would be slower for a reason of no interest.
            command.env("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");
        }
        let parts = |games: u64| format!("{PARTS}x{}", games.div_ceil(PARTS));
        match task {
            Task::Play(plies, fewer) => {
                command.args(["-e", &parts(games / fewer), "-d", &format!("{plies}p"), "-i"]);
                command.arg(&weights)
            }
            Task::Train(name, rate) => {
                command.args(["-a", rate, "-t", &parts(games)]);
                if name == "td" { command.arg("-o").arg(&weights) } else { &mut command }
            }
        };
        let text = output(&mut command)?;
        let parts: Vec<(f64, f64)> = text.lines().filter_map(part).collect();
        ensure!(!parts.is_empty(), "the peer printed no speed: {text}");
        Ok(parts)
    }
}

fn moves_of(parts: &[(f64, f64)]) -> f64 {
    parts.iter().map(|(seconds, speed)| seconds * speed).sum()
}

/// Seconds and moves per second of a line such as `001/010 5039ms 1766975.00ops`.
fn part(line: &str) -> Option<(f64, f64)> {
    let mut words = line.split_whitespace().skip(1);
    let milliseconds: f64 = words.next()?.strip_suffix("ms")?.parse().ok()?;
    let speed = words.next()?.strip_suffix("ops")?.parse().ok()?;
    Some((milliseconds / 1e3, speed))
}

/// This program.
struct Own {
    program: PathBuf,
    folder: PathBuf,
    games: u64,
}

impl Own {
    fn measure(&self, work: &Work) -> anyhow::Result<f64> {
        let rows = self.rows(work, self.games)?;
        match work.2 {
            Task::Play(..) => number(last(&rows)?, "moves_per_second"),
            Task::Train(..) => speed(&rows, self.games / PARTS),
        }
    }

    /// The moves of so many games.
    fn count(&self, work: &Work, games: u64) -> anyhow::Result<f64> {
        let rows = self.rows(work, games)?;
        let mut moves = rows.iter().filter(|row| row["moves"].is_number());
        number(moves.next_back().context("the program printed no moves")?, "moves")
    }

    /// What the program prints of so many games.
    fn rows(&self, &(_, tuples, task): &Work, games: u64) -> anyhow::Result<Vec<Value>> {
        let mut command = Command::new(&self.program);
        let (name, rate) = match task {
            Task::Train(name, rate) => (name, rate),
            Task::Play(plies, fewer) => {
                let games = (games / fewer).max(1).next_multiple_of(PARTS).to_string();
                command.arg("eval").arg(self.run(tuples, "td"));
                command.args(["--games", &games, "--threads", "1", "--json"]);
                command.args(["--search", &format!("expectimax:{plies}")]);
                return rows(&mut command);
            }
        };
        let window = (games / 200).max(1);
        let recipe = format!(
            "game = \"2048:4x4\"\n[budget]\nepisodes = {games}\n[log]\nwindow = {window}\n\
             [network]\ntuples = \"{tuples}\"\n[[phase]]\nmethod = \"{name}\"\nrate = {rate}\n"
        );
        let file = self.folder.join("recipe.toml");
        fs::write(&file, recipe).context("cannot write the recipe")?;
        let run = self.run(tuples, name);
        if run.exists() {
            fs::remove_dir_all(&run).context("cannot remove the last run")?;
        }
        command.arg("train").arg(&file).arg("--out").arg(&run);
        command.args(["--threads", "1", "--seed", "1", "--eval-games", "0", "--json"]);
        rows(&mut command)
    }

    fn run(&self, tuples: &str, method: &str) -> PathBuf {
        self.folder.join(format!("run-{tuples}-{method}"))
    }
}

/// Moves per second of a training after so many games. All windows that end in one round of the
/// training carry the time at which the round ended, so only the last of them says how many moves had
/// been made by then, to within a window.
fn speed(rows: &[Value], skipped: u64) -> anyhow::Result<f64> {
    let mut rounds: Vec<[f64; 3]> = Vec::new();
    for row in rows.iter().filter(|row| row["moves"].is_number()) {
        let read = |key| number(row, key);
        let now = [read("seconds")?, read("moves")?, read("episodes")?];
        match rounds.last_mut() {
            Some(last) if last[0] == now[0] => *last = now,
            _ => rounds.push(now),
        }
    }
    let first = rounds.iter().find(|round| round[2] >= skipped as f64);
    let (first, last) = first.zip(rounds.last()).context("the training printed no speed")?;
    ensure!(first[0] < last[0], "the training was over in one round: use more --games");
    Ok((last[1] - first[1]) / (last[0] - first[0]))
}

fn rows(command: &mut Command) -> anyhow::Result<Vec<Value>> {
    Ok(output(command)?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn last(rows: &[Value]) -> anyhow::Result<&Value> {
    rows.last().context("the program printed nothing")
}

fn number(row: &Value, key: &str) -> anyhow::Result<f64> {
    row[key].as_f64().with_context(|| format!("the program printed no {key}"))
}

fn output(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_the_source_is_told_what_it_lacks() {
        let folder = crate::root().join("xtask");
        let error = run(&["--source".to_owned(), folder.display().to_string()]).unwrap_err();
        let expected = "has no makefile: --source is a clone of github.com/moporgic/TDL2048";
        assert!(error.to_string().ends_with(expected), "{error}");
        assert!(run(&[]).unwrap_err().to_string().contains("peer --source FOLDER"));
        let error = run(&["--game".to_owned(), "1".to_owned()]).unwrap_err();
        assert!(error.to_string().starts_with("unknown option \"--game\""), "{error}");
    }

    #[test]
    fn the_speed_of_a_part_is_read() {
        assert_eq!(part("001/010 5039ms 1766975.00ops"), Some((5.039, 1_766_975.0)));
        assert_eq!(part("local:  avg=15150 max=64224 tile=4096 win=15.32%"), None);
        let row = |seconds: f64, moves: u64, episodes: u64| serde_json::json!({"seconds": seconds, "moves": moves, "episodes": episodes});
        let rows = [row(1.0, 10, 1), row(1.0, 20, 2), row(1.5, 30, 3), row(1.5, 40, 4)];
        assert_eq!(speed(&rows, 1).unwrap(), 40.0);
        assert!(speed(&rows, 3).unwrap_err().to_string().contains("--games"));
        let table = table(&mut vec![[vec![2e6], vec![3e6]]; WORKS.len()], 20, 1, "");
        assert!(table.contains("| 8x6 TC training | 2.00M moves/s | 3.00M moves/s | 1.50 |\n"));
    }
}
