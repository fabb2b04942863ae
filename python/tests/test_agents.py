"""Agents: loaded by name, their values and moves beside the rules, their weights without a copy."""

import copy
import gc
import pickle

import numpy as np
import pytest

import afterstate
from afterstate import Batch


@pytest.fixture(scope="module")
def network(network_file):
    return afterstate.load(network_file)


def test_agents_are_listed_and_loaded_by_name():
    names = {agent["agent"]: agent for agent in afterstate.agents()}
    assert {"builtin", "random", "dellacherie", "2048", "tetris-10x20", "1010"} <= set(names)
    agent = afterstate.load("tetris-10x10")
    assert (agent.name, agent.rules) == ("tetris-10x10", "tetris:10x10")
    assert agent.card["strength"]["mean"] == names["tetris-10x10"]["mean"] > 5000
    assert afterstate.load("dellacherie", "tetris:8x12").rules == "tetris:8x12"
    assert afterstate.load("builtin", "tetris:10x10,next").name == "tetris-10x20"
    assert agent.with_rules("tetris:10x20").rules == "tetris:10x20"
    assert repr(agent) == 'Agent("tetris-10x10", rules="tetris:10x10")'


def test_an_unreadable_file_does_not_hide_other_agents(tmp_path, monkeypatch):
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "broken.safetensors").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    with pytest.warns(UserWarning, match="broken.safetensors is an empty file|empty"):
        assert any(agent["agent"] == "2048" for agent in afterstate.agents())


def test_values_are_those_of_the_network(network):
    batch = Batch("2048:3x3", 30, 2)
    for _ in range(20):
        offsets, actions, rewards, boards = batch.afterstates()
        values = network.values(boards)
        assert values.dtype == np.float32 and np.unique(values).size > 3
        assert np.array_equal(rewards + values, network.move_values(batch))
        chosen = network.choose(batch)
        for game in range(30):
            own = slice(int(offsets[game]), int(offsets[game + 1]))
            best = actions[own][np.argmax((rewards + values)[own])]
            assert batch.is_over(game) or chosen[game] == best
        batch.step(chosen)
    wide = batch.cells.astype(np.int64)
    assert np.array_equal(network.values(wide), network.values(batch.cells))
    assert np.array_equal(network.values(wide.tolist()), network.values(batch.cells))
    mirrored = batch.cells[:, ::-1]
    assert np.array_equal(network.values(mirrored), network.values(mirrored.copy()))
    assert network.values(batch.cells[:0]).shape == (0,)


def test_a_value_is_the_sum_of_the_weights_of_its_tuples(tmp_path):
    recipe = {
        "game": "2048:2x2",
        "budget": {"episodes": 200},
        "network": {"tuples": [[0, 1]]},
        "phase": [{"method": "td", "rate": 0.1}],
    }
    agent = afterstate.train(recipe, out=tmp_path / "run", progress=False, threads=1).agent
    (weights,) = agent.weights.values()
    batch = Batch("2048:2x2", 10, 1)
    side = round(weights.size**0.5)
    table = weights.reshape(side, side).astype(np.float64)
    for board, value in zip(batch.cells, agent.values(batch.cells)):
        (a, b), (c, d) = board
        pairs = [(a, b), (b, a), (c, d), (d, c), (a, c), (c, a), (b, d), (d, b)]
        assert value == pytest.approx(sum(table[pair] for pair in pairs), rel=1e-4)


def test_weights_are_views_that_keep_their_agent_alive():
    agent = afterstate.load("tetris-10x10")
    weights, again = agent.weights["weights"], agent.weights["weights"]
    assert weights.__array_interface__["data"] == again.__array_interface__["data"]
    assert weights.base is agent and not weights.flags.owndata
    with pytest.raises(ValueError):
        weights[0] = 1
    with pytest.raises(ValueError):
        weights.setflags(write=True)
    before = weights.copy()
    del agent, again
    gc.collect()
    assert np.array_equal(weights, before) and np.isfinite(weights).all()
    assert afterstate.load("random", "2048").weights == {}


def test_copies_and_pickles_play_alike(network):
    batch = Batch("2048:3x3", 20, 1)
    expected = network.choose(batch)
    for agent in (
        copy.copy(network),
        copy.deepcopy(network),
        pickle.loads(pickle.dumps(network)),
    ):
        assert agent.rules == network.rules
        assert np.array_equal(agent.choose(batch), expected)
    named = pickle.loads(pickle.dumps(afterstate.load("dellacherie", "tetris:10x10")))
    assert (named.name, named.rules) == ("dellacherie", "tetris:10x10")
    with pytest.raises(TypeError, match="in memory only"):
        pickle.dumps(afterstate.solve("2048:2x2").agent)


def test_search_looks_further(network):
    batch = Batch("2048:3x3", 10, 4)
    greedy, deep = network.choose(batch), network.choose(batch, "expectimax:3", threads=2)
    assert deep.shape == greedy.shape
    for game in range(3):
        found = network.analyze(batch.state(game), "expectimax:3")
        number = {"left": 3, "up": 0, "right": 1, "down": 2}
        assert set(number) >= {move.move for move in found.moves}
        assert found.plies == 3 and found.nodes > 10
        assert [move.value for move in found.moves] == sorted(
            (move.value for move in found.moves), reverse=True
        )
    assert network.analyze("2 4 2|4 2 4|2 4 2").best is None


def test_bad_input_raises(network, tmp_path):
    with pytest.raises(ValueError, match="unknown agent"):
        afterstate.load("nobody")
    with pytest.raises(FileNotFoundError, match="neither an agent file nor a run folder"):
        afterstate.load(tmp_path / "none.safetensors")
    (tmp_path / "wrong.safetensors").write_bytes(b"wrong")
    with pytest.raises(ValueError, match="is not an agent"):
        afterstate.load(tmp_path / "wrong.safetensors")
    with pytest.raises(ValueError, match="plays any game"):
        afterstate.load("random")
    with pytest.raises(ValueError, match="by any rules of its game"):
        afterstate.load("dellacherie")
    with pytest.raises(ValueError, match="is an agent for 2048:3x3, not for tetris:10x20"):
        afterstate.load(network.name, "tetris")
    with pytest.raises(TypeError):
        afterstate.load(3)
    assert network.with_rules("2048:3x3") is network
    with pytest.raises(ValueError, match="plays 2048:2x2 only, not 2048:3x3"):
        afterstate.evaluate(afterstate.solve("2048:2x2").agent, "2048:3x3")
    tetris = Batch("tetris", 2)
    for call in (network.choose, network.move_values):
        with pytest.raises(ValueError, match="loaded for 2048:3x3, not for tetris:10x20"):
            call(tetris)
    for boards, kind, sentence in [
        (np.zeros((2, 4, 4), np.uint8), ValueError, r"expected \(n, 3, 3\)"),
        (np.zeros((3, 3), np.uint8), ValueError, "three dimensions"),
        (np.zeros((1, 3, 3)), TypeError, "expected integers"),
        (np.full((1, 3, 3), -1), ValueError, "expected 0 to 255"),
        (
            np.full((1, 3, 3), 11, np.uint8),
            ValueError,
            "board 0 has a cell of 11: expected 0 to 10",
        ),
        ("boards", TypeError, "expected integers"),
    ]:
        with pytest.raises(kind, match=sentence):
            network.values(boards)
    linear = afterstate.load("dellacherie", "tetris:10x10")
    with pytest.raises(ValueError, match="no values of boards alone"):
        linear.values(np.zeros((1, 10, 10), np.uint8))
    random = afterstate.load("random", "2048")
    with pytest.raises(ValueError, match="no values"):
        random.move_values(Batch("2048"))
    with pytest.raises(ValueError, match="no values to analyze with"):
        random.analyze("2 2 . .|. . . .|. . . .|. . . .")
    with pytest.raises(ValueError, match="no values to search with"):
        random.choose(Batch("2048"), "expectimax:2")
    with pytest.raises(ValueError, match="unknown search"):
        network.choose(Batch("2048:3x3"), "deeper")
    with pytest.raises(ValueError, match="expected 1 to 4096"):
        network.choose(Batch("2048:3x3"), threads=0)
    for position in ("2 2", [[2, 0]], {"board": 3}, 7):
        with pytest.raises(ValueError):
            network.analyze(position)
