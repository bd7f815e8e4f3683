"""Searches that are killed while they build the index, and two at once: what they leave answers as a new one does."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.recalled_world import answer, home, lose_index, made, project
from tests.trees import environment, write_tree
from verifflowcc.base.use.workspace import Workspace

pytestmark = pytest.mark.vfcc("REQ-READ-LEXICAL", "REQ-CACHES-ANSWER-ALIKE")

WORDS = ("tide", "gate", "sluice", "lock", "pump", "crest")
KILLED = """\
import os, signal, sqlite3, sys
from pathlib import Path
from verifflowcc.memory.store import recall_vectors as recall_tables
from verifflowcc.base.model.recall_values import RecallQuery
from verifflowcc.memory.use.searching import search
from verifflowcc.base.use.workspace import Workspace

left = int(sys.argv[2])
put = recall_tables.ScopeTables._put_unit


def dying(*given):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return put(*given)


recall_tables.ScopeTables._put_unit = dying
search(Workspace(Path(sys.argv[1])), ("project",), RecallQuery("tide"))
"""
WRITING = """\
import sys
from pathlib import Path
from tests.recalled_world import answer, remember
from verifflowcc.base.use.workspace import Workspace

here, name = Workspace(Path(sys.argv[1])), sys.argv[2]
for number in range(6):
    remember(here, f"{name}-{number}", f"The tide of {name}, {number}.")
    assert f"{name}-{number}" in [each[1] for each in answer(here, "tide", limit=100)]
"""


@pytest.mark.sweep
@pytest.mark.parametrize("units", [0, 1500])
def test_a_build_that_is_killed_leaves_a_usable_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, units: int
) -> None:
    home(tmp_path, monkeypatch)
    here = project(tmp_path)
    items = [made(f"n{number:04}", f"{WORDS[number % 6]} {number}") for number in range(2000)]
    write_tree(here.root, {each.item.path: each.text for each in items})
    done = _python(here, KILLED, str(units))
    assert done.returncode == -9, done.stderr

    hits = answer(here, "tide", "project", limit=1000)
    assert sorted(name for _, name, _, _ in hits) == [f"n{number:04}" for number in range(0, 2000, 6)]


@pytest.mark.sweep
def test_two_that_write_and_search_at_once_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home(tmp_path, monkeypatch)
    here = project(tmp_path)
    both = [_started(here, WRITING, name) for name in ("one", "two")]
    for each in both:
        _, said = each.communicate(timeout=60)
        assert each.returncode == 0, said

    expected = answer(here, "tide", limit=200)
    names = {name for _, name, _, _ in expected}
    assert {f"{name}-{number}" for name in ("one", "two") for number in range(6)} == names
    lose_index(here)
    assert answer(here, "tide", limit=200) == expected


def _started(here: Workspace, program: str, *words: str) -> "subprocess.Popen[str]":
    there = environment(here.root, PYTHONPATH=str(Path(__file__).parents[3]))
    for variable in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        there[variable] = str(here.root.parent / variable.lower())
    return subprocess.Popen(
        [sys.executable, "-c", program, str(here.root), *words],
        env=there,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _python(here: Workspace, program: str, *words: str) -> "subprocess.CompletedProcess[str]":
    process = _started(here, program, *words)
    out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)
