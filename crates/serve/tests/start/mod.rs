//! A server for a test, with a folder of its own.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use afterstate_serve::{Entrance, Limits, ServeError, Settings, Stop, serve};

/// A running server.
pub(crate) struct Started {
    pub address: SocketAddr,
    /// Each link that the terminal would show.
    #[allow(dead_code, reason = "some tests need no links")]
    pub entrances: mpsc::Receiver<Entrance>,
    #[allow(dead_code, reason = "some servers run until their process ends")]
    pub stop: Stop,
    #[allow(dead_code, reason = "some servers run until their process ends")]
    pub thread: JoinHandle<Result<(), ServeError>>,
}

/// Starts a server on a free port that lets in everyone, or only who has a token.
#[allow(dead_code, reason = "some tests have limits of their own")]
pub(crate) fn start(folder: &Path, token: bool) -> Started {
    start_with(folder, token, Limits::default())
}

/// The same with limits that a test reaches sooner.
#[allow(dead_code, reason = "some tests have the limits of every server")]
pub(crate) fn start_with(folder: &Path, token: bool, limits: Limits) -> Started {
    let settings = Settings {
        port: 0,
        token,
        runs: folder.join("runs"),
        results: folder.join("results"),
        solved: folder.join("solved"),
        limits,
        ..Settings::default()
    };
    let (send, entrances) = mpsc::channel();
    let stop = Stop::default();
    let asked = stop.clone();
    let (first, address) = mpsc::channel();
    let show = move |entrance: Entrance| {
        let _ = first.send(entrance.address);
        let _ = send.send(entrance);
    };
    let thread = thread::spawn(move || serve(settings, show, &asked));
    Started { address: address.recv().unwrap(), entrances, stop, thread }
}
