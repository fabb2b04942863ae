"""The compiled rules agree with independent ones on the golden games and on games played here."""

import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from afterstate import Batch
from independent_rules import RULES

GAMES = Path(__file__).parents[2] / "crates/games/tests/playthroughs"

#: Positions of each of the rules; a longer run sets more.
POSITIONS = int(os.environ.get("RULES_POSITIONS", 1_000))


def file_name(rules):
    return rules.translate(str.maketrans({":": "-", ",": "-", "=": ""})) + ".txt"


def key(board):
    return frozenset(board.items()) if isinstance(board, dict) else board


def test_every_golden_game_has_independent_rules():
    assert {file_name(rules) for rules in RULES} == {path.name for path in GAMES.glob("*.txt")}


@pytest.mark.parametrize("rules", RULES)
def test_golden_games(rules):
    game, moves = RULES[rules], 0
    state = score = None
    for part in (GAMES / file_name(rules)).read_text().split("\n\n"):
        head, _, rest = part.partition("\n")
        if head.startswith("move "):
            place, _, told = head.split(": ")[1].partition(" earns ")
            reward, _, total = told.partition(", score ")
            hand, board = state
            # The move of Tetris names a column and a turn, of which the column is compared.
            same = [
                outcome
                for outcome in game.moves(hand, board)
                if outcome.place == (place[0] if rules.startswith("tetris") else place)
                and outcome.reward == int(reward)
            ]
            state, score, moves = game.read(rest), score + int(reward), moves + 1
            assert int(total) == score, head
            assert any(game.may_follow(hand, one, place, *state) for one in same), f"{head}\n{rest}"
        elif head == "over":
            assert not list(game.moves(*state))
        elif head.startswith("drawn board"):
            state, score = game.read(rest), 0
        else:
            state, score = game.read(part), 0
    assert moves > 5


@pytest.mark.parametrize("rules", RULES)
def test_games_played_here(rules):
    game, random = RULES[rules], np.random.default_rng(7)
    batch = Batch(rules, 8, seed=11, autoreset="disabled")
    ended = compared = 0
    while compared < POSITIONS:
        starts, actions, rewards, boards = batch.afterstates()
        for number in range(len(batch)):
            hand, board = game.read(batch.state(number))
            own = list(game.moves(hand, board))
            first, last = int(starts[number]), int(starts[number + 1])
            found = Counter(
                (key(game.of_array(boards[at])), float(rewards[at])) for at in range(first, last)
            )
            assert found == Counter((key(one.board), float(one.reward)) for one in own)
            assert batch.legal[number].sum() == len(own)
            assert batch.is_over(number) == (not own)
            compared += 1
            ended += not own
        picks = [random.integers(starts[n], max(starts[n] + 1, starts[n + 1])) for n in range(8)]
        batch.actions[:] = np.append(actions, 0)[np.minimum(picks, len(actions))]
        over = np.array([batch.is_over(number) for number in range(8)])
        batch.step()
        if over.any():
            batch.reset(mask=over)
    # Melax's well never ends.
    assert ended > 0 or rules == "tetris:6x2,melax"
