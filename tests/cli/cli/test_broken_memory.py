"""Memory files that cannot be read as memory: an always-load file stops the prompt, another one is left out, told."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.process import permitted, vfcc
from tests.cli.trees import everything
from tests.trees import add_settings

PROMPT = ("context", "show", "--agent", "coder")
ALWAYS = ".memory/project/conventions/zzz.md"
OTHER = ".memory/project/decisions/0099-zzz.md"
LARGE = 100 * 1024 * 1024


def _not_utf8(path: Path) -> None:
    path.write_bytes(b"# Title\n\nGr\xfc\xdfe\n")


def _leaves(path: Path) -> None:
    outside = path.parents[4] / "outside.md"
    outside.write_text("a secret\n", encoding="utf-8")
    path.symlink_to(outside)


def _loops(path: Path) -> None:
    path.symlink_to(path.name)


def _dangles(path: Path) -> None:
    path.symlink_to("nowhere.md")


def _large(path: Path) -> None:
    path.touch()
    os.truncate(path, LARGE)


def _pipe(path: Path) -> None:
    os.mkfifo(path)


CASES: dict[Callable[[Path], None], str] = {
    _not_utf8: ":3: not UTF-8: byte 11 (0xfc) begins no character",
    _leaves: " is a link that leaves the project",
    _loops: " cannot be read: Too many levels of symbolic links",
    _dangles: " is a broken link",
    _large: " has 100.0 MiB; a memory file may have 1 MiB",
    _pipe: " is not an ordinary file",
}


@pytest.mark.points(2)
@pytest.mark.vfcc("REQ-ERRORS")
@pytest.mark.parametrize(("damage", "told"), CASES.items(), ids=lambda case: getattr(case, "__name__", None))
def test_a_file_that_must_be_in_the_prompt_stops_it(example: Path, damage: Callable[[Path], None], told: str) -> None:
    damage(example / ALWAYS)
    before = everything(example)

    stopped = vfcc(example, *PROMPT)

    stopped.refused(3, f"error: {ALWAYS}{told}\n", "hint: mend the file, or take it out of always_load")
    assert everything(example) == before


@pytest.mark.points(2)
@pytest.mark.parametrize(("damage", "told"), CASES.items(), ids=lambda case: getattr(case, "__name__", None))
def test_another_file_is_left_out_and_named(
    example: Path, prompt: str, damage: Callable[[Path], None], told: str
) -> None:
    damage(example / OTHER)

    shown = vfcc(example, *PROMPT, "--explain")

    assert (shown.code, shown.out) == (0, prompt)
    assert f"warning: {OTHER}{told}; it is left out\n" in shown.err
    (line,) = (line for line in shown.err.splitlines() if line.startswith("project") and "0099-zzz.md" in line)
    assert "skipped" in line


def test_windows_line_ends_give_the_same_prompt(example: Path, prompt: str) -> None:
    for path in (*(example / ".memory/project").rglob("*.md"), example / "CLAUDE.md"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    assert vfcc(example, *PROMPT).out == prompt


def test_a_folder_that_holds_itself_ends(example: Path) -> None:
    (example / ".memory/project/decisions/again").symlink_to("..")
    add_settings(example, 'loading_strategy: {project: {conditional_load: ["**/*.md", "@recall"]}}')

    shown = vfcc(example, *PROMPT, "--explain")

    assert shown.code == 0
    assert "again/" not in shown.err


@pytest.mark.points(2)
@pytest.mark.parametrize(
    ("place", "line", "told"),
    [
        (".memory/stage/sprint-02/coding/feedback.md", "stage advance", "feedback.md is not an ordinary file"),
        (
            ".memory/sprint/sprint-02/results.json",
            "context show --agent coder --strict",
            "results.json is not an ordinary file",
        ),
        (
            ".memory/sprint/sprint-02/knowledge.md",
            "sprint close --unfinished x --learnings l.md",
            "knowledge.md is not",
        ),
        (".memory/templates/coder.md.j2", "context show --agent coder", "coder.md.j2:1: this is not an ordinary file"),
        (".memory/workflow.yaml", "sprint start New", "workflow.yaml:1: this is not an ordinary file"),
        ("CLAUDE.md", "context show --agent coder", "CLAUDE.md is not an ordinary file"),
        ("l.md", "context show --agent coder --task l.md", ""),
    ],
)
def test_a_pipe_in_the_place_of_a_file_makes_nothing_hang(example: Path, place: str, line: str, told: str) -> None:
    (example / ".memory/stage/sprint-02/coding/artifacts/changes.md").write_text("Done.\n", encoding="utf-8")
    (example / "l.md").write_text("Learned.\n", encoding="utf-8")
    (example / place).parent.mkdir(exist_ok=True)
    (example / place).unlink(missing_ok=True)
    os.mkfifo(example / place)
    before = everything(example)

    ran = permitted(example, *line.split())

    if told:
        ran.refused(3, told)
    else:
        assert ran.code == 0
    assert everything(example) == before


@pytest.mark.vfcc("REQ-INSIDE")
def test_a_template_does_not_come_from_outside(example: Path) -> None:
    outside = example.parent / "outside.md.j2"
    outside.write_text("a secret\n", encoding="utf-8")
    (example / ".memory/templates").mkdir()
    (example / ".memory/templates/coder.md.j2").symlink_to(outside)

    vfcc(example, *PROMPT).refused(3, "coder.md.j2 is a link that leaves")


@pytest.mark.vfcc("REQ-INSIDE")
def test_results_do_not_come_from_outside(example: Path) -> None:
    outside = example.parent / "outside.json"
    outside.write_text('{"a": "secret"}\n', encoding="utf-8")
    (example / ".memory/sprint/sprint-02/results.json").symlink_to(outside)

    shown = vfcc(example, *PROMPT)

    assert shown.code == 0
    assert "secret" not in shown.out
    assert "warning: progress.json left out: " in shown.err
    assert "results.json is a link that leaves" in shown.err
    vfcc(example, *PROMPT, "--strict").refused(3, "results.json is a link that leaves")


def test_an_artifact_that_is_no_file_does_not_open_the_gate(example: Path) -> None:
    os.mkfifo(example / ".memory/stage/sprint-02/coding/artifacts/changes.md")
    vfcc(example, "stage", "advance").refused(4, "cannot leave coding")


def test_an_artifact_from_outside_does_not_open_the_gate(example: Path) -> None:
    outside = example.parent / "outside.md"
    outside.write_text("Done elsewhere.\n", encoding="utf-8")
    (example / ".memory/stage/sprint-02/coding/artifacts/changes.md").symlink_to(outside)

    vfcc(example, "stage", "advance").refused(3, "is a link that leaves")
