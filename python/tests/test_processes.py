"""Threads and processes around a batch: any number of them, forks, and arrays that others use."""

import multiprocessing
import os
import threading

import gymnasium
import numpy as np
import pytest

import afterstate
from afterstate import Batch


def play(batch, steps=200):
    """The sum of all rewards and the last boards of games that take their first legal action."""
    total = 0.0
    for _ in range(steps):
        batch.step(batch.legal.argmax(axis=1))
        total += batch.rewards.sum()
    return total, batch.cells.copy()


@pytest.mark.parametrize("rules", ["2048", "tetris:6x8,next", "1010:5x5,hand=3"])
def test_any_number_of_threads_plays_the_same_games(rules):
    alone = play(Batch(rules, 10, 3))
    for threads in (2, 3, 16):
        total, cells = play(Batch(rules, 10, 3, threads=threads))
        assert total == alone[0] and np.array_equal(cells, alone[1])
    with pytest.raises(ValueError, match="number of threads 0: expected 1 to 256"):
        Batch(rules, threads=0)


def test_a_vector_takes_threads():
    envs = gymnasium.make_vec("afterstate/2048-v0", num_envs=8, threads=2)
    _, info = envs.reset(seed=1)
    assert envs.step(info["action_mask"].argmax(axis=1))[1].shape == (8,)


def _child(batch, queue):
    queue.put(play(batch)[0])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_fork_after_threads_goes_on():
    batch = Batch("2048", 64, 1, threads=2)
    play(batch, 10)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_child, args=(batch, queue))
    child.start()
    total = queue.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0
    assert total == play(batch)[0]


def test_many_python_threads_step_their_own_batches():
    expected = play(Batch("2048", 100, 7))[0]
    totals = []
    threads = [
        threading.Thread(target=lambda: totals.append(play(Batch("2048", 100, 7))[0]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert totals == [expected] * 4


def test_one_batch_in_two_threads_is_refused_or_waits_but_never_breaks():
    batch, refused = Batch("2048", 5_000, 1), []

    def work():
        for _ in range(200):
            try:
                batch.step()
            except (RuntimeError, ValueError) as error:
                refused.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("in use" in text or "borrowed" in text for text in refused)
    play(batch, 3)


def test_arrays_that_another_thread_writes_are_refused_or_read_but_never_break(network_file):
    agent, other = afterstate.load(network_file), Batch("2048:3x3", 20_000)
    batch, refused, done = Batch("2048:3x3", 20_000, 1), [], threading.Event()
    cells, terminated = batch.cells, batch.terminated

    def work():
        while not done.is_set():
            batch.step()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(60):
            for call in (
                lambda: agent.values(cells),
                lambda: other.step(cells[:, 0, 0]),
                lambda: other.reset(mask=terminated),
            ):
                try:
                    call()
                except ValueError as error:
                    refused.append(str(error))
    finally:
        done.set()
        thread.join()
    assert refused and set(refused) == {"the arrays of the batch are in use by another call"}


def test_arrays_are_shared_without_a_copy():
    batch = Batch("2048", 4, 1)
    cells = np.from_dlpack(batch.cells)
    assert np.shares_memory(cells, batch.cells)
    before = cells.copy()
    batch.step(batch.legal.argmax(axis=1))
    assert not np.array_equal(cells, before)
    assert np.array_equal(cells, batch.cells)


def test_the_vectors_of_gymnasium_run_environments_in_processes():
    envs = gymnasium.make_vec(
        "afterstate/Tetris-v0",
        num_envs=2,
        vectorization_mode="async",
        vector_kwargs={"context": "spawn"},
        rules="tetris:6x8",
    )
    try:
        observation, info = envs.reset(seed=1)
        assert observation["board"].shape == (2, 8, 6)
        assert envs.step(info["action_mask"].argmax(axis=1))[1].shape == (2,)
    finally:
        envs.close()
    assert afterstate.gym.Env("2048").spec is None
