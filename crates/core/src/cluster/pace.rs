//! `Pace`: how many items the next part of a job has. One process hands out all parts, so that short
//! parts make it the limit and leave workers idle; long parts leave workers idle at the end.

use std::time::Duration;

/// The seconds that a part should take: long beside what a cluster needs to hand it out, a few
/// milliseconds, and short beside what is lost with a machine.
const SECONDS: f64 = 1.0;

/// The driver hands out a part and reads its answer in less than these seconds
/// (`results/cluster.md`).
const DRIVER: f64 = 2e-3;

/// The most items of a part while it is unknown how long an item takes.
const FIRST: usize = 16;

/// A part has more items than an even share only when so many times as many have been answered: short
/// games are answered first, and say nothing of the long ones.
const KNOWN: usize = 64;

/// How long a part may be on its way before it counts as slow.
const GRACE: Duration = Duration::from_millis(20);

/// What is known of the items of a job.
#[derive(Clone, Debug, Default)]
pub(super) struct Pace {
    /// The items that were answered, and the seconds that workers took for them.
    items: usize,
    seconds: f64,
    /// The seconds of an item of the slowest part.
    slowest: f64,
    /// The same for parts that workers have in hand, as far as it is known.
    pending: f64,
}

impl Pace {
    /// A part was answered.
    pub(super) fn answered(&mut self, items: usize, seconds: f64) {
        self.items += items;
        self.seconds += seconds;
        self.slowest = self.slowest.max(seconds / items as f64);
    }

    /// How long each part in the hands of workers has been there, with its items.
    pub(super) fn in_hand(&mut self, parts: impl Iterator<Item = (usize, Duration)>) {
        let each = |(items, age): (usize, Duration)| {
            age.saturating_sub(GRACE).as_secs_f64() / items as f64
        };
        self.pending = parts.map(each).fold(0.0, f64::max);
    }

    /// The size of the next part, if so many items are left.
    ///
    /// Parts should take a second, and the last ones are small, so that workers end together. But L
    /// seconds of work are done soonest in parts of sqrt(L * [`DRIVER`]) seconds: shorter ones take
    /// the driver longer than the workers, of whom the others have to stay idle. The slowest items tell
    /// how long that is, for too large a part costs more than too many.
    pub(super) fn size(&self, left: usize, workers: usize) -> usize {
        let even = left.div_ceil(2 * workers);
        if self.items == 0 {
            return even.min(FIRST).clamp(1, left);
        }
        let longest = DRIVER * workers as f64;
        let mean = (self.seconds / self.items as f64).max(1e-9);
        let fitting = SECONDS.max(longest) / mean;
        let slow = self.slowest.max(self.pending).max(mean);
        let shortest = (longest / slow).min((left as f64 * DRIVER / slow).sqrt());
        let shortest = (shortest as usize).min(self.items / KNOWN);
        even.min(fitting as usize).max(shortest).clamp(1, left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pace after items that took the same.
    fn known(items: usize, each: f64) -> Pace {
        let mut pace = Pace::default();
        pace.answered(items, items as f64 * each);
        pace
    }

    #[test]
    fn parts_take_a_second_and_the_last_are_small() {
        let pace = known(1000, 0.01);
        assert_eq!(pace.size(100_000, 4), 100);
        assert_eq!(pace.size(400, 4), 50);
        assert_eq!(pace.size(5, 4), 1);
        assert_eq!(Pace::default().size(100_000, 4), FIRST);
        assert_eq!(Pace::default().size(20, 4), 3);
    }

    #[test]
    fn parts_are_as_long_as_the_driver_needs_for_those_of_all_others() {
        // 1,000 workers could have one item each every 2 seconds.
        let pace = known(100_000, 0.01);
        assert_eq!(pace.size(10_000_000, 1000), 200);
        // 20 seconds of work: a hundred parts of 0.2 seconds, not two for each of 1,000 workers.
        assert_eq!(pace.size(2000, 1000), 20);
        assert_eq!(pace.size(2000, 100_000), 20);
        // As small as they may be, they are for few workers.
        assert_eq!(pace.size(2000, 10), 100);
    }

    #[test]
    fn slow_items_make_parts_smaller() {
        let mut pace = known(100_000, 0.01);
        pace.answered(1, 5.0);
        assert_eq!(pace.size(2000, 1000), 1);
        let mut pace = known(100_000, 0.01);
        let age = |seconds: f64| Duration::from_secs_f64(seconds) + GRACE;
        pace.in_hand([(10, age(0.1)), (10, age(40.0))].into_iter());
        assert_eq!(pace.size(2000, 1000), 1);
        // Once it is answered, it was the machine that was slow to begin.
        pace.in_hand([].into_iter());
        assert_eq!(pace.size(2000, 1000), 20);
    }

    #[test]
    fn a_few_fast_items_say_little_of_the_others() {
        assert_eq!(known(10, 1e-6).size(2000, 1000), 1);
        assert_eq!(known(640, 1e-6).size(2000, 1000), 10);
    }
}
