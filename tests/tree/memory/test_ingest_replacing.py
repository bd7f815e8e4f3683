"""What is said against what is kept: the newer item says what it stands against, whatever its type."""

from pathlib import Path

import pytest

from tests.ingested_world import in_force, kept, learn, talk
from tests.remembered_world import add, world
from verifflowcc.base.model.item_values import Relation
from verifflowcc.base.use.workspace import Workspace


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Workspace:
    return world(tmp_path, "files", monkeypatch, request).project("one")


@pytest.mark.points(4)
@pytest.mark.vfcc("REQ-WRITE-CONTRADICTION", "REQ-WRITE-UPSERT")
@pytest.mark.parametrize(
    ("kind", "before", "now"),
    [
        ("fact", "The client is Acme Corp.", "The client is Beta Ltd now."),
        ("convention", "Always start function names with 'a_'.", "Please start function names with 'b_' instead."),
        ("convention", "Always use annotations in methods.", "Never use annotations in methods."),
        ("preference", "I prefer bullet points over prose.", "I prefer prose over bullet points."),
        ("decision", "We decided to use SQLite for the index.", "We decided to use PostgreSQL for the index."),
        ("guideline", "Always use a debugger.", "Never use a debugger."),
    ],
)
def test_what_is_said_anew_of_one_key_is_linked_to_what_it_replaces(
    here: Workspace, kind: str, before: str, now: str
) -> None:
    learn(here, talk(before, session="before"))
    (old,) = kept(here)

    learn(here, talk(now, session="now"))
    learn(here, talk(now, session="once more"))

    (new,) = (each for each in kept(here) if each.item.id != old.item.id)
    assert (old.item.type, new.item.type, old.item.key) == (kind, kind, new.item.key)
    assert [(each.to, each.relation) for each in new.item.links] == [(old.item.id, Relation.SUPERSEDES)]
    assert in_force(here) == {new.body.strip()}
    learn(here, talk(before, session="and back"))
    assert in_force(here) == {old.body.strip()}


@pytest.mark.vfcc("REQ-WRITE-CONTRADICTION")
def test_the_opposite_of_what_a_person_keeps_under_a_key_of_their_own_stands_beside_it(here: Workspace) -> None:
    mine = add(here, "guideline", "Always use a debugger.", key="my-own-key").item.id

    learn(here, talk("Never use a debugger."))

    (new,) = (each.item for each in kept(here) if each.item.id != mine)
    assert [(each.to, each.relation) for each in new.links] == [(mine, Relation.CONTRADICTS)]
    assert len(in_force(here)) == 2
