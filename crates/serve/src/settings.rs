//! `Settings`: the address of the server and the folders that it reads.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

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
        }
    }
}
