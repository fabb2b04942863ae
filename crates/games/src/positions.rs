//! How many random positions are compared with a reference implementation: few in the test command, and
//! as many as `cargo xtask rules` asks for.

/// A number of positions, or a share in percent of all that a long run compares: the reference
/// implementations differ in speed.
pub(crate) fn positions(short: usize, percent: usize) -> usize {
    let asked = std::env::var("RULES_POSITIONS").ok();
    asked.map_or(short, |all| all.parse::<usize>().expect("a number of positions") / 100 * percent)
}
