"""Every `--help` ends with examples, and each example runs in a prepared project."""

import shlex
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests import forked
from tests.cli.at_terminal import typed
from tests.cli.cli.test_help import COMMANDS
from tests.cli.process import Ran, environment, vfcc
from tests.made_once import copied
from tests.prepared_project import preparation, prepared_project
from verifflowcc.base.model.command_classes import COMMANDS as CLASSES
from verifflowcc.base.model.command_classes import QUERY
from verifflowcc.base.text.identifiers import is_ulid
from verifflowcc.cli.cli.examples import EXAMPLES

LINES = [(name, example) for name, examples in EXAMPLES.items() if name in CLASSES for example in examples]
_CHANGES = {"sprint resolve"}
READS = [each for name, each in LINES if CLASSES[name] == QUERY and not {">", "-o", "--output"} & set(each.split())]
WRITES = [(name, each) for name, each in LINES if each not in READS or name in _CHANGES]
FINDS = {
    "sprint resolve login": 5,
    "check": 1,
    "check trace": 1,
    "check trace --format sarif --output trace.sarif": 1,
    'evidence redact 4K7M --reason "A token of the test server"': 2,
    **dict.fromkeys(("run status", "run events", "run --agent codex --until testing"), 2),
    **dict.fromkeys(("run resume", "run resume --max-minutes 600", "run retry coding"), 4),
    "run worker --agent claude": 2 if find_spec("dbos") else 3,
}
"""The exit codes of examples that find something in this project, or nothing to do: a fork, missing results of tests,
evidence without a secret, no run, no such client, an agent that does nothing, no fleet (or not what one needs)."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(tmp_path_factory.mktemp("read"), prepared_project)


def _run(root: Path, example: str) -> Ran:
    """Run an example as a person does, with the ids of this project in the place of those that it shows."""
    line = example
    for shown, actual in _ids(root).items():
        line = line.replace(shown, actual)
    if "<" in line or ">" in line:
        done = subprocess.run(
            ["sh", "-c", f"vfcc {line}"],
            cwd=root,
            env=environment(root.parent),
            capture_output=True,
            text=True,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)
    words = shlex.split(line)
    forked.forks_at_once(words)
    return typed(root, *words, keys="\n" * 4 if words[0] == "init" else "y\n" * 3)


def _ids(root: Path) -> dict[str, str]:
    """Return the ids that examples show, each with its own of this project."""
    events = {path.stem: path.read_text("utf-8") for path in root.glob(".memory/sprint/*/events/*.json")}
    found = {
        "4K7M": [path.stem[-4:] for path in root.glob(".memory/stage/*/*/evidence/*.json")],
        "01M8": [path.stem for path in root.glob(".memory/local/windows/**/*.json")],
        "T6BY": [name[-4:] for name, text in events.items() if "feedback_added" in text],
        "7PXF": [name for name, text in events.items() if "stage_reopened" in text],
    }
    return {shown: min(names) for shown, names in found.items() if names}


def test_every_command_has_examples_of_its_own() -> None:
    assert set(EXAMPLES) == {" ".join(path) for path in COMMANDS}
    for name, examples in EXAMPLES.items():
        for example in examples:
            assert example.startswith(name), example
            assert len(f"  vfcc {example}") <= 80, example
    shown = {each for name, examples in EXAMPLES.items() if name not in CLASSES for each in examples}
    assert shown <= {each for _, each in LINES}, "a group shows what no command of it does"


@pytest.mark.parametrize("path", [(), ("sprint",), ("check",), ("trace", "why")], ids=" ".join)
def test_help_ends_with_the_examples(tmp_path: Path, path: tuple[str, ...]) -> None:
    shown = vfcc(tmp_path, *path, "--help").out

    lines = [f"  vfcc {example}" for example in EXAMPLES[" ".join(path)]]
    assert shown.splitlines()[-len(lines) - 1 :] == ["Examples:", *lines]


def test_an_example_folds_between_words_where_the_terminal_is_narrow(tmp_path: Path) -> None:
    shown = vfcc(tmp_path, "context", "show", "--help", env={"COLUMNS": "40"}).out

    assert '  vfcc context show --agent coder \\\n    --task "Add the form"\n' in shown


def test_ids_are_shown_by_their_ends_and_whole_if_asked(project: Path) -> None:
    whole = [path.stem for path in project.glob(".memory/stage/*/*/evidence/*.json")]
    whole += [path.stem for path in project.glob(".memory/local/windows/**/*.json") if is_ulid(path.stem)]
    lines = ("evidence list --all", "window snapshots", "stage show", "check gate")
    short, full = ("".join(_run(project, f"{line}{more}").out for line in lines) for more in ("", " --full"))

    assert len(whole) >= 2
    for name in whole:
        assert name not in short
        assert name[-4:] in short
        assert name in full


def test_examples_that_read_run(project: Path) -> None:
    ran = {line: _run(project, line) for name, line in LINES if (name, line) not in WRITES}

    assert len(ran) > 50
    wrong = {line: each for line, each in ran.items() if each.code != FINDS.get(line, 0) or "Traceback" in each.err}
    assert not wrong, "\n".join(map(str, wrong.items()))


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "example"), WRITES, ids=[example for _, example in WRITES])
def test_an_example_that_writes_runs(tmp_path: Path, name: str, example: str) -> None:
    if name == "history export":
        pytest.importorskip("duckdb")
    if name == "init":
        root = tmp_path
    else:
        root = copied(tmp_path, prepared_project)
        if prepare := preparation(name, example):
            prepare(root)
    ran = _run(root, example)

    assert ran.code == FINDS.get(example, 0), ran
    assert "Traceback" not in ran.err
