//! `serve`: the server of the page, until Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};

use afterstate_serve::{Settings, Stop, serve};
use anyhow::Context;
use serde_json::json;

use crate::args::Serve;
use crate::output::{Output, print_note};

pub(crate) fn run(args: &Serve, out: &mut Output) -> anyhow::Result<()> {
    if !args.address.is_loopback() {
        print_note(&format!(
            "{} is not a loopback address: everyone who can reach it can play, and can train on this \
             machine",
            args.address
        ));
    }
    let stop = Stop::default();
    let (interrupted, stopping) = (AtomicBool::new(false), stop.clone());
    ctrlc::set_handler(move || {
        // A second Ctrl-C does not wait for checkpoints.
        if interrupted.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        stopping.ask();
    })
    .context("cannot set a handler for Ctrl-C")?;
    let settings = Settings {
        address: args.address,
        port: args.port,
        runs: args.runs.clone(),
        ..Settings::default()
    };
    let mut printed = Ok(());
    serve(
        settings,
        |address| {
            let url = format!("http://{address}/");
            let text = || format!("The page is at {url} until Ctrl-C.");
            let line = out.object_or_line(&json!({"url": url}), text);
            printed = line.and_then(|()| out.flush());
        },
        &stop,
    )?;
    Ok(printed?)
}
