//! `Body` and `Asked`: what a request says in its body or its query, with our own sentence where it
//! is wrong.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;

use crate::failure::{Failure, Told};
use crate::limits::{LARGEST_BODY, SENT_WITHIN};

/// What a request says in its body, in so many bytes at most.
pub(crate) struct Body<T, const MOST: usize = LARGEST_BODY>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync, const MOST: usize> FromRequest<S> for Body<T, MOST> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Body<T, MOST>, Response> {
        let promised = request.headers().get(header::CONTENT_LENGTH);
        let promised = promised.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if promised.is_some_and(|bytes| bytes > MOST as u64) {
            return Err(too_large());
        }
        let read = Json::<T>::from_request(request, state);
        match tokio::time::timeout(SENT_WITHIN, read).await {
            Ok(Ok(Json(value))) => Ok(Body(value)),
            Ok(Err(rejected)) => Err(said(&rejected)),
            Err(_) => Err(told(
                StatusCode::REQUEST_TIMEOUT,
                format!("met half a body after {SENT_WITHIN:?}, expected all of it"),
            )),
        }
    }
}

/// What a request says in its query.
pub(crate) struct Asked<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Asked<T>, Failure> {
        let Query(asked) = Query::<T>::from_request_parts(parts, state).await.map_err(|error| {
            let why = error.body_text();
            let why = why.rsplit_once(": ").map_or(&*why, |(_, why)| why);
            Failure::Wrong(format!("met a query that cannot be read ({why}), expected another"))
        })?;
        Ok(Asked(asked))
    }
}

fn said(rejected: &JsonRejection) -> Response {
    let status = rejected.status();
    match rejected {
        _ if status == StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        JsonRejection::MissingJsonContentType(_) => {
            let error = "met a body of another type, expected content-type application/json";
            told(status, error.to_owned())
        }
        _ => {
            let why = rejected.body_text();
            let why = why.rsplit_once(": ").map_or(&*why, |(_, why)| why);
            let error = format!("met a body that cannot be read ({why}), expected JSON");
            Failure::Wrong(error).into_response()
        }
    }
}

fn too_large() -> Response {
    let error = "met a body that is too large, expected a shorter one";
    told(StatusCode::PAYLOAD_TOO_LARGE, error.to_owned())
}

fn told(status: StatusCode, error: String) -> Response {
    (status, Json(Told { error })).into_response()
}
