//! `compare`: an agent beside the exact solution of its game: regret and error of its values.

use afterstate_core::{Rng, threads};
use afterstate_games::spec::Spec;
use afterstate_values::{Model, Scratch, SolvedTable};

/// How an agent is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompareSettings {
    /// Games that it plays.
    pub games: u64,
    /// Their seed.
    pub seed: u64,
    /// Games are truncated after so many moves.
    pub max_moves: u64,
    /// Threads; the result does not depend on them.
    pub threads: usize,
}

/// An agent beside the exact solution, on the positions of its own greedy games.
///
/// The regret of a move is what the best move is expected to bring more, if play is optimal from there
/// on. The mean sum over a game is by how much the agent falls short of the optimum in expectation
/// (the performance difference lemma), with far less variance than its scores.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Comparison {
    /// Games.
    pub games: u64,
    /// How many of them were truncated.
    pub truncated: u64,
    /// Moves.
    pub moves: u64,
    /// How many of them were optimal, in 32-bit floats.
    pub optimal: u64,
    /// The mean regret of a game.
    pub regret: f64,
    /// The standard error of that mean.
    pub regret_error: f64,
    /// The mean score of the games.
    pub score: f64,
    /// The error of the values of afterstates, if the agent has values.
    pub values: Option<ValueError>,
}

/// The difference between values and exact values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ValueError {
    /// The root mean square error.
    pub rms: f64,
    /// The mean error.
    pub bias: f64,
    /// The correlation with the exact values.
    pub correlation: f64,
    /// The root mean square error that the best linear function of the values leaves: what counts where
    /// an agent has learned values in another unit, such as discounted survival.
    pub fitted: f64,
}

/// Sums of one game.
#[derive(Clone, Copy, Default)]
struct Sums {
    truncated: bool,
    moves: u64,
    optimal: u64,
    regret: f64,
    score: f64,
    /// The number of values, the sums of both values, their squares and their product.
    values: [f64; 6],
}

/// Compares an agent with a solution of its game.
pub fn compare<G: Spec>(
    game: &G,
    solution: &SolvedTable,
    agent: &dyn Model<G>,
    settings: &CompareSettings,
) -> Comparison {
    let all = threads::map(settings.threads, settings.games as usize, |number| {
        play(game, solution, agent, settings, number as u64)
    });
    let count = all.len().max(1) as f64;
    let mean = |of: fn(&Sums) -> f64| all.iter().map(of).sum::<f64>() / count;
    let regret = mean(|sums| sums.regret);
    let squares: f64 = all.iter().map(|sums| (sums.regret - regret).powi(2)).sum();
    let mut values = [0.0; 6];
    for sums in &all {
        values.iter_mut().zip(sums.values).for_each(|(sum, own)| *sum += own);
    }
    Comparison {
        games: all.len() as u64,
        truncated: all.iter().filter(|sums| sums.truncated).count() as u64,
        moves: all.iter().map(|sums| sums.moves).sum(),
        optimal: all.iter().map(|sums| sums.optimal).sum(),
        regret,
        regret_error: (squares / (count * (count - 1.0).max(1.0))).sqrt(),
        score: mean(|sums| sums.score),
        values: (values[0] > 0.0).then(|| error_of(values)),
    }
}

fn error_of([count, own, exact, own_squares, exact_squares, products]: [f64; 6]) -> ValueError {
    let (own, exact) = (own / count, exact / count);
    let covariance = products / count - own * exact;
    let variances = (own_squares / count - own * own, exact_squares / count - exact * exact);
    let deviations = (variances.0 * variances.1).max(0.0).sqrt();
    let square = own_squares / count + exact_squares / count - 2.0 * products / count;
    let correlation = if deviations > 0.0 { covariance / deviations } else { 0.0 };
    ValueError {
        rms: square.max(0.0).sqrt(),
        bias: own - exact,
        correlation,
        fitted: (variances.1 * (1.0 - correlation * correlation)).max(0.0).sqrt(),
    }
}

fn play<G: Spec>(
    game: &G,
    solution: &SolvedTable,
    agent: &dyn Model<G>,
    settings: &CompareSettings,
    number: u64,
) -> Sums {
    let (mut rng, mut policy) = (Rng::stream(settings.seed, number), agent.policy());
    let (mut sums, mut scratch) = (Sums::default(), Scratch::default());
    let mut state = game.start(&mut rng);
    loop {
        let best = game.best_move(&state, |choice| solution.move_value(game, &state, choice));
        let Some((_, best)) = best else { return sums };
        if sums.moves == settings.max_moves {
            return Sums { truncated: true, ..sums };
        }
        let Some(choice) = policy.choose(game, &state, &mut rng) else { return sums };
        let regret = f64::from(best) - f64::from(solution.move_value(game, &state, &choice));
        let after = choice.1.after;
        sums.moves += 1;
        sums.optimal += u64::from(regret <= 0.0);
        sums.regret += regret.max(0.0);
        sums.score += f64::from(choice.1.reward);
        if let Some(values) = agent.afterstate_values() {
            let mut own = [0.0];
            values.evaluate(game, &[after], &mut scratch, &mut own);
            let (own, exact) = (f64::from(own[0]), f64::from(solution.value(game, &after)));
            let terms = [1.0, own, exact, own * own, exact * exact, own * exact];
            sums.values.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        }
        state = game.sample(&after, &mut rng);
    }
}

#[cfg(test)]
mod tests {
    use afterstate_core::{Greedy, RandomPolicy};
    use afterstate_games::twenty48::Twenty48;

    use super::*;
    use crate::solution::{estimate, solve};

    const SETTINGS: CompareSettings =
        CompareSettings { games: 4_000, seed: 1, max_moves: 10_000, threads: 2 };

    #[test]
    fn optimal_play_has_no_regret_and_other_play_falls_short_by_its_regret() {
        let game = Twenty48::new(2, 2, 0.1).unwrap();
        let plan = estimate(&game, None, 1.0).unwrap();
        let solution = solve(&game, &plan, &mut |_| {}).unwrap();
        let optimum = solution.optimum.unwrap();
        let found = compare(&game, &solution.table, &solution.table, &SETTINGS);
        assert_eq!((found.regret, found.optimal, found.truncated), (0.0, found.moves, 0));
        assert!(found.values.is_none());
        let agents: [&dyn Model<Twenty48>; 2] = [&Greedy, &RandomPolicy];
        for agent in agents {
            let found = compare(&game, &solution.table, agent, &SETTINGS);
            // What an agent scores and what it loses by its moves add up to the optimum.
            let sum = found.score + found.regret;
            assert!(found.regret > 1.0 && (sum - optimum).abs() < 2.0, "{found:?} {optimum}");
            assert!(found.optimal < found.moves);
        }
        let short = CompareSettings { games: 10, max_moves: 3, ..SETTINGS };
        let found = compare(&game, &solution.table, &Greedy, &short);
        assert_eq!((found.truncated, found.moves), (10, 30));
    }

    #[test]
    fn errors_of_values_are_their_definition() {
        let (own, exact) = ([1.0, 2.0, 4.0, 9.0], [2.0, 2.0, 6.0, 9.5]);
        let mut sums = [0.0; 6];
        for (a, b) in own.into_iter().zip(exact) {
            let terms = [1.0, a, b, a * a, b * b, a * b];
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        }
        let found = error_of(sums);
        assert!((found.rms - (5.25f64 / 4.0).sqrt()).abs() < 1e-12);
        assert!((found.bias + 0.875).abs() < 1e-12);
        assert!((found.correlation - 0.971_78).abs() < 1e-4, "{}", found.correlation);
        // The residual of the regression of the exact values on those of the agent.
        let slope = 37.5 / 38.0;
        let fit = own.map(|own| 4.875 + slope * (own - 4.0));
        let left: f64 = fit.iter().zip(exact).map(|(fit, exact)| (fit - exact).powi(2)).sum();
        assert!((found.fitted - (left / 4.0).sqrt()).abs() < 1e-3, "{} {left}", found.fitted);
    }
}
