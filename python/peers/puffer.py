"""PufferLib's core of 2048, compiled from a source file that is given.

The package on PyPI (3.0.0) has no 2048, and it installs only where PyTorch, raylib and Box2D can be
fetched while it builds.
"""

import ctypes
import subprocess
import tempfile
from pathlib import Path
from typing import Any, List

import numpy as np
from rules import powers, tiles

from afterstate.conformance import Adapter2048, Report, check

ORDER = ("up", "down", "left", "right")

# What g2048.h uses of raylib, which only draws.
_RAYLIB = """
typedef struct { unsigned char r, g, b, a; } Color;
#define KEY_ESCAPE 0
#define InitWindow(...)
#define SetTargetFPS(...)
#define CloseWindow()
#define BeginDrawing()
#define EndDrawing()
#define ClearBackground(...)
#define DrawRectangle(...)
#define DrawText(...)
#define IsKeyDown(...) 0
#define IsWindowReady() 0
"""


def library(source: str) -> Any:
    """Compiles the file for this processor."""
    if not Path(source).is_file():
        raise FileNotFoundError(f"no file {source}: expected PufferLib's g2048.h")
    folder = Path(tempfile.mkdtemp())
    (folder / "raylib.h").write_text(_RAYLIB)
    shared, wrapper = folder / "puffer.so", Path(__file__).with_name("puffer.c")
    game = f'-DGAME="{Path(source).resolve()}"'
    own = f"-DOWN_GENERATOR={int('rand_r' in Path(source).read_text())}"
    flags = ["-O3", "-march=native", "-shared", "-fPIC", "-w", f"-I{folder}", game, own]
    subprocess.run(["cc", *flags, str(wrapper), "-o", str(shared), "-lm"], check=True)
    loaded = ctypes.CDLL(str(shared))
    loaded.make.restype = ctypes.c_void_p
    return loaded


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    """Where an array begins."""
    return ctypes.c_void_p(array.ctypes.data)


class Core:
    """Games that step at once on arrays that are made once."""

    def __init__(self, source: str, count: int):
        self.library, self.count = library(source), count
        self.boards = np.zeros((count, 16), np.uint8)
        # Newer versions take actions as float64 and tell ends as float32.
        self.actions = np.zeros(
            count, np.float64 if self.library.size_of_action() == 8 else np.int32
        )
        self.rewards = np.zeros(count, np.float32)
        self.ends = np.zeros(count, np.float32 if self.library.size_of_end() == 4 else np.uint8)
        arrays = (self.boards, self.actions, self.rewards, self.ends)
        pointers = [pointer(array) for array in arrays]
        self.games = ctypes.c_void_p(self.library.make(count, *pointers))

    def step(self) -> None:
        """Steps every game by `actions`."""
        self.library.step_all(self.games, self.count)


def check_core(source: str) -> List[Report]:
    """Its functions on boards."""
    core = Core(source, 1)
    code, game = core.library, core.games

    def put(board):
        code.put(game, pointer(powers(board).astype(np.uint8)))

    def board_now():
        cells = np.zeros(16, np.uint8)
        code.get(game, pointer(cells))
        return tiles(cells)

    def move(board, name):
        put(board)
        score = ctypes.c_float()
        code.slide(game, ORDER.index(name), ctypes.byref(score))
        return board_now(), score.value

    def play(board, name, seed):
        put(board)
        code.seed(game, seed + 1)
        score = ctypes.c_float()
        over = code.play(game, ORDER.index(name), ctypes.byref(score))
        return board_now(), score.value, bool(over)

    def legal(board):
        return [name for name in ORDER if (move(board, name)[0] != np.array(board)).any()]

    return [check(Adapter2048(legal, move, play), name="functions on boards")]
