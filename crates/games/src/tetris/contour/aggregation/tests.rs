//! Tests of contour aggregations against a reference implementation of their patterns.

use std::collections::{HashMap, HashSet};

use afterstate_core::Rng;

use super::*;
use crate::laws::for_each_random_move;
use crate::tetris::{Setup, melax_pieces};

fn game(width: usize, height: usize, melax: bool) -> Tetris {
    let setup = Setup::sized(width, height);
    let pieces = if melax { melax_pieces() } else { setup.pieces.clone() };
    Tetris::new(Setup { pieces, ..setup }).unwrap()
}

/// The reference implementation of patterns: all that a view distinguishes, as numbers.
fn reference(view: &View, board: &crate::tetris::Board, width: usize, height: usize) -> Vec<i32> {
    let columns = view.window().unwrap_or(width);
    if view.has(Step::Cells) {
        let cell = |i: usize| i32::from(board.get(i % height, i / height));
        return (0..columns * height).map(cell).collect();
    }
    let heights: Vec<i32> = (0..columns).map(|c| board.height_of(c) as i32).collect();
    if !view.has(Step::Differences) {
        return heights;
    }
    let cap = view.cap().unwrap_or(99);
    let fuzzy = |difference: i32| {
        let ends = [0, 1, 2, 4, 8, 16, 32];
        let interval = ends.iter().position(|&end| difference.abs() <= end).unwrap() as i32;
        difference.signum() * interval
    };
    let difference = |pair: &[i32]| {
        let difference = pair[1] - pair[0];
        if view.is_fuzzy() { fuzzy(difference) } else { difference }.clamp(-cap, cap)
    };
    let differences = heights.windows(2).map(difference);
    let highest = heights.iter().copied().max().unwrap_or(0);
    let level = highest * view.levels() as i32 / (height as i32 + 1);
    let hole = |c: usize| (0..heights[c]).filter(|&r| !board.get(r as usize, c)).count();
    let holes: usize = (0..columns).map(hole).sum();
    let holes = holes.min(view.holes().unwrap_or(0) as usize) as i32;
    differences.chain([level, holes]).collect()
}

const VIEWS: [&str; 9] = [
    "heights,differences,fuzzy=4,mirror",
    "heights,differences,cap=1,level=3,mirror",
    "heights,differences,cap=2,level=2,holes=3,mirror",
    "cells",
    "cells,mirror",
    "heights",
    "heights,mirror",
    "heights,differences,mirror",
    "heights,differences,cap=3,mirror",
];

/// Two boards have the same entry exactly if their patterns are equal or mirror images.
#[test]
fn entries_distinguish_what_a_view_distinguishes() {
    for text in VIEWS {
        let view: View = text.parse().unwrap();
        let game = game(4, 5, true);
        let aggregation = ContourAggregation::new(&view, &game).unwrap();
        let mut entry_of: HashMap<Vec<i32>, u32> = HashMap::new();
        for_each_random_move(&game, Rng::stream(1, 0), 50_000, |_, (_, step)| {
            let mut own = [0];
            aggregation.indices(&game, &step.after, &mut own);
            assert!(u64::from(own[0]) < StateAggregation::<Tetris>::size(&aggregation));
            let image = game.apply_symmetry_to_after(1, &step.after);
            let patterns = [step.after, image].map(|after| reference(&view, &after.board, 4, 5));
            let pattern = if view.is_mirrored() { patterns.iter().min() } else { patterns.first() };
            let known = *entry_of.entry(pattern.unwrap().clone()).or_insert(own[0]);
            assert_eq!(known, own[0], "{text}");
        });
        let entries: HashSet<&u32> = entry_of.values().collect();
        assert_eq!(entries.len(), entry_of.len(), "{text}: two patterns share an entry");
    }
}

#[test]
fn there_are_175_contours() {
    let view = |text: &str| text.parse::<View>().unwrap();
    let size = |text: &str, width| {
        ContourAggregation::new(&view(text), &game(width, 20, true)).unwrap().classes()
    };
    assert_eq!(size("heights,differences,cap=3,mirror", 4), 175);
    assert_eq!(size("heights,differences,cap=3,window=4,mirror", 10), 175);
    assert_eq!(size("heights,differences,cap=3", 4), 343);
    assert_eq!(size("heights,differences,cap=3,mirror", 5), 1_225);
    let melax = Tetris::new(Setup::melax()).unwrap();
    let cells = ContourAggregation::new(&view("cells,mirror"), &melax).unwrap();
    assert_eq!(cells.classes(), 2_080);
    assert!(ContourAggregation::new(&view("cells"), &game(10, 20, true)).is_err());
    assert!(ContourAggregation::new(&view("heights,window=5"), &game(4, 20, true)).is_err());
    // The mirror images of 7^9 patterns would take a second and 320 MB, even to check a recipe.
    let whole = |text| ContourAggregation::new(&view(text), &game(10, 20, false));
    assert!(whole("heights,differences,cap=3,mirror").is_err());
    assert!(whole("heights,differences,cap=3").is_ok());
    assert!(whole("heights,differences,cap=1,mirror").is_ok());
}

/// Only a move and its mirror image have the same entry.
#[test]
fn moves_share_entries_with_their_mirror_images_alone() {
    for (text, melax) in [
        ("heights,differences,cap=2,mirror", true),
        ("heights,differences,cap=1,mirror", false),
        ("heights,differences,cap=2", false),
    ] {
        let game = game(4, 8, melax);
        let view: View = text.parse().unwrap();
        let aggregation = ContourActionAggregation(ContourAggregation::new(&view, &game).unwrap());
        let mut entry_of: HashMap<(Vec<i32>, u8, usize), u32> = HashMap::new();
        for_each_random_move(&game, Rng::stream(1, 0), 20_000, |state, _| {
            let mut moves = Vec::new();
            game.for_each_move(state, |mv, _| moves.push(mv));
            let mut entries = vec![0; moves.len()];
            aggregation.indices(&game, state, &moves, &mut entries);
            for (&mv, entry) in moves.iter().zip(entries) {
                assert!(u64::from(entry) < aggregation.size());
                let images = [0, 1].map(|k| {
                    let image = game.apply_symmetry_to_state(k, state);
                    let mv = game.apply_symmetry_to_move(k, state, mv);
                    let pattern = reference(&view, &image.board, 4, 8);
                    (pattern, image.piece, game.action_number(mv))
                });
                let key = if view.is_mirrored() { images.iter().min() } else { images.first() };
                let known = *entry_of.entry(key.unwrap().clone()).or_insert(entry);
                assert_eq!(known, entry, "{text}");
            }
        });
        let entries: HashSet<&u32> = entry_of.values().collect();
        assert_eq!(entries.len(), entry_of.len(), "{text}: two moves share an entry");
    }
}
