"""What learners of one network gain that exchange weights, by the moves that each has made.

The learners are those of a cluster (the same work on the same data), one after the other on one core, so that
they do not compete for it: a move is the same work on any machine, and what is shown is the mean score at so many
moves of each learner. Ways to merge are compared: `RULES`. A single learner is followed further, so that a score
of several can be told as the moves that one needs for it.

python/cluster/exchange.py [--recipe NAME] [--moves N] [--part MOVES] [--learners 1,2,4] [--seed N]

With --speed, curves are by the clock of machines that are equally fast: a part takes its moves by so many moves a
second, and an exchange takes --exchange seconds for each of its learners. A single learner is one machine, which
exchanges nothing. Each learner's part has a core of its own here, whatever the number of learners; what was
measured is the scores, and the clock is that model. The processor time of the learners is told beside it.
"""

import argparse
import json
import tempfile
import time

import numpy as np

import afterstate
from afterstate import _native


def coherence(errors):
    """How far the errors of an exchange agree, from 0 to 1, by weight."""
    signed, absolute = errors.sum(0)[:, 0], errors.sum(0)[:, 1]
    return np.abs(signed) / np.maximum(absolute, 1e-30)


def weighted(moved, errors):
    """The mean by the errors that each learner has counted."""
    absolute = errors[:, :, 1]
    whole = absolute.sum(0)
    return (moved * absolute).sum(0) / np.where(whole > 0, whole, 1)


def up_to(factor, moved):
    """The sum over the square root of the learners that changed a weight, at most so many times their mean."""
    counts = np.maximum((moved != 0).sum(0), 1)
    return moved.sum(0) / counts * np.minimum(np.sqrt(counts), factor)


#: How far a weight moves: from how far each learner has moved it (learner, weight), and the sums of errors that
#: each has counted (learner, weight, signed and absolute).
RULES = {
    "mean of those that changed it": lambda moved, errors: moved.sum(0) / np.maximum((moved != 0).sum(0), 1),
    "up to twice the mean": lambda moved, errors: up_to(2, moved),
    "up to 1.5 times the mean": lambda moved, errors: up_to(1.5, moved),
    "mean of all": lambda moved, errors: moved.mean(0),
    "mean by errors": weighted,
    "mean and coherence": lambda moved, errors: moved.mean(0) * (1 + coherence(errors) * (len(moved) - 1)),
    "sum over the square root": lambda moved, errors: moved.sum(0) / np.sqrt(len(moved)),
    "sum": lambda moved, errors: moved.sum(0),
}

#: What becomes of the sums of temporal coherence.
SUMS = {
    "added": lambda errors: errors.sum(0),
    "mean": lambda errors: errors.mean(0),
}


def merged(words, weights, changes, rule, sums, means, best):
    """The words after an exchange: those of the best learner, or of all."""
    if best:
        after = words.copy()
        numbers, values = changes[int(np.argmax(means))]
        after[numbers] = values
        return after
    now = np.repeat(words[None], len(changes), axis=0)
    for own, (numbers, values) in zip(now, changes):
        own[numbers] = values
    now -= words
    moved, errors = now[:, :weights], now[:, weights:].reshape(len(changes), -1, 2)
    after = words.copy()
    after[:weights] += RULES[rule](moved, errors)
    after[weights:] += SUMS[sums](errors).reshape(-1)
    return after


def learn(table, learners, rule, sums, part, moves, best):
    """Rows of moves of each learner, mean score of its games, bytes of its answer, seconds to merge, and
    moves by second of the processor."""
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
        scores, changes, size, now, means, processor = [], [], 0, dict(position), [], time.process_time()
        for learner in range(learners):
            answer = work.perform(str(learner))
            length = int.from_bytes(answer[:8], "little")
            games = json.loads(answer[8 : 8 + length])
            pairs = np.frombuffer(answer[8 + length :], np.uint32).reshape(-1, 2)
            changes.append((pairs[:, 0].astype(np.int64), pairs[:, 1].copy().view(np.float32)))
            scores += [game[0] for game in games]
            means.append(np.mean([game[0] for game in games]))
            now["episodes"] += len(games)
            now["moves"] += sum(game[1] for game in games)
            size += len(answer)
        speed = (now["moves"] - position["moves"]) / (time.process_time() - processor)
        position = now
        begin = time.perf_counter()
        words = merged(words, weights, changes, rule, sums, means, len(rows) < best)
        seconds = time.perf_counter() - begin
        rows.append((position["moves"] / learners, float(np.mean(scores)), size / learners, seconds, speed))
    return rows


def recipe_text(table):
    """The recipe as TOML, as a run writes it, with a budget of one game."""
    with tempfile.TemporaryDirectory() as folder:
        table = {**table, "budget": {"episodes": 1}}
        return afterstate.train(table, out=folder + "/run", threads=1, progress=False).recipe


def first_words(recipe):
    """The words that a training begins with: weights and sums of zero."""
    with tempfile.TemporaryDirectory() as folder:
        run = afterstate.train(
            {**recipe, "budget": {"episodes": 1}}, out=folder + "/run", threads=1, progress=False
        )
        weights = sum(array.size for array in run.agent.weights.values())
    coherent = any(phase["method"] == "tc" for phase in recipe["phase"])
    return np.zeros(weights * (3 if coherent else 1), np.float32), weights


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--recipe", default="2048-small")
    parser.add_argument("--moves", type=int, default=4_000_000)
    parser.add_argument("--part", type=int, default=200_000)
    parser.add_argument("--learners", default="1,2,4")
    parser.add_argument("--rules", default=",".join(RULES))
    parser.add_argument("--sums", default="added")
    parser.add_argument("--best", type=int, default=0, help="exchanges after which all go on from the best")
    parser.add_argument("--method", default="tc")
    parser.add_argument("--rate", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--speed", type=float, help="moves a second of a core: curves are by the clock")
    parser.add_argument("--exchange", type=float, default=0.15, help="seconds of an exchange for each learner")
    options = parser.parse_args()
    table = {**_native.recipe_table(options.recipe), "seed": options.seed}
    # One phase at one rate: the budget of a part then changes nothing else.
    table["phase"] = [{"method": options.method, "rate": options.rate, "order": "backward"}]
    table["network"].pop("initial", None)
    for learners in map(int, options.learners.split(",")):
        for rule in options.rules.split(",") if learners > 1 else list(RULES)[:1]:
            rows = learn(table, learners, rule, options.sums, options.part, options.moves, options.best)
            curve = [(round(row[0]), round(row[1])) for row in rows]
            if options.speed:
                lost = options.exchange * learners if learners > 1 else 0.0
                clock = [row[0] / options.speed + lost * number for number, row in enumerate(rows, 1)]
                curve = [(round(seconds, 1), round(row[1])) for seconds, row in zip(clock, rows)]
            # The last fifth of the exchanges.
            last = rows[-max(1, len(rows) // 5) :]
            print(
                json.dumps(
                    {
                        "learners": learners,
                        "rule": rule if learners > 1 else "alone",
                        "sums": options.sums,
                        "method": f"{options.method} {options.rate}",
                        "best": options.best,
                        "seed": options.seed,
                        "part": options.part,
                        "exchanges": len(rows),
                        "last": round(float(np.mean([row[1] for row in last]))),
                        "answer_bytes": round(float(np.mean([row[2] for row in last]))),
                        "merge_seconds": round(float(np.mean([row[3] for row in rows])), 3),
                        "processor_speed": round(float(np.mean([row[4] for row in rows]))),
                        "curve": curve,
                    }
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()
