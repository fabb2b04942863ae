"""`Batch`: arrays and bad input."""

import pickle

import numpy as np
import pytest

from afterstate import Batch


def test_arrays_are_made_once_and_have_a_row_per_game():
    batch = Batch("tetris:10x20,next", 5, 1)
    before = {name: getattr(batch, name) for name in ("cells", "pieces", "legal", "rewards")}
    batch.step(batch.legal.argmax(axis=1))
    assert all(getattr(batch, name) is array for name, array in before.items())
    assert before["cells"].shape == (5, 20, 10) and before["pieces"].shape == (5, 2)
    assert before["legal"].shape == (5, batch.action_count)
    assert before["pieces"].min() >= 1 and before["pieces"].max() <= batch.piece_kinds == 7
    assert before["cells"].sum() == 5 * 4


def test_games_do_not_depend_on_how_many_there_are():
    few, many = Batch("2048", 2, 7), Batch("2048", 50, 7)
    for _ in range(100):
        for batch in (few, many):
            batch.step(batch.legal.argmax(axis=1))
        assert np.array_equal(few.cells, many.cells[:2])


def test_boards_are_those_of_the_text():
    batch = Batch("2048")
    batch.set_state(0, "2 4 8 16|32 64 128 256|512 1024 2048 4096|8192 16384 32768 65536")
    assert np.array_equal(batch.cells[0].ravel(), np.arange(1, 17))
    assert batch.cell_values == 18


def test_random_play_averages_what_is_known():
    # 1,098 points within 4 standard errors of 4,000 games.
    batch, random = Batch("2048", 4000, 3, autoreset="disabled"), np.random.default_rng(0)
    scores = np.zeros(4000)
    while batch.legal.any():
        keys = random.random(batch.legal.shape, dtype=np.float32) * batch.legal
        batch.step(keys.argmax(axis=1))
        scores += batch.rewards
    assert abs(scores.mean() - 1098) < 4 * scores.std() / 4000**0.5


@pytest.mark.parametrize("rules", ["2048", "tetris:10x20", "1010:10x10,hand=3"])
def test_random_actions_are_legal_and_those_of_the_seed(rules):
    first, again, copied = (Batch(rules, 500, 3, autoreset="disabled") for _ in range(3))
    for step in range(60):
        assert first.random_actions() is first.actions
        chosen = first.legal[np.arange(500), first.actions]
        assert (chosen == first.legal.any(axis=1)).all()
        assert np.array_equal(first.actions, again.random_actions())
        first.step()
        again.step()
        if step == 30:
            copied = pickle.loads(pickle.dumps(first))
    for _ in range(29):
        copied.step(copied.random_actions())
    assert np.array_equal(copied.cells, first.cells)
    assert not np.array_equal(Batch(rules, 500, 4).random_actions(), Batch(rules, 500, 3).random_actions())
    with pytest.raises(ValueError, match="masks=False"):
        Batch(rules, masks=False).random_actions()


def test_bad_input_raises():
    for arguments, sentence in [
        (("chess",), "unknown game"),
        (("2048:9x9",), "9x9"),
        (("2048", 0), "expected 1 to"),
        (("1010", 1 << 24), "need"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            Batch(*arguments)
    with pytest.raises(ValueError, match="expected next_step, same_step or disabled"):
        Batch("2048", autoreset="never")
    with pytest.raises(ValueError, match="expected a whole number"):
        Batch("2048", 1, -1)
    batch = Batch("2048", 2)
    with pytest.raises(ValueError, match="3 actions for 2 games"):
        batch.step([0, 1, 2])
    for actions in (["left", "right"], [0.5, 1.0], [[0], [1]], 3):
        with pytest.raises(TypeError, match="expected 2 integers"):
            batch.step(actions)
    with pytest.raises(IndexError, match="there is no game 2: expected 0 to 1"):
        batch.state(2)
    with pytest.raises(ValueError):
        batch.set_state(0, "three")
    with pytest.raises(ValueError, match="expected 32"):
        batch.set_generator(0, b"short", 0, 0)
    with pytest.raises(ValueError, match="expected 4 to 400 pixels"):
        batch.picture(0, 1e9)
    for seed in (-1, 1 << 64):
        with pytest.raises(ValueError, match=f"invalid number {seed}: expected a whole number"):
            Batch("2048", 1, seed)
        with pytest.raises(ValueError, match=f"invalid number {seed}"):
            batch.reset(seed)
    with pytest.raises(ValueError, match="invalid number -3"):
        Batch("2048", -3)
    for game in (-1, 1 << 64):
        with pytest.raises(IndexError, match=f"there is no game {game}"):
            batch.state(game)
    with pytest.raises(TypeError):
        batch.score("0")
    with pytest.raises(ValueError, match="a mask of 3 for 2 games"):
        batch.reset(mask=[True] * 3)
    for mask in ([1, 0], [[True, False]], "no"):
        with pytest.raises(TypeError, match="expected 2 of type bool"):
            batch.reset(mask=mask)
    batch.step([-1, 1 << 40])
    assert batch.illegal.all()


def test_seeds_are_one_for_all_or_one_for_each():
    batch, other = Batch("2048", 3, 5), Batch("2048", 3)
    other.reset(5)
    assert np.array_equal(batch.cells, other.cells)
    for seeds in ([7, 8, 1 << 63], np.array([7, 8, 1 << 63], np.uint64)):
        other.reset(seeds)
        for game, seed in enumerate([7, 8, 1 << 63]):
            assert other.state(game) == Batch("2048", 1, seed).state(0)
    before = other.cells.copy()
    other.reset([1, 2, 3], np.array([False, True, False]))
    assert np.array_equal(np.any(before != other.cells, axis=(1, 2)), [False, True, False])
    with pytest.raises(ValueError, match="2 seeds for 3 games"):
        other.reset([1, 2])
    with pytest.raises(ValueError, match="invalid number -1"):
        other.reset([1, 2, -1])
    for seeds in ("abc", [0.5] * 3, np.zeros(3)):
        with pytest.raises(TypeError):
            other.reset(seeds)


def test_arrays_begin_where_xla_takes_them_without_a_copy():
    for rules in ("2048", "tetris:10x20,next"):
        for games in (1, 3, 1000):
            batch = Batch(rules, games, autoreset="same_step")
            names = "actions rewards terminated truncated illegal cells pieces legal".split()
            arrays = [getattr(batch, name) for name in names] + list(batch.last)
            for array in arrays:
                assert array.size == 0 or array.ctypes.data % 64 == 0
                assert array.flags.c_contiguous and array.flags.writeable


@pytest.mark.parametrize("name", ["actions", "rewards", "terminated", "cells", "legal"])
@pytest.mark.filterwarnings("ignore:Setting:DeprecationWarning")
def test_arrays_that_were_changed_in_place_are_refused(name):
    def dtype(array):
        array.dtype = np.uint8 if array.itemsize > 1 else np.uint16

    def shape(array):
        array.shape = (2, array.size // 2)

    def flags(array):
        array.setflags(write=False)

    for change in (dtype, shape, flags):
        batch = Batch("2048", 4)
        change(getattr(batch, name))
        # Only what a step cannot write is refused.
        try:
            batch.step()
        except ValueError as error:
            assert "the batch" in str(error)
        else:
            assert change is not dtype


def test_a_copy_has_the_settings_and_arrays_of_the_batch():
    batch = Batch("2048:2x2", 3, 1, autoreset="same_step", masks=False, threads=2)
    batch.step([0, 1, 9])
    batch.set_state(0, "2 4|8 4")
    batch.step([0, 0, 0])
    assert batch.terminated[0] and batch.last[0][0].all()
    other = pickle.loads(pickle.dumps(batch))
    assert repr(other) == repr(batch) and other.legal.shape == (0, 4) and other.last is not None
    for name in ("cells", "pieces", "actions", "rewards", "terminated", "truncated", "illegal"):
        assert np.array_equal(getattr(other, name), getattr(batch, name))
    assert all(map(np.array_equal, other.last, batch.last))
    for state in ([], []), ([("2 2", b"", 0.0, 0)] * 3, [0] * 5), 7:
        with pytest.raises((ValueError, TypeError)):
            other.__setstate__(state)
    batch.step()
