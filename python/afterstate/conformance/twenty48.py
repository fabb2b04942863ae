"""Checks of the rules of 2048 through an adapter, on the boards of the data file."""

from typing import Any, Dict, List, Tuple

from .adapters import Adapter2048
from .data import MOVES, Outcome, Tiles, load, text
from .report import Check, Report
from .tiles import NewTiles, drawn, example, size, tiles_of

__all__ = ["check_2048"]

#: A board on which three quarters of the cells are empty after a move, for the statistics.
_SPARSE = [[0, 0, 2, 2], [0, 0, 0, 0], [0, 4, 0, 0], [0, 0, 8, 0]]


def check_2048(adapter: Adapter2048, subject: str) -> Report:
    """Checks every function that the adapter has."""
    report = Report(subject)
    data = load("2048")
    boards: List[Tuple[Tiles, Dict[str, Outcome]]] = []
    for entry in data["boards"]:
        moves = {name: (text(after), reward) for name, (reward, after) in entry["moves"].items()}
        boards.append((entry["board"], moves))
    _legal(adapter, report, boards)
    _moves(adapter, report, boards)
    _play(adapter, report, boards)
    _over(adapter, report, boards)
    _start(adapter, report)
    _perft(adapter, report, data["perft"])
    _game(adapter, report, data["game"])
    return report


def _needs(adapter: Adapter2048, *names: str) -> Any:
    missing = [name for name in names if getattr(adapter, name) is None]
    return f"the adapter has no `{missing[0]}`" if missing else None


def _legal(adapter: Adapter2048, report: Report, boards: List[Any]) -> None:
    check = report.check("legal moves", "boards", _needs(adapter, "legal"))
    if adapter.legal is None:
        return
    for board, moves in boards:
        got = set(adapter.legal(tiles_of(board)))
        told = example(board, None, _names(moves), _names(got))
        check.case(got == set(moves), size(board), told)


def _names(moves: Any) -> str:
    return ", ".join(name for name in MOVES if name in moves) or "no legal move"


def _moves(adapter: Adapter2048, report: Report, boards: List[Any]) -> None:
    skipped = _needs(adapter, "move")
    merges = report.check("tiles slide and merge once", "moves", skipped)
    rewards = report.check("the reward is the sum of merged tiles", "moves", skipped)
    if adapter.move is None:
        return
    for board, moves in boards:
        for name, (after, reward) in moves.items():
            got, got_reward = adapter.move(tiles_of(board), name)
            got_text = text(tiles_of(got))
            merges.case(got_text == after, size(board), example(board, name, after, got_text))
            told = example(board, name, f"{reward} points", f"{float(got_reward):g}")
            rewards.case(float(got_reward) == reward, size(board), told)


def _play(adapter: Adapter2048, report: Report, boards: List[Any]) -> None:
    skipped = _needs(adapter, "play")
    one = report.check("a move adds one tile in an empty cell", "moves", skipped)
    reward_check = report.check("the reward of a move with a new tile", "moves", skipped)
    nothing = report.check("an illegal move changes nothing", "moves", skipped)
    over = report.check("the game is over when no move is legal", "moves", skipped)
    seeds = report.check("the same seed gives the same tile", "moves", skipped)
    value = report.check("a new tile is a 4 in 10% of the moves", "tiles", skipped)
    cell = report.check("a new tile is equally often in every empty cell", "tiles", skipped)
    if adapter.play is None:
        return
    tiles = NewTiles(one, value, cell)
    for number, (board, moves) in enumerate(boards):
        for name in MOVES:
            after, reward, done = adapter.play(tiles_of(board), name, number)
            got = tiles_of(after)
            if name not in moves:
                nothing.case(
                    got == board, size(board), example(board, name, "no change", text(got))
                )
                continue
            tiles.add(board, name, moves[name], got)
            told = example(board, name, f"{moves[name][1]} points", f"{float(reward):g}")
            reward_check.case(float(reward) == moves[name][1], size(board), told)
            _end(over, got, bool(done))
            again = tiles_of(adapter.play(tiles_of(board), name, number)[0])
            seeds.case(again == got, size(board), example(board, name, text(got), text(again)))
    sparse = ("left", (text([[4, 0, 0, 0], [0, 0, 0, 0], [4, 0, 0, 0], [8, 0, 0, 0]]), 4))
    seen = set()
    for seed in range(adapter.tile_cases):
        after = tiles_of(adapter.play(tiles_of(_SPARSE), sparse[0], seed)[0])
        seen.add(text(after))
        tiles.add(_SPARSE, sparse[0], sparse[1], after)
    if adapter.tile_cases > 1:
        told = example(_SPARSE, sparse[0], "different tiles for different seeds", "always the same")
        seeds.case(len(seen) > 1, size(_SPARSE), told)
    tiles.judge()


def _end(check: Check, board: Tiles, over: bool) -> None:
    """Compares the end of a game with the legal moves, found here without the adapter."""
    rows = board + [list(column) for column in zip(*board)]
    stuck = all(a and b and a != b for row in rows for a, b in zip(row, row[1:]))
    words = ("the game goes on", "the game is over")
    told = f"board:\n{drawn(board)}\nexpected: {words[stuck]}\ngot:      {words[over]}"
    check.case(over == stuck, size(board), told)


def _over(adapter: Adapter2048, report: Report, boards: List[Any]) -> None:
    check = report.check("end of the game on a board", "boards", _needs(adapter, "over"))
    if adapter.over is not None:
        for board, _ in boards:
            _end(check, board, bool(adapter.over(tiles_of(board))))


def _start(adapter: Adapter2048, report: Report) -> None:
    check = report.check("a game starts with two tiles, 2 or 4", "games", _needs(adapter, "start"))
    if adapter.start is None:
        return
    for seed in range(100):
        board = tiles_of(adapter.start(seed))
        tiles = [tile for row in board for tile in row if tile]
        told = f"seed {seed}\nexpected: two tiles, 2 or 4\ngot:      {text(board)}"
        check.case(len(tiles) == 2 and set(tiles) <= {2, 4}, size(board), told)


def _perft(adapter: Adapter2048, report: Report, entries: List[Any]) -> None:
    check = report.check(
        "perft: sequences, dead ends and rewards", "counts", _needs(adapter, "legal", "move")
    )
    if check.skipped is not None:
        return
    for entry in entries:
        for depth, expected in enumerate(entry["counts"], 1):
            got = _count(adapter, entry["board"], depth)
            words = f"depth {depth}: {expected}", f"depth {depth}: {got}"
            told = example(entry["board"], None, *words)
            check.case(got == expected, size(entry["board"]) + depth * 100, told)


def _count(adapter: Adapter2048, board: Tiles, depth: int) -> List[int]:
    """Perft with the author's moves and all new tiles."""
    assert adapter.legal is not None and adapter.move is not None
    total = [0, 0, 0]
    names = list(adapter.legal(tiles_of(board)))
    for name in names:
        after, reward = adapter.move(tiles_of(board), name)
        rows = tiles_of(after)
        for row in rows:
            for column, tile in enumerate(row):
                if tile:
                    continue
                for new in (2, 4):
                    row[column] = new
                    below = [1, 0, int(reward)] if depth == 1 else _count(adapter, rows, depth - 1)
                    total = [a + b for a, b in zip(total, below)]
                row[column] = 0
    if not names:
        total[1] += 1
    return total


def _game(adapter: Adapter2048, report: Report, game: Dict[str, Any]) -> None:
    check = report.check("a whole game, move by move", "moves", _needs(adapter, "move"))
    if adapter.move is None:
        return
    board = game["start"]["board"]
    for entry in game["moves"]:
        after, reward = adapter.move(tiles_of(board), entry["move"])
        pairs = [
            (old, new)
            for a, b in zip(tiles_of(after), entry["board"])
            for old, new in zip(a, b)
            if old != new
        ]
        right = len(pairs) == 1 and pairs[0][0] == 0 and float(reward) == entry["reward"]
        wanted = f"{entry['reward']} points and, after the tile, {text(entry['board'])}"
        got = f"{float(reward):g} points and, before it, {text(tiles_of(after))}"
        check.case(right, size(board), example(board, entry["move"], wanted, got))
        board = entry["board"]
