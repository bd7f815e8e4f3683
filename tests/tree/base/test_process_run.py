"""A command runs without a shell, in bounds, and leaves nothing running."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from verifflowcc.base.process.command_run import LARGEST_OUTPUT_BYTES, CommandResult, run_command

pytestmark = pytest.mark.vfcc("REQ-COMMANDS")

NEVER_S = 60
TWO_PROCESSES = """\
import os, subprocess
process = subprocess.Popen(["sleep", "600"])
with open("pids.new", "w") as pids:
    pids.write(f"{os.getpid()} {process.pid}")
os.rename("pids.new", "pids")
process.wait()
"""
"""A program that starts another, and writes the numbers of both to the file `pids`."""


def python(root: Path, code: str, timeout_s: int = NEVER_S) -> CommandResult:
    return run_command(root, [sys.executable, "-c", code], timeout_s)


def ended(pid: int) -> bool:
    """Whether a process runs no more; one that nobody has collected yet runs no more either."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return True
    return state == "Z"


def wait_for(file: Path) -> None:
    until = time.monotonic() + NEVER_S
    while not file.exists() and time.monotonic() < until:
        threading.Event().wait(0.01)


def wait_until_ended(pid: int) -> None:
    until = time.monotonic() + NEVER_S
    while not ended(pid) and time.monotonic() < until:
        threading.Event().wait(0.01)


def test_what_it_writes_and_how_it_ends_comes_back(tmp_path: Path) -> None:
    ran = python(
        tmp_path, "import os; os.write(1, b'a'); os.write(2, b'b'); os.write(1, b'c\\xff'); raise SystemExit(7)"
    )

    assert (ran.exit_code, ran.failure, ran.output) == (7, "", b"abc\xff")
    assert ran.duration_ms > 0


def test_a_zero_is_a_zero_and_no_output_is_none(tmp_path: Path) -> None:
    ran = python(tmp_path, "")

    assert (ran.exit_code, ran.failure, ran.output) == (0, "", b"")


def test_words_reach_it_as_they_are_written(tmp_path: Path) -> None:
    words = ["$HOME", "a b", "*", "; echo x", "é", "{}", ""]
    ran = run_command(tmp_path, [sys.executable, "-c", "import sys; print(sys.argv[1:])", *words], NEVER_S)

    assert ran.output.decode() == f"{words}\n"


def test_it_runs_in_the_root_with_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SETTING", "secret value")

    ran = python(tmp_path, "import os; print(os.getcwd(), os.environ['SOME_SETTING'])")

    assert ran.output.decode() == f"{tmp_path.resolve()} secret value\n"


def test_it_does_not_read_what_was_meant_for_vfcc(tmp_path: Path) -> None:
    ours, theirs = os.pipe()
    os.write(theirs, b"meant for vfcc")
    os.close(theirs)
    kept = os.dup(0)
    os.dup2(ours, 0)
    try:
        ran = python(tmp_path, "import sys; print(repr(sys.stdin.read()))")
    finally:
        os.dup2(kept, 0)
        os.close(kept)
        os.close(ours)

    assert ran.output == b"''\n"


def test_it_has_no_terminal_to_ask_at(tmp_path: Path) -> None:
    assert python(tmp_path, "open('/dev/tty')").exit_code == 1


@pytest.mark.parametrize(
    ("argv", "failure"),
    [
        (["no-such-program-9"], "no-such-program-9: no such program"),
        (["./missing.sh"], "./missing.sh: no such program"),
        (["./plain.txt"], "./plain.txt: cannot be run: Permission denied"),
        (["./folder"], "./folder: cannot be run: Permission denied"),
        (["./plain.txt/x"], "./plain.txt/x: cannot be run: Not a directory"),
        (["./wrong.sh"], "./wrong.sh: the program that its first line names does not exist"),
        (["./bare.sh"], "./bare.sh: cannot be run: Exec format error"),
        (["a\0b"], "cannot be run: embedded null byte"),
        ([], "cannot be run: the command is empty"),
    ],
)
def test_what_cannot_start_says_why(tmp_path: Path, argv: list[str], failure: str) -> None:
    (tmp_path / "plain.txt").write_text("x", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    for name, text in {"wrong.sh": "#!/no/such/program\n", "bare.sh": "\x7f nothing"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / name).chmod(0o755)

    assert run_command(tmp_path, argv, NEVER_S) == CommandResult(None, failure, b"", 0)


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    ran = run_command(tmp_path / "gone", [sys.executable, "-c", ""], NEVER_S)

    assert (ran.exit_code, ran.failure) == (None, f"{tmp_path}/gone: no such folder")


def test_python_where_there_is_only_python3_is_told_and_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "python3").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path))

    ran = run_command(tmp_path, ["python", "-c", "print(1)"], NEVER_S)

    assert (ran.exit_code, ran.failure, ran.output) == (None, "python: no such program; python3 exists", b"")


def test_a_signal_is_no_exit_code(tmp_path: Path) -> None:
    ran = python(tmp_path, "import os, signal; print('x', flush=True); os.kill(os.getpid(), signal.SIGSEGV)")

    assert (ran.exit_code, ran.failure, ran.output) == (None, "killed by SIGSEGV", b"x\n")


@pytest.mark.sweep
def test_after_its_time_all_of_it_is_ended_and_what_it_wrote_is_kept(tmp_path: Path) -> None:
    code = "import subprocess as s; p = s.Popen(['sleep', '600']); print(p.pid, flush=True); p.wait()"

    ran = python(tmp_path, code, timeout_s=1)

    assert (ran.exit_code, ran.failure) == (None, "did not end within 1 s and was killed")
    assert ended(int(ran.output))


@pytest.mark.sweep
def test_what_does_not_listen_is_made_to_end(tmp_path: Path) -> None:
    code = (
        "import os, signal, time; signal.signal(signal.SIGTERM, lambda *_: print('no', flush=True));"
        "print(os.getpid(), flush=True)\nwhile True: time.sleep(1)"
    )

    ran = python(tmp_path, code, timeout_s=1)

    pid, said = ran.output.split()
    assert (ran.exit_code, said) == (None, b"no")
    assert ended(int(pid))


@pytest.mark.sweep
def test_output_that_never_stops_does_not_stop_the_clock(tmp_path: Path) -> None:
    ran = python(tmp_path, "import os\nwhile True: os.write(1, b'y' * 65536)", timeout_s=1)

    assert (ran.exit_code, len(ran.output)) == (None, LARGEST_OUTPUT_BYTES) or len(ran.output) < LARGEST_OUTPUT_BYTES
    assert ran.failure.startswith("did not end")


@pytest.mark.sweep
@pytest.mark.parametrize("more", ["", ", stdout=s.DEVNULL, stderr=s.DEVNULL"])
def test_what_it_leaves_behind_neither_holds_it_up_nor_goes_on(tmp_path: Path, more: str) -> None:
    code = f"import subprocess as s; print(s.Popen(['sleep', '600']{more}).pid, flush=True)"

    ran = python(tmp_path, code)

    assert (ran.exit_code, ran.failure) == (0, "")
    assert ended(int(ran.output))


@pytest.mark.sweep
def test_a_chatty_rest_does_not_hold_it_up_either(tmp_path: Path) -> None:
    rest = "import time\nwhile True: print('y', flush=True); time.sleep(0.01)"
    code = f"import subprocess as s, sys; s.Popen([sys.executable, '-c', {rest!r}]); raise SystemExit(3)"

    assert python(tmp_path, code).exit_code == 3


def test_who_closes_the_output_early_is_awaited_all_the_same(tmp_path: Path) -> None:
    code = "import os, time; os.close(1); os.close(2); time.sleep(0.3); os._exit(5)"

    assert python(tmp_path, code).exit_code == 5


def test_of_endless_output_both_ends_are_kept_with_a_mark(tmp_path: Path) -> None:
    size = 3 * LARGEST_OUTPUT_BYTES
    code = f"import sys; sys.stdout.write('begin' + 'x' * {size} + 'end')"

    ran = python(tmp_path, code)

    head, _, rest = ran.output.partition("\n[… ".encode())
    count, _, tail = rest.partition(" bytes left out …]\n".encode())
    assert ran.exit_code == 0
    assert len(ran.output) <= LARGEST_OUTPUT_BYTES
    assert head.startswith(b"beginxxx")
    assert tail.endswith(b"xxxend")
    assert len(head) + int(count.replace(b",", b"")) + len(tail) == size + len("beginend")


def test_output_of_just_the_largest_size_less_the_mark_is_whole(tmp_path: Path) -> None:
    size = LARGEST_OUTPUT_BYTES - 100

    ran = python(tmp_path, f"import sys; sys.stdout.write('x' * {size})")

    assert ran.output == b"x" * size


def test_the_start_is_told_once_it_runs_and_not_where_it_cannot(tmp_path: Path) -> None:
    told: list[str] = []

    run_command(tmp_path, [sys.executable, "-c", ""], NEVER_S, on_start=lambda: told.append("yes"))
    run_command(tmp_path, ["no-such-program-9"], NEVER_S, on_start=lambda: told.append("no"))

    assert told == ["yes"]


@pytest.mark.sweep
def test_an_interrupt_ends_all_of_it_and_goes_on(tmp_path: Path) -> None:
    pids = tmp_path / "pids"

    def interrupt_once_it_runs() -> None:
        wait_for(pids)
        os.kill(os.getpid(), signal.SIGINT)

    watcher = threading.Thread(target=interrupt_once_it_runs)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background may ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            run_command(tmp_path, [sys.executable, "-c", TWO_PROCESSES], NEVER_S, on_start=watcher.start)
    finally:
        signal.signal(signal.SIGINT, before)
    watcher.join()

    assert all(ended(int(pid)) for pid in pids.read_text(encoding="ascii").split())


@pytest.mark.sweep
def test_an_error_at_the_start_leaves_nothing_running(tmp_path: Path) -> None:
    pids = tmp_path / "pids"

    def fail() -> None:
        wait_for(pids)
        raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        run_command(tmp_path, [sys.executable, "-c", TWO_PROCESSES], NEVER_S, on_start=fail)

    assert all(ended(int(pid)) for pid in pids.read_text(encoding="ascii").split())
