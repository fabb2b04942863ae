//! `Body` and `Asked`: what a request says in its body or its query, with our own sentence where it
//! is wrong.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;

use crate::failure::{Failure, Told};
use crate::limits::LARGEST_BODY;

/// What a request says in its body.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Body<T>, Response> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(value)) => Ok(Body(value)),
            Err(rejected) => Err(said(&rejected)),
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
    let error = match rejected {
        _ if status == StatusCode::PAYLOAD_TOO_LARGE => {
            format!("met a body of more than {LARGEST_BODY} bytes, expected a shorter one")
        }
        JsonRejection::MissingJsonContentType(_) => {
            "met a body of another type, expected content-type application/json".to_owned()
        }
        _ => {
            let why = rejected.body_text();
            let why = why.rsplit_once(": ").map_or(&*why, |(_, why)| why);
            return Failure::Wrong(format!(
                "met a body that cannot be read ({why}), expected JSON"
            ))
            .into_response();
        }
    };
    (status, Json(Told { error })).into_response()
}
