"""Solutions, replays, and the program on the path."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import afterstate


def test_small_games_are_solved_exactly(tmp_path):
    solution = afterstate.solve("2048:2x2")
    assert solution.optimum == pytest.approx(66.96415, abs=1e-5)
    assert (solution.rules, solution.sweeps, solution.residual) == ("2048:2x2", 1, 0)
    found = afterstate.evaluate(solution.agent, games=4000)
    assert found.interval[0] - 2 < solution.optimum < found.interval[1] + 2
    path = tmp_path / "optimal.safetensors"
    solution.save(path)
    loaded = afterstate.load(path)
    assert np.array_equal(afterstate.evaluate(loaded, games=4000).scores, found.scores)
    boards = afterstate.Batch("2048:2x2", 20, 1).cells
    assert np.array_equal(loaded.values(boards), solution.agent.values(boards))
    assert set(loaded.weights) == {"boards", "worth"}
    assert loaded.weights["boards"].dtype == np.uint64
    lasting = afterstate.solve("1010:4x4,pieces=7", threads=1)
    assert lasting.optimum > 10 and lasting.sweeps > 10 and lasting.edges > lasting.boards
    scored = afterstate.solve("1010:4x4,pieces=7", "score", gamma=0.9, sweeps=3)
    assert scored.sweeps == 3


def test_what_cannot_be_solved_raises():
    for rules, arguments, sentence in [
        ("tetris", {}, "needs .* of memory"),
        ("2048:2x2", {"reward": "gold"}, "gold"),
        ("2048:2x2", {"reward": "lines"}, "the game has none"),
        ("2048:2x2", {"gamma": 2}, "must be 0 to 1"),
        ("2048:2x2", {"sweeps": 0}, "at least 1"),
        ("chess", {}, "unknown game"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            afterstate.solve(rules, **arguments)
    with pytest.raises(OSError):
        afterstate.solve("2048:2x2").save("/nowhere/agent.safetensors")


def test_recorded_games_are_read_back_and_verified(tmp_path, network_file):
    path = tmp_path / "game.json"
    game = afterstate.record(network_file, seed=3, moves=25, out=path)
    assert game == afterstate.replay(path)
    assert (game.rules, len(game.moves), len(game.states)) == ("2048:3x3", 25, 26)
    batch = afterstate.Batch("2048:3x3", 1, 3)
    assert batch.state(0).splitlines() == game.states[0].split("|")
    agent, score = afterstate.load(network_file), 0.0
    for state in game.states[1:]:
        batch.step(agent.choose(batch))
        score += batch.rewards[0]
        assert batch.state(0).splitlines() == state.split("|")
    assert score == game.score
    for name in ("game.gif", "last.png", "last.svg"):
        afterstate.record("dellacherie", "tetris:6x8", moves=5, out=tmp_path / name)
        assert (tmp_path / name).stat().st_size > 500
    wrong = json.loads(path.read_text())
    wrong["score"] += 1
    path.write_text(json.dumps(wrong))
    with pytest.raises(ValueError, match="states a score of"):
        afterstate.replay(path)
    with pytest.raises(FileNotFoundError):
        afterstate.replay(tmp_path / "none.json")
    with pytest.raises(ValueError, match="must end in .json, .gif, .svg or .png"):
        afterstate.record("2048", moves=1, out=tmp_path / "game.txt")
    with pytest.raises(ValueError, match="expected 1 to 1000000"):
        afterstate.record("random", "2048", moves=0)
    with pytest.raises(FileNotFoundError):
        afterstate.record("random", "2048", moves=1, out=tmp_path / "none" / "game.gif")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_the_program_is_on_the_path():
    program = str(Path(sys.executable).with_name("afterstate"))
    for words, code in [
        (["games"], 0),
        (["--version"], 0),
        (["--help"], 0),
        (["fly"], 2),
        (["eval", "random"], 2),
        (["eval", "--replay", "none.json"], 1),
    ]:
        done = run(program, *words)
        assert done.returncode == code, done
        assert run(sys.executable, "-m", "afterstate", *words).stdout == done.stdout
        assert bool(done.stdout) == (code == 0) and bool(done.stderr) == (code != 0)
    assert "afterstate 0." in run(program, "--version").stdout
    assert run(program, "eval", "random").stderr.startswith("error: random plays any game")
    piped = run("sh", "-c", f"{program} games | head -n 1")
    assert piped.returncode == 0 and piped.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_ctrl_c_ends_the_program_and_a_training_is_saved(tmp_path):
    def interrupted(*words):
        program = [str(Path(sys.executable).with_name("afterstate")), *words]
        pipe = subprocess.PIPE
        process = subprocess.Popen(program, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True)
        # Both print a line before they play.
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        return process.returncode, out

    code, out = interrupted("train", "2048-small", "--out", "run")
    assert code == 0 and "Stopped and saved. Resume with: afterstate train --resume run" in out
    assert afterstate.Run(tmp_path / "run").overview["state"] == "stopped"
    code, _ = interrupted("solve", "2048:3x3", "--no-save")
    assert code == -signal.SIGINT
