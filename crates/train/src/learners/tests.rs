//! What trainings need is counted before they begin.

use afterstate_games::spec::{Spec, Visitor};

use super::*;
use crate::recipes::BUILT_IN;

struct NeedsOf<'a>(&'a LearnerPlan);

impl Visitor for NeedsOf<'_> {
    type Output = (Needs, Result<(), LearnerError>);

    fn visit<G: Spec>(self, game: &G) -> Self::Output {
        (self.0.needs(game).unwrap(), self.0.check_game(game))
    }
}

fn needs(recipe: &str, settings: &[&str]) -> (Needs, Result<(), LearnerError>) {
    let (_, text) = BUILT_IN.iter().find(|(name, _)| *name == recipe).unwrap();
    let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
    let recipe = Recipe::parse(text, &settings).unwrap();
    recipe.rules.with(NeedsOf(&recipe.learner))
}

const GIB: u64 = 1 << 30;

/// Scores, boards, transitions and samples that no machine of a user has the memory for.
#[test]
fn trainings_that_are_too_large_are_refused() {
    for (recipe, settings, bytes) in [
        (
            "tetris-ce",
            &["weights.optimiser.population=100000", "weights.games.count=100000"][..],
            16 * 10_000_000_000,
        ),
        (
            "2048-neural",
            &["game=1010", "neural.games=1048576", "neural.symmetry=mean"],
            (1 << 20) * 300 * 8 * 200,
        ),
    ] {
        let (needs, checked) = needs(recipe, settings);
        assert!(needs.memory > bytes, "{recipe}: {needs:?}");
        if free().is_some_and(|free| free < 256 * GIB) {
            let error = checked.unwrap_err().to_string();
            assert!(
                error.starts_with("the training needs ") && error.contains("are free"),
                "{error}"
            );
        }
    }
}

#[test]
fn what_grows_with_a_setting_is_counted() {
    for (recipe, small, large, bytes) in [
        ("2048-neural", &[][..], &["neural.games=1048576", "neural.steps=16"][..], 2 * GIB),
        ("2048-neural", &[], &["neural.batch=1048576"], 32 << 20),
        (
            "2048-td",
            &["phase.0.order=forward"],
            &["phase.0.order=forward", "network.batch=1048576"],
            2 * GIB,
        ),
        ("tetris-cbmpi", &[], &["cbmpi.iteration.states=1000000"], 3 * GIB),
        ("tetris-cmaes", &[], &["weights.games.count=100000"], 16 * 100_000),
    ] {
        let (small, large) = (needs(recipe, small).0, needs(recipe, large).0);
        assert!(large.memory > small.memory + bytes, "{recipe}: {small:?} {large:?}");
    }
}
