"""The data files, and the rules themselves as an oracle for any other board."""

import json
from importlib import resources
from typing import Any, Dict, List, Sequence, Tuple

from .._native import Batch

__all__ = ["FILES", "MOVES", "Oracle", "Outcome", "Tiles", "load", "padded", "text"]

#: Rows of tiles, 0 for an empty cell.
Tiles = List[List[int]]

#: The board after a move, as text, and its reward.
Outcome = Tuple[str, int]

#: The directions in the order of the actions of afterstate/2048-v0.
MOVES = ("up", "right", "down", "left")

#: The data file of each set of rules.
FILES = {
    "2048": "2048.json",
    "tetris:10x20": "tetris-10x20.json",
    "tetris:10x10": "tetris-10x10.json",
    "1010": "1010.json",
}


def load(rules: str) -> Dict[str, Any]:
    """The data of rules: `boards` with all moves, `perft` counts, a `game` and the `pieces`."""
    if rules not in FILES:
        raise ValueError(f"no data for the rules {rules!r}: expected one of {', '.join(FILES)}")
    file = resources.files(__package__) / "data" / FILES[rules]
    return json.loads(file.read_text(encoding="utf-8"))


def padded(board: str, width: int, height: int) -> List[str]:
    """All rows of a board of a data file, which leaves out the empty ones at the top."""
    rows = board.split("|") if board else []
    return ["." * width] * (height - len(rows)) + rows


def text(board: Sequence[Sequence[Any]]) -> str:
    """A board as the program writes it: tiles, or `#` and `.`, with `|` between rows."""
    if isinstance(board[0], str):
        return "|".join(map(str, board))
    return "|".join(" ".join(str(int(tile)) if tile else "." for tile in row) for row in board)


class Oracle:
    """The compiled rules of this package, asked about one state at a time."""

    def __init__(self, rules: str):
        self._batch = Batch(rules, 1, autoreset="disabled")
        _, self.height, self.width = self._batch.cells.shape
        self.tiles = self._batch.cell_values > 2

    def moves(self, state: str) -> Dict[int, Outcome]:
        """The action of each legal move of a state in text, with its outcome."""
        self._batch.set_state(0, state)
        _, actions, rewards, boards = self._batch.afterstates()
        outcomes = {}
        for action, reward, board in zip(actions, rewards, boards):
            if self.tiles:
                rows: Any = [[2 ** int(power) if power else 0 for power in row] for row in board]
            else:
                rows = ["".join(".#"[cell] for cell in row) for row in board]
            outcomes[int(action)] = (text(rows), int(reward))
        return outcomes

    def directions(self, board: Tiles) -> Dict[str, Outcome]:
        """The legal moves of a board of 2048 by name."""
        return {MOVES[action]: outcome for action, outcome in self.moves(text(board)).items()}
