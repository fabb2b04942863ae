"""Tells the author of an implementation of 2048, Tetris or 1010! what is wrong with it.

`check` takes a function that makes an environment of Gymnasium, or an adapter: a few functions.

    >>> import gymnasium, afterstate
    >>> from afterstate.conformance import check
    >>> report = check(lambda: gymnasium.make("afterstate/2048-v0"), games=5)
    >>> report.ok
    True

`print(report)` says what was checked, how many cases, and shows the simplest one that is wrong;
`report.raise_if_wrong()` is for tests. The data files in `data/` are JSON: `load(rules)`.
"""

from typing import Any, Callable, Optional, Sequence, Union

from .adapters import Adapter2048, PlacementAdapter
from .data import FILES, load
from .placements import check_placements
from .report import Check, Report
from .twenty48 import check_2048

__all__ = ["Adapter2048", "Check", "FILES", "PlacementAdapter", "Report", "check", "load"]

Adapter = Union[Adapter2048, PlacementAdapter]


def check(
    subject: Union[Adapter, Callable[[], Any]],
    *,
    rules: Optional[str] = None,
    board: Optional[Callable[..., Any]] = None,
    mask: Optional[Callable[..., Any]] = None,
    actions: Optional[Sequence[str]] = None,
    state: Optional[Callable[..., Any]] = None,
    games: int = 60,
    seed: int = 0,
    name: Optional[str] = None,
    gymnasium_checker: bool = True,
) -> Report:
    """Checks an implementation.

    Args:
        subject: An adapter, or a function that returns one or an environment. Environments are
            played with random moves; adapters are asked about the boards of the data files, which
            have rare cases that play seldom reaches.
        rules: The rules of an environment that is not of this package, such as "tetris:10x20".
        board: For 2048, a function of observation, info and environment that returns rows of tiles.
            Rows of tiles or of powers of two and planes are recognised without it.
        mask: A function of the same that returns the mask, if that is neither in
            `info["action_mask"]`, nor in the observation, nor returned by `action_masks()`.
        actions: For 2048, the directions in the order of the actions; found by trying without it.
        state: For Tetris and 1010!, a function of the same that returns the state as text: the
            pieces and the rows, as in "I|..........|#########.".
        games: The number of games.
        seed: The seed of the first game.
        name: What the report calls the implementation.
        gymnasium_checker: Whether Gymnasium's own checker is run, too.
    """
    make: Any = subject
    made: Any = subject
    if not isinstance(subject, (Adapter2048, PlacementAdapter)):
        if not callable(subject):
            raise TypeError(
                f"expected an adapter or a function that makes an environment, found {subject!r}"
            )
        made = make()
    if isinstance(made, Adapter2048):
        return check_2048(made, name or "2048")
    if isinstance(made, PlacementAdapter):
        return check_placements(made, name or made.rules)
    if not (hasattr(made, "reset") and hasattr(made, "step")):
        raise TypeError(f"expected an environment with reset and step, found {made!r}")

    # Adapters are checked without Gymnasium, too.
    from ..gym import Env
    from .environments import check_placement_env, check_tile_env

    if isinstance(made.unwrapped, Env):
        rules, state = rules or made.unwrapped.rules, state or _state_text
    rules = rules or "2048"
    name, last = name or rules, (games, seed, gymnasium_checker)
    if rules.startswith("2048"):
        return check_tile_env(make, name, board, mask, actions, *last)
    return check_placement_env(make, name, rules, state, mask, *last)


def _state_text(observation: Any, info: Any, env: Any) -> str:
    return env.unwrapped.state().strip().replace("\n", "|")
