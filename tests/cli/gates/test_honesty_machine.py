"""Commands run where a person on this machine allowed them, and nothing that a repository ships is believed."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.honest_world import (
    BUILT,
    COMMANDS,
    ID,
    PLAN,
    PYTHON,
    TESTS,
    commit,
    config,
    done,
    edited,
    kept,
    project,
    refused,
    rows,
    shown,
)
from tests.cli.process import environment, git, vfcc
from tests.trees import write_tree

pytestmark = pytest.mark.vfcc("REQ-COMMANDS")

TRAP = {"run": [*PYTHON, "-c", "open('trap', 'w').write('sprung')"]}


def cloned(root: Path, folder: Path) -> Path:
    """The project as somebody else gets it, on a machine of their own."""
    folder.mkdir()
    git(folder, "clone", "--quiet", str(root), "project")
    return folder / "project"


@pytest.mark.points(1)
@pytest.mark.parametrize("env", [{"VFCC_AGENT": "coder"}, {"CODEX_THREAD_ID": "x"}, {}], ids=["role", "client", "none"])
def test_allowing_as_an_agent(tmp_path: Path, env: dict[str, str]) -> None:
    refused_to_allow("allowing-as-an-agent", tmp_path, **env)


def test_job_beside_a_marker(tmp_path: Path) -> None:
    refused_to_allow("job-beside-a-marker", tmp_path, CI="1", CLAUDECODE="1")


def refused_to_allow(anchor: str, folder: Path, **env: str) -> None:
    """As `refused`: the command that would run is another than the one that a person allowed."""
    root = project(folder, BUILT)
    (root / ".memory/config.yaml").write_text(config(build=TRAP), encoding="utf-8")
    before = kept(root)
    shown(rows()[anchor], vfcc(root, "allow", "--yes", env=env), 3)
    assert kept(root) == before
    assert vfcc(root, "evidence", "run").code == 3
    assert not (root / "trap").exists()


def test_command_not_allowed(tmp_path: Path) -> None:
    root = project(tmp_path, BUILT, build=TRAP)
    done(root, "allow", "--withdraw")

    refused("command-not-allowed", root)
    assert not (root / "trap").exists()


def test_command_changed_after(tmp_path: Path) -> None:
    root = project(tmp_path, BUILT)
    edited(root / ".memory/config.yaml", "print('built')", "open('trap', 'w')")

    refused("command-changed-after", root)
    assert not (root / "trap").exists()


def test_rerun_in_a_clone(tmp_path: Path) -> None:
    root = project(tmp_path, BUILT, build=TRAP, files={".gitignore": "trap\n"})
    done(root, "evidence", "run")
    commit(root)

    there = cloned(root, tmp_path / "theirs")

    refused("rerun-in-a-clone", there)
    assert not (there / "trap").exists()


def test_clone_that_allows_itself(tmp_path: Path) -> None:
    """`allowed.json` in the repository, for the very folder into which it will be cloned."""
    root = project(tmp_path, BUILT, build=TRAP)
    there = tmp_path / "theirs" / "project"
    own = json.loads((tmp_path / ".local/share/vfcc/allowed.json").read_text())
    own["projects"] = dict.fromkeys([str(there), str(root)], next(iter(own["projects"].values())))
    places = (".memory/local/allowed.json", ".local/share/vfcc/allowed.json", "vfcc/allowed.json")
    write_tree(root, {place: json.dumps(own) for place in places})
    git(root, "add", "--force", *places)
    git(root, "commit", "--quiet", "-m", "allow myself")
    cloned(root, tmp_path / "theirs")

    refused("clone-that-allows-itself", there)
    assert not (there / "trap").exists()


def test_home_inside_the_project(tmp_path: Path) -> None:
    """With the machine's own folder inside of it, a repository could say what is allowed."""
    root = project(tmp_path, BUILT, build=TRAP)
    shutil.copytree(tmp_path / ".local", root / ".local")
    row, before = rows()["home-inside-the-project"], kept(root)

    shown(row, vfcc(root, "evidence", "run", env={"XDG_DATA_HOME": str(root / ".local/share")}), row.found_by["run"])

    assert kept(root) == before
    assert not (root / "trap").exists()


def test_clone_that_ships_caches(tmp_path: Path) -> None:
    """Digests of files, the events as once read, the status as once printed: all of an honest green state."""
    root = project(tmp_path, TESTS)
    done(root, "evidence", "run")
    done(root, "check", "gate")
    done(root, "status")
    (root / ".memory/local/snapshot.json").write_text(lying_snapshot(root))
    git(root, "add", "--force", ".memory")
    edited(root / "src/calc.py", "a + b", "a - b")
    commit(root)
    there = cloned(root, tmp_path / "theirs")
    assert (there / ".memory/local/snapshot.json").is_file()

    refused("clone-that-ships-caches", there)
    assert "all is well" not in done(there, "status")


def lying_snapshot(root: Path) -> str:
    """A snapshot with the stamps that fit here, and a status that never was."""
    told = json.loads(done(root, "status", "--json"))["data"]
    assert told["open"][0]["id"] == ID
    names = [".memory/config.yaml", ".memory/sprint", f".memory/sprint/{ID}", f".memory/sprint/{ID}/events"]
    found = {name: (root / name).stat() for name in names}
    stamps = {name: f"{one.st_mtime_ns}.{one.st_ctime_ns}.{one.st_size}.{one.st_ino}" for name, one in found.items()}
    return json.dumps({"format": 2, "text": "all is well\n", "json": "{}", "until": None, "stamps": stamps})


def test_committed_local_folder(tmp_path: Path) -> None:
    root = project(tmp_path)
    write_tree(root, {".memory/local/notes.json": "{}"})
    git(root, "add", "--force", ".memory/local/notes.json")

    refused("committed-local-folder", root)


def test_report_that_git_keeps(tmp_path: Path) -> None:
    """A command may not name one of the sources as its report: it would be no input any more."""
    root = project(tmp_path, TESTS, test={"run": [*PYTHON, "-c", ""], "reports": {"junit": "src/calc.py"}})

    refused("report-that-git-keeps", root)
    assert (root / "src/calc.py").read_text().startswith("def add")


def test_report_in_the_ledger(tmp_path: Path) -> None:
    """Nor may a report lie where artifacts, events or evidence do."""
    root = project(tmp_path, TESTS)
    table = {"run": [*PYTHON, "-c", ""], "reports": {"junit": PLAN}}
    write_tree(root, {".memory/config.yaml": config(test=table)})

    refused("report-in-the-ledger", root)


def test_folder_laid_out_as_a_repository(tmp_path: Path) -> None:
    root = project(tmp_path, BUILT)
    for path in list((root / ".git").iterdir()):
        path.rename(root / path.name)
    (root / ".git").rmdir()
    git(root, "config", "--file", "config", "core.fsmonitor", f"touch {tmp_path}/trap")
    git(root, "config", "--file", "config", "core.worktree", ".")
    git(root, "config", "--file", "config", "core.bare", "false")
    git(tmp_path, "init", "--quiet")

    refused("folder-laid-out-as-a-repository", root)
    assert not (tmp_path / "trap").exists()


def test_reading_runs_nothing(tmp_path: Path) -> None:
    """`check gate`, `doctor`, `status` and `next` in a fresh clone: no command of the project's is started."""
    root = project(tmp_path, BUILT, build=TRAP, files={".gitignore": ""})
    there = cloned(root, tmp_path / "theirs")
    for words in (*(COMMANDS[name] for name in ("gate", "advance", "doctor")), ("status",), ("next",)):
        assert vfcc(there, *words).code in {0, 1, 3, 4}

    assert not (there / "trap").exists()
    assert "XDG_DATA_HOME" not in environment(tmp_path)
