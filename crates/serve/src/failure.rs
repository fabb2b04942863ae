//! `Failure`: what a request did wrong or what went wrong with it, as a status and one sentence.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// A request that is not answered as it hoped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum Failure {
    /// The request makes no sense.
    #[error("{0}")]
    Wrong(String),
    /// It comes from where it may not.
    #[error("{0}")]
    Foreign(String),
    /// There is nothing of that name.
    #[error("{what}: met {met:?}, expected one that is listed")]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// The name that was given, or the beginning of it.
        met: String,
    },
    /// Somebody else was faster.
    #[error("{0}")]
    Conflict(String),
    /// There is no more room for what was asked.
    #[error("{0}")]
    Busy(String),
    /// The server itself could not do it.
    #[error("{0}")]
    Broken(String),
}

impl Failure {
    /// A request that makes no sense, in the words of what refused it.
    #[allow(clippy::needless_pass_by_value, reason = "made for `map_err`")]
    pub(crate) fn wrong(error: impl ToString) -> Failure {
        Failure::Wrong(error.to_string())
    }

    /// Something that ought to have worked.
    #[allow(clippy::needless_pass_by_value, reason = "made for `map_err`")]
    pub(crate) fn broken(error: impl ToString) -> Failure {
        Failure::Broken(error.to_string())
    }

    /// A name that nothing has.
    pub(crate) fn unknown(what: &'static str, met: &str) -> Failure {
        Failure::Unknown { what, met: met.chars().take(80).collect() }
    }

    fn status(&self) -> StatusCode {
        match self {
            Failure::Wrong(_) => StatusCode::BAD_REQUEST,
            Failure::Foreign(_) => StatusCode::FORBIDDEN,
            Failure::Unknown { .. } => StatusCode::NOT_FOUND,
            Failure::Conflict(_) => StatusCode::CONFLICT,
            Failure::Busy(_) => StatusCode::SERVICE_UNAVAILABLE,
            Failure::Broken(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

/// What a client reads of a failure.
#[derive(Serialize)]
pub(crate) struct Told {
    /// One sentence.
    pub(crate) error: String,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (self.status(), Json(Told { error: self.to_string() })).into_response()
    }
}
