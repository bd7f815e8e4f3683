"""Which known client started a process: real processes, by the names that the system has for them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from verifflowcc.base.process import acting as ancestors
from verifflowcc.base.process.acting import CLIENTS, DEEPEST, RunningProcess, client_from, client_of, read_proc

pytestmark = pytest.mark.vfcc("REQ-ACTORS")

ASK = "from verifflowcc.base.process.acting import client_above; print(client_above())"
needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")


def below(argv: list[str], executable: str | None = None) -> str:
    done = subprocess.run(argv, executable=executable, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    return done.stdout.strip()


def fake(folder: Path, name: str, text: str = '#!/bin/sh\n"$@"\n:\n') -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("name", ["claude", "codex", "aider", "cursor-agent"])
def test_a_script_of_the_clients_name_is_the_client(tmp_path: Path, name: str) -> None:
    assert below([fake(tmp_path, name), sys.executable, "-c", ASK]) == name


def test_a_program_of_the_clients_name_is_the_client_through_shells_of_its_own(tmp_path: Path) -> None:
    shell = shutil.copy("/bin/sh", tmp_path / "claude")
    ask = f"sh -c \"env -i {sys.executable} -c '{ASK}'; :\"; :"

    assert below([str(shell), "-c", ask]) == "claude"


def test_a_name_that_is_given_with_exec_is_enough() -> None:
    assert below(["claude", "-c", f"{sys.executable} -c '{ASK}'; :"], executable="/bin/sh") == "claude"


def test_a_runtime_is_the_script_that_it_runs(tmp_path: Path) -> None:
    script = tmp_path / "gemini"
    script.write_text("import subprocess, sys\nsubprocess.run(sys.argv[1:])\n", encoding="utf-8")

    assert below([sys.executable, "-B", str(script), sys.executable, "-c", ASK]) == "gemini"


@pytest.mark.parametrize("name", ["claude/tool", "my-claude", "claude.sh", "code", "cursor", "Claude"])
def test_what_only_has_the_name_in_it_is_no_client(tmp_path: Path, name: str) -> None:
    assert below([fake(tmp_path, name), sys.executable, "-c", ASK]) == "None"


@pytest.mark.parametrize(
    "argv",
    [
        ["vim", "claude.md"],
        ["vim", "claude"],
        ["bash", "claude"],
        ["node", "/srv/claude/server.js"],
        ["node", "server.js", "claude"],
        ["python3", "-m", "http.server", "claude"],
        [""],
        [],
    ],
)
def test_an_argument_is_no_client(argv: list[str]) -> None:
    assert client_of(RunningProcess(1, argv[0] if argv else "kworker", argv)) is None


@pytest.mark.parametrize(
    "argv",
    [
        ["/usr/bin/node", "--no-warnings", "/usr/local/bin/codex", "exec"],
        ["python3.12", "-m", "codex"],
        ["/opt/codex/bin/codex", "exec"],
        ["-codex"],
    ],
)
def test_runtimes_options_and_paths_do_not_hide_a_client(argv: list[str]) -> None:
    assert client_of(RunningProcess(1, argv[0], argv)) == "codex"


def test_every_client_has_a_name_that_the_system_keeps_whole() -> None:
    assert all(len(name) <= 15 and name == name.lower() for name in CLIENTS)


def test_a_process_that_cannot_be_read_ends_the_walk() -> None:
    chain = {9: RunningProcess(8, "sh", ["sh"]), 7: RunningProcess(1, "claude", ["claude"])}

    assert client_from(9, chain.get) is None
    assert client_from(9, {**chain, 8: RunningProcess(7, "make", ["make"])}.get) == "claude"


def test_a_circle_of_processes_ends() -> None:
    asked: list[int] = []

    def read(pid: int) -> RunningProcess:
        asked.append(pid)
        return RunningProcess(pid, "sh", ["sh"])

    assert client_from(5, read) is None
    assert len(asked) == DEEPEST


@needs_proc
def test_a_name_with_blanks_and_brackets_is_read_as_it_is(tmp_path: Path) -> None:
    odd = shutil.copy("/bin/cat", tmp_path / "a) (b 1")
    with subprocess.Popen([odd, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdin
            assert process.stdout
            process.stdin.write(b"ready\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"ready\n", "until then its arguments may be missing"
            found = read_proc(process.pid)
        finally:
            process.kill()

    assert found is not None
    assert (found.parent, found.name, found.arguments[:2]) == (os.getpid(), "a) (b 1", [str(odd), "-"])


def test_where_there_is_no_proc_the_table_of_ps_is_read(tmp_path: Path) -> None:
    if not Path(ancestors._PS).exists():
        pytest.skip("ps is not installed")
    ask = "import os; from verifflowcc.base.process import acting as a; "
    ask += "print(a.client_from(os.getppid(), a._ps_reader()))"

    assert below([fake(tmp_path, "claude"), sys.executable, "-c", ask]) == "claude"
    assert below([fake(tmp_path, "tool"), sys.executable, "-c", ask]) == "None"
