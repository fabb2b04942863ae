"""Training: a run from its recipe to its agent, with progress in a terminal or a notebook."""

from __future__ import annotations

import json
import os
import sys
from os import PathLike
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

import numpy as np

from . import _native
from ._native import Agent
from .evaluation import Evaluation, _device, _evaluation, load

__all__ = ["Run", "recipes", "train"]

#: What a callback is told: the notes since the last call, and the progress in numbers and in words.
Progress = Dict[str, Any]


def recipes() -> Dict[str, str]:
    """The recipes by name, each with what it does.

    >>> "2048-small" in recipes()
    True
    """
    return {name: about for name, _, about, _ in _native.recipe_list()}


class Run:
    """A training as a folder: recipe, metrics, checkpoint and agent.

    Args:
        path: The folder. It may be in training by another process.
    """

    def __init__(self, path: Union[str, "PathLike[str]"]):
        self.path = Path(path)
        _native.run_overview(self.path)

    @property
    def agent(self) -> Agent:
        """The agent, as it was saved last."""
        return load(self.path)

    @property
    def recipe(self) -> str:
        """The whole recipe, as TOML."""
        return _native.run_overview(self.path)[1]

    @property
    def overview(self) -> Dict[str, Any]:
        """The progress of the run: its state ("running", "finished" or "stopped"), games, moves, mean
        scores, and more."""
        return _native.run_overview(self.path)[0]

    @property
    def finished(self) -> bool:
        """Whether the budget is spent."""
        return self.overview["state"] == "finished"

    @property
    def metrics(self) -> Dict[str, np.ndarray]:
        """The learning curve: one array per metric (`episodes`, `moves`, `seconds`, `mean`, `max`,
        `mean_moves`, ...), with one element per window of games."""
        windows: List[Dict[str, Any]] = _native.run_metrics(self.path)
        names = ("episodes", "moves", "seconds", "phase", "mean", "games", "max", "mean_moves")
        metrics = {name: np.array([window[name] for window in windows]) for name in names}
        for name in sorted({name for window in windows for name in window.get("extra", {})}):
            extra = [window.get("extra", {}).get(name, np.nan) for window in windows]
            metrics[name] = np.array(extra, dtype=float)
        return metrics

    def measure(
        self,
        games: int = 1000,
        *,
        threads: Optional[int] = None,
        device: str = "cpu",
        cluster: Optional[str] = None,
    ) -> Evaluation:
        """Plays games with the agent, on a cluster if one is named, and writes its strength into its file,
        as the program does after a training: `agent.card["strength"]`."""
        device = _device(device, cluster)
        return _evaluation(_native.measure_run(self.path, games, threads, device))

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"


class _Line:
    """Shows progress on one line of a terminal that is redrawn; elsewhere on lines now and then, each once."""

    def __init__(self) -> None:
        self.redraws = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self.last, self.text = 0.0, ""

    def __call__(self, told: Progress) -> None:
        clear = "\r\x1b[2K" if self.redraws else ""
        for note in told["notes"]:
            print(f"{clear}{note}", file=sys.stderr, flush=True)
        if not told["parts"]:
            return
        text = ", ".join(told["parts"])
        if self.redraws:
            columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
            print(f"{clear}{text[: columns - 4]}", end="", file=sys.stderr, flush=True)
        elif text != self.text and (told["seconds"] - self.last > 5 or told["fraction"] >= 1):
            self.last, self.text = told["seconds"], text
            print(text, file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.redraws:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)


class _Notebook:
    """Shows progress in a cell of a notebook, which is replaced."""

    def __init__(self) -> None:
        from IPython import display

        # IPython has no types of its own.
        shown: Any = display
        self.html = shown.HTML
        self.notes: List[str] = []
        self.handle = shown.display(shown.HTML(""), display_id=True)

    def __call__(self, told: Progress) -> None:
        from html import escape

        self.notes += told["notes"]
        parts = escape(", ".join(told["parts"]))
        notes = "".join(f"{escape(note)}<br>" for note in self.notes)
        bar = f'<progress max="1" value="{told["fraction"]:.4f}"></progress>'
        self.handle.update(self.html(f"{notes}{bar} {parts}"))

    def close(self) -> None:
        pass


def _shown() -> Any:
    """What shows progress here."""
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return _Notebook() if shell is not None and hasattr(shell, "kernel") else _Line()


def _setting(value: Any) -> str:
    """A value as TOML."""
    return value if isinstance(value, str) else json.dumps(value)


def train(
    recipe: Union[str, "PathLike[str]", Mapping[str, Any], None] = None,
    *,
    out: Union[str, "PathLike[str]", None] = None,
    resume: Union[str, "PathLike[str]", Run, None] = None,
    seconds: Optional[float] = None,
    moves: Optional[int] = None,
    episodes: Optional[int] = None,
    seed: Optional[int] = None,
    settings: Optional[Mapping[str, Any]] = None,
    threads: Optional[int] = None,
    device: str = "cpu",
    cluster: Optional[str] = None,
    keep_checkpoint: bool = False,
    progress: Union[bool, Callable[[Progress], Any]] = True,
) -> Run:
    """Trains an agent by a recipe, or resumes a run, as `afterstate train` does.

    Args:
        recipe: A name of `recipes()`, a TOML file, or a dictionary with the keys of one.
        out: The folder of the new run; runs/NAME-1 and so on if None.
        resume: Instead of a recipe, a run to go on with.
        seconds, moves, episodes: How long to train, instead of the budget of the recipe.
        seed: The seed, instead of that of the recipe.
        settings: Other changes of the recipe, such as {"phase.0.rate": 0.05}.
        threads: Threads to train on; one per core if None.
        device: "cpu", or "cuda" for an NVIDIA GPU.
        cluster: The address of a Ray cluster to play the games on: "HOST:PORT" of its head, "auto" or
            "local". The agent is that of one thread, to the byte, but for n-tuple networks, whose
            learners exchange weights.
        keep_checkpoint: Keep a large checkpoint of a finished training, to train it longer.
        progress: Whether to show progress, or a function that is called about twice a second with a
            dictionary: `fraction`, `episodes`, `moves`, `seconds`, `window` (the last metrics), `parts`
            (words) and `notes`.

    Ctrl-C, or an error of the function, saves the run and is raised: `train(resume=FOLDER)` goes on.

    >>> import tempfile
    >>> run = train("2048-small", out=tempfile.mkdtemp(), moves=5000, progress=False)
    >>> run.finished, run.agent.rules
    (True, '2048:4x4')
    """
    if (recipe is None) == (resume is None):
        raise ValueError("expected either a recipe or a run to resume")
    limits = {
        "seconds": None if seconds is None else float(seconds),
        "moves": moves,
        "episodes": episodes,
    }
    limits = {f"budget.{name}": limit for name, limit in limits.items() if limit is not None}
    if len(limits) > 1:
        raise ValueError("expected one of seconds, moves and episodes")
    named = {**(settings or {}), **limits, **({} if seed is None else {"seed": seed})}
    changes = [f"{name}={_setting(value)}" for name, value in named.items()]
    given: Optional[str] = None
    if resume is not None:
        if out is not None or changes:
            raise ValueError(
                "a resumed run has its folder, budget, seed and settings: change its recipe.toml"
            )
        folder: Optional[Path] = resume.path if isinstance(resume, Run) else Path(resume)
    else:
        folder = None if out is None else Path(out)
        given = json.dumps(recipe) if isinstance(recipe, Mapping) else os.fspath(recipe)  # type: ignore[arg-type]
    device = _device(device, cluster)
    shown = _shown() if progress is True else None
    told = shown if shown is not None else progress if callable(progress) else lambda told: None
    try:
        table = isinstance(recipe, Mapping)
        path, _ = _native.train(
            given, table, changes, folder, threads, device, keep_checkpoint, told
        )
    except KeyboardInterrupt:
        if shown is not None:
            shown.close()
            print("Stopped and saved: train(resume=FOLDER) goes on.", file=sys.stderr)
        raise
    finally:
        if shown is not None:
            shown.close()
    return Run(path)
