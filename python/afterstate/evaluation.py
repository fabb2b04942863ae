"""Evaluation: the mean score of an agent over many games, and two agents on the same games."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _native
from ._native import Agent, Batch
from .policy import Policy

__all__ = ["Comparison", "Evaluation", "agents", "compare", "evaluate", "load"]

#: An agent, or what names one: a name, an agent file or a run folder.
Player = Union[Agent, Policy, str, "PathLike[str]"]

Interval = Optional[Tuple[float, float]]


def agents() -> List[Dict[str, Any]]:
    """All agents by name: those in the package, published controllers, and those below `agents/` and
    `runs/`. Each is a dictionary of its name (`agent`), its rules (`game`), what it is (`about`) and its
    mean score, if that is known.

    >>> [agent["agent"] for agent in agents() if agent["game"] == "2048:4x4"]
    ['2048']
    """
    listed, unreadable = _native.agent_list()
    for sentence in unreadable:
        warnings.warn(sentence, stacklevel=2)
    return listed


def load(agent: Union[str, "PathLike[str]"], rules: Optional[str] = None) -> Agent:
    """Loads an agent.

    Args:
        agent: A name of `agents()`, an agent file, a run folder, or weights of features such as
            "linear:dellacherie=-1,1,-1,-1,-4,-1".
        rules: The rules to play by. Trained agents know theirs; agents of features play any of their
            game, and some agents any game.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: There is no such agent, or it cannot play by these rules.

    >>> load("tetris-10x10")
    Agent("tetris-10x10", rules="tetris:10x10")
    >>> load("dellacherie", "tetris:10x10").name
    'dellacherie'
    """
    return Agent(agent, rules)


@dataclass(frozen=True)
class Evaluation:
    """The results of many games. `print` shows them as the program does."""

    #: The agent and its search.
    agent: str
    search: str
    #: The rules, the number of games and their seed.
    rules: str
    games: int
    seed: int
    #: The unit of the score: points or lines.
    unit: str
    #: The mean score, its 95% interval and its standard error; None after one game.
    mean: float
    interval: Interval
    standard_error: Optional[float]
    median: float
    min: float
    max: float
    #: The mean length of a game in moves, and its 95% interval.
    mean_moves: float
    moves_interval: Interval
    #: The share of games that reached each tile or more, in 2048.
    reach: Dict[int, float]
    #: Games that were ended by a limit on moves. The score so far is counted.
    truncated: int
    #: The moves of all games, and the seconds that they took.
    moves: int
    seconds: float
    #: The score of every game.
    scores: npt.NDArray[np.float64] = field(repr=False, compare=False)
    _text: str = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self._text

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(self._text)


@dataclass(frozen=True)
class Comparison:
    """Two agents on the same games. `print` shows it as the program does."""

    #: The two evaluations.
    first: Evaluation
    second: Evaluation
    #: The mean score of the second minus that of the first, and its 95% interval.
    difference: float
    interval: Interval
    #: The two-sided p-value of a paired t-test; None if it cannot be computed.
    p: Optional[float]
    #: The share of games in which the second scores more; ties count half.
    wins: float
    _text: str = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self._text

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(self._text)


def _pair(interval: Any) -> Interval:
    return None if interval is None else (interval[0], interval[1])


def _evaluation(played: _native.Played) -> Evaluation:
    results = played.results()
    same = (
        "agent search games seed unit mean standard_error median min max mean_moves truncated moves"
    )
    return Evaluation(
        **{name: results[name] for name in same.split()},
        seconds=results["seconds"],
        rules=results["game"],
        interval=_pair(results["ci95"]),
        moves_interval=_pair(results["moves_ci95"]),
        reach={int(tile): rate["rate"] for tile, rate in results.get("reach", {}).items()},
        scores=played.scores(),
        _text=str(played),
    )


def _known(player: Player) -> Player:
    """The player, loaded if it knows its rules."""
    if isinstance(player, (Agent, Policy)):
        return player
    try:
        return load(player)
    except FileNotFoundError:
        raise
    except ValueError:  # It needs rules, or cannot be loaded by any: the next attempt tells.
        return player


def _loaded(player: Player, rules: Optional[str]) -> Union[Agent, Policy]:
    """The player for some rules."""
    if not isinstance(player, (Agent, Policy)):
        return load(player, rules)
    return player if rules is None else player.with_rules(rules)


def _device(device: str, cluster: Optional[str]) -> str:
    """Where games are played; connects to a cluster."""
    if cluster is None:
        return device
    if device != "cpu":
        raise ValueError(f"expected either a cluster or device={device!r}")
    from . import cluster as clusters

    clusters.connect(cluster)
    return "cluster"


def _play(
    player: Player,
    rules: Optional[str],
    games: int,
    search: Optional[str],
    seed: int,
    threads: Optional[int],
    moves: Optional[int],
    device: str,
) -> _native.Played:
    loaded, search = _loaded(player, rules), search or "greedy"
    if isinstance(loaded, Agent):
        return _native.play_games(loaded, search, games, seed, threads, moves, device)
    if device != "cpu":
        raise ValueError(f"a Policy plays where its function does: device={device!r} is for agents")
    begin = time.perf_counter()
    batch = Batch(loaded._rules(), games, seed, autoreset="disabled", masks=loaded.kind == "moves")
    limit = float("inf") if moves is None else moves
    number, going = 0, np.ones(games, bool)
    while number < limit and going.any():
        batch.step(loaded.choose(batch, search))
        if (batch.illegal & going).any():
            game = int(np.flatnonzero(batch.illegal & going)[0])
            raise ValueError(f"{loaded.name} has played an illegal action in game {game}")
        going &= ~(batch.terminated | batch.truncated)
        number += 1
    seconds = time.perf_counter() - begin
    return _native.played(batch, loaded.name, search, seed, moves, seconds)


def evaluate(
    agent: Player,
    rules: Optional[str] = None,
    *,
    games: int = 1000,
    search: Optional[str] = None,
    seed: int = 1,
    threads: Optional[int] = None,
    moves: Optional[int] = None,
    device: str = "cpu",
    cluster: Optional[str] = None,
) -> Evaluation:
    """Plays many games: the same games and numbers as `afterstate eval` with the same seed.

    Args:
        agent: An agent, its name or its file, or a Policy.
        rules: The rules; those of the agent if None.
        games: How many games to play.
        search: How far the agent looks ahead: "greedy" (the default), "expectimax:2", ...
        seed: Game i draws from the stream (seed, i), on any number of threads.
        threads: Threads to play on; one per core if None. A Policy plays on one.
        moves: Truncate games after this many moves.
        device: "cpu", or "cuda" for an NVIDIA GPU.
        cluster: The address of a Ray cluster to play on: "HOST:PORT" of its head, "auto" or "local". The
            result is the same.

    Ctrl-C raises KeyboardInterrupt.

    >>> result = evaluate("greedy", "2048:3x3", games=100)
    >>> result.games, result.unit, len(result.scores)
    (100, 'points', 100)
    >>> result.interval[0] < result.mean < result.interval[1]
    True
    """
    device = _device(device, cluster)
    return _evaluation(_play(agent, rules, games, search, seed, threads, moves, device))


def compare(
    first: Player,
    second: Player,
    rules: Optional[str] = None,
    *,
    games: int = 1000,
    search: Optional[str] = None,
    second_search: Optional[str] = None,
    seed: int = 1,
    threads: Optional[int] = None,
    moves: Optional[int] = None,
) -> Comparison:
    """Compares two agents on the same games, as `afterstate compare` does.

    Args:
        first: An agent, its name or its file, or a Policy.
        second: Another one, or the same with another search.
        rules: The rules; those of the first agent that knows its rules if None.
        search: The search of both.
        second_search: The search of the second, if it is another one.

    The other arguments are those of `evaluate`.

    >>> result = compare("random", "greedy", "2048:3x3", games=200)
    >>> result.difference > 0, result.p < 0.01
    (True, True)
    """
    if games < 2:
        raise ValueError(f"{games} games cannot be compared: play at least 2")
    if rules is None:
        first, second = _known(first), _known(second)
        rules = getattr(first, "rules", None) or getattr(second, "rules", None)
    second_search = search if second_search is None else second_search
    sides = ((first, search), (second, second_search))
    played = [_play(one, rules, games, how, seed, threads, moves, "cpu") for one, how in sides]
    results, text = _native.compare_played(*played)
    return Comparison(
        first=_evaluation(played[0]),
        second=_evaluation(played[1]),
        difference=results["difference"],
        interval=_pair(results["ci95"]),
        p=results["p"],
        wins=results["wins"],
        _text=text,
    )
