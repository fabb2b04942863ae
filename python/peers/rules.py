"""The rules of other packages as adapters of the conformance suite."""

from functools import partial
from typing import Any, Callable, Dict, List, Optional

import gymnasium
import numpy as np

from afterstate.conformance import Adapter2048, PlacementAdapter, Report, check, load
from afterstate.conformance.environments import check_gymnasium

#: Directions in the order of the actions of gymnasium-2048, jumanji and open_spiel, and of pgx.
CLOCKWISE = ("up", "right", "down", "left")
PGX = ("left", "up", "right", "down")


def powers(board: Any) -> np.ndarray:
    """A board of tiles as powers of two."""
    return np.log2(np.maximum(np.array(board), 1)).astype(np.int32)


def tiles(board: Any) -> np.ndarray:
    """A board of powers of two as tiles."""
    board = np.asarray(board).reshape(4, 4).astype(np.int64)
    return np.where(board > 0, 2**board, 0)


def gymnasium_2048() -> List[Report]:
    """The environment as it is, and its functions on boards."""
    import gymnasium_2048  # noqa: F401, registers the environment
    from gymnasium_2048.envs import TwentyFortyEightEnv as Rules

    def move(board, name):
        after, reward, _ = Rules.apply_action(powers(board), CLOCKWISE.index(name))
        return tiles(after), reward

    adapter = Adapter2048(
        legal=lambda board: [
            name for at, name in enumerate(CLOCKWISE) if Rules.apply_action(powers(board), at)[2]
        ],
        move=move,
        over=lambda board: Rules.is_terminated(powers(board)),
    )
    env = partial(gymnasium.make, "gymnasium_2048/TwentyFortyEight-v0")
    return [check(env, name="environment"), check(adapter, name="functions on boards")]


def jumanji_2048() -> List[Report]:
    """Its functions, compiled."""
    import jax
    import jax.numpy as jnp
    from jumanji.environments.logic.game_2048 import Game2048, utils
    from jumanji.environments.logic.game_2048.types import State

    env = Game2048()
    mask, slide = jax.jit(env._get_action_mask), jax.jit(utils.move)
    step, reset = jax.jit(env.step), jax.jit(env.reset)

    def legal(board):
        return [name for name, yes in zip(CLOCKWISE, np.asarray(mask(powers(board)))) if yes]

    def move(board, name):
        after, reward = slide(powers(board), CLOCKWISE.index(name))
        return tiles(after), float(reward)

    def play(board, name, seed):
        board = jnp.asarray(powers(board))
        state = State(
            board=board,
            step_count=jnp.array(0, jnp.int32),
            action_mask=mask(board),
            key=jax.random.PRNGKey(seed),
            score=jnp.array(0, float),
        )
        state, timestep = step(state, CLOCKWISE.index(name))
        return tiles(state.board), float(timestep.reward), bool(timestep.last())

    start = lambda seed: tiles(reset(jax.random.PRNGKey(seed))[0].board)  # noqa: E731
    adapter = Adapter2048(legal=legal, move=move, play=play, start=start)
    return [check(adapter, name="functions on boards")]


def pgx_2048() -> List[Report]:
    """Its functions, compiled; it has none for a move without a new tile."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.play2048 import _legal_action_mask

    env = pgx.make("2048")
    mask, step, reset = jax.jit(_legal_action_mask), jax.jit(env.step), jax.jit(env.init)
    first = reset(jax.random.PRNGKey(0))

    def legal(board):
        return [name for name, yes in zip(PGX, np.asarray(mask(powers(board)))) if yes]

    def play(board, name, seed):
        board = jnp.asarray(powers(board))
        state = first.replace(_board=board.ravel(), legal_action_mask=mask(board))
        state = step(state, PGX.index(name), jax.random.PRNGKey(seed))
        return tiles(state._board), float(state.rewards[0]), bool(state.terminated)

    start = lambda seed: tiles(reset(jax.random.PRNGKey(seed))._board)  # noqa: E731
    return [check(Adapter2048(legal=legal, play=play, start=start), name="functions on boards")]


class OpenSpiel2048(gymnasium.Env):
    """open_spiel's game with a generator for its chance nodes: its states cannot be set."""

    def __init__(self):
        import pyspiel

        self.game = pyspiel.load_game("2048")
        self.observation_space = gymnasium.spaces.Box(0, np.inf, (4, 4), np.float64)
        self.action_space = gymnasium.spaces.Discrete(4)

    def _settle(self):
        while self.state.is_chance_node():
            actions, chances = zip(*self.state.chance_outcomes())
            self.state.apply_action(int(self.np_random.choice(actions, p=np.array(chances))))
        legal = [] if self.state.is_terminal() else self.state.legal_actions()
        info = {"action_mask": np.isin(np.arange(4), legal).astype(np.int8)}
        return np.array(str(self.state).split(), float).reshape(4, 4), info

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state, self.points = self.game.new_initial_state(), 0.0
        return self._settle()

    def step(self, action):
        if action not in self.state.legal_actions():
            return *self._settle()[:1], 0.0, False, False, self._settle()[1]
        before = self.state.returns()[0]
        self.state.apply_action(int(action))
        reward = self.state.returns()[0] - before
        observation, info = self._settle()
        return observation, reward, self.state.is_terminal(), False, info


def open_spiel_2048() -> List[Report]:
    """Its game, played."""
    return [check(OpenSpiel2048, name="game", gymnasium_checker=False)]


def cells_of(shape: Any) -> frozenset:
    """The cells of a shape, moved to the top left corner."""
    rows, columns = np.nonzero(np.asarray(shape))
    pairs = zip((rows - rows.min()).tolist(), (columns - columns.min()).tolist())
    return frozenset(pairs)


def named(shapes: List[Any], rules: str) -> Dict[str, int]:
    """The number of each piece of the data file in a list of shapes."""
    numbers = {}
    for name, turns in load(rules)["pieces"].items():
        wanted = {cells_of([[cell == "#" for cell in row] for row in turn]) for turn in turns}
        numbers[name] = next(i for i, shape in enumerate(shapes) if cells_of(shape) in wanted)
    return numbers


def jumanji_tetris() -> List[Report]:
    """All 40 actions of a board in one compiled call."""
    import jax
    import jax.numpy as jnp
    from jumanji.environments import Tetris

    env = Tetris(num_rows=10, num_cols=10)
    number = named([piece[0] for piece in np.asarray(env.TETROMINOES_LIST)], "tetris:10x10")
    names = {at: name for name, at in number.items()}
    lines = {0.0: 0, 40.0: 1, 100.0: 2, 300.0: 3, 1200.0: 4}
    actions = jnp.array([(turn, column) for turn in range(4) for column in range(10)])
    reset = jax.jit(env.reset)
    first, _ = reset(jax.random.PRNGKey(0))

    @jax.jit
    def outcomes(grid, piece):
        mask = env._calculate_action_mask(grid, piece)
        state = first.replace(grid_padded=grid, tetromino_index=piece, action_mask=mask)
        states, steps = jax.vmap(env.step, (None, 0))(state, actions)
        return mask.ravel(), states.grid_padded, steps.reward

    def padded(rows):
        grid = np.zeros((13, 13), np.int32)
        grid[:10, :10] = [[cell == "#" for cell in row] for row in rows]
        return grid

    def placements(rows, piece):
        mask, boards, rewards = map(np.asarray, outcomes(padded(rows), number[piece]))
        return [(boards[at, :10, :10], lines[float(rewards[at])]) for at in np.flatnonzero(mask)]

    adapter = PlacementAdapter(
        "tetris:10x10",
        placements=placements,
        over=lambda rows, piece: not np.asarray(outcomes(padded(rows), number[piece])[0]).any(),
        piece=lambda seed: names[int(reset(jax.random.PRNGKey(seed))[0].tetromino_index)],
    )
    return [check(adapter, name="functions on boards")]


def tetris_gymnasium() -> List[Report]:
    """A piece is turned and moved at the top of the well, as keys do, and dropped."""
    import tetris_gymnasium.envs  # noqa: F401, registers the environment
    from tetris_gymnasium.envs.tetris import Tetris

    env = Tetris(gravity=False)
    number = named([piece.matrix for piece in env.tetrominoes], "tetris:10x20")
    names = {env.tetrominoes[at].id: name for name, at in number.items()}
    keys, pad = env.actions, env.padding

    def place(rows, piece, turn, shift) -> Optional[Any]:
        env.reset(seed=0)
        env.board[:20, pad:-pad] = [[2 * (cell == "#") for cell in row] for row in rows]
        env.active_tetromino = env.tetrominoes[number[piece]]
        env.reset_tetromino_position()
        if env.collision(env.active_tetromino, env.x, env.y):
            return None
        moves = [keys.rotate_clockwise] * turn
        moves += [keys.move_right if shift > 0 else keys.move_left] * abs(shift)
        for key in moves:
            env.step(key)
        info = env.step(keys.hard_drop)[4]
        return env.crop_padding(env.board).copy(), int(info["lines_cleared"])

    def placements(rows, piece):
        tried = (place(rows, piece, turn, shift) for turn in range(4) for shift in range(-6, 7))
        return [outcome for outcome in tried if outcome is not None]

    def first(seed):
        env.reset(seed=seed)
        return names[env.active_tetromino.id]

    adapter = PlacementAdapter("tetris:10x20", placements=placements, piece=first)
    environment = Report("environment")
    check_gymnasium(environment, partial(gymnasium.make, "tetris_gymnasium/Tetris"))
    return [check(adapter, name="keys on boards"), environment]


def own(name: str, rules: str) -> List[Report]:
    """An environment of this package."""
    return [
        check(partial(gymnasium.make, f"afterstate/{name}-v0", rules=rules), name="environment")
    ]


#: What is checked: the package, the game, and the function that checks it.
CHECKED: List[Any] = [
    ("afterstate", "2048", partial(own, "2048", "2048")),
    ("gymnasium-2048", "2048", gymnasium_2048),
    ("jumanji", "2048", jumanji_2048),
    ("pgx", "2048", pgx_2048),
    ("open_spiel", "2048", open_spiel_2048),
    ("afterstate", "Tetris 10x20", partial(own, "Tetris", "tetris:10x20")),
    ("tetris-gymnasium", "Tetris 10x20", tetris_gymnasium),
    ("jumanji", "Tetris 10x10", jumanji_tetris),
    ("afterstate", "1010!", partial(own, "1010", "1010:10x10,hand=3")),
]

Checked = Callable[[], List[Report]]
