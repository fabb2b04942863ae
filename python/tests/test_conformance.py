"""The conformance suite: right implementations pass, and every defect is told."""

import doctest
from functools import partial

import gymnasium
import numpy as np
import pytest

import afterstate.conformance
from afterstate.conformance import FILES, PlacementAdapter, Report, check, load
from afterstate.conformance.statistics import FALSE_ALARM, chi_squared, share
from plain_rules import Env2048, adapter_2048, placement_adapter

ONE = "a move adds one tile in an empty cell"
STEP = "a move slides, merges and adds one tile"
OVER = "the game is over when no move is legal"
FOURS = "a new tile is a 4 in 10% of the moves"
CELLS = "a new tile is equally often in every empty cell"
MASK = "the mask has the legal moves"
MERGE = "tiles slide and merge once"
REWARD = "the reward is the sum of merged tiles"
NOTHING = "an illegal move changes nothing"
START = "a game starts with two tiles, 2 or 4"
PERFT = "perft: sequences, dead ends and rewards"
BOARDS = "boards after every placement"
GAME = "a whole game, move by move"

OUR_RULES = ["2048:4x4", "2048:3x3", "tetris:10x20,next", "1010:10x10,hand=3"]

#: What the suite must find on boards of the data file, and what in play.
DEFECTS = {
    "misses a move": ({"legal moves", PERFT}, {MASK}),
    "all moves legal": ({"legal moves", PERFT}, {MASK}),
    "merges twice": ({MERGE, ONE, REWARD, PERFT}, {STEP, REWARD}),
    "merges from the wrong side": ({MERGE, ONE}, {STEP}),
    "half the reward": ({REWARD, PERFT}, {REWARD}),
    "tile after an illegal move": ({NOTHING}, {NOTHING}),
    "no tile on the last cell": ({ONE}, {STEP}),
    "two tiles": ({ONE}, {STEP}),
    "many fours": ({FOURS}, {FOURS}),
    "first empty cell": ({CELLS}, {CELLS}),
    "over when full": ({OVER, "end of the game on a board"}, {OVER}),
    "never over": ({OVER, "end of the game on a board"}, {OVER}),
    "one tile at the start": ({START}, {START}),
    "ignores the seed": (
        {"the same seed gives the same tile"},
        {"a seed gives the same game, another seed another one"},
    ),
}


def wrong(report: Report):
    assert all(found.example for found in report.wrong)
    return {found.name for found in report.wrong}


@pytest.mark.parametrize("rules", OUR_RULES)
def test_our_environments_pass(rules):
    name = {"2": "2048", "t": "Tetris", "1": "1010"}[rules[0]]
    report = check(lambda: gymnasium.make(f"afterstate/{name}-v0", rules=rules), games=10)
    assert report.ok, report
    assert all(found.cases > 0 for found in report.checks if found.skipped is None), report


def test_plain_rules_pass_and_no_check_is_empty():
    reports = [check(adapter_2048())]
    reports += [check(placement_adapter(rules)) for rules in FILES if rules != "2048"]
    for form in ("tiles", "planes", "flat"):
        reports.append(check(partial(Env2048, form=form), games=12))
    for report in reports:
        assert report.ok, report
        skipped = [found for found in report.checks if found.cases == 0]
        assert [found.name for found in skipped] in ([], ["first pieces are equally likely"])


@pytest.mark.parametrize("defect", DEFECTS)
def test_defects_of_2048_are_told(defect):
    on_boards, in_play = DEFECTS[defect]
    assert wrong(check(adapter_2048(defect))) >= on_boards
    report = check(lambda: Env2048(defect), games=12, actions=Env2048.ORDER)
    assert wrong(report) >= in_play, report
    assert "WRONG" in str(report) and not report
    with pytest.raises(AssertionError, match="found something wrong"):
        report.raise_if_wrong()


@pytest.mark.parametrize(
    "rules, defect, found",
    [
        ("tetris:10x20", "clears one line", BOARDS),
        ("tetris:10x10", "clears nothing", BOARDS),
        ("tetris:10x10", "misses the last column", BOARDS),
        ("tetris:10x20", "misses the last column", PERFT),
        ("tetris:10x20", "never over", "the game is over when no placement is legal"),
        ("tetris:10x20", "deals no Z", "first pieces are equally likely"),
        ("1010", "clears one line", BOARDS),
        ("1010", "rows before columns", BOARDS),
        ("1010", "misses the last column", PERFT),
        ("tetris:10x20", "misses the last column", GAME),
    ],
)
def test_defects_of_placements_are_told(rules, defect, found):
    report = check(placement_adapter(rules, defect))
    assert found in wrong(report), report


def test_rewards_of_placements_are_told_apart_from_boards():
    right = placement_adapter("1010").placements
    report = check(
        PlacementAdapter("1010", lambda rows, piece: [(b, 2 * r) for b, r in right(rows, piece)])
    )
    assert wrong(report) == {"rewards of placements", PERFT, GAME}
    assert "not checked, the adapter has no `over`" in str(report)


def test_defects_of_placement_environments_are_told():
    class Broken(gymnasium.Wrapper):
        def reset(self, **options):
            observation, info = self.env.reset(**options)
            return observation, self.masked(info)

        def step(self, action):
            observation, reward, terminated, truncated, info = self.env.step(action)
            reward = 2 * reward + 1
            return observation, reward, self.env.unwrapped.action_masks().sum() < 9, truncated, info

        def masked(self, info):
            info["action_mask"] = info["action_mask"] * (np.arange(len(info["action_mask"])) > 3)
            return info

    report = check(lambda: Broken(gymnasium.make("afterstate/Tetris-v0")), games=40)
    assert wrong(report) >= {
        "the reward is that of the rules",
        "the game is over when no placement is legal",
        "the mask has all legal placements and no other",
    }


def test_the_simplest_wrong_board_is_shown():
    report = check(adapter_2048("merges from the wrong side"))
    shown = next(found for found in report.wrong if found.name == MERGE).example
    assert shown.startswith("board:\n") and "expected: " in shown and "got: " in shown


def test_gymnasium_checker_is_part_of_it():
    class Aliased(Env2048):
        def reset(self, **options):
            return super().reset(**options)[0].astype(np.float32), {}

    report = check(lambda: Aliased(), games=2, actions=Env2048.ORDER)
    assert {"Gymnasium's checker", "observations are in the observation space"} <= wrong(report)


def test_statistics_have_the_stated_error():
    assert share(100, 1000, 0.1) == 1 and share(200, 1000, 0.1) < FALSE_ALARM
    assert share(146, 1000, 0.1) > FALSE_ALARM > share(147, 1000, 0.1)
    # The 0.999 quantile of chi-squared with 9 degrees of freedom is 27.88.
    counts = [100] * 8 + [100 + 37.336, 100 - 37.336]
    assert chi_squared([counts]) == pytest.approx(1e-3, rel=0.1)
    assert chi_squared([[1, 0]]) == 1


def test_bad_input_raises():
    with pytest.raises(TypeError, match="expected an adapter or a function"):
        check(3)
    with pytest.raises(TypeError, match="with reset and step"):
        check(lambda: 3)
    with pytest.raises(ValueError, match="expected 4 actions"):
        check(lambda: gymnasium.make("CartPole-v1"))
    with pytest.raises(ValueError, match="give `state`"):
        check(lambda: Env2048(), rules="tetris")
    with pytest.raises(ValueError, match="invalid actions"):
        check(lambda: Env2048(), actions=["up"] * 4)
    with pytest.raises(ValueError, match="no data for the rules"):
        check(PlacementAdapter("tetris:6x2"))

    class Other(Env2048):
        def _observation(self):
            return np.zeros((5, 2, 3, 4))

    with pytest.raises(ValueError, match="give `board`"):
        check(lambda: Other())


def test_data_files_are_small_and_complete():
    sizes = {rules: len(str(load(rules))) for rules in FILES}
    assert sum(sizes.values()) < 300 << 10
    for rules in FILES:
        data = load(rules)
        assert data["boards"] and data["perft"] and data["game"]["moves"], rules


def test_examples():
    assert doctest.testmod(afterstate.conformance).failed == 0
