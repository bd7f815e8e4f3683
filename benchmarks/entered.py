"""Which files and functions of the package a process enters.

    python benchmarks/entered.py [--files] COMMAND...

The command runs with a profile function in each of its Python processes, children included. A file is imported if its
module's body runs, and entered if one of its functions does; lambdas and comprehensions belong to their function.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.sprint_files import CODE, OF_AGENTS, TEST

HOOK = """
import os, sys
def _trace():
    seen, home = set(), os.environ["VFCC_ENTERED"]
    out = os.open(os.path.join(home, str(os.getpid())), os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    part = os.sep + "verifflowcc" + os.sep
    def profile(frame, event, argument):
        code = frame.f_code
        if event == "call" and code not in seen:
            seen.add(code)
            path = code.co_filename
            if part in path:
                os.write(out, (path.rpartition(part)[2] + "\\t" + code.co_qualname + "\\n").encode())
    import threading
    threading.setprofile(profile)
    sys.setprofile(profile)
    os.register_at_fork(after_in_child=_trace)
_trace()
"""
"""The module `sitecustomize` of the traced processes; it writes at once, because `os._exit` may follow."""


def main() -> None:
    """Run a command and print what it entered."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", action="store_true", help="list the files with their functions")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    found = entered(options.command, Path.cwd(), os.environ)
    for name, count in counts(found):
        print(f"{name:20} {count:6,}")
    if options.files:
        for path in sorted({path for path, _ in found}):
            print(path, *sorted(name for where, name in found if where == path), sep="\n    ")


def entered(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], data: str | None = None
) -> frozenset[tuple[str, str]]:
    """Run a command; return (path below the package, qualified name) of all code that its processes enter."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        (place / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
        (place / "seen").mkdir()
        traced = {**environment, "PYTHONPATH": scratch, "VFCC_ENTERED": str(place / "seen")}
        done = subprocess.run(
            command, cwd=folder, env=traced, input=data, capture_output=True, text=True, check=False, timeout=600
        )
        if done.returncode:
            sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
        lines = {line for log in (place / "seen").iterdir() for line in log.read_text(encoding="utf-8").splitlines()}
    return frozenset((path, name) for path, _, name in (line.partition("\t") for line in lines))


def counts(found: frozenset[tuple[str, str]]) -> Iterator[tuple[str, int]]:
    """Yield the three figures of a run: files imported, files entered, functions entered."""
    functions = {(path, name.partition(".<locals>.<")[0]) for path, name in found if not name.startswith("<")}
    functions = {each for each in functions if each[1] not in _class_bodies(found)}
    yield "files imported", len({path for path, name in found if name == "<module>"})
    yield "files entered", len({path for path, _ in functions})
    yield "functions entered", len(functions)


def _class_bodies(found: frozenset[tuple[str, str]]) -> frozenset[str]:
    """Return the qualified names that are classes: their body runs as the module's does."""
    return frozenset(name for _, name in found if name[:1].isupper() and "." not in name)


def entered_by_commands(vfcc: str) -> dict[str, list[tuple[str, int]]]:
    """Return the figures of the daily commands, each run in a small repository with a sprint."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        folder = place / "tides"
        env = {name: value for name, value in os.environ.items() if not name.startswith(OF_AGENTS)}
        env |= {"XDG_DATA_HOME": str(place / "data"), "CI": "true"}
        _make(folder, vfcc, env)
        runs: dict[str, tuple[list[str], str | None]] = {
            "cold prompt": (
                ["context", "show", "--agent", "coder", "--task", "Make high() count from one metre"],
                None,
            ),
            "evidence run": (["evidence", "run", "tests", "--sprint", "tides"], None),
            "memory add": (["memory", "add", "guideline", "Count in metres"], None),
            "warm matrix of 5 items": (["trace", "matrix"], None),
            "hook after a write": (["hook", "claude"], HOOK_EVENT.replace("FOLDER", str(folder))),
            "warm hook": (["hook", "claude"], HOOK_EVENT.replace("FOLDER", str(folder))),
        }
        found = {}
        for name, (arguments, data) in runs.items():
            if name.startswith("warm"):
                time.sleep(SETTLED_S)
                subprocess.run(
                    [vfcc, *arguments], cwd=folder, env=env, input=data, check=True, capture_output=True, text=True
                )
                time.sleep(SETTLED_S)
            found[name] = list(counts(entered([vfcc, *arguments], folder, env, data)))
        return found


SETTLED_S = 3
"""Caches trust no file that changed within the last two seconds, so that a command right after a write is not warm."""
HOOK_EVENT = (
    '{"session_id": "s1", "cwd": "FOLDER", "hook_event_name": "PostToolUse", "tool_name": "Read", '
    '"tool_input": {"file_path": "FOLDER/tides.py"}, "tool_response": {"file": {"content": "x"}}, "tool_use_id": "t1"}'
)


def _make(folder: Path, vfcc: str, env: Mapping[str, str]) -> None:
    """Make a repository with a function, a test, five trace items and a sprint in its stage of tests."""
    (folder / "tests").mkdir(parents=True)
    (folder / "tides.py").write_text(CODE, encoding="utf-8")
    (folder / "conftest.py").write_text("", encoding="utf-8")
    (folder / "tests" / "test_tides.py").write_text(TEST, encoding="utf-8")
    (folder / "CLAUDE.md").write_text("# Tides\n", encoding="utf-8")
    git = ("git", "-c", "user.name=Kim", "-c", "user.email=kim@example.org")
    for command in (
        ("git", "init", "--quiet"),
        (vfcc, "init"),
        *((vfcc, "trace", "add", "requirement", f"The tide is high above {each} metres") for each in range(5)),
        (vfcc, "allow", "--yes"),
        (vfcc, "sprint", "start", "Tides", "--goal", "Know when the tide is high"),
        ("git", "add", "--all"),
        (*git, "commit", "--quiet", "-m", "all"),
    ):
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
