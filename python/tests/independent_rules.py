"""2048, Tetris and 1010! once more, by the text of `afterstate games`: boards are dictionaries and sets of
cells, and nothing is shared with the compiled rules."""

from collections import Counter
from dataclasses import dataclass
from typing import Dict, FrozenSet, Iterator, List, Tuple

Cell = Tuple[int, int]
Shape = FrozenSet[Cell]


def drawn(text: str) -> Shape:
    """The cells (row from the top, column) of a drawing whose rows are separated by `/`."""
    return frozenset(
        (r, c) for r, row in enumerate(text.split("/")) for c, mark in enumerate(row) if mark == "#"
    )


def bar(rows: int, columns: int) -> Shape:
    return frozenset((r, c) for r in range(rows) for c in range(columns))


def corner(size: int, name: str) -> Shape:
    """Two sides of a square that meet at the corner `name`."""
    row, column = (size - 1 if "s" in name else 0), (size - 1 if "e" in name else 0)
    return frozenset((r, c) for r, c in bar(size, size) if r == row or c == column)


TETROMINOES = {
    "I": drawn("####"),
    "O": drawn("##/##"),
    "T": drawn("###/.#."),
    "S": drawn(".##/##."),
    "Z": drawn("##./.##"),
    "J": drawn("###/..#"),
    "L": drawn("###/#.."),
}
MELAX = {
    "dot": drawn("#"),
    "domino": drawn("##"),
    "corner": drawn("##/#."),
    "square": drawn("##/##"),
    "diagonal": drawn("#./.#"),
}
SMALL = {name: bar(*size) for name, size in {"1x1": (1, 1), "1x2": (1, 2), "2x1": (2, 1)}.items()}
SEVEN = {**SMALL, **{f"2{name}": corner(2, name) for name in ("nw", "ne", "sw", "se")}}
ALL_OF_1010 = {
    **SEVEN,
    **{f"3{name}": corner(3, name) for name in ("nw", "ne", "sw", "se")},
    **{f"1x{n}": bar(1, n) for n in (3, 4, 5)},
    **{f"{n}x1": bar(n, 1) for n in (3, 4, 5)},
    **{f"{n}x{n}": bar(n, n) for n in (2, 3)},
}


@dataclass(frozen=True)
class Outcome:
    """What a move leads to before chance: where it was made, the board and the points."""

    place: str
    board: object
    reward: int


class Slides:
    """2048: all tiles slide, equal neighbours merge once, and the merged tile counts."""

    def __init__(self, width: int, height: int):
        self.width, self.height = width, height

    def read(self, text: str) -> Tuple[Tuple[str, ...], Dict[Cell, int]]:
        rows = [row.split() for row in text.splitlines()]
        assert len(rows) == self.height and all(len(row) == self.width for row in rows)
        tiles = {(r, c): int(t) for r, row in enumerate(rows) for c, t in enumerate(row) if t != "."}
        return (), tiles

    def of_array(self, cells) -> Dict[Cell, int]:
        powers = {(r, c): int(cells[r, c]) for r in range(self.height) for c in range(self.width)}
        return {cell: 2**power for cell, power in powers.items() if power}

    def moves(self, _hand, tiles: Dict[Cell, int]) -> Iterator[Outcome]:
        rows, columns = range(self.height), range(self.width)
        directions = {
            "left": [[(r, c) for c in columns] for r in rows],
            "right": [[(r, c) for c in reversed(columns)] for r in rows],
            "up": [[(r, c) for r in rows] for c in columns],
            "down": [[(r, c) for r in reversed(rows)] for c in columns],
        }
        for name, lines in directions.items():
            after: Dict[Cell, int] = {}
            reward = 0
            for line in lines:
                queue = [tiles[cell] for cell in line if cell in tiles]
                for cell in line:
                    if not queue:
                        break
                    tile = queue.pop(0)
                    if queue and queue[0] == tile:
                        tile += queue.pop(0)
                        reward += tile
                    after[cell] = tile
            if after != tiles:
                yield Outcome(name, after, reward)

    def may_follow(self, _hand, outcome: Outcome, _place, _next_hand, tiles) -> bool:
        new = tiles.items() - outcome.board.items()
        return (
            len(new) == 1
            and len(tiles) == len(outcome.board) + 1
            and next(iter(new))[1] in (2, 4)
            and outcome.board.items() <= tiles.items()
        )


class Placements:
    """What Tetris and 1010! share: pieces by name and boards as sets of full cells."""

    def __init__(self, width: int, height: int, pieces: Dict[str, Shape]):
        self.width, self.height, self.pieces = width, height, pieces

    def read(self, text: str) -> Tuple[Tuple[str, ...], FrozenSet[Cell]]:
        first, *rows = text.splitlines()
        assert len(rows) == self.height and all(len(row) == self.width for row in rows)
        return tuple(first.split()), drawn("/".join(rows))

    def of_array(self, cells) -> FrozenSet[Cell]:
        every = ((r, c) for r in range(self.height) for c in range(self.width))
        return frozenset(cell for cell in every if cells[cell])


class Drops(Placements):
    """Tetris: a piece in any orientation falls at any column until it rests; full rows clear."""

    def __init__(self, width, height, pieces=None, overflow="lose", preview=False):
        super().__init__(width, height, pieces or TETROMINOES)
        self.overflow, self.preview = overflow, preview

    @staticmethod
    def turns(shape: Shape) -> List[Shape]:
        found: List[Shape] = []
        for _ in range(4):
            if shape not in found:
                found.append(shape)
            bottom = max(r for r, _ in shape)
            shape = frozenset((c, bottom - r) for r, c in shape)
        return found

    def moves(self, hand, full: FrozenSet[Cell]) -> Iterator[Outcome]:
        for shape in self.turns(self.pieces[hand[0]]):
            tall, wide = (1 + max(cell[axis] for cell in shape) for axis in (0, 1))
            for left in range(self.width - wide + 1):
                top = -tall
                while self.free(shape, top + 1, left, full):
                    top += 1
                outcome = self.settled(full | {(top + r, left + c) for r, c in shape}, top < 0)
                if outcome is not None:
                    yield Outcome("abcdefghijklmnop"[left], *outcome)

    def free(self, shape, top, left, full) -> bool:
        return all(top + r < self.height and (top + r, left + c) not in full for r, c in shape)

    def settled(self, cells, above):
        """The board after full rows clear, and the reward; None if the game is lost."""
        if above and self.overflow == "lose":
            return None
        count = Counter(r for r, _ in cells)
        gone = [r for r, filled in count.items() if filled == self.width]
        # A row sinks by the number of cleared rows below it.
        left = {(r + sum(line > r for line in gone), c) for r, c in cells if r not in gone}
        pushed = max([0] + [-r for r, _ in left])
        if self.overflow == "push":
            sunk = {(r + pushed, c) for r, c in left}
            return frozenset(cell for cell in sunk if cell[0] < self.height), -pushed
        return None if pushed else (frozenset(left), len(gone))

    def may_follow(self, hand, outcome: Outcome, _place, next_hand, board) -> bool:
        known = hand[1:] if self.preview else ()
        names = next_hand[: len(known)] == known and len(next_hand) == len(hand)
        return board == outcome.board and names and set(next_hand) <= set(self.pieces)


class Hands(Placements):
    """1010!: pieces are placed as they are anywhere; full rows and columns clear together."""

    def __init__(self, width, height, pieces, hand=1, square=False):
        super().__init__(width, height, pieces)
        self.hand, self.square = hand, square

    def moves(self, hand, full: FrozenSet[Cell]) -> Iterator[Outcome]:
        for name in sorted(set(hand)):
            shape = self.pieces[name]
            for row in range(self.height):
                for column in range(self.width):
                    cells = {(row + r, column + c) for r, c in shape}
                    if cells & full or any(r >= self.height or c >= self.width for r, c in cells):
                        continue
                    place = f"{name}@{'abcdefghij'[column]}{row + 1}"
                    yield Outcome(place, *self.cleared(full | cells, len(shape)))

    def cleared(self, cells, size):
        rows, columns = Counter(r for r, _ in cells), Counter(c for _, c in cells)
        lines = sum(n == self.width for n in rows.values())
        lines += sum(n == self.height for n in columns.values())
        left = {(r, c) for r, c in cells if rows[r] < self.width and columns[c] < self.height}
        points = 10 * lines**2 if self.square else 5 * lines * (lines + 1)
        return frozenset(left), size + points

    def may_follow(self, hand, outcome: Outcome, place, next_hand, board) -> bool:
        left = Counter(hand) - Counter([place.split("@")[0]])
        dealt = len(next_hand) == self.hand and set(next_hand) <= set(self.pieces)
        return board == outcome.board and (Counter(next_hand) == left if left else dealt)


WITHOUT_3X3 = {name: shape for name, shape in ALL_OF_1010.items() if name != "3x3"}

#: The rules that `afterstate games` lists as examples.
RULES = {
    "2048:4x4": Slides(4, 4),
    "2048:4x3": Slides(4, 3),
    "2048:3x3": Slides(3, 3),
    "2048:2x2": Slides(2, 2),
    "tetris:10x20": Drops(10, 20),
    "tetris:10x10": Drops(10, 10),
    "tetris:10x20,next": Drops(10, 20, preview=True),
    "tetris:10x10,overflow=clear": Drops(10, 10, overflow="clear"),
    "tetris:4x20,pieces=melax": Drops(4, 20, MELAX),
    "tetris:5x20,pieces=melax": Drops(5, 20, MELAX),
    "tetris:10x20,pieces=melax": Drops(10, 20, MELAX),
    "tetris:6x2,melax": Drops(6, 2, MELAX, overflow="push"),
    "1010:10x10,pieces=19,hand=3": Hands(10, 10, ALL_OF_1010, hand=3),
    "1010:10x10,pieces=19": Hands(10, 10, ALL_OF_1010),
    "1010:10x10,pieces=18": Hands(10, 10, WITHOUT_3X3),
    "1010:5x5,pieces=7": Hands(5, 5, SEVEN),
    "1010:4x4,pieces=7": Hands(4, 4, SEVEN),
    "1010:4x4,pieces=3": Hands(4, 4, SMALL),
    "1010:3x3,pieces=7": Hands(3, 3, SEVEN),
    "1010:3x3,pieces=3": Hands(3, 3, SMALL),
    "1010:4x4,pieces=7,score=square": Hands(4, 4, SEVEN, square=True),
}
