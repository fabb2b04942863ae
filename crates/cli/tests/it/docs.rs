//! The commands of the READMEs and of the guides in `docs/`, run in their order with smaller numbers.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::harness::Scratch;

/// The blocks of a language in a guide.
fn blocks<'a>(guide: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    guide.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

/// A command with fewer games and a shorter training, that asks nothing.
fn shortened(line: &str) -> String {
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    for at in 1..words.len() {
        let most = match words[at - 1].as_str() {
            "--games" => "4",
            "--seconds" => "1",
            _ => continue,
        };
        most.clone_into(&mut words[at]);
    }
    let mut line = words.join(" ");
    if line.starts_with("afterstate train") && !line.contains("--resume") {
        let seconds = if line.contains("--seconds") { "" } else { " --seconds 1" };
        line = format!("{line}{seconds} --eval-games 4");
    }
    if line.starts_with("afterstate play") && !line.contains("--moves") {
        line += " --moves 5";
    }
    line
}

/// The program by its name in a folder, where its commands are run.
fn shell(scratch: &Scratch, line: &str) -> Command {
    let mut command = Command::new("bash");
    command.args(["-o", "pipefail", "-c", line]).current_dir(&scratch.0);
    command.env("PATH", format!("{}:/usr/bin:/bin", scratch.0.display())).env("BROWSER", "true");
    command
}

/// Runs the commands of a guide and returns their number.
fn run_all(path: &Path) -> usize {
    let (guide, name) = (fs::read_to_string(path).unwrap(), path.file_stem().unwrap());
    let scratch = Scratch::new(&format!("guide-{}", name.to_string_lossy()));
    symlink(env!("CARGO_BIN_EXE_afterstate"), scratch.0.join("afterstate")).unwrap();
    // The only text that is neither a command nor code is a file of pieces.
    for text in blocks(&guide, "text") {
        fs::write(scratch.0.join("pieces.txt"), text).unwrap();
    }
    let lines: Vec<&str> = blocks(&guide, "sh").into_iter().flat_map(str::lines).collect();
    for &line in &lines {
        // The tests have built the program that this would build.
        let command = line.replace("cargo run --release --", "afterstate");
        if command.starts_with("afterstate serve") {
            serves(&scratch, &command);
            continue;
        }
        let output = shell(&scratch, &shortened(&command)).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {line}\n{error}", path.display());
        assert!(!output.stdout.is_empty(), "{}: {line} says nothing", path.display());
    }
    // Commands that need a GPU work, or the first of them says what is missing.
    let mut missing = false;
    for line in blocks(&guide, "sh gpu").into_iter().flat_map(str::lines) {
        let output = shell(&scratch, &shortened(line)).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        missing |= error.contains("no CUDA driver");
        assert!(output.status.success() || missing, "{}: {line}\n{error}", path.display());
    }
    lines.len()
}

/// Starts a server on any free port and ends it when it has said its address.
fn serves(scratch: &Scratch, line: &str) {
    let line = format!("exec {line} --port 0");
    let mut server = shell(scratch, &line).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let said = lines.any(|shown| shown.unwrap().contains("http://"));
    Command::new("kill").args(["-INT", &server.id().to_string()]).status().unwrap();
    assert!(server.wait().unwrap().success() && said, "{line}");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_commands_of_the_readme_work() {
    let run = run_all(&root().join("README.md"));
    assert!(run > 15, "{run} commands");
}

#[test]
fn the_commands_of_the_guides_work() {
    let files = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let guides = files.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let crate_readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let run: usize = guides.chain([crate_readme]).map(|path| run_all(&path)).sum();
    assert!(run > 15, "{run} commands");
}
