//! Batches for `pickle` and `copy`: every game goes on exactly alike.

use afterstate_core::Rng;
use afterstate_engine::Autoreset;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::arrays::Arrays;
use crate::batch::Batch;

/// The arguments of the constructor by place and by name.
pub(crate) type NewArgs<'py> = ((String, usize), Bound<'py, PyDict>);

/// The state of each game as text, its generator, score and number of moves; the arrays of the last
/// step; and the generator of random actions.
pub(crate) type Saved<'py> = (Bound<'py, PyList>, Bound<'py, PyList>, Bound<'py, PyBytes>);

/// One game of them.
type Game = (String, Vec<u8>, f64, u64);

/// The names of what becomes of a game that is over.
const AUTORESETS: [(&str, Autoreset); 3] = [
    ("next_step", Autoreset::NextStep),
    ("same_step", Autoreset::SameStep),
    ("disabled", Autoreset::Disabled),
];

/// What becomes of a game that is over, by its name.
pub(crate) fn autoreset(name: &str) -> PyResult<Autoreset> {
    let found = AUTORESETS.iter().find(|one| one.0 == name).map(|one| one.1);
    found.ok_or_else(|| {
        PyValueError::new_err(format!(
            "invalid autoreset {name:?}: expected next_step, same_step or disabled"
        ))
    })
}

/// The arguments of the constructor.
pub(crate) fn new_args<'py>(py: Python<'py>, batch: &Batch) -> PyResult<NewArgs<'py>> {
    let named = PyDict::new(py);
    let autoreset = AUTORESETS.iter().find(|one| one.1 == batch.autoreset).map(|one| one.0);
    named.set_item("autoreset", autoreset)?;
    named.set_item("masks", batch.masks)?;
    named.set_item("threads", batch.threads)?;
    Ok(((batch.rules.to_string(), batch.batch.games()), named))
}

/// The arrays that a step writes and `observe` does not.
fn arrays<'py>(py: Python<'py>, batch: &Batch) -> Vec<Bound<'py, PyAny>> {
    let mut all = vec![
        batch.actions.bind(py).clone().into_any(),
        batch.rewards.bind(py).clone().into_any(),
        batch.terminated.bind(py).clone().into_any(),
        batch.truncated.bind(py).clone().into_any(),
        batch.illegal.bind(py).clone().into_any(),
    ];
    if let Some(Arrays { cells, pieces, legal }) = &batch.last {
        all.push(cells.bind(py).clone().into_any());
        all.push(pieces.bind(py).clone().into_any());
        all.push(legal.bind(py).clone().into_any());
    }
    all
}

/// What the constructor does not make.
pub(crate) fn save<'py>(py: Python<'py>, batch: &Batch) -> PyResult<Saved<'py>> {
    let games = PyList::empty(py);
    for game in 0..batch.batch.games() {
        let (own, bytes) = (&batch.batch, batch.batch.generator(game));
        let generator = PyBytes::new(py, &bytes);
        games.append((own.state_text(game), generator, own.score(game), own.moves(game)))?;
    }
    let draws = PyBytes::new(py, &batch.draws.to_bytes());
    Ok((games, PyList::new(py, arrays(py, batch))?, draws))
}

/// Sets what was saved.
pub(crate) fn load(
    py: Python,
    batch: &mut Batch,
    (games, saved, draws): Saved<'_>,
) -> PyResult<()> {
    let own = arrays(py, batch);
    let draws = <[u8; 32]>::try_from(draws.as_bytes()).ok();
    let fits = games.len() == batch.batch.games() && saved.len() == own.len();
    let Some(draws) = draws.filter(|_| fits) else {
        return Err(PyValueError::new_err("this is no saved state of such a batch"));
    };
    batch.draws = Rng::from_bytes(draws);
    for (number, game) in games.iter().enumerate() {
        let (state, generator, score, moves): Game = game.extract()?;
        batch.batch.set_state(number, &state).map_err(crate::value_error)?;
        batch.set_generator(number, &generator, score, moves)?;
    }
    for (array, saved) in own.iter().zip(saved) {
        array.set_item(py.Ellipsis(), saved)?;
    }
    batch.observe(py)
}
