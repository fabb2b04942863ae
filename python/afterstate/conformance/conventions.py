"""The usual forms of observations, masks and actions of 2048 environments, recognised by trying."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .data import MOVES, Oracle, Tiles

__all__ = ["BoardReader", "MaskReader", "action_names", "board_reader", "mask_of"]

BoardReader = Callable[[Any, Dict[str, Any], Any], Tiles]
MaskReader = Callable[[Any, Dict[str, Any], Any], Any]

_BOARD_KEYS = ("board", "grid", "observation", "obs")
_HELP = "give `board`, a function of observation, info and environment that returns rows of tiles"


def board_reader(env: Any) -> BoardReader:
    """How to read boards: tiles or powers of two in rows, or one plane per power, first or last."""
    samples = [_array(env.reset(seed=seed)[0]) for seed in range(40)]
    stack = np.stack(samples)
    if stack.ndim == 4 and set(np.unique(stack)) <= {0, 1}:
        planes = _planes(stack)
        if planes is not None:
            axis, offset = planes
            return lambda observation, info, env: _unplane(_array(observation), axis, offset)
    if stack.ndim == 2 and int(stack.shape[1] ** 0.5) ** 2 == stack.shape[1]:
        side = int(stack.shape[1] ** 0.5)
        powers = _are_powers(stack)
        return lambda observation, info, env: _tiles(
            _array(observation).reshape(side, side), powers
        )
    if stack.ndim == 3:
        powers = _are_powers(stack)
        return lambda observation, info, env: _tiles(_array(observation), powers)
    raise ValueError(f"cannot read a board from observations of shape {stack.shape[1:]}: {_HELP}")


def _array(observation: Any) -> np.ndarray:
    if isinstance(observation, dict):
        for key in _BOARD_KEYS:
            if key in observation:
                return np.asarray(observation[key])
        raise ValueError(f"cannot find a board among the keys {list(observation)}: {_HELP}")
    return np.asarray(observation)


def _are_powers(stack: np.ndarray) -> bool:
    """Whether first boards have powers of two (1 and 2) or tiles (2 and 4)."""
    values = set(np.unique(stack).tolist())
    if values <= {0, 1, 2}:
        return True
    if values <= {0, 2, 4}:
        return False
    raise ValueError(f"cannot read a board with the values {sorted(values)[:8]}: {_HELP}")


def _planes(stack: np.ndarray) -> Optional[Tuple[int, int]]:
    """The axis of the planes, and the power of the first one: 0 if it shows empty cells."""
    for axis in (-1, 1):
        sums = stack.sum(axis=axis)
        if (sums == 1).all():
            return (axis if axis < 0 else 0), 0
        if sums.max() == 1 and 1 <= sums.reshape(len(stack), -1).sum(axis=1).mean() <= 2:
            return (axis if axis < 0 else 0), 1
    return None


def _unplane(planes: np.ndarray, axis: int, offset: int) -> Tiles:
    powers = planes.argmax(axis=axis) + offset
    return _tiles(np.where(planes.any(axis=axis), powers, 0), True)


def _tiles(board: np.ndarray, powers: bool) -> Tiles:
    return [[2 ** int(cell) if powers and cell else int(cell) for cell in row] for row in board]


def mask_of(observation: Any, info: Dict[str, Any], env: Any) -> Optional[Any]:
    """The mask of legal actions where it usually is; None if there is none."""
    for place in (info, observation):
        if isinstance(place, dict) and "action_mask" in place:
            return place["action_mask"]
    method = getattr(env.unwrapped, "action_masks", None)
    return method() if callable(method) else None


def action_names(env: Any, board: BoardReader, oracle: Oracle, steps: int = 600) -> Sequence[str]:
    """The direction of each action: the one whose boards agree most with those of `step`."""
    random = np.random.default_rng(0)
    agree = np.zeros((4, 4))
    observation, info = env.reset(seed=0)
    before = board(observation, info, env)
    for _ in range(steps):
        action = int(random.integers(4))
        observation, _, terminated, truncated, info = env.step(action)
        after = board(observation, info, env)
        if after != before:
            for name, (expected, _) in oracle.directions(before).items():
                agree[action, MOVES.index(name)] += _same(expected, after)
        before = after
        if terminated or truncated:
            observation, info = env.reset()
            before = board(observation, info, env)
    order: List[int] = agree.argmax(axis=1).tolist()
    if sorted(order) != [0, 1, 2, 3]:
        raise ValueError(
            "cannot tell which action is which direction: give `actions`, four of "
            f"{', '.join(MOVES)} in the order of the actions"
        )
    return [MOVES[direction] for direction in order]


def _same(expected: str, after: Tiles) -> float:
    """1 if boards agree but for the new tile, else little."""
    cells = expected.replace("|", " ").split()
    got = [str(tile) if tile else "." for row in after for tile in row]
    different = sum(a != b for a, b in zip(cells, got))
    return {0: 1.0, 1: 1.0, 2: 0.1}.get(different, 0.0)
