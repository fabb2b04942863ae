"""The games as environments of Gymnasium."""

from typing import Any, Dict, Optional, Sequence, Tuple, Union

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv as _VectorEnv
from gymnasium.vector.utils import batch_space

from ._native import Batch

__all__ = ["Env", "VectorEnv"]

_ILLEGAL = ("ignore", "raise", "terminate")


def _check_illegal(illegal: str) -> None:
    if illegal not in _ILLEGAL:
        raise ValueError(f"invalid illegal {illegal!r}: expected one of {', '.join(_ILLEGAL)}")


def _check_open(closed: bool) -> None:
    if closed:
        raise gymnasium.error.ClosedEnvironmentError("the environment is closed: make a new one")


def _check_render_mode(mode: Optional[str]) -> None:
    if mode not in (None, "ansi", "rgb_array"):
        raise ValueError(f"invalid render_mode {mode!r}: expected 'ansi', 'rgb_array' or None")


def _render(batch: Batch, game: int, mode: Optional[str]) -> Any:
    if mode == "ansi":
        return batch.draw(game)
    return batch.picture(game) if mode == "rgb_array" else None


def _observation_space(batch: Batch) -> "spaces.Space[Any]":
    """The board alone where there are no pieces; else the board and the pieces that are seen."""
    _, rows, columns = batch.cells.shape
    board = spaces.Box(0, batch.cell_values - 1, (rows, columns), np.uint8)
    slots = batch.pieces.shape[1]
    if slots == 0:
        return board
    pieces = spaces.Box(0, batch.piece_kinds, (slots,), np.uint8)
    return spaces.Dict({"board": board, "pieces": pieces})


def _seed(generator: np.random.Generator) -> int:
    return int(generator.integers(1 << 63))


class Env(gymnasium.Env[Any, Any]):
    """One game.

    Observations are the board (powers of two in 2048, full cells elsewhere), in Tetris and 1010! a
    dictionary of the board and of the pieces that the player sees: one more than the number of the
    piece, or 0 for an empty place of the hand. Actions are placements; which are legal is in
    `info["action_mask"]` and `action_masks()`. The reward is that of the rules: points or lines.

    Args:
        rules: The rules, such as "2048:3x3" or "tetris:10x20,next".
        illegal: What an illegal action does: "ignore" (nothing, and info["illegal"] is true), "raise"
            a ValueError, or "terminate" the game.
        render_mode: "ansi", "rgb_array" or None.

        >>> import gymnasium, afterstate
        >>> env = gymnasium.make("afterstate/2048-v0", rules="2048:3x3")
        >>> board, info = env.reset(seed=1)
        >>> board.shape, info["action_mask"].dtype
        ((3, 3), dtype('int8'))
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}

    def __init__(
        self, rules: str = "2048", *, illegal: str = "ignore", render_mode: Optional[str] = None
    ):
        _check_illegal(illegal)
        _check_render_mode(render_mode)
        self.render_mode = render_mode
        self.illegal = illegal
        self._batch = Batch(rules, 1, 0, autoreset="disabled")
        self._started, self._over, self._closed = False, False, False
        self.observation_space = _observation_space(self._batch)
        self.action_space = spaces.Discrete(self._batch.action_count)

    @property
    def rules(self) -> str:
        """The rules as text, in their shortest form."""
        return self._batch.rules

    def action_masks(self) -> np.ndarray:
        """Which actions are legal."""
        _check_open(self._closed)
        return self._batch.legal[0].copy()

    def afterstates(self) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All legal moves: their actions, their rewards and the boards after them."""
        _check_open(self._closed)
        _, actions, rewards, boards = self._batch.afterstates()
        return actions, rewards, boards

    def state(self) -> str:
        """The state as text."""
        return self._batch.state(0)

    def _observation(self) -> Any:
        board = self._batch.cells[0].copy()
        pieces = self._batch.pieces
        return {"board": board, "pieces": pieces[0].copy()} if pieces.shape[1] else board

    def _info(self) -> Dict[str, Any]:
        return {"action_mask": self._batch.legal[0].astype(np.int8)}

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Any, Dict[str, Any]]:
        """Starts a game: with a seed, the game of `Batch(rules, seed=seed)`. `options={"state": TEXT}`
        starts it from a state."""
        _check_open(self._closed)
        super().reset(seed=seed)
        if seed is not None:
            self._batch.reset(seed)
        else:
            self._batch.reset(None if self._started else _seed(self.np_random))
        if options and "state" in options:
            self._batch.set_state(0, options["state"])
        self._started, self._over = True, False
        return self._observation(), self._info()

    def step(self, action: Any) -> Tuple[Any, float, bool, bool, Dict[str, Any]]:
        """Plays an action."""
        _check_open(self._closed)
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset before the first step")
        batch = self._batch
        if self._over or batch.is_over(0):
            raise gymnasium.error.ResetNeeded("the game is over: call reset")
        # Asking the space takes longer than the step itself.
        known = isinstance(action, (int, np.integer)) and 0 <= action < batch.action_count
        if not known and not self.action_space.contains(action):
            last = batch.action_count - 1
            raise ValueError(f"invalid action {action!r}: expected a number from 0 to {last}")
        batch.actions[0] = action
        batch.step()
        illegal = bool(batch.illegal[0])
        if illegal and self.illegal == "raise":
            raise ValueError(f"action {int(action)} is illegal here: see action_masks()")
        self._over = illegal and self.illegal == "terminate"
        terminated = self._over or bool(batch.terminated[0])
        info = self._info()
        if illegal:
            info["illegal"] = True
        return (
            self._observation(),
            float(batch.rewards[0]),
            terminated,
            bool(batch.truncated[0]),
            info,
        )

    def render(self) -> Any:
        """The board drawn as text, or as an array of rows, columns and colours."""
        _check_open(self._closed)
        return _render(self._batch, 0, self.render_mode)

    def close(self) -> None:
        """Closes the environment: it plays no more."""
        self._closed = True


class VectorEnv(_VectorEnv[Any, Any, Any]):
    """Many games in one call, by `gymnasium.make_vec("afterstate/2048-v0", num_envs=1024)`.

    Observations, actions and rewards are those of `Env`, with one more dimension. Illegal actions
    change nothing; `info["illegal"]` tells of them. Games and infos are those of Gymnasium's own vectors
    of such environments with the same seeds.

    Args:
        rules: The rules.
        num_envs: The number of games.
        autoreset_mode: What becomes of games that are over; Gymnasium's AutoresetMode.
        copy: Whether observations and the rest are copies. Without, they are arrays that the next
            step overwrites.
        masks: Whether `info["action_mask"]` is there.
        threads: The threads of a step, which pay for thousands of games.
    """

    def __init__(
        self,
        rules: str = "2048",
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        masks: bool = True,
        threads: int = 1,
        render_mode: Optional[str] = None,
    ):
        mode = AutoresetMode(autoreset_mode)
        names = {
            AutoresetMode.NEXT_STEP: "next_step",
            AutoresetMode.SAME_STEP: "same_step",
            AutoresetMode.DISABLED: "disabled",
        }
        _check_render_mode(render_mode)
        self.metadata = {**Env.metadata, "autoreset_mode": mode}
        self.render_mode = render_mode
        self.num_envs = num_envs
        self._mode, self._copy, self._masks = mode, copy, masks
        self._batch = Batch(
            rules, num_envs, 0, autoreset=names[mode], masks=masks, threads=threads
        )
        self._started, self._all = False, np.ones(num_envs, np.bool_)
        self._over = np.zeros(num_envs, np.bool_)
        self.single_observation_space = _observation_space(self._batch)
        self.single_action_space = spaces.Discrete(self._batch.action_count)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    @property
    def rules(self) -> str:
        """The rules as text, in their shortest form."""
        return self._batch.rules

    @property
    def batch(self) -> Batch:
        """The games."""
        return self._batch

    def action_masks(self) -> np.ndarray:
        """Which actions are legal: one row per game."""
        _check_open(self.closed)
        if not self._masks:
            raise ValueError("this environment was made with masks=False")
        return self._own(self._batch.legal)

    def afterstates(self) -> Tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The legal moves of all games: where the moves of each game begin (one more than games), their
        actions, their rewards and the boards after them."""
        _check_open(self.closed)
        return self._batch.afterstates()

    def _own(self, array: np.ndarray) -> np.ndarray:
        return array.copy() if self._copy else array

    def _observation(self, cells: np.ndarray, pieces: np.ndarray) -> Any:
        if pieces.shape[1] == 0:
            return self._own(cells)
        return {"board": self._own(cells), "pieces": self._own(pieces)}

    def _info(self, legal: np.ndarray, known: np.ndarray) -> Dict[str, Any]:
        """The masks of actions, and in which games they are known."""
        if not self._masks:
            return {}
        return {"action_mask": self._own(legal.view(np.int8)), "_action_mask": known}

    def reset(
        self,
        *,
        seed: Union[int, Sequence[Optional[int]], None] = None,
        options: Optional[Dict[str, Any]] = None,
    ) -> Tuple[Any, Dict[str, Any]]:
        """Starts all games, or those of `options={"reset_mask": MASK}`. A seed is that of the first game,
        and the next ones have the seeds after it; or it is a list of one seed per game."""
        _check_open(self.closed)
        mask = (options or {}).get("reset_mask")
        if mask is not None:
            mask = np.ascontiguousarray(mask, dtype=np.bool_)
        chosen = mask
        if seed is None:
            self._batch.reset(None if self._started else _seed(self.np_random), mask)
        elif isinstance(seed, (list, tuple, np.ndarray)):
            if len(seed) != self.num_envs:
                raise ValueError(f"{len(seed)} seeds for {self.num_envs} games: expected one per game")
            known = np.array([one is not None for one in seed])
            if not known.all():
                # Without a seed, a game goes on with its own stream.
                self._batch.reset(None, ~known if mask is None else ~known & mask)
                mask = known if mask is None else known & mask
            self._batch.reset([0 if one is None else one for one in seed], mask)
        else:
            first: Any = seed
            super().reset(seed=first)
            self._batch.reset(range(first, first + self.num_envs), mask)
        self._started = True
        self._over = self._over & (False if chosen is None else ~chosen)
        batch = self._batch
        return self._observation(batch.cells, batch.pieces), self._info(batch.legal, self._all)

    def step(
        self, actions: Any
    ) -> Tuple[Any, np.ndarray, np.ndarray, np.ndarray, Dict[str, Any]]:
        """Plays one action in every game."""
        _check_open(self.closed)
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset before the first step")
        batch = self._batch
        if self._mode == AutoresetMode.DISABLED and self._over.any():
            game = int(self._over.argmax())
            raise gymnasium.error.ResetNeeded(
                f"game {game} is over: call reset, with options={{'reset_mask': MASK}} for some games"
            )
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or not np.issubdtype(actions.dtype, np.integer):
            raise ValueError(
                f"actions of shape {actions.shape} and type {actions.dtype}: expected "
                f"{self.num_envs} integers"
            )
        batch.step(actions)
        info = self._info(batch.legal, self._all)
        if batch.illegal.any():
            info["illegal"] = info["_illegal"] = self._own(batch.illegal)
        self._over = over = batch.terminated | batch.truncated
        if self._mode == AutoresetMode.SAME_STEP and over.any():
            assert batch.last is not None
            cells, pieces, legal = batch.last
            info["final_obs"] = self._observation(cells, pieces)
            info["_final_obs"] = over
            info["final_info"] = self._info(legal, over)
            info["_final_info"] = over
        return (
            self._observation(batch.cells, batch.pieces),
            self._own(batch.rewards),
            self._own(batch.terminated),
            self._own(batch.truncated),
            info,
        )

    def render(self) -> Any:
        """Every board drawn as text, or as an array of rows, columns and colours."""
        _check_open(self.closed)
        if self.render_mode is None:
            return None
        games = range(self.num_envs)
        return tuple(_render(self._batch, game, self.render_mode) for game in games)
