"""At a terminal a run is drawn while it works; what stays on the screen is what a pipe gets, too."""

import json
import re
from pathlib import Path

import fastjsonschema
import pytest

from tests.cli.process import Ran, on_terminal, vfcc
from tests.run_world import RunWorld, honest
from tests.screen import screen_of
from tests.trees import git
from verifflowcc.base.formats.event_payloads import OPTIONAL, REQUIRED
from verifflowcc.base.model.events import OF_RUNS
from verifflowcc.run.use.run_reading import LINE_TYPES

pytestmark = pytest.mark.vfcc("REQ-RUN")

DOCS = Path(__file__).resolve().parents[3] / "docs"
TOOL = {"type": "tool", "tool": "shell", "text": "make check"}


def test_a_run_is_drawn_while_it_works_and_the_drawing_is_gone_at_its_end(tmp_path: Path) -> None:
    script = honest()
    script["planner"] = [{**script["planner"][0], "lines": [TOOL, TOOL], "exit": 0}]
    world = RunWorld(tmp_path, script)

    done = on_terminal(
        world.root,
        *("run", "--until", "planning", "--agent", world.agent),
        env={"VFCC_PROGRESS": "", "CI": ""},
    )

    assert done.code == 0, done
    drawn = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", done.err)
    assert "discounts-1: working, 0 tokens" in drawn
    assert "▶ planning" in drawn
    assert "· validation" in drawn
    left = "\n".join(screen_of(done.err))
    assert "▶" not in left
    assert "planning: passed" in left


@pytest.fixture(scope="module")
def driven(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunWorld, Ran]:
    """A run whose first attempt was out of bounds, and what the driver wrote."""
    script = honest()
    script["planner"] = [{"files": {"shop.py": "stolen = 1\n"}}, *script["planner"]]
    world = RunWorld(tmp_path_factory.mktemp("driven"), script)
    return world, world.drive("--until", "planning", "--json")


def test_a_pipe_gets_no_drawing_and_each_event_has_the_published_form(driven: tuple[RunWorld, Ran]) -> None:
    world, done = driven

    assert "\x1b" not in done.err + done.out
    assert json.loads(done.out)["data"]["status"] == "done"
    schema = json.loads((DOCS / "reference" / "run-events.json").read_text(encoding="utf-8"))
    valid = fastjsonschema.compile(schema)
    lines = world.events()
    assert [valid(line)["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert {line["type"] for line in lines} >= {"run.opened", "attempt.ended", "gate.evaluated", "stage.passed"}
    required = {each["properties"]["type"]["const"]: set(each["required"]) for each in schema["oneOf"]}
    named = {each["properties"]["type"]["const"]: set(each["properties"]) for each in schema["oneOf"]}
    for kind in OF_RUNS:
        assert required[LINE_TYPES[kind]] == set(REQUIRED[kind]) - {"run"}
        assert named[LINE_TYPES[kind]] >= {*REQUIRED[kind], *OPTIONAL.get(kind, {})} - {"run"}


def test_the_report_shows_runs_once_they_are_merged_and_on_this_machine_before(driven: tuple[RunWorld, Ran]) -> None:
    world, _ = driven

    def board(*words: str) -> str:
        assert vfcc(world.root, "report", "--html", "../site", *words).code == 0
        return (world.root.parent / "site" / "index.html").read_text(encoding="utf-8")

    local, committed = board("--local"), board()
    git(world.root, "merge", "--ff-only", "--quiet", "vfcc/discounts-1/integration")
    merged = board()

    assert "Run discounts-1" not in committed
    for page in (local, merged):
        assert "✓ done</span> Run discounts-1: 2 attempts, 0 tokens" in page
        assert '<th scope="row">planner-1</th><td>planning</td>' in page
        assert "✗ out of bounds</span>" in page
        assert "shop.py (the role planner" in page
        assert "merged</td>" in page
    assert "- ✓ done run discounts-1, 2 attempts, 0 tokens" in vfcc(world.root, "report", "--summary").out
