//! `verify-device`: comparisons of a GPU with the processor.

use std::io;

use afterstate_core::Device;
use afterstate_engine::verify_device::{Check, verify_device};

use crate::args::VerifyDevice;
use crate::output::{Output, Usage};

pub(crate) fn run(args: &VerifyDevice, out: &mut Output) -> anyhow::Result<()> {
    let Device::Cuda(number) = args.device else {
        let message = "the processor is what other devices are compared with: name cuda";
        return Err(Usage(message.to_owned()).into());
    };
    let mut written: io::Result<()> = Ok(());
    let agrees = verify_device(number, |check| {
        if written.is_ok() {
            written = print(&check, out);
        }
    })?;
    written?;
    anyhow::ensure!(agrees, "{} and the processor do not agree", args.device);
    Ok(())
}

fn print(check: &Check, out: &mut Output) -> io::Result<()> {
    let Check { what, found, agrees } = check;
    if out.json() {
        out.line(
            serde_json::json!({ "what": what, "found": found, "agrees": agrees }).to_string(),
        )?;
    } else {
        let verdict = match agrees {
            Some(true) => "agrees  ",
            Some(false) => "DIFFERS ",
            None => "measured",
        };
        out.line(format!("{verdict} {what}: {found}"))?;
    }
    out.flush()
}
