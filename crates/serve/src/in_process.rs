//! `InProcess`: the routes of the server without connections, for tests that send millions of requests.

use std::net::{Ipv4Addr, SocketAddr};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use tokio::runtime::{Builder, Runtime};

use crate::Settings;
use crate::app::{App, router};
use crate::guard::Guard;

/// The most bytes of a response: a review of 500 positions has a tenth.
const MAX_RESPONSE: usize = 16 << 20;

/// A server that answers in the thread that asks.
pub struct InProcess {
    router: TowerToHyperService<Router>,
    runtime: Runtime,
    host: String,
}

impl InProcess {
    /// A server that lets in everyone.
    pub fn new(settings: Settings) -> std::io::Result<InProcess> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, settings.port));
        let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(1).build()?;
        let router = router(&App::new(settings), Guard::new(address, None));
        let host = address.to_string();
        Ok(InProcess { router: TowerToHyperService::new(router), runtime, host })
    }

    /// The status and the body of the response to a body of JSON, sent to a path of the API.
    pub fn post(&self, path: &str, body: Vec<u8>) -> Result<(u16, Vec<u8>), axum::Error> {
        let request = Request::post(format!("/api/{path}"))
            .header(header::HOST, &self.host)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::CONTENT_LENGTH, body.len())
            .body(Body::from(body))
            .map_err(axum::Error::new)?;
        self.runtime.block_on(async {
            let response = self.router.call(request).await.map_err(axum::Error::new)?;
            let status = response.status().as_u16();
            let body = to_bytes(response.into_body(), MAX_RESPONSE).await?;
            Ok((status, body.to_vec()))
        })
    }
}
