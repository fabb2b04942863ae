//! The GIF encoder: one colour table for all frames, and of each frame only the changed pixels.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;

use gif::{DisposalMethod, Frame, Repeat};

use crate::RenderError;
use crate::canvas::Pixels;
use crate::palette::Color;

/// A GIF has 256 colours, of which one is transparent and means an unchanged pixel.
const MAX_COLORS: usize = 255;

/// The global colour table of an animation.
pub(super) struct ColorTable {
    colors: Vec<[u8; 3]>,
    nearest: HashMap<[u8; 3], u8>,
}

impl ColorTable {
    /// Some fixed colours, and the most frequent ones of sample frames.
    pub(super) fn new(fixed: impl Iterator<Item = Color>, samples: &[Pixels]) -> ColorTable {
        let mut counts: HashMap<[u8; 3], u64> = HashMap::new();
        for pixel in samples.iter().flat_map(|sample| sample.rgb.as_chunks().0) {
            *counts.entry(*pixel).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        // Ties are broken by colour, so that the same frames give the same bytes.
        counts.sort_unstable_by_key(|&(color, count)| (std::cmp::Reverse(count), color));
        let mut colors = Vec::new();
        for color in fixed.map(|Color(rgb)| rgb).chain(counts.into_iter().map(|(rgb, _)| rgb)) {
            if colors.len() < MAX_COLORS && !colors.contains(&color) {
                colors.push(color);
            }
        }
        ColorTable { colors, nearest: HashMap::new() }
    }

    /// All colours in a row, followed by the transparent one.
    fn flat(&self) -> Vec<u8> {
        [self.colors.concat(), vec![0; 3]].concat()
    }

    /// The index of the nearest colour.
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
pub(super) struct Encoder<W: Write> {
    encoder: gif::Encoder<W>,
    colors: ColorTable,
    width: u16,
    height: u16,
    last: Vec<u8>,
}

impl<W: Write> Encoder<W> {
    /// An encoder of frames of the size of the first.
    pub(super) fn new(out: W, first: &Pixels, colors: ColorTable) -> Result<Self, RenderError> {
        let side = |side: u32| u16::try_from(side).map_err(|_| RenderError::FrameSize(side));
        let (width, height) = (side(first.width)?, side(first.height)?);
        let mut encoder = gif::Encoder::new(out, width, height, &colors.flat())?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(Encoder { encoder, colors, width, height, last: Vec::new() })
    }

    /// Adds a frame that is shown for `delay` hundredths of a second.
    pub(super) fn add(&mut self, pixels: &Pixels, delay: u16) -> Result<(), RenderError> {
        let colors = &mut self.colors;
        let indices: Vec<u8> =
            pixels.rgb.as_chunks().0.iter().map(|&color| colors.index(color)).collect();
        let (left, top, width, height) = changed(&self.last, &indices, self.width, self.height);
        let unchanged = self.colors.colors.len() as u8;
        let pixel = |at: usize| match self.last.get(at) {
            Some(&before) if before == indices[at] => unchanged,
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
            transparent: Some(unchanged),
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

/// The smallest rectangle that holds all changes: left, top, width, height.
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
    // A frame without changes still has a duration, so it keeps one pixel.
    let [left, top, right, bottom] = bounds.unwrap_or([0; 4]);
    (left, top, right - left + 1, bottom - top + 1)
}
