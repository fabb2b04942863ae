"""Adapters: how an author hands rules to the checks, as a few plain functions."""

from dataclasses import dataclass
from typing import Any, Callable, Iterable, Optional, Sequence, Tuple

from .data import Tiles

__all__ = ["Adapter2048", "PlacementAdapter"]


@dataclass(frozen=True)
class Adapter2048:
    """The rules of 2048 on a 4x4 board as functions; what is None is not checked.

    A board is a list of four rows of tiles (2, 4, 8, ...; 0 if empty), a move is "up", "right",
    "down" or "left".

    Attributes:
        legal: The legal moves of a board.
        move: The board after a move without a new tile, and the reward (the sum of merged tiles).
        play: The board after a move with a new tile drawn from a seed, the reward, and whether the
            game is over. Illegal moves are given to it, too: they change nothing.
        start: The first board of a game, drawn from a seed.
        over: Whether a game is over on a board.
        tile_cases: Calls of `play` for the statistics of new tiles.
    """

    legal: Optional[Callable[[Tiles], Iterable[str]]] = None
    move: Optional[Callable[[Tiles, str], Tuple[Any, float]]] = None
    play: Optional[Callable[[Tiles, str, int], Tuple[Any, float, bool]]] = None
    start: Optional[Callable[[int], Any]] = None
    over: Optional[Callable[[Tiles], bool]] = None
    tile_cases: int = 4000


@dataclass(frozen=True)
class PlacementAdapter:
    """The rules of Tetris or 1010! as functions; what is None is not checked.

    A board is a list of rows from the top, text of "#" and "."; a piece is a name from
    `load(rules)["pieces"]`, which has its shapes.

    Attributes:
        rules: "tetris:10x20", "tetris:10x10" or "1010".
        placements: All outcomes of placing a piece on a board: boards after the lines are cleared
            (rows of text or an array in which 0 is empty), each with its lines (Tetris) or points
            (1010!). Outcomes that are listed twice count once; their order does not matter.
        over: Whether a game is over on a board with a piece.
        piece: The first piece of a game, drawn from a seed: uniform in Tetris.
        piece_cases: Calls of `piece`.
    """

    rules: str
    placements: Optional[Callable[[Sequence[str], str], Iterable[Tuple[Any, float]]]] = None
    over: Optional[Callable[[Sequence[str], str], bool]] = None
    piece: Optional[Callable[[int], str]] = None
    piece_cases: int = 2000
