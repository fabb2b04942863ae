"""Tests of randomness with a stated probability of a false alarm."""

import math
from typing import Sequence

__all__ = ["FALSE_ALARM", "chi_squared", "share"]

#: How often each statistical test blames a right implementation.
FALSE_ALARM = 1e-6


def share(successes: int, trials: int, probability: float) -> float:
    """The two-sided p-value of a number of successes, by the normal approximation."""
    deviation = math.sqrt(trials * probability * (1 - probability))
    return math.erfc(abs(successes - trials * probability) / deviation / math.sqrt(2))


def chi_squared(groups: Sequence[Sequence[int]]) -> float:
    """The p-value that each group of counts is uniform, by Wilson and Hilferty's approximation.
    Groups with fewer than five expected counts per cell are left out."""
    statistic, freedom = 0.0, 0
    for counts in groups:
        expected = sum(counts) / len(counts)
        if len(counts) > 1 and expected >= 5:
            statistic += sum((count - expected) ** 2 for count in counts) / expected
            freedom += len(counts) - 1
    if freedom == 0:
        return 1.0
    spread = 2 / (9 * freedom)
    z = ((statistic / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread)
    return math.erfc(z / math.sqrt(2)) / 2
