"""Games on a real Ray cluster of several nodes on this machine, some of which are killed.

Ray is large: `cargo xtask python --cluster` installs it and runs these tests, elsewhere they are skipped.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import afterstate

ray = pytest.importorskip("ray")

from ray.cluster_utils import Cluster  # noqa: E402

from afterstate import cluster as clusters  # noqa: E402

#: A node that is gone is noticed within seconds, and so is a head.
os.environ["RAY_health_check_period_ms"] = "500"
os.environ["RAY_health_check_initial_delay_ms"] = "500"
os.environ["RAY_health_check_failure_threshold"] = "10"
os.environ["RAY_gcs_rpc_server_reconnect_timeout_s"] = "5"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_worker_niceness"] = "0"

NODE = {"num_cpus": 1, "object_store_memory": 80 << 20}


class Nodes:
    """A cluster whose head plays no games, so that any other node may be killed."""

    def __init__(self, count):
        self.cluster = Cluster(
            initialize_head=True,
            head_node_args={**NODE, "num_cpus": 0, "include_dashboard": False},
        )
        self.nodes = [self.cluster.add_node(**NODE) for _ in range(count)]
        self.address = self.cluster.address

    def kill(self, node):
        """Kills the processes of a node, workers included, as a power cut does."""
        raylet = node.all_processes["raylet"][0].process
        children = _children(raylet.pid)
        for pid in [raylet.pid, *children]:
            _kill(pid, signal.SIGKILL)
        raylet.wait()

    def close(self):
        clusters.disconnect()
        self.cluster.shutdown()


def _children(pid):
    """The processes that a process has started."""
    out = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid="], capture_output=True, text=True)
    return [int(word) for word in out.stdout.split()]


def _works(pid):
    """Whether a process is a worker that does a task: Ray names it so."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::_work")
    except OSError:
        return False


def stop_worker(node):
    """Stops a worker of a node in the middle of a task; None if none does any."""
    for pid in filter(_works, _children(node.all_processes["raylet"][0].process.pid)):
        _kill(pid, signal.SIGSTOP)
        # Its task may have ended before.
        if _works(pid):
            return pid
        _kill(pid, signal.SIGCONT)
    return None


def in_the_middle(connection, node, then):
    """A thread that stops a worker of a node, once tasks were answered, and then does more with it."""

    def watch():
        tasks = connection.tasks
        wait_for(lambda: connection.tasks > tasks + 3, "no task was answered")
        stopped = []
        wait_for(lambda: stopped.append(stop_worker(node)) or stopped[-1], "no worker does a task")
        then(stopped[-1])

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def over(thread):
    """Waits for a thread: a cluster that holds it up for ever fails the test."""
    thread.join(300)
    assert not thread.is_alive(), "it waits for ever"


def _kill(pid, how):
    try:
        os.kill(pid, how)
    except ProcessLookupError:
        pass


def wait_for(condition, what, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)


@pytest.fixture
def nodes():
    made = Nodes(3)
    yield made
    made.close()


CE = {
    "game": "tetris:8x10",
    "seed": 3,
    "budget": {"episodes": 600},
    "log": {"checkpoint_seconds": 0.2},
    "weights": {
        "features": "dt",
        "games": {"count": 10, "early": 0, "max_score": 2000},
        "optimiser": {"method": "cross_entropy", "population": 20, "elite": 4, "spread": 10},
    },
}

OTHERS = {
    "lambda_pi": {
        "game": "tetris:8x10",
        "budget": {"episodes": 90},
        "lambda_pi": {"features": "bertsekas", "games": 30, "max_moves": 1000},
    },
    "cbmpi": {
        "game": "tetris:8x10",
        "budget": {"episodes": 8},
        "cbmpi": {
            "features": "dt",
            "values": "bertsekas",
            "games": 4,
            "max_moves": 300,
            "iteration": {"states": 60, "classifier": 5},
        },
    },
    "lspi": {
        "game": "1010:6x6,pieces=7",
        "budget": {"episodes": 3},
        "lspi": {"features": "tang", "samples": 2000},
    },
    "evaluation": {
        "game": "tetris:8x10",
        "budget": {"episodes": 60},
        "evaluation": {"agent": "dellacherie"},
    },
}


def agent_bytes(run):
    return (run.path / "agent.safetensors").read_bytes()


def alone(recipe, folder):
    return afterstate.train(recipe, out=folder, threads=1, progress=False)


def test_evaluations_and_trainings_are_those_of_one_machine(nodes, tmp_path, network_file):
    for agent, rules, search in [
        ("dellacherie", "tetris:10x10", None),
        (network_file, None, None),
        (network_file, None, "expectimax:2"),
    ]:
        here = afterstate.evaluate(agent, rules, games=200, search=search, seed=5)
        there = afterstate.evaluate(
            agent, rules, games=200, search=search, seed=5, cluster=nodes.address
        )
        assert (here.scores == there.scores).all()
        assert (here.mean, here.interval, here.moves) == (there.mean, there.interval, there.moves)
    for name, recipe in OTHERS.items():
        here = alone(recipe, tmp_path / f"{name}-here")
        there = afterstate.train(
            recipe, out=tmp_path / f"{name}-there", cluster=nodes.address, progress=False
        )
        assert agent_bytes(here) == agent_bytes(there), name
    with pytest.raises(ValueError, match="without --cluster"):
        afterstate.train("contour4", out=tmp_path / "table", cluster=nodes.address, episodes=5)


def test_a_killed_node_costs_only_its_unfinished_tasks(nodes, tmp_path):
    recipe = {**CE, "budget": {"episodes": 3000}}
    expected = agent_bytes(alone(recipe, tmp_path / "alone"))
    undisturbed = afterstate.train(
        recipe, out=tmp_path / "undisturbed", cluster=nodes.address, progress=False
    )
    assert agent_bytes(undisturbed) == expected
    connection = clusters.connect(nodes.address)
    assert connection.lost == 0
    killed = []

    def kill(pid):
        nodes.kill(nodes.nodes[1])
        killed.append(pid)

    thread = in_the_middle(connection, nodes.nodes[1], kill)
    run = afterstate.train(
        recipe, out=tmp_path / "disturbed", cluster=nodes.address, progress=False
    )
    over(thread)
    # A node has one processor: that of the task it did, and those that were on their way to it.
    assert killed and 0 < connection.lost <= 3
    assert agent_bytes(run) == expected
    assert run.metrics["lost tasks"][-1] == connection.lost
    assert run.metrics["workers"][0] == 3
    wait_for(lambda: connection.status()[:2] == (3, 2), "the node is still counted")


def test_a_stopped_worker_does_not_hold_the_others(nodes, monkeypatch):
    monkeypatch.setattr(clusters, "SLOW_SECONDS", 2.0)
    monkeypatch.setattr(clusters, "SLOW", 3.0)
    connection = clusters.connect(nodes.address)
    settings = {"games": 1500, "seed": 2, "moves": 2000}
    expected = afterstate.evaluate("dellacherie", "tetris:10x10", **settings)
    stopped, found = [], []

    def evaluate():
        found.append(afterstate.evaluate("dellacherie", "tetris:10x10", cluster=nodes.address, **settings))

    threads = [
        in_the_middle(connection, nodes.nodes[0], stopped.append),
        threading.Thread(target=evaluate, daemon=True),
    ]
    threads[1].start()
    try:
        for thread in threads:
            over(thread)
    finally:
        for pid in stopped:
            _kill(pid, signal.SIGKILL)
    assert stopped and connection.copied > 0
    assert (found[0].scores == expected.scores).all()


def test_a_task_that_takes_longer_than_it_should_gets_a_copy(nodes):
    connection = clusters.connect(nodes.address)
    limit = 20_000_000
    settings = json.dumps({"agent": "tetris-10x20", "search": "greedy", "seed": 1, "max_moves": limit})
    # No other task of its kind was answered, so that only its own limit tells that it is slow.
    job = connection.open("evaluation", "tetris:10x20", settings, b"", 0.2)
    job.submit(0, "0 1")
    answers = []
    wait_for(lambda: answers.extend(job.answers(0.1)) or answers, "no answer")
    assert connection.copied > 0 and len(answers) == 1
    (moves,) = [game[1] for game in json.loads(answers[0][2])]
    assert moves == limit
    job.close()


def test_another_version_is_refused(nodes, tmp_path):
    installed = Path(afterstate.__file__).parent
    copy = tmp_path / "other" / "afterstate"
    shutil.copytree(installed, copy)
    (copy / "cluster.py").write_text(
        (copy / "cluster.py").read_text().replace(
            "return _native.identity()", "return 'afterstate 0.0.1 (0)'"
        ).replace("found = _native.identity()", "found = 'afterstate 0.0.1 (0)'")
    )
    # A node that joins later is refused by its first task.
    clusters.connect(nodes.address)
    environment = {"PYTHONPATH": str(copy.parent)}
    nodes.cluster.add_node(**NODE, env_vars=environment)
    with pytest.raises(ValueError, match=r"has afterstate 0\.0\.1 .*install the same version"):
        for seed in range(20):
            # Enough work for every node.
            afterstate.evaluate(
                "dellacherie", "tetris:10x10", games=1000, seed=seed, moves=2000, cluster=nodes.address
            )
    # One that is there already is refused at once.
    clusters.disconnect()
    with pytest.raises(clusters.ClusterError, match=r"has afterstate 0\.0\.1 .*install the same"):
        clusters.connect(nodes.address)


def program(*words, **options):
    command = [sys.executable, "-m", "afterstate", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def test_a_dead_head_leaves_a_run_that_resumes(tmp_path):
    recipe = tmp_path / "ce.toml"
    weights = CE["weights"]
    # Long enough for the head to die in the middle.
    recipe.write_text(
        'game = "tetris:8x10"\nseed = 3\n[budget]\nepisodes = 3000\n[log]\ncheckpoint_seconds = 0.2\n'
        f'[weights]\nfeatures = "dt"\ngames = {{ count = 10, early = 0, max_score = 2000 }}\n'
        f"optimiser = {{ method = \"cross_entropy\", population = 20, elite = 4, spread = 10 }}\n"
    )
    assert weights["games"]["count"] == 10
    nodes = Nodes(2)
    run = tmp_path / "run"
    try:
        training = program("train", recipe, "--out", run, "--cluster", nodes.address)
        metrics = run / "metrics.jsonl"
        wait_for(lambda: metrics.exists() and metrics.read_text(), "no iteration ended")
        wait_for((run / "checkpoint.safetensors").exists, "no checkpoint")
        head = nodes.cluster.head_node
        for name in ("gcs_server", "raylet"):
            _kill(head.all_processes[name][0].process.pid, signal.SIGKILL)
        _, errors = training.communicate(timeout=120)
        assert training.returncode == 1 and "has lost its head; a training goes on" in errors, errors
    finally:
        nodes.close()
    assert 0 < afterstate.Run(run).overview["episodes"] < 3000
    resumed = program("train", "--resume", run, "--threads", "1", "--eval-games", "0")
    output, errors = resumed.communicate(timeout=300)
    assert resumed.returncode == 0, errors
    expected = alone({**CE, "budget": {"episodes": 3000}}, tmp_path / "alone")
    assert agent_bytes(afterstate.Run(run)) == agent_bytes(expected)


def test_a_dead_head_ends_evaluations_and_experiments_that_go_on(tmp_path):
    eval_words = ["eval", "dellacherie", "--game", "tetris:10x10", "--games", "200000"]
    folder = ["--out", tmp_path / "results", "--runs", tmp_path / "runs"]
    name = "tetris-dellacherie-10x10"
    for words in (eval_words, ["reproduce", name, "--full", *folder]):
        nodes = Nodes(2)
        try:
            playing = program(*words, "--cluster", nodes.address)
            raylets = [node.all_processes["raylet"][0].process.pid for node in nodes.nodes]
            wait_for(lambda: any(map(_works, sum(map(_children, raylets), []))), "no worker does a task")
            if words[0] == "reproduce":
                wait_for(lambda: list((tmp_path / "runs").rglob("*.json")), "no game is saved", 300)
            head = nodes.cluster.head_node
            for process in ("gcs_server", "raylet"):
                _kill(head.all_processes[process][0].process.pid, signal.SIGKILL)
            _, errors = playing.communicate(timeout=120)
            assert playing.returncode == 1 and "has lost its head; run the command again" in errors, errors
        finally:
            nodes.close()
    # The games that were saved are not played again.
    (saved,) = (tmp_path / "runs").rglob("*.json")
    before = len(json.loads(saved.read_text())["games"])
    assert before > 0


def test_the_program_plays_on_a_cluster(nodes):
    words = ["eval", "dellacherie", "--game", "tetris:10x10", "--games", "1500", "--json"]
    here, _ = program(*words).communicate(timeout=300)
    playing = program(*words, "--cluster", nodes.address)
    # What Ray says of a lost worker is no part of the JSON.
    lost = []
    wait_for(lambda: lost.append(stop_worker(nodes.nodes[0])) or lost[-1], "no worker does a task")
    _kill(lost[-1], signal.SIGKILL)
    there, errors = playing.communicate(timeout=300)
    assert there, errors
    assert "A worker died" in errors and "\n\n" not in errors, errors
    results = [json.loads(output) for output in (here, there)]
    assert untimed(results[0]) == untimed(results[1])


def test_experiments_are_reproduced_on_a_cluster(nodes, tmp_path):
    """Games of a learner, games of a player, and whole trainings."""
    names = ["tetris-lambda-pi", "tetris-dellacherie-10x10", "chen-figure10"]
    reports = []
    for where in ({"threads": 1}, {"cluster": nodes.address}):
        folder = tmp_path / str(len(reports))
        measured = afterstate.reproduce(names, out=folder / "results", runs=folder / "runs", **where)
        assert [report["name"] for report in measured] == names
        machines = [report["trainings"][0]["machine"] for report in measured]
        assert all(("cluster; driver: " in machine) == ("cluster" in where) for machine in machines), machines
        reports.append([untimed(report) for report in measured])
    assert reports[0] == reports[1]


def untimed(report):
    """A report without what depends on how it was measured."""
    if isinstance(report, dict):
        timed = ("command", "seconds", "threads", "moves_per_second", "machine")
        return {key: untimed(value) for key, value in report.items() if key not in timed}
    return [untimed(value) for value in report] if isinstance(report, list) else report


def test_what_is_missing_is_told_in_a_sentence():
    with pytest.raises(clusters.ClusterError, match="no Ray cluster can be reached at '127.0.0.1:1'"):
        clusters.connect("127.0.0.1:1")
    for address in ("", "localhost", "somewhere:", ":6379"):
        with pytest.raises(clusters.ClusterError, match="that is neither HOST:PORT"):
            clusters.connect(address)
    refused = program("eval", "greedy", "--game", "2048", "--cluster", "127.0.0.1:1")
    _, errors = refused.communicate(timeout=300)
    assert refused.returncode == 1
    assert "no Ray cluster can be reached at '127.0.0.1:1'" in errors


def test_another_version_of_ray_is_told_whole(monkeypatch):
    text = "Version mismatch: The cluster was started with:\n    Ray: 2.40.0\nThis process was started with:\n    Ray: 9"

    def refuse(**_):
        raise RuntimeError(text)

    monkeypatch.setattr(clusters, "_knock", lambda address: None)
    monkeypatch.setattr(ray, "init", refuse)
    with pytest.raises(clusters.ClusterError, match=r"started with: Ray: 2\.40\.0 This process .* Ray: 9"):
        clusters.connect("127.0.0.1:1")


def test_what_is_not_ray_is_told_at_once():
    for answer in (b"HTTP/1.0 400 Bad Request\r\n\r\n", b""):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            address = "127.0.0.1:%d" % listener.getsockname()[1]

            def speak(answer=answer):
                connection, _ = listener.accept()
                with connection:
                    connection.recv(100)
                    connection.sendall(answer)

            thread = threading.Thread(target=speak)
            thread.start()
            with pytest.raises(clusters.ClusterError, match="something else than Ray listens there"):
                clusters.connect(address)
            thread.join()


def test_a_sweep_leaves_runs(nodes, tmp_path, capfd):
    pytest.importorskip("ray.tune")
    from afterstate.sweep import sweep

    told = []
    runs = sweep(
        "2048-3x3",
        {"phase.0.rate": [0.01, 0.5]},
        seeds=[1, 2],
        settings={"budget.episodes": 400, "network.tuples": "0134", "log.window": 50},
        cluster=nodes.address,
        steps=4,
        games=20,
        name="rates",
        out=tmp_path / "runs",
        progress=told.append,
    )
    assert len(runs) == 4 == len(list((tmp_path / "runs").iterdir()))
    assert told[-1]["over"] == told[-1]["trials"] == 4 and told[-1]["fraction"] == 1
    assert "best mean" in " ".join(told[-1]["parts"])
    assert capfd.readouterr().out == ""
    means = [run.metrics["mean"][-1] for run in runs]
    assert means == sorted(means, reverse=True)
    best = runs[0]
    assert best.finished and best.agent.card["strength"]["games"] == 20
    listed, _ = program("runs", "--json", *(run.path for run in runs)).communicate(timeout=60)
    assert len(listed.splitlines()) == 4
    chart = tmp_path / "rates.svg"
    plotted = program("plot", *(run.path for run in runs), "--out", chart)
    assert plotted.wait(60) == 0 and chart.read_text().startswith("<svg")


def test_trials_that_are_behind_end_early_and_can_be_resumed(nodes, tmp_path):
    pytest.importorskip("ray.tune")
    from ray.tune.schedulers import PopulationBasedTraining

    from afterstate.sweep import sweep

    settings = {"budget.episodes": 150_000, "network.tuples": "0134", "log.window": 5000}
    space = {"phase.0.rate": [0.5, 0.3, 0.000001, 0.000002]}
    given = {"settings": settings, "cluster": nodes.address, "games": 0, "out": tmp_path / "runs"}
    runs = sweep("2048-3x3", space, seeds=[1], steps=10, progress=False, **given)
    ended = [run for run in runs if not run.finished]
    assert 0 < len(ended) < 4
    resumed = afterstate.train(resume=ended[0].path, threads=1, progress=False)
    assert resumed.finished
    # Once more: what is finished is not trained again, and the others go on.
    before = {run.path: agent_bytes(run) for run in runs if run.finished}
    again = sweep("2048-3x3", space, seeds=[1], steps=10, scheduler=None, progress=False, **given)
    assert len(again) == 4 and all(run.finished for run in again)
    assert before.items() <= {run.path: agent_bytes(run) for run in again}.items()
    # Another recipe with the same name does not take their place.
    other = afterstate._native.recipe_table("2048-3x3")
    other["log"]["checkpoint_seconds"] = 77.0
    with pytest.raises(clusters.ClusterError, match="is a run of another recipe: give the sweep another name"):
        sweep(other, space, seeds=[1], name="2048-3x3", progress=False, **given)
    assert before == {path: agent_bytes(afterstate.Run(path)) for path in before}
    with pytest.raises(ValueError, match="give more seeds instead"):
        sweep("2048-3x3", space, samples=2, **given)
    with pytest.raises(ValueError, match="population-based training changes the settings"):
        sweep("2048-3x3", space, scheduler=PopulationBasedTraining(), **given)


def test_names_of_trials_differ():
    from afterstate.sweep import _trial_name

    names = [
        _trial_name("a", settings)
        for settings in (
            {"rate": 0.1},
            {"rate": 0.12345678},
            {"rate": 0.12345679},
            {"phase.0.rate": 0.1, "phase.1.rate": 0.2},
            {"phase.0.rate": 0.2, "phase.1.rate": 0.1},
            {"text": "x" * 300},
            {"text": "x" * 299 + "y"},
        )
    ]
    assert names[0] == "a-rate=0.1"
    assert len(set(names)) == len(names) and all(len(name) <= 200 for name in names)


def test_a_sweep_goes_on_without_a_lost_node(nodes, tmp_path):
    pytest.importorskip("ray.tune")
    from afterstate.sweep import sweep

    settings = {"budget.episodes": 6000, "network.tuples": "0134", "log.window": 500}
    out = tmp_path / "runs"

    def trial(node):
        for pid in _children(node.all_processes["raylet"][0].process.pid):
            if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::Trial"):
                return pid
        return None

    killed = []

    def kill():
        wait_for(lambda: list(out.glob("*/checkpoint.safetensors")), "no step ended")
        wait_for(lambda: any(trial(node) for node in nodes.nodes[1:]), "no trial runs")
        node = next(node for node in nodes.nodes[1:] if trial(node))
        nodes.kill(node)
        killed.append(node)

    thread = threading.Thread(target=kill)
    thread.start()
    # The driver is on the first node.
    runs = sweep(
        "2048-3x3",
        {},
        seeds=[1, 2, 3],
        settings=settings,
        cluster=nodes.address,
        scheduler=None,
        steps=8,
        games=0,
        out=out,
    )
    over(thread)
    assert killed and len(runs) == 3
    for run in runs:
        seed = int(run.path.name.rpartition("=")[2])
        expected = afterstate.train(
            "2048-3x3", out=tmp_path / f"alone-{seed}", settings=settings, seed=seed, threads=1, progress=False
        )
        assert run.finished and agent_bytes(run) == agent_bytes(expected)
