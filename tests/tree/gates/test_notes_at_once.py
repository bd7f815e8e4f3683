"""Notes, which move nothing: somebody who always comes first cannot keep one from being written."""

from pathlib import Path

import pytest

from tests.cli.forgery import forged_evidence, state_of
from tests.cli.honest_world import ID, TESTS, YOU, project
from verifflowcc.base.errors import ConflictError
from verifflowcc.base.files.ledger import Ledger
from verifflowcc.base.formats.event_bytes import make_event
from verifflowcc.base.model.events import EventType, Json
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.evidence_making import open_ledger, write_evidence
from verifflowcc.sprint.use.people_acting import add_note


class Rival:
    """Somebody who writes a comment each time that a note is made ready, where nobody holds the lock."""

    def __init__(self, root: Path) -> None:
        self.root, self.wrote, self.refused = root, 0, 0

    def write(self) -> None:
        here = Workspace(self.root)
        ledger = Ledger(here.memory, wait_s=0)
        payload: dict[str, Json] = {"stage": None, "text": f"me first {self.wrote}"}
        state, seen = state_of(self.root), ledger.load(ID)
        event = make_event(
            EventType.FEEDBACK_ADDED, payload, parents=state.heads, actor="agent:rival", at=here.clock.now()
        )
        try:
            with ledger.moving(ID, seen) as writer:
                writer.append(event)
                self.wrote += 1
        except ConflictError:
            self.refused += 1


@pytest.mark.vfcc("REQ-LEDGER")
def test_a_note_is_written_though_somebody_else_always_comes_first(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    rival = Rival(root)

    def payload(_: SprintState) -> dict[str, Json]:
        rival.write()
        return {"stage": None, "text": "mine"}

    add_note(Workspace(root), ID, EventType.FEEDBACK_ADDED, payload, actor=YOU)

    texts = [note.payload["text"] for note in state_of(root).notes]
    assert texts == ["me first 0", "mine"]
    assert (rival.wrote, rival.refused) == (1, 1)


@pytest.mark.vfcc("REQ-LEDGER")
def test_evidence_is_written_after_what_came_between(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    here = Workspace(root)
    at = open_ledger(here, ID)
    Rival(root).write()

    write_evidence(here, at, forged_evidence(root), actor=YOU)

    assert [str(note.type) for note in state_of(root).notes] == ["feedback_added", "evidence_added"]
