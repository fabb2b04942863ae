"""Observations as arrays: every number of them against the board and the pieces."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from afterstate.gym import Env, VectorEnv
from afterstate.wrappers import Flat, Planes, VectorFlat, VectorPlanes

RULES = ["2048:3x3", "tetris:6x8,next", "1010:5x5,hand=3"]


def expected(observation, env):
    """The planes, one number at a time."""
    pieces = observation["pieces"] if isinstance(observation, dict) else []
    board = observation["board"] if isinstance(observation, dict) else observation
    values = env._batch.cell_values
    planes = [board == value for value in range(values)] if values > 2 else [board == 1]
    for piece in pieces:
        for kind in range(env._batch.piece_kinds):
            planes.append(np.full(board.shape, piece == kind + 1))
    return np.array(planes, dtype=np.float32)


# The checker expects an environment without wrappers, and says so.
@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
@pytest.mark.parametrize("rules", RULES)
def test_planes_and_vectors_hold_the_board_and_the_pieces(rules):
    env = Env(rules)
    planes, flat = Planes(env), Flat(env)
    check_env(Planes(Env(rules)), skip_render_check=True)
    check_env(Flat(Env(rules)), skip_render_check=True)
    observation, _ = env.reset(seed=4)
    for _ in range(15):
        wanted = expected(observation, env)
        assert np.array_equal(planes.observation(observation), wanted)
        vector = flat.observation(observation)
        board = wanted.shape[0] - env._batch.pieces.shape[1] * env._batch.piece_kinds
        parts = [wanted[:board].ravel(), wanted[board:, 0, 0]]
        assert np.array_equal(vector, np.concatenate(parts))
        action = int(np.flatnonzero(planes.action_masks())[-1])
        observation, _, terminated, _, _ = env.step(action)
        if terminated:
            observation, _ = env.reset()


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("kind", [(Planes, VectorPlanes), (Flat, VectorFlat)])
def test_a_vector_has_the_observations_of_its_games(rules, kind):
    single, vector = kind
    one = single(Env(rules))
    envs = vector(VectorEnv(rules, 3, autoreset_mode=AutoresetMode.SAME_STEP))
    seen, info = envs.reset(seed=1)
    assert envs.observation_space.contains(seen)
    for _ in range(60):
        seen, _, terminated, _, info = envs.step(info["action_mask"].argmax(axis=1))
        batch = envs.unwrapped.batch
        for game in range(3):
            one.reset(options={"state": batch.state(game)})
            assert np.array_equal(one.observation(one.unwrapped._observation()), seen[game])
        if terminated.any():
            assert info["final_obs"].shape == seen.shape


def test_other_environments_are_refused():
    with pytest.raises(ValueError, match="expected those of an environment of afterstate"):
        Planes(gymnasium.make("CartPole-v1"))
