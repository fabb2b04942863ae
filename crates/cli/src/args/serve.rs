//! The arguments of `serve`.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
pub(crate) struct Serve {
    /// The port; 0 for any free port
    #[arg(long, default_value_t = 8048, value_name = "P")]
    pub(crate) port: u16,

    /// The address to listen on; 0.0.0.0 for all of this machine, such as for a phone in the same
    /// network. On an address other than loopback only who has the link can play, and can train on
    /// this machine: the link is printed with a QR code, works once, and is followed by the next one
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_name = "IP")]
    pub(crate) address: IpAddr,

    /// Open the page in the browser: the program in $BROWSER, or the system's
    #[arg(long)]
    pub(crate) open: bool,

    /// The folder of the runs
    #[arg(long, default_value = "runs", value_name = "DIR")]
    pub(crate) runs: PathBuf,
}
