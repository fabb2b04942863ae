//! The laws of every documented set of rules, so that no example is left out of the suite.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use afterstate_games::spec::{GameSpec, Spec, Visitor};

/// States that are visited under each set of rules.
const STATES: u64 = 300;

struct Check;

impl Visitor for Check {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        afterstate_games::laws::check(game, 5, STATES);
    }
}

#[test]
fn every_documented_set_of_rules_keeps_the_laws() {
    for text in GameSpec::documented() {
        // A thread with the name of the rules says which of them break a law.
        let named = std::thread::Builder::new().name(text.to_owned());
        let check = move || text.parse::<GameSpec>().unwrap().with(Check);
        assert!(named.spawn(check).unwrap().join().is_ok(), "{text} breaks a law");
    }
}
