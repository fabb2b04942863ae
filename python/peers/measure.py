"""Measures this package and others in turns on one core, checks their rules with the conformance
suite, and writes results/python.md."""

import argparse
import os
import platform
import statistics
import sys
import textwrap
import time
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, Dict, List, Tuple

ROOT = Path(__file__).resolve().parents[2]
BATCHES = (256, 1024, 4096, 16384)

PACKAGES = {
    "afterstate": "afterstate",
    "gymnasium": "gymnasium",
    "gymnasium-2048": "gymnasium-2048",
    "jax": "jax",
    "jumanji": "jumanji",
    "numpy": "numpy",
    "open_spiel": "open_spiel",
    "pgx": "pgx",
    "tetris-gymnasium": "tetris-gymnasium",
}

#: What is a choice of its authors rather than a slip.
REMARKS = {
    ("pgx", "2048"): "an illegal action ends the game, as its documentation says",
    ("jumanji", "2048"): "a game starts with one tile, as its documentation says",
    ("tetris-gymnasium", "Tetris 10x20"): (
        "pieces enter inside the well, so that the stack ends the game earlier; with NumPy 2.4 its "
        "pictures cannot be drawn, which Gymnasium's checker tells"
    ),
    ("open_spiel", "2048"): "one in ten of the moves that only merge tiles is not legal",
    ("PufferLib", "2048"): "no tile comes after a merge on a full board",
}


def pin(core: int) -> None:
    """Keeps this process, and the threads of XLA, on one core."""
    os.sched_setaffinity(0, {core})
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    os.environ.update(OMP_NUM_THREADS="1", JAX_PLATFORMS="cpu")


def speeds(puffer: str) -> List[Any]:
    """Everything that is measured."""
    import speeds as loops
    from speeds import Speed

    own = [("2048", "2048", "2048"), ("Tetris 10x20", "tetris:10x20", "Tetris")]
    own.append(("1010!", "1010:10x10,hand=3", "1010"))
    all_speeds = []
    for game, rules, name in own:
        batch, steps = partial(loops.own_batch, rules), partial(loops.own_steps, rules)
        vector, one = partial(loops.own_vector, name), partial(loops.own_single, name)
        all_speeds += [
            Speed(game, "afterstate", "batch", batch, BATCHES, "`Batch`, with masks"),
            Speed(game, "afterstate", "batch", steps, BATCHES, "`Batch`, its step alone"),
            Speed(game, "afterstate", "batch", vector, BATCHES, "`make_vec`, copies"),
            Speed(game, "afterstate", "one", one, note="Gymnasium"),
        ]
    ten = partial(loops.own_batch, "tetris:10x10")
    one_ten = partial(loops.own_single, "Tetris", rules="tetris:10x10")
    plain, keys = "Gymnasium, no masks", ("Tetris 10x20", "tetris-gymnasium")
    all_speeds += [
        Speed("Tetris 10x10", "afterstate", "batch", ten, BATCHES, "`Batch`, with masks"),
        Speed("Tetris 10x10", "afterstate", "one", one_ten, note="Gymnasium"),
        Speed("2048", "pgx", "batch", loops.pgx_2048, BATCHES, "XLA"),
        Speed("2048", "pgx", "one", loops.pgx_2048, note="XLA"),
        Speed("2048", "jumanji", "batch", loops.jumanji_2048, BATCHES, "XLA"),
        Speed("2048", "jumanji", "one", loops.jumanji_2048, note="XLA"),
        Speed("2048", "open_spiel", "one", loops.open_spiel),
        Speed("2048", "gymnasium-2048", "batch", loops.gymnasium_2048_vector, (2, 8, 32), plain),
        Speed("2048", "gymnasium-2048", "one", loops.gymnasium_2048, note=plain),
        Speed("Tetris 10x10", "jumanji", "batch", loops.jumanji_tetris, BATCHES, "XLA"),
        Speed("Tetris 10x10", "jumanji", "one", loops.jumanji_tetris, note="XLA"),
        Speed(*keys, "one", loops.tetris_gymnasium, note="Gymnasium, a step is a key"),
        Speed(*keys, "batch", loops.tetris_functional, BATCHES, "XLA, a step is a key"),
    ]
    if puffer:
        core = partial(loops.puffer, puffer)
        note = "its C core, no masks"
        all_speeds.append(Speed("2048", "PufferLib", "batch", core, BATCHES, note))
    return all_speeds


def timed(loop: Any, seconds: float) -> float:
    """Steps per second of processor time of a loop that is warm: others may use the core."""
    steps, begin = 0, time.process_time()
    while (passed := time.process_time() - begin) < seconds:
        steps += loop()
    return steps / passed


def measure(puffer: str, rounds: int, seconds: float) -> List[Tuple[Any, int, float]]:
    """The median speed of each at its best batch size."""
    ready: List[Tuple[Any, int, Any, List[float]]] = []
    for speed in speeds(puffer):
        sizes: Dict[int, Tuple[float, Any]] = {}
        for size in speed.sizes:
            loop = speed.make(size)
            loop()
            sizes[size] = timed(loop, seconds / 2), loop
        best = max(sizes, key=lambda size: sizes[size][0])
        tell(f"{speed.game} {speed.package} {speed.how}: best of {list(sizes)} is {best}")
        ready.append((speed, best, sizes[best][1], []))
    for number in range(rounds):
        tell(f"round {number + 1} of {rounds}")
        # Whoever is first changes, so that a slow phase of the machine hits nobody alone.
        at = number * len(ready) // rounds
        for _, _, loop, seen in ready[at:] + ready[:at]:
            seen.append(timed(loop, seconds))
    return [(speed, size, statistics.median(seen)) for speed, size, _, seen in ready]


def tell(text: str) -> None:
    """Progress."""
    print(text, file=sys.stderr, flush=True)


def short(speed: float) -> str:
    """A speed in three digits."""
    value, unit = (speed / 1e6, "M") if speed >= 1e6 else (speed / 1e3, "k")
    return f"{value:.{2 - (value >= 10) - (value >= 100)}f}{unit}"


def speed_tables(results: List[Tuple[Any, int, float]]) -> str:
    """One table per game, the fastest first, and how many times as fast this package is."""
    page = ""
    for game in dict.fromkeys(speed.game for speed, _, _ in results):
        rows = [row for row in results if row[0].game == game]
        # The rows of this package are in order: of several, the first is compared.
        own = {
            speed.how: value for speed, _, value in reversed(rows) if speed.package == "afterstate"
        }
        page += f"\n### {game}\n\n| package | steps/s | games at once | this package is | |\n"
        page += "|---|---:|---:|---:|---|\n"
        for speed, size, value in sorted(rows, key=lambda row: -row[2]):
            times = ""
            if speed.package != "afterstate" and speed.how in own:
                ratio = own[speed.how] / value
                times = f"{ratio:,.{ratio < 10:d}f} times as fast"
            page += f"| {speed.package} | {short(value)} | {size:,} | {times} | {speed.note} |\n"
    return page


def conformance(puffer: str) -> str:
    """The table of what the suite found, and the examples."""
    from puffer import check_core
    from rules import CHECKED

    checked = list(CHECKED)
    if puffer:
        checked.append(("PufferLib", "2048", partial(check_core, puffer)))
    table = "| package | game | checks | wrong | |\n|---|---|---:|---:|---|\n"
    details = ""
    for package, game, function in checked:
        tell(f"checking {package}: {game}")
        reports = function()
        done = [check for report in reports for check in report.checks if check.skipped is None]
        wrong = [check for check in done if not check.ok]
        remark = REMARKS.get((package, game), "") if wrong else ""
        table += f"| {package} | {game} | {len(done)} | {len(wrong)} | {remark} |\n"
        if wrong:
            text = "\n".join(str(check) for check in wrong)
            details += f"\n**{package}**, {game}:\n\n```text\n{text}\n```\n"
    return table + details


def versions() -> str:
    """The versions of all packages."""
    found = []
    for name, package in PACKAGES.items():
        try:
            found.append(f"{name} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            found.append(f"{name} (not installed)")
    return ", ".join(found)


def machine() -> str:
    """The processor and the number of its cores."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{models[0] if models else platform.processor()}, {os.cpu_count()} cores"


def main() -> None:
    """Measures, checks and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="rounds of which medians are taken")
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds of each in a round")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--puffer", default="", help="the path of PufferLib's g2048.h")
    parser.add_argument("--puffer-commit", default="not told", help="the commit that it is of")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "python.md")
    arguments = parser.parse_args()
    machine_name = machine()
    pin(arguments.core)
    results = measure(arguments.puffer, arguments.rounds, arguments.seconds)
    rules = conformance(arguments.puffer)
    first = HEAD.format(
        options=" --puffer FILE --puffer-commit COMMIT" if arguments.puffer else "",
        when=time.strftime("%B %Y"),
        machine=machine_name,
        python=platform.python_version(),
        versions=versions(),
    )
    how = SPEED.format(rounds=arguments.rounds, seconds=arguments.seconds)
    parts = ["# In Python, beside other packages", filled(first), "## Speed", filled(how)]
    about = PUFFER_GIVEN if arguments.puffer else PUFFER_MISSING
    parts.append(filled(about.format(commit=arguments.puffer_commit)))
    parts += [speed_tables(results), "## Rules", filled(RULES), rules]
    page = "\n\n".join(part.strip() for part in parts) + "\n"
    arguments.out.write_text(page, encoding="utf-8")
    tell(f"wrote {arguments.out}")


HEAD = """`cargo xtask python --peers{options}`, {when}: packages from PyPI in a virtual
environment of their own. Machine: {machine}. Python {python}; {versions}."""

SPEED = """One core, to which the process and XLA's threads are pinned; steps per second of
processor time, medians of {rounds} rounds of {seconds:g} s in which all take turns, each at its
best batch size. Moves are uniformly random among the legal ones where a package tells them, else
among all; drawing them counts: by `Batch.random_actions`, inside XLA, else in NumPy, where the
1,900 actions of 1010! take most of the time of `make_vec`; "its step alone" plays moves that were
drawn before. Finished games start again by themselves. XLA drops what nobody reads, such as
observations, which here favours it; this package writes boards and masks at every step. A
placement of Tetris takes several keys."""

PUFFER_GIVEN = """PufferLib's package on PyPI (3.0.0) has no 2048, and installs only where PyTorch
and raylib can be fetched: its C core (`g2048.h` of its repository, commit {commit}, without its
drawing) was compiled with `-O3 -march=native` and is stepped without its Python layer. An earlier
commit, 049c4d1, adds no tile after a merge on a full board, and made 8.40M steps/s in an earlier
run."""

PUFFER_MISSING = """PufferLib's package on PyPI (3.0.0) has no 2048, and its C core was not given
(`--puffer FILE`): on another machine it made 6.5M steps/s in batches and 1.6M with one game,
which is no figure of this run."""

RULES = """What `afterstate.conformance.check` finds: how many checks, how many of them found
something wrong, and why; below, the simplest example of each."""


def filled(text: str) -> str:
    """A paragraph in lines."""
    return textwrap.fill(
        " ".join(text.split()), 110, break_long_words=False, break_on_hyphens=False
    )


if __name__ == "__main__":
    main()
