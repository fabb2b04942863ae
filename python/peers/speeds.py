"""Loops of random moves in this package and in others, each the way its documentation steps it.

A loop is a function that makes some steps and returns how many. Moves are drawn uniformly among the
legal ones where a package tells them, else among all.
"""

from typing import Any, Callable, List, NamedTuple, Optional, Sequence

import gymnasium
import numpy as np

Loop = Callable[[], int]

#: Steps of one call: of all games at once, of one game, and of games that are played again.
SCAN, CHUNK, _REPLAYED = 64, 200, 400


class Speed(NamedTuple):
    """What is measured: one environment at a time, or the best of some batch sizes."""

    game: str
    package: str
    how: str
    make: Callable[[int], Loop]
    sizes: Sequence[int] = (1,)
    note: str = ""


def random_legal(legal: np.ndarray, random: np.random.Generator, actions: np.ndarray) -> None:
    """One uniformly random legal action per game. In 2048 it is looked up by the four bits."""
    games, count = legal.shape
    if count == 4:
        bits = (legal.view(np.uint32)[:, 0] * np.uint32(0x01020408)) >> np.uint32(24)
        draws = random.integers(0, 12, games, dtype=np.uint8)
        np.take(_LEGAL, bits * np.uint32(12) + draws, out=actions, mode="clip")
        return
    # Gymnasium's masks are integers, of which NumPy finds the ones far more slowly than of booleans.
    legal = legal.view(np.bool_)
    counts = legal.sum(axis=1)
    chosen = (random.random(games, dtype=np.float32) * counts).astype(np.int64)
    places = np.flatnonzero(legal)
    starts = np.cumsum(counts) - counts
    at = np.minimum(starts + chosen, len(places) - 1)
    actions[:] = places[at] % count


def _draws(bits: int) -> List[int]:
    """Twelve equally likely draws among the legal moves of 2048."""
    legal = [move for move in range(4) if bits >> move & 1] or [0]
    return legal * (12 // len(legal))


_LEGAL = np.array([_draws(bits) for bits in range(16)], np.int32).ravel()


def own_batch(rules: str, games: int) -> Loop:
    """`Batch` with its masks."""
    from afterstate import Batch

    batch = Batch(rules, games, 1)

    def loop() -> int:
        for _ in range(SCAN):
            batch.random_actions()
            batch.step()
        return SCAN * games

    return loop


def own_steps(rules: str, games: int) -> Loop:
    """`Batch` alone: random legal moves are drawn before, and the same games played again."""
    from afterstate import Batch

    batch, random = Batch(rules, games, 1), np.random.default_rng(1)
    drawn = []
    for _ in range(_REPLAYED):
        random_legal(batch.legal, random, batch.actions)
        drawn.append(batch.actions.copy())
        batch.step()

    def loop() -> int:
        batch.reset(1)
        for actions in drawn:
            batch.step(actions)
        return _REPLAYED * games

    return loop


def own_vector(name: str, games: int) -> Loop:
    """Gymnasium's vector environment, whose observations are copies."""
    import afterstate  # noqa: F401, registers the environments

    envs = gymnasium.make_vec(f"afterstate/{name}-v0", num_envs=games)
    random, actions = np.random.default_rng(1), np.zeros(games, np.int32)
    masks = [envs.reset(seed=1)[1]["action_mask"]]

    def loop() -> int:
        for _ in range(SCAN):
            random_legal(masks[0], random, actions)
            masks[0] = envs.step(actions)[4]["action_mask"]
        return SCAN * games

    return loop


def single(env: Any, mask: Optional[Callable[[dict], Any]]) -> Loop:
    """An environment of Gymnasium."""
    random = np.random.default_rng(1)
    infos = [env.reset(seed=1)[1]]

    def loop() -> int:
        info = infos[0]
        for _ in range(CHUNK):
            if mask is None:
                action = int(random.integers(env.action_space.n))
            else:
                legal = mask(info).nonzero()[0]
                action = int(legal[int(random.random() * len(legal))])
            _, _, terminated, truncated, info = env.step(action)
            if terminated or truncated:
                info = env.reset()[1]
        infos[0] = info
        return CHUNK

    return loop


def own_single(name: str, _: int, **options: Any) -> Loop:
    """One environment of Gymnasium."""
    import afterstate  # noqa: F401, registers the environments

    env = gymnasium.make(f"afterstate/{name}-v0", **options).unwrapped
    return single(env, lambda info: info["action_mask"])


def gymnasium_2048(_: int) -> Loop:
    """One environment; it tells no legal moves."""
    import gymnasium_2048  # noqa: F401, registers the environment

    return single(gymnasium.make("gymnasium_2048/TwentyFortyEight-v0").unwrapped, None)


def gymnasium_2048_vector(games: int) -> Loop:
    """Gymnasium's vector of its environments in one process."""
    import gymnasium_2048  # noqa: F401, registers the environment

    envs = gymnasium.make_vec("gymnasium_2048/TwentyFortyEight-v0", num_envs=games)
    random = np.random.default_rng(1)
    envs.reset(seed=1)

    def loop() -> int:
        for _ in range(SCAN):
            envs.step(random.integers(0, 4, games))
        return SCAN * games

    return loop


def tetris_gymnasium(_: int) -> Loop:
    """One environment; a step is a key, not a placement."""
    import tetris_gymnasium.envs  # noqa: F401, registers the environment

    return single(gymnasium.make("tetris_gymnasium/Tetris").unwrapped, None)


def open_spiel(_: int) -> Loop:
    """One state; chance nodes are drawn, but only moves are counted."""
    import random

    import pyspiel

    game, draw = pyspiel.load_game("2048"), random.Random(1)
    states: List[Any] = [game.new_initial_state()]

    def loop() -> int:
        state, moves = states[0], 0
        while moves < CHUNK:
            if state.is_chance_node():
                actions, chances = zip(*state.chance_outcomes())
                state.apply_action(draw.choices(actions, chances)[0])
            elif state.is_terminal():
                state = game.new_initial_state()
            else:
                state.apply_action(draw.choice(state.legal_actions()))
                moves += 1
        states[0] = state
        return moves

    return loop


def scanned(step: Callable, state: Any, games: int) -> Loop:
    """A compiled scan over `step(state, key)`."""
    import jax

    @jax.jit
    def run(state: Any, key: Any) -> Any:
        return jax.lax.scan(lambda s, k: (step(s, k), None), state, jax.random.split(key, SCAN))[0]

    keys, states = [jax.random.PRNGKey(1)], [state]

    def loop() -> int:
        keys[0], key = jax.random.split(keys[0])
        states[0] = jax.block_until_ready(run(states[0], key))
        return SCAN * games

    return loop


def stepped(step: Callable, state: Any) -> Loop:
    """A compiled `step(state, key)` of one game, called from Python."""
    import jax

    compiled, states, keys = jax.jit(step), [state], [jax.random.PRNGKey(1)]

    def loop() -> int:
        for _ in range(CHUNK):
            keys[0], key = jax.random.split(keys[0])
            states[0] = compiled(states[0], key)
        jax.block_until_ready(states[0])
        return CHUNK

    return loop


def pgx_2048(games: int) -> Loop:
    """`vmap` of its steps with its own automatic reset."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make("2048")
    step = jax.vmap(auto_reset(env.step, env.init))

    def one(state, key):
        choose, play = jax.random.split(key)
        actions = jax.random.categorical(choose, jnp.log(state.legal_action_mask))
        return step(state, actions, jax.random.split(play, games))

    first = jax.vmap(env.init)(jax.random.split(jax.random.PRNGKey(0), games))
    return stepped(one, first) if games == 1 else scanned(one, first, games)


def _jumanji(env: Any, shape: Optional[Sequence[int]], games: int) -> Loop:
    import jax
    import jax.numpy as jnp
    from jumanji.wrappers import AutoResetWrapper, VmapWrapper

    envs = VmapWrapper(AutoResetWrapper(env))

    def one(carry, key):
        state, mask = carry
        chosen = jax.random.categorical(key, jnp.log(mask.reshape(games, -1)))
        actions = chosen if shape is None else jnp.stack(jnp.unravel_index(chosen, shape), axis=1)
        state, timestep = envs.step(state, actions)
        return state, timestep.observation.action_mask

    state, timestep = envs.reset(jax.random.split(jax.random.PRNGKey(0), games))
    first = (state, timestep.observation.action_mask)
    return stepped(one, first) if games == 1 else scanned(one, first, games)


def jumanji_2048(games: int) -> Loop:
    """Its automatic reset in a `vmap`."""
    from jumanji.environments import Game2048

    return _jumanji(Game2048(), None, games)


def jumanji_tetris(games: int) -> Loop:
    """The same; a step is a placement."""
    from jumanji.environments import Tetris

    return _jumanji(Tetris(num_rows=10, num_cols=10), (4, 10), games)


def tetris_functional(games: int) -> Loop:
    """The compiled form of tetris-gymnasium; a step is a key."""
    import jax
    from tetris_gymnasium.envs import tetris_fn
    from tetris_gymnasium.functional.core import EnvConfig
    from tetris_gymnasium.functional.tetrominoes import TETROMINOES

    config = EnvConfig(width=10, height=20, padding=4, queue_size=7, gravity_enabled=True)

    def first(key):
        return tetris_fn.reset(TETROMINOES, key, config)[1]

    def play(state, action, key):
        after = tetris_fn.step(TETROMINOES, state, action, config)[0]
        return jax.lax.cond(after.game_over, lambda: first(key), lambda: after)

    def one(state, key):
        choose, again = jax.random.split(key)
        actions = jax.random.randint(choose, (games,), 0, 7)
        return jax.vmap(play)(state, actions, jax.random.split(again, games))

    return scanned(one, jax.vmap(first)(jax.random.split(jax.random.PRNGKey(0), games)), games)


def puffer(source: str, games: int) -> Loop:
    """PufferLib's core; it tells no legal moves."""
    from puffer import Core

    core, random = Core(source, games), np.random.default_rng(1)

    def loop() -> int:
        for _ in range(SCAN):
            core.actions[:] = random.integers(0, 4, games, dtype=np.int32)
            core.step()
        return SCAN * games

    return loop
