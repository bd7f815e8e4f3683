"""`vfcc run --parallel` with real clients takes a repository through `standard`, and all goes wrong that can."""

import signal
from pathlib import Path

import pytest

from tests.clients.run_stage import CLAUDE, claude_files, claude_shell, codex_shell, on_stage
from tests.clients.test_run_driven import ENDED, after, kill_the_driver, named
from tests.clients.turns import Say, Turn
from tests.day.test_standard import file_of_tests
from tests.run_standard import ASKED, MOST_ASKS, SCRIPT, StandardWorld, done_by_person
from tests.trees import git
from verifflowcc.run.store.run_tree import place_of

pytestmark = [pytest.mark.sweep, pytest.mark.vfcc("REQ-RUN")]

RUN = "shout-1"
LINES = Path(__file__).parent / "standard_lines.ndjson"
BY_HAND = "def shout(name: str) -> str:\n    return name\n"
WEAK = file_of_tests(("TEST-greet", "True"), ("TEST-shout", "True"))


def files_of(role: str, number: int = 0) -> dict[str, str]:
    """Return the files that a role writes in the script of `standard`."""
    found = SCRIPT[role][number]["files"]
    assert isinstance(found, dict)
    return found


def test_two_clients_take_standard_from_its_plan_to_its_close(claude: Path, codex: Path, tmp_path: Path) -> None:
    world = StandardWorld(tmp_path)

    def edit_by_hand() -> None:
        top = place_of(world.root, RUN).tree()
        (top / "greetings/loud.py").write_text(BY_HAND)
        git(top, "add", "greetings/loud.py")
        git(top, "commit", "--quiet", "--message", "shout: by hand")

    plan = files_of("planner")
    half = dict(list(plan.items())[:-1])
    design = codex_shell(files_of("designer"))
    coded = claude_shell(files_of("coder"))
    tests = files_of("tester")
    weak = {**tests, "tests/test_units.py": WEAK}
    script: dict[str, list[Say]] = {
        "planning": [codex_shell(half), Turn(ENDED), codex_shell(plan), Turn(ENDED)],
        "requirements": [claude_files(files_of("analyst")), Turn(ENDED)],
        "architecture": [claude_files(files_of("architect")), Turn(ENDED)],
        "detailed_design": [after(lambda: kill_the_driver(world, RUN), design), design, Turn(ENDED)],
        "coding": [after(edit_by_hand, coded), Turn(ENDED), coded, Turn(ENDED)],
        "unit_test": [codex_shell(weak), Turn(ENDED), codex_shell(tests), Turn(ENDED)],
        "integration_test": [claude_files(files_of("integrator")), Turn(ENDED)],
        "system_test": [Turn(status=529), codex_shell(files_of("tester", 1)), Turn(ENDED)],
        "validation": [claude_files(files_of("stakeholder")), Turn(ENDED)],
    }
    with on_stage(claude, codex, tmp_path, world.root, script) as stage:
        roles = [word for role in ("planner", "designer", "tester") for word in ("--role", f"{role}=codex")]
        done = world.run("--agent", CLAUDE, *roles, "--parallel", "--json", "--full", env=stage.env)
        acts: list[tuple[str, list[str]]] = []
        kills = 0
        for _ in range(MOST_ASKS):
            if done.code == -signal.SIGKILL:
                kills += 1
            elif done.code == 6:
                acts.append((done.data["stage"], [done_by_person(world, ask) for ask in done.data["asks"]]))
            else:
                break
            done = world.run("resume", "--json", "--full", env=stage.env)

    assert done.code == 0, (acts, done)
    assert (done.data["status"], kills) == ("done", 1)
    assert acts == ASKED
    assert named(world) == LINES.read_text()
