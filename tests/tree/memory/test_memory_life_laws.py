"""Laws of the life of items, through the services: superseding is a forest whatever is done, and restoring undoes."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.ingested_world import learn, talk, unlearn
from tests.life_world import TODAY, YOU, Days, bring_back, found, items, keep_up, put, texts
from tests.remembered_world import add, find
from verifflowcc.base.errors import ConflictError, NotAllowed, UsageError
from verifflowcc.base.model.item_values import Relation, Status
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.superseded import Replacement, excluded_items, superseded
from verifflowcc.memory.use.consolidating import StepKind
from verifflowcc.memory.use.editing import link_items
from verifflowcc.memory.use.forgetting import forget_item
from verifflowcc.memory.use.inbox import reject_item
from verifflowcc.memory.use.moving import promote_item

SAID = ("The client is Acme Corp.", "The client is Beta Ltd now.", "Always use a debugger.", "Never use a debugger.")
LIKE = ("The client Acme is big", "The client Acme is in Paris", "Acme the client is old", "The client is Acme")
DOINGS = ("learn", "learn", "add", "propose", "promote", "reject", "link", "maintain", "restore", "forget", "purge")
STEPS = st.lists(st.tuples(st.sampled_from(DOINGS), st.integers(0, 40), st.integers(0, 40)), min_size=3, max_size=10)


@contextmanager
def project(backend: str) -> Iterator[Workspace]:
    """A project and a home of one example, with four facts that are alike."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "p"
        (root / ".memory").mkdir(parents=True)
        settings_ = f"format: 1\nmemory:\n  backends: {{project: {backend}}}\n  consolidation: {{interval: 1d}}\n"
        (root / ".memory/config.yaml").write_text(settings_, encoding="utf-8")
        places = {"XDG_DATA_HOME": f"{name}/data", "XDG_CONFIG_HOME": f"{name}/config", "VFCC_PROJECT": "one"}
        with patch.dict(os.environ, places):
            here = Workspace(root, Days("2026-12-01"))
            put(here, *(found(f"a{place}", text, more=f"key: k.{place}\n") for place, text in enumerate(LIKE)))
            yield here


def do(here: Workspace, doing: str, one: int, other: int, place: int) -> None:
    """Do one thing; what may not be done is refused, and nothing else is raised."""
    ids = sorted(items(here))
    some, second = (find(here, ids[number % len(ids)], "project") if ids else None for number in (one, other))
    with suppress(UsageError, NotAllowed, ConflictError):
        if doing == "learn":
            turn = talk(SAID[one % len(SAID)], session=f"s{place}", at=f"2026-11-{1 + other % 28:02}", origin="t.md@0")
            learn(here, turn, actor=YOU if other % 3 else "agent:coder")
        elif doing in ("add", "propose"):
            actor = YOU if doing == "add" else "agent:coder"
            add(here, "fact", LIKE[other % 4] + " now" * (one % 2), key=f"k.{one % 4}", actor=actor)
        elif doing == "maintain":
            assert isinstance(here.clock, Days)
            here.clock.pass_by(one % 3)
            keep_up(here)
        elif doing == "purge":
            unlearn(here, "t.md")
        elif some is not None and second is not None:
            _change(here, doing, some.item.id, second.item.id)


def _change(here: Workspace, doing: str, one: str, other: str) -> None:
    some = find(here, one, "project")
    if doing == "promote":
        promote_item(here, some, None, actor=YOU, today=TODAY, confirm=lambda _: None)
    elif doing == "reject":
        reject_item(here, some, actor=YOU, today=TODAY)
    elif doing == "link":
        link_items(here, some, Relation.SUPERSEDES, find(here, other, "project"), actor=YOU)
    elif doing == "restore":
        bring_back(here, one)
    elif doing == "forget":
        forget_item(here, some, actor=YOU)


def ends(path: str, found_: Mapping[str, Replacement]) -> bool:
    """Whether whoever follows what is newer comes to an end."""
    seen = set()
    while path in found_ and path not in seen:
        seen.add(path)
        path = found_[path].by or ""
    return path not in seen


@pytest.mark.sweep
@settings(deadline=None, max_examples=15)
@given(STEPS, st.sampled_from(["files", "sqlite"]))
@example([("learn", 0, 0), ("maintain", 0, 0), ("link", 1, 0)], "files")
@pytest.mark.vfcc("REQ-SUPERSEDED", "REQ-RESTORE")
def test_superseding_is_a_forest_and_never_a_circle_whatever_is_done(
    steps: list[tuple[str, int, int]], backend: str
) -> None:
    with project(backend) as here:
        for place, (doing, one, other) in enumerate(steps):
            do(here, doing, one, other, place)
            every = [each.item for each in items(here).values()]
            gone = superseded(every).found
            assert all(ends(path, gone) for path in gone), (doing, gone)
            assert not {item.path for item in every} <= excluded_items(every).left_out.keys() or all(
                item.status is not Status.ACTIVE for item in every
            ), "something that is active stands"


@pytest.mark.sweep
@settings(deadline=None, max_examples=12)
@given(STEPS, st.sampled_from(["files", "sqlite"]))
@pytest.mark.vfcc("REQ-RESTORE")
def test_restoring_all_that_a_maintenance_summed_up_gives_back_every_byte(
    steps: list[tuple[str, int, int]], backend: str
) -> None:
    with project(backend) as here:
        for place, (doing, one, other) in enumerate(steps):
            do(here, doing, one, other, place)
        put(
            here,
            *(found(f"b{place}", f"The server cache is {word}") for place, word in enumerate("hot old big".split())),
        )
        keep_up(here)
        put(here, found("b3", "The server cache is slow"))
        _as_if_it_was_never_done(here)
        before = texts(here)

        steps_ = keep_up(here)
        made = [step.item for step in steps_ if step.kind is StepKind.CONSOLIDATED]
        assert made
        for name in made:
            bring_back(here, name)

        assert texts(here) == before


def _as_if_it_was_never_done(here: Workspace) -> None:
    (here.local / "consolidated.json").unlink(missing_ok=True)
    here.clock.pass_by(1)  # type: ignore[attr-defined]
