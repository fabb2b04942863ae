//! Trainings of value functions, with the time that they take.

use afterstate_core::Device;

use super::processor_time::ProcessorTime;
use crate::cache::{RunPlan, TrainedRun};
use crate::{Error, TrainingCache};

/// Trains by a recipe, resumes, or reads what is finished; the run, and the seconds of one processor that it
/// took. On a GPU, and of a training that was resumed, those on the clock are known.
pub(super) fn train(
    cache: &mut TrainingCache,
    name: &str,
    recipe: &str,
) -> Result<(TrainedRun, f64), Error> {
    let clock = ProcessorTime::start();
    // A GPU is kept busy by all processors, which play its games.
    let is_on_gpu = matches!(cache.device, Device::Cuda(_));
    let threads = if is_on_gpu { cache.threads } else { 1 };
    let run = cache.run(&RunPlan { threads, ..RunPlan::agent(name, recipe) })?;
    let on_clock = run.finished.cost.seconds;
    let whole = clock.elapsed() >= 0.95 * on_clock && !is_on_gpu;
    Ok((run, if whole { clock.seconds() } else { on_clock }))
}
