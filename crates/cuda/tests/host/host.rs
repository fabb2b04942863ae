//! Kernels compiled for the host as a shared library.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use afterstate_cuda::neural::Args;
use afterstate_cuda::{AverageParams, BatchParams, Params, Plays, TenTenPlays, TetrisPlays};
use afterstate_games::twenty48::Board;

type SearchMove =
    unsafe extern "C" fn(*const f32, *const u32, u64, u32, u32, *mut f32, *mut u32) -> i32;

/// A compiled program; the file is removed when it has been loaded.
pub(crate) struct Library(libloading::Library);

type Slide = unsafe extern "C" fn(*const u32, u64, u32, i32, *mut u64, *mut u32, *mut u32) -> i32;
type Drop =
    unsafe extern "C" fn(*const u32, *const u32, u32, u32, *mut u32, *mut u32, *mut f32) -> i32;

impl Library {
    pub(crate) fn compile(source: &str) -> Library {
        static LIBRARIES: AtomicU64 = AtomicU64::new(0);
        let number = LIBRARIES.fetch_add(1, Ordering::Relaxed);
        let name = format!("afterstate-kernels-{}-{number}.so", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut compiler = Command::new("c++")
            .args(["-x", "c++", "-std=c++17", "-O1", "-ffp-contract=off", "-Wall", "-Werror"])
            .args(["-Wno-unknown-pragmas", "-Wno-unused-function", "-Wno-unused-variable"])
            .args(["-shared", "-fPIC", "-", "-o"])
            .arg(&path)
            .stdin(Stdio::piped())
            .spawn()
            .expect("the kernels are tested by a C++ compiler: install g++");
        compiler.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
        assert!(compiler.wait().unwrap().success(), "the kernels do not compile");
        // SAFETY: the library was just made from this project's source, and runs nothing when it
        // is loaded.
        #[allow(unsafe_code)]
        let library = unsafe { libloading::Library::new(&path) }.unwrap();
        std::fs::remove_file(path).unwrap();
        Library(library)
    }

    /// A kernel of neural networks, for the numbers from 0 to `count`.
    pub(crate) fn neural(&self, kernel: &str, count: u32, args: &Args) {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            type Kernel = unsafe extern "C" fn(u32, *const Args);
            self.0.get::<Kernel>(kernel.as_bytes()).unwrap()(count, args);
        }
    }

    pub(crate) fn train(&self, params: &mut Params) {
        // SAFETY: the function takes this structure, whose addresses are those of live memory.
        #[allow(unsafe_code)]
        unsafe {
            let train = self.0.get::<unsafe extern "C" fn(*mut Params)>(b"train").unwrap();
            train(params);
        }
    }

    pub(crate) fn evaluate(&self, plays: &mut Plays) {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            let evaluate = self.0.get::<unsafe extern "C" fn(*mut Plays)>(b"evaluate").unwrap();
            evaluate(plays);
        }
    }

    pub(crate) fn evaluate_tenten(&self, plays: &mut TenTenPlays) {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            type Evaluate = unsafe extern "C" fn(*mut TenTenPlays);
            self.0.get::<Evaluate>(b"evaluate").unwrap()(plays);
        }
    }

    /// One batch of 1010!.
    pub(crate) fn batch(&self, params: &mut BatchParams) {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            type Batch = unsafe extern "C" fn(*mut BatchParams);
            self.0.get::<Batch>(b"play_batch").unwrap()(params);
            self.0.get::<Batch>(b"learn_batch").unwrap()(params);
        }
    }

    pub(crate) fn average(&self, params: &mut AverageParams) {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            let average = self.0.get::<unsafe extern "C" fn(*mut AverageParams)>(b"average");
            average.unwrap()(params);
        }
    }

    /// The probability that the next piece fits a board of 1010!, and the places of one.
    pub(crate) fn fit(&self, tables: &[u32], board: &[u32; 5], piece: u8) -> (f32, [u32; 5]) {
        let mut places = [0; 5];
        // SAFETY: the function takes these arguments and writes the last; boards have room for the
        // highest.
        #[allow(unsafe_code)]
        let probability = unsafe {
            type Fit = unsafe extern "C" fn(*const u32, *const u32, u32, *mut u32) -> f32;
            let fit = self.0.get::<Fit>(b"fit").unwrap();
            fit(tables.as_ptr(), board.as_ptr(), u32::from(piece), places.as_mut_ptr())
        };
        (probability, places)
    }

    /// The board after a placement of 1010!, its lines, and its active features into `indices`.
    pub(crate) fn place(
        &self,
        tables: &[u32],
        board: &[u32; 5],
        (piece, cell): (u8, u8),
        indices: &mut [u32],
    ) -> ([u32; 5], u32) {
        let mut after = [0; 5];
        // SAFETY: as above; `indices` has room for all active features.
        #[allow(unsafe_code)]
        let lines = unsafe {
            type Place =
                unsafe extern "C" fn(*const u32, *const u32, u32, u32, *mut u32, *mut u32) -> u32;
            let place = self.0.get::<Place>(b"place_on").unwrap();
            place(
                tables.as_ptr(),
                board.as_ptr(),
                u32::from(piece),
                u32::from(cell),
                after.as_mut_ptr(),
                indices.as_mut_ptr(),
            )
        };
        (after, lines)
    }

    /// The move that a search selects, the values of all moves, and the nodes that were searched.
    pub(crate) fn search_move(
        &self,
        weights: &[f32],
        rows: &[u32],
        board: Board,
    ) -> (Option<usize>, [f32; 4], u32) {
        let (tiles, big) = bits(board);
        let (mut values, mut nodes) = ([0.0; 4], 0);
        // SAFETY: the function takes these arguments and writes the last two.
        #[allow(unsafe_code)]
        let mv = unsafe {
            let search = self.0.get::<SearchMove>(b"search_move").unwrap();
            let (weights, rows) = (weights.as_ptr(), rows.as_ptr());
            search(weights, rows, tiles, big, board.sum() as u32, values.as_mut_ptr(), &mut nodes)
        };
        (usize::try_from(mv).ok(), values, nodes)
    }

    pub(crate) fn play_tetris(&self, plays: &mut TetrisPlays) {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            let play = self.0.get::<unsafe extern "C" fn(*mut TetrisPlays)>(b"play_tetris");
            play.unwrap()(plays);
        }
    }

    /// A placement of a piece by its number: the board after it, its lines and its features.
    pub(crate) fn drop(
        &self,
        stamps: &[u32],
        board: &[u32; 10],
        piece: u8,
        number: usize,
    ) -> Option<([u32; 10], u32, [f32; 9])> {
        let (mut after, mut lines, mut features) = ([0; 10], 0, [0.0; 9]);
        // SAFETY: the function takes these arguments and writes the last three; boards have room
        // for the widest well.
        #[allow(unsafe_code)]
        let fits = unsafe {
            let drop = self.0.get::<Drop>(b"drop_on").unwrap();
            let board = board.map(u32::reverse_bits);
            drop(
                stamps.as_ptr(),
                board.as_ptr(),
                u32::from(piece),
                number as u32,
                after.as_mut_ptr(),
                &mut lines,
                features.as_mut_ptr(),
            )
        };
        assert_ne!(fits, -1, "the heights are not those of the board");
        (fits != 0).then(|| (after.map(u32::reverse_bits), lines, features))
    }

    /// The afterstate and the reward of a move, if it is legal.
    pub(crate) fn slide(&self, rows: &[u32], board: Board, mv: usize) -> Option<(Board, f32)> {
        let (tiles, big) = bits(board);
        let (mut after, mut after_big, mut points) = (0, 0, 0);
        // SAFETY: the function takes these arguments and writes the last three.
        #[allow(unsafe_code)]
        let legal = unsafe {
            let slide = self.0.get::<Slide>(b"slide").unwrap();
            slide(rows.as_ptr(), tiles, big, mv as i32, &mut after, &mut after_big, &mut points)
        };
        let mut board = Board::default();
        for cell in 0..16 {
            let power = (after >> (4 * cell) & 15) as u8 | ((after_big >> cell & 1) as u8) << 4;
            board = board.with(cell / 4, cell % 4, power);
        }
        (legal != 0).then_some((board, points as f32))
    }
}

/// A board as the kernels have it.
fn bits(board: Board) -> (u64, u32) {
    let cells = || (0..16).map(|cell| (cell, board.power(cell / 4, cell % 4)));
    let tiles = cells().fold(0, |all, (cell, power)| all | u64::from(power & 15) << (4 * cell));
    let big = cells().fold(0, |all, (cell, power)| all | u32::from(power >> 4) << cell);
    (tiles, big)
}
