//! `Body` and `Params`: the JSON body and the query of a request, refused with an [`ApiError`].

use afterstate_core::plain_error::{Format, plain};
use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;

use crate::error::{ApiError, error_response};
use crate::limits::{MAX_BODY, READ_TIMEOUT};

/// A JSON body of at most `MAX` bytes.
pub(crate) struct Body<T, const MAX: usize = MAX_BODY>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync, const MAX: usize> FromRequest<S> for Body<T, MAX> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Body<T, MAX>, Response> {
        let length = request.headers().get(header::CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if length.is_some_and(|bytes| bytes > MAX as u64) {
            return Err(too_large(MAX));
        }
        let read = Json::<T>::from_request(request, state);
        match tokio::time::timeout(READ_TIMEOUT, read).await {
            Ok(Ok(Json(value))) => Ok(Body(value)),
            Ok(Err(rejection)) => Err(rejected(&rejection, MAX)),
            Err(_) => {
                let seconds = READ_TIMEOUT.as_secs();
                let error = format!("request body not received within {seconds} s");
                Err(error_response(StatusCode::REQUEST_TIMEOUT, &error))
            }
        }
    }
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
