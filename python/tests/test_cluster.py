"""Games on a real Ray cluster of several nodes on this machine: what is shared out is that of one machine."""

import os
import shutil
import socket
import subprocess
import threading
from pathlib import Path

import pytest
from ray_nodes import agent_bytes, alone, clusters, program, ray, untimed

import afterstate

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
    nodes.add(env_vars=environment)
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
