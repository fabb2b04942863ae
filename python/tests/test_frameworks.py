"""The environments under Stable-Baselines3, PyTorch and JAX: `cargo xtask python --frameworks`."""

import gymnasium
import numpy as np
import pytest

import afterstate

torch = pytest.importorskip("torch", reason="installed by cargo xtask python --frameworks")
stable_baselines3 = pytest.importorskip("stable_baselines3")
sb3_contrib = pytest.importorskip("sb3_contrib")
jax = pytest.importorskip("jax")

IDS = ["afterstate/2048-v0", "afterstate/Tetris-v0", "afterstate/1010-v0"]


@pytest.mark.parametrize("env_id", IDS)
def test_the_checker_of_stable_baselines3_finds_nothing_wrong(env_id, recwarn):
    from stable_baselines3.common.env_checker import check_env

    check_env(afterstate.wrappers.Flat(gymnasium.make(env_id)))
    assert [str(w.message) for w in recwarn if "stable_baselines3" in w.filename] == []
    # It takes planes for a picture, and recommends vectors in place of boards; nothing else.
    check_env(afterstate.wrappers.Planes(gymnasium.make(env_id)))
    check_env(gymnasium.make(env_id).unwrapped)
    about = [str(w.message) for w in recwarn if "stable_baselines3" in w.filename]
    assert [text for text in about if "image" not in text and "unconventional" not in text] == []


@pytest.mark.parametrize("env_id", IDS)
def test_maskable_ppo_trains_and_plays_only_legal_actions(env_id):
    env = afterstate.wrappers.Flat(gymnasium.make(env_id, illegal="raise"))
    policy = sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=32, seed=1)
    before = [parameter.detach().clone() for parameter in policy.policy.parameters()]
    policy.learn(192)
    after = list(policy.policy.parameters())
    assert any(not torch.equal(old, new) for old, new in zip(before, after))
    observation, _ = env.reset(seed=2)
    for _ in range(50):
        masks = env.action_masks()
        action, _ = policy.predict(observation, action_masks=masks)
        assert masks[action]
        observation, _, terminated, truncated, _ = env.step(int(action))
        if terminated or truncated:
            observation, _ = env.reset()


def test_pytorch_and_jax_take_the_arrays_of_a_batch_without_a_copy():
    batch = afterstate.Batch("2048", 256, 1)
    tensor = torch.from_dlpack(batch.cells)
    assert tensor.data_ptr() == batch.cells.ctypes.data
    batch.step(batch.legal.argmax(axis=1))
    assert np.array_equal(tensor.numpy(), batch.cells)
    for array in (batch.cells, batch.rewards, batch.legal):
        taken = jax.dlpack.from_dlpack(array, copy=False)
        assert taken.unsafe_buffer_pointer() == array.ctypes.data
        assert np.array_equal(np.asarray(taken), array)
