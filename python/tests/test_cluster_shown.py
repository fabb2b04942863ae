"""What people see of a training on a real cluster: the terminal, the data of the page, Ray's dashboard; and the
program that cargo builds, which runs that of the package."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
import urllib.request

import pytest
from ray_nodes import Nodes, agent_bytes, alone, program, ray, stop_worker, untimed, wait_for

import afterstate

RECIPE = """game = "tetris:8x10"
seed = 3
[budget]
seconds = 600
[log]
window = 20
[weights]
features = "dt"
games = { count = 10, early = 0, max_score = 5000 }
optimiser = { method = "cross_entropy", population = 20, elite = 4, spread = 10 }
"""


class Terminal:
    """A program in a terminal of 200 columns, and all that it has written there."""

    def __init__(self, *words):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 40, 200, 0, 0))
        command = [sys.executable, "-m", "afterstate", *map(str, words)]
        self.process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
        )
        os.close(theirs)
        self.text, self.ours = "", ours
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        while True:
            try:
                more = os.read(self.ours, 1 << 16)
            except OSError:  # The last program that had it is over.
                return
            self.text += more.decode(errors="replace")

    def find(self, pattern):
        return re.search(pattern, self.text)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.ours)


def asked(url, body=None):
    """The answer of a server: JSON of its data, or the text of a page."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read().decode()
    return json.loads(text) if "json" in answer.headers["Content-Type"] else text


def test_a_training_shows_workers_losses_and_the_dashboard(tmp_path):
    recipe = tmp_path / "shown.toml"
    recipe.write_text(RECIPE)
    runs = tmp_path / "runs"
    runs.mkdir()
    nodes = Nodes(3, dashboard=True)
    server = program("serve", "--port", "0", "--runs", runs, "--json")
    page = json.loads(server.stdout.readline())["url"].rstrip("/")
    terminal = Terminal("train", recipe, "--out", runs / "shown", "--cluster", nodes.address)
    try:
        first = r"tetris:8x10 on 3 workers of 4 nodes \((http://127\.0\.0\.1:\d+)\), in "
        wait_for(lambda: terminal.find(first), "no first line")
        dashboard = terminal.find(first)[1]
        # The link leads to Ray's own page, and to this Ray.
        assert "<title>Ray Dashboard</title>" in asked(dashboard)
        assert asked(f"{dashboard}/api/version")["ray_version"] == ray.__version__

        def run():
            (run,) = asked(f"{page}/api/runs")
            return run

        wait_for(lambda: run().get("extra", {}).get("workers") == 3, "the page has no workers")
        seen = run()
        assert seen["state"] == "running" and seen["dashboard"] == dashboard, seen
        assert seen["extra"]["games/s"] > 0 and seen["extra"]["lost tasks"] == 0, seen
        bar = r"\d+% .*, mean [\d.,]+, workers 3, games/s [\d.,]+, lost tasks 0, "
        wait_for(lambda: terminal.find(bar), "the bar has no workers")
        stopped = []
        node = nodes.nodes[1]
        wait_for(lambda: stopped.append(stop_worker(node)) or stopped[-1], "no worker does a task")
        nodes.kill(node)
        wait_for(lambda: run()["extra"]["lost tasks"] > 0, "the page has no lost task")
        wait_for(lambda: run()["extra"]["workers"] == 2, "the page has the workers of the lost node")
        bar = r"\d+% .*, mean [\d.,]+, workers 2, games/s [\d.,]+, lost tasks [1-3], "
        wait_for(lambda: terminal.find(bar), "the bar has no lost task")
        asked(f"{page}/api/runs/shown/stop", {})
        assert terminal.process.wait(120) == 0, terminal.text
        resume = f"Stopped and saved. Resume with: afterstate train --resume {runs / 'shown'} --cluster {nodes.address}"
        wait_for(lambda: resume in terminal.text, terminal.text, 10)
        # A run that nobody trains has no cluster, and keeps what was lost in its metrics.
        seen = run()
        assert seen["state"] == "stopped" and "dashboard" not in seen, seen
        assert afterstate.Run(runs / "shown").metrics["lost tasks"][-1] > 0
    finally:
        terminal.close()
        server.kill()
        server.wait()
        nodes.close()


def test_the_program_of_cargo_runs_that_of_the_package(nodes, tmp_path):
    """`cargo xtask python --cluster` builds it, too."""
    cargo = os.environ.get("AFTERSTATE_PROGRAM")
    if cargo is None:
        pytest.skip("AFTERSTATE_PROGRAM names no program that cargo has built")
    environment = {**os.environ, "AFTERSTATE_PYTHON": sys.executable}

    def ran(*words, **changed):
        command = [cargo, *map(str, words)]
        done = subprocess.run(
            command, capture_output=True, text=True, env={**environment, **changed}, timeout=300
        )
        return done.returncode, done.stdout, done.stderr

    words = ["eval", "dellacherie", "--game", "tetris:10x10", "--games", "300", "--json"]
    here = ran(*words)
    there = ran(*words, "--cluster", nodes.address)
    assert here[0] == there[0] == 0, (here, there)
    assert untimed(json.loads(here[1])) == untimed(json.loads(there[1]))
    recipe = tmp_path / "small.toml"
    recipe.write_text(RECIPE.replace("seconds = 600", "episodes = 400"))
    words = ["train", recipe, "--out", tmp_path / "run", "--eval-games", "0", f"--cluster={nodes.address}"]
    code, output, errors = ran(*words)
    assert code == 0 and "tetris:8x10 on 3 workers of 4 nodes, in " in output, (output, errors)
    assert agent_bytes(afterstate.Run(tmp_path / "run")) == agent_bytes(alone(recipe, tmp_path / "alone"))
    # Its exit codes and sentences are those of the program of the package.
    code, output, errors = ran(*words)
    assert code == 1 and output == "" and "already has a run" in errors, errors
    code, output, errors = ran("eval", "greedy", "--game", "2048", "--cluster", "127.0.0.1:1")
    assert code == 1 and output == "" and "no Ray cluster can be reached at '127.0.0.1:1'" in errors, errors
    # A Python without the package, or with another version of it.
    for name, text, sentence in (
        ("none", "raise ImportError(name='afterstate')", "has no afterstate"),
        ("other", "def identity(): return 'afterstate 0.0.1 (0)'", "has the package afterstate 0.0.1, this program is"),
    ):
        package = tmp_path / name / "afterstate"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(text if name == "none" else "")
        (package / "_native.py").write_text(text)
        code, output, errors = ran(*words, PYTHONPATH=str(package.parent))
        assert code == 1 and sentence in errors and errors.count("\n") == 1, errors
