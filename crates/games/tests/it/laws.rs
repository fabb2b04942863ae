//! The laws of every documented set of rules.

use afterstate_games::spec::{GameSpec, Spec, Visitor};

/// The number of visited states of each set of rules.
const STATES: u64 = 300;

struct Check;

impl Visitor for Check {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        afterstate_games::laws::check(game, 5, STATES);
    }
}

#[test]
fn every_documented_set_of_rules_obeys_the_laws() {
    for text in GameSpec::documented() {
        // A panic message contains the name of the thread, and so the rules.
        let named = std::thread::Builder::new().name(text.to_owned());
        let check = move || text.parse::<GameSpec>().unwrap().with(Check);
        assert!(named.spawn(check).unwrap().join().is_ok(), "{text} violates a law");
    }
}
