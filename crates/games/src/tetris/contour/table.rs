//! `ContourTable`: a table of Tetris from a plan in words, to learn and to play by.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;

use crate::{
    Aggregation, AggregationSpec, Combine, RewardFunction, StateActionAggregation, StateAggregation,
};
use afterstate_core::policy::Choice;
use afterstate_core::{Policy, Rng};

use super::pay::Pay;
use super::seen::{Seen, SeenMoves};
use super::subwell::{SubwellAfters, SubwellPairs, best, value};
use super::view::{View, ViewError};
use super::windows::Windows;
use crate::tetris::{State, Tetris};

/// A table of afterstates or of moves.
pub struct ContourTable {
    entries: Seeing,
    pay: Pay,
    discount: f32,
    combine: Combine,
    /// Whether the table is of this well, not of a narrower one.
    own: bool,
}

/// What has entries.
enum Seeing {
    Afters(Seen),
    Moves(SeenMoves),
    Windows(Windows),
}

impl ContourTable {
    /// The table of a plan, or what is wrong with it.
    pub fn new(game: &Tetris, rules: &AggregationSpec) -> Result<ContourTable, String> {
        let AggregationSpec { moves, sees, combine, pay, discount } = rules;
        let views = sees.iter().map(|view| view.parse());
        let views: Vec<View> =
            views.collect::<Result<_, _>>().map_err(|error: ViewError| error.to_string())?;
        let (pay, discount, combine) = (Pay::of_parts(pay)?, *discount, *combine);
        let (entries, own) = match (&views[..], combine, moves) {
            (_, Combine::Sum, true) => {
                return Err("combine: met sum of moves, expected largest or average".to_owned());
            }
            (views, Combine::Sum, false) if !views.is_empty() => {
                let windows = Windows::new(views, game).map_err(|error| error.to_string())?;
                (Seeing::Windows(windows), true)
            }
            ([view], _, moves) => {
                let seen = Seen::new(view, game).map_err(|error| error.to_string())?;
                let own = seen.columns() == game.setup().width;
                let of_moves = |seen| Seeing::Moves(SeenMoves(seen));
                (if *moves { of_moves(seen) } else { Seeing::Afters(seen) }, own)
            }
            (views, ..) => {
                let met = views.len();
                return Err(format!("sees: met {met} views, expected one, or several to sum"));
            }
        };
        Ok(ContourTable { entries, pay, discount, combine, own })
    }
}

impl Pay {
    /// A pay by its parts: `point`, `higher`, `lower`, `hole` and `most_holes`.
    fn of_parts(parts: &BTreeMap<String, f32>) -> Result<Pay, String> {
        let mut pay = Pay { most_holes: u32::MAX, ..Pay::default() };
        for (name, &number) in parts {
            match name.as_str() {
                _ if !number.is_finite() => {
                    return Err(format!("pay.{name}: met {number}, expected a finite number"));
                }
                "point" => pay.point = number,
                "higher" => pay.higher = number,
                "lower" => pay.lower = number,
                "hole" => pay.hole = number,
                "most_holes" => pay.most_holes = number.max(0.0) as u32,
                _ => {
                    let name: String = name.chars().take(40).collect();
                    let parts = "point, higher, lower, hole or most_holes";
                    return Err(format!("pay: met {name:?}, expected {parts}"));
                }
            }
        }
        Ok(pay)
    }
}

impl Aggregation<Tetris> for ContourTable {
    fn size(&self) -> u64 {
        match &self.entries {
            Seeing::Afters(seen) => StateAggregation::<Tetris>::size(seen),
            Seeing::Moves(seen) => seen.size(),
            Seeing::Windows(windows) => windows.size(),
        }
    }

    fn entries(&self) -> Option<&dyn StateAggregation<Tetris>> {
        match &self.entries {
            Seeing::Afters(seen) if self.own => Some(seen),
            Seeing::Windows(windows) => Some(windows),
            _ => None,
        }
    }

    fn pairs(&self) -> Option<&dyn StateActionAggregation<Tetris>> {
        match &self.entries {
            Seeing::Moves(seen) if self.own => Some(seen),
            _ => None,
        }
    }

    fn pay(&self) -> &dyn RewardFunction<Tetris> {
        &self.pay
    }

    fn player<'a>(&'a self, values: &'a [AtomicU32]) -> Box<dyn Policy<Tetris> + 'a> {
        let (reward, discount, combine) = (&self.pay, self.discount, self.combine);
        match &self.entries {
            Seeing::Afters(seen) => {
                Box::new(SubwellAfters { seen, values, reward, discount, combine })
            }
            Seeing::Moves(SeenMoves(seen)) => Box::new(SubwellPairs { seen, values, combine }),
            Seeing::Windows(windows) => {
                let numbers = vec![0; windows.count()];
                Box::new(WindowsPolicy { windows, values, reward, discount, numbers })
            }
        }
    }
}

/// Plays by overlapping tables of afterstates.
struct WindowsPolicy<'a> {
    windows: &'a Windows,
    values: &'a [AtomicU32],
    reward: &'a Pay,
    discount: f32,
    numbers: Vec<u32>,
}

impl Policy<Tetris> for WindowsPolicy<'_> {
    fn choose(&mut self, game: &Tetris, state: &State, _: &mut Rng) -> Option<Choice<Tetris>> {
        let WindowsPolicy { windows, values, reward, discount, numbers } = self;
        best(game, state, |choice| {
            windows.indices(game, &choice.1.after, numbers);
            let worth: f32 = numbers.iter().map(|&number| value(values, number)).sum();
            Some(reward.reward(game, state, choice) + *discount * worth)
        })
    }
}
