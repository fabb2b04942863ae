//! `Batch`: many games that step at once, on NumPy arrays that are made once.

use afterstate_core::Rng;
use afterstate_engine::{Afterstates, Autoreset, GameBatch, Observed, Stepped, draw_legal, open};
use afterstate_games::spec::GameSpec;
use numpy::ndarray::Ix1;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::{
    Arrays, Moves, changed, ensure_memory, ensure_numbers, in_use, read_actions, read_array,
    read_mask, readonly, slice, with_slices, zeros,
};
use crate::numbers::{index, whole};
use crate::picture;
use crate::saved::{self, NewArgs, Saved};
use crate::seeds::Seeds;

/// Many independent games that step at once.
///
/// Args:
///     rules: The rules, such as "2048", "tetris:10x20,next" or "1010:10x10,hand=3".
///     games: The number of games.
///     seed: Game i draws from the stream (seed, i): the same games for any number of them.
///     autoreset: What becomes of a game that is over: "next_step" (the next step starts a new game
///         and ignores its action), "same_step" (the step that ends a game starts a new one; `last`
///         has the old one's last state), or "disabled".
///     masks: Whether `legal` is written at every step.
///     threads: The threads of a step, which pay for thousands of games.
///
/// `step` reads `actions` and writes `rewards`, `terminated`, `truncated`, `illegal`, `cells`,
/// `pieces` and `legal`, arrays with one row per game that are made once: copy what you keep.
///
///     >>> from afterstate import Batch
///     >>> batch = Batch("2048", games=3, seed=1)
///     >>> batch.cells.shape, batch.action_count
///     ((3, 4, 4), 4)
///     >>> batch.actions[:] = batch.legal.argmax(axis=1)
///     >>> batch.step()
///     >>> batch.terminated.any()
///     np.False_
#[pyclass(module = "afterstate")]
pub(crate) struct Batch {
    pub(crate) batch: Box<dyn GameBatch>,
    pub(crate) rules: GameSpec,
    pub(crate) autoreset: Autoreset,
    pub(crate) threads: usize,
    pub(crate) masks: bool,
    /// The generator of `random_actions`.
    pub(crate) draws: Rng,
    numbers: Vec<u32>,
    /// The actions that `step` plays unless it is given others: write them here.
    #[pyo3(get)]
    pub(crate) actions: Py<PyArray1<i32>>,
    /// The rewards of the last step.
    #[pyo3(get)]
    pub(crate) rewards: Py<PyArray1<f32>>,
    /// Whether the last step ended the game: no move is legal.
    #[pyo3(get)]
    pub(crate) terminated: Py<PyArray1<bool>>,
    /// Whether the game has had as many moves as its rules allow.
    #[pyo3(get)]
    pub(crate) truncated: Py<PyArray1<bool>>,
    /// Whether the last action was illegal: it has changed nothing.
    #[pyo3(get)]
    pub(crate) illegal: Py<PyArray1<bool>>,
    now: Arrays,
    pub(crate) last: Option<Arrays>,
}

impl Batch {
    fn check_game(&self, game: usize) -> PyResult<()> {
        if game < self.batch.games() {
            return Ok(());
        }
        let last = self.batch.games() - 1;
        Err(PyIndexError::new_err(format!("there is no game {game}: expected 0 to {last}")))
    }

    pub(crate) fn observe(&mut self, py: Python) -> PyResult<()> {
        let (batch, now) = (&self.batch, &self.now);
        with_slices!(py, cells = now.cells, pieces = now.pieces, legal = now.legal; {
            let mut observed = Observed { cells, pieces, legal };
            if !observed.fits(&**batch) {
                return Err(changed());
            }
            py.detach(|| batch.observe(&mut observed));
            Ok(())
        })
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (rules, games=1, seed=0, *, autoreset="next_step", masks=true, threads=1))]
    fn new(
        py: Python,
        rules: &str,
        #[pyo3(from_py_with = whole)] games: usize,
        #[pyo3(from_py_with = whole)] seed: u64,
        autoreset: &str,
        masks: bool,
        #[pyo3(from_py_with = whole)] threads: usize,
    ) -> PyResult<Batch> {
        let rules: GameSpec = rules.parse().map_err(crate::value_error)?;
        ensure_numbers(games, threads)?;
        let autoreset = saved::autoreset(autoreset)?;
        let engine = open(&rules);
        ensure_memory(&*engine.batch(1, seed), games, masks)?;
        let mut batch = py.detach(|| engine.batch(games, seed));
        batch.set_threads(threads);
        let now = Arrays::new(py, &*batch, masks)?;
        let last = (autoreset == Autoreset::SameStep).then(|| Arrays::new(py, &*batch, masks));
        let mut batch = Batch {
            draws: Rng::stream(seed, u64::MAX),
            numbers: vec![0; games],
            actions: zeros(py, [games])?,
            rewards: zeros(py, [games])?,
            terminated: zeros(py, [games])?,
            truncated: zeros(py, [games])?,
            illegal: zeros(py, [games])?,
            batch,
            rules,
            autoreset,
            threads,
            masks,
            now,
            last: last.transpose()?,
        };
        batch.observe(py)?;
        Ok(batch)
    }

    /// Plays one action in every game: those given, or those in `actions`.
    #[pyo3(signature = (actions=None))]
    fn step(&mut self, py: Python, actions: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        match actions {
            Some(actions) => read_actions(actions, &mut self.numbers)?,
            None => {
                let own = readonly::<i32, Ix1>(self.actions.bind(py))?.ok_or_else(changed)?;
                read_array(&own, &mut self.numbers)?;
            }
        }
        let Batch {
            batch,
            autoreset,
            numbers,
            rewards,
            terminated,
            truncated,
            illegal,
            now,
            last,
            ..
        } = self;
        with_slices!(
            py,
            rewards = rewards,
            terminated = terminated,
            truncated = truncated,
            illegal = illegal,
            cells = now.cells,
            pieces = now.pieces,
            legal = now.legal;
            {
                let observed = Observed { cells, pieces, legal };
                let mut stepped =
                    Stepped { rewards, terminated, truncated, illegal, observed, last: None };
                let mut step = |stepped: Stepped| {
                    if !stepped.fits(&**batch) {
                        return Err(changed());
                    }
                    py.detach(|| batch.step(numbers, *autoreset, stepped));
                    Ok(())
                };
                match last {
                    None => step(stepped),
                    Some(last) => with_slices!(
                        py, cells = last.cells, pieces = last.pieces, legal = last.legal; {
                            stepped.last = Some(Observed { cells, pieces, legal });
                            step(stepped)
                        }
                    ),
                }
            }
        )
    }

    /// Writes a uniformly random legal action of every game into `actions`, and returns it. They are
    /// drawn from a generator of their own, which starts from the seed of the batch and goes on when
    /// games are reset; a game that is over gets action 0.
    ///
    ///     >>> from afterstate import Batch
    ///     >>> batch = Batch("tetris:10x20", games=1000, seed=1)
    ///     >>> for _ in range(10):
    ///     ...     batch.step(batch.random_actions())
    ///     >>> batch.illegal.any()
    ///     np.False_
    fn random_actions(&mut self, py: Python) -> PyResult<Py<PyArray1<i32>>> {
        if !self.masks {
            return Err(PyValueError::new_err("this batch was made with masks=False"));
        }
        let (games, width) = (self.batch.games(), self.batch.actions());
        let (draws, array) = (&mut self.draws, &self.actions);
        with_slices!(py, legal = self.now.legal, actions = array; {
            if actions.len() != games || legal.len() != games * width {
                return Err(changed());
            }
            py.detach(|| draw_legal(legal, draws, actions));
        });
        Ok(array.clone_ref(py))
    }

    /// Starts new games: all, or those with a true element in `mask`. With a seed, game i draws from
    /// the stream (seed, i), with one seed per game from the stream (seed of the game, 0); without, it
    /// goes on with its own stream.
    #[pyo3(signature = (seed=None, mask=None))]
    fn reset(
        &mut self,
        py: Python,
        seed: Option<&Bound<'_, PyAny>>,
        mask: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let seeds = Seeds::read(seed, self.batch.games())?;
        let mask = mask.map(|mask| read_mask(mask, self.batch.games())).transpose()?;
        let batch = &mut self.batch;
        py.detach(|| seeds.start(&mut **batch, mask.as_deref()));
        self.observe(py)
    }

    /// Starts a new game in place of one, from the stream (seed, 0).
    fn reseed(
        &mut self,
        py: Python,
        #[pyo3(from_py_with = index)] game: usize,
        #[pyo3(from_py_with = whole)] seed: u64,
    ) -> PyResult<()> {
        self.check_game(game)?;
        self.batch.reseed(game, seed, 0);
        self.observe(py)
    }

    /// The legal moves of all games: where the moves of each game begin (one more than games), their
    /// actions, their rewards, and the cells of the boards after them.
    fn afterstates<'py>(&self, py: Python<'py>) -> PyResult<Moves<'py>> {
        let mut all = Afterstates::default();
        let batch = &self.batch;
        py.detach(|| batch.afterstates(&mut all));
        let (moves, columns) = (all.actions.len(), batch.columns());
        let shape = [moves, batch.cells() / columns, columns];
        Ok((
            all.offsets.into_pyarray(py),
            all.actions.into_pyarray(py),
            all.rewards.into_pyarray(py),
            all.cells.into_pyarray(py).reshape(shape)?,
        ))
    }

    /// The state of a game as text, as `set_state` reads it.
    fn state(&self, #[pyo3(from_py_with = index)] game: usize) -> PyResult<String> {
        self.check_game(game)?;
        Ok(self.batch.state_text(game))
    }

    /// Sets a game to a state, as text. Its generator goes on.
    fn set_state(
        &mut self,
        py: Python,
        #[pyo3(from_py_with = index)] game: usize,
        state: &str,
    ) -> PyResult<()> {
        self.check_game(game)?;
        self.batch.set_state(game, state).map_err(crate::value_error)?;
        self.observe(py)
    }

    /// The state of a game drawn for a person.
    fn draw(&self, #[pyo3(from_py_with = index)] game: usize) -> PyResult<String> {
        self.check_game(game)?;
        Ok(self.batch.drawing(game))
    }

    /// The picture of a game with `cell` pixels per cell: rows, columns, and red, green and blue.
    #[pyo3(signature = (game, cell=None))]
    fn picture<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = index)] game: usize,
        cell: Option<f64>,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        self.check_game(game)?;
        picture::draw(py, &*self.batch, &self.rules, game, cell)
    }

    /// What `pickle` and `copy` need to make it again.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<NewArgs<'py>> {
        saved::new_args(py, self)
    }

    fn __getstate__<'py>(&self, py: Python<'py>) -> PyResult<Saved<'py>> {
        saved::save(py, self)
    }

    fn __setstate__(&mut self, py: Python, saved: Saved<'_>) -> PyResult<()> {
        saved::load(py, self, saved)
    }

    /// The generator of a game, its score and its number of moves, for `set_generator`.
    fn generator<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = index)] game: usize,
    ) -> PyResult<(Bound<'py, PyBytes>, f64, u64)> {
        self.check_game(game)?;
        let batch = &self.batch;
        Ok((PyBytes::new(py, &batch.generator(game)), batch.score(game), batch.moves(game)))
    }

    /// Sets the generator of a game, its score and its number of moves: with `set_state`, a copy of a
    /// game.
    pub(crate) fn set_generator(
        &mut self,
        #[pyo3(from_py_with = index)] game: usize,
        generator: &[u8],
        score: f64,
        moves: u64,
    ) -> PyResult<()> {
        self.check_game(game)?;
        let generator = generator.try_into().map_err(|_| {
            let message = format!("a generator of {} bytes: expected 32", generator.len());
            PyValueError::new_err(message)
        })?;
        self.batch.set_generator(game, generator, score, moves);
        Ok(())
    }

    /// Whether a game is over and not yet restarted.
    fn is_over(&self, #[pyo3(from_py_with = index)] game: usize) -> PyResult<bool> {
        self.check_game(game)?;
        Ok(self.batch.is_over(game))
    }

    /// The rewards of a game so far.
    fn score(&self, #[pyo3(from_py_with = index)] game: usize) -> PyResult<f64> {
        self.check_game(game)?;
        Ok(self.batch.score(game))
    }

    /// Moves of a game so far.
    fn moves(&self, #[pyo3(from_py_with = index)] game: usize) -> PyResult<u64> {
        self.check_game(game)?;
        Ok(self.batch.moves(game))
    }

    fn __len__(&self) -> usize {
        self.batch.games()
    }

    fn __repr__(&self) -> String {
        format!("Batch({:?}, games={})", self.rules.to_string(), self.batch.games())
    }

    /// The rules as text, in their shortest form.
    #[getter]
    fn rules(&self) -> String {
        self.rules.to_string()
    }

    /// The number of actions.
    #[getter]
    fn action_count(&self) -> usize {
        self.batch.actions()
    }

    /// The number of values of a cell.
    #[getter]
    fn cell_values(&self) -> u32 {
        self.batch.cell_values()
    }

    /// The number of different pieces; in `pieces`, piece k is k + 1, and 0 is an empty place.
    #[getter]
    fn piece_kinds(&self) -> usize {
        self.batch.piece_kinds()
    }

    /// The boards: one array of rows and columns per game.
    #[getter]
    fn cells<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray3<u8>> {
        self.now.cells.bind(py).clone()
    }

    /// The pieces that the player sees: the one to drop, the known next one, the hand.
    #[getter]
    fn pieces<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u8>> {
        self.now.pieces.bind(py).clone()
    }

    /// Which actions are legal. It has no rows without `masks`.
    #[getter]
    fn legal<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<bool>> {
        self.now.legal.bind(py).clone()
    }

    /// With autoreset "same_step", cells, pieces and legal actions of the last states of the games
    /// that are over; other rows are old.
    #[getter]
    #[expect(clippy::type_complexity, reason = "three arrays")]
    fn last<'py>(
        &self,
        py: Python<'py>,
    ) -> Option<(Bound<'py, PyArray3<u8>>, Bound<'py, PyArray2<u8>>, Bound<'py, PyArray2<bool>>)>
    {
        let Arrays { cells, pieces, legal } = self.last.as_ref()?;
        Some((cells.bind(py).clone(), pieces.bind(py).clone(), legal.bind(py).clone()))
    }
}
