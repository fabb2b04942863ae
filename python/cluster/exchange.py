"""What learners of one network gain that exchange weights: 1, 2, 4 of them, by the moves that each has made.

The learners are those of a cluster (the same work on the same data), one after the other on one core, so that
they do not compete for it: a move is the same work on any machine, and what is shown is the score at so many
moves of each learner. Ways to merge are compared: `RULES`.

python/cluster/exchange.py [--recipe NAME] [--moves N] [--part MOVES] [--learners 1,2,4] [--seed N]
"""

import argparse
import json
import tempfile
import time

import numpy as np

import afterstate
from afterstate import _native


#: By what the sum of the changes of a weight is divided: how many learners have changed it, and how many
#: there are.
RULES = {
    "mean of those that changed it": lambda changed, learners: changed,
    "mean of all": lambda changed, learners: learners,
    "sum over the square root": lambda changed, learners: np.sqrt(changed),
    "sum": lambda changed, learners: 1,
}


def merged(sent, weights, changes, rule):
    """The words after an exchange, as `merge` of crates/train/src/learners/ntuple/remote.rs."""
    words = sent.copy()
    sums, counts = np.zeros(weights, np.float32), np.zeros(weights, np.int32)
    for numbers, values in changes:
        own = numbers < weights
        np.add.at(sums, numbers[own], values[own] - sent[numbers[own]])
        counts[numbers[own]] += 1
        words[numbers[~own]] += values[~own] - sent[numbers[~own]]
    changed = counts > 0
    divisor = RULES[rule](counts[changed], len(changes))
    words[:weights][changed] = sent[:weights][changed] + sums[changed] / divisor
    return words


def learn(table, learners, rule, part, moves):
    """Rows of moves of each learner, mean score of its games, bytes of its answer and seconds to merge."""
    words, weights = first_words(table)
    text, rules = recipe_text(table), table["game"]
    position = {"episodes": 0, "moves": 0, "seconds": 0.0}
    rows = []
    while position["moves"] < moves * learners:
        # A learner ends with its part of the moves, not by the clock: the budget is that far.
        end = position["moves"] + part
        settings = {"recipe": text.replace("episodes = 1\n", f"moves = {end}\n", 1), "position": position}
        told = json.dumps({**settings, "seconds": 3600.0})
        work = _native.Work("n-tuple learning", rules, told, words.tobytes())
        scores, changes, size, now = [], [], 0, dict(position)
        for learner in range(learners):
            answer = work.perform(str(learner))
            length = int.from_bytes(answer[:8], "little")
            games = json.loads(answer[8 : 8 + length])
            pairs = np.frombuffer(answer[8 + length :], np.uint32).reshape(-1, 2)
            changes.append((pairs[:, 0].astype(np.int64), pairs[:, 1].copy().view(np.float32)))
            scores += [game[0] for game in games]
            now["episodes"] += len(games)
            now["moves"] += sum(game[1] for game in games)
            size += len(answer)
        position = now
        begin = time.perf_counter()
        words = merged(words, weights, changes, rule)
        seconds = time.perf_counter() - begin
        rows.append((position["moves"] / learners, float(np.mean(scores)), size / learners, seconds))
    return rows


def recipe_text(table):
    """The recipe as TOML, as a run writes it, with a budget of one game."""
    with tempfile.TemporaryDirectory() as folder:
        table = {**table, "budget": {"episodes": 1}}
        return afterstate.train(table, out=folder + "/run", threads=1, progress=False).recipe


def first_words(recipe):
    """The words that a training begins with: initial weights, and sums of zero if it needs them."""
    with tempfile.TemporaryDirectory() as folder:
        run = afterstate.train(
            {**recipe, "budget": {"episodes": 1}}, out=folder + "/run", threads=1, progress=False
        )
        weights = sum(array.size for array in run.agent.weights.values())
    coherent = any(phase["method"] == "tc" for phase in recipe["phase"])
    words = np.zeros(weights * (3 if coherent else 1), np.float32)
    return words, weights


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--recipe", default="2048-small")
    parser.add_argument("--moves", type=int, default=4_000_000)
    parser.add_argument("--part", type=int, default=200_000)
    parser.add_argument("--learners", default="1,2,4")
    parser.add_argument("--rules", default=",".join(RULES))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    table = {**_native.recipe_table(options.recipe), "seed": options.seed}
    # One phase at one rate: the budget of a part then changes nothing else.
    table["phase"] = [{"method": "tc", "rate": 1.0, "order": "backward"}]
    for learners in map(int, options.learners.split(",")):
        for rule in options.rules.split(",") if learners > 1 else list(RULES)[:1]:
            rows = learn(table, learners, rule, options.part, options.moves)
            last = rows[len(rows) // 2 :]
            print(
                json.dumps(
                    {
                        "learners": learners,
                        "rule": rule if learners > 1 else "alone",
                        "seed": options.seed,
                        "exchanges": len(rows),
                        "half": round(rows[len(rows) // 2][1]),
                        "last": round(float(np.mean([row[1] for row in rows[-3:]]))),
                        "moves_per_exchange": round(rows[-1][0] / len(rows)),
                        "answer_bytes": round(float(np.mean([row[2] for row in last]))),
                        "merge_seconds": round(float(np.mean([row[3] for row in rows])), 3),
                        "curve": [(round(moves), round(mean)) for moves, mean, _, _ in rows],
                    }
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()
