"""A configuration that cannot be used stops what needs it, with file and line, and nothing else."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.process import vfcc
from tests.cli.trees import everything

pytestmark = pytest.mark.vfcc("REQ-CONFIG")

NEEDS_IT = ("context show --agent coder", "stage advance", "stage show", "check gate", "sprint start X")
LARGE = 100 * 1024 * 1024


def _no_yaml(path: Path) -> None:
    path.write_text("format: 1\nloading_strategy: [\n", encoding="utf-8")


def _binary(path: Path) -> None:
    path.write_bytes(b"format: 1\n\x89PNG\r\n\x1a\n\x00\x00")


def _control(path: Path) -> None:
    path.write_bytes(b"format: 1\nworkflow: light\x00\n")


def _large(path: Path) -> None:
    os.truncate(path, LARGE)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere.yaml")


def _outside(path: Path) -> None:
    path.unlink()
    outside = path.parents[2] / "outside.yaml"
    outside.write_text("format: 1\n", encoding="utf-8")
    path.symlink_to(outside)


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _newer(path: Path) -> None:
    path.write_text("format: 99\n", encoding="utf-8")


CASES: dict[Callable[[Path], None], str] = {
    _no_yaml: "config.yaml:3: this is not YAML",
    _binary: "config.yaml:2: byte 0x89 at offset 10 is not UTF-8",
    _control: "config.yaml:2: the control character U+0000",
    _large: "config.yaml:1: the file has 104,857,600 bytes",
    _folder: "config.yaml:1: this is not an ordinary file",
    _dangling: "config.yaml:1: this is a link to a file that is not there",
    _outside: "config.yaml:1: this is a link that leaves the project",
    _pipe: "config.yaml:1: this is not an ordinary file",
    _newer: "config.yaml:1: format 99 is newer",
}


@pytest.mark.sweep
@pytest.mark.parametrize(("damage", "told"), CASES.items(), ids=lambda case: getattr(case, "__name__", None))
def test_the_file_and_the_line_are_told_and_nothing_is_written(
    example: Path, damage: Callable[[Path], None], told: str
) -> None:
    damage(example / ".memory/config.yaml")
    before = everything(example)

    for line in NEEDS_IT:
        vfcc(example, *line.split()).refused(3, told)
    check = vfcc(example, "check", "config")

    assert (check.code, check.err) == (1, "")
    assert check.out.startswith(told)
    assert everything(example) == before


@pytest.mark.sweep
@pytest.mark.parametrize("damage", [_no_yaml, _pipe])
def test_what_does_not_need_it_goes_on(example: Path, damage: Callable[[Path], None]) -> None:
    damage(example / ".memory/config.yaml")

    for line in ("status", "sprint list", "sprint show", "stage list"):
        assert vfcc(example, *line.split()).code == 0


def test_what_is_to_be_done_next_is_to_mend_it(example: Path) -> None:
    _no_yaml(example / ".memory/config.yaml")

    told = vfcc(example, "next")

    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("config.yaml:3: this is not YAML")
    assert told.out.splitlines()[1:] == ["vfcc doctor"]


def test_without_the_file_the_defaults_hold_and_it_is_said(example: Path) -> None:
    (example / ".memory/config.yaml").unlink()

    shown = vfcc(example, "context", "show", "--agent", "coder")

    assert shown.code == 0
    assert "warning: .memory/config.yaml is missing: the default configuration holds" in shown.err


def test_a_workflow_file_without_a_name_is_told_before_the_line_that_asks_for_it(example: Path) -> None:
    path = example / ".memory/workflow.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("name: tidewater", "nam: tidewater"), encoding="utf-8")

    told = vfcc(example, "context", "show", "--agent", "coder")

    told.refused(3, "config.yaml:12: workflow must be one of agile, aspice, light, safety, standard")
    assert told.err.startswith("error: workflow.yaml:")
    assert "unknown key nam; did you mean name?" in told.err
