"""Policy: a function or a module of PyTorch that plays like an agent."""

from __future__ import annotations

import re
import sys
from typing import Any, Callable, Optional

import numpy as np

from . import _native
from ._native import Batch

__all__ = ["Policy"]

#: The most boards that a function is called with at once, unless it is told otherwise.
_BOARDS = 1 << 18


class Policy:
    """A function on boards as an agent, for `evaluate`, `compare` and searches: all games advance
    together, and the function is called once per step, or once per step and part of a search tree.

    Args:
        function: With kind="values", it gets boards after moves as an array of shape (n, rows, columns)
            and type uint8 (powers of two in 2048, 0 and 1 elsewhere) and returns n numbers: what is to
            come after each board. The move with the largest reward plus value is played, ties to the
            first. With kind="moves" it gets boards, pieces and legal actions of all games, as
            `Batch.cells`, `Batch.pieces` and `Batch.legal` have them, and returns an action per game.
            A module of PyTorch is called without gradients, with tensors on the arrays' own memory, or
            with copies on the device of its parameters.
        rules: The rules that it plays, if `evaluate` is not to be told.
        kind: "values" or "moves".
        name: Its name in results.
        boards: The most boards in one call.

    >>> import afterstate
    >>> empty = afterstate.Policy(lambda boards: (boards == 0).sum(axis=(1, 2)), "2048:3x3")
    >>> result = afterstate.evaluate(empty, games=50)
    >>> result.mean > afterstate.evaluate("random", "2048:3x3", games=50).mean
    True
    >>> deeper = afterstate.evaluate(empty, games=50, search="expectimax:2")
    """

    def __init__(
        self,
        function: Callable[..., Any],
        rules: Optional[str] = None,
        *,
        kind: str = "values",
        name: Optional[str] = None,
        boards: int = _BOARDS,
    ):
        if not callable(function):
            raise TypeError(
                f"a policy of {type(function).__name__}: expected a function or a module"
            )
        if kind not in ("values", "moves"):
            raise ValueError(f"invalid kind {kind!r}: expected 'values' or 'moves'")
        if boards < 1:
            raise ValueError(f"invalid number of boards {boards}: expected at least 1")
        self.function, self.kind, self.boards = function, kind, boards
        self.rules = None if rules is None else Batch(rules).rules
        self.name: str = name or str(getattr(function, "__name__", type(function).__name__))

    def with_rules(self, rules: str) -> Policy:
        """The same policy for other rules."""
        return Policy(self.function, rules, kind=self.kind, name=self.name, boards=self.boards)

    def _rules(self) -> str:
        if self.rules is None:
            raise ValueError(f"{self.name} plays any rules: choose them, such as rules='2048'")
        return self.rules

    def values(self, boards: np.ndarray) -> np.ndarray:
        """The values of boards."""
        if len(boards) == 0:
            return np.zeros(0, np.float32)
        parts = [
            self._numbers(
                self._call(boards[begin : begin + self.boards]), boards[begin:][: self.boards]
            )
            for begin in range(0, len(boards), self.boards)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _numbers(self, values: np.ndarray, boards: np.ndarray) -> np.ndarray:
        values = np.ascontiguousarray(values, dtype=np.float32)
        if values.size != len(boards) or values.ndim > 2:
            raise ValueError(
                f"{self.name} has returned values of shape {values.shape} for {len(boards)} boards: "
                f"expected ({len(boards)},)"
            )
        values = values.reshape(-1)
        if np.isnan(values).any():
            raise ValueError(f"{self.name} has returned NaN: expected numbers")
        return values

    def _call(self, *arrays: np.ndarray) -> np.ndarray:
        torch = sys.modules.get("torch")
        if torch is None or not isinstance(self.function, torch.nn.Module):
            return np.asarray(self.function(*arrays))
        weights = next(self.function.parameters(), None)
        device = torch.device("cpu") if weights is None else weights.device
        with torch.no_grad():
            result = self.function(*(torch.from_numpy(array).to(device) for array in arrays))
        return np.asarray(result.cpu().numpy())

    def choose(self, batch: Batch, search: str = "greedy") -> np.ndarray:
        """The action that it plays in every game of a batch; 0 in a game that is over."""
        plies = _plies(search)
        if self.kind == "moves":
            if plies > 1:
                raise ValueError(f"{self.name} has no values to search with: use search='greedy'")
            if len(batch.legal) == 0:
                raise ValueError(
                    "a policy of moves needs legal actions: make the batch with masks=True"
                )
            actions = self._call(batch.cells, batch.pieces, batch.legal)
            if actions.shape != (len(batch),) or not np.issubdtype(actions.dtype, np.integer):
                raise ValueError(
                    f"{self.name} has returned actions of shape {actions.shape} and type "
                    f"{actions.dtype}: expected {len(batch)} integers"
                )
            return actions
        actions, first = np.zeros(len(batch), np.uint32), 0
        while first < len(batch):
            tree = _native.tree(batch, first, plies, max(self.boards, _BOARDS))
            actions[first : first + tree.games] = tree.best(self.values(tree.boards()))
            first += tree.games
        return actions

    def __repr__(self) -> str:
        return f"Policy({self.name}, rules={self.rules!r}, kind={self.kind!r})"


def _plies(search: str) -> int:
    """The depth of a search that trees support."""
    if search == "greedy":
        return 1
    found = re.fullmatch(r"expectimax:(\d+)", search)
    if found is None:
        raise ValueError(
            f"a policy cannot search by {search!r}: expected greedy or expectimax:PLIES"
        )
    return int(found[1])
