"""`watch` brings the graph up again and again, says what it did, and ends when it is told to."""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tree.code_graph_world import project
from tests.trees import write_tree
from verifflowcc.adapters import stamps
from verifflowcc.services.code.indexing import Brought, bring_up
from verifflowcc.services.code.watching import until_told_to_end, watch


def test_it_says_what_it_did_and_the_next_command_finds_it_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", -(10**12))
    here = project(tmp_path, {"a.py": "x = 1\n"})
    seen: list[tuple[int, int, int]] = []
    events: list[Callable[[], object]] = [
        lambda: None,
        lambda: write_tree(tmp_path, {"b.py": "y = 2\n"}),
        (tmp_path / "a.py").unlink,
        lambda: None,
    ]

    def wait(_seconds: float) -> bool:
        if events:
            events.pop(0)()
            return False
        return True

    def saw(done: Brought) -> None:
        seen.append((done.parsed, done.known, done.removed))

    watch(here, saw, wait)
    assert seen == [(1, 0, 0), (1, 1, 0), (0, 1, 1)]
    after = bring_up(here)
    after.code.close()
    assert (after.parsed, after.known) == (0, 1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_waiting(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with until_told_to_end() as wait:
        assert not wait(0)
        threading.Thread(target=os.kill, args=(os.getpid(), number)).start()
        assert wait(60)
    assert signal.getsignal(number) is before
