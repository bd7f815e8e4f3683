"""What is taken for a command that only looks runs nothing in a real shell, however its quotes are nested."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from verifflowcc.history.rules.read_only import only_reads

BASH = shutil.which("bash")
RUNS = "touch ran"
PARTS = (
    *("'", '"', "\\", "#", "\n", " ", ";", "|", "(", ")", "$", "<", "E", "-", "{", "}", "&"),
    *("<<E\n", "<<'E'\n", '<<"E"\n', "<<-'E'\n", "\nE\n", "<<<", "$'", "echo ", "cat ", "a"),
    *(f"$({RUNS})", f"`{RUNS}`", f"<({RUNS})", f";{RUNS}\n", f"\n{RUNS}\n"),
)


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@given(st.lists(st.sampled_from(PARTS), min_size=2, max_size=9).map("".join))
@example(f"cat <<E\ndon't $({RUNS}) '\nE\n")
@example(f"echo $'\\'' $({RUNS}) '")
@example(f"echo \"it's $({RUNS}) '\"")
@example(f"# don't\necho $({RUNS}) '")
@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_command_that_only_looks_expands_nothing_in_a_shell(tmp_path: Path, words: str) -> None:
    command = f"echo {words}"
    if not only_reads(command):
        return
    done = tmp_path / "ran"
    done.unlink(missing_ok=True)

    subprocess.run([str(BASH), "-c", command], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert not done.exists(), command
