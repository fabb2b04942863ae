//! `ApiError`: why a request is refused, as a status and one sentence.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// A request that is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum ApiError {
    /// The request is invalid.
    #[error("{0}")]
    BadRequest(String),
    /// The request comes from another origin, or names another host.
    #[error("{0}")]
    Forbidden(String),
    /// Nothing has that name.
    #[error("unknown {what} {name:?}")]
    NotFound {
        /// What was requested.
        what: &'static str,
        /// The name, truncated.
        name: String,
    },
    /// The request does not fit the current state, which another client may have changed.
    #[error("{0}")]
    Conflict(String),
    /// A limit on concurrent work is reached.
    #[error("{0}")]
    Unavailable(String),
    /// The server failed.
    #[error("{0}")]
    Internal(String),
}

impl ApiError {
    /// An invalid request, with the message of the error that refused it.
    #[allow(clippy::needless_pass_by_value, reason = "made for `map_err`")]
    pub(crate) fn bad_request(error: impl ToString) -> ApiError {
        ApiError::BadRequest(error.to_string())
    }

    /// An error of the server.
    #[allow(clippy::needless_pass_by_value, reason = "made for `map_err`")]
    pub(crate) fn internal(error: impl ToString) -> ApiError {
        ApiError::Internal(error.to_string())
    }

    /// A name that nothing has.
    pub(crate) fn not_found(what: &'static str, name: &str) -> ApiError {
        ApiError::NotFound { what, name: name.chars().take(80).collect() }
    }

    fn status(&self) -> StatusCode {
        match self {
            ApiError::BadRequest(_) => StatusCode::BAD_REQUEST,
            ApiError::Forbidden(_) => StatusCode::FORBIDDEN,
            ApiError::NotFound { .. } => StatusCode::NOT_FOUND,
            ApiError::Conflict(_) => StatusCode::CONFLICT,
            ApiError::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            ApiError::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

/// A response with an error in its body, one line: names in it may be the client's.
pub(crate) fn error_response(status: StatusCode, error: &str) -> Response {
    let error = error.replace(char::is_control, " ");
    (status, Json(json!({"error": error}))).into_response()
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        error_response(self.status(), &self.to_string())
    }
}
