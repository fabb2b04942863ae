//! `[table]`: a table of afterstates or of moves.

use std::collections::BTreeMap;

use afterstate_learn::table::{Exploration, Schedule};
use afterstate_values::file::{CombineInfo, EntriesInfo};
use serde::{Deserialize, Serialize};

use super::{RecipeError, value};

/// What a table is about, and how it is learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TablePlan {
    /// How it is learned.
    pub method: TableMethod,
    /// What is seen of a board, such as `heights,differences,cap=3,window=4,mirror`; several to be
    /// summed.
    pub sees: Sees,
    /// How several views, or several places of one in a wider board, become a value.
    #[serde(default)]
    pub combine: CombineInfo,
    /// What an entry is at first; several that are summed share it.
    #[serde(default)]
    pub initial: f32,
    /// The learning rate in all.
    pub rate: f32,
    /// The learning rate at the end, if it changes (in a straight line).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_rate: Option<f32>,
    /// What a value counts against a pay of now.
    #[serde(default = "whole")]
    pub discount: f32,
    /// How much of an error reaches the move before, for `sarsa` and `q`.
    #[serde(default)]
    pub lambda: f32,
    /// What the end of a lost game is worth.
    #[serde(default)]
    pub end: f32,
    /// Games are cut off after so many moves.
    #[serde(default = "long")]
    pub cut: u64,
    /// How moves are chosen while learning.
    #[serde(default)]
    pub explore: Explore,
    /// What a move pays, by its parts.
    #[serde(default = "points")]
    pub pay: BTreeMap<String, f32>,
}

/// One view or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Sees {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

/// How a table is learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableMethod {
    /// TD(0) on afterstates.
    Td,
    /// The same, with a rate that each entry earns.
    Tc,
    /// Sarsa(lambda) on moves.
    Sarsa,
    /// Q-learning on moves, with traces Watkins's Q(lambda).
    Q,
}

/// How moves are chosen while learning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Explore {
    /// The best, ties to the first.
    #[default]
    Greedy,
    /// The best, but with these odds any.
    Epsilon(f32),
    /// By the odds exp(value / temperature); the temperature cools by equal ratios.
    Softmax {
        /// In the first game.
        first: f32,
        /// From the last game on.
        last: f32,
        /// Games from the first to the last.
        games: u64,
    },
}

fn whole() -> f32 {
    1.0
}

fn long() -> u64 {
    1_000_000
}

fn points() -> BTreeMap<String, f32> {
    [("point".to_owned(), 1.0)].into()
}

impl TablePlan {
    /// What the table is about.
    pub fn info(&self) -> EntriesInfo {
        EntriesInfo {
            moves: matches!(self.method, TableMethod::Sarsa | TableMethod::Q),
            sees: match &self.sees {
                Sees::One(one) => vec![one.clone()],
                Sees::Many(many) => many.clone(),
            },
            combine: self.combine,
            pay: self.pay.clone(),
            discount: self.discount,
        }
    }
}

impl Explore {
    /// How moves are chosen in a game.
    pub fn at(self, game: u64) -> Exploration {
        match self {
            Explore::Greedy => Exploration::Greedy,
            Explore::Epsilon(odds) => Exploration::Epsilon(odds),
            Explore::Softmax { first, last, games } => {
                Exploration::Softmax(Schedule { first, last, games }.at(game))
            }
        }
    }
}

pub(super) fn check(plan: &TablePlan) -> Result<(), RecipeError> {
    for (what, rate) in [("table.rate", Some(plan.rate)), ("table.final_rate", plan.final_rate)] {
        if rate.is_some_and(|rate| !(0.0..=10.0).contains(&rate)) {
            return value(what, format!("{}", rate.unwrap_or(f32::NAN)), "0 to 10");
        }
    }
    for (what, part) in [("table.discount", plan.discount), ("table.lambda", plan.lambda)] {
        if !(0.0..=1.0).contains(&part) {
            return value(what, part.to_string(), "0 to 1");
        }
    }
    if plan.lambda > 0.0 && !plan.info().moves {
        return value("table.lambda", plan.lambda.to_string(), "0, or method sarsa or q");
    }
    for (what, number) in [("table.initial", plan.initial), ("table.end", plan.end)] {
        if !number.is_finite() {
            return value(what, number.to_string(), "a finite number");
        }
    }
    if plan.cut == 0 {
        return value("table.cut", "0".to_owned(), "1 or more moves");
    }
    let numbers = match plan.explore {
        Explore::Greedy => [0.0, 0.0],
        Explore::Epsilon(odds) if odds > 1.0 => [f32::NAN, 0.0],
        Explore::Epsilon(odds) => [odds, 0.0],
        Explore::Softmax { first, last, .. } => [first, last],
    };
    if numbers.iter().any(|number| !(0.0..=1e9).contains(number)) {
        return value("table.explore", format!("{:?}", plan.explore), "odds or temperatures");
    }
    Ok(())
}
