//! `Settings`: where the server listens and which folders it shows.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

/// Where the server listens and which folders it shows.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The address; loopback unless somebody asked for another.
    pub address: IpAddr,
    /// The port; 0 for any that is free.
    pub port: u16,
    /// The folder of the runs.
    pub runs: PathBuf,
    /// A folder whose results count instead of those inside the program.
    pub results: PathBuf,
    /// The folder of solved games.
    pub solved: PathBuf,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 8048,
            runs: "runs".into(),
            results: "results".into(),
            solved: "solved".into(),
        }
    }
}
