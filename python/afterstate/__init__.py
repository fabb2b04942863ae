"""2048, Tetris and 1010! for reinforcement learning."""

from ._native import Batch

__all__ = ["Batch"]
