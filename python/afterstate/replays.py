"""Replays: games as files, verified move by move, and recorded games of agents."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

from . import _native
from .evaluation import load
from ._native import Agent

__all__ = ["Replay", "record", "replay"]


@dataclass(frozen=True)
class Replay:
    """A game whose every move is legal and whose score is right."""

    rules: str
    seed: int
    #: Who played, and with which search, if that is known.
    agent: Optional[str]
    search: Optional[str]
    score: float
    unit: str
    #: The text of every move.
    moves: List[str]
    #: The start and the state after every move, as `Batch.set_state` reads them.
    states: List[str]
    #: Whether the last state has no move, or the game is truncated by its rules.
    finished: bool
    #: The largest tile, in 2048.
    reached: Optional[int]


def _replay(game: Dict[str, Any]) -> Replay:
    fields: Dict[str, Any] = {name: game.get(name) for name in Replay.__dataclass_fields__}
    return Replay(**fields)


def replay(path: Union[str, "PathLike[str]"]) -> Replay:
    """Reads a replay and verifies every move.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is not a replay, or a move or the score is wrong.
    """
    return _replay(_native.read_replay(Path(path)))


def record(
    agent: Union[Agent, str] = "builtin",
    rules: Optional[str] = None,
    *,
    search: str = "greedy",
    seed: int = 1,
    moves: int = 200,
    out: Union[str, "PathLike[str]", None] = None,
) -> Replay:
    """Records a game of an agent.

    Args:
        agent: The agent.
        rules: The rules; those of the agent if None.
        search: Its search.
        seed: The seed of the game.
        moves: The most moves.
        out: A file to write: a replay (.json), an animation (.gif) or the last position (.svg, .png).

    >>> game = record("tetris-10x10", moves=10)
    >>> len(game.moves), len(game.states), game.score
    (10, 11, 2.0)
    """
    if not isinstance(agent, Agent):
        agent = load(agent, rules)
    elif rules is not None:
        agent = agent.with_rules(rules)
    path = None if out is None else Path(out)
    return _replay(_native.record_game(agent, search, seed, moves, path))
