"""What every check of 2048 says of boards, moves and new tiles."""

from typing import Any, Dict, List, Optional, Tuple

from .data import Outcome, Tiles, text
from .report import Check
from .statistics import FALSE_ALARM, chi_squared, share

__all__ = ["NewTiles", "drawn", "example", "size", "tiles_of"]


def tiles_of(board: Any) -> Tiles:
    """A board of an author as lists of integers."""
    return [[int(tile) for tile in row] for row in board]


def drawn(board: Tiles) -> str:
    """A board for a person."""
    width = max(len(str(tile)) for row in board for tile in row)
    rows = (" ".join((str(tile) if tile else ".").rjust(width) for tile in row) for row in board)
    return "\n".join(rows)


def example(board: Tiles, move: Optional[str], expected: str, got: str) -> str:
    """A wrong case for a person."""
    then = f"move: {move}\n" if move else ""
    return f"board:\n{drawn(board)}\n{then}expected: {expected}\ngot:      {got}"


def size(board: Tiles) -> float:
    """Boards with fewer tiles, and smaller ones, are simpler examples."""
    tiles = [tile for row in board for tile in row if tile]
    return len(tiles) + sum(tiles) / 1e6


class NewTiles:
    """New tiles: one per move, in an empty cell, a 2 or a 4, as the rules draw them."""

    def __init__(self, one: Check, value: Check, cell: Check):
        self.one, self.value, self.cell = one, value, cell
        self.fours = self.tiles = 0
        self.ranks: Dict[int, List[int]] = {}

    def add(self, board: Tiles, move: str, outcome: Outcome, after: Tiles) -> Optional[Tuple[int, ...]]:
        """Compares the board after a legal move and a new tile with the board before the tile.
        Returns the cell of the tile, or None if the boards differ otherwise."""
        expected = [
            0 if word == "." else int(word) for word in outcome[0].replace("|", " ").split()
        ]
        got = [tile for row in after for tile in row]
        new = [cell for cell, tile in enumerate(got) if tile != expected[cell]]
        right = len(new) == 1 and expected[new[0]] == 0 and got[new[0]] in (2, 4)
        wanted = f"{outcome[0]} and one new tile, 2 or 4"
        self.one.case(right, size(board), example(board, move, wanted, text(after)))
        if not right:
            return None
        empty = [cell for cell, tile in enumerate(expected) if tile == 0]
        counts = self.ranks.setdefault(len(empty), [0] * len(empty))
        counts[empty.index(new[0])] += 1
        self.tiles += 1
        self.fours += got[new[0]] == 4
        return divmod(new[0], len(board[0]))

    def judge(self) -> None:
        """The statistics of all tiles that were added."""
        for check in (self.value, self.cell):
            check.cases = self.tiles
            check.note = f"a right program fails with probability {FALSE_ALARM}"
        if self.tiles < 100:
            for check in (self.value, self.cell):
                check.skipped = f"only {self.tiles} new tiles were seen"
            return
        p = share(self.fours, self.tiles, 0.1)
        if p < FALSE_ALARM:
            self.value.wrong = 1
            self.value.example = (
                f"expected: a 4 in 10% of the moves\ngot:      {self.fours:,} of {self.tiles:,} "
                f"({100 * self.fours / self.tiles:.1f}%), p = {p:.1g}"
            )
        p = chi_squared(list(self.ranks.values()))
        if p < FALSE_ALARM:
            cells, counts = max(self.ranks.items(), key=lambda item: sum(item[1]))
            self.cell.wrong = 1
            self.cell.example = (
                "expected: every empty cell equally often\n"
                f"got:      with {cells} empty cells, in reading order, {counts}, p = {p:.1g}"
            )
