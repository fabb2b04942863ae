//! Animations decode to the right number and size of frames, and show the positions.

use afterstate_games::picture::{Figure, Kind, Mark, Scene};
use afterstate_games::shape::Shape;

use super::*;

/// A made-up game: each move fills a cell of the last row; a full row is cleared, but for tiles.
fn game(kind: Kind, moves: usize) -> Vec<Position> {
    let square = |number: usize| Figure {
        name: "square".into(),
        number: number as u8,
        turns: vec![Shape::parse("#").unwrap()],
    };
    let scene = Scene { kind, width: 4, height: 4, cells: vec![0; 16], hand: vec![], next: None };
    let (title, unit) = ("game".to_owned(), "points".to_owned());
    let (spawned, last, banner) = (Vec::new(), None, None);
    let (player, score, moves_so_far) = (Some("agent".to_owned()), 0.0, 0);
    let mut position =
        Position { title, player, score, unit, moves: moves_so_far, scene, last, spawned, banner };
    let mut positions = Vec::new();
    for number in 0..=moves {
        position.scene.hand = match kind {
            Kind::Tiles => Vec::new(),
            Kind::Well => vec![square(number % 7)],
            Kind::Blocks => (number % 3..3).map(square).collect(),
        };
        position.scene.next = (kind == Kind::Well).then(|| square((number + 1) % 7));
        position.banner = (number == moves).then(|| "game over".into());
        positions.push(position.clone());
        let (cells, column) = (&mut position.scene.cells, number % 4);
        cells[12 + column] = 1 + (number % 7) as u8;
        let full = kind != Kind::Tiles && column == 3;
        if full {
            cells.fill(0);
        }
        let (covers, clears) = (vec![12 + column], if full { (12..16).collect() } else { vec![] });
        position.spawned = covers.clone();
        let piece = (kind != Kind::Tiles).then_some(0);
        position.last = Some(Mark { slide: None, piece, turn: 0, row: 3, column, covers, clears });
        (position.moves, position.score) = (position.moves + 1, position.score + 100.0);
    }
    positions
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
fn animations_decode_to_what_was_drawn() {
    for (kind, moves, clears) in [(Kind::Tiles, 12, 0), (Kind::Well, 40, 10), (Kind::Blocks, 20, 5)]
    {
        let positions = game(kind, moves);
        let options = Options { cell: None, max_frames: 200, delay: 100 };
        let mut bytes = Vec::new();
        let stats = encode(&positions, &options, &mut bytes).unwrap();
        let (width, height, frames) = decoded(&bytes);
        assert_eq!((width, height, frames.len()), (stats.width, stats.height, stats.frames));
        assert_eq!(stats.frames, 1 + moves + clears, "{kind:?}");
        let slots = positions[0].scene.hand.len();
        let drawn = Frame::new(positions[moves].clone()).draw(None, slots);
        let drawn = drawn.pixels(1.0).unwrap().rgb;
        let last = &frames[frames.len() - 1];
        let far = drawn.iter().zip(last).filter(|(a, b)| a.abs_diff(**b) > 24).count();
        assert!(far * 1000 < drawn.len(), "{kind:?}: {far} of {} differ", drawn.len());
        assert!(frames.windows(2).all(|pair| pair[0] != pair[1]), "{kind:?}: equal frames");
    }
}

#[test]
fn long_games_are_reduced_to_the_maximum_number_of_frames() {
    for (max_frames, expected) in [(10, 10), (1, 1), (51, 51), (1_000, 51)] {
        let options = Options { cell: Some(20.0), max_frames, delay: 50 };
        let mut bytes = Vec::new();
        let stats = encode(&game(Kind::Tiles, 50), &options, &mut bytes).unwrap();
        assert_eq!(stats.frames, expected);
        assert_eq!(decoded(&bytes).2.len(), expected);
    }
    let options = Options { cell: None, max_frames: 1, delay: 50 };
    assert!(matches!(encode(&[], &options, Vec::new()), Err(RenderError::NoPositions)));
}

#[test]
fn the_same_game_has_the_same_bytes() {
    let bytes = || {
        let mut bytes = Vec::new();
        let options = Options { cell: None, max_frames: 30, delay: 50 };
        encode(&game(Kind::Blocks, 10), &options, &mut bytes).unwrap();
        bytes
    };
    assert_eq!(bytes(), bytes());
}
