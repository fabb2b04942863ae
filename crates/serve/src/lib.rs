//! The page and its server: play, watch, train, explain and read results in a browser.
//!
//! The server listens on loopback by default, lets in others only by a link that works once
//! (`access.rs`), answers only its own page (`guard.rs`), bounds its work (`limits.rs`) and never uses
//! a name from a request as a path: files are looked up in lists.

mod access;
mod agents;
mod app;
mod body;
pub mod client;
mod connections;
mod curves;
mod error;
mod games;
mod guard;
#[doc(hidden)]
pub mod in_process;
mod limits;
mod lru_store;
mod page;
mod results;
mod review;
mod room;
mod runs;
mod settings;
mod streams;
mod timed_stream;
mod trainer;
mod worker_pool;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc};

use access::Access;
use guard::Guard;
#[doc(hidden)]
pub use settings::Limits;
pub use settings::Settings;

/// The server cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address is in use, or not one of this machine.
    #[error("cannot listen on {address}: {source}")]
    Address {
        /// The address and port.
        address: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },
    /// The system has no random numbers for the token of the link.
    #[error("cannot create a link that works once: {0}")]
    Token(getrandom::Error),
    /// The runtime has no threads.
    #[error("cannot start the threads of the server: {0}")]
    Threads(io::Error),
}

/// Stops a server from another thread, such as the handler of Ctrl-C.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Notify>);

impl Stop {
    /// Asks the server to stop; a server that has not started yet stops when it starts.
    pub fn ask(&self) {
        self.0.notify_one();
    }
}

/// How to reach a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrance {
    /// The address.
    pub address: SocketAddr,
    /// The token that lets one browser in, as the query `token=` of the page; `None` where none is
    /// needed.
    pub token: Option<String>,
}

/// Serves the page until it is asked to stop, then ends trainings with a checkpoint. Calls `show` as
/// soon as the server listens, and again with a new token whenever one was used.
///
/// ```
/// use afterstate_serve::{Settings, Stop, serve};
///
/// let stop = Stop::default();
/// let settings = Settings { port: 0, ..Settings::default() };
/// serve(
///     settings,
///     |entrance| {
///         println!("The page is at http://{}", entrance.address);
///         stop.ask(); // another thread would, later
///     },
///     &stop,
/// )?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn serve(
    settings: Settings,
    mut show: impl FnMut(Entrance),
    stop: &Stop,
) -> Result<(), ServeError> {
    // Every connection is a file descriptor. If the system refuses more, its limit applies.
    let _ = rlimit::increase_nofile_limit(limits::MAX_CONNECTIONS as u64 + 512);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(2 * limits::WORKERS)
        .enable_all()
        .build()
        .map_err(ServeError::Threads)?;
    let shutdown = settings.limits.shutdown;
    let result = runtime.block_on(async {
        let address = SocketAddr::new(settings.address, settings.port);
        let failed = |source| ServeError::Address { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (links, mut tokens) = mpsc::unbounded_channel();
        let access = match settings.token || !address.ip().is_loopback() {
            true => Some(Access::new(address.port(), links).map_err(ServeError::Token)?),
            false => None,
        };
        if access.is_none() {
            show(Entrance { address, token: None });
        }
        let app = app::App::new(settings);
        let shown = async {
            while let Some(token) = tokens.recv().await {
                show(Entrance { address, token: Some(token) });
            }
            std::future::pending::<()>().await;
        };
        let stopped = async {
            stop.0.notified().await;
            app.stop();
        };
        let guard = Guard::new(address, access);
        tokio::select! {
            () = connections::serve(listener, app::router(&app, guard), stopped, shutdown) => {}
            () = shown => {}
        }
        app.trainer.wait(shutdown);
        Ok(())
    });
    runtime.shutdown_timeout(shutdown);
    result
}

/// The examples of the README, compiled and run as tests.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct Readme;
