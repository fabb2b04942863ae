//! The windows of a run as TensorBoard events.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use super::error::{RunError, at};
use crate::budget::Position;
use crate::metrics::Window;
use crate::tensorboard::EventWriter;

/// The event file of a run. A resumed run writes another file; TensorBoard shows them as one curve.
pub(super) struct Events(EventWriter);

impl Events {
    pub(super) fn open(folder: &Path, position: Position) -> Result<Events, RunError> {
        let mut suffix = format!("afterstate.{}", position.episodes);
        loop {
            match EventWriter::create(folder, now(), &suffix) {
                // The run was stopped and resumed within a second, at the same game.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => suffix.push('+'),
                created => {
                    let mut writer = created.map_err(at(folder))?;
                    if position.episodes > 0 {
                        // A killed run may have written events after its checkpoint.
                        let restarted = writer.restart(now(), position.episodes + 1);
                        restarted.map_err(at(writer.path()))?;
                    }
                    return Ok(Events(writer));
                }
            }
        }
    }

    pub(super) fn add(&mut self, windows: &[Window]) -> Result<(), RunError> {
        for window in windows {
            let (time, step) = (now(), window.episodes);
            let scores = [
                ("score/mean".to_owned(), window.mean),
                ("score/max".to_owned(), window.max),
                ("length/mean".to_owned(), window.mean_moves),
                ("progress/moves".to_owned(), window.moves as f64),
            ];
            let reach = window.reach.iter().map(|(tile, &share)| (format!("reach/{tile}"), share));
            let extra = window.extra.iter().map(|(name, &x)| (format!("learner/{name}"), x));
            for (tag, value) in scores.into_iter().chain(reach).chain(extra) {
                self.0.scalar(time, step, &tag, value as f32).map_err(at(self.0.path()))?;
            }
        }
        if !windows.is_empty() {
            self.0.flush().map_err(at(self.0.path()))?;
        }
        Ok(())
    }
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}
