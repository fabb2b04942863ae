//! The command line of `serve`.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
pub(crate) struct Serve {
    /// The port; 0 for any that is free
    #[arg(long, default_value_t = 8048, value_name = "P")]
    pub(crate) port: u16,

    /// The address to listen on. Whoever can reach another one than this machine's own can play,
    /// and train on this machine
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_name = "IP")]
    pub(crate) address: IpAddr,

    /// The folder of the runs to follow, and for new ones
    #[arg(long, default_value = "runs", value_name = "DIR")]
    pub(crate) runs: PathBuf,
}
