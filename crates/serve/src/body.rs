//! `Body`, `Upload` and `Params`: the JSON body and the query of a request, refused with an
//! [`ApiError`].

use std::sync::Arc;

use afterstate_core::plain_error::{Format, plain};
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use tokio::sync::OwnedSemaphorePermit;

use crate::app::Shared;
use crate::error::{ApiError, error_response};
use crate::limits::{MAX_BODY, MAX_REPLAY, READ_TIMEOUT};

/// A JSON body of at most `MAX` bytes.
pub(crate) struct Body<T, const MAX: usize = MAX_BODY>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync, const MAX: usize> FromRequest<S> for Body<T, MAX> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Body<T, MAX>, Response> {
        if declared_length(&request).is_some_and(|bytes| bytes > MAX as u64) {
            return Err(too_large(MAX));
        }
        let read = Json::<T>::from_request(request, state);
        match tokio::time::timeout(READ_TIMEOUT, read).await {
            Ok(Ok(Json(value))) => Ok(Body(value)),
            Ok(Err(rejection)) => Err(rejected(&rejection, MAX)),
            Err(_) => Err(too_slow()),
        }
    }
}

/// The bytes of a large JSON body, which is parsed by a worker. It is received only while fewer than
/// [`MAX_UPLOADS`](crate::limits::MAX_UPLOADS) others are received or parsed.
pub(crate) struct Upload {
    pub(crate) bytes: Bytes,
    /// Held until the body has been parsed.
    pub(crate) permit: OwnedSemaphorePermit,
}

impl FromRequest<Shared> for Upload {
    type Rejection = Response;

    async fn from_request(request: Request, app: &Shared) -> Result<Upload, Response> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.and_then(|kind| kind.split(';').next()).map(str::trim);
        if !kind.is_some_and(|kind| kind.eq_ignore_ascii_case("application/json")) {
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            return Err(error_response(status, "the content-type must be application/json"));
        }
        if declared_length(&request).is_some_and(|bytes| bytes > MAX_REPLAY as u64) {
            return Err(too_large(MAX_REPLAY));
        }
        let permit = Arc::clone(&app.uploads).acquire_owned();
        let Ok(Ok(permit)) = tokio::time::timeout(READ_TIMEOUT, permit).await else {
            let error = "the server is busy: other replays are being received, try again later";
            return Err(ApiError::Unavailable(error.to_owned()).into_response());
        };
        let read = Bytes::from_request(request, app);
        match tokio::time::timeout(READ_TIMEOUT, read).await {
            Ok(Ok(bytes)) => Ok(Upload { bytes, permit }),
            Ok(Err(rejection)) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
                Err(too_large(MAX_REPLAY))
            }
            Ok(Err(rejection)) => Err(ApiError::bad_request(rejection.body_text()).into_response()),
            Err(_) => Err(too_slow()),
        }
    }
}

/// The length of a body as its header says.
fn declared_length(request: &Request) -> Option<u64> {
    request.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_slow() -> Response {
    let error = format!("request body not received within {} s", READ_TIMEOUT.as_secs());
    error_response(StatusCode::REQUEST_TIMEOUT, &error)
}

/// The parameters in the query of a request.
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Params<T>, ApiError> {
        let query = Query::<T>::from_request_parts(parts, state).await;
        let Query(params) = query.map_err(|error| {
            ApiError::BadRequest(format!("invalid query: {}", cause(&error.body_text())))
        })?;
        Ok(Params(params))
    }
}

fn rejected(rejection: &JsonRejection, max: usize) -> Response {
    let status = rejection.status();
    match rejection {
        _ if status == StatusCode::PAYLOAD_TOO_LARGE => too_large(max),
        JsonRejection::MissingJsonContentType(_) => {
            error_response(status, "the content-type must be application/json")
        }
        _ => {
            let error = format!("invalid JSON body: {}", cause(&rejection.body_text()));
            ApiError::BadRequest(error).into_response()
        }
    }
}

/// An error of axum in plain words. Its first part names the extractor, the next one the field.
fn cause(error: &str) -> String {
    let (_, cause) = error.split_once(": ").unwrap_or(("", error));
    let is_field = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "_.[]".contains(c));
    match cause.split_once(": ") {
        Some((path, message)) if is_field(path) => plain(Format::Json, path, message),
        _ => plain(Format::Json, "", cause),
    }
    .replacen("the file", "the request", 1)
}

fn too_large(max: usize) -> Response {
    let error = format!("the request body is too large: at most {max} bytes");
    error_response(StatusCode::PAYLOAD_TOO_LARGE, &error)
}
