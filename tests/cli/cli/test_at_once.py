"""Commands in plain words are answered without typer, and read as typer reads them."""

import sys
from pathlib import Path

import pytest
from typer.main import get_command

from tests.cli.at_terminal import typed
from tests.cli.cli.test_fast import AHEAD, LISTING
from tests.cli.process import vfcc
from verifflowcc.base.model.recall_values import DEFAULT_LIMIT
from verifflowcc.cli.cli.app import app
from verifflowcc.cli.cli.run import CODE, SEARCH, given_words

PLAIN = (
    ["why sqlite"],
    ["why sqlite", "--json"],
    ["--all", "--explain", "why sqlite", "--no-model"],
    ["why", "--type", "decision", "--type", "fact", "--file", "src/a.py"],
    ["--scope", "user", "why", "--limit", "3", "--as-of", "2026-11-21"],
    ["", "--limit", "007"],
)
FOR_TYPER: tuple[list[str], ...] = (
    [],
    ["--json"],
    ["two", "questions"],
    ["why", "--help"],
    ["why", "-h"],
    ["why", "--jsn"],
    ["why", "--limit=3"],
    ["why", "--limit", "three"],
    ["why", "--limit", "-3"],
    ["why", "--limit", "٣"],
    ["why", "--limit"],
    ["why", "--scope", "user", "--scope", "project"],
    ["why", "--", "--json"],
    ["-why"],
    ["why", "--type", "--json"],
)
NAMES = {"types": "type_", "files": "file"}


CODE_WORDS = (
    ["find", "Server.start", "--kind", "method", "--limit", "3"],
    ["file", "src/a.py", "--json"],
    ["refs", "start", "--kind", "callees", "--all"],
    ["map", "--budget", "500"],
    ["context", "mend the parser", "--budget", "500", "--tests", "--explain"],
    ["impact", "src/a.py"],
    ["index"],
    ["status", "--json"],
)


def _command(group: str = "memory", name: str = "search") -> object:
    found = get_command(app).commands[group]  # type: ignore[attr-defined]
    return found.commands[name]


@pytest.mark.parametrize("words", PLAIN, ids=" ".join)
def test_plain_words_mean_what_typer_says(words: list[str]) -> None:
    typers = _command().make_context("search", [*words]).params  # type: ignore[attr-defined]

    ours = given_words(SEARCH, words)

    assert ours is not None
    given = {NAMES.get(name, name): tuple(value) if isinstance(value, list) else value for name, value in ours.items()}
    assert {"limit": DEFAULT_LIMIT, **given} == {
        name: value for name, value in typers.items() if value or name in given
    }


@pytest.mark.parametrize("words", FOR_TYPER, ids=" ".join)
def test_all_else_is_left_to_typer(words: list[str]) -> None:
    assert given_words(SEARCH, words) is None


@pytest.mark.parametrize("words", CODE_WORDS, ids=" ".join)
def test_plain_questions_to_the_code_mean_what_typer_says(words: list[str]) -> None:
    name, *rest = words
    typers = _command("code", name).make_context(name, [*rest]).params  # type: ignore[attr-defined]

    ours = given_words(CODE[name], rest)

    assert ours is not None
    assert ours == {given: value for given, value in typers.items() if given in ours}
    assert not [
        given for given, value in typers.items() if given not in ours and value not in (None, False, 50, "callers")
    ]


@pytest.mark.parametrize(
    "words", [["refs"], ["refs", "a", "b"], ["map", "500"], ["map", "--budget", "0"], ["index", "now"]]
)
def test_all_else_about_code_is_left_to_typer(words: list[str]) -> None:
    assert given_words(CODE[words[0]], words[1:]) is None


@pytest.mark.parametrize(("group", "name"), [("memory", "search"), *(("code", name) for name in CODE)])
def test_every_option_is_known_or_left_to_typer(group: str, name: str) -> None:
    takes = SEARCH if group == "memory" else CODE[name]
    words = ["why"] if "" in takes else []
    for each in _command(group, name).params:  # type: ignore[attr-defined]
        for option in each.opts:
            if option.startswith("--") and option != "--full":  # taken out before; `base/terminal/output.py` reads it
                value = "3" if takes[option] == "number" else "word"
                assert given_words(takes, [*words, option]) or given_words(takes, [*words, option, value]), option


@pytest.fixture
def shop(young: Path) -> Path:
    assert typed(young, "memory", "add", "fact", "Orders are kept in Postgres.").code == 0
    return young


@pytest.mark.sweep
def test_a_plain_search_loads_neither_typer_nor_what_reads_settings_and_ledgers(shop: Path) -> None:
    words = ("memory", "search", "Where are orders kept?")
    assert vfcc(shop, *words, program=(sys.executable, "-c", AHEAD)).code == 0

    ran = vfcc(shop, *words, program=(sys.executable, "-c", LISTING))

    assert ran.out.startswith("1. Orders are kept in Postgres.\n")
    loaded = set(ran.err.split())
    assert not loaded & {"typer", "rich", "pydantic", "yaml", "git", "snowballstemmer"}
    assert not loaded & {"verifflowcc.sprint.use.sprint_reading", "verifflowcc.gates.use.sprints"}


@pytest.mark.sweep
def test_what_is_found_is_the_same_through_typer(shop: Path) -> None:
    at_once = vfcc(shop, "memory", "search", "Where are orders kept?", "--limit", "3")

    through_typer = vfcc(shop, "memory", "search", "Where are orders kept?", "--limit=3")

    assert "Orders are kept" in at_once.out
    assert (at_once.code, at_once.out, at_once.err) == (through_typer.code, through_typer.out, through_typer.err)


@pytest.mark.sweep
def test_what_is_wrong_is_told_as_everywhere(shop: Path) -> None:
    vfcc(shop, "memory", "search", "why", "--scope", "projekt").refused(2, "there is no scope 'projekt'")
    vfcc(shop, "memory", "search", "why", "--as-of", "someday").refused(2, "is no day")
    vfcc(shop, "memory", "search").refused(2, "vfcc memory search needs QUESTION")
