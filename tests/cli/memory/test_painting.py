"""Colour at a terminal: prompts, changes; the text beneath is the one that a pipe gets."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.process import by_person, on_terminal, settings_of
from tests.evidence_project import project
from tests.screen import Screen
from verifflowcc.base.terminal import output as out
from verifflowcc.memory.cli.painting import approval, changes, markdown

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
MARKDOWN = "# Title\n\nA `word`.\n\n```python\ndef add(a: int) -> int:\n    return a\n```\n\n- one\n\n\n"


def bare(text: str) -> str:
    """The text without colours; no other sequence may be in it."""
    return _COLOUR.sub("", text)


def test_a_prompt_at_a_terminal_has_colour_and_the_characters_of_the_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "machine"))
    here = project(tmp_path / "project", {"CLAUDE.md": MARKDOWN}).root
    words, person = ("context", "show", "--agent", "coder"), {"GIT_CONFIG_GLOBAL": settings_of("You"), "NO_COLOR": ""}
    piped = by_person(here, *words).out
    shown = on_terminal(here, *words, env=person).out

    assert "\x1b" not in piped
    assert shown.startswith("\x1b[1m# Coder\x1b[0m\n")
    assert "\x1b[35mreturn\x1b[0m" in shown, "code is not coloured"
    assert bare(shown) == piped
    for env in ({"TERM": "dumb"}, {"NO_COLOR": "1"}, {"CI": "1"}):
        assert on_terminal(here, *words, env={**person, **env}).out == piped


@settings(deadline=None, max_examples=200)
@given(st.text(st.sampled_from("#`-+~>*_ \t\nab0\\&<|é→界")))
def test_colour_changes_no_character(text: str) -> None:
    for paint in (markdown, changes, approval):
        assert bare(paint(text)).rstrip("\n") == text.rstrip("\n")


def test_the_changes_in_a_text_to_approve_have_colour_and_its_lists_none() -> None:
    page = (
        "=== plan.md (approved before)\n- a point\n=== changes in plan.md since then\n-old\n+new\n=== b.md\n- a point"
    )
    assert approval(page).split("\n")[1:5] == [
        "- a point",
        "\x1b[1m=== changes in plan.md since then\x1b[0m",
        "\x1b[31m-old\x1b[0m",
        "\x1b[32m+new\x1b[0m",
    ]
    assert approval(page).endswith("\n- a point")


def test_what_steers_a_terminal_is_written_out_before_there_is_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", screen := Screen())
    monkeypatch.setenv("TERM", "xterm")
    for name in ("CI", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    out.say("+\x1b[2Jnew\n same", paint=changes)
    assert screen.getvalue() == "\x1b[32m+<U+001B>[2Jnew\x1b[0m\n same\n"
