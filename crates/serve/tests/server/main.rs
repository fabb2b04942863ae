//! The server over real connections on loopback: valid, invalid, hostile and many requests.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod access;
mod bad_input;
mod limits;
mod many;
mod play;
mod slow;
#[path = "../start/mod.rs"]
mod start;
mod train;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use afterstate_serve::client::{Client, Response};
use afterstate_serve::{Entrance, Limits, ServeError, Stop};
use serde_json::{Value, json};

use self::start::{Started, start_with};

/// A server with its own folder, stopped when it is dropped.
struct Server {
    address: SocketAddr,
    folder: PathBuf,
    stop: Stop,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
    /// The tokens that the terminal would show.
    tokens: Mutex<mpsc::Receiver<Entrance>>,
}

impl Server {
    fn start() -> Server {
        Server::with(false)
    }

    /// A server that lets in only who has a token, or everyone.
    fn with(token: bool) -> Server {
        Server::with_limits(token, Limits::default())
    }

    fn with_limits(token: bool, limits: Limits) -> Server {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("afterstate-serve-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let Started { address, entrances, stop, thread } = start_with(&folder, token, limits);
        Server { address, folder, stop, thread: Some(thread), tokens: Mutex::new(entrances) }
    }

    fn client(&self) -> Client {
        Client::connect(self.address).unwrap()
    }

    fn get(&self, path: &str) -> (u16, Value) {
        self.client().request("GET", path, None).unwrap().json()
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.client().request("POST", path, Some(&body.to_string())).unwrap().json()
    }

    /// The response to a request that is sent as it is.
    fn raw(&self, request: &str) -> Response {
        let mut client = self.client();
        client.send(request).unwrap();
        client.response().unwrap()
    }

    /// A new game.
    fn game(&self, rules: &str) -> Value {
        let (status, game) = self.post("/api/games", &json!({"game": rules, "seed": 1}));
        assert_eq!(status, 200, "{game}");
        game
    }

    fn runs(&self) -> PathBuf {
        self.folder.join("runs")
    }

    /// Stops the server and returns its result.
    fn stop(&mut self) -> Result<(), ServeError> {
        self.stop.ask();
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.thread.is_some() {
            let _ = self.stop();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Waits until a condition holds.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let clock = Instant::now();
    while !holds() {
        assert!(clock.elapsed() < Duration::from_secs(60), "not within 60 s: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}
