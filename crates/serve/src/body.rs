//! `Body` and `Params`: the JSON body and the query of a request, refused with an [`ApiError`].

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
        _ => ApiError::BadRequest(explained(&rejection.body_text())).into_response(),
    }
}

/// The error of a JSON body as a sentence that names the field and what belongs there. Axum writes
/// `extractor: field: invalid type: found, expected wanted at line 1 column 2`.
fn explained(error: &str) -> String {
    let (_, error) = error.split_once(": ").unwrap_or(("", error));
    let (error, _) = error.split_once(" at line ").unwrap_or((error, ""));
    let (field, problem) = match error.split_once(": ") {
        Some((field, problem)) if !field.contains(' ') && field != "." => (field, problem),
        _ => ("", error),
    };
    let quoted = |text: &str| text.split('`').nth(1).unwrap_or_default().to_owned();
    if problem.starts_with("missing field") {
        return format!("field {:?} is missing", quoted(problem));
    }
    if problem.starts_with("unknown field") {
        let known: Vec<&str> = problem.split('`').skip(3).step_by(2).collect();
        return format!("unknown field {:?}: use {}", quoted(problem), known.join(", "));
    }
    if problem.contains("expected struct ") {
        return "the JSON body must be an object {...}".to_owned();
    }
    let value =
        ["invalid type: ", "invalid value: "].iter().find_map(|at| problem.strip_prefix(at));
    match value.and_then(|value| value.split_once(", expected ")) {
        Some((found, wanted)) if !field.is_empty() => {
            format!("field {field:?} is {}, but must be {}", plain(found), plain(wanted))
        }
        _ if !field.is_empty() => format!("field {field:?}: {problem}"),
        _ => format!("invalid JSON body: {problem}"),
    }
}

/// The words of JSON for the types that serde names.
fn plain(kind: &str) -> String {
    match kind {
        "map" => "an object {...}".to_owned(),
        "sequence" | "a sequence" => "a list [...]".to_owned(),
        "u64" | "usize" | "u32" => "a whole number from 0".to_owned(),
        "f64" => "a number".to_owned(),
        "a string" => "a text".to_owned(),
        other => {
            let other =
                other.replace("string ", "the text ").replace("floating point ", "the number ");
            other.replace("integer ", "the number ").replace('`', "")
        }
    }
}

/// The last part of an error of axum: the parts before it name the extractor.
fn cause(error: &str) -> &str {
    error.rsplit_once(": ").map_or(error, |(_, cause)| cause)
}

fn too_large(max: usize) -> Response {
    let error = format!("the request body is too large: at most {max} bytes");
    error_response(StatusCode::PAYLOAD_TOO_LARGE, &error)
}
