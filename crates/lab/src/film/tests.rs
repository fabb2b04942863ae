//! Films decode back with the right number and size of frames, and show what was played.

use afterstate_games::spec::GameSpec;
use afterstate_search::Search;

use super::*;
use crate::Agent;
use crate::sitting::LoadedAgent;

fn played(game: &str, moves: u64) -> GameSession {
    let rules: GameSpec = game.parse().unwrap();
    let partner = LoadedAgent::load(&Agent::Builtin, &rules).unwrap();
    let mut sitting = GameSession::new(&rules, 1);
    sitting.play_by(&partner, &Search::GREEDY, moves).unwrap();
    assert!(sitting.rewind());
    sitting
}

/// The frames of a GIF, each drawn over those before, as red, green and blue.
fn decoded(bytes: &[u8]) -> (u32, u32, Vec<Vec<u8>>) {
    let mut options = ::gif::DecodeOptions::new();
    options.set_color_output(::gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes).unwrap();
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let (mut frames, mut canvas) = (Vec::new(), vec![0; 3 * width * height]);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        for row in 0..usize::from(frame.height) {
            for column in 0..usize::from(frame.width) {
                let from = 4 * (row * usize::from(frame.width) + column);
                let at = (row + usize::from(frame.top)) * width + column + usize::from(frame.left);
                if frame.buffer[from + 3] > 0 {
                    canvas[3 * at..3 * at + 3].copy_from_slice(&frame.buffer[from..from + 3]);
                }
            }
        }
        frames.push(canvas.clone());
    }
    (width as u32, height as u32, frames)
}

#[test]
fn films_decode_to_what_was_drawn() {
    for (game, moves) in [("2048", 12), ("tetris:10x20", 40), ("1010:hand=3", 20)] {
        let mut sitting = played(game, moves);
        let cut = Cut { cell: None, frames: 200, delay: 100 };
        let mut bytes = Vec::new();
        let footage = film(&mut sitting, &cut, &mut bytes).unwrap();
        let (width, height, frames) = decoded(&bytes);
        assert_eq!((width, height, frames.len()), (footage.width, footage.height, footage.frames));
        assert!(footage.frames > moves as usize, "{game}");
        let shot = Shot::of(sitting.glance());
        let hand = if game.starts_with("1010") { 3 } else { shot.view.scene.hand.len() };
        let style = Style { slots: hand, ..Style::of(&shot.view) };
        let drawn = sheet(&shot, &style).pixels(1.0).unwrap().rgb;
        let last = &frames[frames.len() - 1];
        let far = drawn.iter().zip(last).filter(|(a, b)| a.abs_diff(**b) > 24).count();
        assert!(far * 1000 < drawn.len(), "{game}: {far} of {} differ", drawn.len());
        assert!(frames.windows(2).all(|pair| pair[0] != pair[1]), "{game}: a frame a change");
    }
}

#[test]
fn long_games_are_thinned_to_the_frames_that_are_asked_for() {
    for (frames, expected) in [(10, 10), (1, 1), (51, 51), (1_000, 51)] {
        let mut sitting = played("2048", 50);
        let cut = Cut { cell: Some(20.0), frames, delay: 50 };
        let mut bytes = Vec::new();
        assert_eq!(film(&mut sitting, &cut, &mut bytes).unwrap().frames, expected);
        assert_eq!(decoded(&bytes).2.len(), expected);
    }
}

#[test]
fn the_same_game_has_the_same_bytes() {
    let bytes = || {
        let mut bytes = Vec::new();
        let cut = Cut { cell: None, frames: 30, delay: 50 };
        film(&mut played("1010", 10), &cut, &mut bytes).unwrap();
        bytes
    };
    assert_eq!(bytes(), bytes());
}
