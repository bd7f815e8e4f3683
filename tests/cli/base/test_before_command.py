"""Options before the command, other spellings of it, and the short forms of options."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.cli.test_fast import AHEAD, HEAVY, _listed
from tests.cli.process import by_person, on_terminal, vfcc
from verifflowcc.base.model.command_words import RENAMED

pytestmark = pytest.mark.vfcc("REQ-ERRORS")


def test_a_command_runs_in_another_folder(example: Path, tmp_path: Path) -> None:
    inside = {line: vfcc(example, *line.split()) for line in ("status", "sprint show", "check config", "status --json")}
    (tmp_path / "deep" / "er").mkdir(parents=True)

    for line, expected in inside.items():
        assert vfcc(tmp_path, "-C", str(example), *line.split()) == expected, line
        assert vfcc(tmp_path / "deep", "-C", "..", "-C", "example", *line.split()) == expected, line
    vfcc(tmp_path, "status").refused(3, "no .memory/ in")
    assert vfcc(tmp_path, "-C", "example", "trace", "matrix", "-o", "m.csv").code in (0, 3)
    assert not (tmp_path / "m.csv").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("-C nowhere status", "there is no folder 'nowhere'"),
        ("-C deep -C nowhere status", "there is no folder 'nowhere'"),
        ("-Cdeep status", "write it as two words, before the command: vfcc -C deep"),
        ("-qC deep status", "write it as two words, before the command: vfcc -C deep"),
    ],
)
def test_a_folder_that_cannot_be_entered_is_an_error(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "deep").mkdir()

    vfcc(tmp_path, *line.split()).refused(2, f"-C FOLDER: {message}")
    assert json.loads(vfcc(tmp_path, *line.split(), "--json").out)["ok"] is False


def test_a_missing_folder_is_named_and_a_flag_is_no_folder(tmp_path: Path) -> None:
    vfcc(tmp_path, "-C").refused(2, "-C needs a value")
    vfcc(tmp_path, "-C", "-q", "status").refused(2, "there is no folder '-q'")
    (tmp_path / "-q").mkdir()
    vfcc(tmp_path, "-C", "-q", "status").refused(3, "no .memory/ in")


@pytest.mark.vfcc("REQ-ACTORS")
def test_a_folder_called_like_a_command_is_no_way_around_a_refusal(example: Path) -> None:
    shutil.copytree(example / ".memory", example / "status" / ".memory")

    for line in ("-C status stage skip --reason small --yes", "-q -C status memory forget --source x --yes"):
        vfcc(example, *line.split()).refused(3, "needs a person at a terminal", "hint: vfcc -")


@pytest.mark.vfcc("REQ-START-UP")
def test_a_fresh_status_in_another_folder_imports_nothing_slow(example: Path) -> None:
    assert vfcc(example, "status", program=(sys.executable, "-c", AHEAD)).code == 0
    ran, loaded = _listed(example.parent, "-C", example.name, "--no-color", "-q", "status")

    assert ran.out == vfcc(example, "status").out
    assert not loaded & set(HEAVY)


def test_quiet_leaves_out_notes_and_keeps_data_warnings_and_errors(example: Path) -> None:
    add = ("memory", "add", "fact", "Tides are late")
    loud, quiet, behind = vfcc(example, *add), vfcc(example, "-q", *add, "--key", "k"), vfcc(example, *add, "-q")

    assert loud.err.startswith("note: ")
    assert (quiet.code, quiet.err, behind.err) == (0, "", "")
    assert quiet.out
    vfcc(example, "-q", "sprint", "show", "x").refused(2, "x")
    assert vfcc(example, "-qv", "status").out == vfcc(example, "status").out


def test_quiet_behind_a_check_asks_for_one_line(example: Path) -> None:
    for line in ("check", "check config"):
        assert vfcc(example, *line.split(), "-q") == vfcc(example, *line.split(), "--quiet")
        assert len(vfcc(example, *line.split(), "-q").out.splitlines()) == 1
    assert vfcc(example, "-q", "check", "config").out == vfcc(example, "check", "config").out


def test_verbose_writes_where_and_how_long_to_stderr(example: Path, tmp_path: Path) -> None:
    for words in (("-v", "sprint", "list"), ("sprint", "list", "--verbose"), ("-v", "sprint", "list", "--json")):
        ran = vfcc(example, *words)
        assert ran.out == vfcc(example, *(word for word in words if word not in ("-v", "--verbose"))).out
        assert f", project {example}: exit 0 after " in ran.err
    assert ", no project: exit 3 after " in vfcc(tmp_path, "-v", "sprint", "list").err


def test_no_color_is_set_for_the_programs_that_vfcc_starts(young: Path) -> None:
    with (young / ".memory/config.yaml").open("a", encoding="utf-8") as file:
        file.write('gates:\n  commands:\n    test: {run: [sh, -c, "printenv NO_COLOR > seen; true"]}\n')
    assert by_person(young, "allow", "--yes").code == 0
    assert by_person(young, "sprint", "start", "Colors").code == 0

    for words in (("--no-color", "evidence", "run", "test"), ("evidence", "run", "test", "--no-color")):
        (young / "seen").unlink(missing_ok=True)
        vfcc(young, *words)
        assert (young / "seen").read_text(encoding="utf-8") == "1\n", words


OLD = {
    "config check": ("config check", "check config"),
    "memory purge": ("memory purge --source nowhere --dry-run", "memory forget --source nowhere --dry-run"),
    "task clear": ("task clear --yes", "task fail --forget --yes"),
    "trace clear": ("trace clear REQ-x --to NEED-x", "trace review REQ-x --to NEED-x"),
}


@pytest.mark.parametrize("old", OLD)
def test_an_old_spelling_works_and_notes_the_new_one_on_stderr(example: Path, old: str) -> None:
    assert set(OLD) == {" ".join(words) for words in RENAMED}
    typed, today = (line.split() for line in OLD[old])
    for more in ((), ("--json",)) if old == "config check" else (("--json",),):
        before, after = by_person(example, *typed, *more), by_person(example, *today, *more)

        noted, _, rest = before.err.partition("\n")
        assert noted.startswith(f"note: `vfcc {old}` is now `vfcc {' '.join(today[:2])}")
        assert noted.endswith("`; the old spelling will be removed in 0.3")
        assert (before.code, before.out, rest) == (after.code, after.out, after.err)
        assert by_person(example, "-q", *typed, *more) == after


def test_an_old_spelling_is_not_noted_where_a_client_asks(example: Path) -> None:
    event = json.dumps({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "vfcc config check"}})
    ran = vfcc(
        example,
        program=("sh", "-c", f"printf '%s' '{event}' | vfcc hook claude PreToolUse"),
    )

    assert (ran.code, "old spelling" in ran.out + ran.err) == (0, False)


def test_the_version_is_a_command_too(tmp_path: Path) -> None:
    assert vfcc(tmp_path, "version") == vfcc(tmp_path, "--version") == vfcc(tmp_path, "-q", "--version")


def test_m_and_a_budget_in_thousands_are_what_the_long_forms_are(example: Path) -> None:
    show = ("context", "show", "--agent", "coder", "--budget")
    assert vfcc(example, *show, "4k") == vfcc(example, *show, "4000")
    for wrong in ("k", "4kk", "4.5k", "-4k", "0k"):
        vfcc(example, *show, wrong).refused(2, "--budget TOKENS: ", "or 4k for 4,000")

    ran = on_terminal(example, "stage", "reopen", "planning", "-m", "Once more", piped_stdout=True)
    assert ran.code == 0, ran
    assert "Once more" in vfcc(example, "sprint", "report").out
