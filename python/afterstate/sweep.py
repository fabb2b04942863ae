"""Sweeps: many trainings of one recipe, with other settings and seeds, by Ray Tune on a cluster.

Every trial is a run, and its folder comes back to this machine after every step: `afterstate runs`,
`afterstate plot` and the page show it, one that was ended early can be resumed, and one whose machine is lost
goes on elsewhere from its last step; so does a sweep that is called again. Needs Ray: docs/cluster.md
installs it.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import re
import shutil
import tarfile
import tempfile
import time
from os import PathLike
from pathlib import Path
from typing import IO, Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from . import _native
from . import cluster as clusters
from .training import Run, _setting, _shown, train

__all__ = ["sweep"]

#: Files of a run that stay where they are: they are of the process that trains it.
_PRIVATE = {"lock", "stop"}

#: What a file of a run may be called: no path, and nothing hidden.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


#: The mean score of a trial without a window of games yet: the worst. Ray Tune calculates with it, so that it is
#: a number.
_NONE_YET = -1e30


class _Enough(Exception):
    """Ends a step of a trial: the run is saved."""


def _packed(folder: Path) -> bytes:
    """The files of a run as one archive."""
    packed = io.BytesIO()
    # A link is followed: where it leads to is not on another machine.
    with tarfile.open(fileobj=packed, mode="w", dereference=True) as archive:
        for path in sorted(folder.iterdir()):
            if path.is_file() and _NAME.fullmatch(path.name) and path.name not in _PRIVATE:
                archive.add(path, path.name)
    return packed.getvalue()


def _unpack(packed: bytes, folder: Path) -> None:
    """Writes the files of an archive, each at once. Another machine has packed it: all of it is checked before
    the first file is written."""
    try:
        # Compressed ones are not unpacked: a few bytes could become any number.
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r:") as archive:
            files = [(member.name, _content(archive, member)) for member in archive]
    except (tarfile.TarError, ValueError, OverflowError) as error:  # A damaged header is any of them.
        raise ValueError(f"that is no archive of a run: {error}") from None
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files:
        _native.replace_file(folder / name, content)


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    """The bytes of a file of a run; links, holes, folders and paths have no place there."""
    file = archive.extractfile(member) if member.isreg() and not member.issparse() else None
    if file is None or not _NAME.fullmatch(member.name) or member.name in _PRIVATE:
        raise ValueError(f"{member.name!r} is no file of a run")
    return file.read()


class _Collector:
    """Writes the runs of trials on the machine that began the sweep."""

    def __init__(self, out: str):
        self.out = Path(out)
        #: The locks of the runs that are trained, as a training has them.
        self.locks: Dict[str, IO[bytes]] = {}

    def begin(self, name: str, recipe: Dict[str, Any]) -> Optional[bytes]:
        """Locks the run of a trial; as it came back last, of this sweep or of one before, if it did."""
        folder = self.out / name
        if (folder / "recipe.toml").exists():
            if _native.recipe_table(str(folder / "recipe.toml")) != recipe:
                raise ValueError(f"{folder} is a run of another recipe: give the sweep another name or out")
            self._lock(name)
            return _packed(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self._lock(name)
        return None

    def put(self, name: str, packed: bytes, over: bool) -> None:
        """Writes a run; one that is over is unlocked."""
        _unpack(packed, self.out / name)
        if over and name in self.locks:
            self.locks.pop(name).close()

    def _lock(self, name: str) -> None:
        try:
            import fcntl
        except ImportError:  # Elsewhere runs of a sweep look stopped.
            return
        if name not in self.locks:
            file = open(self.out / name / "lock", "ab")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                file.close()
                raise ValueError(f"{self.out / name} is being trained by another process") from None
            self.locks[name] = file


def _plain(value: Any) -> str:
    return re.sub(r"[^A-Za-z0-9.,=_-]+", "_", f"{value:g}" if isinstance(value, float) else str(value))


#: The most characters of a folder name, and of those that tell names apart.
_LONGEST, _MARK = 200, 8


def _trial_name(name: str, settings: Mapping[str, Any]) -> str:
    """A folder name that tells the settings of a trial, and tells it apart from all others."""
    parts = [f"{key.split('.')[-1]}={_plain(value)}" for key, value in settings.items()]
    plain = "-".join([_plain(name), *parts])
    exact = all(float(f"{value:g}") == value for value in settings.values() if isinstance(value, float))
    last = {key.split(".")[-1] for key in settings}
    if exact and len(last) == len(settings) and len(plain) <= _LONGEST:
        return plain
    mark = hashlib.sha256(json.dumps(dict(settings), sort_keys=True).encode()).hexdigest()[:_MARK]
    return f"{plain[: _LONGEST - _MARK - 1]}-{mark}"


def _trainable(given: Dict[str, Any]) -> Any:
    """The trainable of a sweep: a step is a share of the budget of its run."""
    import ray
    from ray import tune

    class Trial(tune.Trainable):  # type: ignore[misc]
        def setup(self, config: Dict[str, Any]) -> None:
            clusters.check(given["identity"])
            self.settings = dict(config)
            self.name = _trial_name(given["name"], self.settings)
            self.home = Path(tempfile.mkdtemp(prefix="afterstate-sweep-"))
            self.folder = self.home / "run"
            changes = [f"{name}={_setting(value)}" for name, value in self.settings.items()]
            recipe = _native.recipe_table(json.dumps(given["recipe"]), True, changes)
            # A trial that begins again, since its machine or the whole sweep was lost, goes on from its last
            # step.
            before = ray.get(given["collector"].begin.remote(self.name, recipe))
            self.begun = before is not None
            if before is not None:
                _unpack(before, self.folder)

        def step(self) -> Dict[str, Any]:
            enough = (self.iteration + 1) / given["steps"]

            def told(progress: Dict[str, Any]) -> None:
                if enough < 1 <= progress["fraction"] / enough:
                    raise _Enough

            try:
                if self.begun and Run(self.folder).finished:
                    pass  # By an earlier sweep.
                elif self.begun:
                    train(resume=self.folder, threads=1, progress=told)
                else:
                    self.begun = True
                    recipe = given["recipe"]
                    train(recipe, out=self.folder, settings=self.settings, threads=1, progress=told)
            except _Enough:
                pass
            run = Run(self.folder)
            if run.finished and given["games"] and run.agent.card.get("strength") is None:
                run.measure(given["games"], threads=1)
            ray.get(given["collector"].put.remote(self.name, _packed(self.folder), False))
            means = run.metrics["mean"]
            mean = float(means[-1]) if len(means) else _NONE_YET
            return {"mean": mean, "episodes": run.overview["episodes"], "done": run.finished}

        def save_checkpoint(self, checkpoint_dir: str) -> None:
            Path(checkpoint_dir, "run.tar").write_bytes(_packed(self.folder))

        def load_checkpoint(self, checkpoint_dir: str) -> None:
            shutil.rmtree(self.folder, ignore_errors=True)
            _unpack(Path(checkpoint_dir, "run.tar").read_bytes(), self.folder)
            self.begun = True

        def cleanup(self) -> None:
            if self.begun:
                ray.get(given["collector"].put.remote(self.name, _packed(self.folder), True))
            shutil.rmtree(self.home, ignore_errors=True)

    return Trial


class _Watch:
    """Counts the trials of a sweep, and tells how far it is."""

    def __init__(self, trials: int, told: Callable[[Dict[str, Any]], Any]):
        self.trials, self.told, self.begin = trials, told, time.monotonic()
        self.means: Dict[str, float] = {}
        self.over = self.lost = 0

    def tell(self, note: Optional[str] = None) -> None:
        best = max(self.means.values(), default=math.nan)
        parts = [f"{self.over} of {self.trials} trials over"]
        parts += [] if math.isnan(best) else [f"best mean {best:,.0f}"]
        parts += [f"lost {self.lost} times"] if self.lost else []
        self.told(
            {
                "fraction": self.over / max(self.trials, 1),
                "seconds": time.monotonic() - self.begin,
                "trials": self.trials,
                "over": self.over,
                "lost": self.lost,
                "best": best,
                "parts": parts,
                "notes": [] if note is None else [note],
            }
        )


#: The sweeps under way: Ray Tune saves its callbacks, which therefore have a number only.
_watches: Dict[int, _Watch] = {}


def _callback(number: int) -> Any:
    """What Ray Tune tells of the trials of a sweep."""
    from ray import tune

    class Told(tune.Callback):  # type: ignore[misc]
        def on_trial_result(self, iteration: int, trials: Any, trial: Any, result: Any, **_: Any) -> None:
            watch = _watches[number]
            if result["mean"] != _NONE_YET:
                watch.means[trial.trial_id] = result["mean"]
            watch.tell()

        def on_trial_complete(self, iteration: int, trials: Any, trial: Any, **_: Any) -> None:
            watch = _watches[number]
            watch.over += 1
            watch.tell()

        def on_trial_recover(self, iteration: int, trials: Any, trial: Any, **_: Any) -> None:
            watch = _watches[number]
            watch.lost += 1
            watch.tell(f"a trial was lost and goes on from its last step: {trial.config}")

    return Told()


def sweep(
    recipe: Union[str, "PathLike[str]", Mapping[str, Any]],
    space: Mapping[str, Any],
    *,
    seeds: Sequence[int] = (1,),
    settings: Optional[Mapping[str, Any]] = None,
    cluster: str = "auto",
    scheduler: Any = "asha",
    samples: int = 1,
    steps: int = 10,
    games: int = 1000,
    name: Optional[str] = None,
    out: Union[str, "PathLike[str]"] = "runs",
    storage: Optional[str] = None,
    progress: Union[bool, Callable[[Dict[str, Any]], Any]] = True,
) -> List[Run]:
    """Trains a recipe with many settings and seeds on a Ray cluster, one worker each.

    Args:
        recipe: A name of `recipes()`, a TOML file, or a dictionary with the keys of one.
        space: The settings to try: a list of values each, such as {"phase.0.rate": [0.05, 0.1]}, or what
            Ray Tune draws from, such as tune.loguniform(0.01, 1).
        seeds: Every combination is trained with each of these seeds.
        settings: Changes of the recipe for all trials, such as {"budget.episodes": 10_000}.
        cluster: The address of the cluster, as for `train`.
        scheduler: "asha" ends trials early whose mean score is behind, None ends none; or a scheduler of Ray
            Tune that ends or pauses trials. The metric is "mean", the mean score of the last window of games.
        samples: How often to draw from `space`.
        steps: In how many steps a run is trained; schedulers decide between steps.
        games: Games that measure the strength of each finished agent; 0 for none.
        name: The beginning of the names of the runs; that of the recipe if None.
        out: The folder of the runs. Those that an earlier sweep has left there go on, if their recipe is the
            same.
        storage: A folder that all machines share, or the address of a store such as "s3://bucket/sweep"; only
            schedulers that pause trials, as HyperBand, need one.
        progress: Whether to show progress, or a function that is called after every step of a trial with a
            dictionary: `fraction`, `trials`, `over`, `lost`, `best`, `seconds`, `parts` (words) and `notes`.

    Returns the runs, those with the best mean score first.
    """
    connection = clusters.connect(cluster)
    ray = connection.ray
    from ray import tune
    from ray.tune.schedulers import ASHAScheduler, PopulationBasedTraining, PopulationBasedTrainingReplay
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    if steps < 1 or samples < 1:
        raise ValueError("expected at least 1 step and 1 sample")
    lists = [value for value in space.values() if isinstance(value, list)]
    if samples > 1 and len(lists) == len(space):
        raise ValueError(f"{samples} samples of lists would be the same trainings: give more seeds instead")
    if isinstance(scheduler, (PopulationBasedTraining, PopulationBasedTrainingReplay)):
        raise ValueError(
            "population-based training changes the settings of a run in its middle, which runs have from "
            "beginning to end: take a scheduler that ends or pauses trials"
        )
    table = isinstance(recipe, Mapping)
    stem = name or ("sweep" if table else Path(os.fspath(recipe)).stem)  # type: ignore[arg-type]
    here = Path(out).resolve()
    node = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    collector = ray.remote(_Collector).options(num_cpus=0, scheduling_strategy=node).remote(str(here))
    grid = {key: tune.grid_search(value) if isinstance(value, list) else value for key, value in space.items()}
    fixed = {key: value for key, value in (settings or {}).items()}
    grid = {**fixed, **grid, "seed": tune.grid_search([int(seed) for seed in seeds])}
    given_recipe = dict(recipe) if table else _text_of(os.fspath(recipe))  # type: ignore[arg-type]
    given = {
        "recipe": given_recipe,
        "name": stem,
        "steps": steps,
        "games": games,
        "collector": collector,
        "identity": connection.identity,
    }
    if scheduler == "asha":
        scheduler = ASHAScheduler(max_t=steps, grace_period=max(1, steps // 5))
    # Its tables would come between the lines of the progress, and they come without being asked for.
    os.environ.setdefault("RAY_AIR_NEW_OUTPUT", "0")
    trials = samples * len(seeds) * math.prod(len(values) for values in lists)
    shown = _shown() if progress is True else None
    told = shown if shown is not None else progress if callable(progress) else lambda told: None
    number = id(given)
    _watches[number] = _Watch(trials, told)
    tuner = tune.Tuner(
        _trainable(given),
        param_space=grid,
        tune_config=tune.TuneConfig(metric="mean", mode="max", scheduler=scheduler, num_samples=samples),
        run_config=tune.RunConfig(
            name=f"afterstate-{_plain(stem)}-{os.getpid()}",
            storage_path=storage or tempfile.mkdtemp(prefix="afterstate-tune-"),
            verbose=0,
            # The collector has what a trial needs to go on; machines need not share a folder.
            checkpoint_config=tune.CheckpointConfig(checkpoint_frequency=0, checkpoint_at_end=False),
            failure_config=tune.FailureConfig(max_failures=3),
            callbacks=[_callback(number)],
        ),
    )
    try:
        results = tuner.fit()
        watch = _watches[number]
        if watch.over < len(results):
            # Those that were ended early, too.
            watch.over = len(results)
            watch.tell()
    finally:
        del _watches[number]
        if shown is not None:
            shown.close()
        # Its locks end with it.
        ray.kill(collector)
    wrong = [result.error for result in results if result.error is not None]
    if wrong:
        first = connection.sentence(wrong[0])
        raise clusters.ClusterError(f"{len(wrong)} of {trials} trials failed, the first: {first}")
    # By their own metrics: Ray Tune may have no result of a trial that an earlier sweep has finished.
    runs = [Run(here / _trial_name(stem, result.config)) for result in results]
    return sorted(runs, key=lambda run: -float(run.metrics["mean"][-1]) if len(run.metrics["mean"]) else math.inf)


def _text_of(recipe: str) -> Dict[str, Any]:
    """The recipe as a dictionary: a file of this machine is none of a worker's."""
    from ._native import recipe_table

    return recipe_table(recipe)
