//! The full-screen terminal, by what is on the screen of a pseudo-terminal.

use crate::harness::{Scratch, TD, lines, printed, train};
use crate::pty::{DOWN, F12, LEFT, RIGHT, Terminal, UP};

#[test]
fn tiles_slide_with_hints_and_undo() {
    let mut terminal = Terminal::start(&["play", "2048", "--seed", "5"]);
    terminal.sees("2048:4x4  seed 5  by hand");
    terminal.sees("move 0");
    terminal.wait("alternate screen", |screen| screen.alternate_screen() && screen.hide_cursor());
    terminal.shows("h", "Hints: 2048 greedy");
    terminal.sees("►");
    for key in [LEFT, RIGHT, UP, DOWN] {
        terminal.press(key);
    }
    terminal.wait("a move", |screen| !screen.contents().contains("move 0"));
    for _ in 0..6 {
        terminal.press("u");
    }
    terminal.sees("move 0");
    terminal.sees("no move to undo");
    terminal.shows("?", "the value of every move");
    terminal.press("?");
    terminal.wait("board", |screen| !screen.contents().contains("the value of every move"));
    // A 2 has its colour, one of sixteen million.
    assert!(terminal.colors().contains(&vt100::Color::Rgb(0xee, 0xe6, 0xda)));
    let shown = terminal.quit();
    assert!(shown.contains("Stopped after 0 moves: 0 points (--seed 5)"), "{shown}");
}

#[test]
fn a_piece_is_moved_turned_and_dropped() {
    let scratch = Scratch::new("terminal-hand");
    let file = scratch.path("mine.json");
    let mut terminal = Terminal::start(&["play", "tetris", "--seed", "5", "--replay-out", &file]);
    terminal.sees("▒▒");
    let ghost = |screen: &vt100::Screen| {
        let rows: Vec<String> = screen.rows(0, 80).collect();
        rows.iter().map(|row| row.chars().position(|c| c == '▒')).collect::<Vec<_>>()
    };
    let before = terminal.look(ghost);
    terminal.press(LEFT);
    terminal.wait("ghost to the left", |screen| ghost(screen) != before);
    let moved = terminal.look(ghost);
    terminal.press(UP);
    terminal.wait("turned ghost", |screen| ghost(screen) != moved);
    terminal.shows(" ", "move 1");
    terminal.sees("██");
    terminal.shows("h", "Hints: tetris-10x20 greedy");
    terminal.sees("░░");
    terminal.shows("u", "move 0");
    terminal.shows("r", "move 1");
    terminal.press("\x1b");
    let shown = terminal.ends(0);
    assert!(shown.contains("Stopped after 1 move: 0 lines"), "{shown}");
    assert!(printed(&["eval", "--replay", &file]).contains("1 move, 0 lines, not finished"));
}

#[test]
fn pieces_of_a_hand_are_chosen_and_placed() {
    let mut terminal = Terminal::start(&["play", "1010:hand=3", "--seed", "5"]);
    terminal.sees(" 3 ");
    terminal.press("2");
    terminal.press(LEFT);
    terminal.shows(" ", "move 1");
    // The same place is taken now.
    terminal.press("1");
    terminal.shows(" ", "the piece does not fit there");
    terminal.shows("3", "the hand has no such piece");
    terminal.quit();
}

#[test]
fn an_agent_is_watched_paused_and_stepped() {
    let arguments = ["play", "2048", "--agent", "builtin", "--seed", "1", "--delay", "10"];
    let mut terminal = Terminal::start(&arguments);
    terminal.sees("agent 2048");
    let move_of = |screen: &vt100::Screen| {
        let text = screen.contents();
        let after = text.split("move ").nth(1).unwrap_or_default();
        after.split_whitespace().next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0)
    };
    terminal.wait("nine moves", |screen| move_of(screen) >= 9);
    terminal.press(" ");
    let is_paused = |screen: &vt100::Screen, speed: &str| {
        let text = screen.contents();
        text.contains(&format!("paused ({speed} moves/s)")) && !text.contains("thinking")
    };
    terminal.wait("pause without a request", |screen| is_paused(screen, "250"));
    let paused = terminal.look(move_of);
    terminal.press("-");
    terminal.wait("lower speed", |screen| is_paused(screen, "60"));
    terminal.press("+");
    terminal.wait("old speed", |screen| is_paused(screen, "250"));
    assert_eq!(terminal.look(move_of), paused);
    terminal.shows("n", &format!("move {}", paused + 1));
    terminal.press("]");
    terminal.shows("h", "expectimax:2");
    terminal.press("h");
    terminal.press("[");
    terminal.press("++++++++");
    terminal.shows(" ", "Game over");
    terminal.shows("N", "seed 2");
    terminal.sees("move 0");
    terminal.shows("a", "by hand");
    terminal.quit();
}

#[test]
fn the_board_follows_the_size_of_the_terminal() {
    let terminal = Terminal::start(&["play", "tetris", "--seed", "5"]);
    terminal.sees("move 0");
    terminal.resize(20, 8);
    terminal.sees("this game needs");
    terminal.resize(140, 50);
    terminal.sees("▒▒▒▒▒▒▒▒");
    terminal.resize(42, 24);
    terminal.wait("small cells", |screen| {
        screen.contents().contains("▒▒") && !screen.contents().contains("▒▒▒▒▒▒▒▒")
    });
    terminal.quit();
}

#[test]
fn the_terminal_is_given_back_however_it_ends() {
    let sane = |shown: &str| {
        assert!(shown.contains(" icanon") && shown.contains(" echo "), "{shown}");
    };
    for key in ["q", "\x03"] {
        let mut terminal = Terminal::in_shell("play 2048 --seed 5", &[]);
        terminal.sees("your move");
        terminal.shows(key, "the end");
        let shown = terminal.ends(0);
        assert!(shown.contains("Stopped after"), "{shown}");
        sane(&shown);
    }
    for signal in ["-INT", "-TERM"] {
        let terminal = Terminal::start(&["play", "tetris", "--agent", "builtin"]);
        terminal.sees("moves/s");
        terminal.signal(signal);
        assert!(terminal.ends(0).contains("Stopped after"));
    }
    let mut terminal = Terminal::in_shell("play 2048 --seed 5", &[("AFTERSTATE_TEST_PANIC", "1")]);
    terminal.sees("your move");
    terminal.shows(F12, "the end");
    sane(&terminal.ends(0));
}

/// A window that is closed, a connection that is lost.
#[test]
fn a_program_without_its_terminal_ends() {
    let terminal = Terminal::start(&["play", "2048", "--seed", "5"]);
    terminal.sees("your move");
    terminal.hang_up("?");
    let terminal = Terminal::start(&["play", "tetris", "--agent", "builtin"]);
    terminal.sees("moves/s");
    terminal.hang_up("?");
}

#[test]
fn colors_are_those_of_the_terminal() {
    let colored = |set: &[(&str, &str)]| {
        let terminal = Terminal::with(&["play", "2048", "--seed", "5"], (80, 24), set);
        terminal.sees("your move");
        let color = terminal.colors().into_iter().find(|color| *color != vt100::Color::Default);
        terminal.quit();
        color
    };
    assert_eq!(colored(&[("NO_COLOR", "1"), ("COLORTERM", "truecolor")]), None);
    assert!(matches!(colored(&[("COLORTERM", "truecolor")]), Some(vt100::Color::Rgb(..))));
    assert!(matches!(colored(&[]), Some(vt100::Color::Idx(_))));
}

#[test]
fn a_dumb_terminal_gets_plain_text() {
    for (arguments, set) in [
        (&["play", "2048", "--seed", "5"][..], &[("TERM", "dumb")][..]),
        (&["play", "2048", "--seed", "5", "--plain"], &[]),
    ] {
        let mut terminal = Terminal::with(arguments, (80, 40), set);
        terminal.sees("your move>");
        assert!(!terminal.look(vt100::Screen::alternate_screen));
        terminal.press("hints\nquit\n");
        let shown = terminal.ends(0);
        assert!(shown.contains("Stopped after 0 moves"), "{shown}");
        let is_hint = |line: &str| {
            let value = line.trim_end().strip_prefix("down ").map(|value| value.replace(',', ""));
            value.is_some_and(|value| value.parse::<f64>().is_ok_and(|value| value > 1_000.0))
        };
        assert!(shown.lines().any(is_hint), "{shown}");
    }
}

#[test]
fn a_replay_is_shown_forwards_and_backwards() {
    let scratch = Scratch::new("terminal-replay");
    let file = scratch.path("game.json");
    printed(&["record", "1010", "--moves", "12", "--replay-out", &file]);
    let mut terminal = Terminal::start(&["play", "--replay", &file, "--delay", "20"]);
    terminal.sees("replay");
    terminal.sees("move 12");
    terminal.sees("paused");
    terminal.shows("u", "move 11");
    terminal.shows("n", "move 12");
    terminal.quit();
}

#[test]
fn a_training_is_followed() {
    let scratch = Scratch::new("terminal-top");
    let (recipe, run) = (scratch.recipe(&lines(100, TD)), scratch.path("run"));
    train(&recipe, &run);
    let mut terminal = Terminal::start(&["top", &run]);
    for text in ["finished", "100%", "games that reach", "mean score in training", "q quit"] {
        terminal.sees(text);
    }
    terminal.press("x");
    terminal.resize(10, 4);
    terminal.sees("The term");
    terminal.resize(120, 40);
    terminal.sees("finished");
    terminal.quit();
    let plain = printed(&["top", &run]);
    assert!(plain.contains("finished") && plain.contains("games that reach"), "{plain}");
    let json = crate::harness::objects(&["top", &run, "--json"]);
    assert_eq!((&json[0]["finished"], &json[0]["episodes"]), (&true.into(), &100.into()));
}

/// The rows of a screen that have text.
fn rows(shown: &str) -> Vec<&str> {
    shown.lines().filter(|line| !line.trim().is_empty()).collect()
}

#[test]
fn the_progress_of_a_training_is_one_line_and_ctrl_c_clears_it() {
    let scratch = Scratch::new("terminal-train");
    let recipe = scratch.recipe(&lines(1_000_000_000, TD));
    for (columns, key) in [(80, "\x03"), (40, "\x03"), (80, "")] {
        let run = scratch.path(&format!("run-{columns}{}", key.len()));
        let arguments = ["train", &recipe, "--out", &run, "--threads", "1"];
        let mut terminal = Terminal::with(&arguments, (columns, 24), &[]);
        let bar = |screen: &vt100::Screen| {
            let all = screen.contents();
            let drawn = all.lines().filter(|line| line.contains(['█', '░']));
            drawn.map(str::to_owned).collect::<Vec<_>>()
        };
        let share = |line: &String| line.contains("0% ") && line.contains(" left");
        terminal.wait("the bar", |screen| bar(screen).last().is_some_and(share));
        if columns == 80 {
            let whole = |line: &String| line.contains("mean ") && line.contains(" games");
            terminal.wait("its parts", |screen| bar(screen).last().is_some_and(whole));
        }
        let (drawn, last) = terminal.look(|screen| {
            let last = rows(&screen.contents()).last().map(|&line| line.to_owned());
            (bar(screen), last.unwrap_or_default())
        });
        assert!(drawn.len() == 1 && drawn[0] == last, "{drawn:?} {last:?}");
        assert!(last.trim_end().chars().count() <= usize::from(columns) - 3, "{last}");
        if key.is_empty() {
            terminal.signal("-TERM");
        } else {
            terminal.press(key);
        }
        let shown = terminal.ends(0);
        assert!(!shown.contains("^C") && !shown.contains(['█', '░', '%']), "{shown}");
        let at = shown.lines().position(|line| line.starts_with("Stopped and saved. Resume"));
        assert!(at.is_some() && !shown.contains("Stopping"), "{shown}");
    }
}

#[test]
fn deleting_a_run_is_asked_for() {
    let scratch = Scratch::new("terminal-delete");
    let run = scratch.path("run");
    train(&scratch.recipe(&lines(20, TD)), &run);
    for (answer, sentence) in [("\n", "is kept."), ("n\n", "is kept."), ("y\n", "is deleted, ")] {
        assert!(std::path::Path::new(&run).exists());
        let mut terminal = Terminal::start(&["runs", "--delete", &run]);
        terminal.sees("? [y/N]");
        terminal.press(answer);
        let shown = terminal.ends(0).replace('\n', "");
        assert!(shown.contains(sentence), "{shown}");
    }
    assert!(!std::path::Path::new(&run).exists());
}
