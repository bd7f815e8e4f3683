"""Whether an event may be recorded, found out cheaply, and the limit that cuts an answer."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.history_world import project
from verifflowcc.base.config.cached_record import cached_record
from verifflowcc.cli.cli.hook_command import records
from verifflowcc.fast.hook import AnswerLateError, Limit
from verifflowcc.sprint.use.configuration import effective_config

pytestmark = pytest.mark.vfcc("REQ-EPISODE-HOOKS")

DEAF = """
from verifflowcc.fast.hook import AnswerLateError, Limit
with Limit(0.001, lambda: print("late", flush=True)):
    while True:
        try:
            while True:
                pass
        except AnswerLateError:
            pass
"""


@pytest.mark.parametrize(
    "config",
    [
        None,
        "",
        "format: 1\n",
        "hooks: {record: false}\n",
        "hooks:\r\n  record: false\r\n",
        'hooks: {"rec\\x6frd": false}\n',
        "hooks: {record: true}\n# record: false\n",
        "hooks: [\n",
        "hooks: {record: perhaps}\n",
        "é: 1\n",
    ],
)
def test_the_cached_switch_for_recording_is_the_configurations_own(tmp_path: Path, config: str | None) -> None:
    here = project(tmp_path)
    path = here.memory / "config.yaml"
    path.unlink() if config is None else path.write_bytes(config.encode())
    wanted = records(str(here.root))

    assert cached_record(str(here.memory)) in (wanted, None)
    if config is not None:
        path.write_bytes(b"hooks: {record: true}\n" if not wanted else b"hooks: {record: false}\n")
        assert cached_record(str(here.memory)) is None, "the cache is of another file"
        effective_config(here)
        assert cached_record(str(here.memory)) is not wanted


def undoing(undone: list[str]) -> None:
    """Work for ever, and undo it in the end."""
    try:
        while True:
            pass
    finally:
        undone.append("work")


def test_a_late_answer_undoes_what_it_has_begun() -> None:
    undone: list[str] = []

    with pytest.raises(AnswerLateError), Limit(0.001, lambda: None):
        undoing(undone)

    assert undone == ["work"]


@pytest.mark.sweep
def test_an_answer_that_ignores_its_limit_is_ended_with_exit_code_0() -> None:
    done = subprocess.run([sys.executable, "-c", DEAF], capture_output=True, timeout=60, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"late\n", b"")
