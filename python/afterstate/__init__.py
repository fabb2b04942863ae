"""2048, Tetris and 1010! for reinforcement learning.

Environments: `Batch` steps many games at once. With Gymnasium installed, `import afterstate` registers the
environments afterstate/2048-v0, afterstate/Tetris-v0 and afterstate/1010-v0.

Agents: `load` one by name or file, `evaluate` and `compare` it, `train` one, `analyze` positions, `solve`
small games exactly, `record` and `replay` games, `reproduce` published figures, and use your own function or network as a `Policy`.
"""

from ._native import Agent, Batch, Solution, solve
from .analysis import Analysis, Move, analyze
from .evaluation import Comparison, Evaluation, agents, compare, evaluate, load
from .policy import Policy
from .replays import Replay, record, replay
from .reproduction import experiments, reproduce
from .training import Run, recipes, train

__all__ = [
    "Agent",
    "Analysis",
    "Batch",
    "Comparison",
    "Evaluation",
    "Move",
    "Policy",
    "Replay",
    "Run",
    "Solution",
    "agents",
    "analyze",
    "compare",
    "evaluate",
    "experiments",
    "load",
    "recipes",
    "record",
    "replay",
    "reproduce",
    "solve",
    "train",
]


def _register() -> None:
    """Registers the environments with Gymnasium; does nothing twice."""
    from gymnasium.envs.registration import register, registry

    for name, rules in (("2048", "2048"), ("Tetris", "tetris"), ("1010", "1010")):
        env_id = f"afterstate/{name}-v0"
        if env_id not in registry:
            register(
                id=env_id,
                entry_point="afterstate.gym:Env",
                vector_entry_point="afterstate.gym:VectorEnv",
                kwargs={"rules": rules},
            )


try:
    _register()
except ModuleNotFoundError:  # Gymnasium is optional: pip install "./python[gym]"
    pass
else:
    from . import gym, wrappers

    __all__ += ["gym", "wrappers"]
