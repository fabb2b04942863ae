//! Ticks: round numbers along an axis and their labels.

use super::scale::Scale;
use afterstate_core::numbers::grouped;

/// A labelled position on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    /// 0 at the low end of the axis, 1 at its high end.
    pub(super) place: f64,
    pub(super) label: String,
}

/// About `count` ticks.
pub(super) fn ticks(scale: &Scale, count: usize) -> Vec<Tick> {
    let count = count.max(1);
    if scale.log { logarithmic(scale, count) } else { linear(scale.low, scale.high, count) }
        .into_iter()
        .map(|(value, step)| {
            let coordinate = if scale.log { value.log10() } else { value };
            Tick { place: scale.place(coordinate), label: label(value, step) }
        })
        .collect()
}

/// The largest number of ticks, at most `max`, that `fits`, or none.
pub(super) fn fitting(scale: &Scale, max: usize, fits: impl Fn(&[Tick]) -> bool) -> Vec<Tick> {
    let tries = (1..=max).rev().map(|count| ticks(scale, count));
    tries.into_iter().find(|ticks| fits(ticks)).unwrap_or_default()
}

/// The smallest of 1, 2, 5, 10, 20, 50, ... (and 0.5, 0.2, ...) that is not below a number.
pub(super) fn nice_step(raw: f64) -> f64 {
    let exponent = raw.log10().floor();
    let power = 10f64.powf(exponent);
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= raw * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// Values with the step between them.
fn linear(low: f64, high: f64, wanted: usize) -> Vec<(f64, f64)> {
    let step = nice_step((high - low) / wanted as f64);
    let first = (low / step - 1e-9).ceil();
    let count = ((high / step + 1e-9).floor() - first).max(0.0) as usize;
    // Adding zero turns -0 into 0.
    (0..=count.min(2 * wanted)).map(|i| ((first + i as f64) * step + 0.0, step)).collect()
}

fn logarithmic(scale: &Scale, wanted: usize) -> Vec<(f64, f64)> {
    let (low, high) = (scale.low - 1e-9, scale.high + 1e-9);
    let inside = |value: &f64| (low..=high).contains(&value.log10());
    let with_step = |value: f64| (value, value);
    let (first, last) = (low.floor() as i32, high.ceil() as i32);
    let decades = || (first..=last).map(|exponent| 10f64.powi(exponent)).filter(inside);
    let count = decades().count();
    if count >= 3 || count == 2 && wanted < 4 {
        // Counted from 10^0, so that a shift of the data keeps the same decades.
        let stride = count.div_ceil(wanted) as i32;
        let kept = (first..=last).filter(|exponent| exponent % stride == 0);
        return kept.map(|exponent| 10f64.powi(exponent)).filter(inside).map(with_step).collect();
    }
    let fine =
        (first..=last).flat_map(|exponent| [1.0, 2.0, 5.0].map(|x| x * 10f64.powi(exponent)));
    let fine: Vec<_> = fine.filter(inside).map(with_step).collect();
    if (2..=2 * wanted).contains(&fine.len()) {
        return fine;
    }
    let (low, high) = (10f64.powf(scale.low), 10f64.powf(scale.high));
    linear(low, high, wanted).into_iter().filter(|&(value, _)| inside(&value)).collect()
}

const UNITS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];

/// A number with enough digits to differ from its neighbours one step away: 1.5M, 20k, 0.25.
fn label(value: f64, step: f64) -> String {
    let size = value.abs();
    if size >= 1e15 || (size < 1e-3 && size > 0.0 && step < 1e-3) {
        return scientific(value, step);
    }
    let unit = UNITS.into_iter().find(|(unit, _)| size >= *unit);
    match unit {
        Some((unit, name)) if decimals(step / unit) <= 3 => {
            format!("{}{name}", trimmed(value / unit, decimals(step / unit)))
        }
        Some(_) => grouped(&trimmed(value, decimals(step))),
        None => trimmed(value, decimals(step)),
    }
}

fn scientific(value: f64, step: f64) -> String {
    let exponent = value.abs().log10().floor();
    // In two steps, because 10^-320 is subnormal.
    let mantissa = value / 10f64.powf(exponent / 2.0) / 10f64.powf(exponent - exponent / 2.0);
    let digits = trimmed(mantissa, decimals(step / value.abs()).min(3));
    // A mantissa of 9.9999 rounds to ten.
    match digits.as_str() {
        "10" => format!("1e{}", exponent + 1.0),
        "-10" => format!("-1e{}", exponent + 1.0),
        _ => format!("{digits}e{exponent}"),
    }
}

/// Decimals that a step needs.
fn decimals(step: f64) -> usize {
    (-step.log10() - 1e-9).ceil().clamp(0.0, 12.0) as usize
}

fn trimmed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, log: bool, count: usize) -> String {
        let ticks = ticks(&Scale { low, high, log }, count);
        assert!(ticks.iter().all(|tick| (0.0..=1.0).contains(&tick.place)), "{ticks:?}");
        ticks.into_iter().map(|tick| tick.label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn linear_labels_are_round() {
        assert_eq!(labels(0.0, 1.0, false, 5), "0 0.2 0.4 0.6 0.8 1");
        assert_eq!(labels(0.0, 300_000.0, false, 6), "0 50k 100k 150k 200k 250k 300k");
        assert_eq!(labels(0.0, 2e6, false, 4), "0 500k 1M 1.5M 2M");
        assert_eq!(labels(-3.0, 3.0, false, 3), "-2 0 2");
        assert_eq!(labels(1e6, 1e6 + 4.0, false, 2), "1,000,000 1,000,002 1,000,004");
        assert_eq!(labels(0.0, 4e-6, false, 4), "0 1e-6 2e-6 3e-6 4e-6");
        assert_eq!(labels(-1e300, 1e300, false, 4), "-1e300 -5e299 0 5e299 1e300");
        assert_eq!(labels(98.5, 99.5, false, 5), "98.6 98.8 99 99.2 99.4");
    }

    #[test]
    fn logarithmic_labels_are_round() {
        assert_eq!(labels(0.0, 6.0, true, 7), "1 10 100 1k 10k 100k 1M");
        assert_eq!(labels(-4.0, 0.0, true, 5), "1e-4 0.001 0.01 0.1 1");
        assert_eq!(labels(0.1, 1.2, true, 6), "2 5 10");
        assert_eq!(labels(3.0, 3.08, true, 5), "1k 1.05k 1.1k 1.15k 1.2k");
        assert_eq!(labels(-300.0, 300.0, true, 6), "1e-202 1e-101 1 1e101 1e202");
    }

    #[test]
    fn a_step_is_at_least_the_requested_one() {
        for raw in [1.0, 1.1, 2.0, 4.9, 5.0, 5.1, 9.99, 0.3, 7e-9, 3e299] {
            let step = nice_step(raw);
            assert!(step >= raw * (1.0 - 1e-9) && step <= 2.6 * raw, "{raw}: {step}");
        }
    }
}
