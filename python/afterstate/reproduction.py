"""Published tables and figures, measured again: what `afterstate reproduce` does, as data."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from os import PathLike
from typing import Any, Dict, List, Optional, Sequence, Union

__all__ = ["experiments", "reproduce"]


def experiments() -> List[Dict[str, Any]]:
    """The experiments: `experiment`, its name; `title`, `source`, and the `minutes` of its full form.

    >>> "tang-figure5" in [one["experiment"] for one in experiments()]
    True
    """
    return _program(["--list"])


def reproduce(
    names: Union[str, Sequence[str]],
    *,
    full: bool = False,
    seed: int = 1,
    threads: Optional[int] = None,
    device: str = "cpu",
    cluster: Optional[str] = None,
    out: Union[str, "PathLike[str]"] = "results",
    runs: Union[str, "PathLike[str]"] = "runs/reproduce",
) -> List[Dict[str, Any]]:
    """Measures experiments and writes their reports.

    Args:
        names: One name of `experiments()`, or several.
        full: Train and play as long as the source did, for minutes to hours; otherwise a fiftieth.
        seed: The seed of the trainings.
        threads: Threads to train and play on; one per core if None.
        device: "cpu", or "cuda" for the controllers of Tetris.
        cluster: The address of a Ray cluster, as for `train`. What it cannot share out is done here:
            docs/cluster.md lists it.
        out: The folder of the reports.
        runs: The folder of the runs; what is finished there is not done again, and what was stopped goes on.

    Returns the reports, as their JSON files have them: `rows` with what was published and measured, and more.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> report, = reproduce("tang-figure13", out=folder, runs=folder)
    >>> report["name"], len(report["rows"]) > 5
    ('tang-figure13', True)
    """
    words = [names] if isinstance(names, str) else list(names)
    if not words:
        raise ValueError("expected the name of an experiment: experiments() lists them")
    words += ["--full"] if full else []
    words += ["--seed", str(seed), "--out", os.fspath(out), "--runs", os.fspath(runs)]
    words += [] if threads is None else ["--threads", str(threads)]
    words += ["--device", device] if cluster is None else ["--cluster", cluster]
    return _program(words)


def _program(words: List[str]) -> List[Dict[str, Any]]:
    """What `afterstate reproduce` prints as JSON. It runs as a process of its own, which saves its work when
    it is interrupted."""
    command = [sys.executable, "-m", "afterstate", "reproduce", "--json", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        output, errors = process.communicate()
    except BaseException:
        # Ctrl-C has reached both.
        process.wait()
        raise
    if process.returncode != 0:
        lines = errors.strip().splitlines() or [f"the program ended with {process.returncode}"]
        raise ValueError(re.sub("^error: ", "", lines[-1]))
    return [json.loads(line) for line in output.splitlines()]
