//! Results: the pages and figures of `results/`.
//!
//! The program contains them as of its build; files of the folder `results` replace those of the
//! same name.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use axum::Json;
use axum::extract::{self, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::app::Shared;
use crate::error::ApiError;
use crate::page::SVG;

/// The files of `results/` when the program was built.
const BUILT_IN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/results.rs"));

/// Larger files are skipped.
const MAX_BYTES: u64 = 4 << 20;

/// A page in the list.
#[derive(Serialize)]
pub(crate) struct ResultEntry {
    name: String,
    title: String,
    source: String,
}

/// Every file by its name.
fn all(folder: &Path) -> BTreeMap<String, Cow<'static, str>> {
    let built_in = BUILT_IN.iter().map(|&(name, text)| (name.to_owned(), Cow::Borrowed(text)));
    let mut files: BTreeMap<_, _> = built_in.collect();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let known = name.ends_with(".md") || name.ends_with(".svg");
        let small = entry.metadata().is_ok_and(|data| data.is_file() && data.len() <= MAX_BYTES);
        if known
            && small
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            files.insert(name, Cow::Owned(text));
        }
    }
    files
}

/// Lists the pages by name, each with its title and the line below it.
pub(crate) async fn list(State(app): State<Shared>) -> Result<Json<Vec<ResultEntry>>, ApiError> {
    let folder = app.settings.results.clone();
    let entries = app.workers.run(move || {
        let pages = all(&folder).into_iter().filter(|(name, _)| name.ends_with(".md"));
        let entries = pages.map(|(file, text)| {
            let mut lines = text.lines().filter(|line| !line.trim().is_empty());
            let title = lines.next().unwrap_or(&file).trim_start_matches('#').trim().to_owned();
            let source = lines.next().unwrap_or_default().to_owned();
            ResultEntry { name: file.trim_end_matches(".md").to_owned(), title, source }
        });
        Ok(entries.collect())
    });
    entries.await.map(Json)
}

/// Returns one page or figure. Its name is a key of the list, never a path.
pub(crate) async fn file(
    State(app): State<Shared>,
    extract::Path(name): extract::Path<String>,
) -> Result<Response, ApiError> {
    let folder = app.settings.results.clone();
    let found = app.workers.run(move || {
        let svg = name.ends_with(".svg");
        let file = if svg { name.clone() } else { format!("{name}.md") };
        let kind = if svg { SVG } else { "text/markdown; charset=utf-8" };
        let text = all(&folder).remove(&file);
        Ok((kind, text.ok_or_else(|| ApiError::not_found("result", &name))?))
    });
    let (kind, text) = found.await?;
    Ok(([(header::CONTENT_TYPE, kind)], text.into_owned()).into_response())
}
