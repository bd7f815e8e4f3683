"""Data files in a prompt: known keys are sentences, and no other key or value is lost."""

import json
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.events import Json
from verifflowcc.prompt.rules.data_sentences import (
    context_text,
    listed_tools,
    permission_text,
    progress_text,
    sprint_text,
    tools_text,
)

PROGRESS = {
    "counts": {"stage_entered": 2, "sprint_started": 1},
    "goals": ["Users sign in"],
    "id": "login",
    "stage": "design",
    "stages": [
        {"artifacts": ["plan.md"], "id": "planning", "passes": 1, "status": "passed"},
        {"artifacts": [], "id": "design", "passes": 0, "status": "active"},
        {"artifacts": [], "id": "coding", "passes": 0, "status": "pending"},
        {"artifacts": [], "id": "testing", "passes": 0, "status": "pending"},
    ],
    "status": "open",
    "title": "Login",
    "workflow": "light",
}
TOOLS = {
    "version": 2,
    "tools": [
        {"name": "read", "paths": ["**"]},
        {"name": "edit", "paths": ["src/**", "tests/**"], "never": ["src/old/**"]},
        {"name": "run", "commands": ["make test"]},
        {"name": "git-read"},
        {"name": "vfcc", "classes": ["query", "work"]},
        {"name": "mcp", "servers": ["github"]},
    ],
}


def as_yaml(value: dict[str, object]) -> str:
    """YAML with a line for each key: JSON is YAML."""
    return "".join(f"{key}: {json.dumps(each)}\n" for key, each in value.items())


def sentences_of(value: dict[str, object]) -> str:
    return permission_text(cast("dict[str, Json]", listed_tools(value)))


def test_the_progress_of_a_sprint_is_a_few_sentences() -> None:
    assert progress_text(json.dumps(PROGRESS, indent=2)) == (
        "Sprint login (Login) is open, in design, workflow light. Passed: planning (plan.md). Active: design. "
        "Pending: coding, testing. Goals: Users sign in.\n"
    )
    assert sprint_text(json.dumps(PROGRESS)) == progress_text(json.dumps(PROGRESS)).partition(" Goals:")[0]


def test_the_tools_of_a_role_are_a_sentence() -> None:
    assert sentences_of(TOOLS) == (
        "You may edit `src/**`, `tests/**`, but not `src/old/**`; run `make test`; "
        "use the MCP servers and tools `github`. You may not search, change git or move the sprint."
    )
    assert tools_text(as_yaml(TOOLS), TOOLS, "You may run.") == "You may run.\n"


@pytest.mark.parametrize("empty", ["{}", "{}\n", " {\n}\n"])
def test_an_empty_context_file_vanishes(empty: str) -> None:
    assert context_text(empty) == ""


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"a": 1', '{"a": 1, "a": 2}', '{"a": 1} x', '{"a": 1,}', "[" * 9999])
def test_a_file_that_is_no_plain_object_stays_as_it_is(text: str) -> None:
    assert progress_text(text) == context_text(text) == text


def test_a_known_key_with_a_value_of_another_shape_stays_as_it_is() -> None:
    assert progress_text('{"id": "login", "stages": "two of three"}') == ('Sprint login.\n{"stages": "two of three"}\n')
    assert progress_text('{"done": 1}\n') == '{"done": 1}\n'


def test_a_tool_with_a_key_that_vfcc_does_not_know_keeps_the_file_as_it_is() -> None:
    text = as_yaml({"tools": [{"name": "run", "shell": "zsh"}]})
    assert tools_text(text, {"tools": [{"name": "run", "shell": "zsh"}]}, "You may run.") == text


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
some_known = st.lists(st.sampled_from(sorted(PROGRESS)), unique=True)


@settings(deadline=None, max_examples=200)
@given(
    st.dictionaries(st.text(max_size=6), values, max_size=5), some_known, st.sampled_from((None, 0, 2)), st.booleans()
)
def test_every_unknown_key_and_value_of_progress_survives_as_written(
    unknown: dict[str, object], known: list[str], indent: int | None, plain: bool
) -> None:
    others = {key: value for key, value in unknown.items() if key not in PROGRESS}
    text = json.dumps({key: PROGRESS[key] for key in known} | others, indent=indent, ensure_ascii=plain)
    shown = progress_text(text)

    for key, value in others.items():
        name = json.dumps(key, ensure_ascii=plain)
        if indent is None:
            assert f"{name}: {json.dumps(value, ensure_ascii=plain)}" in shown
        assert name in shown
    if others:
        rest = shown if shown == text else shown.split("\n", 1)[1]
        assert json.loads(rest) == (json.loads(text) if shown == text else others)


names = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True).filter(lambda name: name not in ("tools", "version"))


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(names, values, max_size=4), st.sampled_from((1, 2, None)))
def test_every_unknown_key_and_value_of_tools_survives_as_written(
    unknown: dict[str, object], version: int | None
) -> None:
    value = {**({"version": version} if version else {}), "tools": TOOLS["tools"], **unknown}
    text = as_yaml(value)
    shown = tools_text(text, value, sentences_of(value))

    assert shown.startswith("You may ")
    for key, each in unknown.items():
        assert f"{key}: {json.dumps(each)}\n" in shown
