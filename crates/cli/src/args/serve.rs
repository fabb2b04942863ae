//! The arguments of `serve`.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
pub(crate) struct Serve {
    /// The port; 0 for any free port
    #[arg(long, default_value_t = 8048, value_name = "P")]
    pub(crate) port: u16,

    /// The address to listen on. Everyone who can reach an address other than loopback can play,
    /// and can train on this machine
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_name = "IP")]
    pub(crate) address: IpAddr,

    /// The folder of the runs
    #[arg(long, default_value = "runs", value_name = "DIR")]
    pub(crate) runs: PathBuf,
}
