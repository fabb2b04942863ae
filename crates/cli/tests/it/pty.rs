//! `Terminal`: a program under a pseudo-terminal, and its screen.

use std::fs;
use std::io::{Read, Write};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::harness::{DEADLINE, wait_until};

pub(crate) const LEFT: &str = "\x1b[D";
pub(crate) const RIGHT: &str = "\x1b[C";
pub(crate) const UP: &str = "\x1b[A";
pub(crate) const DOWN: &str = "\x1b[B";
pub(crate) const F12: &str = "\x1b[24~";

/// A program in a terminal of its own.
pub(crate) struct Terminal {
    /// The other side of the terminal and its writer, until the terminal is closed.
    line: Option<(Box<dyn MasterPty + Send>, Box<dyn Write + Send>)>,
    reader: Option<JoinHandle<()>>,
    screen: Arc<Mutex<vt100::Parser>>,
    gone: Arc<AtomicBool>,
    child: Box<dyn Child + Send + Sync>,
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

impl Terminal {
    /// The program in a terminal of the usual size, with all colours.
    pub(crate) fn start(arguments: &[&str]) -> Terminal {
        Terminal::with(arguments, (80, 24), &[("COLORTERM", "truecolor")])
    }

    pub(crate) fn with(arguments: &[&str], area: (u16, u16), set: &[(&str, &str)]) -> Terminal {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_afterstate"));
        command.args(arguments);
        Terminal::of(command, area, set)
    }

    /// The program in a shell that prints the settings of the terminal afterwards.
    pub(crate) fn in_shell(arguments: &str, set: &[(&str, &str)]) -> Terminal {
        let program = env!("CARGO_BIN_EXE_afterstate");
        let mut command = CommandBuilder::new("sh");
        command.args(["-c", &format!("'{program}' {arguments}; echo; stty -a; echo the end")]);
        Terminal::of(command, (80, 60), set)
    }

    fn of(mut command: CommandBuilder, area: (u16, u16), set: &[(&str, &str)]) -> Terminal {
        let pair = native_pty_system().openpty(size(area.0, area.1)).unwrap();
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        command.env_remove("COLORTERM");
        for (name, value) in set {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        let mut output = pair.master.try_clone_reader().unwrap();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(area.1, area.0, 0)));
        let seen = Arc::clone(&screen);
        let gone = Arc::new(AtomicBool::new(false));
        let is_gone = Arc::clone(&gone);
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                seen.lock().unwrap().process(&bytes[..count]);
                if is_gone.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        let keys = pair.master.take_writer().unwrap();
        let (line, reader) = (Some((pair.master, keys)), Some(reader));
        Terminal { line, reader, screen, gone, child }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        let (_, line) = self.line.as_mut().unwrap();
        line.write_all(keys.as_bytes()).unwrap();
        line.flush().unwrap();
    }

    /// Reads the screen.
    pub(crate) fn look<T>(&self, look: impl Fn(&vt100::Screen) -> T) -> T {
        look(self.screen.lock().unwrap().screen())
    }

    fn text(&self) -> String {
        self.look(vt100::Screen::contents)
    }

    /// The background colours of all cells.
    pub(crate) fn colors(&self) -> Vec<vt100::Color> {
        self.look(|screen| {
            let (rows, columns) = screen.size();
            let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
            cells.filter_map(|(row, column)| Some(screen.cell(row, column)?.bgcolor())).collect()
        })
    }

    /// Waits until the screen is as expected.
    pub(crate) fn wait(&self, what: &str, is_so: impl Fn(&vt100::Screen) -> bool) {
        let begin = Instant::now();
        while !self.look(&is_so) {
            assert!(begin.elapsed() < DEADLINE, "no {what} on\n{}", self.text());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until a text is on the screen.
    pub(crate) fn sees(&self, text: &str) {
        self.wait(text, |screen| screen.contents().contains(text));
    }

    /// Presses keys and waits until a text is on the screen.
    pub(crate) fn shows(&mut self, keys: &str, text: &str) {
        self.press(keys);
        self.sees(text);
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        self.screen.lock().unwrap().screen_mut().set_size(rows, columns);
        self.line.as_ref().unwrap().0.resize(size(columns, rows)).unwrap();
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.process_id().unwrap().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    }

    /// Whether the program waits in a system call, as far as /proc tells.
    fn is_asleep(&self) -> bool {
        let id = self.child.process_id().unwrap();
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_none_or(|(_, state)| state.starts_with('S'))
    }

    /// Closes the terminal, after a key that makes the program draw, and waits for its end.
    pub(crate) fn hang_up(mut self, key: &str) {
        self.gone.store(true, Ordering::Relaxed);
        self.press(key);
        self.reader.take().unwrap().join().unwrap();
        wait_until(|| self.is_asleep());
        self.line = None;
        wait_until(|| self.child.try_wait().unwrap().is_some());
    }

    /// Quits by a key; returns the screen of the restored terminal.
    pub(crate) fn quit(mut self) -> String {
        self.press("q");
        self.ends(0)
    }

    /// Waits for the end; returns the screen of the restored terminal.
    pub(crate) fn ends(mut self, code: u32) -> String {
        let mut status = None;
        wait_until(|| {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        // The reader ends when no process has the terminal open and all output is read.
        self.reader.take().unwrap().join().unwrap();
        let status = status.unwrap();
        assert!(self.look(|screen| !screen.alternate_screen() && !screen.hide_cursor()));
        assert_eq!(status.exit_code(), code, "{}", self.text());
        self.text()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}
