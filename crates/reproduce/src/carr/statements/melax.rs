//! What chapter 4 says of Melax's well.

use super::{ARRIVED, SAME, arrival, between, exponential, first, played, settled_after};
use afterstate_games::tetris::{Setup, Tetris, melax_pieces};

use crate::carr::small::MELAX_STATES;
use crate::carr::{COUNT, FIRST, GAMES, PART, POWER, PUSHED, PUSHED_END, SMALLEST};
use crate::verdict::{Statement, all, not};

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
        // Beside the table that the thesis trains in its section 4.6.
        says: "Extending the wells beyond a width of five leads to state spaces that are unreasonably large",
        holds: |figures| {
            let six = figures.of("window of four, 7^3", COUNT)? * 49.0;
            Some(six > figures.of(MELAX_STATES[1], COUNT)?)
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
    holds: |figures| {
        figures.value("game 1", PUSHED)?.times(0.5).above(figures.value("game 256", PUSHED)?)
    },
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
            first(figures, "TD(0)")?.between(0.8 * untrained, 1.2 * untrained)
        },
    },
    Statement {
        says: "and steadily improves",
        holds: |figures| {
            let blocks = [(0.0, 50.0), (50.0, 100.0), (100.0, 200.0), (200.0, 500.0)];
            let rows = blocks.map(|(from, to)| between(figures, "TD(0)", from, to));
            all(rows.windows(2).map(|pair| pair[0]?.above(pair[1]?)))
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
            rows("mirrored")?.same(rows("not mirrored")?, SAME)
        },
    },
];

pub(in crate::carr) const FIGURE_4_4: &[Statement] = &[
    Statement {
        says: "All three agents initially show exponential learning",
        holds: |figures| all(EXPLORERS.map(|name| exponential(figures, name, 30.0))),
    },
    Statement {
        says: "Figure 4.4 shows the greedy approach experiencing the most rapid learning",
        holds: |figures| {
            let early = |name| between(figures, name, 0.0, 20.0);
            let greedy = early("greedy")?;
            all(["epsilon-greedy", "softmax"].map(|name| early(name)?.above(greedy)))
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
            rows("softmax")?.same(rows("epsilon-greedy")?, SAME)
        },
    },
    Statement {
        says: "The greedy approach leads the agent to adopting a final policy that is superior to \
            either of the other adopted policies",
        holds: |figures| {
            let rows = |case| played(figures, case, PUSHED_END);
            let greedy = rows("greedy")?;
            all(["epsilon-greedy", "softmax"].map(|case| rows(case)?.above(greedy)))
        },
    },
    Statement {
        says: "optimistic learning and the greedy approach results in the agent [...] settling on \
            the optimal policy",
        holds: |figures| {
            let optimum = figures.of(OPTIMUM, PUSHED_END)?;
            not(played(figures, "greedy", PUSHED_END)?.exceeds((1.0 + ARRIVED) * optimum))
        },
    },
];

pub(in crate::carr) const FIGURE_4_6: &[Statement] = &[
    Statement {
        says: "The value table of the previous optimistic agent had a minimum value greater than -150",
        holds: |figures| figures.value("greedy, from 0", SMALLEST)?.exceeds(-150.0),
    },
    Statement {
        says: "all three agents achieving far better initial results than they did in figure 4.4",
        holds: |figures| {
            all(EXPLORERS.map(|case| figures.more(FIRST, &format!("{case}, from 0"), case)))
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
            not(played(figures, "softmax", PUSHED_END)?.exceeds((1.0 + ARRIVED) * optimum))
        },
    },
];

pub(in crate::carr) const FIGURE_4_7: &[Statement] = &[
    Statement {
        says: "The greedy approach results in the agent discovering the least rewarding policy",
        holds: |figures| {
            let rows = |case| played(figures, case, PUSHED_END);
            let greedy = rows("greedy")?;
            all(["epsilon-greedy", "softmax"].map(|case| greedy.above(rows(case)?)))
        },
    },
    Statement {
        says: "the epsilon-greedy approach results in the discovery of a better policy",
        holds: |figures| {
            let rows = |case| played(figures, case, PUSHED_END);
            rows("greedy")?.above(rows("epsilon-greedy")?)
        },
    },
    Statement {
        says: "the Softmax approach discovers the best policy",
        holds: |figures| {
            let rows = |case| played(figures, case, PUSHED_END);
            let softmax = rows("softmax")?;
            all(["greedy", "epsilon-greedy"].map(|case| rows(case)?.above(softmax)))
        },
    },
];

pub(in crate::carr) const FIGURE_4_8: &[Statement] = &[
    Statement {
        says: "increasing the alpha term to 0.2 almost increases the speed of learning by an order \
            of magnitude",
        holds: |figures| {
            let fast = figures.value("rate 0.2", GAMES)?.value;
            figures.value("rate 0.02", GAMES)?.between(5.0 * fast, 10.0 * fast)
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
            let learned = first(figures, "rate 0.02")?.value - end;
            not(figures.value("rate 0.2", PUSHED_END)?.exceeds(end + ARRIVED * learned))
        },
    },
];

pub(in crate::carr) const FIGURE_4_9: &[Statement] = &[
    Statement {
        says: "Melax [...] reports no appreciable difference in the results achieved by the agent",
        holds: |figures| {
            let rows = |case| figures.value(case, PUSHED_END);
            rows("Sarsa(0)")?.same(rows("TD(0)")?, SAME)
        },
    },
    Statement {
        says: "These results are far worse than those achieved by the TD(0) agent",
        holds: |figures| {
            let rows = |case| figures.value(case, PUSHED_END);
            rows("Sarsa(0)")?.above(rows("TD(0)")?.times(1.5))
        },
    },
    Statement {
        // Within a fifth of both numbers.
        says: "The TD(0) agent only takes fifty games to find the optimal policy in contrast to the \
            Sarsa(0) agent who takes around eight hundred games",
        holds: |figures| {
            let games = |name| arrival(figures, name);
            let (td, sarsa) = (games("TD(0), mirrored")?, games("Sarsa(0)")?);
            Some((40.0..=60.0).contains(&td) && (640.0..=960.0).contains(&sarsa))
        },
    },
    Statement {
        says: "Given enough training time, the Sarsa(0) agent might have [...] discovered the \
            optimal policy that the TD(0) agent is using",
        holds: |figures| {
            let rows = |case| figures.value(case, PUSHED_END);
            not(rows("Sarsa(0)")?.above(rows("TD(0)")?.times(1.0 + SAME)))
        },
    },
];
