"""Ingests into every backend: each item once whoever reads the file, and undone by a purge."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.ingest_killed import SAID
from tests.ingested_world import in_force, kept, learn, talk, texts, turn, unlearn
from tests.remembered_world import BACKENDS, world
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.store.ingested_turns import LOG, PLAN

ROOT = Path(__file__).parents[3]
FIRST, SECOND = "From now on, always start function names with 'a_'.", "Please start function names with 'b_' instead."
NO_KILL = 1_000_000


@pytest.fixture(params=BACKENDS)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Workspace:
    """A project of a person, all kept in one backend."""
    return world(tmp_path, request.param, monkeypatch, request).project("one")


@pytest.mark.points(2)
def test_the_second_time_nothing_is_written_with_the_log_and_without(here: Workspace) -> None:
    learn(here, talk(*SAID))
    before = texts(here)
    assert {each.item.scope for each in kept(here)} == {"user", "project"}

    assert learn(here, talk(*SAID)).learned == ()
    for log in here.root.parent.rglob(LOG):
        log.unlink()
    learn(here, talk(*SAID))

    assert texts(here) == before
    assert not list(here.root.parent.rglob(PLAN))


def test_a_source_is_undone_and_what_it_had_replaced_holds_again(here: Workspace) -> None:
    learn(here, talk(turn(1, FIRST, session="s1"), origin="1.md@1"))
    before = texts(here)
    learn(here, talk(turn(2, SECOND, session="s2"), "I prefer bullet points over prose.", origin="2.md@2"))
    assert SECOND in in_force(here)

    unlearn(here, "2.md")

    assert texts(here) == before
    assert in_force(here) == {FIRST}


@pytest.mark.points(1)
def test_processes_that_read_one_file_at_once_keep_each_item_once(here: Workspace) -> None:
    learn(here, talk("The sprint ends on Friday.", session="before"))
    command = [sys.executable, "-m", "tests.ingest_killed", str(here.root), str(NO_KILL)]

    def run(_: int) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, check=False, timeout=240)

    with ThreadPoolExecutor(4) as threads:
        done = list(threads.map(run, range(4)))

    assert [each.returncode for each in done] == [0] * 4, [each.stderr for each in done]
    found = [(each.item.scope, each.body) for each in kept(here) if each.item.source.session == "s"]
    assert len(found) == len(set(found)) == 5
    assert learn(here, talk(*SAID)).learned == ()
