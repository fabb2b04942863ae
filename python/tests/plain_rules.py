"""The games in plain Python, with defects to switch on: the conformance suite must tell them."""

import random

import gymnasium
import numpy as np

from afterstate.conformance import Adapter2048, PlacementAdapter, load

NAMES = ["up", "right", "down", "left"]


def slide(row, defect):
    """A row to the left, and the sum of merged tiles."""
    tiles, merged, points, done = [tile for tile in row if tile], [], 0, False
    if defect == "merges from the wrong side":
        tiles.reverse()
    for tile in tiles:
        if merged and merged[-1] == tile and not done:
            merged[-1] *= 2
            points += tile if defect == "half the reward" else 2 * tile
            done = defect != "merges twice"
        else:
            merged.append(tile)
            done = False
    if defect == "merges from the wrong side":
        merged.reverse()
    return merged + [0] * (len(row) - len(merged)), points


def move(board, name, defect=None):
    """The board after a move, and its reward."""
    lines = board if name in ("left", "right") else [list(column) for column in zip(*board)]
    back = -1 if name in ("right", "down") else 1
    slid, points = zip(*(slide(line[::back], defect) for line in lines))
    slid = [line[::back] for line in slid]
    return slid if lines is board else [list(row) for row in zip(*slid)], sum(points)


def legal(board, defect=None):
    moves = [name for name in NAMES if move(board, name)[0] != board]
    if defect == "misses a move" and len(moves) == 3 and board[0][0] == board[1][0]:
        moves = [name for name in moves if name != "up"]
    return NAMES if defect == "all moves legal" else moves


def add_tile(board, rng, defect):
    empty = [(r, c) for r, row in enumerate(board) for c, tile in enumerate(row) if not tile]
    if defect == "no tile on the last cell" and len(empty) == 1:
        return
    row, column = empty[0] if defect == "first empty cell" else rng.choice(empty)
    board[row][column] = 4 if rng.random() < (0.2 if defect == "many fours" else 0.1) else 2


def over(board, defect=None):
    if defect == "never over":
        return False
    full = all(tile for row in board for tile in row)
    return full if defect == "over when full" else full and not legal(board)


def play(board, name, rng, defect=None):
    after, reward = move(board, name, defect)
    if after != board or defect == "tile after an illegal move":
        for _ in range(2 if defect == "two tiles" else 1):
            if not all(tile for row in after for tile in row):
                add_tile(after, rng, defect)
    return after, reward, over(after, defect)


def start(rng, defect=None):
    board = [[0] * 4 for _ in range(4)]
    for _ in range(1 if defect == "one tile at the start" else 2):
        add_tile(board, rng, None)
    return board


def adapter_2048(defect=None):
    def generator(seed):
        return random.Random(None if defect == "ignores the seed" else seed)

    return Adapter2048(
        legal=lambda board: legal(board, defect),
        move=lambda board, name: move(board, name, defect),
        play=lambda board, name, seed: play(board, name, generator(seed), defect),
        start=lambda seed: start(generator(seed), defect),
        over=lambda board: over(board, defect),
        tile_cases=2000,
    )


class Env2048(gymnasium.Env):
    """2048 with one of several forms of observations, and with actions in an unusual order."""

    ORDER = ["down", "left", "up", "right"]

    def __init__(self, defect=None, form="powers"):
        self.defect, self.form = defect, form
        shape = {"powers": (4, 4), "tiles": (4, 4), "planes": (16, 4, 4), "flat": (16,)}[form]
        self.observation_space = gymnasium.spaces.Box(0, 65536, shape, np.int64)
        self.action_space = gymnasium.spaces.Discrete(4)

    def _observation(self):
        board = np.array(self.board)
        powers = np.log2(np.maximum(board, 1)).astype(np.int64)
        if self.form == "planes":
            return np.stack([powers == plane for plane in range(16)]).astype(np.int64)
        return {"powers": powers, "tiles": board, "flat": powers.ravel()}[self.form]

    def _info(self):
        moves = legal(self.board, self.defect)
        return {"action_mask": np.array([name in moves for name in self.ORDER], np.int8)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(1 << 32))
        self.rng = random.Random(None if self.defect == "ignores the seed" else drawn)
        self.board = start(self.rng, self.defect)
        return self._observation(), self._info()

    def step(self, action):
        name = self.ORDER[action]
        self.board, reward, terminated = play(self.board, name, self.rng, self.defect)
        return self._observation(), float(reward), terminated, False, self._info()


def cleared(rows, kind, defect):
    """The board after full lines are cleared, and the number of lines."""
    cells = np.array([[letter == "#" for letter in row] for row in rows])
    full, columns = cells.all(axis=1), cells.all(axis=0)
    if defect == "clears one line" and full.any():
        full = np.arange(len(full)) == full.argmax()
    if defect == "clears nothing":
        full[:] = False
    if kind == "tetris":
        left = cells[~full]
        cells = np.vstack([np.zeros((full.sum(), cells.shape[1]), bool), left])
        return cells, int(full.sum())
    if defect == "rows before columns":
        cells[full] = False
        columns = cells.all(axis=0)
    cells[full], cells[:, columns] = False, False
    return cells, int(full.sum() + columns.sum())


def placements(rules, rows, piece, defect=None):
    """All outcomes of a piece on a board."""
    kind = "tetris" if rules.startswith("tetris") else "1010"
    height, width = len(rows), len(rows[0])
    for turn in load(rules)["pieces"][piece]:
        shape = [(r, c) for r, row in enumerate(turn) for c, cell in enumerate(row) if cell == "#"]
        columns = width - len(turn[0]) + (0 if defect == "misses the last column" else 1)
        for column in range(columns):
            # A piece falls from above the well until something is in the way.
            above = len(turn) if kind == "tetris" else 0
            free = [
                row
                for row in range(-above, height - len(turn) + 1)
                if all(row + r < 0 or rows[row + r][column + c] == "." for r, c in shape)
            ]
            if kind == "tetris":
                free = [row for at, row in enumerate(free) if at - above == row][-1:]
            for row in (row for row in free if row >= 0):
                board = [list(line) for line in rows]
                for r, c in shape:
                    board[row + r][column + c] = "#"
                cells, lines = cleared(board, kind, defect)
                points = len(shape) + 5 * lines * (lines + 1)
                yield cells, lines if kind == "tetris" else points


def placement_adapter(rules, defect=None):
    pieces = list(load(rules)["pieces"])
    drawn = pieces[:-1] if defect == "deals no Z" else pieces
    return PlacementAdapter(
        rules=rules,
        placements=lambda rows, piece: placements(rules, rows, piece, defect),
        over=lambda rows, piece: (
            defect != "never over" and not any(True for _ in placements(rules, rows, piece))
        ),
        piece=lambda seed: random.Random(seed).choice(drawn),
    )
