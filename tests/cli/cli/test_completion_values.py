"""Completion of values in the shells themselves, and what completion leaves alone."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import completion_table
from tests.cli.cli.test_fast import LISTING
from tests.cli.process import Ran, vfcc
from tests.completed_world import completed_project, shell
from tests.secret_samples import TOKEN
from tests.trees import write_memory
from verifflowcc.cli.cli.app import BELOW, PLUMBING

STAGES = "planning design coding testing validation"
TRACED = "NEED-login-a2b3 REQ-audit-p6q7 REQ-lock-m4n5 REQ-timeout-k3f9 UNIT-session-r8s9"
PLACES = {
    "vfcc context show --agent ": "coder designer planner reviewer stakeholder tester",
    "vfcc context show --agent co": "coder",
    "vfcc context diff HEAD --agent des": "designer",
    "vfcc task start Fix --agent t": "tester",
    "vfcc memory add fact Text --scope agent/c": "agent/coder",
    "vfcc memory list --scope spr": "sprint/login",
    "vfcc sprint show ": "login",
    "vfcc sprint show --sprint=": "--sprint=login",
    "vfcc check gate --sprint lo": "login",
    "vfcc stage show ": STAGES,
    "vfcc context show --agent coder --stage des": "design",
    "vfcc stage reopen p": "planning",
    "vfcc check gate val": "validation",
    "vfcc waive ": (
        "plan design upstream changes changed results tests red-first tests-kept requirements-tested acceptance"
    ),
    "vfcc evidence run --stage testing red": "red-first",
    "vfcc approve testing --criterion tests": "tests tests-kept",
    "vfcc workflow use st": "standard",
    "vfcc sprint start Next --workflow ": "agile aspice light safety standard",
    "vfcc memory show ": "tokens-are-short use-sessions " + TRACED,
    "vfcc memory promote ": "tokens-are-short",
    "vfcc memory link use-sessions dep": "depends_on",
    "vfcc memory link use-sessions depends_on tok": "tokens-are-short",
    "vfcc memory add dec": "decision",
    "vfcc trace why REQ-": "REQ-audit-p6q7 REQ-lock-m4n5 REQ-timeout-k3f9",
    "vfcc trace link UNIT-session-r8s9 req-lo": "REQ-lock-m4n5",
    "vfcc trace add req": "requirement",
    "vfcc trace list --type un": "unit",
    "vfcc code refs end": "ended",
    "vfcc code impact --json te": "test_ends test_locks",
    "vfcc task finish fix": "fix-the-session-",
    "vfcc trace baseline diff ": "one",
    "vfcc memory edit use-sessions --status a": "active archived",
    "vfcc check trace --format s": "sarif",
    "vfcc integrate cl": "claude",
}
"""What a person has typed, and what each shell completes it with."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return completed_project(tmp_path_factory.mktemp("completed"))


@pytest.fixture
def files(project: Path) -> Iterator[Path]:
    """The project, which must be the same afterwards, to a byte and a time."""
    before = _listing(project)
    yield project
    assert _listing(project) == before


def _listing(folder: Path) -> dict[str, tuple[int, int]]:
    paths = [path for path in folder.rglob("*") if ".git/" not in str(path)]
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_size) for path in paths}


def _asked(folder: Path, line: str, how: str = "list_fish", **more: str) -> Ran:
    return vfcc(folder, env={"_VFCC_COMPLETE": how, "_VFCC_LINE": line, **more})


def _values(folder: Path, line: str) -> list[str]:
    asked = _asked(folder, line)
    assert (asked.code, asked.err) == (0, ""), asked
    assert asked.out.splitlines()[:1] == ["values"]
    return [each.partition("\t")[0] for each in asked.out.splitlines()[1:]]


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_a_shell_completes_values_in_thirty_places(files: Path, name: str) -> None:
    with shell(name, files, files.parent) as opened:
        if opened is None:
            pytest.skip(f"{name} is not installed")
        completed = {line: opened.complete(line) for line in PLACES}
        assert opened.shows("vfcc trace why REQ-", "An account is locked")

    assert len(PLACES) >= 30
    for line, expected in PLACES.items():
        given = line.rpartition(" ")[0]
        shown = completed[line].removeprefix(given).split()
        assert len(shown) == len(expected.split()), (line, shown)
        wanted = zip(sorted(shown), sorted(expected.split()), strict=True)
        assert all(one == two or one.startswith("fix-the-session-") for one, two in wanted), (line, shown)


def test_the_table_is_that_of_the_commands() -> None:
    assert completion_table.FILE.read_text("utf-8") == completion_table.text(), "python -m tests.completion_table"


@pytest.mark.vfcc("REQ-START-UP")
def test_completion_imports_nothing_slow(files: Path) -> None:
    asked = {"_VFCC_COMPLETE": "list_zsh", "_VFCC_LINE": "vfcc\ntrace\nwhy\nREQ-"}
    ran = vfcc(files, program=(sys.executable, "-c", LISTING), env=asked)

    assert "REQ-lock-m4n5:An account is locked\n" in ran.out
    slow = {"typer", "yaml", "pydantic", "sqlite3", "subprocess", "json", "pathlib", "verifflowcc.cli"}
    assert not slow & set(ran.err.split())


@pytest.mark.parametrize("line", ["vfcc memory show ", "vfcc sprint show ", "vfcc code refs x", "vfcc stage sh"])
def test_without_a_project_completion_is_quiet(tmp_path: Path, line: str) -> None:
    asked = _asked(tmp_path, line)

    assert (asked.code, asked.err) == (0, "")
    assert asked.out == (
        "values\nshow\tShow a stage and what it still needs before it can be left\n"
        if "sh" in line[-3:]
        else "values\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.vfcc("REQ-TERMINAL")
def test_titles_of_strangers_steer_no_terminal_and_run_nothing(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    item = "---\nid: {}\ntype: requirement\ntitle: {}\n---\nText.\n"
    titles = [f"$(touch {mark})", f"`touch {mark}`", f"'; touch {mark}; '", "\x1b[31mred\x07", f"key {TOKEN}", "a:b\tc"]
    pages = {
        f"project/items/requirement/R{number}.md": item.format(f"R-{number}", title)
        for number, title in enumerate(titles)
    }
    bad = {
        f"project/items/requirement/B{number}.md": item.format(name, "bad")
        for number, name in enumerate(["R-;x", "R-$(x)", "-R", "R x"])
    }
    root = write_memory(tmp_path / "shop", {**pages, **bad})
    os.mkfifo(root / ".memory/project/items/requirement/pipe.md")
    (root / ".memory/project/items/requirement/zero.md").symlink_to("/dev/zero")
    os.mkfifo(root / ".memory/workflow.yaml")

    assert _values(root, "vfcc trace why ") == [f"R-{number}" for number in range(len(titles))]
    assert "light" in _values(root, "vfcc workflow use ")
    for how in ("list_bash", "list_zsh", "list_fish"):
        out = _asked(root, "vfcc trace why ", how, _VFCC_COMP_TYPE="63").out
        assert TOKEN not in out
        assert all(each.isprintable() for each in out.replace("\n", "").replace("\t", ""))
    for name in ("bash", "zsh", "fish"):
        with shell(name, root, tmp_path) as opened:
            assert opened is None or opened.complete("vfcc trace why R-5").split()[3] == "R-5"
            assert opened is None or opened.shows("vfcc trace why R", "touch")
    assert not mark.exists()


def test_damaged_files_complete_to_nothing(tmp_path: Path) -> None:
    root = write_memory(
        tmp_path / "shop",
        {"sprint/a/events/01.json": "[[", "sprint/b/events/01.json": '{"payload": 3}', "local/code.db": "no database"},
    )
    for line in ("sprint show ", "stage show ", "waive ", "code refs ", "feedback triage ", "evidence show "):
        expected = STAGES.split() if line == "stage show " else []
        assert set(expected) <= set(_values(root, f"vfcc {line}"))


def test_a_value_in_other_capitals_and_in_quotes_is_found(files: Path) -> None:
    assert _values(files, "vfcc trace why req-l") == ["REQ-lock-m4n5"]
    assert _values(files, 'vfcc task start "Fix the door" --agent co') == ["coder"]
    assert _values(files, "vfcc context show --agent=co") == ["--agent=coder"]


def test_options_that_were_given_are_not_offered_again(files: Path) -> None:
    offered = _values(files, "vfcc stage reopen design --reason why --")

    assert offered == ["--sprint", "--commit", "--json", "--full", "--help"]


def test_rarely_typed_commands_are_offered_once_a_letter_is_typed(files: Path) -> None:
    assert _values(files, "vfcc memory ") == [*BELOW["memory"]]
    assert _values(files, "vfcc memory re") == ["reject", "restore"]
    assert _values(files, "vfcc ta") == ["task"]
    assert _values(files, "vfcc trace baseline ") == ["create", "list", "diff"]
    for plumbing in PLUMBING:
        assert _values(files, f"vfcc {plumbing}") == []


def test_a_folder_before_the_command_is_the_one_whose_values_are_offered(files: Path) -> None:
    line = f"vfcc -q -C {files.name} trace why REQ-l"

    assert _values(files.parent, line) == ["REQ-lock-m4n5"]
    assert _values(files.parent, "vfcc trace why REQ-l") == []
    assert _values(files.parent, line.replace(files.name, "nowhere")) == []


def test_symbols_that_are_gone_are_not_offered(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    write_memory(root, {})
    (root / "a.py").write_text("def first(): ...\n")
    assert vfcc(root, "code", "index").code == 0
    (root / "a.py").write_text("def second(): ...\n")
    assert vfcc(root, "code", "index").code == 0

    assert _values(root, "vfcc code find ") == ["second"]
