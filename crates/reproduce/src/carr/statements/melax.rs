//! What chapter 4 says of Melax's well.

use super::{ARRIVED, SAME, all, between, first, played, same, settled_after};
use afterstate_games::tetris::{Setup, Tetris, melax_pieces};

use crate::carr::small::MELAX_STATES;
use crate::carr::{COUNT, FIRST, GAMES, PART, POWER, PUSHED, PUSHED_END, SMALLEST};
use crate::verdict::Statement;

const OPTIMUM: &str = "exact optimum";

const EXPLORERS: [&str; 3] = ["greedy", "epsilon-greedy", "softmax"];

pub(in crate::carr) const STATES: &[Statement] = &[
    Statement {
        // Nine differences of ten columns beside three of four.
        says: "every extra unit of width increases the state space by a factor of seven for our \
            contour representation",
        holds: |figures| {
            let more = figures.of("capped, 7^9", POWER)?
                - figures.of("window of four, 7^3", COUNT)?.log2();
            Some((more - 6.0 * 7.0_f64.log2()).abs() < 0.5)
        },
    },
    Statement {
        says: "Incorporating this [mirror symmetry] would roughly halve the number of states",
        holds: |figures| {
            let part = figures.of("mirrored", COUNT)? / figures.of("window of four, 7^3", COUNT)?;
            Some((0.45..=0.55).contains(&part))
        },
    },
    Statement {
        says: "There are therefore approximately 5 x 6 x 4 transitions off each state",
        holds: |figures| {
            let [states, pairs] = MELAX_STATES.map(|case| figures.of(case, COUNT));
            Some(pairs? / states? == f64::from(5 * 6 * 4))
        },
    },
    Statement {
        says: "only the L shaped Melax tetromino has four unique orientations, while all the others \
            only have two unique orientations",
        holds: |_| {
            let well = Tetris::new(Setup { pieces: melax_pieces(), ..Setup::sized(6, 2) }).ok()?;
            let forms = 0..well.setup().pieces.len();
            let counts: Vec<usize> =
                forms.map(|piece| well.form(piece as u8).orientations.len()).collect();
            let of = |number| counts.iter().filter(|&&count| count == number).count();
            Some(of(4) == 1 && of(2) == counts.len() - 1)
        },
    },
];

pub(in crate::carr) const TABLE_2_1: &[Statement] = &[Statement {
    says: "Melax's agent achieved significant learning",
    holds: |figures| Some(figures.of("game 256", PUSHED)? < 0.5 * figures.of("game 1", PUSHED)?),
}];

pub(in crate::carr) const FIGURE_4_2: &[Statement] = &[
    Statement {
        says: "It is apparent that the untrained agent has insight into the placement of blocks",
        holds: |figures| figures.more(PUSHED, "random placement", "untrained"),
    },
    Statement {
        says: "the maximum height of the structure [...] without undertaking any translation or rotation",
        holds: |figures| figures.more(PUSHED, "no movement", "random placement"),
    },
    Statement {
        // Within a fifth: the first point is of two games, in which it learns already.
        says: "The agent starts at the level of the untrained agent",
        holds: |figures| {
            let untrained = figures.of("untrained", PUSHED)?;
            Some((first(figures, "TD(0)")? - untrained).abs() <= 0.2 * untrained)
        },
    },
    Statement {
        says: "and steadily improves",
        holds: |figures| {
            let blocks = [(0.0, 50.0), (50.0, 100.0), (100.0, 200.0), (200.0, 500.0)];
            let rows = blocks.map(|(from, to)| between(figures, "TD(0)", from, to));
            all(rows.windows(2).map(|pair| Some(pair[1]? < pair[0]?)))
        },
    },
    Statement {
        says: "The eventual height of the well is roughly a quarter of the height of the untrained agent's well",
        holds: |figures| Some((20.0..=30.0).contains(&figures.of("TD(0) beside untrained", PART)?)),
    },
];

pub(in crate::carr) const FIGURE_4_3: &[Statement] = &[
    Statement {
        says: "This leads to the tabular values converging on the correct values more rapidly",
        holds: |figures| figures.more(GAMES, "not mirrored", "mirrored"),
    },
    Statement {
        says: "the final policy arrived at is the same in both circumstances",
        holds: |figures| {
            let rows = |case| played(figures, case, PUSHED_END);
            Some(same(rows("mirrored")?, rows("not mirrored")?))
        },
    },
];

pub(in crate::carr) const FIGURE_4_4: &[Statement] = &[
    Statement {
        says: "Figure 4.4 shows the greedy approach experiencing the most rapid learning",
        holds: |figures| {
            let early = |name| between(figures, name, 0.0, 20.0);
            let greedy = early("greedy")?;
            Some(greedy < early("epsilon-greedy")? && greedy < early("softmax")?)
        },
    },
    Statement {
        says: "all three agents converge on their final policies within forty games, but fail to \
            improve their policies in the remaining sixty games",
        holds: |figures| all(EXPLORERS.map(|name| settled_after(figures, name, 40.0))),
    },
];

pub(in crate::carr) const FIGURE_4_5: &[Statement] = &[
    Statement {
        says: "the Softmax and epsilon-greedy methods settle on a similar policy",
        holds: |figures| {
            let rows = |case| played(figures, case, PUSHED_END);
            Some(same(rows("softmax")?, rows("epsilon-greedy")?))
        },
    },
    Statement {
        says: "The greedy approach leads the agent to adopting a final policy that is superior to \
            either of the other adopted policies",
        holds: |figures| {
            let rows = |case| played(figures, case, PUSHED_END);
            let greedy = rows("greedy")?;
            Some(greedy < rows("softmax")? && greedy < rows("epsilon-greedy")?)
        },
    },
    Statement {
        says: "optimistic learning and the greedy approach results in the agent [...] settling on \
            the optimal policy",
        holds: |figures| {
            let optimum = figures.of(OPTIMUM, PUSHED_END)?;
            Some(played(figures, "greedy", PUSHED_END)? <= (1.0 + ARRIVED) * optimum)
        },
    },
];

pub(in crate::carr) const FIGURE_4_6: &[Statement] = &[
    Statement {
        says: "The value table of the previous optimistic agent had a minimum value greater than -150",
        holds: |figures| Some(figures.of("greedy, from 0", SMALLEST)? > -150.0),
    },
    Statement {
        says: "all three agents achieving far better initial results than they did in figure 4.4",
        holds: |figures| {
            let better = |case: &str| {
                let from_0 = figures.of(&format!("{case}, from 0"), FIRST)?;
                Some(figures.of(case, FIRST)? < from_0)
            };
            all(EXPLORERS.map(better))
        },
    },
    Statement {
        says: "The epsilon-greedy agent experiences a brief spate of learning in the first few \
            games and stumbles upon nothing useful in the remaining period",
        holds: |figures| settled_after(figures, "epsilon-greedy", 5.0),
    },
    Statement {
        says: "The greedy player stumbles onto a sub-optimal policy after less than 5 games, and \
            then shows no further improvement",
        holds: |figures| settled_after(figures, "greedy", 5.0),
    },
    Statement {
        says: "The initial height of the Softmax agent's well is due to indiscriminate exploration",
        holds: |figures| figures.more(FIRST, "softmax", "epsilon-greedy"),
    },
    Statement {
        says: "The Softmax player shows incredibly rapid learning and settles [...] within 30 games",
        holds: |figures| settled_after(figures, "softmax", 30.0),
    },
    Statement {
        says: "settles on the optimal policy",
        holds: |figures| {
            let optimum = figures.of(OPTIMUM, PUSHED_END)?;
            Some(played(figures, "softmax", PUSHED_END)? <= (1.0 + ARRIVED) * optimum)
        },
    },
];

pub(in crate::carr) const FIGURE_4_7: &[Statement] = &[
    Statement {
        says: "The greedy approach results in the agent discovering the least rewarding policy",
        holds: |figures| {
            let rows = |case| played(figures, case, PUSHED_END);
            let greedy = rows("greedy")?;
            Some(greedy > rows("softmax")? && greedy > rows("epsilon-greedy")?)
        },
    },
    Statement {
        says: "the epsilon-greedy approach results in the discovery of a better policy",
        holds: |figures| {
            let rows = |case| played(figures, case, PUSHED_END);
            Some(rows("epsilon-greedy")? < rows("greedy")?)
        },
    },
    Statement {
        says: "the Softmax approach discovers the best policy",
        holds: |figures| {
            let rows = |case| played(figures, case, PUSHED_END);
            let softmax = rows("softmax")?;
            Some(softmax < rows("greedy")? && softmax < rows("epsilon-greedy")?)
        },
    },
];

pub(in crate::carr) const FIGURE_4_8: &[Statement] = &[
    Statement {
        says: "increasing the alpha term to 0.2 almost increases the speed of learning by an order \
            of magnitude",
        holds: |figures| {
            let times = figures.of("rate 0.02", GAMES)? / figures.of("rate 0.2", GAMES)?;
            Some((5.0..=10.0).contains(&times))
        },
    },
    Statement {
        says: "The agent with an alpha value of 0.02 eventually converges to a superior optimal policy",
        holds: |figures| figures.more(PUSHED_END, "rate 0.2", "rate 0.02"),
    },
    Statement {
        says: "the improvement in performance is small in proportion to the overall learning exhibited",
        holds: |figures| {
            let end = figures.of("rate 0.02", PUSHED_END)?;
            let better = figures.of("rate 0.2", PUSHED_END)? - end;
            Some(better <= ARRIVED * (first(figures, "rate 0.02")? - end))
        },
    },
];

pub(in crate::carr) const FIGURE_4_9: &[Statement] = &[
    Statement {
        says: "Melax [...] reports no appreciable difference in the results achieved by the agent",
        holds: |figures| {
            let rows = |case| figures.of(case, PUSHED_END);
            Some(same(rows("Sarsa(0)")?, rows("TD(0)")?))
        },
    },
    Statement {
        says: "These results are far worse than those achieved by the TD(0) agent",
        holds: |figures| {
            let rows = |case| figures.of(case, PUSHED_END);
            Some(rows("Sarsa(0)")? > 1.5 * rows("TD(0)")?)
        },
    },
    Statement {
        says: "The TD(0) agent only takes fifty games to find the optimal policy in contrast to the \
            Sarsa(0) agent who takes around eight hundred games",
        holds: |figures| {
            let rows = |case| figures.of(case, PUSHED_END);
            let early = between(figures, "TD(0), mirrored", 30.0, 60.0)?;
            let td = early <= (1.0 + ARRIVED) * rows("TD(0)")?;
            let level = (1.0 + ARRIVED) * rows("Sarsa(0)")?;
            let before = between(figures, "Sarsa(0)", 500.0, 600.0)? > level;
            Some(td && before && between(figures, "Sarsa(0)", 800.0, 1_000.0)? <= level)
        },
    },
    Statement {
        says: "Given enough training time, the Sarsa(0) agent might have [...] discovered the \
            optimal policy that the TD(0) agent is using",
        holds: |figures| {
            let rows = |case| figures.of(case, PUSHED_END);
            Some(rows("Sarsa(0)")? <= (1.0 + SAME) * rows("TD(0)")?)
        },
    },
];
