//! `ContourTable`: the value table of Tetris that an `AggregationSpec` describes.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;

use crate::{
    Aggregation, AggregationSpec, Combine, RewardFunction, StateActionAggregation, StateAggregation,
};
use afterstate_core::policy::Choice;
use afterstate_core::{Policy, Rng};

use super::aggregation::{ContourActionAggregation, ContourAggregation};
use super::reward::ContourReward;
use super::subwell::{SubwellActionPolicy, SubwellAfterstatePolicy, best, value};
use super::view::{View, ViewError};
use super::windows::Windows;
use crate::tetris::{State, Tetris};

/// A table of afterstate values or of action values.
pub struct ContourTable {
    kind: Kind,
    reward: ContourReward,
    discount: f32,
    combine: Combine,
    /// Whether the view has the width of this well and is not that of a narrower one.
    own: bool,
}

enum Kind {
    Afterstates(ContourAggregation),
    Actions(ContourActionAggregation),
    Windows(Windows),
}

impl ContourTable {
    /// The table that a spec describes, or the error in the spec.
    pub fn new(game: &Tetris, spec: &AggregationSpec) -> Result<ContourTable, String> {
        let AggregationSpec { state_action, views, combine, reward, discount } = spec;
        let views = views.iter().map(|view| view.parse());
        let views: Vec<View> =
            views.collect::<Result<_, _>>().map_err(|error: ViewError| error.to_string())?;
        let (reward, discount, combine) = (ContourReward::from_terms(reward)?, *discount, *combine);
        let (kind, own) = match (&views[..], combine, state_action) {
            (_, Combine::Sum, true) => {
                let message = "combine: values of moves cannot be summed: use largest or average";
                return Err(message.to_owned());
            }
            (views, Combine::Sum, false) if !views.is_empty() => {
                let windows = Windows::new(views, game).map_err(|error| error.to_string())?;
                (Kind::Windows(windows), true)
            }
            ([view], _, state_action) => {
                let aggregation =
                    ContourAggregation::new(view, game).map_err(|error| error.to_string())?;
                let own = aggregation.columns() == game.setup().width;
                let kind = match state_action {
                    true => Kind::Actions(ContourActionAggregation(aggregation)),
                    false => Kind::Afterstates(aggregation),
                };
                (kind, own)
            }
            (views, ..) => {
                let found = views.len();
                return Err(format!("sees: found {found} views, expected 1, or several to sum"));
            }
        };
        Ok(ContourTable { kind, reward, discount, combine, own })
    }
}

impl ContourReward {
    /// A reward by its terms: `point`, `higher`, `lower`, `hole` and `most_holes`, the keys of
    /// recipes and agent files.
    fn from_terms(terms: &BTreeMap<String, f32>) -> Result<ContourReward, String> {
        let mut reward = ContourReward { max_holes: u32::MAX, ..ContourReward::default() };
        for (name, &number) in terms {
            match name.as_str() {
                _ if !number.is_finite() => {
                    return Err(format!("reward.{name}: found {number}, expected a finite number"));
                }
                "point" => reward.point = number,
                "higher" => reward.higher = number,
                "lower" => reward.lower = number,
                "hole" => reward.hole = number,
                "most_holes" => reward.max_holes = number.max(0.0) as u32,
                _ => {
                    let name: String = name.chars().take(40).collect();
                    let terms = "point, higher, lower, hole or most_holes";
                    return Err(format!("unknown part {name:?} of the reward: expected {terms}"));
                }
            }
        }
        Ok(reward)
    }
}

impl Aggregation<Tetris> for ContourTable {
    fn size(&self) -> u64 {
        match &self.kind {
            Kind::Afterstates(aggregation) => StateAggregation::<Tetris>::size(aggregation),
            Kind::Actions(aggregation) => aggregation.size(),
            Kind::Windows(windows) => windows.size(),
        }
    }

    fn state_aggregation(&self) -> Option<&dyn StateAggregation<Tetris>> {
        match &self.kind {
            Kind::Afterstates(aggregation) if self.own => Some(aggregation),
            Kind::Windows(windows) => Some(windows),
            _ => None,
        }
    }

    fn state_action_aggregation(&self) -> Option<&dyn StateActionAggregation<Tetris>> {
        match &self.kind {
            Kind::Actions(aggregation) if self.own => Some(aggregation),
            _ => None,
        }
    }

    fn reward(&self) -> &dyn RewardFunction<Tetris> {
        &self.reward
    }

    fn policy<'a>(&'a self, values: &'a [AtomicU32]) -> Box<dyn Policy<Tetris> + 'a> {
        let (reward, discount, combine) = (&self.reward, self.discount, self.combine);
        match &self.kind {
            Kind::Afterstates(aggregation) => {
                Box::new(SubwellAfterstatePolicy { aggregation, values, reward, discount, combine })
            }
            Kind::Actions(ContourActionAggregation(aggregation)) => {
                Box::new(SubwellActionPolicy { aggregation, values, combine })
            }
            Kind::Windows(windows) => {
                let indices = vec![0; windows.count()];
                Box::new(WindowsPolicy { windows, values, reward, discount, indices })
            }
        }
    }
}

/// The greedy policy of overlapping tables of afterstate values.
struct WindowsPolicy<'a> {
    windows: &'a Windows,
    values: &'a [AtomicU32],
    reward: &'a ContourReward,
    discount: f32,
    indices: Vec<u32>,
}

impl Policy<Tetris> for WindowsPolicy<'_> {
    fn choose(&mut self, game: &Tetris, state: &State, _: &mut Rng) -> Option<Choice<Tetris>> {
        let WindowsPolicy { windows, values, reward, discount, indices } = self;
        best(game, state, |choice| {
            windows.indices(game, &choice.1.after, indices);
            let next: f32 = indices.iter().map(|&index| value(values, index)).sum();
            Some(reward.reward(game, state, choice) + *discount * next)
        })
    }
}
