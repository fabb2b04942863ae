//! Targets of afterstates from what followed them.

use super::games::{Next, Transition};

/// What is learned of a transition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Objective {
    /// What every move counts, instead of its reward.
    pub(super) survival: Option<f32>,
    pub(super) discount: f32,
    pub(super) terminal_value: f32,
    pub(super) lambda: f32,
}

impl Objective {
    /// The reward that is learned.
    fn reward(&self, reward: f32) -> f32 {
        self.survival.unwrap_or(reward)
    }

    /// The target of TD(0): of an afterstate before a move with this reward to an afterstate with this
    /// value, or at the end of a game.
    pub(super) fn target(&self, next: Next) -> f32 {
        match next {
            Next::End => self.terminal_value,
            Next::Move { reward, value } => self.reward(reward) + self.discount * value,
        }
    }

    /// The lambda-returns of the transitions of one game in their order, the last of which ends it or
    /// is cut off. A game that begins anew has `None` between.
    pub(super) fn returns<A, S>(
        &self,
        transitions: &[Option<Transition<A, S>>],
    ) -> Vec<Option<f32>> {
        let mut targets = vec![None; transitions.len()];
        // The return of the next afterstate, if it is one of the same game.
        let mut following: Option<f32> = None;
        for (target, transition) in targets.iter_mut().zip(transitions).rev() {
            *target = transition.as_ref().map(|transition| match transition.next {
                Next::Move { reward, value } => {
                    let next = following.unwrap_or(value);
                    let value = (1.0 - self.lambda) * value + self.lambda * next;
                    self.target(Next::Move { reward, value })
                }
                Next::End => self.target(Next::End),
            });
            following = *target;
        }
        targets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECTIVE: Objective =
        Objective { survival: None, discount: 0.5, terminal_value: -8.0, lambda: 0.25 };

    fn moved(reward: f32, value: f32) -> Option<Transition<u8, ()>> {
        Some(Transition { after: 0, state: (), next: Next::Move { reward, value } })
    }

    const END: Option<Transition<u8, ()>> =
        Some(Transition { after: 0, state: (), next: Next::End });

    #[test]
    fn returns_mix_values_and_what_followed() {
        let found =
            OBJECTIVE.returns(&[moved(1.0, 4.0), moved(2.0, 12.0), END, None, moved(3.0, 6.0)]);
        let second = 2.0 + 0.5 * (0.75 * 12.0 + 0.25 * -8.0);
        let first = 1.0 + 0.5 * (0.75 * 4.0 + 0.25 * second);
        assert_eq!(found, [Some(first), Some(second), Some(-8.0), None, Some(6.0)]);
        let plain = Objective { lambda: 0.0, ..OBJECTIVE };
        assert_eq!(plain.returns(&[moved(1.0, 4.0), END]), [Some(3.0), Some(-8.0)]);
        let survival = Objective { survival: Some(10.0), ..OBJECTIVE };
        assert_eq!(survival.returns(&[moved(1.0, 4.0)]), [Some(12.0)]);
    }
}
