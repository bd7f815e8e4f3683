"""What version 0.1 makes of its own project once this version wrote into it: the same sprint, or a request to upgrade.

The program of version 0.1 is named by `VFCC_0_1`: the path of its `vfcc`.
"""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.cli.process import Ran
from tests.cli.trees import everything
from tests.trees import commit, git
from tests.upgrade_calls import POLITE, SHOUT
from tests.upgrade_matrix import ACTORS, Tried
from tests.upgraded_world import unpacked

OLD = os.environ.get("VFCC_0_1", "")
AGENT, PERSON, PROGRAM = "agent", "person", "program"
Steps = tuple[tuple[str, tuple[str, ...]], ...]
WRITES: dict[str, tuple[str, Steps]] = {
    "a comment": ("titles", ((AGENT, ("feedback", "add", "More titles", "--sprint", "titles")),)),
    "a comment by a program": ("titles", ((PROGRAM, ("feedback", "add", "More titles", "--sprint", "titles")),)),
    "an approval of changed rules": (
        "polite-greetings",
        (
            (PERSON, ("workflow", "use", "standard")),
            (PERSON, ("approve", "coding", "--criterion", "rules", "--yes", *POLITE)),
        ),
    ),
    "a request and an approval": (
        "polite-greetings",
        ((AGENT, ("approve", "coding", "--request", *POLITE)), (PERSON, ("approve", "coding", "--yes", *POLITE))),
    ),
    "a waiver": (
        "polite-greetings",
        ((PERSON, ("waive", "changes-traced", "--reason", "later", "--stage", "coding", *POLITE, "--yes")),),
    ),
    "a move": ("languages", ((PERSON, ("stage", "advance", "--sprint", "languages")),)),
    "a move with gaps": ("shout", ((PERSON, ("stage", "advance", *SHOUT)),)),
    "a stage that is reopened": ("shout", ((PERSON, ("stage", "reopen", "planning", "--reason", "again", *SHOUT)),)),
    "a stage that is skipped": ("shout", ((PERSON, ("stage", "skip", "--reason", "no time", *SHOUT, "--yes")),)),
    "evidence": ("polite-greetings", ((PERSON, ("allow", "--yes")), (PERSON, ("evidence", "run", "build", *POLITE)))),
    "a migration": ("shout", ((PERSON, ("migrate",)),)),
    "a short sprint that is closed": (
        "titles",
        ((PERSON, ("sprint", "close", "titles", "--unfinished", "no time")),),
    ),
    "another workflow": ("shout", ((PERSON, ("workflow", "use", "standard")),)),
}
"""What this version writes, by its name: the sprint that it is about, and the commands with their actors."""
MIGRATED = (
    ("config", "check"),
    ("doctor",),
    ("check", "gate", *SHOUT),
    ("stage", "advance", "shout"),
    ("sprint", "start", "Another"),
    ("sprint", "close", "languages", "--unfinished", "no time"),
    ("evidence", "run", *SHOUT),
    ("allow", "--yes"),
    ("workflow", "use", "standard"),
    ("memory", "add", "fact", "Something new"),
    ("memory", "list"),
    ("task", "start", "Something", *SHOUT),
    ("trace", "add", "need", "More", "--id", "NEED-more"),
    ("context", "show", "--agent", "coder", *SHOUT),
    ("migrate",),
)
"""Commands that version 0.1 refuses in a project of format 2."""

pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(not OLD, reason="vfcc of version 0.1 is missing: name its path in VFCC_0_1"),
]


def old_program(folder: Path) -> Tried:
    """Return version 0.1, to be run below `folder`."""
    path = Path(OLD).absolute()

    def start(
        arguments: Sequence[str], root: Path, env: Mapping[str, str], streams: tuple[int, int, int]
    ) -> subprocess.Popen[bytes]:
        stdin, stdout, stderr = streams
        return subprocess.Popen([path, *arguments], cwd=root, env=env, stdin=stdin, stdout=stdout, stderr=stderr)

    return Tried(folder, start, f"{path.parent}{os.pathsep}{os.environ['PATH']}")


def written(folder: Path, steps: Steps) -> Path:
    """Return a project of 0.1 in which this version took some steps."""
    root = unpacked(folder)
    new = Tried(folder)
    for actor, arguments in steps:
        ran = new.run(root, arguments, ACTORS[actor], terminal=actor == PERSON)
        assert ran.code == 0, ran
    return root


def state(ran: Ran) -> object:
    """Return what `sprint show --json` has of a sprint, as far as both versions know it."""
    document = json.loads(ran.out)
    shown = document.get("data", document)  # 0.1 prints the data alone
    stages = [(each["stage"]["id"], each["status"], each["passes"], each["reopened"]) for each in shown["stages"]]
    return shown["status"], shown["current"], shown["heads"], shown["problems"], stages


@pytest.mark.parametrize("name", WRITES)
def test_version_0_1_reads_the_same_sprint(tmp_path: Path, name: str) -> None:
    sprint, steps = WRITES[name]
    root = written(tmp_path, steps)
    show = ("sprint", "show", sprint, "--json")

    old = old_program(tmp_path).run(root, show)

    assert state(old) == state(Tried(tmp_path).run(root, (*show, "--full")))


def test_version_0_1_asks_for_an_upgrade_where_an_artifact_was_put(tmp_path: Path) -> None:
    put = (AGENT, ("stage", "put", "changes.md", *SHOUT, "--file", "README.md"))
    root = written(tmp_path, (put,))

    old = old_program(tmp_path)

    assert "upgrade vfcc" in old.run(root, ("sprint", "show", "shout")).out
    for command in (("check", "gate", *SHOUT), ("stage", "advance", "shout")):
        ran = old.run(root, command)
        assert ran.code == 3
        assert "upgrade vfcc" in ran.err


def test_version_0_1_asks_for_an_upgrade_after_a_migration_and_writes_nothing(tmp_path: Path) -> None:
    root = written(tmp_path, ((PERSON, ("migrate",)),))
    old, before = old_program(tmp_path), everything(root)

    for command in MIGRATED:
        ran = old.run(root, command, ACTORS[PERSON])
        assert ran.code not in (0, 2), (command, ran)
        assert "format 2 is newer than this vfcc understands (1)" in ran.out + ran.err, command
    assert "pip install --upgrade verifflowcc" in ran.err
    assert everything(root) == before


def test_version_0_1_asks_for_an_upgrade_where_a_sprint_has_newer_criteria(tmp_path: Path) -> None:
    root = written(tmp_path, ((PERSON, ("sprint", "start", "Another", "--workflow", "light")),))

    old = old_program(tmp_path)

    for command in (("sprint", "show", "another"), ("check", "gate", "--sprint", "another")):
        ran = old.run(root, command)
        assert "event format v2 is newer than this vfcc reads (v1): upgrade vfcc" in ran.out + ran.err, ran


def test_version_0_1_asks_for_an_upgrade_where_the_events_of_a_closed_sprint_are_one_file(tmp_path: Path) -> None:
    sprint = "names-with-spaces"
    root = written(tmp_path, ((PERSON, ("sprint", "close", sprint, "--unfinished", "no time")),))
    assert [path.name for path in (root / f".memory/sprint/{sprint}/events").glob("*.json")] == ["packed.json"]
    old = old_program(tmp_path)

    for words in (f"sprint show {sprint}", f"check gate --sprint {sprint}", "doctor"):
        ran = old.run(root, words.split(" "))
        assert "upgrade vfcc" in ran.out + ran.err, words
    for words in (f"sprint show {sprint}", "sprint list", "status", "metrics"):
        shown = [line for line in old.run(root, words.split(" ")).out.splitlines() if sprint in line]
        assert not any(f" {word}" in line for line in shown for word in ("open", "closed", "(open)")), shown


def test_a_fork_that_version_0_1_sees_in_one_move_and_resolves_reads_as_resolved(tmp_path: Path) -> None:
    root, show = unpacked(tmp_path), ("sprint", "show", "shout", "--json")
    new, old, full = Tried(tmp_path), old_program(tmp_path), (*show, "--full")
    with (root / ".memory/.gitignore").open("a", encoding="utf-8") as rules:
        rules.write("stage/*/*/summary.md\nstage/*/*/metrics.json\n")
    commit(root, "generated files are ignored")
    heads = []
    for name in ("one", "two"):
        git(root, "switch", "-q", "-c", name, "HEAD" if name == "one" else "one~1")
        ran = new.run(root, ("stage", "advance", *SHOUT), ACTORS[PERSON], terminal=True)
        assert ran.code == 0, ran
        commit(root, name)
        heads += new.run(root, full).data["heads"]
    git(root, "merge", "-q", "--no-edit", "one")
    assert new.run(root, full).data["fork"] is None
    assert json.loads(old.run(root, show).out)["fork"] is not None

    resolve = ("sprint", "resolve", "shout", "--keep", heads[0], "--reason", "it is one move")
    ran = old.run(root, resolve, ACTORS[PERSON], terminal=True)

    assert ran.code == 0, ran
    assert state(old.run(root, show)) == state(new.run(root, full))
    assert new.run(root, full).data["fork"] is None
