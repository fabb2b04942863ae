"""Speeds on a Ray cluster of this machine: games a second by workers, what a task costs, bytes a game.

Run it with the Python that `cargo xtask python --cluster` leaves, on an idle machine:
target/python-cluster/bin/python python/cluster/measure.py [--games N] [--workers 1,2,4] [--json FILE]
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
    begin = time.perf_counter()
    played = afterstate.evaluate(AGENT, RULES, games=games, seed=2, cluster="auto")
    seconds = time.perf_counter() - begin
    row = {
        "workers": workers,
        "games": games,
        "seconds": seconds,
        "games_per_second": games / seconds,
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
    begin, answered, number = time.perf_counter(), 0, 1_000_000
    processor = time.process_time()
    for _ in range(2 * workers):
        job.submit(number, "0 1")
        number += 1
    while answered < tasks:
        for _ in job.answers(1.0):
            answered += 1
            job.submit(number, "0 1")
            number += 1
    each = (time.perf_counter() - begin) / answered
    driver = (time.process_time() - processor) / answered
    job.close()
    clusters.disconnect()
    latency = statistics.median(alone[20:])
    return {"workers": workers, "latency": latency, "per_task": each, "driver": driver}


def game_seconds(games):
    """The times of single games on one thread, of its processor: other programs may run beside it."""
    settings = json.dumps({"agent": AGENT, "search": "greedy", "seed": 2, "max_moves": None})
    work = _native.Work("evaluation", RULES, settings, b"")
    times = []
    for game in range(games):
        begin = time.thread_time()
        work.perform(f"{game} 1")
        times.append(time.thread_time() - begin)
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--workers", default="1,2,4")
    parser.add_argument("--json", default="cluster.json")
    options = parser.parse_args()
    here = afterstate.evaluate(AGENT, RULES, games=options.games, seed=2, threads=1)
    result = {
        "one_thread": options.games / here.seconds,
        "throughput": [],
        "overhead": overhead(1, 2000),
        "game_seconds": game_seconds(2000),
        "bytes": bytes_of_trainings(),
    }
    for workers in map(int, options.workers.split(",")):
        row = throughput(workers, options.games)
        assert row["mean"] == here.mean
        result["throughput"].append(row)
    result["load"] = os.getloadavg()
    Path(options.json).write_text(json.dumps(result))
    times = result.pop("game_seconds")
    result["game"] = {"mean": statistics.mean(times), "deviation": statistics.stdev(times)}
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
