//! Bodies of requests, sent over a connection to a server that runs beside the target.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, io};

use afterstate_serve::client::{Client, Response};
use serde_json::{Value, json};

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

/// Who sends: the last one removes the folder of the server.
static VISITORS: AtomicU64 = AtomicU64::new(0);

/// The folder of the server.
fn folder() -> PathBuf {
    std::env::temp_dir().join(format!("afterstate-fuzz-server-{}", std::process::id()))
}

/// The address of the server of this process. Its folder has as many runs as are allowed: what a
/// training asks for is read and checked, and then refused.
fn server() -> SocketAddr {
    static SERVER: OnceLock<SocketAddr> = OnceLock::new();
    *SERVER.get_or_init(|| {
        let folder = folder();
        for number in 0..1_000 {
            let run = folder.join(format!("runs/run-{number}"));
            fs::create_dir_all(&run).unwrap();
            fs::write(run.join("recipe.toml"), "").unwrap();
        }
        start(&folder, false).address
    })
}

/// A connection, and a game with its revision.
struct Visitor {
    client: Client,
    game: String,
    revision: u64,
}

impl Visitor {
    fn new() -> Visitor {
        VISITORS.fetch_add(1, Ordering::Relaxed);
        let client = Client::connect(server()).unwrap();
        let mut visitor = Visitor { client, game: String::new(), revision: 1 };
        visitor.open();
        visitor
    }

    /// Opens a game.
    fn open(&mut self) {
        let new = json!({"game": "2048:3x3", "seed": 1}).to_string();
        let (status, game) = self.send("games", new.as_bytes()).unwrap().json();
        assert_eq!(status, 200, "{game}");
        (self.game, self.revision) = (game["id"].as_str().unwrap().to_owned(), 1);
    }

    fn send(&mut self, path: &str, body: &[u8]) -> io::Result<Response> {
        let (host, length) = (server(), body.len());
        let path = path.replace("GAME", &self.game);
        let head = format!(
            "POST /api/{path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n"
        );
        self.client.send([head.as_bytes(), body].concat())?;
        self.client.response()
    }

    /// Sends a body on a new connection if the server has closed this one, as it does after errors.
    fn request(&mut self, path: &str, body: &[u8]) -> Option<Response> {
        if let Ok(response) = self.send(path, body) {
            return Some(response);
        }
        self.client = Client::connect(server()).unwrap();
        let again = self.send(path, body);
        assert!(again.is_ok() || body.len() > MAX_BODY, "{path}: {again:?}");
        if again.is_err() {
            self.client = Client::connect(server()).unwrap();
        }
        again.ok()
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        if VISITORS.fetch_sub(1, Ordering::Relaxed) == 1 {
            let _ = fs::remove_dir_all(folder());
        }
    }
}

/// The first byte selects the path, the rest is the body.
pub(crate) fn requests(bytes: &[u8]) {
    thread_local!(static VISITOR: RefCell<Option<Visitor>> = const { RefCell::new(None) });
    let Some((first, body)) = bytes.split_first() else { return };
    let path = PATHS[usize::from(*first) % PATHS.len()];
    VISITOR.with_borrow_mut(|visitor| {
        let visitor = visitor.get_or_insert_with(Visitor::new);
        let revision = format!("\"revision\":{}", visitor.revision);
        // What is still text names the revision of the game, so that more of it is used.
        let body = match std::str::from_utf8(body) {
            Ok(text) => text.replace("\"revision\":0", &revision).into_bytes(),
            Err(_) => body.to_vec(),
        };
        let Some(response) = visitor.request(path, &body) else { return };
        let (status, told) = response.json();
        assert!(STATUSES.contains(&status), "{path}: {status}, {told}");
        if status != 200 {
            let error = told["error"].as_str().unwrap_or_default();
            assert!(!error.is_empty() && !error.contains('\n'), "{path}: {told}");
        }
        let finished = told["finished"] == Value::Bool(true);
        if path.contains("GAME") && (status == 404 && told["error"] != Value::Null || finished) {
            visitor.open();
        } else if let (true, Some(revision)) = (path.contains("GAME"), told["revision"].as_u64()) {
            visitor.revision = revision;
        }
    });
}
