"""An ingest that is killed is carried out by the next one, and two at once keep each statement once."""

import os
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests import tiers
from tests.ingest_killed import SAID
from tests.ingested_world import in_force, kept, learn, state, talk, texts
from tests.remembered_world import World, world
from verifflowcc.base.errors import FormatError
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.store.ingested_turns import LOG, PLAN

ROOT = Path(__file__).parents[3]
MOST_CALLS = 60


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> World:
    monkeypatch.setenv("VFCC_PROJECT", "one")
    return world(tmp_path, "files", monkeypatch, request)


def killed_at(here: Workspace, call: int) -> bool:
    command = [sys.executable, "-m", "tests.ingest_killed", str(here.root), str(call)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, check=False, timeout=120)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode != 0


def fresh(mine: World, name: str, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A project of a person of its own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(mine.folder / f"data-{name}"))
    return mine.project(name)


@pytest.mark.law
@pytest.mark.vfcc("REQ-WRITE-LINKS")
def test_wherever_it_is_killed_the_next_ingest_comes_to_the_same_state(
    mine: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn(here := fresh(mine, "whole", monkeypatch), talk(*SAID))
    whole = state(here)
    of_scope = Counter(each.item.scope for each in kept(here))
    stopped, step = 0, 3 if tiers.percent() >= 100 else 12
    for call in range(2, MOST_CALLS, step):
        here = fresh(mine, f"p{call}", monkeypatch)
        if not killed_at(here, call):
            break
        stopped += 1
        learn(here, talk("Thanks!", session="other"))
        assert all(not there or there == of_scope[scope] for scope, there in _counts(here).items()), call
        learn(here, talk(*SAID))
        assert state(here) == whole, call
        assert not list(here.root.rglob(PLAN))
    assert stopped * step > 4 * 3


def _counts(here: Workspace) -> Counter[str]:
    return Counter(each.item.scope for each in kept(here))


def test_a_plan_that_is_no_plan_is_told_with_what_removes_it(mine: World) -> None:
    here = mine.project("one")
    here.local.mkdir()
    (here.local / PLAN).write_text('{"items": 3}', encoding="utf-8")
    with pytest.raises(FormatError, match=r"ingesting\.json:1: this is no plan of an ingest") as told:
        learn(here, talk(*SAID))
    assert told.value.hint == f"rm {here.local / PLAN}"


@pytest.mark.parametrize(
    "junk", ["{torn", "[]", '{"session": 3, "turns": []}', '{"session": "s", "turns": "t1"}', "\x00"]
)
def test_a_damaged_log_costs_work_alone(mine: World, junk: str) -> None:
    here = mine.project("one")
    learn(here, talk(*SAID))
    before = texts(here)
    (here.local / LOG).write_text(f"{junk}\n", encoding="utf-8")

    learn(here, talk(*SAID))

    assert texts(here) == before


def test_a_log_that_is_a_link_out_of_the_project_is_not_written_through(mine: World) -> None:
    from verifflowcc.base.errors import VfccError

    here = mine.project("one")
    elsewhere = mine.folder / "elsewhere"
    elsewhere.write_text("", encoding="utf-8")
    here.local.mkdir()
    (here.local / LOG).symlink_to(elsewhere)
    with pytest.raises((VfccError, OSError)):
        learn(here, talk(*SAID))
    assert elsewhere.read_text(encoding="utf-8") == ""


@pytest.mark.vfcc("REQ-WRITE-UPSERT")
@pytest.mark.parametrize("backend", ["files", "sqlite"])
def test_ingests_at_once_keep_each_statement_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, backend: str
) -> None:
    monkeypatch.setenv("VFCC_PROJECT", "one")
    here = world(tmp_path, backend, monkeypatch, request).project("one")
    with ThreadPoolExecutor(4) as threads:
        done = list(threads.map(lambda name: learn(here, talk(*SAID, session=f"s{name}")), range(4)))

    assert sum(each.counts["added"] for each in done) == len(kept(here))
    assert len([text for text in in_force(here) if "function names" in text]) == 1
    assert len([text for text in in_force(here) if "debugger" in text]) == 1
    assert len({each.item.source.turn for each in kept(here)}) == len(SAID)
