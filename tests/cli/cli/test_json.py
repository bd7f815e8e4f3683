"""`--json`: one JSON value on stdout and nothing else there, in a shape that stays.

The shapes are in `golden/`, one file for each command; the schemas in docs/reference/schemas say what the keys mean.
"""

import json
from pathlib import Path

import pytest

from tests.cli.cli.test_help import COMMANDS
from tests.cli.cli.test_json_code import CODED
from tests.cli.cli.test_json_exchange import EXCHANGED
from tests.cli.cli.test_json_gates import ASKED
from tests.cli.cli.test_json_history import HISTORIED
from tests.cli.cli.test_json_history_saved import REPLAYED
from tests.cli.cli.test_json_learning import LEARNED
from tests.cli.cli.test_json_memory import REMEMBERED
from tests.cli.cli.test_json_tasks import TASKED
from tests.cli.cli.test_json_trace import TRACED
from tests.cli.cli.test_json_window import WINDOWED
from tests.cli.process import by_person, git, permitted, vfcc
from tests.cli.shapes import GOLDEN, promised, shape

pytestmark = pytest.mark.vfcc("REQ-JSON")

DONE = ".memory/stage/sprint-02/coding/artifacts/changes.md"

QUESTIONS = {
    "init": "init below --workflow agile",
    "status": "status",
    "sprint_start": "sprint start Harbours --goal One --goal Two",
    "sprint_list": "sprint list",
    "sprint_show": "sprint show",
    "sprint_close": "sprint close --unfinished enough",
    "stage_show": "stage show",
    "stage_list": "stage list",
    "stage_advance": "stage advance",
    "stage_reopen": "stage reopen planning --reason again",
    "stage_put": "stage put changes --file CLAUDE.md",
    "stage_draft": "stage draft results.md --stdout",
    "context_show": "context show --agent coder --task tides --budget 2500",
    "context_diff": "context diff --agent coder --agent tester",
    "doctor": "doctor",
    "integrate": "integrate claude codex --dry-run",
    "config_show": "config show",
    "metrics": "metrics",
    "sprint_report": "sprint report sprint-01",
    "workflow_list": "workflow list",
    "workflow_show": "workflow show",
    "workflow_use": "workflow use agile",
    "check_config": "check config",
    "check_workflow": "check workflow",
}

ELSEWHERE = {
    "baseline_lint",
    "baseline_show",
    "baseline_tests",
    "baseline_trace",
    "check_trace",
    "context_tune",
    "evidence_redact",
    "history_import",
    "memory_eval",
    "memory_restore",
    "prove",
    "report",
    "run_clean",
    "run_events",
    "run_resume",
    "run_retry",
    "run_status",
    "run_stop",
    "run_worker",
    "sprint_resolve",
}
"""Commands whose value has its shape from another (a move, or a part of a state), or a test of its own."""


def answer(folder: Path, name: str) -> str:
    """Return what the command of that name prints with `--json` in the worked example."""
    (folder / "below").mkdir()
    (folder / DONE).write_text("Done.\n", encoding="utf-8")
    done = permitted(folder, *QUESTIONS[name].split(), "--json")
    assert done.code == 0, done.err
    return done.out


@pytest.fixture
def committed(example: Path) -> Path:
    git(example, "init", "-q")
    git(example, "add", ".")
    git(example, "commit", "-qm", "first")
    return example


@pytest.mark.points(2)
@pytest.mark.parametrize("name", QUESTIONS)
def test_the_shape_is_the_one_that_is_promised(committed: Path, name: str) -> None:
    value = json.loads(answer(committed, name))["data"]

    assert shape(value) == promised(name)


def test_every_command_that_prints_a_value_has_a_shape() -> None:
    groups = {path[:length] for path in COMMANDS for length in range(len(path))}
    commands = {"_".join(path) for path in COMMANDS if path not in groups}

    assert commands - {"config_schema", "help", "hook", "mcp", "memory_schema", *ELSEWHERE} == {
        *QUESTIONS,
        *ASKED,
        *TRACED,
        *TASKED,
        *REMEMBERED,
        *LEARNED,
        *EXCHANGED,
        *CODED,
        *WINDOWED,
        *(name for name in HISTORIED if not name.startswith("history_show_")),
        *REPLAYED,
    } - {"check", "check_rerun", "memory_forget_source", "task_fail_forget", "trace_review_to"}


def test_the_schema_is_json_by_itself(tmp_path: Path) -> None:
    schema = vfcc(tmp_path, "config", "schema")

    assert (schema.code, schema.err) == (0, "")
    assert json.loads(schema.out)["$schema"].startswith("https://json-schema.org/")


def test_every_key_is_in_the_schema_of_its_command_or_on_a_page() -> None:
    """A schema leaves the keys of mappings open: pages name the numbers of metrics, and a column of SQL."""
    folder = Path(__file__).parents[3] / "docs" / "reference"
    pages = "".join((folder / name).read_text(encoding="utf-8") for name in ("json.md", "metrics.md"))
    missing = {
        f"{file.stem}: {key}"
        for file in GOLDEN.glob("*.json")
        for key in _keys(json.loads(file.read_text(encoding="utf-8"))) - _properties(_schema(folder / "schemas", file))
        if f"`{key}`" not in pages
    }

    assert not missing


def _schema(folder: Path, golden: Path) -> object:
    """Return the schema of the command that a shape is of; `memory_forget_all` is one of `memory forget`."""
    words = golden.stem.split("_")
    names = ("-".join(words[:length]) for length in range(len(words), 0, -1))
    found = next((folder / f"{name}.json" for name in names if (folder / f"{name}.json").exists()), None)
    return json.loads(found.read_text(encoding="utf-8")) if found else None


def _properties(schema: object) -> set[str]:
    if isinstance(schema, dict):
        own = schema.get("properties")
        return {*(own if isinstance(own, dict) else ())}.union(*map(_properties, schema.values()))
    return set().union(*map(_properties, schema)) if isinstance(schema, list) else set()


def _keys(value: object) -> set[str]:
    if isinstance(value, dict):
        return {key for key in value if key != "*"}.union(*map(_keys, value.values()))
    return set().union(*map(_keys, value)) if isinstance(value, list) else set()


def test_notices_stay_off_stdout(young: Path) -> None:
    shown = vfcc(young, "context", "show", "--agent", "coder", "--json", "--full")

    assert shown.code == 0
    assert shown.data["prompt"]["notices"]
    assert shown.err.startswith("warning: ")


@pytest.mark.sweep
def test_json_is_utf8_and_lf_whatever_the_locale(young: Path) -> None:
    plain = vfcc(young, "sprint", "start", "Grüße 🎉", "--json")
    assert plain.code == 0
    in_utf8 = vfcc(young, "sprint", "show", "--json")

    for env in ({"LC_ALL": "C"}, {"PYTHONIOENCODING": "latin-1"}, {"PYTHONIOENCODING": "ascii"}):
        assert vfcc(young, "sprint", "show", "--json", env=env) == in_utf8
    assert "Grüße 🎉" in in_utf8.out


def test_a_closed_gate_prints_what_blocks_it(example: Path) -> None:
    closed = vfcc(example, "stage", "advance", "--json")

    closed.refused(4, "cannot leave coding", "- changes: nothing matches")
    assert closed.document["error"] == {
        "code": "gate_closed",
        "message": "sprint-02 cannot leave coding: 1 of 2 criteria is not met",
        "hint": next(line[6:] for line in closed.err.splitlines() if line.startswith("hint: ")),
    }
    (blocker,) = closed.document["blockers"]
    assert (blocker["criterion"], blocker["kind"], blocker["mode"]) == ("changes", "artifact", "hard")
    assert blocker["command"].startswith("vfcc stage put changes.md")
    gate = vfcc(example, "check", "gate", "--json")
    assert (gate.code, gate.document["blockers"], gate.data["open"]) == (4, [blocker], False)
    left = by_person(example, "sprint", "close", "--json")
    assert (left.code, {each["command"] for each in left.document["blockers"]}) == (4, {"vfcc next --sprint sprint-02"})


@pytest.mark.parametrize(
    ("line", "code", "name", "words"),
    [
        ("sprint show nope", 2, "usage", "there is no sprint nope"),
        ("sprint shw", 2, "usage", "no such command `shw`; did you mean `vfcc sprint show`?"),
        ("nonsense", 2, "usage", "no such command `nonsense`"),
        ("stage show --sprnt x", 2, "usage", "did you mean --sprint?"),
        ("memory add fact", 2, "usage", "there is nothing to remember"),
        ("code find alarm --limit none", 2, "usage", "--limit"),
        ("memory promote x", 3, "not_allowed", "a person"),
        ("memory show no-such-item", 2, "usage", "no-such-item"),
    ],
)
def test_a_failure_prints_one_document(example: Path, line: str, code: int, name: str, words: str) -> None:
    failed = vfcc(example, *line.split(), "--json")

    assert (failed.code, failed.document["ok"], failed.document["error"]["code"]) == (code, False, name), failed
    assert words in failed.document["error"]["message"]
    assert failed.err.startswith(f"error: {failed.document['error']['message']}")
    assert failed.document["blockers"] == []
    assert vfcc(example, *line.split()).out == "", "without --json there is nothing on stdout"


def test_outside_of_a_project_there_is_a_document_too(tmp_path: Path) -> None:
    failed = vfcc(tmp_path, "status", "--json")

    assert (failed.code, failed.document["error"]["code"]) == (3, "workspace")
    assert failed.document["error"]["hint"] == "vfcc init"


def test_findings_are_json_too(example: Path) -> None:
    (example / ".memory/config.yaml").write_text("format: 1\nworkflo: light\n", encoding="utf-8")

    found = vfcc(example, "check", "config", "--json")

    assert (found.code, found.err) == (1, "")
    (problem,) = found.data["problems"]
    assert problem.startswith("config.yaml:2: unknown key workflo")


def test_a_prompt_as_json_can_go_to_a_file(example: Path) -> None:
    done = vfcc(example, "context", "show", "--agent", "coder", "--json", "--output", "prompt.json")

    assert (done.code, done.data) == (0, {"output": "prompt.json"})
    text = (example / "prompt.json").read_text(encoding="utf-8")
    assert text == vfcc(example, "context", "show", "--agent", "coder", "--json").out
