"""Each difference in what is allowed and read after an upgrade from version 0.1 is in `upgrading-from-0.1.md`."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.tiers import spread
from tests.upgrade_calls import CALLS, COMMANDS
from tests.upgrade_matrix import ACTORS, PLACES, QUICK, Answers, Tried, facts, recorded
from tests.upgrade_page import Row, parts, problems, rows

PROBED = ("approve", "stage advance with gaps", "sprint start", "feedback add")
"""Commands that are tried in the first tier, by an agent."""
PROBED_CALLS = {name: CALLS[name] for place, name in enumerate(CALLS) if place in spread(len(CALLS), 16)}
"""Calls that are tried in the first tier."""


def compared(before: Mapping[str, str], now: Answers, *, whole: bool = False) -> str:
    """Compare with the page; return what is wrong, a line each."""
    tried = {key: answer for key, answer in before.items() if key in now}
    claims = rows(parts()[0])
    return "\n".join(problems(claims, before if whole else tried, now, whole=whole))


def test_an_agents_calls_in_coding_and_among_several_sprints_differ_as_the_page_says(tmp_path: Path) -> None:
    assert compared(recorded(), Tried(tmp_path).hooks(QUICK, PROBED_CALLS)) == ""


def test_an_agents_commands_differ_as_the_page_says(tmp_path: Path) -> None:
    assert compared(recorded(), Tried(tmp_path).commands(PROBED, ["agent"])) == ""


@pytest.mark.sweep
def test_every_difference_after_an_upgrade_is_on_the_page_and_every_one_there_occurs(tmp_path: Path) -> None:
    tried = Tried(tmp_path)

    now = facts(tried) | tried.commands() | tried.hooks(PLACES)

    assert compared(recorded(), now, whole=True) == ""


def test_the_record_has_each_call_in_each_place_and_each_command_of_each_actor() -> None:
    known = recorded()

    assert {key for key in known if key.startswith("command")} == {
        f"command {actor} {name}" for actor in ACTORS for name in COMMANDS
    }
    assert {tuple(key.split(" ")[1:3]) for key in known if key.startswith("hook")} == set(PLACES)


BEFORE = {"hook a x go": "allow", "hook b x go": "allow", "hook b y go": "deny", "memory fact": "active"}


def test_a_difference_without_a_row_is_a_row_to_add() -> None:
    now = {**BEFORE, "hook a x go": "deny", "hook b x go": "deny"}

    assert problems([], BEFORE, now, whole=True) == ["| `hook * * go` | allow | deny |  |"]


def test_a_row_to_add_claims_no_more_than_what_differs() -> None:
    now = {**BEFORE, "hook a x go": "deny"}

    assert problems([], BEFORE, now, whole=True) == ["| `hook a * go` | allow | deny |  |"]


def test_a_pattern_may_list_words_or_exclude_them() -> None:
    now = {**BEFORE, "hook b x go": "deny"}

    for pattern in ("hook !a x,y go", "hook b,c !y go", "hook b * g*"):
        assert problems([Row((pattern,), "allow", "deny")], BEFORE, now, whole=True) == [], pattern
    assert problems([Row(("hook * go",), "allow", "deny")], BEFORE, BEFORE, whole=True) == [
        "untrue: `hook * go`: 0.1 answered nothing like it with allow"
    ]


def test_a_row_without_its_difference_is_untrue() -> None:
    row = Row(("hook * x go",), "allow", "deny")
    now = {**BEFORE, "hook a x go": "deny"}

    assert problems([row], BEFORE, now, whole=True) == ["untrue: `hook * x go`: hook b x go is allow now, not deny"]


def test_a_row_that_matches_nothing_is_untrue() -> None:
    row = Row(("hook * z go",), "allow", "deny")

    assert problems([row], BEFORE, BEFORE, whole=True) == [
        "untrue: `hook * z go`: 0.1 answered nothing like it with allow"
    ]
    assert problems([row], BEFORE, BEFORE, whole=False) == []


def test_a_key_that_is_gone_and_one_that_is_new_are_differences() -> None:
    now = {**BEFORE, "memory other": "pending"}
    del now["memory fact"]

    assert problems([], BEFORE, now, whole=True) == [
        "| `memory fact` | active | – |  |",
        "| `memory other` | – | pending |  |",
    ]


def test_a_row_in_a_comment_waits() -> None:
    assert list(rows("<!--\n| `a` | 1 | 2 | why |\n-->\n| `b` `c` | 1 | 2 | why |\n")) == [Row(("b", "c"), "1", "2")]
