//! Animations of games as GIF files.

mod gif;
#[cfg(test)]
mod tests;

use std::io::Write;

use self::gif::{ColorTable, Encoder};
use crate::board::{Frame, Position};
use crate::{RenderError, palette};

/// Frames sampled for the colour table.
const SAMPLES: usize = 16;

/// The properties of an animation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Pixels per cell; by default what suits the game.
    pub cell: Option<f64>,
    /// The maximum number of frames; of a longer game, positions are left out evenly.
    pub max_frames: usize,
    /// Milliseconds between two moves.
    pub delay: u64,
}

/// The size of an encoded animation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Number of frames.
    pub frames: usize,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
}

/// Writes the positions of a game, one or more, as an animated GIF. The last one is shown for two
/// seconds.
pub fn encode(
    positions: &[Position],
    options: &Options,
    out: impl Write,
) -> Result<Stats, RenderError> {
    let Some(first) = positions.first() else { return Err(RenderError::NoPositions) };
    let frames = frames(positions, options.max_frames.max(1));
    let slots = frames.iter().map(|(frame, _)| frame.position.scene.hand.len()).max();
    let pixels = |frame: &Frame| frame.draw(options.cell, slots.unwrap_or(0)).pixels(1.0);
    let step = frames.len().div_ceil(SAMPLES).max(1);
    let samples = frames.iter().step_by(step).chain(frames.last());
    let samples = samples.map(|(frame, _)| pixels(frame)).collect::<Result<Vec<_>, _>>()?;
    let colors = ColorTable::new(palette::of_board(first.scene.kind), &samples);
    let mut encoder = Encoder::new(out, &samples[0], colors)?;
    for (number, (frame, part)) in frames.iter().enumerate() {
        let last = number + 1 == frames.len();
        let time = if last { 2_000.0 } else { options.delay as f64 * part };
        let delay = (time / 10.0).round().clamp(2.0, f64::from(u16::MAX)) as u16;
        encoder.add(&pixels(frame)?, delay)?;
    }
    Ok(Stats { frames: frames.len(), width: samples[0].width, height: samples[0].height })
}

/// At most `max` frames, each with its duration in units of the delay between moves.
fn frames(positions: &[Position], max: usize) -> Vec<(Frame, f64)> {
    // One frame per move and one more where lines are cleared, if all of them fit.
    let clears =
        |position: &Position| position.last.as_ref().is_some_and(|mark| !mark.clears.is_empty());
    let cleared = positions.iter().skip(1).filter(|position| clears(position)).count();
    if positions.len() + cleared <= max {
        let mut frames = vec![(Frame::new(positions[0].clone()), 1.0)];
        for pair in positions.windows(2) {
            frames.extend(Frame::clearing(&pair[0], &pair[1]).map(|frame| (frame, 0.6)));
            frames.push((Frame::new(pair[1].clone()), 1.0));
        }
        return frames;
    }
    let last = positions.len() - 1;
    let count = max.min(positions.len());
    let index = |frame: usize| if count == 1 { last } else { frame * last / (count - 1) };
    (0..count).map(|frame| (Frame::new(positions[index(frame)].clone()), 1.0)).collect()
}
