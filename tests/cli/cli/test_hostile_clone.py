"""Reading a repository runs no program that it names: every read-only command and every hook of every client."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command

from tests import forked
from tests.cli.hostile_world import Hostile, embedded, hostile_settings
from tests.cli.process import PATIENCE_S, Ran, environment
from tests.trace_project import NEED, TIMEOUT
from verifflowcc.cli.cli.app import app
from verifflowcc.history.rules.client_entries import EVENTS

pytestmark = pytest.mark.vfcc("REQ-COMMANDS")

READS = {
    "allow": "--check",
    "check": "",
    "check config": "",
    "check gate": "",
    "check memory": "",
    "check trace": "--changed-since HEAD~1",
    "check workflow": "",
    "code context": "session",
    "code file": "src/session.py",
    "baseline show": "",
    "code find": "ended",
    "code impact": "src/session.py",
    "code index": "",
    "code map": "",
    "code refs": "ended",
    "code status": "",
    "config schema": "",
    "config show": "",
    "context diff": "HEAD~1 --agent coder",
    "context show": "--agent coder --committed",
    "context tune": "",
    "doctor": "",
    "evidence list": "",
    "evidence show": "none",
    "evidence stale": "",
    "help": "",
    "feedback list": "",
    "history export": "--format jsonl",
    "history saved": "",
    "history show": "",
    "history similar": "session",
    "history sql": "",
    "memory eval": "none.yaml",
    "memory export": "",
    "memory inbox": "",
    "memory list": "",
    "memory schema": "",
    "memory search": "session",
    "memory show": "none",
    "memory stats": "",
    "metrics": "",
    "next": "",
    "report": "",
    "run events": "",
    "run status": "",
    "sprint list": "",
    "sprint report": "",
    "sprint show": "",
    "stage list": "",
    "stage show": "",
    "status": "",
    "task list": "",
    "task show": "none",
    "trace baseline diff": "one",
    "trace baseline list": "",
    "trace coverage": "",
    "trace export": "--format json",
    "trace impact": NEED,
    "trace list": "",
    "trace matrix": "",
    "trace show": TIMEOUT,
    "trace why": TIMEOUT,
    "window show": "",
    "window snapshots": "",
    "workflow list": "",
    "workflow show": "",
}
"""Commands that change nothing a person keeps, each with what it needs to get far."""

WRITES = set(
    """
    approve, baseline lint, baseline tests, baseline trace, context, evidence add, evidence redact,
    evidence run, feedback add, feedback triage, history import, history learn, history prune, hook, init,
    integrate, mcp, memory add, memory copy, memory edit, memory forget, memory import, memory ingest,
    memory link, memory maintain, memory move, memory promote, memory reject, memory restore, migrate, prove,
    run, run clean, run resume, run retry, run stop, run worker, sprint close, sprint resolve, sprint start,
    stage advance,
    stage draft, stage put, stage reopen, stage skip, task fail, task finish, task note, task start, trace add,
    trace baseline create, trace import, trace link, trace retire, trace review, trace unlink, trace verify,
    waive, window add, window prune, window restore, workflow use
    """.replace("\n", " ")
    .replace("  ", "")
    .strip()
    .split(", ")
)
ON_INPUT = {"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": "ls"}, "prompt": "Fix the session."}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Hostile:
    return hostile_settings(tmp_path_factory.mktemp("settings"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Hostile:
    return embedded(tmp_path_factory.mktemp("folder"))


@pytest.fixture(params=["settings", "folder"])
def world(request: pytest.FixtureRequest) -> Hostile:
    made: Hostile = request.getfixturevalue(request.param)
    return made


def commands(command: object = None, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield every command that does something by itself."""
    command = command or get_command(app)
    below = getattr(command, "commands", {})
    if path and (not below or getattr(command, "invoke_without_command", False)):
        yield " ".join(path)
    for name, each in below.items():
        yield from commands(each, (*path, name))


def run(world: Hostile, *arguments: str, said: str = "", env: dict[str, str] | None = None) -> Ran:
    """Run `vfcc` in the clone, forked: what is imported when is not what these tests are about."""
    forked.forks_at_once(arguments)
    full = environment(world.root.parent, **world.env, **(env or {}))
    folder = world.marks.parent
    (folder / "said").write_text(said)
    files = [(folder / "said").open("rb"), (folder / "out").open("wb"), (folder / "err").open("wb")]
    streams = tuple(file.fileno() for file in files)
    code = forked.start(arguments, world.root, full, (streams[0], streams[1], streams[2])).wait(PATIENCE_S)
    for file in files:
        file.close()
    return Ran(code, (folder / "out").read_text(), (folder / "err").read_text())


def test_every_command_is_known_to_read_or_to_write() -> None:
    assert sorted(commands()) == sorted({*READS, *WRITES} - {"context"})
    assert not WRITES & set(READS)


@pytest.mark.sweep
def test_git_itself_runs_these_programs(settings: Hostile) -> None:
    settings.git("status")
    assert {"core.fsmonitor", "filter.slow.process"} <= set(settings.ran())
    settings.git("-c", "filter.slow.process=", "-c", "filter.slow.required=false", "diff", "HEAD~1")
    assert {"core.fsmonitor", "filter.evil.clean", "filter.more.clean", "diff.evil.command"} <= set(settings.ran())
    # its option --no-replace-objects gives way to the setting core.useReplaceRefs
    settings.git("-c", "core.useReplaceRefs=false", "log", "-1")
    assert "gpg.openpgp.program" in settings.ran() or "gpg.program" in settings.ran()


@pytest.mark.sweep
def test_git_runs_programs_of_the_committed_folder(folder: Hostile) -> None:
    folder.git("-c", "filter.slow.process=", "-c", "filter.slow.required=false", "-c", "core.fsmonitor=", "diff")

    assert set(folder.ran()) & {"filter.evil.clean", "diff.evil.command", "diff.external"}


@pytest.mark.points(30)
@pytest.mark.parametrize("command", READS)
def test_reading_runs_no_program_of_the_repository(world: Hostile, command: str) -> None:
    done = run(world, *command.split(), *READS[command].split())

    assert world.ran() == []
    assert "Traceback" not in done.err, done.err
    assert not (world.root / ".memory/local/hook-errors.jsonl").exists()


@pytest.mark.points(4)
@pytest.mark.parametrize("client", EVENTS)
def test_hooks_of_clients_run_no_program_of_the_repository(world: Hostile, client: str) -> None:
    for event in EVENTS[client]:
        said = json.dumps({**ON_INPUT, "hook_event_name": event, "cwd": str(world.root), "source": "startup"})
        done = run(world, "hook", client, *([event] if client == "copilot" else []), said=said)
        assert (event, done.code, world.ran()) == (event, 0, [])
        assert "Traceback" not in done.err, done.err


def test_completion_runs_no_program_of_the_repository(world: Hostile) -> None:
    for line in ("memory show ", "sprint show ", "stage show ", "waive ", "code refs ", "trace baseline diff "):
        done = run(world, env={"_VFCC_COMPLETE": "list_bash", "_VFCC_LINE": f"vfcc {line}"})
        assert (done.code, done.err, world.ran()) == (0, "", [])
        assert len(done.out.splitlines()) > 1 or line == "code refs "


def test_the_commands_get_far_in_the_repository(settings: Hostile) -> None:
    checked = run(settings, "check", "gate")
    assert "git cannot" not in checked.out + checked.err
    assert run(settings, "next").code == 0
    assert "src/session.py" in run(settings, "code", "map").out


def test_the_folder_that_is_laid_out_as_a_repository_is_named(folder: Hostile) -> None:
    done = run(folder, "check", "gate")

    assert f"{folder.root} is laid out as a bare git repository" in done.out + done.err


def test_variables_of_git_point_nowhere_else(settings: Hostile, tmp_path: Path) -> None:
    before = run(settings, "code", "map")
    other = tmp_path / "other"
    other.mkdir()
    elsewhere = {"GIT_DIR": str(other), "GIT_WORK_TREE": str(other), "GIT_INDEX_FILE": str(other / "index")}

    assert run(settings, "code", "map", env=elsewhere) == before
    assert settings.ran() == []


def test_replaced_objects_change_nothing(settings: Hostile) -> None:
    """The commit that is checked out has a replacement."""
    with_replacement = run(settings, "trace", "matrix", "--json")
    settings.git("-c", "core.fsmonitor=", "-c", "core.hooksPath=", "replace", "-d", "HEAD")
    settings.ran()

    assert run(settings, "trace", "matrix", "--json") == with_replacement


def test_a_missing_object_is_not_fetched(settings: Hostile) -> None:
    objects = settings.root / ".git/objects"
    for path in [each for each in objects.glob("??/*") if each.is_file()]:
        os.chmod(path, 0o644)  # noqa: PTH101
    blob = forked_git(settings, "rev-parse", "HEAD:src/session.py")
    (objects / blob[:2] / blob[2:]).unlink()
    for command in ("check gate", "code status", "context diff HEAD~1 --agent coder", "trace why " + TIMEOUT):
        assert "Traceback" not in run(settings, *command.split()).err
        assert settings.ran() == []
    settings.git("-c", "core.fsmonitor=", "cat-file", "blob", blob)
    assert "remote.origin.url" in settings.ran(), "git itself fetches"


def forked_git(world: Hostile, *arguments: str) -> str:
    from tests.cli.process import git

    return git(world.root, "-c", "core.fsmonitor=", *arguments).strip()
