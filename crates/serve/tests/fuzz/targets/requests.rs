//! Bodies of requests, given to the routes of a server in this process, and a part of them sent over a
//! connection.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use std::{fs, io};

use afterstate_serve::client::Client;
use afterstate_serve::in_process::InProcess;
use afterstate_serve::{Limits, Settings};
use serde_json::{Value, json};

use super::is_one_in;
use super::start::start;

/// Where bodies are sent; `GAME` is the id of a game that is open.
pub(crate) const PATHS: [&str; 12] = [
    "games",
    "games/GAME/move",
    "games/GAME/agent",
    "games/GAME/go",
    "games/GAME/hints",
    "games/GAME/explain",
    "games/GAME/review",
    "replays",
    "streams",
    "streams/s1",
    "runs",
    "runs/other/resume",
];

/// What the server may answer: done, or refused with a sentence. 500 is a bug.
const STATUSES: [u16; 8] = [200, 400, 404, 408, 409, 413, 415, 503];

/// Bytes of a body above which the server may close the connection instead of reading it.
const MAX_BODY: usize = 1 << 16;

/// One input in so many is sent over a connection, to a server with the limits of every server.
const CONNECTED: u64 = 100;

/// The limits of the server in this process. As many runs as are allowed are there: what a training asks
/// for is read and checked, and then refused.
fn limits() -> Limits {
    Limits { runs: 3, think: Duration::from_millis(3), ..Limits::default() }
}

/// Who sends: the last one removes the folders of the servers.
static VISITORS: AtomicU64 = AtomicU64::new(0);

/// The folder of the servers with so many runs.
fn folder(runs: usize) -> PathBuf {
    std::env::temp_dir().join(format!("afterstate-fuzz-server-{runs}-{}", std::process::id()))
}

/// The same folder with its runs.
fn made_folder(runs: usize) -> PathBuf {
    let folder = folder(runs);
    for number in 0..runs {
        let run = folder.join(format!("runs/run-{number}"));
        fs::create_dir_all(&run).unwrap();
        fs::write(run.join("recipe.toml"), "").unwrap();
    }
    folder
}

/// The address of the server of this process that has connections.
fn server() -> SocketAddr {
    static SERVER: OnceLock<SocketAddr> = OnceLock::new();
    *SERVER.get_or_init(|| start(&made_folder(Limits::default().runs), false).address)
}

/// The settings of the server that has none.
fn settings() -> Settings {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| made_folder(limits().runs));
    let [runs, results, solved] = ["runs", "results", "solved"].map(|name| folder.join(name));
    Settings { runs, results, solved, limits: limits(), ..Settings::default() }
}

/// The way to a server.
enum Route {
    InProcess(InProcess),
    Connected(Client),
}

impl Route {
    fn send(&mut self, path: &str, body: &[u8]) -> io::Result<(u16, Value)> {
        let client = match self {
            Route::InProcess(server) => {
                let (status, body) = server.post(path, body.to_vec()).unwrap();
                return Ok((status, serde_json::from_slice(&body).unwrap_or(Value::Null)));
            }
            Route::Connected(client) => client,
        };
        let (host, length) = (server(), body.len());
        let head = format!(
            "POST /api/{path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n"
        );
        client.send([head.as_bytes(), body].concat())?;
        Ok(client.response()?.json())
    }

    /// Sends a body on a new connection if the server has closed this one, as it does after errors.
    fn request(&mut self, path: &str, body: &[u8]) -> Option<(u16, Value)> {
        if let Ok(response) = self.send(path, body) {
            return Some(response);
        }
        *self = Route::Connected(Client::connect(server()).unwrap());
        let again = self.send(path, body);
        assert!(again.is_ok() || body.len() > MAX_BODY, "{path}: {again:?}");
        if again.is_err() {
            *self = Route::Connected(Client::connect(server()).unwrap());
        }
        again.ok()
    }
}

/// A way to a server, and a game with its revision.
struct Visitor {
    route: Route,
    game: String,
    revision: u64,
}

impl Visitor {
    fn new(is_connected: bool) -> Visitor {
        VISITORS.fetch_add(1, Ordering::Relaxed);
        let route = match is_connected {
            true => Route::Connected(Client::connect(server()).unwrap()),
            false => Route::InProcess(InProcess::new(settings()).unwrap()),
        };
        let mut visitor = Visitor { route, game: String::new(), revision: 1 };
        visitor.open();
        visitor
    }

    /// Opens a game.
    fn open(&mut self) {
        let new = json!({"game": "2048:3x3", "seed": 1}).to_string();
        let (status, game) = self.route.send("games", new.as_bytes()).unwrap();
        assert_eq!(status, 200, "{game}");
        (self.game, self.revision) = (game["id"].as_str().unwrap().to_owned(), 1);
    }

    /// Sends a body to a path and judges the response.
    fn visit(&mut self, path: &str, body: &[u8]) {
        let revision = format!("\"revision\":{}", self.revision);
        // What is still text names the revision of the game, so that more of it is used.
        let body = match std::str::from_utf8(body) {
            Ok(text) => text.replace("\"revision\":0", &revision).into_bytes(),
            Err(_) => body.to_vec(),
        };
        let to = path.replace("GAME", &self.game);
        let Some((status, told)) = self.route.request(&to, &body) else { return };
        assert!(STATUSES.contains(&status), "{path}: {status}, {told}");
        if status != 200 {
            let error = told["error"].as_str().unwrap_or_default();
            assert!(!error.is_empty() && !error.contains('\n'), "{path}: {told}");
        }
        let finished = told["finished"] == Value::Bool(true);
        if path.contains("GAME") && (status == 404 && told["error"] != Value::Null || finished) {
            self.open();
        } else if let (true, Some(revision)) = (path.contains("GAME"), told["revision"].as_u64()) {
            self.revision = revision;
        }
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        if VISITORS.fetch_sub(1, Ordering::Relaxed) == 1 {
            for runs in [limits().runs, Limits::default().runs] {
                let _ = fs::remove_dir_all(folder(runs));
            }
        }
    }
}

/// The first byte selects the path, the rest is the body.
pub(crate) fn requests(bytes: &[u8]) {
    thread_local!(static VISITORS: RefCell<[Option<Visitor>; 2]> = const { RefCell::new([None, None]) });
    let Some((first, body)) = bytes.split_first() else { return };
    let path = PATHS[usize::from(*first) % PATHS.len()];
    let is_connected = is_one_in(CONNECTED, bytes);
    VISITORS.with_borrow_mut(|visitors| {
        let visitor = &mut visitors[usize::from(is_connected)];
        visitor.get_or_insert_with(|| Visitor::new(is_connected)).visit(path, body);
    });
}
