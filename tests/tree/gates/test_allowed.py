"""What this machine allows: the very table that was allowed, for this project, and nothing where in doubt."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trees import write_memory
from verifflowcc.base.errors import CommandsNotAllowed, WorkspaceError
from verifflowcc.base.model.evidence_values import Command
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.store.allowed import allow, allowed_file, commands_digest, read_allowed, withdraw
from verifflowcc.sprint.use.allow_use import allow_commands, ensure_allowed, show_commands, withdraw_commands
from verifflowcc.sprint.use.configuration import effective_config

pytestmark = pytest.mark.vfcc("REQ-COMMANDS")

AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
TEST = Command("test", ("python", "-m", "pytest"), 600, {"junit": "j.xml"}, ("src/**",))
LINT = Command("lint", ("ruff", "check"), 60, {})
TABLE = {"test": TEST, "lint": LINT}


def is_allowed(root: Path, digest: str, env: Mapping[str, str]) -> bool:
    """Whether the table with this digest may run in the project."""
    return read_allowed(root, env, digest).digest == digest


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """Where this machine keeps its data, in the tests."""
    return {"XDG_DATA_HOME": str(tmp_path / "data")}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project."""
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def test_what_was_allowed_is_allowed_and_nothing_before(root: Path, env: dict[str, str], tmp_path: Path) -> None:
    digest = commands_digest(TABLE)
    assert not is_allowed(root, digest, env)
    assert not (tmp_path / "data").exists(), "asking writes nothing"

    assert allow(root, TABLE, env, AT) == tmp_path / "data" / "vfcc" / "allowed.json"

    assert is_allowed(root, digest, env)
    assert read_allowed(root, env).commands == TABLE


@pytest.mark.parametrize(
    "changed",
    [
        {"test": TEST},
        {**TABLE, "more": replace(LINT, name="more")},
        {**TABLE, "lint": replace(LINT, argv=("ruff", "check", "."))},
        {**TABLE, "lint": replace(LINT, argv=("ruff check",))},
        {**TABLE, "lint": replace(LINT, timeout_s=61)},
        {**TABLE, "lint": replace(LINT, reports={"sarif": "s.json"})},
        {**TABLE, "lint": replace(LINT, inputs=("a",))},
        {**TABLE, "lint": replace(LINT, name="lint2")},
        {},
    ],
)
def test_another_table_is_not_allowed(root: Path, env: dict[str, str], changed: Mapping[str, Command]) -> None:
    allow(root, TABLE, env, AT)

    assert not is_allowed(root, commands_digest(changed), env)


def test_the_order_of_the_table_is_no_difference(root: Path) -> None:
    assert commands_digest(TABLE) == commands_digest({"lint": LINT, "test": TEST})


WORDS = st.lists(st.text(max_size=5), max_size=4).map(tuple)
COMMANDS = st.builds(
    Command,
    st.just("c"),
    WORDS,
    st.integers(1, 3),
    st.dictionaries(st.sampled_from(["junit", "sarif"]), st.text(max_size=3), max_size=2),
    WORDS,
)


@settings(deadline=None, max_examples=150)
@given(COMMANDS, COMMANDS)
def test_two_tables_have_one_digest_only_where_they_are_equal(one: Command, other: Command) -> None:
    assert (commands_digest({"c": one}) == commands_digest({"c": other})) == (one == other)


def test_projects_are_allowed_apart_and_by_their_real_place(root: Path, env: dict[str, str], tmp_path: Path) -> None:
    other, digest = tmp_path / "other", commands_digest(TABLE)
    other.mkdir()
    (tmp_path / "link").symlink_to(root)
    allow(root, TABLE, env, AT)

    assert is_allowed(tmp_path / "link", digest, env)
    assert not is_allowed(other, digest, env)
    allow(other, {"lint": LINT}, env, AT)
    assert is_allowed(root, digest, env)
    assert withdraw(root, env)
    assert not is_allowed(root, digest, env)
    assert is_allowed(other, commands_digest({"lint": LINT}), env)
    assert not withdraw(root, env)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"format": 2, "projects": {}}',
        '{"format": 1, "projects": []}',
        '{"format": 1, "projects": {"ROOT": 1}}',
        '{"format": 1, "projects": {"ROOT": {}}}',
        '{"format": 1, "projects": {"ROOT": {"digest": "DIGEST", "commands": []}}}',
        '{"format": 1, "projects": {"ROOT": {"digest": "DIGEST", "commands": [1]}}}',
        '{"format": 1, "projects": {"ROOT": {"digest": "DIGEST", "commands": [{"name": "x"}]}}}',
        "[" * 100_000,
        "\ud800",
    ],
)
def test_a_damaged_file_allows_nothing_says_so_and_is_begun_anew(root: Path, env: dict[str, str], text: str) -> None:
    digest = commands_digest(TABLE)
    file = allow(root, TABLE, env, AT)
    text = text.replace("ROOT", str(root.resolve())).replace("DIGEST", digest)
    file.write_bytes(text.encode("utf-8", "surrogatepass"))

    assert not is_allowed(root, digest, env)
    assert read_allowed(root, env).problem.startswith(f"{file} is damaged, so nothing is allowed: ")
    allow(root, TABLE, env, AT)
    assert is_allowed(root, digest, env)


def test_a_command_changed_by_hand_in_the_file_allows_nothing(root: Path, env: dict[str, str]) -> None:
    file = allow(root, TABLE, env, AT)
    file.write_text(file.read_text().replace("ruff", "evil"))

    assert "a digest is not that of the commands" in read_allowed(root, env).problem


def test_the_file_is_never_inside_the_project(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    (root / ".local").mkdir()
    inside = [
        {"XDG_DATA_HOME": str(root)},
        {"XDG_DATA_HOME": str(root / "x")},
        {"XDG_DATA_HOME": str(tmp_path / "link")},
        {"XDG_DATA_HOME": f"{tmp_path}/other/../project"},
        {"HOME": str(root)},
    ]
    for env in inside:
        for act in (
            lambda e: is_allowed(root, "", e),
            lambda e: allow(root, TABLE, e, AT),
            lambda e: withdraw(root, e),
        ):
            with pytest.raises(WorkspaceError, match="lies inside the project"):
                act(env)
    assert [path.name for path in root.rglob("*")] == [".local"]


def test_where_it_lies(root: Path) -> None:
    assert str(allowed_file(root, {"HOME": "/h"})) == "/h/.local/share/vfcc/allowed.json"
    assert str(allowed_file(root, {"HOME": "/h", "XDG_DATA_HOME": ""})) == "/h/.local/share/vfcc/allowed.json"
    assert str(allowed_file(root, {"HOME": "/h", "XDG_DATA_HOME": "rel"})) == "/h/.local/share/vfcc/allowed.json"
    assert str(allowed_file(root, {"HOME": "/h", "XDG_DATA_HOME": "/d"})) == "/d/vfcc/allowed.json"
    with pytest.raises(WorkspaceError, match="neither XDG_DATA_HOME nor HOME"):
        allowed_file(root, {})


def test_many_at_once_lose_nothing(env: dict[str, str], tmp_path: Path) -> None:
    code = (
        "import sys; from datetime import datetime, UTC; from pathlib import Path;"
        "from verifflowcc.sprint.store.allowed import allow;"
        "from verifflowcc.base.model.evidence_values import Command;"
        "table = {'x': Command('x', ('x',), 1, {})};"
        "allow(Path(sys.argv[1]), table, {'XDG_DATA_HOME': sys.argv[2]}, datetime.now(UTC))"
    )
    roots = [tmp_path / f"p{number}" for number in range(6)]
    for each in roots:
        each.mkdir()
    running = [subprocess.Popen([sys.executable, "-c", code, each, env["XDG_DATA_HOME"]]) for each in roots]

    assert [process.wait(60) for process in running] == [0] * len(roots)
    kept = json.loads((tmp_path / "data" / "vfcc" / "allowed.json").read_text())
    assert set(kept["projects"]) == {str(each) for each in roots}


# The service

CONFIG = """\
format: 1
gates:
  commands:
    test: {run: [python, -m, pytest, "--junitxml={junit}", "{{x}}"], timeout: 30}
    lint: {run: [ruff, check], inputs: ["src/**"]}
"""


@pytest.fixture
def workspace(root: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A project with two commands."""
    monkeypatch.setenv("XDG_DATA_HOME", env["XDG_DATA_HOME"])
    return Workspace(write_memory(root, {"config.yaml": CONFIG}))


def commands(workspace: Workspace) -> Mapping[str, Command]:
    return effective_config(workspace).config.gates.commands


def test_commands_are_shown_as_they_would_run(workspace: Workspace) -> None:
    table = show_commands(workspace)

    assert [each.name for each in table.commands] == ["lint", "test"]
    report = ".memory/local/reports/test.junit.xml"
    assert table.commands[1].argv == ("python", "-m", "pytest", f"--junitxml={report}", "{x}")
    assert (table.commands[1].reports, table.commands[1].timeout_s) == ({"junit": report}, 30)
    assert (table.allowed, table.changes, table.problem) == (False, (), "")


def test_nothing_runs_until_it_is_allowed_nor_after_it_changed(workspace: Workspace) -> None:
    with pytest.raises(CommandsNotAllowed, match="not allowed on this machine") as refused:
        ensure_allowed(workspace, commands(workspace))
    assert (refused.value.exit_code, refused.value.hint) == (3, "vfcc allow")
    assert allow_commands(workspace, show_commands(workspace)).allowed
    ensure_allowed(workspace, commands(workspace))

    write_memory(workspace.root, {"config.yaml": CONFIG.replace("timeout: 30", "timeout: 31").replace("lint:", "li:")})

    told = "li is new; lint is gone; test has another timeout (it was 30 s)"
    assert show_commands(workspace).changes == tuple(told.split("; "))
    with pytest.raises(CommandsNotAllowed) as refused:
        ensure_allowed(workspace, commands(workspace))
    assert refused.value.message == f"the project's commands changed since they were allowed: {told}"


def test_words_that_changed_are_told_as_they_were(workspace: Workspace) -> None:
    allow_commands(workspace, show_commands(workspace))
    write_memory(workspace.root, {"config.yaml": CONFIG.replace("[ruff, check]", "[rm, -rf]").replace("src/**", "x")})

    assert show_commands(workspace).changes == (
        "lint has other words (they were: ruff check), other inputs (they were: src/**)",
    )


def test_what_changed_while_the_person_read_is_not_allowed(workspace: Workspace) -> None:
    shown = show_commands(workspace)
    write_memory(workspace.root, {"config.yaml": CONFIG.replace("ruff", "evil")})

    with pytest.raises(CommandsNotAllowed, match="changed since they were shown"):
        allow_commands(workspace, shown)
    assert not show_commands(workspace).allowed


def test_what_is_taken_back_is_not_allowed(workspace: Workspace) -> None:
    allow_commands(workspace, show_commands(workspace))

    assert withdraw_commands(workspace)
    assert not show_commands(workspace).allowed
    assert not withdraw_commands(workspace)


def test_no_commands_is_an_error_with_what_to_write(workspace: Workspace) -> None:
    write_memory(workspace.root, {"config.yaml": "format: 1\n"})

    with pytest.raises(WorkspaceError, match="no command is configured") as refused:
        show_commands(workspace)
    assert refused.value.hint is not None
    line = refused.value.hint.removeprefix("under gates.commands write  ")
    write_memory(workspace.root, {"config.yaml": f"format: 1\ngates:\n  commands:\n    {line}\n"})
    assert [each.name for each in show_commands(workspace).commands] == ["test"]


def test_a_damaged_file_is_the_reason_that_is_told(workspace: Workspace) -> None:
    table = show_commands(workspace)
    table.file.parent.mkdir(parents=True)
    table.file.write_text("{", encoding="utf-8")

    assert "is damaged, so nothing is allowed" in show_commands(workspace).problem
    with pytest.raises(CommandsNotAllowed, match="is damaged, so nothing is allowed"):
        ensure_allowed(workspace, commands(workspace))
