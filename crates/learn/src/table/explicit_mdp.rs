//! `ExplicitMdp`: a small game enumerated as an explicit MDP, its states, moves and afterstates
//! numbered. Learning and solving it is faster than by the game itself, the reference implementation.

use std::collections::HashMap;
use std::ops::ControlFlow;

use afterstate_core::policy::Choice;
use afterstate_core::{Game, Illegal, Rng, Step};
use afterstate_games::{RewardFunction, StateActionAggregation, StateAggregation};

/// A game with its states, moves and chance outcomes as tables. Plays the same games from the same
/// seed as the game itself if that samples one of n equally probable states by `below(n)`.
#[derive(Clone)]
pub struct ExplicitMdp<G: Game> {
    game: G,
    afters: Vec<G::After>,
    states: Vec<G::State>,
    /// Where the chance outcomes of each afterstate begin, and the end of the last.
    outcome_offsets: Vec<u32>,
    /// The next states, afterstate by afterstate, and the probability of each.
    outcomes: Vec<u32>,
    probabilities: Vec<f64>,
    /// Where the moves of each state begin, and the end of the last.
    move_offsets: Vec<u32>,
    /// The step of each move, state by state.
    steps: Vec<Step<u32>>,
    moves: Vec<G::Move>,
    state_indices: HashMap<G::State, u32>,
    /// Whether the outcomes of every afterstate are equally probable.
    uniform: bool,
}

impl<G: Game> ExplicitMdp<G> {
    /// Enumerates a game, or `None` if it has more than so many states.
    pub fn new(game: &G, max_states: usize) -> Option<ExplicitMdp<G>> {
        let mut mdp = ExplicitMdp {
            game: game.clone(),
            afters: Vec::new(),
            states: Vec::new(),
            outcome_offsets: vec![0],
            outcomes: Vec::new(),
            probabilities: Vec::new(),
            move_offsets: vec![0],
            steps: Vec::new(),
            moves: Vec::new(),
            state_indices: HashMap::new(),
            uniform: true,
        };
        game.for_each_start(|state, _| {
            mdp.index_of(state);
        });
        let mut known: HashMap<G::After, u32> = HashMap::new();
        let mut done = 0;
        while done < mdp.states.len() {
            if mdp.states.len() > max_states {
                return None;
            }
            let state = mdp.states[done];
            game.for_each_move(&state, |mv, Step { after, reward }| {
                let fresh = known.len() as u32;
                let after = *known.entry(after).or_insert_with(|| {
                    mdp.afters.push(after);
                    fresh
                });
                mdp.steps.push(Step { after, reward });
                mdp.moves.push(mv);
            });
            mdp.move_offsets.push(mdp.steps.len() as u32);
            while mdp.outcome_offsets.len() <= mdp.afters.len() {
                let after = mdp.afters[mdp.outcome_offsets.len() - 1];
                let first = mdp.probabilities.len();
                game.for_each_chance(&after, |state, probability| {
                    let index = mdp.index_of(state);
                    mdp.outcomes.push(index);
                    mdp.probabilities.push(probability);
                });
                mdp.uniform &=
                    mdp.probabilities[first..].iter().all(|&p| p == mdp.probabilities[first]);
                mdp.outcome_offsets.push(mdp.outcomes.len() as u32);
            }
            done += 1;
        }
        Some(mdp)
    }

    /// The number of afterstates.
    pub fn after_count(&self) -> usize {
        self.afters.len()
    }

    /// The same states with fewer moves or other rewards: `rule` gives the reward of a move by its own
    /// one, or `None` if it is not allowed. Useful for variants of rules that the game itself lacks.
    #[must_use]
    pub fn with_moves(mut self, rule: impl Fn(&G::State, G::Move, f32) -> Option<f32>) -> Self {
        let (mut steps, mut moves, mut offsets) = (Vec::new(), Vec::new(), vec![0]);
        for (number, state) in self.states.iter().enumerate() {
            for place in self.range(number as u32) {
                let (mv, step) = (self.moves[place], self.steps[place]);
                if let Some(reward) = rule(state, mv, step.reward) {
                    steps.push(Step { reward, ..step });
                    moves.push(mv);
                }
            }
            offsets.push(steps.len() as u32);
        }
        (self.steps, self.moves, self.move_offsets) = (steps, moves, offsets);
        self
    }

    fn index_of(&mut self, state: G::State) -> u32 {
        let fresh = self.states.len() as u32;
        *self.state_indices.entry(state).or_insert_with(|| {
            self.states.push(state);
            fresh
        })
    }

    /// The chance outcomes of an afterstate: the next states and the probability of each.
    #[inline]
    fn chance_outcomes(&self, after: u32) -> (&[u32], &[f64]) {
        let after = after as usize;
        let (begin, end) = (self.outcome_offsets[after], self.outcome_offsets[after + 1]);
        let range = begin as usize..end as usize;
        (&self.outcomes[range.clone()], &self.probabilities[range])
    }

    #[inline]
    fn range(&self, state: u32) -> std::ops::Range<usize> {
        let state = state as usize;
        self.move_offsets[state] as usize..self.move_offsets[state + 1] as usize
    }

    fn choices(&self, state: usize) -> impl Iterator<Item = Choice<G>> {
        let range = self.range(state as u32);
        let moves = self.moves[range.clone()].iter().zip(&self.steps[range]);
        moves.map(|(&mv, &Step { after, reward })| {
            (mv, Step { after: self.afters[after as usize], reward })
        })
    }
}

impl<G: Game> Game for ExplicitMdp<G> {
    type State = u32;
    type Move = u32;
    type After = u32;

    const VERSION: u32 = G::VERSION;

    fn unit(&self) -> &'static str {
        self.game.unit()
    }

    fn try_start<B>(&self, mut visit: impl FnMut(u32, f64) -> ControlFlow<B>) -> ControlFlow<B> {
        self.game.try_start(|state, probability| visit(self.state_indices[&state], probability))
    }

    fn start(&self, rng: &mut Rng) -> u32 {
        self.state_indices[&self.game.start(rng)]
    }

    #[inline]
    fn try_moves<B>(
        &self,
        state: &u32,
        mut offer: impl FnMut(u32, Step<u32>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let range = self.range(*state);
        let first = range.start as u32;
        for (number, &step) in self.steps[range].iter().enumerate() {
            offer(first + number as u32, step)?;
        }
        ControlFlow::Continue(())
    }

    fn try_chance<B>(
        &self,
        after: &u32,
        mut visit: impl FnMut(u32, f64) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (states, probabilities) = self.chance_outcomes(*after);
        for (&state, &probability) in states.iter().zip(probabilities) {
            visit(state, probability)?;
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn sample(&self, after: &u32, rng: &mut Rng) -> u32 {
        let (states, probabilities) = self.chance_outcomes(*after);
        if self.uniform {
            return states[rng.below(states.len())];
        }
        let mut left = rng.unit();
        for (&state, probability) in states.iter().zip(probabilities) {
            left -= probability;
            if left < 0.0 {
                return state;
            }
        }
        states[0]
    }

    #[inline]
    fn play(&self, state: &u32, mv: u32) -> Result<Step<u32>, Illegal> {
        let range = self.range(*state);
        if range.contains(&(mv as usize)) { Ok(self.steps[mv as usize]) } else { Err(Illegal) }
    }

    fn actions(&self) -> usize {
        self.steps.len()
    }

    fn action(&self, number: usize) -> u32 {
        number as u32
    }

    fn action_number(&self, mv: u32) -> usize {
        mv as usize
    }

    fn limit(&self) -> Option<u64> {
        self.game.limit()
    }

    #[inline]
    fn count_moves(&self, state: &u32) -> usize {
        self.range(*state).len()
    }

    #[inline]
    fn nth_move(&self, state: &u32, number: usize) -> Option<(u32, Step<u32>)> {
        let range = self.range(*state);
        let mv = range.start + number;
        (mv < range.end).then(|| (mv as u32, self.steps[mv]))
    }
}

/// The table indices of every afterstate, precomputed.
pub struct ExplicitAggregation {
    size: u64,
    count: usize,
    indices: Vec<u32>,
}

impl ExplicitAggregation {
    /// Computes the indices of every afterstate once.
    pub fn new<G: Game>(
        mdp: &ExplicitMdp<G>,
        aggregation: &(impl StateAggregation<G> + ?Sized),
    ) -> Self {
        let count = aggregation.count();
        let mut all = vec![0; count * mdp.afters.len()];
        for (after, out) in mdp.afters.iter().zip(all.chunks_exact_mut(count)) {
            aggregation.indices(&mdp.game, after, out);
        }
        ExplicitAggregation { size: aggregation.size(), count, indices: all }
    }
}

impl<G: Game> StateAggregation<ExplicitMdp<G>> for ExplicitAggregation {
    fn size(&self) -> u64 {
        self.size
    }

    #[inline]
    fn count(&self) -> usize {
        self.count
    }

    #[inline]
    fn indices(&self, _: &ExplicitMdp<G>, after: &u32, out: &mut [u32]) {
        match out {
            [one] => *one = self.indices[*after as usize],
            _ => {
                let begin = *after as usize * self.count;
                out.copy_from_slice(&self.indices[begin..begin + self.count]);
            }
        }
    }
}

/// The table index of every move, precomputed.
pub struct ExplicitActionAggregation {
    size: u64,
    indices: Vec<u32>,
}

impl ExplicitActionAggregation {
    /// Computes the index of every move once.
    pub fn new<G: Game>(
        mdp: &ExplicitMdp<G>,
        aggregation: &(impl StateActionAggregation<G> + ?Sized),
    ) -> Self {
        let mut all = vec![0; mdp.steps.len()];
        for (number, state) in mdp.states.iter().enumerate() {
            let range = mdp.range(number as u32);
            let out = &mut all[range.clone()];
            aggregation.indices(&mdp.game, state, &mdp.moves[range], out);
        }
        ExplicitActionAggregation { size: aggregation.size(), indices: all }
    }
}

impl<G: Game> StateActionAggregation<ExplicitMdp<G>> for ExplicitActionAggregation {
    fn size(&self) -> u64 {
        self.size
    }

    #[inline]
    fn indices(&self, game: &ExplicitMdp<G>, state: &u32, _: &[u32], out: &mut [u32]) {
        out.copy_from_slice(&self.indices[game.range(*state)]);
    }
}

/// The reward of every move, precomputed.
pub struct ExplicitReward(Vec<f32>);

impl ExplicitReward {
    /// Computes the reward of every move once.
    pub fn new<G: Game>(mdp: &ExplicitMdp<G>, reward: &(impl RewardFunction<G> + ?Sized)) -> Self {
        let mut all = Vec::with_capacity(mdp.steps.len());
        for (number, state) in mdp.states.iter().enumerate() {
            let rewards = mdp.choices(number).map(|c| reward.reward(&mdp.game, state, &c));
            all.extend(rewards);
        }
        ExplicitReward(all)
    }
}

impl<G: Game> RewardFunction<ExplicitMdp<G>> for ExplicitReward {
    #[inline]
    fn reward(&self, _: &ExplicitMdp<G>, _: &u32, choice: &Choice<ExplicitMdp<G>>) -> f32 {
        self.0[choice.0 as usize]
    }
}
