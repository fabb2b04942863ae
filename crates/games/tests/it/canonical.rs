//! All images of an afterstate have the same canonical image, which is one of them.

use afterstate_core::Rng;
use afterstate_games::laws::for_each_random_move;
use afterstate_games::spec::{GameSpec, Spec, Visitor};

struct OneImage;

impl Visitor for OneImage {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        for_each_random_move(game, Rng::stream(1, 0), 5_000, |_, (_, step)| {
            let images: Vec<G::After> = (0..game.symmetries())
                .map(|k| game.apply_symmetry_to_after(k, &step.after))
                .collect();
            let canonical = game.canonical(&step.after);
            assert!(images.contains(&canonical), "{canonical:?}");
            assert!(images.iter().all(|image| game.canonical(image) == canonical));
        });
    }
}

#[test]
fn images_have_one_canonical_image() {
    for spec in ["2048:4x4", "2048:3x2", "2048:2x2", "tetris:10x20", "tetris:7x8,next"] {
        spec.parse::<GameSpec>().unwrap().with(OneImage);
    }
}
