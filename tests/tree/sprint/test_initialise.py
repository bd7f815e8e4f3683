"""`vfcc init` creates the whole tree or nothing."""

from pathlib import Path

import pytest

from verifflowcc.base.errors import UsageError, WorkspaceError
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.initialise import initialise
from verifflowcc.sprint.store.workflow_load import example_folder, templates_folder
from verifflowcc.sprint.use.configuration import check_config, effective_config, shipped_workflows

pytestmark = pytest.mark.vfcc("REQ-MEMORY-TREE")


def test_the_tree_is_as_the_architecture_draws_it(tmp_path: Path) -> None:
    initialise(tmp_path)

    memory = tmp_path / ".memory"
    for folder in ("project/conventions", "project/decisions", "project/items", "sprint", "stage"):
        assert (memory / folder).is_dir()
    assert (memory / ".gitignore").read_text() == (
        "local/\nsprint/*/progress.json\nstage/*/*/summary.md\nstage/*/*/metrics.json\n.vfcc-*.tmp\n"
    )
    assert {path.name for path in (memory / "agent").iterdir()} >= {"planner", "coder", "reviewer"}
    for name in ("prompt.md", "tools.yaml", "context.json"):
        assert (memory / "agent" / "coder" / name).stat().st_size > 0


@pytest.mark.parametrize("workflow", shipped_workflows())
def test_the_configuration_it_writes_is_valid_and_names_the_workflow(tmp_path: Path, workflow: str) -> None:
    initialise(tmp_path, workflow=workflow)

    report = check_config(Workspace(tmp_path))

    assert report.problems == ()
    assert f"workflow: {workflow}\n" in (tmp_path / ".memory" / "config.yaml").read_text()


def test_it_refuses_to_overwrite(tmp_path: Path) -> None:
    (tmp_path / ".memory").mkdir()
    (tmp_path / ".memory" / "mine.md").write_text("mine")

    with pytest.raises(WorkspaceError, match="exists already"):
        initialise(tmp_path)

    assert [path.name for path in (tmp_path / ".memory").iterdir()] == ["mine.md"]


def test_an_unknown_workflow_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        initialise(tmp_path, workflow="standart")

    assert refused.value.hint == "vfcc init --workflow standard"
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_fails_half_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "rename", refuse)

    with pytest.raises(WorkspaceError, match="No space left"):
        initialise(tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_the_example_brings_its_core_file_and_keeps_yours(tmp_path: Path) -> None:
    mine, fresh = tmp_path / "mine", tmp_path / "fresh"
    mine.mkdir()
    fresh.mkdir()
    (mine / "AGENTS.md").write_text("mine")

    kept = initialise(mine, example=True)
    initialise(fresh, example=True)

    assert not (mine / "CLAUDE.md").exists()
    assert "your own" in kept.notices[0]
    assert (fresh / "CLAUDE.md").read_bytes() == (example_folder() / "CLAUDE.md").read_bytes()


def test_every_role_of_every_workflow_has_a_prompt_and_tools() -> None:
    roles = {path.name for path in (templates_folder() / "agents").iterdir()}

    assert len(roles) == 9
    for role in roles:
        assert (templates_folder() / "agents" / role / "prompt.md").is_file()
        assert (templates_folder() / "prompts" / f"{role}.md.j2").is_file()


TESTS = [
    ({"tests/test_tides.py": ""}, '[python, -m, pytest, "--junitxml={junit}"]', {}),
    ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, '[python, -m, pytest, "--junitxml={junit}"]', {}),
    ({"pytest.ini": ""}, '[python, -m, pytest, "--junitxml={junit}"]', {}),
    ({"tox.ini": "[testenv]\ncommands = pytest\n"}, '[python, -m, pytest, "--junitxml={junit}"]', {}),
    (
        {"package.json": '{"devDependencies": {"vitest": "^3"}}'},
        '[npx, vitest, run, --reporter=junit, "--outputFile={junit}"]',
        {},
    ),
    (
        {"package.json": '{"devDependencies": {"jest-junit": "1"}}'},
        "[npx, jest, --ci, --reporters=default, --reporters=jest-junit]",
        {"junit": "junit.xml"},
    ),
]


@pytest.mark.parametrize(("files", "run", "reports"), TESTS, ids=[next(iter(files)) for files, _, _ in TESTS])
def test_an_obvious_test_command_is_written_down_for_a_person_to_look_at(
    tmp_path: Path, files: dict[str, str], run: str, reports: dict[str, str]
) -> None:
    write(tmp_path, files)

    done = initialise(tmp_path)

    config = effective_config(Workspace(tmp_path)).config
    assert f"      run: {run}\n" in (tmp_path / ".memory" / "config.yaml").read_text()
    assert config.gates.commands["test"].reports == reports
    assert "gates.commands.test is what evidence run will run; look at it, then: vfcc allow" in done.notices


@pytest.mark.parametrize(
    ("files", "comment"),
    [
        ({"go.mod": "module tides\n"}, "gotestsum"),
        ({"Cargo.toml": "", ".config/nextest.toml": ""}, "nextest"),
        ({"Cargo.toml": ""}, None),
        ({"pyproject.toml": "[project]\n"}, None),
        ({"package.json": "not JSON"}, None),
        ({"package.json": "[]"}, None),
        ({"package.json": '{"devDependencies": ["vitest"]}'}, None),
        ({"tests/test_tides.py/not_a_file": ""}, None),
        ({}, None),
    ],
)
def test_what_is_not_obvious_is_at_most_a_comment(tmp_path: Path, files: dict[str, str], comment: str | None) -> None:
    write(tmp_path, files)

    done = initialise(tmp_path)

    assert effective_config(Workspace(tmp_path)).config.gates.commands == {}
    assert not any("vfcc allow" in notice for notice in done.notices)
    assert comment is None or comment in (tmp_path / ".memory" / "config.yaml").read_text()
    proposed = "for test, .memory/config.yaml proposes a command in a comment; none runs yet"
    assert (proposed in done.notices) == (comment is not None)


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
