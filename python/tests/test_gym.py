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
    envs = afterstate.gym.VectorEnv(rules, 3)
    envs.reset(seed=[0, 1, 2])
    offsets, *arrays = envs.afterstates()
    assert len(offsets) == 4
    for own, array in zip((actions, rewards, boards), arrays):
        assert np.array_equal(own, array[int(offsets[1]) : int(offsets[2])])


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


def row(arrays, game):
    """What a vector tells of one game, in arrays or in an array of objects."""
    if isinstance(arrays, dict):
        return {key: row(value, game) for key, value in arrays.items()}
    return arrays[game]


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("name, rules", list(zip(IDS, RULES)))
def test_a_vector_plays_and_tells_as_those_of_gymnasium_do(name, rules, mode):
    make, seeds = gymnasium.make_vec, [None, 5, 7, 9]
    ours = make(name, num_envs=4, rules=rules, autoreset_mode=mode)
    settings = {"vectorization_mode": "sync", "vector_kwargs": {"autoreset_mode": mode}}
    theirs = make(name, num_envs=4, rules=rules, **settings)
    random, ends = np.random.default_rng(2), 0
    envs = (ours, theirs)
    told = [env.reset(seed=3) for env in envs]
    for number in range(150):
        over = told[0][2] | told[0][3] if number else np.zeros(4, bool)
        one, other = (results[-1] for results in told)
        assert set(one) == set(other) and one["action_mask"].dtype == other["action_mask"].dtype
        if "final_obs" in one:
            # Rows of games that go on mean nothing.
            for key in ("final_obs", "final_info"):
                own, others = one.pop(key), other.pop(key)
                assert all(same(row(own, game), row(others, game)) for game in np.flatnonzero(over))
        assert all(same(*pair) for pair in zip(*told))
        ends += over.sum()
        if mode == AutoresetMode.DISABLED and over.any():
            told = [env.reset(options={"reset_mask": over.copy()}) for env in envs]
        elif number % 50 == 49:
            told = [env.reset(seed=seeds) for env in envs]
        mask = told[0][-1]["action_mask"]
        actions = (random.random(mask.shape) * mask).argmax(axis=1)
        if number % 5 == 4:
            actions = random.integers(ours.single_action_space.n, size=4)
        told = [env.step(actions) for env in envs]
    assert ends > 3


def test_a_vector_is_taken_by_wrappers_and_masks_by_spaces():
    envs = afterstate.gym.VectorEnv("2048:2x2", 4, autoreset_mode=AutoresetMode.SAME_STEP)
    listed = gymnasium.wrappers.vector.DictInfoToList(envs)
    _, infos = listed.reset(seed=1)
    for _ in range(50):
        masks = tuple(info["action_mask"] for info in infos)
        actions = envs.action_space.sample(mask=masks)
        assert all(mask[action] for mask, action in zip(masks, actions))
        *_, infos = listed.step(actions)
        assert len(infos) == 4


def test_an_environment_with_a_seed_plays_the_game_of_a_batch():
    env, batch = afterstate.gym.Env("tetris"), afterstate.Batch("tetris", seed=11)
    assert same(env.reset(seed=11)[0], {"board": batch.cells[0], "pieces": batch.pieces[0]})
    envs = afterstate.gym.VectorEnv("tetris", 3)
    assert np.array_equal(envs.reset(seed=10)[0]["pieces"][1], batch.pieces[0])


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


def test_a_finished_game_of_a_vector_needs_a_reset_unless_that_is_automatic():
    envs = afterstate.gym.VectorEnv("2048:2x2", 3, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=1)
    envs.batch.set_state(1, "2 4|8 4")
    mask = envs.step([9, 0, 9])[2]
    assert list(mask) == [False, True, False]
    for other in (envs, pickle.loads(pickle.dumps(envs))):
        with pytest.raises(gymnasium.error.ResetNeeded, match="game 1 is over: call reset"):
            other.step([0, 0, 0])
        other.reset(options={"reset_mask": ~mask})
        with pytest.raises(gymnasium.error.ResetNeeded):
            other.step([0, 0, 0])
        other.reset(options={"reset_mask": mask})
        other.step([0, 0, 0])


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
    ending = afterstate.gym.Env("2048:2x2", illegal="terminate")
    ending.reset(options={"state": "2 4|. ."})
    assert ending.step(0)[2]
    with pytest.raises(gymnasium.error.ResetNeeded, match="over"):
        ending.step(2)
    ending.reset(options={"state": "2 4|. ."})
    assert not ending.step(2)[2]
    with pytest.raises(ValueError, match="unknown game"):
        afterstate.gym.Env("chess")
    with pytest.raises(ValueError, match="expected one of"):
        afterstate.gym.Env("2048", illegal="perhaps")
    envs = afterstate.gym.VectorEnv("2048", 3)
    envs.reset(seed=1)
    for actions in ([0, 1], [[0], [1], [2]], [0.0, 1.0, 2.0]):
        with pytest.raises(ValueError, match="expected 3 integers"):
            envs.step(np.array(actions))
    assert envs.step([1 << 32, -1, 1 << 62])[4]["illegal"].all()
    for seed, kind in [([1, 2], ValueError), ([1, 2, -3], ValueError), ([1, 2, 0.5], TypeError)]:
        with pytest.raises(kind):
            envs.reset(seed=seed)
    for mask in ([True], [[True]] * 3):
        with pytest.raises((ValueError, TypeError)):
            envs.reset(options={"reset_mask": mask})


@pytest.mark.parametrize("rules", RULES)
def test_a_closed_environment_says_so(rules):
    envs = afterstate.gym.Env(rules), afterstate.gym.VectorEnv(rules, 2)
    for env in envs:
        env.reset(seed=1)
        env.close()
        env.close()
        step = lambda: env.step(env.action_space.sample())  # noqa: E731
        for call in (env.reset, step, env.render, env.action_masks):
            with pytest.raises(gymnasium.error.ClosedEnvironmentError, match="make a new one"):
                call()


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("rules", RULES)
def test_copies_and_pickles_of_vectors_go_on_alike(rules, mode):
    envs = afterstate.gym.VectorEnv(rules, 6, autoreset_mode=mode, threads=2)
    _, info = envs.reset(seed=4)

    def step(envs, actions):
        *results, info = envs.step(actions)
        over = results[2] | results[3]
        if mode == AutoresetMode.DISABLED and over.any():
            info = envs.reset(options={"reset_mask": over})[1]
        return [*results, info]

    for _ in range(60):
        info = step(envs, info["action_mask"].argmax(axis=1))[-1]
    others = [copy.deepcopy(envs), pickle.loads(pickle.dumps(envs))]
    for _ in range(60):
        actions = info["action_mask"].argmax(axis=1)
        one = step(envs, actions)
        for other in others:
            two = step(other, actions)
            assert all(map(same, one[:4], two[:4]))
            assert same(one[4]["action_mask"], two[4]["action_mask"])
        info = one[4]
