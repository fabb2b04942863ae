"""A model of how far a cluster grows, checked against a simulation of how parts are handed out.

python/cluster/simulate.py FILE, the JSON that measure.py has written. The simulation has the rules of
`Shards` and `Pace` (crates/core/src/cluster): parts that should take a second, small ones at the end, none
so small that the driver is the limit, one and a half in hand for each worker. Games take times that were
measured; the driver handles one task at a time.
"""

import heapq
import json
import math
import random
import sys
from itertools import accumulate

#: As in pace.rs and shards.rs.
SECONDS, DRIVER, FIRST, KNOWN, GRACE, BURST = 1.0, 2e-3, 16, 64, 0.02, 32


class Pace:
    """How many items the next part has."""

    def __init__(self):
        self.items, self.seconds, self.slowest, self.pending = 0, 0.0, 0.0, 0.0

    def answered(self, items, seconds):
        self.items, self.seconds = self.items + items, self.seconds + seconds
        self.slowest = max(self.slowest, seconds / items)

    def in_hand(self, ages):
        self.pending = max((max(0.0, age - GRACE) / items for items, age in ages), default=0.0)

    def size(self, left, workers):
        even = math.ceil(left / (2 * workers))
        if self.items == 0:
            return max(1, min(even, FIRST, left))
        longest, mean = DRIVER * workers, max(self.seconds / self.items, 1e-9)
        slow = max(self.slowest, self.pending, mean)
        shortest = min(int(min(longest / slow, math.sqrt(left * DRIVER / slow))), self.items // KNOWN)
        return max(1, min(left, max(min(even, int(max(SECONDS, longest) / mean)), shortest)))


def simulate(items, workers, times, latency, driver, seed=1):
    """Seconds until all items are answered, and the tasks."""
    draw = random.Random(seed)
    # Sums of a long sequence of games: a part is a difference of two.
    sums = [0.0, *accumulate(draw.choice(times) for _ in range(min(items, 200_000)))]
    period = len(sums) - 1

    def until(item):
        return (item // period) * sums[-1] + sums[item % period]

    pace, next_item, done, tasks, clock = Pace(), 0, 0, 0, 0.0
    free = [0.0] * workers  # When each worker is free.
    heapq.heapify(free)
    answers = []  # When the driver can read an answer: time, first item, seconds.
    out = {}  # The parts in hand: size and when it was handed out.
    while done < items:
        room = workers + math.ceil(workers / 2) - len(out)
        pace.in_hand((size, clock - since) for size, since in out.values())
        now = clock
        for _ in range(min(room, BURST)):
            if next_item == items:
                break
            size = pace.size(items - next_item, workers)
            clock += driver / 2
            begin = max(heapq.heappop(free), clock + latency / 2)
            seconds = until(next_item + size) - until(next_item)
            heapq.heappush(free, begin + seconds)
            heapq.heappush(answers, (begin + seconds + latency / 2, next_item, seconds))
            out[next_item] = (size, now)
            next_item, tasks = next_item + size, tasks + 1
        if not (room > BURST and next_item < items):
            clock = max(clock, answers[0][0])
        ready = clock
        while answers and answers[0][0] <= ready:
            _, first, seconds = heapq.heappop(answers)
            size, _ = out.pop(first)
            clock += driver / 2
            done += size
            pace.answered(size, seconds)
    return clock, tasks


def model(items, workers, times, latency, driver):
    """The same on paper: each of so many workers as there is work for has its share, while the driver hands
    out parts that are as long as all of them need it, and smaller ones at the end."""
    mean, longest = sum(times) / len(times), max(times)
    whole = items * mean
    busy = min(workers, math.sqrt(whole / DRIVER))
    part = max(mean, min(whole / busy, max(SECONDS, DRIVER * busy)))
    tasks = min(items, whole / part + 2 * busy)
    return max(whole / busy, tasks * driver) + latency + min(longest, whole)


def main():
    measured = json.loads(open(sys.argv[1]).read())
    times = measured["game_seconds"]
    latency, driver = measured["overhead"]["latency"], measured["overhead"]["driver"]
    mean = sum(times) / len(times)
    print(f"a game {1e3 * mean:.2f} ms (longest {1e3 * max(times):.1f}), latency {1e3 * latency:.2f} ms, "
          f"driver {1e3 * driver:.2f} ms a task")
    print("items | workers | simulated s | tasks | model s | speedup | efficiency")
    for items in (2_000, 100_000, 10_000_000):
        for workers in (1, 2, 4, 10, 100, 160, 1_000, 1_600, 16_000):
            if items == 10_000_000 and workers < 100:
                continue
            found, tasks = simulate(items, workers, times, latency, driver)
            paper = model(items, workers, times, latency, driver)
            speedup = items * mean / found
            print(f"{items:>10} | {workers:>6} | {found:>9.2f} | {tasks:>6} | {paper:>9.2f} | {speedup:>8.1f} | "
                  f"{100 * speedup / workers:.0f}%")


if __name__ == "__main__":
    main()
