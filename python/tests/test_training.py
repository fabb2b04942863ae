"""Training: the runs of the program, progress, resuming, and what Ctrl-C leaves."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import afterstate

RECIPE = {
    "game": "2048:3x3",
    "budget": {"episodes": 600},
    "log": {"window": 100, "checkpoint_seconds": 1000.0},
    "network": {"tuples": [[0, 1, 2], [3, 4, 5]]},
    "phase": [{"method": "td", "rate": 0.1}],
}


def test_a_recipe_is_trained_as_the_program_trains_it(tmp_path):
    told = []
    run = afterstate.train(RECIPE, out=tmp_path / "one", threads=1, seed=5, progress=told.append)
    assert run.finished and run.overview["episodes"] == 600 and 'game = "2048:3x3"' in run.recipe
    metrics = run.metrics
    assert list(metrics["episodes"]) == [100, 200, 300, 400, 500, 600]
    assert metrics["mean"].dtype == float and (metrics["max"] >= metrics["mean"]).all()
    assert told[-1]["fraction"] == 1 and told[-1]["episodes"] == 600 and told[-1]["parts"]
    measured = run.measure(games=20)
    assert measured.mean == run.agent.card["strength"]["mean"] > 0 and measured.games == 20
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(run.recipe)
    command = ["train", str(recipe), "--out", str(tmp_path / "two"), "--threads", "1", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "afterstate", *command, "--eval-games", "0"], capture_output=True
    )
    assert done.returncode == 0, done.stderr
    one, two = (afterstate.load(tmp_path / name).weights for name in ("one", "two"))
    assert all(np.array_equal(one[name], two[name]) for name in one)
    assert afterstate.Run(tmp_path / "two").agent.rules == "2048:3x3"


def test_settings_change_the_recipe(tmp_path):
    settings = {"phase.0.rate": 0.5, "game": "2048:2x2", "log.window": 50}
    run = afterstate.train(
        "2048-td",
        out=tmp_path,
        moves=300,
        settings={**settings, "network.tuples": [[0, 1]]},
        progress=False,
        threads=1,
    )
    assert "rate = 0.5" in run.recipe and 'game = "2048:2x2"' in run.recipe
    assert "moves = 300" in run.recipe and run.overview["moves"] >= 300
    assert "2048-td" in afterstate.recipes()


def test_an_error_of_the_callback_saves_the_run_which_can_be_resumed(tmp_path):
    def stop(told):
        if told["episodes"]:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        afterstate.train(RECIPE, out=tmp_path, episodes=10**9, threads=1, progress=stop)
    run = afterstate.Run(tmp_path)
    played = run.overview["episodes"]
    assert run.overview["state"] == "stopped" and played > 0
    assert run.agent.rules == "2048:3x3"
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(recipe.read_text().replace("1000000000", str(played + 500)))
    again = afterstate.train(resume=run, progress=False, threads=1)
    assert again.finished and again.overview["episodes"] >= played + 500
    assert afterstate.train(resume=tmp_path, progress=False).path == again.path


@pytest.mark.skipif(os.name == "nt", reason="terminals of Unix")
def test_progress_is_one_line_of_a_terminal(tmp_path):
    import pty

    code = f"""if True:
        import afterstate
        afterstate.train({json.dumps(RECIPE)}, out="run", threads=1)
        """
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stderr=theirs, env=environment
    )
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:  # Linux ends a pseudo-terminal whose other side is closed this way.
        pass
    os.close(ours)
    assert process.wait() == 0
    assert b"600 games" in shown and shown.endswith(b"\r\x1b[2K")


def python(code, folder):
    """A Python that runs code and tells on standard output when it is busy."""
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def interrupt(process):
    """Sends Ctrl-C once the process says that it is busy; its exit code and what it printed."""
    line = process.stdout.readline()
    assert line.strip() == "busy", process.stderr.read()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_ctrl_c_during_a_training_keeps_its_checkpoint(tmp_path):
    code = f"""if True:
        import afterstate
        def told(told):
            if told["episodes"]:
                print("busy", flush=True)
        try:
            afterstate.train({json.dumps(RECIPE)}, out="run", episodes=10**9, progress=told)
        except KeyboardInterrupt:
            run = afterstate.Run("run")
            print("saved", run.overview["state"], run.overview["episodes"] > 0, run.agent.rules)
        """
    code, out, err = interrupt(python(code, tmp_path))
    assert code == 0, err
    assert out.splitlines()[-1] == "saved stopped True 2048:3x3"


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize(
    "call",
    [
        "afterstate.evaluate('dellacherie', 'tetris:10x20', games=10**6)",
        "afterstate.evaluate('dellacherie', 'tetris:10x20', games=9, search='expectimax:3')",
        "afterstate.evaluate(afterstate.Policy(lambda boards: boards.sum(axis=(1, 2)), '1010'))",
        "afterstate.load('dellacherie', 'tetris').analyze('T' + 20 * ('|' + 10 * '.'), 'expectimax:9')",
        "afterstate.load('1010').choose(afterstate.Batch('1010', 9), 'expectimax:3')",
        "afterstate.load('1010').choose(afterstate.Batch('1010', 9), 'expectimax:60000ms')",
        "afterstate.solve('2048:3x3')",
        "afterstate.solve('1010:5x5,pieces=7')",
    ],
)
def test_ctrl_c_ends_a_long_call(call, tmp_path):
    code = f"""if True:
        import afterstate, threading
        threading.Timer(0.2, lambda: print("busy", flush=True)).start()
        try:
            {call}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """
    code, out, err = interrupt(python(code, tmp_path))
    assert out.splitlines()[-1:] == ["interrupted"], err


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_after_threads_plays_on(network_file):
    def scores():
        found = [afterstate.evaluate(network_file, games=20, threads=2).mean]
        return found + [afterstate.solve("2048:2x2", threads=2).optimum]

    expected = scores()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.write(write, json.dumps(scores()).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read) as pipe:
        found = json.load(pipe)
    assert os.waitpid(child, 0)[1] == 0 and found == expected


def test_bad_input_raises(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong = [
        (dict(recipe="nothing"), ValueError, "unknown recipe"),
        (dict(recipe="nothing.toml"), FileNotFoundError, "no file"),
        (dict(recipe={}), ValueError, "game is missing"),
        (dict(recipe={**RECIPE, "rate": 1}), ValueError, "unknown key `rate`"),
        (dict(recipe=RECIPE, settings={"phase.0.rate": -1}), ValueError, "rate is -1"),
        (dict(recipe=RECIPE, settings={"budget.seconds": "soon"}), ValueError, "seconds"),
        (dict(recipe=RECIPE, seconds=1, moves=5), ValueError, "one of seconds"),
        (dict(), ValueError, "either a recipe or a run"),
        (dict(recipe=RECIPE, resume=tmp_path), ValueError, "either a recipe or a run"),
        (dict(resume=tmp_path, seconds=3), ValueError, "recipe.toml"),
        (dict(resume=tmp_path), FileNotFoundError, "has no run"),
        (dict(recipe=RECIPE, device="abacus"), ValueError, "invalid device"),
        (dict(recipe=3), TypeError, "PathLike"),
    ]
    for arguments, kind, sentence in wrong:
        with pytest.raises(kind, match=sentence):
            afterstate.train(**arguments, progress=False)
    assert not (tmp_path / "runs").exists()
    afterstate.train(RECIPE, out=tmp_path, episodes=10, progress=False)
    with pytest.raises(FileExistsError, match="already has a run"):
        afterstate.train(RECIPE, out=tmp_path, progress=False)
    with pytest.raises(FileNotFoundError, match="has no run"):
        afterstate.Run(tmp_path / "none")


def test_progress_that_is_no_news_is_not_printed_again(capsys):
    from afterstate.training import _Line

    line = _Line()
    for seconds, part in [(6, "1 of 6 trials over"), (12, "1 of 6 trials over"), (18, "2 of 6 trials over")]:
        line({"seconds": seconds, "fraction": 0.5, "parts": [part], "notes": []})
    assert capsys.readouterr().err.splitlines() == ["1 of 6 trials over", "2 of 6 trials over"]
