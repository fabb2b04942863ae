"""Checks of environments by playing them: every step is compared with the rules."""

import copy
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

import numpy as np

from .conventions import BoardReader, MaskReader, action_names, board_reader, mask_of
from .data import MOVES, Oracle, Tiles, text
from .placements import difference
from .report import Check, Report
from .tiles import NewTiles, drawn, example, size

__all__ = ["check_gymnasium", "check_placement_env", "check_tile_env"]

#: Steps, and wrong steps, after which a game is left: a broken one may never end.
_MAX_STEPS, _MAX_WRONG = 5000, 20

#: How often an illegal action is tried, and how often all actions of a state are tried on copies.
_ILLEGAL, _COPY = 0.05, 0.02

StateReader = Callable[[Any, Dict[str, Any], Any], str]


def check_tile_env(
    make: Callable[[], Any],
    subject: str,
    board: Optional[BoardReader],
    mask: Optional[MaskReader],
    actions: Optional[Sequence[str]],
    games: int,
    seed: int,
    checker: bool,
) -> Report:
    """Plays games of 2048 with random moves, among them illegal ones."""
    env, report, random = make(), Report(subject), np.random.default_rng(seed)
    count = getattr(env.action_space, "n", None)
    if count != 4:
        raise ValueError(f"expected 4 actions, found {env.action_space}: write an Adapter2048")
    read = board or board_reader(env)
    observation, info = env.reset(seed=seed)
    first = read(observation, info, env)
    oracle = Oracle(f"2048:{len(first[0])}x{len(first)}")
    names = list(actions or action_names(env, read, oracle))
    if sorted(names) != sorted(MOVES):
        raise ValueError(f"invalid actions {names}: expected an order of {', '.join(MOVES)}")
    start = report.check("a game starts with two tiles, 2 or 4", "games")
    masks = report.check("the mask has the legal moves", "boards")
    one = report.check("a move slides, merges and adds one tile", "moves")
    rewards = report.check("the reward is the sum of merged tiles", "moves")
    nothing = report.check("an illegal move changes nothing", "moves")
    over = report.check("the game is over when no move is legal", "moves")
    value = report.check("a new tile is a 4 in 10% of the moves", "tiles")
    cell = report.check("a new tile is equally often in every empty cell", "tiles")
    space = report.check("observations are in the observation space", "observations")
    tiles = NewTiles(one, value, cell)
    for game in range(games):
        observation, info = env.reset(seed=seed + game)
        before = read(observation, info, env)
        new = [tile for row in before for tile in row if tile]
        told = f"expected: two tiles, 2 or 4\ngot:      {text(before)}"
        start.case(len(new) == 2 and set(new) <= {2, 4}, size(before), told)
        limit = one.wrong + _MAX_WRONG
        for _ in range(_MAX_STEPS):
            told = f"observation {observation!r}\nexpected: one of {env.observation_space}"
            space.case(env.observation_space.contains(observation), size(before), told)
            legal = oracle.directions(before)
            allowed = _mask(masks, (mask or mask_of)(observation, info, env), before, names, legal)
            illegal = [name for name in MOVES if name not in legal]
            wrong = illegal and random.random() < _ILLEGAL
            name = str(random.choice(illegal if wrong else allowed or list(legal)))
            step = env.step(names.index(name))
            observation, reward, terminated, truncated, info = step
            after = read(observation, info, env)
            if wrong:
                told = example(before, name, "no change", text(after))
                nothing.case(after == before, size(before), told)
            else:
                tiles.add(before, name, legal[name], after)
                told = example(before, name, f"{legal[name][1]} points", f"{float(reward):g}")
                rewards.case(float(reward) == legal[name][1], size(before), told)
                words = ("the game goes on", "the game is over")
                stuck = not oracle.directions(after)
                told = f"board:\n{drawn(after)}\nexpected: {words[stuck]}\n"
                told += f"got:      {words[bool(terminated)]}"
                over.case(bool(terminated) == stuck, size(after), told)
                if stuck:
                    break
            before = after
            if terminated or truncated or one.wrong >= limit:
                break
    if masks.cases == 0:
        masks.skipped = "no mask in info['action_mask'], the observation or action_masks()"
    tiles.judge()
    _seeds(report, make, lambda *seen: text(read(*seen)), seed)
    check_gymnasium(report, make, checker)
    return report


def _mask(
    check: Check, mask: Any, board: Tiles, names: List[str], legal: Dict[str, Tuple[str, int]]
) -> List[str]:
    """Compares a mask with the legal moves; returns those that both allow: only they are played, so
    that what follows from a wrong mask is not told twice."""
    if mask is None:
        return []
    allowed = {name for name, yes in zip(names, np.asarray(mask).ravel()) if yes}
    words = [", ".join(name for name in MOVES if name in some) for some in (legal, allowed)]
    check.case(allowed == set(legal), size(board), example(board, None, words[0], words[1]))
    return [name for name in legal if name in allowed]


def check_placement_env(
    make: Callable[[], Any],
    subject: str,
    rules: str,
    state: Optional[StateReader],
    mask: Optional[MaskReader],
    games: int,
    seed: int,
    checker: bool,
) -> Report:
    """Plays games of Tetris or 1010! with random legal placements."""
    env, report, random = make(), Report(subject), np.random.default_rng(seed)
    oracle = Oracle(rules)
    if state is None:
        raise ValueError(
            "cannot read states of this environment: give `state`, a function of observation, info "
            "and environment that returns text such as 'I|...|##.', or write a PlacementAdapter"
        )
    placed = report.check("a placement leads to a board of the rules", "moves")
    rewards = report.check("the reward is that of the rules", "moves")
    over = report.check("the game is over when no placement is legal", "moves")
    masks = report.check("the mask has all legal placements and no other", "states")
    nothing = report.check("an illegal placement changes nothing", "placements")
    space = report.check("observations are in the observation space", "observations")
    for game in range(games):
        observation, info = env.reset(seed=seed + game)
        for _ in range(_MAX_STEPS):
            told = f"observation {observation!r}\nexpected: one of {env.observation_space}"
            space.case(env.observation_space.contains(observation), 0, told)
            before = state(observation, info, env)
            expected = {(board, float(reward)) for board, reward in oracle.moves(before).values()}
            allowed = (mask or mask_of)(observation, info, env)
            if allowed is None:
                raise ValueError("this environment has no mask: write a PlacementAdapter")
            allowed = np.flatnonzero(np.asarray(allowed).ravel())
            if random.random() < _COPY:
                _all_actions(masks, nothing, env, state, before, allowed, expected)
            if len(allowed) == 0:
                break
            step = env.step(int(random.choice(allowed)))
            observation, reward, terminated, truncated, info = step
            after = state(observation, info, env)
            board = after.split("|", 1)[1]
            told = f"state: {before}\nexpected: one of {len(expected)} boards\ngot:      {board}"
            if placed.case(board in {some for some, _ in expected}, before.count("#"), told):
                told = f"state: {before}\nexpected: the reward of {board}\ngot:      {reward}"
                rewards.case((board, float(reward)) in expected, before.count("#"), told)
            stuck = not oracle.moves(after)
            words = ("the game goes on", "the game is over")
            told = f"state: {after}\nexpected: {words[stuck]}\ngot:      {words[bool(terminated)]}"
            over.case(bool(terminated) == stuck, after.count("#"), told)
            if terminated or truncated or stuck:
                break
    _seeds(report, make, state, seed)
    check_gymnasium(report, make, checker)
    return report


def _all_actions(
    masks: Check,
    nothing: Check,
    env: Any,
    state: StateReader,
    before: str,
    allowed: np.ndarray,
    expected: Set[Any],
) -> None:
    """Tries every legal action and some others on copies of the environment."""
    if masks.skipped is not None:
        return
    try:
        copy.deepcopy(env)
    except Exception as error:  # whatever its parts raise
        masks.skipped = nothing.skipped = f"the environment cannot be copied ({error})"
        return
    got = set()
    for action in allowed:
        other = copy.deepcopy(env)
        observation, reward, _, _, info = other.step(int(action))
        got.add((state(observation, info, other).split("|", 1)[1], float(reward)))
    wanted, found = difference(expected, got)
    told = f"state: {before}\nexpected: {wanted}\ngot:      {found}"
    masks.case(got == expected, before.count("#"), told)
    for action in [a for a in range(env.action_space.n) if a not in set(allowed.tolist())][:3]:
        other = copy.deepcopy(env)
        observation, _, _, _, info = other.step(action)
        after = state(observation, info, other)
        told = f"state: {before}\naction: {action}\nexpected: no change\ngot:      {after}"
        nothing.case(after == before, before.count("#"), told)


def _seeds(report: Report, make: Callable[[], Any], state: StateReader, seed: int) -> None:
    """Plays the same actions with equal and with different seeds."""
    check = report.check("a seed gives the same game, another seed another one", "games")

    def play(env: Any, seed: int) -> List[str]:
        env.action_space.seed(0)
        observation, info = env.reset(seed=seed)
        seen = [state(observation, info, env)]
        for _ in range(40):
            observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
            seen.append(f"{state(observation, info, env)} {float(reward):g}")
            if terminated or truncated:
                break
        return seen

    one, other = make(), make()
    for number in range(5):
        first, second = play(one, seed + number), play(other, seed + number)
        at = next((i for i, pair in enumerate(zip(first, second)) if pair[0] != pair[1]), 0)
        told = f"seed {seed + number}, after {at} steps\n"
        told += f"expected: {first[at]}\ngot:      {second[at]}"
        check.case(first == second, at, told)
    told = "expected: different games for 20 seeds\ngot:      always the same game"
    check.case(len({tuple(play(one, seed + number)) for number in range(20)}) > 1, 0, told)


def check_gymnasium(report: Report, make: Callable[[], Any], checker: bool = True) -> None:
    """Gymnasium's own checker, with all forms of rendering that need no window."""
    from gymnasium.utils.env_checker import check_env

    skipped = None if checker else "this is no environment of Gymnasium"
    check = report.check("Gymnasium's checker", "environments", skipped)
    if not checker:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            check_env(make().unwrapped)
            check.case(True)
        except Exception as error:  # the checker raises whatever the environment raises
            lines = str(error).strip().splitlines() or [type(error).__name__]
            check.case(False, 0, f"got:      {type(error).__name__}: {lines[0]}")
