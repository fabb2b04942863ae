//! Charts of ordinary and of hostile data.

use super::*;
use unicode_width::UnicodeWidthStr;

fn rising() -> Chart {
    let x = |i: i32| f64::from(i) * 3000.0;
    let y = |i: i32| 90_000.0 * (1.0 - (-f64::from(i) / 25.0).exp());
    let points: Vec<_> = (0..=100).map(|i| (x(i), y(i))).collect();
    let band = (0..=100).map(|i| (y(i) * 0.9, y(i) * 1.1)).collect();
    let line = Line { band: Some(band), ..Line::new("TD(0)", points) };
    let goal = Line { dashed: true, ..Line::new("published", vec![(0.0, 9e4), (3e5, 9e4)]) };
    Chart {
        title: "2048: mean score".into(),
        x: Axis::linear("episodes"),
        y: Axis::linear("score"),
        lines: vec![line, goal],
        note: Some("seed 1".into()),
    }
}

fn hostile() -> Vec<Chart> {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let data: Vec<Vec<(f64, f64)>> = vec![
        vec![],
        vec![(1.0, 1.0)],
        vec![(nan, 1.0), (1.0, nan), (inf, -inf)],
        vec![(0.0, 5.0), (1.0, 5.0), (2.0, 5.0)],
        vec![(3.0, 1.0), (3.0, 2.0)],
        vec![(-1.0, -2.0), (0.0, 0.0), (1.0, 2.0)],
        vec![(f64::MIN, f64::MAX), (f64::MAX, f64::MIN), (0.0, 5e-324)],
        vec![(1e-300, 1e300), (1e300, 1e-300)],
        vec![(1e15, 1e15 + 1.0), (1e15 + 2.0, 1e15)],
        (0..20_000).map(|i| (f64::from(i), f64::from(i * 7919 % 1000))).collect(),
    ];
    let texts = [
        "",
        "<&\"'>\u{0}\u{1b}[31m\n",
        "Größe 漢字 Ж ∑ 🎲",
        &"wordy ".repeat(200),
        &"x".repeat(3000),
    ];
    let mut charts = vec![Chart::default()];
    for (i, points) in data.into_iter().enumerate() {
        let bands =
            [None, Some(vec![]), Some(vec![(nan, 1.0), (-inf, inf), (9.0, -9.0), (0.0, 1.0)])];
        for (band, text) in bands.into_iter().zip(texts.iter().cycle().skip(i)) {
            for logs in 0..4 {
                let axis = |bit: u32| Axis { label: (*text).into(), log: logs & bit > 0 };
                let line = Line {
                    name: (*text).into(),
                    points: points.clone(),
                    band: band.clone(),
                    dashed: i % 2 > 0,
                    marks: vec![(1.0, (*text).into()), (nan, String::new())],
                    tile: None,
                };
                charts.push(Chart {
                    title: (*text).into(),
                    x: axis(1),
                    y: axis(2),
                    lines: vec![line; if i == 1 { 60 } else { i % 3 }],
                    note: Some((*text).into()),
                });
            }
        }
    }
    charts
}

/// The numbers in the paths of a picture.
fn numbers(svg: &str) -> impl Iterator<Item = f64> {
    let paths = svg.split("<path d=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let numbers = paths.flat_map(|path| path.split(|c: char| c.is_ascii_alphabetic() || c == ' '));
    numbers.filter(|text| !text.is_empty()).map(|text| text.parse().unwrap())
}

#[test]
fn hostile_data_stay_inside_the_picture() {
    for chart in hostile() {
        let svg = chart.svg().unwrap();
        assert!(numbers(&svg).all(|number| (-20.0..=820.0).contains(&number)), "{svg}");
        let texts = svg.split("<text x=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let mut starts = texts.map(|x| x.parse::<f64>().unwrap());
        assert!(starts.all(|x| (0.0..=800.0).contains(&x)), "{svg}");
        assert!(svg.chars().all(|c| c == '\n' || !c.is_control()));
        assert_eq!(svg.matches('<').count(), svg.matches('>').count());
        assert_eq!(svg, chart.svg().unwrap());
        assert!(svg.len() < 200_000, "{} bytes", svg.len());
    }
}

#[test]
fn hostile_data_become_png_files() {
    for chart in hostile().iter().step_by(7) {
        let png = chart.png().unwrap();
        assert!(png.starts_with(b"\x89PNG"));
    }
}

#[test]
fn hostile_data_and_sizes_fit_a_terminal() {
    for chart in hostile() {
        for (width, height) in [(0, 5), (5, 0), (1, 1), (2, 2), (7, 3), (20, 8), (80, 24)] {
            let text = chart.terminal(width, height);
            assert!(text.lines().count() <= height, "{width} by {height}:\n{text}");
            assert!(text.lines().all(|line| line.width() <= width), "{width} by {height}:\n{text}");
            assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
        }
    }
    assert!(Chart::default().terminal(usize::MAX, usize::MAX).lines().count() <= 1000);
}

#[test]
fn a_picture_has_its_texts_and_both_curves() {
    let svg = rising().svg().unwrap();
    let texts = ["2048: mean score", "episodes", "score", "TD(0)", "published", "300k", "seed 1"];
    for text in texts {
        assert!(svg.contains(&format!(">{text}</text>")), "{text} in {svg}");
    }
    assert!(svg.contains("stroke-dasharray") && svg.contains("fill-opacity=\"0.18\""));
    assert!(Chart::default().svg().unwrap().contains("no data"));
}

#[test]
fn the_png_shows_the_curves_in_their_colours() {
    let bytes = rising().png().unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (1600, 960));
    let count = |color: [u8; 3]| pixels.chunks(3).filter(|pixel| *pixel == color).count();
    assert!(count([0x00, 0x72, 0xb2]) > 2000, "the curve");
    assert!(count([0xd5, 0x5e, 0x00]) > 2000, "the dashes");
    assert!(count([0xff, 0xff, 0xff]) > 1_000_000, "the background");
    assert_eq!(bytes, rising().png().unwrap());
}

#[test]
fn a_terminal_shows_the_curve() {
    let points = vec![(0.0, 0.0), (100_000.0, 1.0)];
    let chart = Chart {
        title: "Reach 2048".into(),
        x: Axis::linear("episodes"),
        y: Axis::linear("rate"),
        lines: vec![Line::new("TD(0)", points)],
        note: None,
    };
    let expected = "\
Reach 2048
rate
  1 ┤                          ⣀⡠⠤⠒⠉
    │                     ⣀⠤⠔⠒⠉
    │               ⢀⣀⠤⠒⠊⠉
0.5 ┤          ⣀⡠⠤⠒⠉⠁
    │     ⣀⠤⠔⠒⠉
  0 ┤⣀⠤⠒⠊⠉
    └┬──────────────┬──────────────┬
     0             50k          100k
              episodes
TD(0)";
    assert_eq!(chart.terminal(36, 12), expected);
}

#[test]
fn a_tile_has_the_same_colour_in_all_charts() {
    let chart = |tiles: &[u64]| {
        let lines = tiles.iter().map(|&tile| Line::of_tile(tile, vec![(0.0, 1.0), (1.0, 2.0)]));
        Chart { lines: lines.collect(), ..Chart::default() }.svg().unwrap()
    };
    let colours = |svg: &str| {
        let strokes = svg.split("stroke=\"").skip(1).filter_map(|rest| rest.split('"').next());
        strokes.map(str::to_owned).collect::<std::collections::BTreeSet<_>>()
    };
    let (one, both) = (chart(&[2048]), chart(&[4096, 2048]));
    assert!(colours(&one).is_subset(&colours(&both)), "{:?} {:?}", colours(&one), colours(&both));
    assert_eq!(colours(&both).len(), colours(&one).len() + 1);
}

#[test]
fn marks_are_diamonds_on_their_curve() {
    let line = Line::new("TD(0)", vec![(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)]);
    let chart = |marks| Chart { lines: vec![Line { marks, ..line.clone() }], ..Chart::default() };
    let (plain, marked) = (chart(vec![]), chart(vec![(1.0, "phase 2".to_owned())]));
    let polygons = |chart: &Chart| chart.svg().unwrap().matches("Z\"").count();
    assert_eq!(polygons(&marked), polygons(&plain) + 1);
    assert!(marked.svg().unwrap().contains(">phase 2</text>"));
}
