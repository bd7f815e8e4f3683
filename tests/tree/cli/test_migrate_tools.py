"""`migrate` and roles' tools: 0.1's own files become the shipped ones, others get a version and keep their meaning."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.trees import write_memory
from tests.upgraded_world import unpacked
from verifflowcc.base.config.tools_file import parse_tools
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.migrating import migrate
from verifflowcc.sprint.store.workflow_load import templates_folder

pytestmark = pytest.mark.vfcc("REQ-MIGRATE")
OWN = """\
# Ours.
tools:
    - name: read  # all of it
    - name: edit
      paths: ["src/**"]

# To be discussed.
network: none
"""


def migrated(folder: Path, text: str) -> tuple[str, tuple[str, ...]]:
    """Return a coder's tools after a migration, and what it reported beside its steps."""
    root = write_memory(folder, {"config.yaml": "format: 1\n", "agent/coder/tools.yaml": text.encode()})
    done = migrate(Workspace(root))
    return (root / ".memory/agent/coder/tools.yaml").read_bytes().decode(), done.notices


def meaning(text: str) -> dict[str, object]:
    """Return what a file allows; a key without values narrows nothing."""
    table, problems = parse_tools(text.encode(), "tools.yaml")
    assert problems == ()
    return {name: {key: value for key, value in dict(rule).items() if value} for name, rule in table.items()}  # type: ignore[arg-type]


def test_the_files_that_0_1_wrote_become_the_shipped_ones(tmp_path: Path) -> None:
    root = unpacked(tmp_path)

    done = migrate(Workspace(root))

    steps = {step.after: step.action for step in done.steps}
    for role in ("designer", "reviewer", "stakeholder", "tester"):
        path = f".memory/agent/{role}/tools.yaml"
        assert (root / path).read_bytes() == (templates_folder() / "agents" / role / "tools.yaml").read_bytes()
        assert "unchanged since 0.1, becomes the shipped file" in steps[path]
        assert "it also allows: moves of a sprint" in steps[path]


def test_a_file_of_ones_own_keeps_every_line_and_lists_what_it_allowed(tmp_path: Path) -> None:
    text, notices = migrated(tmp_path, OWN)

    assert text == (
        "# Ours.\nversion: 2\ntools:\n    - name: read  # all of it\n    - name: edit\n      paths: [\"src/**\"]\n"
        "    - name: git-read\n    - name: vfcc\n      classes: [query, work]\n    - name: mcp\n\n"
        "# To be discussed.\nnetwork: none\n"
    )  # fmt: skip
    assert any(".memory/agent/coder/tools.yaml: neither changes by git nor moves" in each for each in notices)


@pytest.mark.parametrize(
    "text",
    [
        "tools: [{name: read}, {name: run}]\n",
        "tools: []\n",
        "tools:\n  - name: read\n  - name: delete\n",
        "tools:\n  - name: read\n  - name: read\n    paths: [src/**]\n",
        "tools:\n  - name: git-read\n",
        "tools:\n  - read\nextra: 1\n",
        "tools: none\n",
    ],
)
def test_a_file_that_cannot_get_a_version_by_lines_stays_and_is_named(tmp_path: Path, text: str) -> None:
    now, notices = migrated(tmp_path, text)

    assert now == text
    assert any("cannot get version 2 by lines" in each and "agent/coder/tools.yaml" in each for each in notices)


def test_tools_under_their_first_name_get_a_version_too(tmp_path: Path) -> None:
    files = {"config.yaml": "workflow: light\n", "agent/coder/tools_config.yaml": "tools:\n- read\n"}
    root = write_memory(tmp_path, files)

    planned = migrate(Workspace(root), dry_run=True)
    done = migrate(Workspace(root))

    assert done.steps == planned.steps
    text = (root / ".memory/agent/coder/tools.yaml").read_text(encoding="utf-8")
    assert text.startswith("version: 2\ntools:\n- read\n- name: git-read\n")


PATHS = st.lists(st.sampled_from(["src/**", "**", "a b", "*.md"]), max_size=2, unique=True)


@given(
    names=st.lists(st.sampled_from(["read", "search", "edit", "run"]), min_size=1, unique=True),
    narrowed=st.none() | st.tuples(PATHS, PATHS),
    indent=st.integers(0, 4),
    around=st.tuples(
        st.sampled_from(["", "# Ours.\n", "network: none\n", "\n\n"]),
        st.sampled_from(["", "\n", "# The end.", "network: none\n", "\n# Next.\n\nnetwork: none\n# The end.\n"]),
    ),
    crlf=st.booleans(),
)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_in_blocks_keeps_its_meaning_and_every_line(
    names: list[str],
    narrowed: tuple[list[str], list[str]] | None,
    indent: int,
    around: tuple[str, str],
    crlf: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    pad, (before, after) = " " * indent, around
    lines = [f"{before}tools:\n"]
    for name in names:
        if narrowed:
            paths, never = narrowed
            lines += [f"{pad}- name: {name}\n{pad}  paths: {paths}\n", f"{pad}  never: {never}\n" if never else ""]
        else:
            lines.append(f"{pad}- {name}\n")
    text = "".join([*lines, "" if "network" in before else after])
    text = text.replace("\n", "\r\n") if crlf else text
    folder = tmp_path_factory.mktemp("any")

    now, _ = migrated(folder, text)

    rows = iter(now.splitlines())
    if "run" in names and narrowed:
        assert now == text, "version 2 refuses paths of `run`, so that a person decides"
        return
    assert "version: 2" in now.splitlines()
    assert meaning(now) == meaning(text)
    assert all(line in rows for line in text.splitlines())
    assert migrate(Workspace(folder)).steps == ()
