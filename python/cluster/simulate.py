"""A model of how far a cluster grows, checked against a simulation of how parts are handed out.

python/cluster/simulate.py FILE, the JSON that measure.py has written. The simulation has the rules of
`Shards` (crates/core/src/cluster/shards.rs): parts that should take a second, one and a half for each worker
in hand, small ones at the end. Games take times that were measured; the driver handles one task at a time.
"""

import heapq
import json
import math
import random
import sys
from itertools import accumulate


def target(workers):
    """The seconds that a part should take."""
    return max(1.0, 2e-3 * workers)


def simulate(items, workers, times, latency, driver, seed=1):
    """Seconds until all items are answered."""
    draw = random.Random(seed)
    # Sums of a long sequence of games: a part is a difference of two.
    sums = [0.0, *accumulate(draw.choice(times) for _ in range(min(items, 200_000)))]
    period = len(sums) - 1

    def work(first, size):
        whole, start = divmod(size, period)[0], first % period
        rest = size - whole * period
        end = start + rest
        seconds = whole * sums[-1]
        if end <= period:
            return seconds + sums[end] - sums[start]
        return seconds + sums[-1] - sums[start] + sums[end - period]

    next_item, out, done, answered, spent = 0, 0, 0, 0, 0.0
    clock = 0.0
    free = [0.0] * workers  # When each worker is free.
    heapq.heapify(free)
    answers = []  # When the driver can read an answer: time, size, seconds.
    while done < items:
        while next_item < items and out < workers + math.ceil(workers / 2):
            left = items - next_item
            fitting = 16 if answered == 0 else int(min(target(workers) * answered / spent, 1e9))
            size = max(1, min(left, math.ceil(left / (2 * workers)), max(1, fitting)))
            clock += driver / 2
            begin = max(heapq.heappop(free), clock + latency / 2)
            seconds = work(next_item, size)
            heapq.heappush(free, begin + seconds)
            heapq.heappush(answers, (begin + seconds + latency / 2, size, seconds))
            next_item, out = next_item + size, out + 1
        ready, size, seconds = heapq.heappop(answers)
        clock = max(clock, ready) + driver / 2
        out, done, answered, spent = out - 1, done + size, answered + size, spent + seconds
    return clock


def model(items, workers, times, latency, driver):
    """The same on paper: the work of a worker or the tasks of the driver, whichever takes longer, and the
    longest game at the end."""
    mean, longest = sum(times) / len(times), max(times)
    part = max(1, min(math.ceil(items / (2 * workers)), target(workers) / mean))
    tasks = items / part + 2 * workers * math.log(max(1.0, items / (2 * workers * part)) + 1)
    tasks = min(tasks, items)
    return max(items * mean / workers, tasks * driver) + latency + min(longest, items * mean)


def main():
    measured = json.loads(open(sys.argv[1]).read())
    times = measured["game_seconds"]
    latency, driver = measured["overhead"]["latency"], measured["overhead"]["driver"]
    mean = sum(times) / len(times)
    print(f"a game {1e3 * mean:.2f} ms (longest {1e3 * max(times):.1f}), latency {1e3 * latency:.2f} ms, "
          f"driver {1e3 * driver:.2f} ms a task")
    print("items | workers | simulated s | model s | speedup | efficiency")
    for items in (2_000, 100_000, 10_000_000):
        for workers in (1, 2, 4, 10, 100, 160, 1_000, 1_600, 16_000):
            if items == 10_000_000 and workers < 100:
                continue
            found = simulate(items, workers, times, latency, driver)
            paper = model(items, workers, times, latency, driver)
            speedup = items * mean / found
            print(f"{items:>10} | {workers:>6} | {found:>9.2f} | {paper:>9.2f} | {speedup:>8.1f} | "
                  f"{100 * speedup / workers:.0f}%")


if __name__ == "__main__":
    main()
