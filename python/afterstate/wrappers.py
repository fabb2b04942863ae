"""Observations as neural networks take them, for single environments and for vectors."""

from typing import Any, Callable, Dict, Optional, Tuple

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

__all__ = ["Planes", "VectorPlanes", "Flat", "VectorFlat"]


class _Encoding:
    """How the observations of some rules become arrays."""

    def __init__(self, space: "spaces.Space[Any]"):
        board: Any = space
        pieces: Any = None
        if isinstance(space, spaces.Dict) and set(space.spaces) == {"board", "pieces"}:
            board, pieces = space["board"], space["pieces"]
        if not isinstance(board, spaces.Box) or len(board.shape) != 2 or board.dtype != np.uint8:
            raise ValueError(
                f"observations in {space}: expected those of an environment of afterstate"
            )
        self.rows, self.columns = board.shape
        self.values = int(board.high.max()) + 1
        self.slots = 0 if pieces is None else pieces.shape[0]
        # A piece has a number from 1; 0 is an empty place.
        self.kinds = 0 if pieces is None else int(pieces.high.max())
        # A board of two values is one plane, as it is.
        self.board_planes = self.values if self.values > 2 else 1

    def split(self, observation: Any) -> Tuple[np.ndarray, Any]:
        if self.slots:
            return observation["board"], observation["pieces"]
        return observation, None

    def board(self, cells: np.ndarray) -> np.ndarray:
        """The planes of boards: any number of dimensions, then planes, rows, columns."""
        if self.board_planes == 1:
            return cells[..., None, :, :].astype(np.float32)
        values = np.arange(self.values, dtype=np.uint8)[:, None, None]
        return (cells[..., None, :, :] == values).astype(np.float32)

    def pieces(self, pieces: np.ndarray) -> np.ndarray:
        """One number for every place and piece."""
        kinds = np.arange(1, self.kinds + 1, dtype=np.uint8)
        one_hot = (pieces[..., None] == kinds).astype(np.float32)
        return one_hot.reshape(*pieces.shape[:-1], self.slots * self.kinds)

    def planes(self, observation: Any) -> np.ndarray:
        cells, pieces = self.split(observation)
        board = self.board(cells)
        if pieces is None:
            return board
        constant = self.pieces(pieces)[..., None, None]
        shape = (*constant.shape[:-2], self.rows, self.columns)
        return np.concatenate([board, np.broadcast_to(constant, shape)], axis=-3)

    def flat(self, observation: Any) -> np.ndarray:
        cells, pieces = self.split(observation)
        board = self.board(cells)
        vector = board.reshape(*board.shape[:-3], -1)
        return vector if pieces is None else np.concatenate([vector, self.pieces(pieces)], axis=-1)

    def planes_space(self) -> spaces.Box:
        planes = self.board_planes + self.slots * self.kinds
        return spaces.Box(0, 1, (planes, self.rows, self.columns), np.float32)

    def flat_space(self) -> spaces.Box:
        board = self.board_planes * self.rows * self.columns
        return spaces.Box(0, 1, (board + self.slots * self.kinds,), np.float32)


class _Wrapper(gymnasium.ObservationWrapper[Any, Any, Any]):
    _space: Callable[..., Any]
    _encode: Callable[..., Any]

    def __init__(self, env: "gymnasium.Env[Any, Any]"):
        super().__init__(env)
        self._encoding = _Encoding(env.observation_space)
        self.observation_space = type(self)._space(self._encoding)

    def observation(self, observation: Any) -> np.ndarray:
        """The observation as an array."""
        return type(self)._encode(self._encoding, observation)

    def action_masks(self) -> np.ndarray:
        """Which actions are legal."""
        return self.env.get_wrapper_attr("action_masks")()


class _VectorWrapper(gymnasium.vector.VectorWrapper):
    _space: Callable[..., Any]
    _encode: Callable[..., Any]

    def __init__(self, env: "gymnasium.vector.VectorEnv[Any, Any, Any]"):
        super().__init__(env)
        self._encoding = _Encoding(env.single_observation_space)
        self.single_observation_space = type(self)._space(self._encoding)
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)

    def observations(self, observations: Any) -> np.ndarray:
        """The observations as an array."""
        return type(self)._encode(self._encoding, observations)

    def reset(
        self, *, seed: Any = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Any, Dict[str, Any]]:
        """Starts games, as the environment does."""
        observations, info = self.env.reset(seed=seed, options=options)
        return self.observations(observations), info

    def step(self, actions: Any) -> Tuple[Any, Any, Any, Any, Dict[str, Any]]:
        """Plays one action in every game."""
        observations, rewards, terminated, truncated, info = self.env.step(actions)
        if "final_obs" in info:
            info = {**info, "final_obs": self.observations(info["final_obs"])}
        return self.observations(observations), rewards, terminated, truncated, info

    def action_masks(self) -> np.ndarray:
        """Which actions are legal: one row per game."""
        env: Any = self.env
        return env.action_masks()


class Planes(_Wrapper):
    """Planes for convolutions: one per power of two in 2048; elsewhere the full cells, and one plane per
    place and piece that is 1 everywhere if that piece is there.

        >>> import gymnasium, afterstate
        >>> env = afterstate.wrappers.Planes(gymnasium.make("afterstate/Tetris-v0"))
        >>> env.observation_space.shape
        (8, 20, 10)
    """

    _space, _encode = _Encoding.planes_space, _Encoding.planes


class VectorPlanes(_VectorWrapper):
    """`Planes` of many games."""

    _space, _encode = _Encoding.planes_space, _Encoding.planes


class Flat(_Wrapper):
    """A vector: the planes of the board one after another, and one number per place and piece."""

    _space, _encode = _Encoding.flat_space, _Encoding.flat


class VectorFlat(_VectorWrapper):
    """`Flat` of many games."""

    _space, _encode = _Encoding.flat_space, _Encoding.flat
