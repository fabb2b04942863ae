//! Films as GIF files: one palette for all frames, and of each frame only what has changed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use super::FilmError;
use crate::drawing::{Color, Pixels};

/// A GIF has 256, and one of them stands for what has not changed.
const COLORS: usize = 255;

/// The colours of a film.
pub(super) struct Palette {
    colors: Vec<[u8; 3]>,
    nearest: HashMap<[u8; 3], u8>,
}

impl Palette {
    /// Colours that must be there, and the most frequent ones of some frames.
    pub(super) fn new(fixed: impl Iterator<Item = Color>, samples: &[Pixels]) -> Palette {
        let mut colors: Vec<[u8; 3]> = Vec::new();
        for Color(color) in fixed {
            if !colors.contains(&color) {
                colors.push(color);
            }
        }
        let mut counts: HashMap<[u8; 3], u64> = HashMap::new();
        for pixel in samples.iter().flat_map(|sample| sample.rgb.as_chunks().0) {
            *counts.entry(*pixel).or_default() += 1;
        }
        let mut counts: Vec<([u8; 3], u64)> = counts.into_iter().collect();
        // By colour where they are equally frequent: the same film has the same bytes.
        counts.sort_unstable_by_key(|&(color, count)| (std::cmp::Reverse(count), color));
        for (color, _) in counts {
            if colors.len() < COLORS && !colors.contains(&color) {
                colors.push(color);
            }
        }
        colors.truncate(COLORS);
        Palette { colors, nearest: HashMap::new() }
    }

    /// All colours in a row; the one after the last means that a pixel stays as it is.
    fn flat(&self) -> Vec<u8> {
        [self.colors.concat(), vec![0; 3]].concat()
    }

    /// The number of the colour that is nearest to this one.
    fn index(&mut self, color: [u8; 3]) -> u8 {
        if let Some(&index) = self.nearest.get(&color) {
            return index;
        }
        let distance = |other: &[u8; 3]| {
            let parts = color.iter().zip(other);
            parts.map(|(a, b)| (i32::from(*a) - i32::from(*b)).pow(2)).sum::<i32>()
        };
        let nearest = (0..self.colors.len()).min_by_key(|&i| distance(&self.colors[i]));
        let index = nearest.unwrap_or(0) as u8;
        self.nearest.insert(color, index);
        index
    }
}

/// Writes frames one after the other.
pub(super) struct Reel<W: Write> {
    encoder: Encoder<W>,
    palette: Palette,
    width: u16,
    height: u16,
    last: Vec<u8>,
}

impl<W: Write> Reel<W> {
    pub(super) fn new(out: W, first: &Pixels, palette: Palette) -> Result<Reel<W>, FilmError> {
        let side = |side: u32| u16::try_from(side).map_err(|_| FilmError::Size(side));
        let (width, height) = (side(first.width)?, side(first.height)?);
        let mut encoder = Encoder::new(out, width, height, &palette.flat())?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(Reel { encoder, palette, width, height, last: Vec::new() })
    }

    /// Adds a frame that is shown for so many hundredths of a second.
    pub(super) fn add(&mut self, pixels: &Pixels, delay: u16) -> Result<(), FilmError> {
        let palette = &mut self.palette;
        let indices: Vec<u8> =
            pixels.rgb.as_chunks().0.iter().map(|&color| palette.index(color)).collect();
        let (left, top, width, height) = changed(&self.last, &indices, self.width, self.height);
        let same = self.palette.colors.len() as u8;
        let pixel = |at: usize| match self.last.get(at) {
            Some(&before) if before == indices[at] => same,
            _ => indices[at],
        };
        let row = |row: u16| {
            let begin = usize::from(row) * usize::from(self.width) + usize::from(left);
            (begin..begin + usize::from(width)).map(pixel)
        };
        let buffer: Vec<u8> = (top..top + height).flat_map(row).collect();
        let frame = Frame {
            delay,
            dispose: DisposalMethod::Keep,
            transparent: Some(same),
            left,
            top,
            width,
            height,
            buffer: Cow::Owned(buffer),
            ..Frame::default()
        };
        self.encoder.write_frame(&frame)?;
        self.last = indices;
        Ok(())
    }
}

/// The smallest rectangle outside of which two frames are the same: left, top, width, height.
fn changed(before: &[u8], after: &[u8], width: u16, height: u16) -> (u16, u16, u16, u16) {
    if before.len() != after.len() {
        return (0, 0, width, height);
    }
    let (columns, mut bounds) = (usize::from(width), None::<[u16; 4]>);
    for (at, (one, other)) in before.iter().zip(after).enumerate() {
        if one != other {
            let (x, y) = ((at % columns) as u16, (at / columns) as u16);
            let [left, top, right, bottom] = bounds.unwrap_or([x, y, x, y]);
            bounds = Some([left.min(x), top.min(y), right.max(x), bottom.max(y)]);
        }
    }
    // A frame in which nothing changes still takes its time.
    let [left, top, right, bottom] = bounds.unwrap_or([0; 4]);
    (left, top, right - left + 1, bottom - top + 1)
}
