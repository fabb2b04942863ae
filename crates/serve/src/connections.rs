//! Connections: accepted up to a limit, closed gracefully when the server stops.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::limits::{MAX_CONNECTIONS, READ_TIMEOUT};
use crate::timed_stream::TimedStream;

/// Serves connections until `stop` completes; then requests in progress have so much time.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    stop: impl Future<Output = ()>,
    shutdown: Duration,
) {
    let graceful = GracefulShutdown::new();
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut stop = std::pin::pin!(stop);
    loop {
        let accept = async {
            let permit = Arc::clone(&permits).acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            accepted = accept => accepted,
            () = &mut stop => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Out of file descriptors: wait for some to be closed.
                if error.kind() != io::ErrorKind::ConnectionAborted {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                continue;
            }
        };
        // Nagle's algorithm would delay small responses.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(READ_TIMEOUT);
        let connection = graceful
            .watch(builder.serve_connection(TokioIo::new(TimedStream::new(stream)), service));
        tokio::spawn(async move {
            // An error here concerns this client only.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(shutdown, graceful.shutdown()).await;
}
