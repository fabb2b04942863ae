//! `ExplicitMdp`: a small game written out, every state and move a number. The fast way to learn and
//! to solve it; the game itself is the slow twin.

use std::collections::HashMap;
use std::ops::ControlFlow;

use afterstate_core::policy::Choice;
use afterstate_core::{Game, Illegal, Rng, Step};
use afterstate_games::{RewardFunction, StateActionAggregation, StateAggregation};

/// A game with its states, moves and deals as tables. Plays the same games from the same seed as
/// the game itself where that deals each of n states by one number below n.
#[derive(Clone)]
pub struct ExplicitMdp<G: Game> {
    game: G,
    afters: Vec<G::After>,
    states: Vec<G::State>,
    /// Where the deals of each afterstate begin, and behind the last one their end.
    deals: Vec<u32>,
    /// The states that are dealt, afterstate by afterstate, and the odds of each.
    dealt: Vec<u32>,
    odds: Vec<f64>,
    /// Where the moves of each state begin, and behind the last one their end.
    begins: Vec<u32>,
    /// What each move leaves, state by state.
    steps: Vec<Step<u32>>,
    moves: Vec<G::Move>,
    numbers: HashMap<G::State, u32>,
    /// Whether every afterstate deals all of its states with the same odds.
    even: bool,
}

impl<G: Game> ExplicitMdp<G> {
    /// Writes a game out, or `None` if it has more than so many states.
    pub fn new(game: &G, most_states: usize) -> Option<ExplicitMdp<G>> {
        let mut written = ExplicitMdp {
            game: game.clone(),
            afters: Vec::new(),
            states: Vec::new(),
            deals: vec![0],
            dealt: Vec::new(),
            odds: Vec::new(),
            begins: vec![0],
            steps: Vec::new(),
            moves: Vec::new(),
            numbers: HashMap::new(),
            even: true,
        };
        let _ = game.try_start(|state, _| {
            written.number(state);
            ControlFlow::<()>::Continue(())
        });
        let mut known: HashMap<G::After, u32> = HashMap::new();
        let mut done = 0;
        while done < written.states.len() {
            if written.states.len() > most_states {
                return None;
            }
            let state = written.states[done];
            game.for_each_move(&state, |mv, Step { after, reward }| {
                let fresh = known.len() as u32;
                let after = *known.entry(after).or_insert_with(|| {
                    written.afters.push(after);
                    fresh
                });
                written.steps.push(Step { after, reward });
                written.moves.push(mv);
            });
            written.begins.push(written.steps.len() as u32);
            while written.deals.len() <= written.afters.len() {
                let after = written.afters[written.deals.len() - 1];
                let first = written.odds.len();
                game.for_each_chance(&after, |state, odds| {
                    let number = written.number(state);
                    written.dealt.push(number);
                    written.odds.push(odds);
                });
                written.even &=
                    written.odds[first..].iter().all(|&odds| odds == written.odds[first]);
                written.deals.push(written.dealt.len() as u32);
            }
            done += 1;
        }
        Some(written)
    }

    fn number(&mut self, state: G::State) -> u32 {
        let fresh = self.states.len() as u32;
        *self.numbers.entry(state).or_insert_with(|| {
            self.states.push(state);
            fresh
        })
    }

    /// The game that is written out.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// All afterstates that play can reach, by number.
    pub fn afters(&self) -> &[G::After] {
        &self.afters
    }

    /// All states that play can reach, by number.
    pub fn states(&self) -> &[G::State] {
        &self.states
    }

    /// What the moves of a state leave.
    #[inline]
    pub fn steps(&self, state: u32) -> &[Step<u32>] {
        &self.steps[self.range(state)]
    }

    /// The states that are dealt after a move, and the odds of each.
    #[inline]
    pub fn deals(&self, after: u32) -> (&[u32], &[f64]) {
        let (begin, end) = (self.deals[after as usize], self.deals[after as usize + 1]);
        let range = begin as usize..end as usize;
        (&self.dealt[range.clone()], &self.odds[range])
    }

    #[inline]
    fn range(&self, state: u32) -> std::ops::Range<usize> {
        self.begins[state as usize] as usize..self.begins[state as usize + 1] as usize
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

    fn try_start<B>(&self, mut deal: impl FnMut(u32, f64) -> ControlFlow<B>) -> ControlFlow<B> {
        self.game.try_start(|state, odds| deal(self.numbers[&state], odds))
    }

    fn start(&self, rng: &mut Rng) -> u32 {
        self.numbers[&self.game.start(rng)]
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
        mut deal: impl FnMut(u32, f64) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (states, odds) = self.deals(*after);
        for (&state, &odds) in states.iter().zip(odds) {
            deal(state, odds)?;
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn sample(&self, after: &u32, rng: &mut Rng) -> u32 {
        let (states, odds) = self.deals(*after);
        if self.even {
            return states[rng.below(states.len())];
        }
        let mut left = rng.unit();
        for (&state, odds) in states.iter().zip(odds) {
            left -= odds;
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

/// The entries of every afterstate, written out.
pub struct ExplicitAggregation {
    size: u64,
    count: usize,
    entries: Vec<u32>,
}

impl ExplicitAggregation {
    /// Looks every afterstate up once.
    pub fn new<G: Game>(
        written: &ExplicitMdp<G>,
        entries: &(impl StateAggregation<G> + ?Sized),
    ) -> Self {
        let count = entries.count();
        let mut all = vec![0; count * written.afters.len()];
        for (after, out) in written.afters.iter().zip(all.chunks_exact_mut(count)) {
            entries.indices(&written.game, after, out);
        }
        ExplicitAggregation { size: entries.size(), count, entries: all }
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
            [one] => *one = self.entries[*after as usize],
            _ => {
                let begin = *after as usize * self.count;
                out.copy_from_slice(&self.entries[begin..begin + self.count]);
            }
        }
    }
}

/// The entry of every move, written out.
pub struct ExplicitActionAggregation {
    size: u64,
    entries: Vec<u32>,
}

impl ExplicitActionAggregation {
    /// Looks every move up once.
    pub fn new<G: Game>(
        written: &ExplicitMdp<G>,
        entries: &(impl StateActionAggregation<G> + ?Sized),
    ) -> Self {
        let mut all = vec![0; written.steps.len()];
        for (number, state) in written.states.iter().enumerate() {
            let range = written.range(number as u32);
            let out = &mut all[range.clone()];
            entries.indices(&written.game, state, &written.moves[range], out);
        }
        ExplicitActionAggregation { size: entries.size(), entries: all }
    }
}

impl<G: Game> StateActionAggregation<ExplicitMdp<G>> for ExplicitActionAggregation {
    fn size(&self) -> u64 {
        self.size
    }

    #[inline]
    fn indices(&self, game: &ExplicitMdp<G>, state: &u32, _: &[u32], out: &mut [u32]) {
        out.copy_from_slice(&self.entries[game.range(*state)]);
    }
}

/// The pay of every move, written out.
pub struct ExplicitReward(Vec<f32>);

impl ExplicitReward {
    /// Asks for the pay of every move once.
    pub fn new<G: Game>(
        written: &ExplicitMdp<G>,
        reward: &(impl RewardFunction<G> + ?Sized),
    ) -> Self {
        let mut all = Vec::with_capacity(written.steps.len());
        for (number, state) in written.states.iter().enumerate() {
            let pays = written.choices(number).map(|c| reward.reward(&written.game, state, &c));
            all.extend(pays);
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
