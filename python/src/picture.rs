//! Pictures of a game of a batch.

use afterstate_engine::GameBatch;
use afterstate_games::spec::GameSpec;
use afterstate_render::{Frame, Position};
use numpy::{IntoPyArray, PyArray3, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The picture of a game with `cell` pixels per cell: rows, columns, and red, green and blue.
pub(crate) fn draw<'py>(
    py: Python<'py>,
    batch: &dyn GameBatch,
    rules: &GameSpec,
    game: usize,
    cell: Option<f64>,
) -> PyResult<Bound<'py, PyArray3<u8>>> {
    if let Some(cell) = cell.filter(|cell| !(4.0..=400.0).contains(cell)) {
        let message = format!("invalid size of a cell {cell}: expected 4 to 400 pixels");
        return Err(PyValueError::new_err(message));
    }
    let position = Position {
        title: rules.to_string(),
        player: None,
        score: batch.score(game),
        unit: rules.unit().to_owned(),
        moves: batch.moves(game),
        scene: batch.scene(game),
        last: None,
        spawned: Vec::new(),
        banner: None,
    };
    let canvas = Frame::new(position).draw(cell, batch.piece_slots());
    let pixels = py.detach(|| canvas.pixels(1.0)).map_err(crate::value_error)?;
    let (width, height) = (pixels.width as usize, pixels.height as usize);
    pixels.rgb.into_pyarray(py).reshape([height, width, 3])
}
