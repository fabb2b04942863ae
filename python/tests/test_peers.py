"""The scripts that measure other packages, as far as they run without those."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers"))

import measure  # noqa: E402
import rules  # noqa: E402
import speeds  # noqa: E402

from afterstate import Batch  # noqa: E402


@pytest.mark.parametrize("game", ["2048", "tetris:6x8", "1010:5x5,hand=3"])
def test_moves_are_uniform_among_the_legal_ones(game):
    batch, random = Batch(game, 50, 1), np.random.default_rng(1)
    legal, actions = np.repeat(batch.legal, 2000, axis=0), np.zeros(100_000, np.int32)
    speeds.random_legal(legal, random, actions)
    assert legal[np.arange(100_000), actions].all()
    for mask, drawn in zip(batch.legal, actions.reshape(50, 2000)):
        expected = 2000 / mask.sum()
        counts = np.bincount(drawn, minlength=len(mask))[mask]
        assert (abs(counts - expected) < 6 * expected**0.5).all()


@pytest.mark.parametrize("make", [speeds.own_batch, speeds.own_steps])
def test_our_loops_count_their_steps(make):
    assert make("2048:2x2", 3)() % 3 == 0


def test_tables_compare_like_with_like():
    def loop(games):
        return lambda: games

    row = speeds.Speed
    results = [
        (row("2048", "afterstate", "batch", loop, note="masks"), 1024, 15e6),
        (row("2048", "afterstate", "batch", loop, note="step alone"), 1024, 20e6),
        (row("2048", "afterstate", "one", loop), 1, 3e5),
        (row("2048", "other", "batch", loop), 256, 1e6),
        (row("2048", "other", "one", loop), 1, 1e5),
    ]
    page = measure.speed_tables(results)
    assert "| other | 1.00M | 256 | 15 times as fast |" in page
    assert "| other | 100k | 1 | 3.0 times as fast |" in page


def test_pieces_are_found_by_their_shapes():
    shapes = [[[1, 1], [1, 1]], [[1, 1, 1, 1]], [[0, 1, 0], [1, 1, 1]], [[1, 0, 0], [1, 1, 1]]]
    shapes += [[[0, 0, 1], [1, 1, 1]], [[0, 1, 1], [1, 1, 0]], [[1, 1, 0], [0, 1, 1]]]
    found = rules.named(shapes, "tetris:10x20")
    assert [name for name, _ in sorted(found.items(), key=lambda item: item[1])] == list("OITJLSZ")
