"""Workers, nodes and heads of a Ray cluster that are killed or stopped in the middle of their work."""

import json
import threading

import pytest
from ray_nodes import (
    Nodes,
    agent_bytes,
    alone,
    clusters,
    in_the_middle,
    kill,
    over,
    program,
    stop_worker,
    untimed,
    wait_for,
)

import afterstate

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
            kill(pid)
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
        nodes.kill_head()
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


def test_the_program_plays_on_a_cluster(nodes):
    words = ["eval", "dellacherie", "--game", "tetris:10x10", "--games", "1500", "--json"]
    here, _ = program(*words).communicate(timeout=300)
    playing = program(*words, "--cluster", nodes.address)
    # What Ray says of a lost worker is no part of the JSON.
    lost = []
    wait_for(lambda: lost.append(stop_worker(nodes.nodes[0])) or lost[-1], "no worker does a task")
    kill(lost[-1])
    there, errors = playing.communicate(timeout=300)
    assert there, errors
    assert "A worker died" in errors and "\n\n" not in errors, errors
    results = [json.loads(output) for output in (here, there)]
    assert untimed(results[0]) == untimed(results[1])


#: Learners that exchange weights after games, so that the agent does not depend on the number of workers.
NETWORK = {
    "game": "2048:3x3",
    "seed": 3,
    "budget": {"episodes": 60_000},
    "log": {"window": 5000},
    "network": {"tuples": "0134", "learners": 2, "exchange_games": 3000},
    "phase": [{"method": "tc", "rate": 0.5}],
}


def test_a_killed_node_leaves_the_network_of_its_learners(nodes, tmp_path):
    connection = clusters.connect(nodes.address)
    killed = []

    def kill_node(pid):
        nodes.kill(nodes.nodes[1])
        killed.append(pid)

    thread = in_the_middle(connection, nodes.nodes[1], kill_node)
    run = afterstate.train(NETWORK, out=tmp_path / "disturbed", cluster=nodes.address, progress=False)
    over(thread)
    assert killed and connection.lost > 0
    assert run.metrics["lost tasks"][-1] == connection.lost
    # One worker alone plays the games of both learners.
    lost = connection.lost
    nodes.kill(nodes.nodes[2])
    wait_for(lambda: connection.status()[1] == 1, "the node is still counted")
    quiet = afterstate.train(NETWORK, out=tmp_path / "quiet", cluster=nodes.address, progress=False)
    assert connection.lost == lost
    assert agent_bytes(run) == agent_bytes(quiet)
    # The learners of one machine do not exchange anything.
    assert agent_bytes(run) != agent_bytes(alone(NETWORK, tmp_path / "alone"))


def test_a_killed_node_leaves_the_reports_of_experiments(nodes, tmp_path):
    """Trainings that go whole to a worker, tables of seeds, and games of a player."""
    names = ["chen-figure10", "carr-section6-1", "tetris-dellacherie-10x10"]
    folders = [["--out", tmp_path / where / "results", "--runs", tmp_path / where / "runs"] for where in "ab"]
    alone, errors = program("reproduce", *names, *folders[0], "--json", "--threads", "1").communicate(timeout=600)
    assert alone, errors
    measuring = program("reproduce", *names, *folders[1], "--json", "--cluster", nodes.address)
    stopped = []
    wait_for(lambda: stopped.append(stop_worker(nodes.nodes[0])) or stopped[-1], "no worker does a task")
    nodes.kill(nodes.nodes[0])
    # Of the seeds of the second experiment some are lost, too.
    tables = tmp_path / "b" / "runs"
    wait_for(lambda: list(tables.rglob("carr/*.json")), "no seed came back", 300)
    del stopped[:]
    wait_for(lambda: stopped.append(stop_worker(nodes.nodes[1])) or stopped[-1], "no worker does a task")
    nodes.kill(nodes.nodes[1])
    there, errors = measuring.communicate(timeout=600)
    assert measuring.returncode == 0, errors
    reports = [[untimed(json.loads(line)) for line in output.splitlines()] for output in (alone, there)]
    assert len(reports[0]) == 3 and reports[0] == reports[1]
    files = [
        {path.name: path.read_bytes() for path in (tmp_path / where / "runs").rglob("carr/*.json")} for where in "ab"
    ]
    assert len(files[0]) == 75 and files[0] == files[1]


def begun(words, nodes):
    """The program on a cluster, once a worker does a task."""
    playing = program(*words, "--cluster", nodes.address)
    wait_for(nodes.worker, "no worker does a task")
    return playing


def loses_its_head(nodes, playing):
    nodes.kill_head()
    _, errors = playing.communicate(timeout=120)
    assert playing.returncode == 1 and "has lost its head; run the command again" in errors, errors


def test_a_dead_head_ends_an_evaluation_that_is_played_again(tmp_path):
    words = ["eval", "dellacherie", "--game", "tetris:10x10", "--games", "20000", "--json"]
    expected, _ = program(*words, "--threads", "1").communicate(timeout=600)
    nodes = Nodes(2)
    try:
        loses_its_head(nodes, begun(words, nodes))
    finally:
        nodes.close()
    nodes = Nodes(2)
    try:
        again, errors = program(*words, "--cluster", nodes.address).communicate(timeout=600)
        assert again, errors
    finally:
        nodes.close()
    assert untimed(json.loads(again)) == untimed(json.loads(expected))


def test_a_dead_head_leaves_games_that_are_not_played_again(tmp_path):
    words = ["reproduce", "tetris-dellacherie-10x10", "--full", "--json"]
    folders = [["--out", tmp_path / where / "results", "--runs", tmp_path / where / "runs"] for where in "ab"]

    def games(where):
        files = list((tmp_path / where / "runs").rglob("*.json"))
        return json.loads(files[0].read_text()) if files else {"games": {}}

    def save(found):
        (path,) = (tmp_path / "b" / "runs").rglob("*.json")
        path.write_text(json.dumps(found))

    report, errors = program(*words, *folders[0], "--threads", "1").communicate(timeout=600)
    assert report, errors
    nodes = Nodes(2)
    try:
        playing = begun([*words, *folders[1]], nodes)
        wait_for(lambda: len(games("b")["games"]) > 1, "no games are saved", 300)
        loses_its_head(nodes, playing)
    finally:
        nodes.close()
    before = games("b")
    expected = games("a")["games"]
    assert 1 < len(before["games"]) < len(expected)
    # Other lines than any game can have: they stay if their games are not played again.
    for game in before["games"].values():
        game["lines"] += 0.5
    save(before)
    nodes = Nodes(2)
    try:
        again, errors = program(*words, *folders[1], "--cluster", nodes.address).communicate(timeout=600)
        assert again, errors
    finally:
        nodes.close()
    after = games("b")
    changed = {number for number, game in after["games"].items() if game["lines"] % 1}
    assert changed == set(before["games"])
    for number in changed:
        after["games"][number]["lines"] -= 0.5
    assert after["games"] == expected
    # With the lines that they had, the report is that of one machine, and nothing is played for it.
    save(after)
    again, errors = program(*words, *folders[1], "--threads", "1").communicate(timeout=60)
    assert untimed(json.loads(again)) == untimed(json.loads(report)), errors
    assert games("b") == after
