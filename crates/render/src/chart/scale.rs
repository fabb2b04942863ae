//! `Scale`: the range of numbers that an axis shows, and where on it a number lies.

use super::ticks::nice_step;
use super::{Chart, Line};

/// A range of coordinates: numbers, or their decimal logarithms on a logarithmic axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) log: bool,
}

/// The ends of the vertical axis are multiples of a step of which this many, or half as many, fit.
pub(super) const ROUND_STEPS: usize = 8;

/// Differences of numbers up to this one stay finite.
const HUGE: f64 = 1e300;

/// The coordinate of a number on a linear or logarithmic axis, if it can be shown.
pub(super) fn coordinate(number: f64, log: bool) -> Option<f64> {
    match log {
        _ if !number.is_finite() => None,
        false => Some(number.clamp(-HUGE, HUGE)),
        true => (number > 0.0).then(|| number.log10()),
    }
}

impl Line {
    /// The coordinates of the points that can be shown.
    pub(super) fn coordinates<'a>(
        &'a self,
        chart: &'a Chart,
    ) -> impl Iterator<Item = (f64, f64)> + 'a {
        let (x_log, y_log) = (chart.x.log, chart.y.log);
        let points = self.points.iter();
        points.filter_map(move |&(x, y)| Some((coordinate(x, x_log)?, coordinate(y, y_log)?)))
    }

    /// The coordinates of the band where it can be shown: x, low, high. A low end that a
    /// logarithmic axis cannot show lies at minus infinity.
    pub(super) fn band_coordinates<'a>(
        &'a self,
        chart: &'a Chart,
    ) -> impl Iterator<Item = (f64, f64, f64)> + 'a {
        let pairs = self.points.iter().zip(self.band.iter().flatten());
        pairs.filter_map(|(&(x, _), &(a, b))| {
            let (x_log, y_log) = (chart.x.log, chart.y.log);
            let low = coordinate(a.min(b), y_log);
            let low = low.or((y_log && a.min(b) <= 0.0).then_some(f64::NEG_INFINITY));
            Some((coordinate(x, x_log)?, low?, coordinate(a.max(b), y_log)?))
        })
    }
}

impl Chart {
    /// The scales of both axes: x ends where the data end, y at round numbers.
    pub(super) fn scales(&self) -> (Scale, Scale) {
        let points = || self.lines.iter().flat_map(|line| line.coordinates(self));
        let bands = || self.lines.iter().flat_map(|line| line.band_coordinates(self));
        let x = points().map(|point| point.0).chain(bands().map(|band| band.0));
        let lows = bands().map(|band| band.1).filter(|low| low.is_finite());
        let y = points().map(|point| point.1).chain(lows).chain(bands().map(|band| band.2));
        (Scale::around(x, self.x.log), Scale::around(y, self.y.log).rounded())
    }
}

impl Scale {
    /// The range of some coordinates, never empty.
    pub(super) fn around(coordinates: impl Iterator<Item = f64>, log: bool) -> Scale {
        let ends = coordinates.fold(None, |ends: Option<(f64, f64)>, c| {
            Some(ends.map_or((c, c), |(low, high)| (low.min(c), high.max(c))))
        });
        let (low, high) = ends.unwrap_or((0.0, 1.0));
        let size = low.abs().max(high.abs());
        if high - low > 1e-9 * size && high - low > 1e-290 {
            return Scale { low, high, log };
        }
        // All equal, or too close for labels to differ.
        let reach = match size {
            _ if log => 0.5,
            size if size < 1e-280 => 1.0,
            size => size * 0.1,
        };
        Scale { low: low - reach, high: high + reach, log }
    }

    /// The range extended to round numbers, and to zero where zero is near.
    pub(super) fn rounded(self) -> Scale {
        let Scale { mut low, mut high, log } = self;
        if log {
            return Scale { low: round_log(low, false), high: round_log(high, true), log };
        }
        if low > 0.0 && low < 0.4 * high {
            low = 0.0;
        } else if high < 0.0 && high > 0.4 * low {
            high = 0.0;
        }
        let step = nice_step((high - low) / ROUND_STEPS as f64);
        Scale { low: (low / step).floor() * step, high: (high / step).ceil() * step, log }
    }

    /// The position of a coordinate: 0 at the low end, 1 at the high end.
    pub(super) fn place(&self, coordinate: f64) -> f64 {
        ((coordinate - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }
}

/// The next logarithm of 1, 2 or 5 times a power of ten, up or down.
fn round_log(log: f64, up: bool) -> f64 {
    let decade = log.floor();
    let rest = log - decade;
    let steps = [0.0, 2f64.log10(), 5f64.log10(), 1.0];
    let found = if up {
        steps.into_iter().find(|&step| step >= rest - 1e-9)
    } else {
        steps.into_iter().rev().find(|&step| step <= rest + 1e-9)
    };
    decade + found.unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(values: &[f64], log: bool) -> (f64, f64) {
        let coordinates = values.iter().filter_map(|&value| coordinate(value, log));
        let scale = Scale::around(coordinates, log).rounded();
        (scale.low, scale.high)
    }

    #[test]
    fn ends_are_round_and_near_zero_is_zero() {
        assert_eq!(ends(&[0.02, 0.97], false), (0.0, 1.0));
        assert_eq!(ends(&[120.0, 93_000.0], false), (0.0, 100_000.0));
        assert_eq!(ends(&[81.0, 93.0], false), (80.0, 94.0));
        assert_eq!(ends(&[-93.0, -3.0], false), (-100.0, 0.0));
        assert_eq!(ends(&[1.0, 1000.0], true), (0.0, 3.0));
    }

    #[test]
    fn the_range_of_no_data_and_of_equal_data_is_not_empty() {
        for values in [&[][..], &[0.0], &[7.0, 7.0], &[f64::MAX, f64::MIN], &[5e-324, 0.0]] {
            for log in [false, true] {
                let (low, high) = ends(values, log);
                assert!(low < high && (high - low).is_finite(), "{values:?}: {low} to {high}");
            }
        }
    }
}
