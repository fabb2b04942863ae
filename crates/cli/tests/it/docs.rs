//! The commands of the guides in `docs/` and of the README of the crate, run in their order with smaller
//! numbers.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

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

#[test]
fn the_commands_of_the_guides_work() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut run = 0;
    let guides = fs::read_dir(docs).unwrap().map(|entry| entry.unwrap().path());
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    for path in guides.chain([readme]) {
        let (guide, name) = (fs::read_to_string(&path).unwrap(), path.file_stem().unwrap());
        let scratch = Scratch::new(&format!("guide-{}", name.to_string_lossy()));
        symlink(env!("CARGO_BIN_EXE_afterstate"), scratch.0.join("afterstate")).unwrap();
        // The only text that is neither a command nor code is a file of pieces.
        for text in blocks(&guide, "text") {
            fs::write(scratch.0.join("pieces.txt"), text).unwrap();
        }
        for line in blocks(&guide, "sh").into_iter().flat_map(str::lines) {
            let output = Command::new("bash")
                .args(["-o", "pipefail", "-c", &shortened(line)])
                .env("PATH", format!("{}:/usr/bin:/bin", scratch.0.display()))
                .current_dir(&scratch.0)
                .output()
                .unwrap();
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {line}\n{error}", path.display());
            assert!(!output.stdout.is_empty(), "{}: {line} says nothing", path.display());
            run += 1;
        }
    }
    assert!(run > 15, "{run} commands");
}
