//! The work of a cluster: jobs of evaluations and learners, prepared by a worker.

use afterstate_agents::on_cluster;
use afterstate_core::cluster::{Job, Work, WorkError};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_train::learners;

/// Prepares a job that another process has written.
pub fn prepare(job: &Job) -> Result<Box<dyn Work>, WorkError> {
    struct Prepare<'a>(&'a Job);
    impl Visitor for Prepare<'_> {
        type Output = Result<Box<dyn Work>, WorkError>;
        fn visit<G: Spec>(self, game: &G) -> Self::Output {
            let Prepare(job) = self;
            if job.kind == on_cluster::KIND {
                return on_cluster::prepare(game, job);
            }
            let unknown = || Err(format!("unknown kind of work {:?}", job.kind).into());
            learners::prepare(game, job).unwrap_or_else(unknown)
        }
    }
    job.rules.parse::<GameSpec>()?.with(Prepare(job))
}
