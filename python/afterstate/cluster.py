"""Many machines: games of evaluations and trainings as tasks of a Ray cluster.

`connect` makes a cluster that of this process; `evaluate(..., cluster=ADDRESS)`, `train(..., cluster=ADDRESS)`
and `afterstate ... --cluster ADDRESS` do so. Ray decides where tasks run. What is done here: tasks of lost
workers are handed out again, tasks that take much longer than others get a second copy, and nodes with
another version of the package are refused.

Needs Ray: docs/cluster.md installs it.
"""

from __future__ import annotations

import re
import socket
import statistics
import time
from collections import deque
from typing import Any, Deque, Dict, List, Optional, Tuple

from . import _native

__all__ = ["Cluster", "ClusterError", "connect", "disconnect"]

#: A task is handed out again so often when its worker or node is lost; then the task itself is suspected.
MOST_LOSSES = 20

#: A task is copied after this many times the median time of its kind, and this many seconds; after
#: so many seconds if no task of its kind was answered yet. The next copy takes twice as long.
SLOW, SLOW_SECONDS, SLOW_UNKNOWN = 5.0, 5.0, 120.0

#: Seconds between two counts of the nodes, and between two looks for slow tasks.
COUNT_EVERY, LOOK_EVERY = 2.0, 0.2

#: What a worker has prepared: the last job with its number.
_prepared: Tuple[Optional[bytes], Any] = (None, None)


class ClusterError(RuntimeError):
    """A cluster that cannot be reached or cannot do its tasks, in one sentence."""


def _work(identity: str, number: bytes, job: List[Any], task: str) -> Tuple[float, bytes]:
    """Does a task on a worker: the seconds that it took, and the answer."""
    global _prepared
    import ray

    check(identity)
    if _prepared[0] != number:
        # The job is read once, however many of its tasks come here.
        _prepared = (number, _native.Work(*ray.get(job[0])))
    begin = time.perf_counter()
    answer = _prepared[1].perform(task)
    return time.perf_counter() - begin, answer


def check(identity: str) -> None:
    """Refuses work of a program of another version, on a worker."""
    import ray

    found = _native.identity()
    if found != identity:
        raise ClusterError(_other_version(ray.util.get_node_ip_address(), found, identity))


def _identity() -> str:
    return _native.identity()


def _other_version(node: str, found: str, expected: str) -> str:
    return (
        f"the node {node} has {found}, this program is {expected}: "
        "install the same version of afterstate on every node"
    )


#: How a client begins to speak HTTP/2, by which Ray talks: its preface and empty settings, which are frame 4.
_PREFACE, _SETTINGS = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]), 4


def _knock(address: str) -> None:
    """Sees who listens at HOST:PORT: Ray would wait for minutes, or end the program, if it is not Ray."""
    if address in ("auto", "local"):
        return
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdigit():
        raise ValueError("that is neither HOST:PORT, as 192.0.2.1:6379, nor auto nor local")
    with socket.create_connection((host.strip("[]"), int(port)), timeout=10) as connection:
        connection.sendall(_PREFACE)
        answer = connection.recv(9)
    if len(answer) < 4 or answer[3] != _SETTINGS:
        raise ConnectionError("something else than Ray listens there")


class Job:
    """A job of a cluster: hands out its tasks and collects their answers."""

    def __init__(self, cluster: Cluster, job: Tuple[str, str, str, bytes], seconds: Optional[float]):
        self.cluster = cluster
        #: How long a task should take; None if others of its kind tell.
        self.seconds = seconds
        self.ref = cluster.ray.put(job)
        self.number = self.ref.binary()
        #: The tasks in the hands of workers: number, task, when it was handed out, by reference.
        self.out: Dict[Any, Tuple[int, str, float]] = {}
        #: The references of a task, all but the first of copies.
        self.copies: Dict[int, List[Any]] = {}
        self.losses: Dict[int, int] = {}
        #: When slow tasks were looked for.
        self.looked = 0.0
        #: How long the last tasks took: those of earlier jobs tell what is slow in this one.
        self.times = cluster.times.setdefault(job[0], deque(maxlen=200))

    def _hand_out(self, number: int, task: str) -> None:
        cluster = self.cluster
        ref = cluster.work.remote(cluster.identity, self.number, [self.ref], task)
        cluster.sent += len(task)
        self.out[ref] = (number, task, time.monotonic())
        self.copies.setdefault(number, []).append(ref)

    def submit(self, number: int, task: str) -> None:
        """Hands out a task."""
        try:
            self._hand_out(number, task)
        except Exception as error:
            raise self.cluster.sentence(error) from error

    def answers(self, seconds: float) -> List[Tuple[int, float, bytes]]:
        """Waits for answers, at most so long: number, seconds and answer of each."""
        if not self.out:
            return []
        try:
            return self._answers(seconds)
        except Exception as error:
            raise self.cluster.sentence(error) from error

    def _answers(self, seconds: float) -> List[Tuple[int, float, bytes]]:
        cluster, ray = self.cluster, self.cluster.ray
        out = list(self.out)
        # All that are there, or the first one: a call looks at every task, and there may be thousands.
        ready, _ = ray.wait(out, num_returns=len(out), timeout=0)
        if not ready and seconds > 0:
            ready, _ = ray.wait(out, num_returns=1, timeout=seconds)
        answers = []
        for ref in ready:
            if ref not in self.out:  # A copy of one that has just answered.
                continue
            number, task, begin = self.out.pop(ref)
            try:
                took, answer = ray.get(ref)
            except cluster.lost_errors as error:
                self._lost(number, task, ref, error)
                continue
            self.times.append(time.monotonic() - begin)
            cluster.tasks += 1
            cluster.received += len(answer)
            self._drop_copies(number, ref)
            answers.append((number, took, answer))
        self._copy_slow()
        return answers

    def _lost(self, number: int, task: str, ref: Any, error: Exception) -> None:
        """Hands out a task again whose worker or node is gone."""
        self.cluster.lost += 1
        self.losses[number] = self.losses.get(number, 0) + 1
        if self.losses[number] > MOST_LOSSES:
            reason = str(error).strip().splitlines()[0]
            raise ClusterError(f"a task was lost {MOST_LOSSES} times, the last time by: {reason}")
        self.copies[number].remove(ref)
        if not self.copies[number]:
            self._hand_out(number, task)

    def _drop_copies(self, number: int, answered: Any) -> None:
        for ref in self.copies.pop(number):
            if ref is not answered and self.out.pop(ref, None) is not None:
                # One that runs already is not killed: a new process takes longer than most tasks.
                self.cluster.ray.cancel(ref)

    def _copy_slow(self) -> None:
        """Hands out copies of tasks that take much longer than others: the first answer counts."""
        now = time.monotonic()
        if now - self.looked < LOOK_EVERY:
            return
        self.looked = now
        longest = self.seconds or SLOW_UNKNOWN
        if self.times and self.seconds is None:
            longest = max(SLOW * statistics.median(self.times), SLOW_SECONDS)
        for ref, (number, task, begin) in list(self.out.items()):
            copies = self.copies[number]
            if ref is copies[-1] and now - begin > longest * 2 ** (len(copies) - 1):
                self.cluster.copied += 1
                self._hand_out(number, task)

    def close(self) -> None:
        """Drops the tasks that are not answered."""
        for ref in self.out:
            try:
                self.cluster.ray.cancel(ref)
            except Exception:  # The cluster may be gone.
                pass
        self.out.clear()


class Cluster:
    """A connection to a Ray cluster.

    Args:
        address: "HOST:PORT" of the head, as `ray start --head` prints it; "auto" for the cluster that
            this machine is a node of; "local" for a new one on this machine alone.
    """

    def __init__(self, address: str):
        try:
            # A folder with that name, such as Ray's own in /tmp, can be imported, too.
            import ray
            from ray import exceptions
        except ImportError:
            message = 'a cluster needs Ray: pip install "ray[default,tune]"'
            raise ClusterError(message) from None

        self.ray, self.address, self.identity = ray, address, _native.identity()
        self.lost_errors = (
            exceptions.WorkerCrashedError,
            exceptions.NodeDiedError,
            exceptions.ObjectLostError,
            exceptions.OutOfMemoryError,
            exceptions.LocalRayletDiedError,
        )
        #: Tasks that were answered, lost and copied; bytes of tasks and of answers.
        self.tasks = self.lost = self.copied = self.sent = self.received = 0
        #: How long the last tasks of each kind of job took.
        self.times: Dict[str, Deque[float]] = {}
        self._counted, self._count = 0.0, (0, 0)
        self.dashboard: Optional[str] = None
        own = not ray.is_initialized()
        try:
            _knock(address)
            context = ray.init(
                address=address,
                log_to_driver=False,
                logging_level="ERROR",
                ignore_reinit_error=True,
            )
        except Exception as error:
            # Without the number of the error.
            reason = _first_sentence(getattr(error, "strerror", None) or str(error)) or type(error).__name__
            raise ClusterError(
                f"no Ray cluster can be reached at {address!r}: {reason}; `ray start --head` starts one "
                "and prints its address"
            ) from error
        url = getattr(context, "dashboard_url", None)
        self.dashboard = f"http://{url}" if url else None
        # A lost task is counted and handed out again here; an error of the task itself is its answer.
        self.work = ray.remote(_work).options(max_retries=0, scheduling_strategy="SPREAD")
        try:
            self._check_nodes()
        except ClusterError:
            if own:
                ray.shutdown()
            raise

    def _check_nodes(self) -> None:
        """Refuses nodes whose package is another version, or missing."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        ask = self.ray.remote(_identity)
        asked = []
        for node in self.ray.nodes():
            if node["Alive"]:
                here = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
                options = ask.options(num_cpus=0, scheduling_strategy=here)
                asked.append((node["NodeManagerAddress"], options.remote()))
        for address, ref in asked:
            try:
                found = self.ray.get(ref, timeout=120)
            except Exception as error:
                if "No module named" in str(error) or "failed to import" in str(error):
                    raise ClusterError(
                        f"the node {address} has no package afterstate: install it on every node, as "
                        "docs/cluster.md says"
                    ) from error
                raise self.sentence(error) from error
            if found != self.identity:
                raise ClusterError(_other_version(address, found, self.identity))

    def open(
        self, kind: str, rules: str, settings: str, data: bytes, seconds: Optional[float] = None
    ) -> Job:
        """Tells all machines a job, whose tasks should take at most so many seconds."""
        try:
            return Job(self, (kind, rules, settings, data), seconds)
        except Exception as error:
            raise self.sentence(error) from error

    def status(self) -> Tuple[int, int, int, int, int, Optional[str]]:
        """Nodes, workers, tasks answered, lost and copied, and the address of the dashboard."""
        now = time.monotonic()
        if now - self._counted > COUNT_EVERY:
            try:
                alive = [node for node in self.ray.nodes() if node["Alive"]]
                workers = sum(int(node["Resources"].get("CPU", 0)) for node in alive)
                self._counted, self._count = now, (len(alive), workers)
            except Exception:  # What is lost is told by the tasks.
                pass
        return (*self._count, self.tasks, self.lost, self.copied, self.dashboard)

    def sentence(self, error: Exception) -> ClusterError:
        """An error of Ray, or of a task, in one sentence."""
        if isinstance(error, ClusterError):
            return error
        cause = getattr(error, "cause", None)
        if isinstance(cause, (ClusterError, ValueError)):
            return ClusterError(str(cause))
        # What ended an actor while it began is in the text of its traceback only.
        ours = re.findall(r"(?m)^(?:\w+\.)*(?:ClusterError|ValueError): (.+)$", str(error))
        if ours:
            return ClusterError(ours[-1])
        text = _first_sentence(str(cause or error)) or type(error).__name__
        return ClusterError(f"the cluster at {self.address!r} fails: {text}")


def _first_sentence(text: str) -> str:
    """The first line of an error of Ray, or all of it where that line announces the others; of a traceback, what
    it ends with."""
    lines = text.strip().splitlines()
    if "Traceback (most recent call last)" in text:
        return re.sub(r"^(\w+\.)*\w*(Error|Exception): ", "", lines[-1].strip())
    return " ".join(text.split()) if lines and lines[0].endswith(":") else "".join(lines[:1])


_connected: Optional[Cluster] = None


def connect(address: str = "auto") -> Cluster:
    """Makes a cluster that of this process. A second call with the same address does nothing.

    Raises:
        ClusterError: It cannot be reached, Ray is missing, or a node has another version.
    """
    global _connected
    if _connected is not None and _connected.address == address and _connected.ray.is_initialized():
        return _connected
    disconnect()
    _connected = Cluster(address)
    _native.connect_cluster(_connected)
    return _connected


def disconnect() -> None:
    """Leaves the cluster of this process; one that `connect("local")` has started ends."""
    global _connected
    if _connected is not None:
        _connected.ray.shutdown()
        _connected = None
