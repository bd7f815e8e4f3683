"""`migrate`: an older memory becomes one of today's; nothing is overwritten, and a crash leaves what migrates on."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.trees import write_memory
from verifflowcc.base.errors import ConfigError, ConflictError, WorkspaceError
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use import migrating
from verifflowcc.cli.use.migrating import MigrationStep, migrate

pytestmark = pytest.mark.vfcc("REQ-MIGRATE")

OLD = {
    "config.yaml": "# Ours.\n\nworkflow: light # the small one\n",
    "agent/coder/prompt_template.md": "Be brief.\n",
    "agent/coder/tools_config.yaml": "tools: []\n",
    "agent/tester/prompt_template.md": "Test.\n",
    "stage/one/coding/current_artifacts/a.md": "A\n",
    "stage/one/coding/current_artifacts/more/b.md": "B\n",
    "stage/design/current_artifacts/c.md": "C\n",
    "sprint/one/goals.md": "Goals\n",
    "project/retrospectives/one.md": "Well.\n",
    "project/CLAUDE.md": "Core.\n",
    "project/decisions/0001.md": "# 1\n",
}
NOW = {
    ".memory/config.yaml": "format: 2\n# Ours.\n\nworkflow: light # the small one\n",
    ".memory/agent/coder/prompt.md": "Be brief.\n",
    ".memory/agent/coder/tools.yaml": "tools: []\n",
    ".memory/agent/tester/prompt.md": "Test.\n",
    ".memory/stage/one/coding/artifacts/a.md": "A\n",
    ".memory/stage/one/coding/artifacts/more/b.md": "B\n",
    ".memory/stage/design/artifacts/c.md": "C\n",
    ".memory/sprint/one/goals.md": "Goals\n",
    ".memory/sprint/one/retrospective.md": "Well.\n",
    "CLAUDE.md": "Core.\n",
    ".memory/project/decisions/0001.md": "# 1\n",
}


def project(folder: Path, files: dict[str, str | bytes] | None = None) -> Workspace:
    return Workspace(write_memory(folder, files if files is not None else {**OLD}))


def tree(here: Workspace) -> dict[str, str]:
    files = (path for path in here.root.rglob("*") if path.is_file() and here.local not in path.parents)
    return {path.relative_to(here.root).as_posix(): path.read_bytes().decode() for path in files}


def test_a_tree_of_the_first_layout_gets_the_names_of_today(tmp_path: Path) -> None:
    here = project(tmp_path)

    done = migrate(here)

    assert tree(here) == NOW
    assert (done.format_before, done.format_after, len(done.steps)) == (0, 2, 8)
    assert migrate(here).steps == ()


def test_a_dry_run_lists_every_step_and_writes_nothing(tmp_path: Path) -> None:
    here = project(tmp_path)
    before = tree(here)

    planned = migrate(here, dry_run=True)

    assert tree(here) == before
    assert not here.local.exists()
    assert migrate(here).steps == planned.steps


@pytest.mark.parametrize("steps_done", range(9))
def test_what_was_interrupted_goes_on_where_it_was(
    tmp_path: Path, steps_done: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = project(tmp_path)
    done: list[MigrationStep] = []
    rename = migrating._rename

    def stopping(workspace: Workspace, step: MigrationStep) -> None:
        if len(done) == steps_done:
            raise KeyboardInterrupt
        done.append(step)
        rename(workspace, step)

    with monkeypatch.context() as patched:
        patched.setattr(migrating, "_rename", stopping)
        if steps_done < 7:
            with pytest.raises(KeyboardInterrupt):
                migrate(here)
            assert migrating.format_of(here) == 0
        else:
            migrate(here)
    migrate(here)

    assert tree(here) == NOW


def test_where_both_names_are_there_nothing_is_done_and_all_are_told(tmp_path: Path) -> None:
    here = project(tmp_path)
    write_memory(tmp_path, {"agent/coder/prompt.md": "Mine.\n", "stage/one/coding/artifacts/x.md": "Mine.\n"})
    before, stage = tree(here), ".memory/stage/one/coding"

    for dry_run in (True, False):
        with pytest.raises(ConflictError) as told:
            migrate(here, dry_run=dry_run)
        assert told.value.message.splitlines() == [
            ".memory/agent/coder/prompt_template.md and .memory/agent/coder/prompt.md are both there: keep one of them",
            f"{stage}/current_artifacts and {stage}/artifacts are both there: keep one of them",
            "nothing was changed",
        ]
    assert tree(here) == before


def test_an_empty_folder_is_in_nobodys_way(tmp_path: Path) -> None:
    here = project(tmp_path)
    (here.memory / "stage/one/coding/artifacts").mkdir()
    migrate(here)

    assert tree(here) == NOW


def test_a_name_that_came_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    here = project(tmp_path)
    write_memory(tmp_path, {"agent/coder/prompt.md": "Mine.\n"})

    with pytest.raises(ConflictError, match="appeared during the migration"):
        migrating._rename(
            here, MigrationStep(".memory/agent/coder/prompt_template.md", ".memory/agent/coder/prompt.md", "")
        )
    assert (here.memory / "agent/coder/prompt.md").read_text(encoding="utf-8") == "Mine.\n"


def test_a_retrospective_of_no_sprint_stays_and_is_told(tmp_path: Path) -> None:
    here = project(tmp_path, {"config.yaml": "{}\n", "project/retrospectives/gone.md": "x"})
    (here.memory / "config.yaml").write_text("git: {commit: never}\n", encoding="utf-8")

    done = migrate(here)

    assert done.notices == (".memory/project/retrospectives/gone.md stays: there is no sprint gone",)
    assert (here.memory / "project/retrospectives/gone.md").is_file()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"workflow: light\n", b"format: 2\nworkflow: light\n"),
        (b"\xef\xbb\xbfworkflow: light\r\n# x\r\n", b"\xef\xbb\xbfformat: 2\r\nworkflow: light\r\n# x\r\n"),
        (b"---\nworkflow: light\n", b"---\nformat: 2\nworkflow: light\n"),
        (b"workflow: light\nformat:   0 # old\n", b"workflow: light\nformat: 2 # old\n"),
        (b"", b"format: 2\n"),
        (b"# only words\n", b"format: 2\n# only words\n"),
        (None, b"format: 2\n"),
    ],
)
def test_the_format_is_added_and_every_other_byte_stays(tmp_path: Path, before: bytes | None, after: bytes) -> None:
    here = project(tmp_path, {} if before is None else {"config.yaml": before})
    migrate(here)

    assert (here.memory / "config.yaml").read_bytes() == after


@given(
    comments=st.lists(st.text(st.characters(categories=["L", "N", "Zs"]), max_size=8), max_size=3), crlf=st.booleans()
)
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_configuration_means_the_same_afterwards(
    comments: list[str], crlf: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = "".join(f"# {each}\n" for each in comments) + "workflow: light\ngit:\n  commit: always\n"
    data = (text.replace("\n", "\r\n") if crlf else text).encode()
    here = project(tmp_path_factory.mktemp("any"), {"config.yaml": data})
    migrate(here)
    made = (here.memory / "config.yaml").read_bytes()

    assert made.endswith(data)
    assert made[: -len(data)].strip() == b"format: 2"


def test_a_configuration_that_cannot_take_a_line_is_told(tmp_path: Path) -> None:
    here = project(tmp_path, {"config.yaml": "{workflow: light}\n", "agent/coder/prompt_template.md": "x"})

    with pytest.raises(ConfigError, match="cannot be added by lines"):
        migrate(here)
    assert (here.memory / "agent/coder/prompt_template.md").is_file()


@pytest.mark.parametrize(
    ("line", "told"),
    [("format: 99", "format 99 is newer"), ("format: two", "is no whole number"), ("format: [1]", "no whole number")],
)
def test_a_format_that_is_newer_or_none_is_refused(tmp_path: Path, line: str, told: str) -> None:
    here = project(tmp_path, {"config.yaml": f"# x\n{line}\n", "agent/coder/prompt_template.md": "x"})

    with pytest.raises(ConfigError, match=rf"config\.yaml:2: .*{told}"):
        migrate(here)
    assert (here.memory / "agent/coder/prompt_template.md").is_file()


def test_at_todays_format_there_is_nothing_to_do_whatever_names_there_are(tmp_path: Path) -> None:
    here = project(tmp_path, {"config.yaml": "format: 2\n", "agent/coder/prompt_template.md": "x"})

    assert migrate(here).steps == ()
    assert (here.memory / "agent/coder/prompt_template.md").is_file()


def test_a_folder_that_is_a_link_out_of_the_project_is_not_followed(tmp_path: Path) -> None:
    here = project(tmp_path / "p", {"config.yaml": "workflow: light\n"})
    (tmp_path / "else" / "coder").mkdir(parents=True)
    (tmp_path / "else" / "coder" / "prompt_template.md").write_text("x", encoding="utf-8")
    (here.memory / "agent").symlink_to(tmp_path / "else")

    with pytest.raises(WorkspaceError, match="is a link that leaves"):
        migrate(here)
    assert (tmp_path / "else" / "coder" / "prompt_template.md").is_file()
