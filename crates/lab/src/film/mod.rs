//! Films: a game as an animated GIF, drawn as charts are.

mod board;
mod gif;
pub mod palette;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

pub use board::{Shot, Style, sheet};

use self::gif::{Palette, Reel};
use crate::drawing::DrawingError;
use crate::sitting::GameSession;

/// Frames that are looked at for their colours.
const SAMPLES: usize = 16;

/// A film could not be made.
#[derive(Debug, thiserror::Error)]
pub enum FilmError {
    /// A frame could not be drawn.
    #[error(transparent)]
    Drawing(#[from] DrawingError),
    /// The file could not be written.
    #[error("cannot write the film: {0}")]
    Write(#[from] io::Error),
    /// The film could not be encoded.
    #[error("cannot encode the film: {0}")]
    Encode(::gif::EncodingError),
    /// Larger than a GIF can be.
    #[error("met frames of {0} pixels, expected at most 65535")]
    Size(u32),
}

impl From<::gif::EncodingError> for FilmError {
    fn from(error: ::gif::EncodingError) -> FilmError {
        match error {
            ::gif::EncodingError::Io(error) => FilmError::Write(error),
            other => FilmError::Encode(other),
        }
    }
}

/// What a film shall be like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// Pixels of a cell; what suits the game if none is given.
    pub cell: Option<f64>,
    /// The most frames; moves are left out evenly where there are more.
    pub frames: usize,
    /// Milliseconds between two moves.
    pub delay: u64,
}

/// What a film came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footage {
    /// Frames.
    pub frames: usize,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
}

/// Films the moves of a sitting that lie ahead, those to be made again, from where it stands. The
/// last position stays for two seconds.
pub fn film(sitting: &mut GameSession, cut: &Cut, out: impl Write) -> Result<Footage, FilmError> {
    let shots = shots(sitting, cut.frames.max(1));
    let style = style(&shots, cut);
    let draw = |shot: &Shot| sheet(shot, &style).pixels(1.0);
    let step = shots.len().div_ceil(SAMPLES).max(1);
    let samples = shots.iter().step_by(step).chain(shots.last());
    let samples = samples.map(|(shot, _)| draw(shot)).collect::<Result<Vec<_>, _>>()?;
    let kind = shots[0].0.view.scene.kind;
    let palette = Palette::new(palette::all(kind), &samples);
    let first = draw(&shots[0].0)?;
    let mut reel = Reel::new(out, &first, palette)?;
    for (number, (shot, part)) in shots.iter().enumerate() {
        let last = number + 1 == shots.len();
        let time = if last { 2_000.0 } else { cut.delay as f64 * part };
        let delay = (time / 10.0).round().clamp(2.0, f64::from(u16::MAX)) as u16;
        reel.add(&draw(shot)?, delay)?;
    }
    Ok(Footage { frames: shots.len(), width: first.width, height: first.height })
}

/// The moments of a film, each with the part of a move's time that it takes.
fn shots(sitting: &mut GameSession, most: usize) -> Vec<(Shot, f64)> {
    let mut views = vec![sitting.glance()];
    while sitting.redo() {
        views.push(sitting.glance());
    }
    // A frame a move, and one more where lines go away, if they all fit.
    let clears = |view: &&crate::sitting::View| {
        view.last.as_ref().is_some_and(|last| !last.mark.clears.is_empty())
    };
    let flashes = views.iter().skip(1).filter(clears).count();
    if views.len() + flashes <= most {
        let mut shots = vec![(Shot::of(views[0].clone()), 1.0)];
        for pair in views.windows(2) {
            if let Some(shot) = Shot::between(&pair[0], &pair[1]) {
                shots.push((shot, 0.6));
            }
            shots.push((Shot::of(pair[1].clone()), 1.0));
        }
        return shots;
    }
    let last = views.len() - 1;
    let count = most.min(views.len());
    let place = |frame: usize| if count == 1 { last } else { frame * last / (count - 1) };
    (0..count).map(|frame| (Shot::of(views[place(frame)].clone()), 1.0)).collect()
}

fn style(shots: &[(Shot, f64)], cut: &Cut) -> Style {
    let own = Style::of(&shots[0].0.view);
    let slots = shots.iter().map(|(shot, _)| shot.view.scene.hand.len()).max().unwrap_or(0);
    Style { cell: cut.cell.unwrap_or(own.cell), slots }
}
