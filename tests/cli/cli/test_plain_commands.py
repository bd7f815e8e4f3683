"""A plain command line of any command is read without typer, and gives the command what typer gives it."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer import TyperException
from typer.main import get_command

from tests.cli.process import vfcc
from verifflowcc.base.model.lazy import load
from verifflowcc.base.terminal import declared
from verifflowcc.cli.cli.app import whole_app
from verifflowcc.cli.cli.command_places import COMMANDS
from verifflowcc.cli.cli.run import called

OF_TYPER = frozenset(("help", "hook"))
"""What typer reads always: these act when no option is given, or ask for its context."""


def _functions() -> Iterator[tuple[str, Any]]:
    for name, place in COMMANDS.items():
        yield from _below(name, load(place))


def _below(name: str, found: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(found, declared.Typer):
        yield name, found
        return
    for given, each in found.commands:  # type: ignore[attr-defined]
        yield from _below(f"{name} {declared.command_name(given, each)}", load(each) if isinstance(each, str) else each)
    for given, group in found.groups:  # type: ignore[attr-defined]
        yield from _below(f"{name} {given}", group)


FUNCTIONS = dict(_functions())


@cache
def _command(name: str) -> Any:
    if not name:
        return get_command(whole_app())
    above, _, word = name.rpartition(" ")
    return _command(above).commands[word]


def _typers(name: str, words: list[str]) -> dict[str, Any] | None:
    """What typer makes of the words; None where it refuses them."""
    try:
        return dict(_command(name).make_context(name, [*words]).params)
    except TyperException:
        return None


def _command_lines(name: str) -> Iterator[list[str]]:
    """Arguments alone, and each option once and twice, with no value, a word, a number, and oddities."""
    yield from ([], ["one"], ["one", "two"], ["one", "two", "three"], ["one", ""], ["--", "one"], ["-"], ["--nonsense"])
    for each in _command(name).params:
        for option in (*each.opts, *each.secondary_opts):
            if not option.startswith("-"):
                continue
            for arguments in ([], ["one"], ["one", "two"]):
                yield from (
                    [*arguments, option],
                    [*arguments, option, "word"],
                    [option, "3", *arguments],
                    [option, "0", *arguments],
                    [*arguments, option, "a", option, "b"],
                    [*arguments, f"{option}=word"],
                    [*arguments, option, "-x"],
                    [*arguments, option, ""],
                )


@pytest.mark.parametrize("name", sorted(name for name in FUNCTIONS if name not in OF_TYPER))
def test_words_that_are_read_here_mean_what_typer_says(name: str) -> None:
    for words in _command_lines(name):
        read = declared.plain_values(FUNCTIONS[name], words)
        if read is None:
            continue
        typers = _typers(name, words)
        assert typers is not None, f"vfcc {name} {words}: typer refuses it"
        given = {key: list(value) if isinstance(value, tuple) else value for key, value in typers.items()}
        assert {key: given[key] for key in read[0]} == read[0], (name, words)
        left_out = {key: value for key, value in given.items() if key not in read[0]}
        assert _as_declared(FUNCTIONS[name], left_out), (name, words, left_out)


def _as_declared(function: Any, left_out: dict[str, Any]) -> bool:
    """Return whether what was not given has the default that Python gives it; an empty list stands for none."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    defaults = dict(zip(reversed(names), reversed(function.__defaults__ or ()), strict=False))
    return all((value or None) == (defaults[key] or None) for key, value in left_out.items())


def test_most_options_are_read_without_typer() -> None:
    """What a person types all day is among them."""
    days = {
        "next": ["--sprint", "s", "--json"],
        "stage show": ["coding", "--full"],
        "check gate": ["coding"],
        "memory add": ["fact", "Counts are in metres.", "--tag", "a", "--tag", "b"],
        "memory list": ["--limit", "20"],
        "feedback add": ["Name the unit", "--stage", "coding"],
        "trace why": ["REQ-1", "--json", "--full"],
        "context show": ["--agent", "coder", "--task", "Count the tides"],
    }
    assert not [name for name, words in days.items() if declared.plain_values(FUNCTIONS[name], words) is None]


@pytest.mark.parametrize("words", [["approve", "coding"], ["waive", "tests", "-m", "no"], ["stage", "skip", "coding"]])
def test_what_only_a_person_may_run_goes_through_the_refusal(words: list[str]) -> None:
    assert called(words) is None


def test_an_exit_code_other_than_0_is_the_same_on_both_ways(young: Path) -> None:
    (young / ".memory/config.yaml").write_text("format: 2\nnonsense: 1\n", encoding="utf-8")
    plain = vfcc(young, "config", "check", "--json")
    typers = vfcc(young, "config", "check", "--json", "--no-color")

    assert (plain.code, plain.out, plain.err) == (typers.code, typers.out, typers.err)
    assert plain.code != 0
