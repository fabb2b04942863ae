//! Agents of a narrow well in a wider one, by overlapping subwells, without learning.

use afterstate_core::{Episode, Policy, RandomPolicy, Rng};
use afterstate_games::Combine;
use afterstate_games::tetris::Tetris;
use afterstate_games::tetris::contour::{SubwellAfters, SubwellPairs};
use afterstate_lab::chart::Axis;

use super::contour::{Agents, Plan, TdLearner, trained, wide};
use super::seeds::{each, line, mean};
use super::{Found, chart, findings, level};
use crate::experiment::{Findings, Published};
use crate::{Error, Session};

/// Where agents play, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) width: usize,
    pub(super) standard: bool,
    pub(super) combine: Combine,
    /// Games of each seed.
    pub(super) games: u64,
    /// Games are cut off after so many pieces.
    pub(super) cut: u64,
}

impl Place {
    /// The well in which a plan learns.
    pub(super) fn own(plan: &Plan, games: u64) -> Place {
        let Plan { width, standard, cut, .. } = *plan;
        Place { width, standard, combine: Combine::Largest, games, cut }
    }
}

/// The rows of every game of agents that have learned nothing, seed by seed.
pub(super) fn untrained(
    session: &mut Session,
    plan: &Plan,
    place: &Place,
) -> Result<Vec<Vec<f64>>, Error> {
    let plan = Plan { games: 0, ..*plan };
    let agents = trained(session, "untrained", &plan)?;
    play(session, "untrained, playing", &plan, &agents, place)
}

/// The rows of every game, seed by seed.
pub(super) fn play(
    session: &mut Session,
    name: &str,
    plan: &Plan,
    agents: &Agents,
    place: &Place,
) -> Result<Vec<Vec<f64>>, Error> {
    let first = session.seed * 1_000;
    let game = wide(place.width, place.standard)?;
    let (seen, pay) = (plan.seen(&game)?, plan.pay());
    each(session, name, |seed| {
        let agent = &agents[(seed - first) as usize];
        let values = agent.values.entries();
        let mut player: Box<dyn Policy<Tetris> + '_> = match plan.learner {
            TdLearner::Td { .. } => Box::new(SubwellAfters {
                seen: &seen,
                values,
                reward: &pay,
                discount: 0.8,
                combine: place.combine,
            }),
            TdLearner::Sarsa { .. } => {
                Box::new(SubwellPairs { seen: &seen, values, combine: place.combine })
            }
        };
        rows(&game, &mut player, seed, place)
    })
}

/// The rows of games at random.
pub(super) fn random(session: &mut Session, place: &Place) -> Result<Vec<Vec<f64>>, Error> {
    let game = wide(place.width, place.standard)?;
    each(session, "at random", |seed| rows(&game, &mut RandomPolicy, seed, place))
}

fn rows(game: &Tetris, player: &mut impl Policy<Tetris>, seed: u64, place: &Place) -> Vec<f64> {
    // Games without learning are never games of the training.
    let mut game_of = |number| {
        let mut rng = Rng::stream(seed ^ 0x5eed_0000, number);
        Episode::play_up_to(place.cut, game, player, &mut rng).score
    };
    (0..place.games).map(&mut game_of).collect()
}

/// The mean of each seed's games.
pub(super) fn means(games: &[Vec<f64>]) -> Vec<f64> {
    games.iter().map(|games| games.iter().sum::<f64>() / games.len().max(1) as f64).collect()
}

/// A case of a figure: its name, how its agents are trained, and where they play.
pub(super) type Case = (&'static str, Plan, Place);

/// Trained agents without learning in another well, game after game, and moves at random.
pub(super) fn wider(
    session: &mut Session,
    published: &[Published],
    title: &str,
    cases: &[Case],
    shape: &str,
) -> Result<Findings, Error> {
    let (mut found, mut lines) = (Vec::new(), Vec::new());
    for (name, plan, place) in cases {
        let agents = trained(session, name, plan)?;
        let games = play(session, name, plan, &agents, place)?;
        found.push(Found::played(name, "rows", mean(&means(&games))));
        lines.push(line(name, &games, 1));
    }
    if let Some((_, _, place)) = cases.first() {
        let idle = mean(&means(&random(session, place)?));
        found.push(Found::played("at random", "rows", idle));
        lines.push(level("at random", idle.value, place.games as usize));
    }
    let mut chart = chart(title, Axis::log("rows of a game"), lines);
    chart.x = Axis::linear("games without learning");
    Ok(findings(&session.form, published, &found, vec![("", chart)], shape))
}
