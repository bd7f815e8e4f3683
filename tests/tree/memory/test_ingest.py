"""What an ingest keeps of a conversation: new items alone, each turn once, with who said it and what it replaces."""

from pathlib import Path

import pytest

from tests.ingested_world import in_force, kept, learn, state, talk, texts, turn
from tests.remembered_world import World, add, find, world
from verifflowcc.base.errors import UsageError, WorkspaceError
from verifflowcc.base.model.item_values import Relation, SourceKind, Status
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.candidates import Extraction
from verifflowcc.memory.rules.turn_statements import extract
from verifflowcc.memory.rules.turns import Turn
from verifflowcc.memory.store.placing import stored_item
from verifflowcc.memory.use.archiving import ENDED, archive_item
from verifflowcc.memory.use.inbox import reject_item
from verifflowcc.memory.use.remembering import StatementOutcome
from verifflowcc.memory.use.stores import open_store

TABS, SPACES = "From now on, always start function names with 'a_'.", "Please start function names with 'b_' instead."
AGAIN = "Actually, go back: start function names with 'a_'."


@pytest.fixture(params=["files", "sqlite"])
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Workspace:
    """A project of a person, kept in files, and in a database."""
    monkeypatch.setenv("VFCC_PROJECT", "one")
    return world(tmp_path, request.param, monkeypatch, request).project("one")


@pytest.mark.vfcc("REQ-INGEST")
def test_a_statement_becomes_an_item_that_says_who_said_it_and_where(here: Workspace) -> None:
    done = learn(here, talk(turn(3, TABS, at="2026-11-02T10:00:00Z"), origin="talk.md@1f"))

    (item,) = (each.item for each in kept(here))
    assert (item.type, item.scope, item.status, item.created) == (
        "convention",
        "project",
        "active",
        "2026-11-02T10:00:00Z",
    )
    source = item.source
    assert (source.kind, source.actor, source.session) == (SourceKind.EXTRACTED, "human:You", "s")
    assert (source.origin, source.turn, source.speaker) == ("talk.md@1f", "t3", "person:User")
    assert [(each.outcome, each.id, each.scope) for each in done.learned] == [
        (StatementOutcome.ADDED, item.id, "project")
    ]
    assert (done.turns, done.known, done.sessions) == (1, 0, ("s",))


@pytest.mark.vfcc("REQ-INGEST")
def test_the_second_time_changes_nothing(here: Workspace) -> None:
    said = talk(TABS, "Thanks!", SPACES, "The client is Acme Corp.", "I prefer bullet points over prose.")
    learn(here, said)
    before = texts(here)

    again = learn(here, said)

    assert texts(here) == before
    assert (again.learned, again.known) == ((), again.turns)


@pytest.mark.vfcc("REQ-INGEST")
def test_in_a_fresh_clone_the_second_time_changes_nothing_either(here: Workspace) -> None:
    said = talk(TABS, "As said: start function names with 'a_'.", "Thanks!", SPACES, at="2026-11-02")
    learn(here, said)
    before = texts(here)
    (here.local / "ingested.jsonl").unlink()

    learn(here, said)

    assert texts(here) == before


def test_what_a_person_changed_since_is_not_learned_again_in_a_clone(here: Workspace) -> None:
    learn(here, talk(TABS))
    with open_store(here, "project") as store:
        (found,) = store.list_all()
        store.add(stored_item(found.item.path, found.text.replace("a_", "z_").encode()))
    (here.local / "ingested.jsonl").unlink()

    assert learn(here, talk(TABS)).learned == ()


def test_a_repetition_that_was_no_item_is_none_in_a_clone_where_no_day_tells_the_order(here: Workspace) -> None:
    first, second = talk(TABS, "As said: start function names with 'a_'."), talk(SPACES, session="later")
    learn(here, first)
    learn(here, second)
    before = texts(here)
    (here.local / "ingested.jsonl").unlink()

    done = learn(here, first)

    assert texts(here) == before
    assert [(each.outcome, each.why) for each in done.learned] == [
        (StatementOutcome.SAME, "the same session contains it already")
    ]


@pytest.mark.vfcc("REQ-WRITE-CONTRADICTION")
def test_what_is_said_anew_stands_in_the_place_of_what_was_said_before(here: Workspace) -> None:
    learn(here, talk(TABS))
    (old,) = kept(here)

    done = learn(here, talk(SPACES, session="later"))

    (new,) = (each for each in kept(here) if each.item.id != old.item.id)
    assert in_force(here) == {SPACES}
    assert texts(here)[old.item.id] == old.text, "nothing that is there is changed"
    assert [(link.to, link.relation) for link in new.item.links] == [(old.item.id, Relation.SUPERSEDES)]
    assert [(each.supersedes, each.contradicts) for each in done.learned] == [((old.item.id,), ())]


def test_back_to_the_first_is_a_third_item(here: Workspace) -> None:
    learn(here, talk(TABS, SPACES, AGAIN))
    assert in_force(here) == {AGAIN}
    assert len(kept(here)) == 3


@pytest.mark.vfcc("REQ-WRITE-UPSERT")
def test_the_same_thing_said_again_is_kept_once(here: Workspace) -> None:
    done = learn(here, talk(TABS, TABS), talk("Remember: start function names with 'a_'.", session="later"))
    assert len(kept(here)) == 1
    assert done.counts == {"added": 1, "proposed": 0, "same": 2, "older": 0, "refused": 0}


@pytest.mark.vfcc("REQ-WRITE-UPSERT")
def test_what_a_person_wrote_by_hand_is_compared_too(here: Workspace) -> None:
    add(here, "convention", "Start function names with 'a_'.")
    done = learn(here, talk(TABS))
    assert [each.outcome for each in done.learned] == [StatementOutcome.SAME]

    learn(here, talk(SPACES, session="later"))
    assert in_force(here) == {SPACES}


def test_what_was_said_earlier_replaces_nothing_that_was_said_later(here: Workspace) -> None:
    learn(here, talk(SPACES, at="2026-11-09"))
    done = learn(here, talk(TABS, session="earlier", at="2026-11-02"))

    assert in_force(here) == {SPACES}
    assert [(each.outcome, each.why) for each in done.learned] == [(StatementOutcome.OLDER, "something newer is known")]


@pytest.mark.vfcc("REQ-TWO-STREAMS", "REQ-USER-GROWS")
def test_what_is_of_the_person_goes_to_the_person_from_every_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    here: World = world(tmp_path, "files", monkeypatch, request)
    one, other = here.project("one"), here.project("other")
    monkeypatch.setenv("VFCC_PROJECT", "one")
    learn(one, talk("I prefer bullet points over prose. The client is Acme Corp."))
    monkeypatch.setenv("VFCC_PROJECT", "other")
    learn(other, talk("I work at a B2B SaaS company.", session="t"))

    mine = {each.item.type: each.item.source.project for each in kept(None)}
    assert mine == {"preference": "one", "business_fact": "other"}
    assert [each.item.type for each in kept(one, "project")] == ["fact"]
    assert kept(other, "project") == []


def test_one_scope_alone_is_filled_and_the_other_later(here: Workspace) -> None:
    said = talk("I prefer bullet points over prose. The client is Acme Corp.")
    learn(here, said, scopes=("project",))
    assert kept(here, "user") == []

    learn(here, said)
    assert [each.item.type for each in kept(here, "user")] == ["preference"]
    assert len(kept(here, "project")) == 1


def test_outside_of_a_project_the_person_alone_is_meant(here: Workspace) -> None:
    learn(None, talk("I prefer bullet points over prose. The client is Acme Corp."))
    assert [each.item.type for each in kept(None)] == ["preference"]
    with pytest.raises(WorkspaceError, match="there is no project here"):
        learn(None, talk(TABS), scopes=("project",))


def test_a_dry_run_tells_the_same_and_leaves_no_trace(here: Workspace) -> None:
    said = talk(TABS, SPACES, "I prefer bullet points over prose.")
    learn(here, talk("Thanks!"), dry_run=True)
    trace = sorted(here.root.parent.rglob("*"))

    told = learn(here, said, dry_run=True)

    assert sorted(here.root.parent.rglob("*")) == trace
    done = learn(here, said)
    assert [(each.outcome, each.title, len(each.supersedes)) for each in told.learned] == [
        (each.outcome, each.title, len(each.supersedes)) for each in done.learned
    ]


def test_a_forgotten_item_does_not_come_back_unless_it_is_asked_for(here: Workspace) -> None:
    said = talk(TABS)
    learn(here, said)
    with open_store(here, "project") as store:
        store.clear()

    assert learn(here, said).learned == ()
    assert [each.outcome for each in learn(here, said, again=True).learned] == [StatementOutcome.ADDED]


def test_again_brings_back_what_is_gone_of_a_turn_and_nothing_else(here: Workspace) -> None:
    said = talk(f"{TABS} The client is Acme Corp.")
    learn(here, said)
    with open_store(here, "project") as store:
        gone = next(each for each in store.list_all() if each.item.type == "fact")
        kept_one = next(each for each in store.list_all() if each.item.type == "convention")
        store.delete(gone.item.id)
        store.add(stored_item(kept_one.item.path, kept_one.text.replace("a_", "z_").encode()))

    done = learn(here, said, again=True)

    assert [(each.outcome, each.type) for each in done.learned] == [("same", "convention"), ("added", "fact")]
    assert in_force(here) == {TABS.replace("a_", "z_"), "The client is Acme Corp."}


@pytest.mark.vfcc("REQ-SETTING-ENABLED")
def test_where_memory_is_switched_off_nothing_is_learned(here: Workspace) -> None:
    settings = here.memory / "config.yaml"
    settings.write_text("format: 1\nmemory: {enabled: false}\n", encoding="utf-8")
    with pytest.raises(UsageError, match="memory is switched off in this project"):
        learn(here, talk(TABS))


SECRET = "ghp_" + "R7kQ2mXv9LpT4sWz8NcY1bHd6JfG3aKe5UqM"


@pytest.mark.vfcc("REQ-SECRETS")
def test_a_secret_is_left_out_and_never_told(here: Workspace) -> None:
    done = learn(here, talk(f"Always use the token {SECRET} for deployment. Also, start function names with 'a_'."))

    assert in_force(here) == {"Also, start function names with 'a_'."}
    refused = [each for each in done.learned if each.outcome is StatementOutcome.REFUSED]
    assert refused
    assert all("what looks like a secret" in each.why for each in refused)
    assert SECRET not in repr(done)
    assert not any(SECRET in path.read_text("utf-8", "replace") for path in here.root.rglob("*") if path.is_file())


def test_a_secret_in_the_name_of_a_session_reaches_no_item(here: Workspace) -> None:
    done = learn(here, talk(TABS, session=f"token={SECRET}"))
    assert [each.outcome for each in done.learned] == [StatementOutcome.REFUSED]
    assert kept(here) == []


def test_names_from_elsewhere_are_kept_as_one_printable_line(here: Workspace) -> None:
    said = talk(turn(1, TABS, session="a\nb\x1b[31m\u202e", name="Us\ter"), origin="x\ny@1")
    learn(here, said)

    (item,) = (each.item for each in kept(here))
    assert (item.source.session, item.source.origin, item.source.speaker) == ("a b [31m", "x y@1", "person:Us er")
    assert learn(here, said).known == 1


def test_halves_of_surrogates_do_no_harm(here: Workspace) -> None:
    learn(here, talk(turn(1, f"\ud800 {TABS}", session="\udc00s")))
    assert in_force(here) == {TABS}


def test_a_refused_proposal_is_not_proposed_again(here: Workspace) -> None:
    learn(here, talk(TABS), actor="agent:coder")
    with open_store(here, "project") as store:
        (found,) = store.list_all()
        text = found.text.replace("status: pending", "status: archived\ntags: [rejected]")
        store.add(stored_item(found.item.path, text.encode()))

    done = learn(here, talk(TABS, session="later"), actor="agent:coder")

    assert [(each.outcome, each.others) for each in done.learned] == [(StatementOutcome.SAME, (found.item.id,))]
    assert [each.item.status for each in kept(here)] == [Status.ARCHIVED]


@pytest.mark.parametrize("again", [False, True])
def test_what_a_person_turned_down_is_not_proposed_from_the_same_turn(here: Workspace, again: bool) -> None:
    learn(here, talk(TABS), actor="agent:coder")
    (found,) = (each.item.id for each in kept(here))
    reject_item(here, find(here, found), actor="human:You", today="2026-11-21")
    before = texts(here)

    for log in here.root.parent.rglob("ingested.jsonl"):
        log.unlink()
    learn(here, talk(TABS), again=again)

    assert texts(here) == before
    assert in_force(here) == set()


def test_a_conversation_that_goes_on_costs_only_what_is_new(here: Workspace) -> None:
    asked: list[str] = []

    def counted(said: Turn) -> Extraction:
        asked.append(said.text)
        return extract(said)

    learn(here, talk(TABS, "Thanks!"), extract=counted)
    done = learn(here, talk(TABS, "Thanks!", SPACES), extract=counted)

    assert asked == [TABS, "Thanks!", SPACES]
    assert (done.turns, done.known) == (3, 2)
    assert in_force(here) == {SPACES}


def test_what_ran_out_may_be_said_again(here: Workspace) -> None:
    learn(here, talk(TABS))
    with open_store(here, "project") as store:
        (found,) = store.list_all()
        store.add(archive_item(found, today="2026-11-21", why=ENDED))

    learn(here, talk(TABS, session="later"))

    assert in_force(here) == {TABS}


def test_the_state_is_the_same_whatever_the_backend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("VFCC_PROJECT", "one")
    states = []
    for kind in ("files", "sqlite"):
        with monkeypatch.context() as patch:
            folder = tmp_path / kind
            folder.mkdir()
            here = world(folder, kind, patch, request).project("one")
            learn(here, talk(TABS, SPACES, "I prefer bullet points over prose.", "The client is Acme Corp."))
            states.append(state(here))
    assert states[0] == states[1]
    assert states[0]
