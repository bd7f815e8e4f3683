"""The reference pages speak of every command, option and exit code that there is."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command

from verifflowcc import errors
from verifflowcc.cli.app import app
from verifflowcc.cli.run import ERROR, INTERRUPTED, USAGE

PAGES = Path(__file__).parents[2] / "docs" / "reference"


def _leaves(command: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    below = getattr(command, "commands", {})
    for name, each in below.items():
        yield from _leaves(each, (*path, name))
    yield path, [option for each in getattr(command, "params", ()) for option in each.opts if option.startswith("-")]


def test_every_command_and_option_is_in_the_reference() -> None:
    page = (PAGES / "commands.md").read_text(encoding="utf-8")
    missing = []
    for path, options in _leaves(get_command(app)):
        part = _part(page, path)
        missing += [" ".join(path)] if path and " ".join(path) not in page else []
        missing += [
            f"{' '.join(path)} {each}"
            for each in options
            if each not in part and each not in ("--json", "--full", "--help")
        ]

    assert missing == []


def _part(page: str, path: tuple[str, ...]) -> str:
    """The section on a command or on its group; the beginning for `vfcc` itself."""
    sections = re.split(r"(?m)^## vfcc ", page)
    for words in (path, path[:1]):
        for section in sections[1:]:
            if words and section.startswith(" ".join(words)):
                return section
    return sections[0]


@pytest.mark.vfcc("REQ-ERRORS")
def test_every_exit_code_is_in_the_reference_and_no_other() -> None:
    page = (PAGES / "exit-codes.md").read_text(encoding="utf-8")
    told = {int(code) for code in re.findall(r"(?m)^\| (\d+) \|", page)}
    raised = {
        kind.exit_code
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.VfccError)
    }

    assert told == raised | {0, USAGE, ERROR, INTERRUPTED}
