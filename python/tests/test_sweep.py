"""Sweeps by Ray Tune on a real cluster, and the archives in which runs travel."""

import gzip
import io
import os
import tarfile
import threading

import pytest
from ray_nodes import agent_bytes, alone, clusters, over, program, wait_for, workers, works

import afterstate
from afterstate.sweep import _packed, _trial_name, _unpack, sweep

def test_a_sweep_leaves_runs(nodes, tmp_path, capfd):
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
    from ray.tune.schedulers import PopulationBasedTraining

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
    mutating = PopulationBasedTraining(hyperparam_mutations={"phase.0.rate": [0.5, 0.3]})
    with pytest.raises(ValueError, match="population-based training changes the settings"):
        sweep("2048-3x3", space, scheduler=mutating, **given)


def test_names_of_trials_differ():
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
    settings = {"budget.episodes": 6000, "network.tuples": "0134", "log.window": 500}
    out = tmp_path / "runs"

    def trial(node):
        return next((pid for pid in workers(node) if works(pid, b"ray::Trial")), None)

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
        expected = alone("2048-3x3", tmp_path / f"alone-{seed}", settings=settings, seed=seed)
        assert run.finished and agent_bytes(run) == agent_bytes(expected)


def archive(*members, form=tarfile.USTAR_FORMAT):
    """An archive of members: a name with its content, and perhaps a function that changes its header."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=form) as made:
        for name, content, *changes in members:
            member = tarfile.TarInfo(name)
            for change in changes:
                change(member)
            member.size = len(content)
            made.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def of_type(kind, target=""):
    def change(member):
        member.type, member.linkname = kind, target

    return change


def sparse(member):
    holes = {"major": "1", "minor": "0", "realsize": str(1 << 20), "name": "recipe.toml"}
    member.pax_headers = {f"GNU.sparse.{key}": value for key, value in holes.items()}


def files_under(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_archives_of_runs_write_only_files_of_runs(tmp_path):
    run = tmp_path / "runs" / "run"
    run.mkdir(parents=True)
    (run / "recipe.toml").write_bytes(b"old")
    (tmp_path / "secret").write_bytes(b"secret")
    before = files_under(tmp_path)
    hostile = [
        ("../secret", b"x"),
        ("../../secret", b"x"),
        (str(tmp_path / "secret"), b"x"),
        ("folder/recipe.toml", b"x"),
        ("./recipe.toml", b"x"),
        ("..", b"x"),
        (".", b"x"),
        (".hidden", b"x"),
        ("recipe.toml\n", b"x"),
        ("a\\b", b"x"),
        ("C:recipe.toml", b"x"),
        ("lock", b"x"),
        ("stop", b"x"),
        ("n" * 90 + "/x", b"x"),
        ("link", b"", of_type(tarfile.SYMTYPE, str(tmp_path / "secret"))),
        ("link", b"", of_type(tarfile.SYMTYPE, "recipe.toml")),
        ("link", b"", of_type(tarfile.LNKTYPE, "recipe.toml")),
        ("folder", b"", of_type(tarfile.DIRTYPE)),
        ("pipe", b"", of_type(tarfile.FIFOTYPE)),
        ("device", b"", of_type(tarfile.CHRTYPE)),
        # A file of holes would become as large as its header says.
        ("recipe.toml", b"1\n0\n0\n".ljust(512, b"\0"), sparse),
    ]
    for name, content, *changes in hostile:
        # What stands before it is not written either.
        packed = archive(("recipe.toml", b"new"), (name, content, *changes), form=tarfile.PAX_FORMAT)
        with pytest.raises(ValueError, match="no archive of a run: .* is no file of a run"):
            _unpack(packed, run)
        assert files_under(tmp_path) == before, name
    whole = archive(("recipe.toml", b"new"))
    for packed in (
        archive(("recipe.toml", b"", sparse), form=tarfile.PAX_FORMAT),
        gzip.compress(whole),
        whole[:700],
        whole[:100],
        b"",
        b"x" * 2000,
    ):
        with pytest.raises(ValueError, match="is no archive of a run"):
            _unpack(packed, run)
        assert files_under(tmp_path) == before
    _unpack(whole, run)
    assert files_under(tmp_path) == {**before, "runs/run/recipe.toml": b"new"}


def test_runs_travel_whole_and_links_stay_where_they_are(tmp_path):
    run, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    run.mkdir()
    for name, content in [("recipe.toml", b"recipe"), ("lock", b""), ("stop", b""), (".part", b"half")]:
        (run / name).write_bytes(content)
    large = tmp_path / "large"
    large.write_bytes(bytes(range(256)) * 1000)
    (run / "agent.safetensors").symlink_to(large)
    os.link(run / "recipe.toml", run / "copy.toml")
    (run / "folder").mkdir()
    _unpack(_packed(run), elsewhere)
    assert files_under(elsewhere) == {
        "recipe.toml": b"recipe",
        "copy.toml": b"recipe",
        "agent.safetensors": large.read_bytes(),
    }
    assert not any(path.is_symlink() for path in elsewhere.iterdir())
    # What comes back is written by the writer of the program: through the link, with its mode.
    large.chmod(0o640)
    (elsewhere / "agent.safetensors").write_bytes(b"learned more")
    _unpack(_packed(elsewhere), run)
    assert (run / "agent.safetensors").is_symlink() and large.read_bytes() == b"learned more"
    assert large.stat().st_mode & 0o777 == 0o640
    # What is no file is refused, and stays.
    (run / "agent.safetensors").unlink()
    os.mkfifo(run / "agent.safetensors")
    with pytest.raises(OSError, match="agent.safetensors"):
        _unpack(_packed(elsewhere), run)
    assert (run / "agent.safetensors").is_fifo()
