"""Real clients, scripted sessions: every sentence that a hook added is checked against what happened."""

import pytest

from tests.clients.conftest import Desk
from tests.clients.replay import replay
from tests.clients.sessions import SESSIONS, Session, played

pytestmark = [pytest.mark.sweep, pytest.mark.vfcc("REQ-TRUE-BRIEF")]
"""Real clients take minutes."""


@pytest.mark.parametrize("session", SESSIONS, ids=lambda each: f"{each.client}, {each.name}")
def test_no_sentence_of_hooks_is_false_and_all_that_matters_is_there_before_an_edit(
    session: Session, desk: Desk, request: pytest.FixtureRequest
) -> None:
    stage = played(session, request.getfixturevalue(session.client), desk)

    found = replay(desk, stage.requests)

    assert not found.false, "\n".join(found.false)
    assert not found.missing, "\n".join(found.missing)
    assert found.wanted
    session.expect(found.found)
