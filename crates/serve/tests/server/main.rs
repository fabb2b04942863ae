//! The server as hostile, clumsy and many clients meet it: over real connections on loopback.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod bad_input;
mod many;
mod play;
mod train;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use afterstate_serve::load::{Answer, Client};
use afterstate_serve::{ServeError, Settings, Stop, serve};
use serde_json::{Value, json};

/// A server with a folder of its own, ended when the test ends.
struct Server {
    address: SocketAddr,
    folder: PathBuf,
    stop: Stop,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

impl Server {
    fn start() -> Server {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("afterstate-serve-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let stop = Stop::default();
        let settings = Settings {
            port: 0,
            runs: folder.join("runs"),
            results: folder.join("results"),
            solved: folder.join("solved"),
            ..Settings::default()
        };
        let (told, ready) = mpsc::channel();
        let stopping = stop.clone();
        let thread = thread::spawn(move || {
            serve(settings, |address| told.send(address).unwrap(), &stopping)
        });
        let address = ready.recv().unwrap();
        Server { address, folder, stop, thread: Some(thread) }
    }

    fn client(&self) -> Client {
        Client::connect(self.address).unwrap()
    }

    fn get(&self, path: &str) -> (u16, Value) {
        read(&self.client().ask("GET", path, None).unwrap())
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        read(&self.client().ask("POST", path, Some(&body.to_string())).unwrap())
    }

    /// What a raw request is answered.
    fn raw(&self, request: &str) -> Answer {
        let mut client = self.client();
        client.send(request).unwrap();
        client.answer().unwrap()
    }

    /// A game that was just opened.
    fn game(&self, rules: &str) -> Value {
        let (status, game) = self.post("/api/games", &json!({"game": rules, "seed": 1}));
        assert_eq!(status, 200, "{game}");
        game
    }

    fn runs(&self) -> PathBuf {
        self.folder.join("runs")
    }

    /// Asks it to end, and returns how that went.
    fn end(&mut self) -> Result<(), ServeError> {
        self.stop.ask();
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.thread.is_some() {
            let _ = self.end();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn read(answer: &Answer) -> (u16, Value) {
    (answer.status, serde_json::from_slice(&answer.body).unwrap_or(Value::Null))
}

/// Waits for something that must happen.
fn until(what: &str, mut happens: impl FnMut() -> bool) {
    let clock = Instant::now();
    while !happens() {
        assert!(clock.elapsed() < Duration::from_secs(60), "waited in vain: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// How many threads of this program have a name that begins so.
fn threads(name: &str) -> usize {
    let tasks = std::fs::read_dir(Path::new("/proc/self/task")).unwrap();
    let names =
        tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|own| own.starts_with(name)).count()
}
