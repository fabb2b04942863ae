//! `serve`: the page, until Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};

use afterstate_serve::{Settings, Stop, serve};
use anyhow::Context;
use serde::Serialize;

use crate::args::Serve;
use crate::output::{Output, remark};

#[derive(Serialize)]
struct Serving {
    url: String,
}

pub(crate) fn run(args: &Serve, out: &mut Output) -> anyhow::Result<()> {
    if !args.address.is_loopback() {
        remark(&format!(
            "{} is not this machine's own address: whoever can reach it can play, and train on this \
             machine",
            args.address
        ));
    }
    let stop = Stop::default();
    let (asked, stopping) = (AtomicBool::new(false), stop.clone());
    ctrlc::set_handler(move || {
        // A second one does not wait for the checkpoints.
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        stopping.ask();
    })
    .context("cannot listen for Ctrl-C")?;
    let settings = Settings {
        address: args.address,
        port: args.port,
        runs: args.runs.clone(),
        ..Settings::default()
    };
    let mut said = Ok(());
    serve(
        settings,
        |address| {
            let url = format!("http://{address}/");
            let told = if out.json() {
                out.object(&Serving { url })
            } else {
                out.line(format!("The page is at {url} until Ctrl-C."))
            };
            said = told.and_then(|()| out.flush());
        },
        &stop,
    )?;
    Ok(said?)
}
