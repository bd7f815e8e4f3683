"""A whole sprint of the shipped workflow `light` in real clients: one typed word begins it, and last lines lead on."""

from pathlib import Path

import pytest

from tests.cli.process import vfcc
from tests.clients.conftest import Desk
from tests.clients.doors import PREFIX, SHELL, last_step, program_of, run
from tests.clients.hooked import VFCC, events
from tests.clients.model_server import serving
from tests.clients.turns import MAIN, Request, Say, Turn, calls
from tests.light_world import GOAL, TITLE, WORK, light_project, step_call

pytestmark = pytest.mark.sweep
"""Real clients take minutes."""

ENOUGH = 30
TYPED = {"claude": "/vfcc-start", "codex": "$vfcc-start"}


class Follower:
    """A model that does what the last line of vfcc's last answer names, and changes the code when that is due."""

    def __init__(self, client: str) -> None:
        self.client = client
        self.worked = False

    def shell(self, command: str) -> Turn:
        """Return the turn that runs a command."""
        tool, argument = SHELL[self.client]
        more = {"description": "run"} if self.client == "claude" else {}
        return calls(tool, **{argument: command, **more})

    def __call__(self, request: Request) -> Turn:
        step = last_step(request)
        if step.startswith("make the change, then: "):
            if not self.worked:
                self.worked = True
                return self.shell(WORK)
            step = "next()"
        call = step_call(step)
        if call is None:
            return Turn("Done.")
        tool, given = call
        return calls(f"{PREFIX[self.client]}{tool}", **given)


@pytest.mark.parametrize("client", TYPED)
def test_a_skill_and_the_tools_lead_from_planning_to_the_close(
    client: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    desk = Desk(light_project(tmp_path, client), tmp_path, tmp_path / "log")
    follow = Follower(client)
    script: list[Say] = [
        follow.shell(f"{VFCC} status"),
        follow.shell(f'{VFCC} sprint start "{TITLE}" --goal "{GOAL}"'),
        calls(f"{PREFIX[client]}next"),
        *[follow] * ENOUGH,
    ]

    with serving({MAIN: script}) as server:
        ran = run(client, program_of(client, request), desk, server, TYPED[client])

    assert ran.code == 0, ran
    assert "vfcc sprint start" in "".join(text for _, text in server.asked()[0].texts()), "the skill came with the word"
    line = vfcc(desk.folder, "sprint", "list", "--json").data[0]
    assert (line["id"], line["status"]) == ("numbers-add-up", "closed"), server.asked()[-1].texts()[-3:]
    assert {event["client"] for event in events(desk) if "client" in event} <= {client}
