"""The environments, by Gymnasium's own checker and beside each other."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import afterstate  # noqa: F401, registers the environments

IDS = ["afterstate/2048-v0", "afterstate/Tetris-v0", "afterstate/1010-v0"]
RULES = ["2048:3x3", "tetris:6x8,next", "1010:5x5,hand=3"]


def play(env, moves, seed=5):
    """Random legal moves: what was seen."""
    random, seen = np.random.default_rng(1), []
    seen.append(env.reset(seed=seed)[0])
    for _ in range(moves):
        action = random.choice(np.flatnonzero(env.unwrapped.action_masks()))
        observation, reward, terminated, truncated, _ = env.step(int(action))
        seen += [observation, reward, terminated]
        if terminated or truncated:
            seen.append(env.reset()[0])
    return seen


def same(one, other):
    if isinstance(one, dict):
        return all(same(one[key], other[key]) for key in one)
    return np.array_equal(one, other)


@pytest.mark.parametrize("env_id", IDS)
def test_gymnasium_finds_nothing_wrong(env_id, recwarn):
    check_env(gymnasium.make(env_id, render_mode="rgb_array").unwrapped)
    assert [w for w in recwarn if "np_random" not in str(w.message)] == []


@pytest.mark.parametrize("rules", RULES)
def test_a_seed_plays_the_same_game_and_copies_go_on_alike(rules):
    name = {"2": IDS[0], "t": IDS[1], "1": IDS[2]}[rules[0]]
    one, other = (gymnasium.make(name, rules=rules) for _ in range(2))
    assert all(map(same, play(one, 200), play(other, 200)))
    assert not all(map(same, play(one, 200), play(other, 200, seed=6)))
    env = one.unwrapped
    env.reset(seed=3)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        again = copy.deepcopy(env)
        for _ in range(5):
            action = int(np.flatnonzero(other.action_masks())[0])
            assert same(other.step(action)[0], again.step(action)[0])


@pytest.mark.parametrize("rules", RULES)
def test_afterstates_are_the_boards_after_every_legal_action(rules):
    env = afterstate.gym.Env(rules)
    env.reset(seed=1)
    actions, rewards, boards = env.afterstates()
    assert sorted(actions) == list(np.flatnonzero(env.action_masks()))
    for action, reward in zip(actions, rewards):
        assert copy.deepcopy(env).step(int(action))[1] == reward
    assert boards.shape == (len(actions), *env._batch.cells.shape[1:])


def test_a_vector_is_made_of_the_same_games():
    envs = gymnasium.make_vec(IDS[0], num_envs=4, rules="2048:2x2")
    observation, info = envs.reset(seed=[1, 2, 3, 4])
    singles = [afterstate.Batch("2048:2x2", autoreset="disabled") for _ in range(4)]
    for game, single in enumerate(singles):
        single.reseed(0, game + 1)
    over = np.zeros(4, bool)
    for _ in range(200):
        actions = info["action_mask"].argmax(axis=1)
        observation, rewards, terminated, truncated, info = envs.step(actions)
        for game, single in enumerate(singles):
            if over[game]:
                single.reset()
                assert rewards[game] == 0 and not terminated[game]
            else:
                single.step([actions[game]])
                assert rewards[game] == single.rewards[0]
                assert terminated[game] == single.terminated[0]
            assert np.array_equal(observation[game], single.cells[0])
        over = terminated | truncated
    assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP


def test_the_last_boards_are_told_when_games_restart_in_the_same_step():
    mode = AutoresetMode.SAME_STEP
    envs = afterstate.gym.VectorEnv("2048:2x2", 8, autoreset_mode=mode)
    _, info = envs.reset(seed=1)
    ends = 0
    for _ in range(100):
        _, _, terminated, _, info = envs.step(info["action_mask"].argmax(axis=1))
        assert info["action_mask"].any(axis=1).all()
        if terminated.any():
            ends += terminated.sum()
            assert (info["_final_obs"] == terminated).all()
            assert (info["final_obs"][terminated] > 0).all()
    assert ends > 0


@pytest.mark.parametrize("rules", RULES)
def test_pictures_show_the_board(rules):
    envs = afterstate.gym.VectorEnv(rules, 2, render_mode="rgb_array")
    _, info = envs.reset(seed=1)
    before = envs.render()
    assert len(before) == 2 and before[0].ndim == 3 and before[0].dtype == np.uint8
    envs.step(info["action_mask"].argmax(axis=1))
    assert not np.array_equal(envs.render()[0], before[0])
    text = afterstate.gym.Env(rules, render_mode="ansi")
    text.reset(seed=1)
    assert len(text.render().splitlines()) >= text._batch.cells.shape[1]


def test_limits_truncate():
    env = afterstate.gym.Env("tetris:10x20,limit=3")
    env.reset(seed=1)
    results = [env.step(int(np.flatnonzero(env.action_masks())[0])) for _ in range(3)]
    assert [result[2:4] for result in results] == [(False, False)] * 2 + [(False, True)]


def test_bad_input_raises():
    env = afterstate.gym.Env("2048:2x2")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset(seed=1, options={"state": "2 4|. ."})
    for action in (4, -1, 0.5, "left"):
        with pytest.raises(ValueError, match="expected a number from 0 to 3"):
            env.step(action)
    assert env.step(0)[4]["illegal"] and env.state().startswith("2 4")
    strict = afterstate.gym.Env("2048:2x2", illegal="raise")
    strict.reset(options={"state": "2 4|. ."})
    with pytest.raises(ValueError, match="action 0 is illegal here"):
        strict.step(0)
    env.reset(options={"state": "2 4|8 16"})
    with pytest.raises(gymnasium.error.ResetNeeded, match="over"):
        env.step(0)
    with pytest.raises(ValueError, match="unknown game"):
        afterstate.gym.Env("chess")
    with pytest.raises(ValueError, match="expected one of"):
        afterstate.gym.Env("2048", illegal="perhaps")
    envs = afterstate.gym.VectorEnv("2048", 3)
    envs.reset(seed=1)
    for actions in ([0, 1], [[0], [1], [2]], [0.0, 1.0, 2.0]):
        with pytest.raises(ValueError, match="expected 3 integers"):
            envs.step(np.array(actions))


@pytest.mark.parametrize("rules", RULES)
def test_a_closed_environment_says_so(rules):
    envs = afterstate.gym.Env(rules), afterstate.gym.VectorEnv(rules, 2)
    for env in envs:
        env.reset(seed=1)
        env.close()
        env.close()
        for call in (env.reset, lambda: env.step(env.action_space.sample())):
            with pytest.raises(gymnasium.error.ClosedEnvironmentError, match="make a new one"):
                call()


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("rules", RULES)
def test_copies_and_pickles_of_vectors_go_on_alike(rules, mode):
    envs = afterstate.gym.VectorEnv(rules, 6, autoreset_mode=mode, threads=2)
    _, info = envs.reset(seed=4)
    for _ in range(60):
        _, _, _, _, info = envs.step(info["action_mask"].argmax(axis=1))
    others = [copy.deepcopy(envs), pickle.loads(pickle.dumps(envs))]
    for _ in range(60):
        actions = info["action_mask"].argmax(axis=1)
        one = envs.step(actions)
        for other in others:
            two = other.step(actions)
            assert all(map(same, one[:4], two[:4]))
            assert same(one[4]["action_mask"], two[4]["action_mask"])
        info = one[4]
