"""Evaluation and comparison: the numbers of the program, for agents and for policies."""

import json
import subprocess
import sys

import numpy as np
import pytest

import afterstate
from afterstate import Batch, Policy


def program(*words):
    """The output of the program, and its exit code."""
    command = [sys.executable, "-m", "afterstate", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return done.stdout, done.stderr, done.returncode


def without_time(text):
    return [line for line in text.splitlines() if "moves/s" not in line]


def test_evaluations_are_those_of_the_program(network_file):
    for agent, rules, search in [
        (network_file, None, "greedy"),
        ("dellacherie", "tetris:6x8", "expectimax:2"),
        ("random", "1010:5x5,hand=3", "greedy"),
    ]:
        found = afterstate.evaluate(agent, rules, games=30, search=search, seed=4, moves=60)
        words = ["eval", agent, "--games", 30, "--search", search, "--seed", 4, "--moves", 60]
        words += [] if rules is None else ["--game", rules]
        out, _, code = program(*words, "--json")
        expected = json.loads(out)
        assert code == 0 and found.mean == expected["mean"] == found.scores.mean()
        assert list(found.interval) == expected["ci95"] and found.truncated == expected["truncated"]
        assert found.rules == expected["game"] and found.median == np.median(found.scores)
        assert without_time(str(found)) == without_time(program(*words)[0])
        reach = {int(tile): rate["rate"] for tile, rate in expected.get("reach", {}).items()}
        assert found.reach == reach


def test_threads_do_not_matter(network_file):
    one = afterstate.evaluate(network_file, games=50, threads=1)
    two = afterstate.evaluate(network_file, games=50, threads=2)
    assert np.array_equal(one.scores, two.scores)
    assert not np.array_equal(
        one.scores, afterstate.evaluate(network_file, games=50, seed=2).scores
    )


def test_comparisons_are_those_of_the_program(network_file):
    found = afterstate.compare("greedy", network_file, games=40)
    words = ["compare", "greedy", network_file, "--games", 40]
    expected = json.loads(program(*words, "--json")[0])
    assert found.difference == expected["difference"] > 0
    assert (found.p, found.wins) == (expected["p"], expected["wins"])
    assert list(found.interval) == expected["ci95"]
    assert str(found) + "\n" == program(*words)[0]
    assert found.second.mean - found.first.mean == pytest.approx(found.difference)
    deeper = afterstate.compare(network_file, network_file, games=20, second_search="expectimax:2")
    assert deeper.second.search == "expectimax:2" and deeper.first.search == "greedy"


def test_a_policy_plays_the_games_of_the_agent_that_it_wraps(network_file):
    agent = afterstate.load(network_file)
    policy = Policy(agent.values, agent.rules, name=agent.name)
    for search in ("greedy", "expectimax:2"):
        arguments = {"games": 12, "search": search, "seed": 3, "moves": 40}
        own, wrapped = (
            afterstate.evaluate(agent, **arguments),
            afterstate.evaluate(policy, **arguments),
        )
        assert np.array_equal(own.scores, wrapped.scores), search
        assert own.reach == wrapped.reach and own.truncated == wrapped.truncated
        assert without_time(str(own)) == without_time(str(wrapped))


def test_a_policy_searches_as_deep_as_an_agent(network_file):
    # Deeper searches value one board for all its symmetric images, whose sums are rounded otherwise:
    # moves of the same value may be swapped.
    agent = afterstate.load(network_file)
    policy, batch = Policy(agent.values), Batch("2048:3x3", 12, 5)
    for _ in range(15):
        actions = policy.choose(batch, "expectimax:3")
        for game in range(12):
            found = agent.analyze(batch.state(game), "expectimax:3").moves
            played = afterstate.gym.Env("2048:3x3")
            played.reset(options={"state": batch.state(game)})
            own, _, boards = played.afterstates()
            board = boards[list(own).index(actions[game])]
            tiles = [str(1 << int(power)) if power else "." for power in board.ravel()]
            values = [move.value for move in found if move.after.replace("|", " ").split() == tiles]
            assert values[0] == pytest.approx(found[0].value, rel=1e-5)
        batch.step(actions)


def test_a_policy_of_tetris_and_1010_searches_over_pieces():
    def flat(boards):
        filled = boards.any(axis=1).sum(axis=1)
        return -boards.sum(axis=(1, 2)) - filled.astype(np.float64)

    for rules in ("tetris:5x8", "1010:4x4"):
        policy = Policy(flat, rules)
        found = afterstate.compare(policy, policy, games=30, second_search="expectimax:2", moves=60)
        assert found.second.mean >= found.first.mean > 0


def test_a_policy_of_moves_sees_boards_pieces_and_legal_actions():
    seen = []

    def first(boards, pieces, legal):
        seen.append((boards.shape, pieces.shape, legal.shape))
        return legal.argmax(axis=1)

    policy = Policy(first, "tetris:6x8,next", kind="moves")
    found = afterstate.evaluate(policy, games=5)
    assert seen[0][0] == (5, 8, 6) and seen[0][1] == (5, 2) and found.agent == "first"
    assert found.moves == sum(found.mean_moves for _ in range(5))
    with pytest.raises(ValueError, match="no values to search with"):
        afterstate.evaluate(policy, games=2, search="expectimax:2")


def test_modules_of_torch_are_policies():
    torch = pytest.importorskip("torch")

    class Empty(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = torch.nn.Parameter(torch.ones(1))

        def forward(self, boards):
            return (boards == 0).sum(dim=(1, 2)) * self.scale

    one = afterstate.evaluate(Policy(Empty(), "2048:3x3"), games=10)
    other = Policy(lambda boards: (boards == 0).sum(axis=(1, 2)), "2048:3x3")
    assert np.array_equal(one.scores, afterstate.evaluate(other, games=10).scores)


def test_a_function_is_never_called_with_more_boards_than_it_takes():
    sizes = []

    def values(boards):
        sizes.append(len(boards))
        return np.zeros(len(boards))

    few = afterstate.evaluate(Policy(values, "2048:3x3", boards=7), games=9, moves=20)
    assert max(sizes) == 7
    many = afterstate.evaluate(Policy(values, "2048:3x3"), games=9, moves=20)
    assert np.array_equal(few.scores, many.scores) and max(sizes) > 7


def test_bad_input_raises(network_file):
    for arguments, sentence in [
        (("random", "2048", {"games": 0}), "expected 1 to 10000000"),
        (("random", "chess", {}), "unknown game"),
        (("random", "2048", {"search": "expectimax:2"}), "no values to search with"),
        (("random", "2048", {"search": "deeper"}), "unknown search"),
        (("random", "2048", {"threads": 0}), "expected 1 to 4096"),
        (("random", "2048", {"device": "abacus"}), "abacus"),
        ((network_file, "tetris", {}), "not for tetris:10x20"),
    ]:
        agent, rules, others = arguments
        with pytest.raises(ValueError, match=sentence):
            afterstate.evaluate(agent, rules, **others)
    with pytest.raises(ValueError, match="play at least 2"):
        afterstate.compare("random", "greedy", "2048", games=1)
    with pytest.raises(ValueError, match="expected a whole number"):
        afterstate.evaluate("random", "2048", seed=-1)
    with pytest.raises(ValueError, match="choose them"):
        afterstate.evaluate(Policy(len))
    with pytest.raises(TypeError, match="expected a function"):
        Policy("values")
    with pytest.raises(ValueError, match="expected 'values' or 'moves'"):
        Policy(len, kind="both")
    for values, sentence in [
        (lambda boards: np.zeros(3), r"expected \("),
        (lambda boards: np.full(len(boards), np.nan), "NaN"),
        (lambda boards: "many", "could not convert"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            afterstate.evaluate(Policy(values, "2048"), games=2)
    for moves, sentence in [
        (lambda boards, pieces, legal: (~legal).argmax(axis=1), "illegal action"),
        (lambda boards, pieces, legal: [0.5, 0.5], "expected 2 integers"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            afterstate.evaluate(Policy(moves, "tetris", kind="moves"), games=2)
    with pytest.raises(ValueError, match="expected greedy or expectimax:PLIES"):
        afterstate.evaluate(Policy(len, "2048"), games=2, search="minimax:2")
    with pytest.raises(ValueError, match="more than"):
        afterstate.evaluate(Policy(len, "1010"), games=2, search="expectimax:4")
    with pytest.raises(ZeroDivisionError):
        afterstate.evaluate(Policy(lambda boards: 1 / 0, "2048"), games=2)
