//! The files of the page, which are part of the program.

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use crate::error::ApiError;

/// Every file of the page: name, type and text.
const FILES: &[(&str, &str, &str)] = &[
    ("index.html", HTML, include_str!("../page/index.html")),
    ("style.css", CSS, include_str!("../page/style.css")),
    ("boards.css", CSS, include_str!("../page/boards.css")),
    ("main.js", JS, include_str!("../page/main.js")),
    ("api.js", JS, include_str!("../page/api.js")),
    ("dom.js", JS, include_str!("../page/dom.js")),
    ("board.js", JS, include_str!("../page/board.js")),
    ("play.js", JS, include_str!("../page/play.js")),
    ("markdown.js", JS, include_str!("../page/markdown.js")),
    ("rules.js", JS, include_str!("../page/rules.js")),
    ("input.js", JS, include_str!("../page/input.js")),
    ("watch.js", JS, include_str!("../page/watch.js")),
    ("train.js", JS, include_str!("../page/train.js")),
    ("explain.js", JS, include_str!("../page/explain.js")),
    ("autoplay.js", JS, include_str!("../page/autoplay.js")),
    ("chart.js", JS, include_str!("../page/chart.js")),
    ("connection.js", JS, include_str!("../page/connection.js")),
    ("curves.js", JS, include_str!("../page/curves.js")),
    ("editor.js", JS, include_str!("../page/editor.js")),
    ("figure.js", JS, include_str!("../page/figure.js")),
    ("hints.js", JS, include_str!("../page/hints.js")),
    ("keys.js", JS, include_str!("../page/keys.js")),
    ("ranking.js", JS, include_str!("../page/ranking.js")),
    ("review.js", JS, include_str!("../page/review.js")),
    ("score.js", JS, include_str!("../page/score.js")),
    ("results.js", JS, include_str!("../page/results.js")),
    ("icon.svg", SVG, include_str!("../page/icon.svg")),
];

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
pub(crate) const SVG: &str = "image/svg+xml";

/// Returns the page.
pub(crate) async fn index() -> Result<Response, ApiError> {
    named("index.html")
}

/// Returns a file by its name.
pub(crate) async fn file(Path(name): Path<String>) -> Result<Response, ApiError> {
    named(&name)
}

fn named(name: &str) -> Result<Response, ApiError> {
    let found = FILES.iter().find(|file| file.0 == name);
    let (_, kind, text) = found.ok_or_else(|| ApiError::not_found("file", name))?;
    Ok(([(header::CONTENT_TYPE, *kind)], *text).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page needs no file that is missing, and none from another server.
    #[test]
    fn files_import_only_each_other() {
        let exists = |name: &str| FILES.iter().any(|file| file.0 == name);
        for (file, _, text) in FILES {
            for part in text.split("from \"./").skip(1) {
                let name = part.split('"').next().unwrap_or_default();
                assert!(exists(name), "{file} imports {name}");
            }
            for part in text.split("/page/").skip(1) {
                let name = part.split('"').next().unwrap_or_default();
                assert!(exists(name), "{file} requests {name}");
            }
            let urls = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!urls.contains("http://") && !urls.contains("https://"), "{file}");
        }
    }
}
