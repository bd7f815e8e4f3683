"""A beginning or an end of an id is enough in every command that takes one, and an ambiguous one is listed."""

from pathlib import Path

import pytest

from tests.cli.process import Ran, vfcc
from tests.forked import forks_at_once
from tests.made_once import copied
from tests.prepared_project import SPRINT, prepared_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return copied(tmp_path, prepared_project)


def test_a_part_of_an_id_is_enough(project: Path) -> None:
    evidence = next(project.glob(f".memory/stage/{SPRINT}/*/evidence/*.json")).stem
    comment = _done(project, "feedback list --json").data[0]["event"]
    for line in (
        f"evidence show {evidence[:-2].lower()}",
        f"evidence show {evidence[-4:]}",
        f"feedback triage {comment[:-1]} --later",
        "task show fix",
        "task note Hm --task fix",
        "memory show use-",
        "memory add fact Short --supersedes tokens-a",
        "trace show req-ti",
        "trace add unit Form --parent REQ-ti --relation implements",
        "trace link UNIT-se REQ-lo --relation implements",
        "trace matrix --item REQ-ti",
        "window add Hm --task fix --session s2",
    ):
        _done(project, line)

    task = _done(project, "window show --session s2 --json").data["task"]
    assert (project / ".memory/local/tasks" / task / "task.json").exists()


def test_an_ambiguous_id_is_answered_with_what_it_can_be(project: Path) -> None:
    for line, sentence in {
        "trace show REQ": "REQ can be any of 3 items: REQ-audit-p6q7, REQ-lock-m4n5, REQ-timeout-k3f9\n",
        "memory show u": "u can be any of 2 items: UNIT-session-r8s9 (project), use-sessions (project)\n",
    }.items():
        refused = vfcc(project, *line.split())
        refused.refused(2, sentence)
        assert len(refused.err.splitlines()) == 2


def _done(project: Path, line: str) -> Ran:
    forks_at_once(line.split())
    ran = vfcc(project, *line.split())
    assert ran.code == 0, (line, ran)
    return ran
