//! The page of afterstate and its server: play, watch, train, look inside, read results.
//!
//! The server listens on loopback unless asked otherwise, answers only its own page, does so much at
//! a time and no more (`limits.rs`), and never takes a path from a request: whatever has a file is
//! looked up in a list.

mod agents;
mod app;
mod body;
mod connections;
mod failure;
mod games;
mod guard;
mod limits;
pub mod load;
mod page;
mod results;
mod runs;
mod settings;
mod shelf;
mod shows;
mod trainer;
mod work;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::Notify;

pub use settings::Settings;

/// The server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Its address is taken, or not this machine's.
    #[error("cannot listen on {address}: {source}")]
    Address {
        /// The address and port.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The system gave no threads.
    #[error("no threads to serve on: {0}")]
    Threads(io::Error),
}

/// A way to stop a server from elsewhere, such as the handler of Ctrl-C.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Notify>);

impl Stop {
    /// Asks the server to stop; it may not even have started.
    pub fn ask(&self) {
        self.0.notify_one();
    }
}

/// Serves the page until it is asked to stop, then ends trainings with a checkpoint. `ready` is told the
/// address when the server listens.
pub fn serve(
    settings: Settings,
    ready: impl FnOnce(SocketAddr),
    stop: &Stop,
) -> Result<(), ServeError> {
    // A thousand clients are a thousand files; what the system allows is what there is.
    let _ = rlimit::increase_nofile_limit(limits::CONNECTIONS as u64 + 512);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(limits::AT_WORK + limits::SHOWS * limits::LANES)
        .enable_all()
        .build()
        .map_err(ServeError::Threads)?;
    let served = runtime.block_on(async {
        let address = SocketAddr::new(settings.address, settings.port);
        let refused = |source| ServeError::Address { address, source };
        let listener = TcpListener::bind(address).await.map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let app = app::App::new(settings);
        ready(address);
        let ending = async {
            stop.0.notified().await;
            app.end();
        };
        connections::serve(listener, app::router(&app, address), ending).await;
        app.trainer.wait(limits::END_WITHIN);
        Ok(())
    });
    runtime.shutdown_timeout(limits::END_WITHIN);
    served
}
