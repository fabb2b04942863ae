"""Speeds on a Ray cluster of this machine: games a second by workers, what a task costs, bytes a game.

Run it with the Python that `cargo xtask python --cluster` leaves, on an idle machine:
target/python-cluster/bin/python python/cluster/measure.py [--games N] [--workers 1,2,4] [--json FILE]
--bytes measures what trainings send instead, which a busy machine does not change.
With --strength SECONDS it trains RECIPE for so long on threads of this machine and on workers instead, and
measures the agents.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from pathlib import Path

import ray

import afterstate
from afterstate import _native
from afterstate import cluster as clusters

#: Ray would let its workers wait for everything else.
os.environ["RAY_worker_niceness"] = "0"

RULES, AGENT = "tetris:10x10", "dellacherie"


def throughput(workers, games):
    """Games a second of an evaluation on so many workers."""
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    connection = clusters.connect("auto")
    warm = afterstate.evaluate(AGENT, RULES, games=50 * workers, cluster="auto")
    sent, received, tasks = connection.sent, connection.received, connection.tasks
    begin, processor = time.perf_counter(), time.process_time()
    played = afterstate.evaluate(AGENT, RULES, games=games, seed=2, cluster="auto")
    seconds, driver = time.perf_counter() - begin, time.process_time() - processor
    row = {
        "workers": workers,
        "games": games,
        "seconds": seconds,
        "games_per_second": games / seconds,
        "driver_seconds": driver,
        "tasks": connection.tasks - tasks,
        "bytes_per_game": (connection.sent + connection.received - sent - received) / games,
        "mean": played.mean,
        "warm": warm.mean,
    }
    clusters.disconnect()
    return row


def overhead(workers, tasks):
    """What a task costs that does nothing: one after the other, and as many as fit."""
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    connection = clusters.connect("auto")
    settings = json.dumps({"agent": "random", "search": "greedy", "seed": 1, "max_moves": 1})
    job = connection.open("evaluation", "2048:2x2", settings, b"")
    alone = []
    for number in range(tasks // 5 + 20):
        begin = time.perf_counter()
        job.submit(number, "0 1")
        while not job.answers(1.0):
            pass
        alone.append(time.perf_counter() - begin)
    number = 1_000_000
    row = {"workers": workers, "latency": statistics.median(alone[20:])}
    # As for few workers, and for a thousand.
    for name, outstanding in (("", 2 * workers), ("_1500", 1500)):
        for _ in range(outstanding):
            job.submit(number, "0 1")
            number += 1
        begin, processor, answered = time.perf_counter(), time.process_time(), 0
        while answered < tasks:
            for _ in job.answers(1.0):
                answered += 1
                job.submit(number, "0 1")
                number += 1
        row["per_task" + name] = (time.perf_counter() - begin) / answered
        row["driver" + name] = (time.process_time() - processor) / answered
    job.close()
    # By the clock, for which the machine must be idle: handing out, and reading what is there already.
    job = connection.open("evaluation", "2048:2x2", settings, b"")
    begin = time.perf_counter()
    for number in range(1500):
        job.submit(number, "0 1")
    row["submit"] = (time.perf_counter() - begin) / 1500
    ray.wait(list(job.out), num_returns=1500)
    begin = time.perf_counter()
    answered = len(job.answers(0.0))
    row["answer"] = (time.perf_counter() - begin) / max(1, answered)
    job.close()
    clusters.disconnect()
    return row


def game_seconds(games):
    """The times of single games on one thread, the shortest of five: other programs may run beside it."""
    settings = json.dumps({"agent": AGENT, "search": "greedy", "seed": 2, "max_moves": None})
    work = _native.Work("evaluation", RULES, settings, b"")
    times = []
    for game in range(games):
        tries = []
        for _ in range(5):
            begin = time.perf_counter()
            work.perform(f"{game} 1")
            tries.append(time.perf_counter() - begin)
        times.append(min(tries))
    return times


def bytes_of_trainings():
    """Bytes of tasks and answers per game of the learners."""
    recipes = {
        "[weights]": ("tetris-ce", {"budget.episodes": 3000, "weights.optimiser.population": 30}),
        "[lambda_pi]": ("tetris-lambda-pi", {"budget.episodes": 100}),
        "[cbmpi]": ("tetris-cbmpi", {"budget.episodes": 20, "cbmpi.iteration.states": 500}),
        "[lspi], 20,000 samples": ("1010-lspi", {"budget.episodes": 5, "lspi.samples": 20_000}),
        "[network], 2048-small": ("2048-small", {"budget.episodes": 5000}),
    }
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    connection = clusters.connect("auto")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (recipe, settings) in recipes.items():
            before = connection.sent, connection.received, connection.tasks
            begin = time.perf_counter()
            run = afterstate.train(
                recipe, out=Path(folder) / recipe, settings=settings, cluster="auto", progress=False
            )
            games = run.overview["episodes"]
            rows.append(
                {
                    "what": name,
                    "recipe": recipe,
                    "games": games,
                    "tasks": connection.tasks - before[2],
                    "sent": (connection.sent - before[0]) / games,
                    "received": (connection.received - before[1]) / games,
                    "seconds": time.perf_counter() - begin,
                }
            )
    clusters.disconnect()
    return rows


def strength(recipe, seconds, seed, workers, threads):
    """Scores of agents after so many seconds on threads or on workers, and the moves of their trainings."""
    rows = []
    given = {"seconds": seconds, "seed": seed, "progress": False}

    def train(name, where, count, **options):
        run = afterstate.train(recipe, out=Path(folder) / name, **given, **options)
        played = afterstate.evaluate(str(run.path), games=1000, seed=1_000_000 + seed)
        moves = run.overview["moves"]
        rows.append((where, count, moves, round(played.mean), [round(end) for end in played.interval]))
        print(recipe, f"{seconds} s, seed {seed}:", *rows[-1], flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for count in threads:
            train(f"threads-{count}", "threads", count, threads=count)
        for count in workers:
            ray.init(num_cpus=count, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
            clusters.connect("auto")
            # The processes of the workers are there before the clock runs.
            afterstate.evaluate("greedy", "2048:3x3", games=2000 * count, cluster="auto")
            train(f"workers-{count}", "workers", count, cluster="auto")
            clusters.disconnect()
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--workers", default="1,2,4")
    parser.add_argument("--json", default="cluster.json")
    parser.add_argument("--bytes", action="store_true")
    parser.add_argument("--strength", type=float, metavar="SECONDS")
    parser.add_argument("--recipe", default="2048-small")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--seeds", default="1")
    options = parser.parse_args()
    workers = [int(word) for word in options.workers.split(",")]
    if options.strength:
        threads = [int(word) for word in options.threads.split(",")]
        for seed in map(int, options.seeds.split(",")):
            strength(options.recipe, options.strength, seed, workers, threads)
        return
    if options.bytes:
        print(json.dumps(bytes_of_trainings(), indent=1))
        return
    here = afterstate.evaluate(AGENT, RULES, games=options.games, seed=2, threads=1)
    result = {
        "one_thread": options.games / here.seconds,
        "throughput": [],
        "overhead": overhead(1, 2000),
        "game_seconds": game_seconds(2000),
    }
    for count in workers:
        row = throughput(count, options.games)
        assert row["mean"] == here.mean
        result["throughput"].append(row)
    result["load"] = os.getloadavg()
    Path(options.json).write_text(json.dumps(result))
    times = result.pop("game_seconds")
    result["game"] = {"mean": statistics.mean(times), "deviation": statistics.stdev(times)}
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
