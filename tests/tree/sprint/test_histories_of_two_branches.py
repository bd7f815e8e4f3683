"""Random histories of two branches in a real repository: `git merge` asks nothing, and the sprint is what it must be.

What a merged ledger must add up to is tested in `pure/test_fold_branches.py`; here it goes through git and the disk.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.histories import ADDITIVE, SPRINT, bases, histories
from tests.trees import commit, git
from verifflowcc.base.files.ledger import Ledger
from verifflowcc.base.formats.event_bytes import encode_event
from verifflowcc.base.model.events import Event, EventType
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.rules.sprint_fold import fold
from verifflowcc.sprint.use.sprint_reading import show_sprint

pytestmark = pytest.mark.vfcc("REQ-FORKS")

FORKS = st.sampled_from([0, 0, 1])


def write(root: Path, events: Sequence[Event]) -> None:
    """Write each event, and the file that it names where it is evidence."""
    folder = root / ".memory" / "sprint" / SPRINT / "events"
    folder.mkdir(parents=True, exist_ok=True)
    for each in events:
        (folder / f"{each.id}.json").write_bytes(encode_event(each))
        if each.type is EventType.EVIDENCE_ADDED:
            place = root / ".memory" / "stage" / SPRINT / str(each.payload["stage"]) / "evidence"
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{each.payload['evidence']}.json").write_text(f'{{"of":"{each.id}"}}\n')


def branches(root: Path, base: Sequence[Event], ours: Sequence[Event], theirs: Sequence[Event]) -> None:
    git(root, "init", "--quiet", "--initial-branch", "main")
    write(root, base)
    commit(root, "base")
    for name, events in (("ours", ours), ("theirs", theirs)):
        git(root, "checkout", "--quiet", "-b", name, "main")
        write(root, events)
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--allow-empty", "--message", name)


def merged(root: Path, into: str, other: str) -> str:
    """Merge `other` into a copy of `into`, which must succeed, and return git's id of all that is then there."""
    git(root, "checkout", "--quiet", "-B", f"{other}-into-{into}", into)
    git(root, "merge", "--quiet", "--no-edit", other)
    return git(root, "rev-parse", "HEAD^{tree}").strip()


@pytest.mark.sweep
@given(FORKS, st.data())
@settings(deadline=None, max_examples=30)
def test_git_merges_any_two_histories_without_a_question_and_both_ways_to_the_same(
    forks: int, data: st.DataObject
) -> None:
    base = data.draw(bases(forks))
    ours = data.draw(histories(base, "ours", least=1))
    theirs = data.draw(histories(base, "theirs", least=1))
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        branches(root, base, ours, theirs)
        one = merged(root, "ours", "theirs")
        state, read = show_sprint(Workspace(root), SPRINT), Ledger(root / ".memory").load(SPRINT)
        other = merged(root, "theirs", "ours")

        assert one == other
        assert show_sprint(Workspace(root), SPRINT) == state
    assert {each.id for each in read.events} == {each.id for each in (*base, *ours, *theirs)}
    assert state == fold(SPRINT, [*base, *ours, *theirs])


@pytest.mark.sweep
@given(FORKS, st.data())
@settings(deadline=None, max_examples=15)
def test_two_branches_that_only_add_merge_clean_and_never_fork(forks: int, data: st.DataObject) -> None:
    base = data.draw(bases(forks))
    ours = data.draw(histories(base, "ours", kinds=ADDITIVE, least=1))
    theirs = data.draw(histories(base, "theirs", kinds=ADDITIVE, least=1))
    before = fold(SPRINT, base)
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        branches(root, base, ours, theirs)

        assert merged(root, "ours", "theirs") == merged(root, "theirs", "ours")
        state = show_sprint(Workspace(root), SPRINT)
        evidence = {path.stem for path in (root / ".memory" / "stage").rglob("evidence/*.json")}
    assert (state.fork, state.stages, state.current) == (before.fork, before.stages, before.current)
    assert not state.problems
    named = {str(each.payload["evidence"]) for each in state.notes if each.type is EventType.EVIDENCE_ADDED}
    assert evidence == named
