//! Curves with no more points than a picture can show: at most four per pixel column.

/// The points whose curve covers the same pixels: of neighbours in one pixel column the first, the
/// lowest, the highest and the last, in their order.
pub(super) fn downsampled(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut kept = Vec::new();
    for column in points.chunk_by(|a, b| column(a.0) == column(b.0)) {
        let by_height = |a: &usize, b: &usize| column[*a].1.total_cmp(&column[*b].1);
        let lowest = (0..column.len()).min_by(by_height).unwrap_or(0);
        let highest = (0..column.len()).max_by(by_height).unwrap_or(0);
        let mut order = [0, lowest, highest, column.len() - 1];
        order.sort_unstable();
        let mut last = None;
        for i in order {
            if last.replace(i) != Some(i) {
                kept.push(column[i]);
            }
        }
    }
    kept
}

/// The outline of a band given as (x, low, high): of neighbours in one pixel column the widest.
pub(super) fn band_outline(band: &[(f64, f64, f64)]) -> Vec<(f64, f64)> {
    let columns = band.chunk_by(|a, b| column(a.0) == column(b.0));
    let widest: Vec<_> = columns
        .map(|column| {
            // y grows downwards: the low end is the largest.
            let low = column.iter().map(|point| point.1).fold(f64::MIN, f64::max);
            let high = column.iter().map(|point| point.2).fold(f64::MAX, f64::min);
            (column[0].0, low, high)
        })
        .collect();
    let tops = widest.iter().map(|&(x, _, high)| (x, high));
    tops.chain(widest.iter().rev().map(|&(x, low, _)| (x, low))).collect()
}

fn column(x: f64) -> i64 {
    x.floor() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_downsampled_curve_keeps_its_ends_and_its_extremes() {
        let wave = |i: i32| (f64::from(i) / 1000.0, (f64::from(i) * 0.7).sin());
        let points: Vec<_> = (0..100_000).map(wave).collect();
        let kept = downsampled(&points);
        assert!(kept.len() <= 4 * 100, "{} points", kept.len());
        assert_eq!((kept[0], kept[kept.len() - 1]), (points[0], points[points.len() - 1]));
        let highest = |points: &[(f64, f64)]| points.iter().map(|p| p.1).fold(f64::MIN, f64::max);
        assert_eq!(highest(&kept), highest(&points));
        let sparse = [(0.0, 1.0), (10.0, 2.0), (5.0, 0.0)];
        assert_eq!(downsampled(&sparse), sparse);
        assert_eq!(downsampled(&[]), []);
    }

    #[test]
    fn a_downsampled_band_keeps_its_extremes() {
        let band = [(1.0, 9.0, 3.0), (1.5, 8.0, 2.0), (2.5, 7.0, 1.0)];
        assert_eq!(band_outline(&band), [(1.0, 2.0), (2.5, 1.0), (2.5, 7.0), (1.0, 9.0)]);
    }
}
