"""A requirement that a conversation holds is memory, until a person adopts it into the trace."""

from pathlib import Path

import pytest

from tests.ingested_world import AGENT, ME, kept, learn, talk
from tests.prompt_world import ask, person, skipped
from tests.trees import write_memory
from verifflowcc.base.model.trace_codes import DEFAULT_POLICY
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.use.inbox import open_inbox
from verifflowcc.memory.use.item_search import find_item
from verifflowcc.memory.use.moving import promote_item
from verifflowcc.trace.use.trace_code import read_items

LINE = "The export must work offline"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    person(tmp_path, monkeypatch)
    return Workspace(write_memory(tmp_path / "project", {"config.yaml": "format: 1\n"}))


def traced(here: Workspace) -> list[str]:
    """Return the titles of the trace items."""
    return [each.title for each in read_items(here, DEFAULT_POLICY).items]


def test_a_line_of_a_conversation_is_no_part_of_the_trace_and_reaches_the_prompt_as_memory(here: Workspace) -> None:
    learn(here, talk(LINE))
    ((stored),) = kept(here, "project")

    assert traced(here) == []
    (found,) = (each.candidate for each in ask(here.root).placed if each.candidate.path == stored.item.path)
    assert (found.origin, found.trust) == ("@recall", "human")
    assert f"- (heard in a conversation, not adopted) {LINE}\n" in ask(here.root).text


def test_a_line_that_no_person_ingests_waits_and_the_explanation_lists_it(here: Workspace) -> None:
    learn(here, talk(LINE), actor=AGENT)
    ((stored),) = kept(here, "project")

    assert traced(here) == []
    assert skipped(ask(here.root))[f"items/requirement/{stored.item.id}.md"] == "pending"


@pytest.mark.parametrize("actor", [ME, AGENT])
def test_a_heard_requirement_waits_for_a_person_who_adopts_it_by_promoting_it(here: Workspace, actor: str) -> None:
    learn(here, talk(LINE), actor=actor)
    (waiting,) = open_inbox(here, ("project",)).waiting

    found = find_item(here, waiting.item.id, ("project",))
    promote_item(here, found, None, actor=ME, today="2026-11-23", confirm=lambda _: None)

    assert open_inbox(here, ("project",)).waiting == ()
    assert traced(here) == [LINE]
    package = ask(here.root)
    origins = [each.candidate.origin for each in package.placed if waiting.item.id in each.candidate.path]
    assert origins == ["@trace"]
    assert package.text.count(LINE) == 1


@pytest.mark.parametrize("line", ["verification: test", "links: [{to: NEED-1, relation: refines}]", "planned: May"])
def test_a_requirement_that_was_adopted_before_stays_in_the_trace(here: Workspace, line: str) -> None:
    learn(here, talk(LINE))
    ((stored),) = kept(here, "project")
    path = here.root / stored.item.path
    path.write_text(path.read_text(encoding="utf-8").replace("importance:", f"{line}\nimportance:"), encoding="utf-8")

    assert traced(here) == [LINE]
    assert open_inbox(here, ("project",)).waiting == ()
