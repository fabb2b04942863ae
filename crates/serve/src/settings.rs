//! `Settings`: the address of the server and the folders that it reads.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use crate::limits::{MAX_COMPUTE_TIME, MAX_MOVES, MAX_RUNS, MAX_TRAINING_DISK, SHUTDOWN_TIMEOUT};

/// The address of the server and the folders that it reads.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The address; loopback by default.
    pub address: IpAddr,
    /// The port; 0 for any free one.
    pub port: u16,
    /// Whether only who has the link may enter, on loopback too; on other addresses it is always so.
    pub token: bool,
    /// The folder of runs.
    pub runs: PathBuf,
    /// The folder of results; its files replace those in the program.
    pub results: PathBuf,
    /// The folder of solved games.
    pub solved: PathBuf,
    /// Smaller limits, for tests that reach them.
    #[doc(hidden)]
    pub limits: Limits,
}

/// Limits that a test can make smaller.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Runs in the folder of runs with which no training is started.
    pub runs: usize,
    /// Bytes of disk of the folder of runs with which no training is started.
    pub disk: u64,
    /// Time for an agent to play or search in one request.
    pub think: Duration,
    /// Moves by an agent in one request.
    pub moves: u64,
    /// Time for requests, and again for trainings, to end when the server stops.
    pub shutdown: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            runs: MAX_RUNS,
            disk: MAX_TRAINING_DISK,
            think: MAX_COMPUTE_TIME,
            moves: MAX_MOVES,
            shutdown: SHUTDOWN_TIMEOUT,
        }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 8048,
            token: false,
            runs: "runs".into(),
            results: "results".into(),
            solved: "solved".into(),
            limits: Limits::default(),
        }
    }
}
