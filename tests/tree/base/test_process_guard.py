"""A command and what it started end with vfcc, however vfcc itself is ended."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tree.base.test_process_run import NEVER_S, TWO_PROCESSES, ended, wait_for, wait_until_ended
from verifflowcc.base.process.command_run import run_command

pytestmark = pytest.mark.vfcc("REQ-COMMANDS")
RUNS_IT = """\
import signal, sys
from pathlib import Path
from verifflowcc.base.process.command_run import run_command
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
run_command(Path(sys.argv[1]), [sys.executable, "-c", sys.argv[2]], 60)
"""


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGTERM, 143),
        (signal.SIGKILL, -9),
        pytest.param(signal.SIGHUP, 129, marks=pytest.mark.sweep),
        pytest.param(signal.SIGINT, -2, marks=pytest.mark.sweep),
    ],
)
def test_a_signal_that_ends_vfcc_ends_what_it_started(tmp_path: Path, number: int, code: int) -> None:
    words = [sys.executable, "-c", RUNS_IT, str(tmp_path), TWO_PROCESSES]
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL, start_new_session=True)
    wait_for(tmp_path / "pids")
    process.send_signal(number)

    assert process.wait(NEVER_S) == code
    for pid in map(int, (tmp_path / "pids").read_text("ascii").split()):
        wait_until_ended(pid)
        assert ended(pid)


def test_output_is_passed_on_while_the_command_runs(tmp_path: Path) -> None:
    seen = bytearray()
    waits = "import pathlib, time\nprint('first', flush=True)\nwhile not pathlib.Path('go').exists(): time.sleep(0.01)"

    def take(chunk: bytes) -> None:
        seen.extend(chunk)
        if b"first" in seen:
            (tmp_path / "go").touch()

    ran = run_command(tmp_path, [sys.executable, "-c", waits], NEVER_S, on_output=take)

    assert (ran.exit_code, bytes(seen), ran.output) == (0, b"first\n", b"first\n")
