"""Analysis: the value of every move of a position, and the reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Union

from ._native import Agent
from .evaluation import load

__all__ = ["Analysis", "Move", "analyze"]


@dataclass(frozen=True)
class Move:
    """A legal move."""

    #: Its text, such as "left" or "T flat at 3".
    move: str
    #: Its value: the immediate reward plus the value of the board after it, as the search found it.
    value: float
    #: Its immediate reward.
    reward: float
    #: The board after it, on one line.
    after: str


@dataclass(frozen=True)
class Analysis:
    """The moves of a position."""

    #: The position, on one line, and whether it has no move.
    state: str
    terminal: bool
    #: The search, the depth in plies to which it was complete, and the states that it visited.
    search: str
    plies: int
    nodes: int
    #: Every legal move, the best first.
    moves: List[Move]
    #: The best move, then the most likely chance outcome and the best move after it, and so on: states
    #: and moves.
    continuation: List[Tuple[str, str]]
    #: The parts of the value in which the two best moves differ: what, its share in the value of the
    #: best, and in that of the second.
    why: List[Tuple[str, float, float]]

    @property
    def best(self) -> Optional[Move]:
        """The best move; None in a terminal position."""
        return self.moves[0] if self.moves else None


def _analysis(found: Dict[str, Any]) -> Analysis:
    """An analysis from the dictionary of the compiled part."""
    found["moves"] = [Move(**move) for move in found["moves"]]
    found["continuation"] = [(step["state"], step["move"]) for step in found["continuation"]]
    found["why"] = [(part["what"], part["best"], part["second"]) for part in found["why"]]
    return Analysis(**found)


def analyze(
    position: Any,
    agent: Union[Agent, str] = "builtin",
    rules: Optional[str] = None,
    *,
    search: str = "greedy",
    threads: Optional[int] = None,
) -> Analysis:
    """The value of every move of a position, as `afterstate analyze` finds it.

    Args:
        position: The position as text, as `Batch.state` has it, or rows such as [[2, 0, 0, 2], ...], the
            tiles of 2048, or a dictionary such as {"pieces": "T", "board": ["#..#", ...]}.
        agent: The agent; the one of the game if "builtin".
        rules: The rules. Without them they are those of the agent, or "2048" for "builtin".
        search: "greedy", "expectimax:3", "expectimax:50ms", ...
        threads: Threads to search on; one per core if None.

    >>> found = analyze("I|###.######|###.######", "tetris-10x10", search="expectimax:2")
    >>> found.best.reward, found.plies
    (2.0, 2)
    """
    if not isinstance(agent, Agent):
        agent = load(agent, "2048" if rules is None and agent == "builtin" else rules)
    elif rules is not None:
        agent = agent.with_rules(rules)
    return agent.analyze(position, search, threads)
