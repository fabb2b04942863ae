//! `[network]` and `[[phase]]`: n-tuple networks learned by temporal differences.

use afterstate_search::{Search, SearchError};
use serde::{Deserialize, Serialize};

use super::{RecipeError, value};
use crate::patterns::Pattern;

/// The tuples of the network and the value of an afterstate at first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkPlan {
    /// A named set such as `4x6`, or a list of cells, digits or rectangles.
    pub tuples: Patterns,
    /// What every afterstate is worth before anything is learned (optimistic start).
    #[serde(default)]
    pub initial: f32,
    /// Where later stages of a game begin, each with weights of its own that start from those of
    /// the stage before: sums of tiles in 2048, full cells elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<u64>,
    /// How the games of the training look ahead, such as `expectimax:2`; without it not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
}

impl NetworkPlan {
    /// How the games of the training look ahead.
    pub fn search(&self) -> Result<Search, SearchError> {
        self.search.as_ref().map_or(Ok(Search::GREEDY), |search| search.parse())
    }
}

/// One pattern or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Patterns {
    /// One, often a named set.
    One(Pattern),
    /// Several.
    Many(Vec<Pattern>),
}

/// One phase of learning.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Its part of the budget, against the other phases'.
    #[serde(default = "whole")]
    pub share: f64,
    /// How errors change weights.
    pub method: UpdateRule,
    /// What is valued.
    #[serde(default)]
    pub values: Valued,
    /// The learning rate in all: it is divided by the number of looked-up weights.
    pub rate: f32,
    /// The learning rate at the end of the phase, if it changes (in a straight line).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_rate: Option<f32>,
    /// How much of an error reaches the afterstate before.
    #[serde(default)]
    pub lambda: f32,
    /// When a game is learned.
    #[serde(default)]
    pub order: Order,
    /// Where games start.
    #[serde(default)]
    pub starts: Starts,
}

/// How errors change weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpdateRule {
    /// Temporal differences, one rate for all weights.
    Td,
    /// Temporal coherence, a rate for each weight.
    Tc,
}

/// What is valued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Valued {
    /// The board after a move.
    #[default]
    Afterstates,
    /// The board after chance has dealt; moves are chosen by expectation over all deals.
    States,
}

/// When a game is learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Every move as soon as the next one is chosen.
    #[default]
    Forward,
    /// When the game is over, from its end to its beginning. States are always learned so.
    Backward,
}

/// Where games start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Starts {
    /// Every game at the beginning.
    #[default]
    Fresh,
    /// Every second game in the middle of the one before.
    Restart,
    /// In turn at the beginning and at each later stage that some game has come to.
    Carousel,
}

fn whole() -> f64 {
    1.0
}

/// Whether a network and its phases make sense.
pub(super) fn check(network: &NetworkPlan, phases: &[Phase]) -> Result<(), RecipeError> {
    let searches = !network.search()?.is_greedy();
    if searches && phases.iter().any(|phase| phase.values == Valued::States) {
        return value("phase.values", "states".to_owned(), "afterstates when games look ahead");
    }
    if phases.is_empty() || phases.len() > 100 {
        return value("phase", format!("{} phases", phases.len()), "1 to 100");
    }
    for phase in phases {
        for (what, rate) in
            [("phase.rate", Some(phase.rate)), ("phase.final_rate", phase.final_rate)]
        {
            if rate.is_some_and(|rate| !(0.0..=10.0).contains(&rate)) {
                return value(what, format!("{}", rate.unwrap_or(f32::NAN)), "0 to 10");
            }
        }
        if !(0.0..=1.0).contains(&phase.lambda) {
            return value("phase.lambda", phase.lambda.to_string(), "0 to 1");
        }
        let backward = phase.order == Order::Backward || phase.values == Valued::States;
        if phase.lambda > 0.0 && backward {
            return value("phase.lambda", phase.lambda.to_string(), "0 when learning backward");
        }
        if !(phase.share > 0.0 && phase.share.is_finite()) {
            return value("phase.share", phase.share.to_string(), "more than 0");
        }
    }
    // An empty list reads as one tuple without cells.
    if network.tuples == Patterns::One(Pattern::Cells(Vec::new())) {
        return value("network.tuples", "none".to_owned(), "one or more");
    }
    if !network.initial.is_finite() {
        return value("network.initial", network.initial.to_string(), "a finite number");
    }
    Ok(())
}
