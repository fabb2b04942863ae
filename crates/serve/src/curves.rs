//! Curves of runs as data: the page draws them, so that they fit its width and can be zoomed.

use std::sync::Arc;

use afterstate_train::metrics::Window;
use afterstate_train::run::Folder;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};

use crate::app::Shared;
use crate::body::Params;
use crate::error::ApiError;
use crate::limits::MAX_CHART_RUNS;
use crate::runs::find;

/// More windows than pixels of a chart help nobody.
const MAX_POINTS: usize = 800;

#[derive(Deserialize)]
pub(crate) struct CurvesParams {
    /// Names of runs, separated by commas.
    runs: String,
}

/// The windows of a run.
#[derive(Serialize)]
pub(crate) struct Curve {
    name: String,
    game: String,
    /// The unit of its scores.
    unit: &'static str,
    windows: Vec<Window>,
}

/// Returns the windows of runs.
pub(crate) async fn curves(
    State(app): State<Shared>,
    Params(CurvesParams { runs }): Params<CurvesParams>,
) -> Result<Json<Vec<Curve>>, ApiError> {
    let shared = Arc::clone(&app);
    let curves = app.workers.run(move || {
        let names: Vec<&str> = runs.split(',').filter(|name| !name.is_empty()).collect();
        if names.is_empty() || names.len() > MAX_CHART_RUNS {
            let count = names.len();
            let error = format!("cannot draw {count} runs in a chart: 1 to {MAX_CHART_RUNS} fit");
            return Err(ApiError::BadRequest(error));
        }
        let curve = |name: &&str| {
            let folder = Folder::open(&find(&shared, name)?).map_err(ApiError::internal)?;
            let rules = &folder.recipe().rules;
            Ok(Curve {
                name: folder.name(),
                game: rules.to_string(),
                unit: rules.unit(),
                windows: thinned(folder.metrics().map_err(ApiError::internal)?),
            })
        };
        names.iter().map(curve).collect::<Result<Vec<_>, _>>()
    });
    curves.await.map(Json)
}

/// Every n-th window and the last one.
fn thinned(windows: Vec<Window>) -> Vec<Window> {
    let (every, last) = (windows.len().div_ceil(MAX_POINTS).max(1), windows.len());
    let kept = |at: usize| (at + 1).is_multiple_of(every) || at + 1 == last;
    windows.into_iter().enumerate().filter(|(at, _)| kept(*at)).map(|(_, window)| window).collect()
}
