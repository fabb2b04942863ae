"""Checks of the rules of Tetris and 1010! through an adapter, on the boards of the data files."""

from collections import Counter
from typing import Any, Dict, Iterable, List, Set, Tuple

from .adapters import PlacementAdapter
from .data import Oracle, load, padded
from .report import Report
from .statistics import FALSE_ALARM, chi_squared

__all__ = ["check_placements", "difference", "rows_of"]

Outcomes = Set[Tuple[str, float]]


def rows_of(board: Any) -> List[str]:
    """A board of an author, rows of text or numbers, as rows of `#` and `.`."""
    if isinstance(board, str):
        return board.split("|")
    return [
        row if isinstance(row, str) else "".join("#" if cell else "." for cell in row)
        for row in board
    ]


def difference(expected: Outcomes, got: Outcomes) -> Tuple[str, str]:
    """What differs, in two short texts: one outcome of each side that the other lacks."""
    missing, extra = sorted(expected - got), sorted(got - expected)
    wanted = f"{len(expected)} outcomes"
    found = f"{len(got)} outcomes: {len(missing)} missing, {len(extra)} that should not be"
    if missing:
        wanted += f", such as {_short(missing[0])}"
    if extra:
        found += f", such as {_short(extra[0])}"
    return wanted, found


def _short(outcome: Tuple[str, float]) -> str:
    rows = outcome[0].split("|")
    filled = next((i for i, row in enumerate(rows) if "#" in row), len(rows) - 1)
    return f"{outcome[1]:g} for {'|'.join(rows[filled:])}"


def check_placements(adapter: PlacementAdapter, subject: str) -> Report:
    """Checks every function that the adapter has."""
    report = Report(subject)
    data = load(adapter.rules)
    oracle = Oracle(adapter.rules)
    width, height = oracle.width, oracle.height
    boards = [
        (padded(entry["board"], width, height), entry["piece"], entry["moves"])
        for entry in data["boards"]
    ]
    missing = "the adapter has no `{}`".format
    skipped = None if adapter.placements else missing("placements")
    places = report.check("boards after every placement", "boards with a piece", skipped)
    rewards = report.check("rewards of placements", "boards with a piece", skipped)
    perft = report.check("perft: sequences, dead ends and rewards", "counts", skipped)
    game = report.check("a whole game, move by move", "moves", skipped)
    if adapter.placements is not None:
        for rows, piece, moves in boards:
            expected = {
                ("|".join(padded(after, width, height)), float(reward))
                for reward, after in moves.values()
            }
            got = _outcomes(adapter, rows, piece)
            size = sum(row.count("#") for row in rows)
            where = f"{piece} on {_short(('|'.join(rows), 0))[6:]}"
            wanted, found = difference(_boards(expected), _boards(got))
            told = f"{where}\nexpected: {wanted}\ngot:      {found}"
            if places.case(_boards(got) == _boards(expected), size, told):
                wanted, found = difference(expected, got)
                told = f"{where}\nexpected: {wanted}\ngot:      {found}"
                rewards.case(got == expected, size, told)
        for entry in data["perft"]:
            rows = padded(entry["board"], width, height)
            for depth, expected_counts in enumerate(entry["counts"], 1):
                counts = _count(adapter, list(data["pieces"]), rows, entry["piece"], depth)
                told = f"{entry['piece']} on {entry['board']}, depth {depth}\n"
                told += f"expected: {expected_counts}\ngot:      {counts}"
                size = sum(row.count("#") for row in rows) + 1000 * depth
                perft.case(counts == expected_counts, size, told)
        position = data["game"]["start"]
        for entry in data["game"]["moves"]:
            rows, after = (padded(some["board"], width, height) for some in (position, entry))
            outcome = ("|".join(after), float(entry["reward"]))
            told = f"{position['piece']} on {position['board']}, move {entry['move']}\n"
            told += f"expected: {_short(outcome)}\ngot:      other boards or rewards only"
            right = outcome in _outcomes(adapter, rows, position["piece"])
            game.case(right, sum(row.count("#") for row in rows), told)
            position = entry
    _over(adapter, report, boards)
    _pieces(adapter, report, data)
    return report


def _boards(outcomes: Iterable[Tuple[str, float]]) -> Outcomes:
    return {(board, 0) for board, _ in outcomes}


def _outcomes(adapter: PlacementAdapter, rows: List[str], piece: str) -> Outcomes:
    assert adapter.placements is not None
    placed = adapter.placements(list(rows), piece)
    return {("|".join(rows_of(board)), float(reward)) for board, reward in placed}


def _count(
    adapter: PlacementAdapter, pieces: List[str], rows: List[str], piece: str, depth: int
) -> List[int]:
    """Perft with the author's placements and all next pieces; equal outcomes count once."""
    total = [0, 0, 0]
    outcomes = _outcomes(adapter, rows, piece)
    for board, reward in outcomes:
        if depth == 1:
            below = [len(pieces), 0, len(pieces) * int(reward)]
            total = [a + b for a, b in zip(total, below)]
            continue
        for next_piece in pieces:
            below = _count(adapter, pieces, board.split("|"), next_piece, depth - 1)
            total = [a + b for a, b in zip(total, below)]
    if not outcomes:
        total[1] += 1
    return total


def _over(adapter: PlacementAdapter, report: Report, boards: List[Any]) -> None:
    skipped = None if adapter.over else "the adapter has no `over`"
    check = report.check("the game is over when no placement is legal", "boards", skipped)
    if adapter.over is None:
        return
    for rows, piece, moves in boards:
        over = bool(adapter.over(list(rows), piece))
        words = ("the game goes on", "the game is over")
        told = f"{piece} on {'|'.join(rows)}\n"
        told += f"expected: {words[not moves]}\ngot:      {words[over]}"
        check.case(over == (not moves), sum(row.count("#") for row in rows), told)


def _pieces(adapter: PlacementAdapter, report: Report, data: Dict[str, Any]) -> None:
    skipped = None if adapter.piece else "the adapter has no `piece`"
    if not adapter.rules.startswith("tetris"):
        skipped = "only those of Tetris are equally likely"
    check = report.check("first pieces are equally likely", "pieces", skipped)
    if adapter.piece is None or check.skipped:
        return
    seen = Counter(adapter.piece(seed) for seed in range(adapter.piece_cases))
    check.cases = adapter.piece_cases
    check.note = f"a right program fails with probability {FALSE_ALARM}"
    p = chi_squared([[seen[piece] for piece in data["pieces"]]])
    if p < FALSE_ALARM or set(seen) - set(data["pieces"]):
        check.wrong = 1
        check.example = f"expected: each of {', '.join(data['pieces'])}\ngot:      {dict(seen)}"
