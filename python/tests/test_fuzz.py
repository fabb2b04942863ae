"""Arguments of every shape, dtype, stride and kind: each call succeeds or raises one sentence, none panics,
hangs or leaves a batch that cannot go on."""

import os
import time

import numpy as np
import pytest

import afterstate
from afterstate import Batch
from afterstate._native import tree

#: Inputs of each target; a longer run sets more.
INPUTS = int(os.environ.get("FUZZ_INPUTS", 3_000))

#: No input takes more of the processor; the first call of a kind gets a second try.
MAX_SECONDS = 1.0

#: What bad input may raise. A panic of compiled code is no `Exception` at all.
ERRORS = (TypeError, ValueError, IndexError, OverflowError, FileNotFoundError)

RULES = ["2048:4x4", "2048:2x3", "tetris:10x20,next", "tetris:4x20,pieces=melax", "1010:10x10,hand=3"]

DTYPES = (
    "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 g F D O U3 S3 M8[s] m8[s] >i4 >u8 >f8 V5 i4,f8".split()
)

NUMBERS = [
    0, 1, -1, 2, 3, 7, 127, 128, 255, 256, -(2**31), 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1,
    2**64, 10**30, -(10**30), 0.5, -0.0, 1e300, float("nan"), float("inf"), float("-inf"), True,
]  # fmt: skip

TEXTS = [
    "", "left", "0", "x" * 3000, "\0", "é\u202e", "2 4 8 16|. . . .|. . . .|. . . .", "2048", "I J|" * 9,
    "greedy", "expectimax:2", "expectimax:99", "linear:dt=1,nan", "/dev/zero", "1010:10x10,hand=9",
]  # fmt: skip


class Arguments:
    """A source of arguments, right ones among them."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def one(self, choices):
        return choices[self.random.integers(len(choices))]

    def shape(self, near):
        """The wanted shape, or one that differs in a size or in the number of axes."""
        shape = list(near)
        for _ in range(self.random.integers(3)):
            kind = self.random.integers(4)
            if kind == 0 and shape:
                shape[self.random.integers(len(shape))] = int(self.one([0, 1, 2, 3, 4, 5, 17]))
            elif kind == 1 and len(shape) < 6:
                shape.insert(self.random.integers(len(shape) + 1), int(self.one([0, 1, 2])))
            elif kind == 2 and shape:
                del shape[self.random.integers(len(shape))]
            else:
                shape.reverse()
        return tuple(shape)

    def array(self, near, dtype):
        """An array near a wanted shape and dtype, often with unusual strides, order or flags."""
        dtype = np.dtype(dtype if self.random.random() < 0.5 else self.one(DTYPES))
        shape = self.shape(near)
        # Twice as long along every axis, so that there is something to step over.
        size = tuple(2 * n for n in shape)
        bits = self.random.integers(0, 256, max(1, int(np.prod(size))) * 8, np.uint8)
        small = self.random.integers(0, int(self.one([2, 4, 18, 250])), size)
        if dtype.kind in "biufcO" and self.random.random() < 0.8:
            with np.errstate(all="ignore"):
                array = small.astype(dtype)
        elif dtype.kind in "OMmUSV":
            array = np.zeros(size, dtype)
        else:
            array = np.resize(bits.view(dtype.newbyteorder("=")), size).astype(dtype)
        kind = self.random.integers(7)
        part = array[(*(slice(0, n) for n in shape), ...)]
        if kind == 0:
            part = array[(*(slice(None, None, 2) for _ in shape), ...)]
        elif kind == 1:
            part = part[(*(slice(None, None, -1) for _ in shape), ...)]
        elif kind == 2:
            part = np.asfortranarray(part)
        elif kind == 3 and part.size:
            part = np.broadcast_to(part.ravel()[0], shape)
        elif kind == 4 and part.dtype.kind not in "OV":
            # Not aligned.
            room = np.zeros(part.nbytes + 1, np.uint8)[1:].view(part.dtype).reshape(part.shape)
            room[...] = part
            part = room
        elif kind == 5 and part.dtype.kind not in "OV":
            # A field of records, whose elements are no multiple of their size apart.
            records = np.zeros(part.shape, [("given", part.dtype), ("other", "i1")])
            records["given"] = part
            part = records["given"]
        else:
            part = np.ascontiguousarray(part)
        if self.random.random() < 0.2:
            part.setflags(write=False)
        return part

    def any(self, near, dtype):
        kind = self.random.integers(12)
        if kind < 8:
            return self.array(near, dtype)
        if kind == 8:
            return self.array(near, dtype).tolist()
        if kind == 9:
            return self.one(NUMBERS)
        if kind == 10:
            return self.one(TEXTS)
        return self.one([None, (), [], {}, {1}, object(), b"bytes", [[1], [2, 3]], np.ma.masked, type])

    def scalar(self, right):
        kind = self.random.integers(10)
        if kind < 5:
            return right
        if kind < 8:
            return self.one(NUMBERS)
        return self.any((), "i8")


def tried(call):
    """Calls a function that may refuse, with a sentence, within its time."""
    for last in (False, True):
        begin = time.process_time()
        try:
            call()
        except ERRORS as error:
            sentence = str(error)
            assert sentence and "\n" not in sentence.strip(), repr(sentence)
        if time.process_time() - begin < MAX_SECONDS:
            return
        assert not last, "a call that takes more than a second"


def check(batch):
    """A batch goes on, whatever it was given."""
    count = batch.cell_values
    assert int(batch.cells.max()) < max(count, 2), "cells beyond those of the game"
    batch.step(batch.legal.argmax(axis=1))
    assert np.isfinite(batch.rewards).all()


@pytest.mark.parametrize("rules", RULES)
def test_batches(rules):
    arguments, games = Arguments(1), 3
    batch = Batch(rules, games, 1)
    generator = batch.generator(0)
    calls = [
        lambda: batch.step(arguments.any((games,), "i8")),
        lambda: batch.reset(arguments.any((games,), "u8"), arguments.any((games,), "?")),
        lambda: batch.reseed(arguments.scalar(1), arguments.scalar(5)),
        lambda: batch.state(arguments.scalar(0)),
        lambda: batch.set_state(arguments.scalar(0), arguments.one([*TEXTS, batch.state(1)])),
        lambda: batch.set_generator(
            arguments.scalar(0),
            arguments.one([generator[0], b"", b"x" * 31, b"x" * 33, bytes(32), b"\xff" * 32]),
            arguments.scalar(generator[1]),
            arguments.scalar(generator[2]),
        ),
        lambda: batch.picture(arguments.scalar(0), arguments.scalar(8.0)),
        lambda: (batch.is_over(arguments.scalar(0)), batch.score(arguments.scalar(0))),
        lambda: batch.__setstate__(arguments.any((3,), "O")),
    ]
    for number in range(INPUTS // len(RULES)):
        tried(calls[number % len(calls)])
        if number % 50 == 0:
            check(batch)
    check(batch)


def test_new_batches():
    arguments = Arguments(2)
    for _ in range(INPUTS // 10):
        rules = arguments.one([*RULES, *TEXTS])
        options = dict(
            autoreset=arguments.one(["next_step", "same_step", "disabled", "never", 1, None]),
            masks=arguments.one([True, False, 0, None, "no"]),
            threads=arguments.one([1, 2, 0, -1, 2**64, 0.5, None]),
        )
        tried(lambda: Batch(rules, arguments.scalar(2), arguments.scalar(5), **options))


def test_values_and_trees(network_file):
    arguments = Arguments(3)
    agent, batch = afterstate.load(network_file), Batch("2048:3x3", 4, 1)
    grown = tree(batch, 0, 1, 1000)
    boards = len(grown.boards())
    calls = [
        lambda: agent.values(arguments.any((5, 3, 3), "u1")),
        lambda: agent.analyze(arguments.any((3, 3), "u1"), arguments.one(["greedy", *TEXTS])),
        lambda: agent.analyze(arguments.one(TEXTS)),
        lambda: agent.choose(batch, "greedy", arguments.scalar(1)),
        lambda: grown.best(arguments.any((boards,), "f4")),
        lambda: tree(batch, arguments.scalar(0), arguments.scalar(1), arguments.scalar(50)),
        lambda: afterstate.load(arguments.one(TEXTS), arguments.one([None, *RULES, *TEXTS])),
    ]
    for number in range(INPUTS):
        tried(calls[number % len(calls)])
        if number % 50 == 0:
            check(batch)
