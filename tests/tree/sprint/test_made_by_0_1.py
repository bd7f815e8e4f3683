"""The committed project of version 0.1 keeps its bytes, holds nothing private, and is what its description promises."""

import hashlib
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.upgraded_world import CLOSED, FIXTURE, OPEN, PEOPLE, unpacked
from verifflowcc.base.model.sprint_state import SprintStatus
from verifflowcc.base.text.secrets import find_secrets
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.use.sprint_reading import list_sprints, show_sprint

DIGESTS = {
    "project.bundle": "13b0a3ce6affcd190aa2d4fb33a8969e42dc172f165069fdb41aaf8c3aeefba9",
    "beside.tar.gz": "7614c6a81c05107d72948bc00de091bc39e2e3468ed72a5910dd72ba6665389f",
}
PRIVATE = ("/home/", "/root", "/tmp/", "/Users/", "/var/")
ABSOLUTE = re.compile(r"(?<![\w.*])/([A-Za-z]\w*)/")
OWN = {"artifacts", "events", "evidence", "spec", "test", "tests"}
"""Folders that patterns and sentences name with a slash before them."""


@pytest.mark.parametrize("name", DIGESTS)
def test_the_bytes_never_change(name: str) -> None:
    assert hashlib.sha256((FIXTURE / name).read_bytes()).hexdigest() == DIGESTS[name]


def test_it_holds_no_secret_no_place_and_no_stranger(tmp_path: Path) -> None:
    root = unpacked(tmp_path)

    for path, text in texts(tmp_path):
        assert not find_secrets(text), path
        assert not any(place in text for place in PRIVATE), path
        assert set(ABSOLUTE.findall(text)) <= OWN, path
    log = subprocess.run(
        ["git", "log", "--all", "--format=%an <%ae>%n%cn <%ce>"], cwd=root, capture_output=True, text=True, check=True
    )
    assert set(log.stdout.splitlines()) == {f"{name} <{mail}>" for name, mail in PEOPLE.items()}


def texts(folder: Path) -> Iterator[tuple[Path, str]]:
    """Every file that is unpacked, but git's own."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and ".git" not in path.relative_to(folder).parts:
            yield path, path.read_bytes().decode("utf-8", "replace")


def test_each_sprint_is_where_0_1_left_it(tmp_path: Path) -> None:
    here = Workspace(unpacked(tmp_path))

    found = {line.id: line for line in list_sprints(here)}

    assert set(found) == {*OPEN, CLOSED}
    assert found[CLOSED].status is SprintStatus.CLOSED
    for sprint, (workflow, stage) in OPEN.items():
        state = show_sprint(here, sprint)
        assert state.workflow is not None
        assert (state.workflow.name, state.current, state.problems) == (workflow, stage, ())


def test_a_world_with_chosen_sprints_has_no_other_open_one(tmp_path: Path) -> None:
    here = Workspace(unpacked(tmp_path, ["shout"]))

    assert [line.id for line in list_sprints(here) if line.status is not SprintStatus.CLOSED] == ["shout"]
