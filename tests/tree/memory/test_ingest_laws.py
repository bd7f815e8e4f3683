"""Laws of ingesting: however a history is cut, the state is the same; superseding is a forest; a purge undoes it."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.ingested_world import AGENT, ME, in_force, kept, learn, parts, state, talk, texts, unlearn
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.superseded import superseded
from verifflowcc.memory.rules.turns import Speaker, Turn

SAID = (
    "From now on, always start function names with 'a_'.",
    "Please start function names with 'b_' instead.",
    "As I said, start function names with 'a_'.",
    "Always use a debugger.",
    "Never use a debugger. Also, end attribute names with '_x'.",
    "The client is Acme Corp.",
    "The client is Beta Ltd now.",
    "I prefer bullet points over prose.",
    "I prefer prose over bullet points.",
    "We decided to use SQLite for the index.",
    "Thanks, see you tomorrow!",
)
DAYS = (None, "2026-11-02", "2026-11-09T10:00:00Z", "2026-11-16")


@contextmanager
def project() -> Iterator[Workspace]:
    """A project and a home of one example; no example waits for the disk, since no power is lost in it."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "p"
        (root / ".memory").mkdir(parents=True)
        (root / ".memory/config.yaml").write_text("format: 1\n", encoding="utf-8")
        places = {"XDG_DATA_HOME": f"{name}/data", "XDG_CONFIG_HOME": f"{name}/config", "VFCC_PROJECT": "one"}
        with patch.dict(os.environ, places), patch("os.fsync"):
            yield Workspace(root)


def made(rows: list[tuple[int, int, int, int]]) -> list[Turn]:
    """Turns of two sessions; the speaker is mostly a person."""
    speakers = (Speaker.PERSON, Speaker.PERSON, Speaker.AGENT, Speaker.OUTSIDE)
    return [
        Turn(f"t{place}", speakers[who], SAID[what], f"s{session}", DAYS[day], "User")
        for place, (what, who, session, day) in enumerate(rows)
    ]


def in_order(turns: list[Turn]) -> list[Turn]:
    return sorted(turns, key=lambda turn: turn.at or "today")


ROWS = st.lists(
    st.tuples(st.integers(0, len(SAID) - 1), st.integers(0, 3), st.integers(0, 1), st.integers(0, 3)), max_size=9
)


@pytest.mark.sweep
@settings(deadline=None, max_examples=25)
@example(rows=[(7, 3, 0, 3), (8, 3, 0, 3), (8, 2, 1, 0), (7, 3, 0, 3)], cuts=[3], actor=AGENT)
@given(ROWS, st.lists(st.integers(0, 20), max_size=3), st.sampled_from([ME, AGENT]))
def test_the_state_does_not_depend_on_how_a_history_is_cut_into_ingests(
    rows: list[tuple[int, int, int, int]], cuts: list[int], actor: str
) -> None:
    turns = made(rows)
    with project() as here:
        learn(here, talk(*turns), actor=actor)
        whole = state(here)
    with project() as here:
        for part in parts(turns, cuts):
            learn(here, talk(*part), actor=actor)
        assert state(here) == whole
        learn(here, talk(*turns), actor=actor)
        assert state(here) == whole


@settings(deadline=None, max_examples=20)
@example(rows=[(0, 2, 0, 0), (0, 0, 0, 1)])
@given(ROWS)
def test_superseding_is_a_forest_and_one_of_a_key_stands(rows: list[tuple[int, int, int, int]]) -> None:
    with project() as here:
        learn(here, talk(*made(rows)))
        items = [each.item for each in kept(here)]
        found = superseded(items)
        assert found.notices == ()
        assert all(len(each.newer) == 1 for each in found.found.values())
        standing = [
            (item.scope, item.type, item.key)
            for item in items
            if item.status == "active" and item.path not in found.found
        ]
        assert len(standing) == len(set(standing))


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-PURGE")
@settings(deadline=None, max_examples=20)
@given(ROWS, ROWS)
def test_what_came_last_is_purged_without_a_trace(
    rows: list[tuple[int, int, int, int]], more: list[tuple[int, int, int, int]]
) -> None:
    with project() as here:
        learn(here, talk(*made(rows), origin="first.md@1"))
        before = texts(here)
        last = [Turn(f"x{turn.id}", turn.speaker, turn.text, "last", turn.at, turn.name) for turn in made(more)]
        done = learn(here, talk(*last, origin="last.md@2"))
        if any(each.id for each in done.learned):
            unlearn(here, "last.md")
        assert texts(here) == before


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-PURGE")
@settings(deadline=None, max_examples=20)
@example(rows=[(4, 0, 0, 1)], more=[(4, 0, 0, 0), (3, 0, 0, 2)])
@given(ROWS, ROWS)
def test_a_source_that_others_followed_is_purged_as_if_it_had_never_been_read(
    rows: list[tuple[int, int, int, int]], more: list[tuple[int, int, int, int]]
) -> None:
    """What the later source had only repeated is there once that one is read again.

    The turns of each session stand in the order of their times; what has none is of today. Where an earlier turn bears
    the later time, what it only repeated does not hold against the turn after it.
    """
    first, later = (
        [replace(turn, id=f"{name}{turn.id}", session=name, speaker=Speaker.PERSON) for turn in in_order(made(some))]
        for name, some in (("first", rows), ("later", more))
    )
    with project() as here:
        learn(here, talk(*later))
        alone = in_force(here)
    with project() as here:
        done = learn(here, talk(*first, origin="first.md@1"))
        learn(here, talk(*later))
        if any(each.id for each in done.learned):
            told = unlearn(here, "first")
            assert set(told.other_sessions) <= {"later"}
        learn(here, talk(*later))
        assert in_force(here) == alone
        assert not {link.to for each in kept(here) for link in each.item.links} - texts(here).keys()
