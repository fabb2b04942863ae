//! Results: what was measured, as the pages and pictures that `results/` holds.
//!
//! They are inside the program as they were when it was built; where the program runs in a folder
//! that has `results/`, those files count, for they may be newer.

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
use crate::failure::Failure;
use crate::page::SVG;

/// What `results/` held when the program was built.
const BUILT_IN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/results.rs"));

/// No page or picture is larger.
const LARGEST: u64 = 4 << 20;

/// One page in the list.
#[derive(Serialize)]
pub(crate) struct Listed {
    name: String,
    title: String,
    source: String,
}

/// Every file by its name, a newer one from the folder instead of the built-in one.
fn all(folder: &Path) -> BTreeMap<String, Cow<'static, str>> {
    let built_in = BUILT_IN.iter().map(|&(name, text)| (name.to_owned(), Cow::Borrowed(text)));
    let mut files: BTreeMap<_, _> = built_in.collect();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let shown = name.ends_with(".md") || name.ends_with(".svg");
        let small = entry.metadata().is_ok_and(|data| data.is_file() && data.len() <= LARGEST);
        if shown
            && small
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            files.insert(name, Cow::Owned(text));
        }
    }
    files
}

/// The pages, by name, each with its title and the line below it.
pub(crate) async fn list(State(app): State<Shared>) -> Result<Json<Vec<Listed>>, Failure> {
    let folder = app.settings.results.clone();
    let listed = app.work.run(move || {
        let pages = all(&folder).into_iter().filter(|(name, _)| name.ends_with(".md"));
        let listed = pages.map(|(file, text)| {
            let mut lines = text.lines().filter(|line| !line.trim().is_empty());
            let title = lines.next().unwrap_or(&file).trim_start_matches('#').trim().to_owned();
            let source = lines.next().unwrap_or_default().to_owned();
            Listed { name: file.trim_end_matches(".md").to_owned(), title, source }
        });
        Ok(listed.collect())
    });
    Ok(Json(listed.await?))
}

/// One page or picture. The name is looked up in the list and never used as a path.
pub(crate) async fn one(
    State(app): State<Shared>,
    extract::Path(name): extract::Path<String>,
) -> Result<Response, Failure> {
    let folder = app.settings.results.clone();
    let found = app.work.run(move || {
        let file = if name.ends_with(".svg") { name.clone() } else { format!("{name}.md") };
        let kind = if name.ends_with(".svg") { SVG } else { "text/markdown; charset=utf-8" };
        let text = all(&folder).remove(&file).ok_or_else(|| Failure::unknown("result", &name))?;
        Ok((kind, text))
    });
    let (kind, text) = found.await?;
    Ok(([(header::CONTENT_TYPE, kind)], text.into_owned()).into_response())
}
