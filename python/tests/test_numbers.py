"""Large numbers: scores beyond 2^31 and 2^53, games of 10^10 pieces, and sums that `float32` would round."""

import locale

import numpy as np
import pytest

from afterstate import Batch, evaluate

BEGIN = 10**10


def continued(rules, score, moves, steps):
    """A batch of one game that has had so many moves already, after more steps, and what they earned."""
    batch = Batch(rules, 1, 1, autoreset="disabled")
    batch.set_generator(0, batch.generator(0)[0], score, moves)
    earned = played = 0
    while played < steps and not batch.is_over(0):
        batch.step(batch.legal.argmax(axis=1))
        earned, played = earned + int(batch.rewards[0]), played + 1
    return batch, earned, played


@pytest.mark.parametrize("rules", ["2048", "tetris:10x20", "1010:10x10,hand=3"])
@pytest.mark.parametrize("score", [2**31 - 2, 2**31, 2**32 - 1, 2**40 + 1, 2**52])
def test_scores_go_on_exactly(rules, score):
    batch, earned, played = continued(rules, score, BEGIN, 60)
    assert played > 10 and (earned > 0 or rules.startswith("tetris"))
    assert batch.score(0) == score + earned
    assert batch.moves(0) == BEGIN + played


def test_the_largest_tile_goes_on():
    batch = Batch("2048", 1, 1)
    batch.set_state(0, "65536 65536 2 4|4 8 16 32|2 64 4 8|16 32 2 4")
    batch.set_generator(0, batch.generator(0)[0], 2**31 - 1, 0)
    left = [a for a in range(4) if batch.legal[0, a]]
    batch.step([left[0]])
    assert batch.score(0) == 2**31 - 1 + 131072 and batch.rewards[0] == 131072


def test_a_limit_of_ten_thousand_million_pieces():
    rules = f"tetris:10x20,limit={BEGIN + 3}"
    batch, _, played = continued(rules, 0, BEGIN, 3)
    assert (played, batch.moves(0), bool(batch.truncated[0])) == (3, BEGIN + 3, True)
    batch, _, played = continued(rules, 0, BEGIN, 2)
    assert not batch.truncated[0]


def test_moves_do_not_overflow():
    batch, _, played = continued("tetris:10x20", 0.0, 2**64 - 4, 3)
    assert (played, batch.moves(0)) == (3, 2**64 - 1)


def test_scores_are_finite():
    batch = Batch("2048", 1, 1)
    for score in (float("nan"), float("inf"), float("-inf")):
        with pytest.raises(ValueError, match="expected a finite number"):
            batch.set_generator(0, batch.generator(0)[0], score, 0)


def test_sums_of_many_games_are_not_rounded():
    """The mean of an evaluation is that of its scores in double precision."""
    played = evaluate("greedy", games=400, rules="2048:3x3", seed=1)
    scores = np.asarray(played.scores, np.float64)
    assert played.mean == pytest.approx(scores.mean(), rel=1e-12)


@pytest.mark.parametrize("language", ["de_DE.UTF-8", "tr_TR.UTF-8", "C.UTF-8"])
def test_the_language_of_the_interpreter_changes_nothing(language):
    before, state = locale.setlocale(locale.LC_ALL), Batch("2048", 1, 3).state(0)
    try:
        locale.setlocale(locale.LC_ALL, language)
    except locale.Error:
        pytest.skip(f"{language} is not installed")
    try:
        assert Batch("2048:4x4,four=0.1", 1, 3).state(0) == state
    finally:
        locale.setlocale(locale.LC_ALL, before)
