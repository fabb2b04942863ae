"""A real Ray cluster of several nodes on this machine, some of which are killed.

Ray is large: `cargo xtask python --cluster` installs it and runs the tests with it, elsewhere they are skipped.
"""

import os
import signal
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


#: A node that has not started so often will not start.
MOST_STARTS = 6


def started(start):
    """Starts a node, again if it did not start: Ray ends a node whose agent needs more than 15 seconds, as it does
    on a busy machine, and cannot be told to wait (its issue 65983)."""
    for number in range(1, MOST_STARTS + 1):
        before = set(_children(os.getpid()))
        try:
            return start()
        except Exception as error:
            if "timed out during startup" not in str(error) or number == MOST_STARTS:
                raise
            for pid in set(_children(os.getpid())) - before:
                kill(pid)


class Nodes:
    """A cluster whose head plays no games, so that any other node may be killed."""

    def __init__(self, count, dashboard=False):
        head = {**NODE, "num_cpus": 0, "include_dashboard": dashboard}
        if dashboard:
            # Another one may have the usual port.
            head["dashboard_port"] = 0
        self.cluster = started(lambda: Cluster(initialize_head=True, head_node_args=head))
        self.nodes = []
        try:
            for _ in range(count):
                self.nodes.append(self.add())
        except BaseException:
            self.close()
            raise
        self.address = self.cluster.address

    def add(self, **options):
        """Adds a node."""
        return started(lambda: self.cluster.add_node(**NODE, **options))

    def kill(self, node):
        """Kills the processes of a node, workers included, as a power cut does."""
        raylet = node.all_processes["raylet"][0].process
        children = _children(raylet.pid)
        for pid in [raylet.pid, *children]:
            kill(pid)
        raylet.wait()

    def kill_head(self):
        """Kills the head, so that no node knows of the others."""
        for name in ("gcs_server", "raylet"):
            kill(self.cluster.head_node.all_processes[name][0].process.pid)

    def worker(self, node=None):
        """A worker that does a task, of a node or of any; None if none does any."""
        nodes = self.nodes if node is None else [node]
        return next((pid for node in nodes for pid in workers(node) if works(pid)), None)

    def close(self):
        clusters.disconnect()
        self.cluster.shutdown()


def _children(pid):
    """The processes that a process has started."""
    out = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid="], capture_output=True, text=True)
    return [int(word) for word in out.stdout.split()]


def workers(node):
    """The worker processes of a node."""
    return _children(node.all_processes["raylet"][0].process.pid)


def works(pid, what=b"ray::_work"):
    """Whether a process is a worker that does a task: Ray names it so."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().startswith(what)
    except OSError:
        return False


def stop_worker(node):
    """Stops a worker of a node in the middle of a task; None if none does any."""
    for pid in filter(works, workers(node)):
        kill(pid, signal.SIGSTOP)
        # Its task may have ended before.
        if works(pid):
            return pid
        kill(pid, signal.SIGCONT)
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


def kill(pid, how=signal.SIGKILL):
    try:
        os.kill(pid, how)
    except ProcessLookupError:
        pass


def wait_for(condition, what, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def program(*words, **options):
    command = [sys.executable, "-m", "afterstate", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def agent_bytes(run):
    return (run.path / "agent.safetensors").read_bytes()


def alone(recipe, folder, **options):
    return afterstate.train(recipe, out=folder, threads=1, progress=False, **options)


def untimed(report):
    """A report without what depends on how it was measured."""
    if isinstance(report, dict):
        timed = ("command", "seconds", "threads", "moves_per_second", "machine")
        return {key: untimed(value) for key, value in report.items() if key not in timed}
    return [untimed(value) for value in report] if isinstance(report, list) else report
