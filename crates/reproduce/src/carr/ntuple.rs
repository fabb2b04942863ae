//! Beyond the thesis, in the spirit of its last chapter: subwells that are learned together in the
//! full well, an n-tuple network over contours.
//!
//! Published: 30 rows for the best agent of the thesis, with reduced pieces. Ours plays standard
//! pieces.

use afterstate_core::{Episode, Game, Rng};
use afterstate_games::tetris::Tetris;
use afterstate_games::tetris::contour::ContourTable;
use afterstate_games::{Aggregation, AggregationSpec, Combine};
use afterstate_lab::chart::Axis;
use afterstate_learn::table::{Exploration, TableTd, Task};
use afterstate_learn::{Coherence, Tc};

use super::melax::table;
use super::seeds::{each, last, line, mean};
use super::wide::means;
use super::{Found, chart, findings, level, sized};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::{Error, Session};

const CASE: &str = "contour n-tuples";
const ROWS: Quantity = Quantity::Named("rows");

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "carr-ntuple",
    title: "Overlapping windows of contours, learned together on full Tetris",
    source: "Carr 2005, chapters 6 and 7: the best agent of the thesis in the full well",
    published: &[Published::new(CASE, ROWS, 30.0), Published::new("RRL-KBR, 30 to 40", ROWS, 35.0)],
    differences: "The 30 rows are of Sarsa(lambda) fiver with reduced pieces, whose subwells were \
        trained alone; ours are trained together, with standard pieces: the value of a board is \
        the sum of its windows four wide, the same wherever they stand, and three wide, each with \
        its place and the height of its highest column. TD with temporal coherence, paid one for \
        a row, minus two for a covered hole, discount 0.95. Games are cut off, so that the rows \
        are bounds from below.",
    rules: "tetris:10x20",
    measure,
};

/// The windows, as the recipe `contour-ntuple` has them.
const SEES: [&str; 2] = [
    "heights,differences,cap=3,window=4,anywhere,mirror",
    "heights,differences,cap=3,level=5,window=3,mirror",
];

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let form = session.form;
    let (pieces, play) = (sized(&form, 500, 300_000, 5_000_000), sized(&form, 1, 4, 10));
    let cut = sized(&form, 50, 10_000, 1_000_000);
    let game = Tetris::standard();
    let rules = AggregationSpec {
        moves: false,
        sees: SEES.map(str::to_owned).to_vec(),
        combine: Combine::Sum,
        pay: [("point".to_owned(), 1.0), ("hole".to_owned(), -2.0)].into(),
        discount: 0.95,
    };
    let tabled = ContourTable::new(&game, &rules).map_err(Error::Rules)?;
    let learned = each(session, CASE, |seed| {
        let values = table(tabled.size(), 0.0)?;
        let coherence = Coherence::new(tabled.size()).map_err(|e| Error::Rules(e.to_string()))?;
        let entries = tabled.entries().ok_or(Error::TooLarge)?;
        let task = Task {
            table: &values,
            entries,
            reward: tabled.pay(),
            discount: rules.discount,
            end: Some(0.0),
            max_moves: cut,
        };
        let update = Tc { rate: 1.0, coherence: &coherence };
        let mut learner = TableTd::new(&game, task, update, Exploration::Greedy);
        let (mut rows, mut done) = (Vec::new(), 0);
        while done < pieces {
            let mut rng = Rng::stream(seed, rows.len() as u64);
            let start = game.start(&mut rng);
            let played = learner.episode(start, &mut rng);
            done += played.moves;
            rows.push(played.score);
        }
        let mut player = tabled.player(values.entries());
        let games = (0..play).map(|number| {
            let mut rng = Rng::stream(seed ^ 0x5eed_0000, number);
            Episode::play_up_to(cut, &game, &mut player, &mut rng).score
        });
        Ok::<_, Error>((rows, games.collect::<Vec<f64>>()))
    })?;
    let learned = learned.into_iter().collect::<Result<Vec<_>, _>>()?;
    let (curves, played): (Vec<Vec<f64>>, Vec<Vec<f64>>) = learned.into_iter().unzip();
    let end = last(&curves, 50);
    let played = mean(&means(&played));
    let found = [Found { played: Some(played), ..Found::learning(CASE, "rows", end) }];
    let games = curves.iter().map(Vec::len).min().unwrap_or(0);
    let lines = vec![
        line(CASE, &curves, (games / 100).max(1)),
        level("the thesis' best, reduced pieces", 30.0, games),
    ];
    let chart = chart("Contour n-tuples on full Tetris", Axis::log("rows of a game"), lines);
    let shape = "a single number: the extension of trained subwells to the full well clears 30 \
                 rows on average.";
    Ok(findings(&form, published, &found, vec![("", chart)], shape))
}
