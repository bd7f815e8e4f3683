"""What commands do grows with the project no faster than the project: counted, so that no load of the machine counts.

Each kind of thing is there in three sizes. Calls of functions are counted in a whole process, once with empty caches
and once with full ones; an exponent is fitted to what each size adds. What a process does before it looks at the
project is the same for all sizes and falls away. Answers about one thing open no more files in a large project
than in a small one.
"""

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from math import log
from pathlib import Path
from types import FrameType

import pytest

from benchmarks.history_events import write_history
from tests.cli.process import environment, git
from tests.traced_project import item
from tests.trees import write_tree
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.code.rules.bind_queries import callers, definitions_named
from verifflowcc.code.rules.binding import Binder
from verifflowcc.code.store.code_graph import StoredCode
from verifflowcc.code.use.indexing import open_code
from verifflowcc.sprint.use.feedback import add_feedback

pytestmark = pytest.mark.sweep

SIZES = (40, 120, 360)
ONE, AGAIN, FIRST = 0.3, 1.05, 1.2
"""Exponents of answers about one thing, with caches, and without: some begin to cost at a size."""
NOTHING = 1_000
"""So few calls for 240 things more are no growth: fewer than an answer would make that looks at each."""
UNTIL_MS = 1_780_000_000_000
COUNTING = """
import os, sys, time
now = time.time_ns
time.time_ns = lambda: now() + 60_000_000_000
root, opened, calls = os.path.realpath(os.getcwd()), set(), 0
def audit(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        path = os.path.realpath(os.fsdecode(arguments[0]))
        if path.startswith(root + "/") and "/.memory/local/" not in path:
            opened.add(path)
def count(frame, event, argument):
    global calls
    calls += event == "call" or event == "c_call"
from verifflowcc.fast import main
sys.addaudithook(audit)
sys.argv = ["vfcc", *sys.argv[1:]]
code = 1
try:
    sys.setprofile(count)
    main()
except SystemExit as stop:
    code = stop.code
finally:
    sys.setprofile(None)
    with open(os.environ["VFCC_COUNTS"], "w", encoding="utf-8") as file:
        file.write(f"[{calls}, {len(opened)}]")
sys.exit(code)
"""
"""The program that runs a command and writes how many functions it called, and how many of the project's files it
opened. Its clock is a minute ahead: what was written a moment ago is settled."""


def memories(root: Path, count: int) -> None:
    """Write items of memory, a tenth of them proposals."""
    status = ("pending", *["active"] * 9)
    write_tree(
        root,
        {
            f".memory/project/items/guideline/tide-{number:04}.md": item(
                f"tide-{number:04}", "guideline", text=f"Gauge {number} counts in metres.", status=status[number % 10]
            )
            for number in range(count)
        },
    )


def traced(root: Path, count: int) -> None:
    """Write needs with five requirements each."""
    needs = {f"NEED-{number:04}": item(f"NEED-{number:04}", "need") for number in range(count // 6 + 1)}
    write_tree(root, {f".memory/project/items/need/{name}.md": text for name, text in needs.items()})
    for number in range(count - len(needs)):
        name = f"REQ-{number:04}"
        text = item(name, "requirement", f"refines NEED-{number // 5:04}", verification="test")
        write_tree(root, {f".memory/project/items/requirement/{name}.md": text})


def events(root: Path, count: int) -> None:
    """Add comments to the open sprint."""
    for number in range(count // 4):
        add_feedback(Workspace(root), "sprint-02", f"Name unit {number}", actor="human:you@example.org")


def history(root: Path, count: int) -> None:
    """Write what hooks would have recorded."""
    write_history(root / ".memory/local/history", count * 5, UNTIL_MS)


def code(root: Path, count: int) -> None:
    """Write modules with a function each, of which one is called by a tenth of the others."""
    lines = "def level_{0}(x: int) -> int:\n    return x + {0}\n"
    calls = "from sources.level_0 import level_0\n\n\ndef high_{0}() -> int:\n    return level_0({0})\n"
    texts = [(lines if number % 10 else calls if number else lines).format(number) for number in range(count)]
    write_tree(root, {f"sources/level_{number}.py": text for number, text in enumerate(texts)})


KINDS: Mapping[str, tuple[Callable[[Path, int], None], Sequence[str], Sequence[str]]] = {
    "items": (memories, ("memory", "list", "--limit", "20"), ("memory", "show", "tide-0007")),
    "trace items": (traced, ("check", "trace"), ("trace", "why", "REQ-0003")),
    "events": (events, ("feedback", "list"), ("next",)),
    "history": (history, ("history", "show", "--by", "file"), ()),
    "code": (code, ("code", "index"), ("code", "refs", "level_7")),
}
"""What there is much of: how it is written, a command that reads all of it, and one about a single thing."""


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_command_does_grows_no_faster_than_the_project(kind: str, example: Path, tmp_path: Path) -> None:
    write, all_of_it, one = KINDS[kind]
    counted: dict[tuple[str, float], list[int]] = {}
    opened = []
    for size in SIZES:
        root = _project(example, tmp_path / str(size))
        write(root, size)
        git(root, "init", "-q", "-b", "main")
        for words in filter(None, (all_of_it, one)):
            for most in (FIRST, AGAIN):
                calls, files = _counts(words, root, tmp_path)
                counted.setdefault((" ".join(words), most), []).append(calls)
        opened.append(files if one else 0)

    found = {key: (calls, _exponent(calls)) for key, calls in counted.items()}
    assert not {key: (calls, exponent) for key, (calls, exponent) in found.items() if exponent > key[1]}
    assert opened[-1] <= opened[0], f"{' '.join(one)} opens {opened} files"


HUBS, ASKED = 20, 200


def hubs(root: Path, count: int) -> None:
    """Write modules whose functions call each other, and each of which calls one of twenty functions."""
    texts = {f"sources/hub_{hub}.py": f"def hub_{hub}(x: int) -> int:\n    return x\n" for hub in range(HUBS)}
    for number in range(count):
        hub = number % HUBS
        quiet = [f"\n\ndef quiet_{number}_{place}(x: int) -> int:\n    return {{}}(x)\n" for place in range(6)]
        calls = [f"hub_{hub}", *(f"quiet_{number}_{place}" for place in range(5))]
        text = "".join(each.format(call) for each, call in zip(quiet, calls, strict=True))
        texts[f"sources/module_{number}.py"] = f"from sources.hub_{hub} import hub_{hub}\n{text}"
    write_tree(root, texts)


def test_callers_of_random_functions_cost_the_same_in_a_large_project_and_those_of_hubs_as_much_as_there_are(
    example: Path, tmp_path: Path
) -> None:
    quiet, often, found = [], [], []
    for size in SIZES:
        root = _project(example, tmp_path / str(size))
        hubs(root, size)
        git(root, "init", "-q", "-b", "main")
        source = random.Random(7)
        names = [f"quiet_{source.randrange(size)}_{source.randrange(5)}" for _ in range(ASKED)]
        with open_code(Workspace(root)):
            pass
        with (root / "sources/module_0.py").open("a", encoding="utf-8") as file:
            file.write("\n\ndef added(x: int) -> int:\n    return hub_0(x)\n")
        asked = _all_callers(root, names)
        hub = _all_callers(root, [f"hub_{number}" for number in range(HUBS)])
        assert {callers for callers, _ in asked} == {1}
        found.append(sum(callers for callers, _ in hub))
        quiet.append(max(calls for _, calls in asked))
        often.append(sum(calls for _, calls in hub))

    assert found == [size + 1 for size in SIZES]
    assert log(quiet[-1] / quiet[0]) / log(SIZES[-1] / SIZES[0]) <= ONE, quiet
    assert _exponent(often) <= AGAIN, often


def _all_callers(root: Path, names: Sequence[str]) -> list[tuple[int, int]]:
    """Return the counts of each name, by one reader, which has read no file for another list of names."""
    with open_code(Workspace(root)) as code:
        for name in ("quiet_1_1", "hub_0"):  # what all questions share is read by the first ones
            _callers(code, name)
        return [_callers(code, name) for name in names]


def _callers(code: StoredCode, name: str) -> tuple[int, int]:
    """Return how many calls a function has, and how many functions were called to find them."""
    counted = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    (each,) = definitions_named(code, name)
    sys.setprofile(count)
    try:
        links = callers(Binder(code), each.path, each.place)
    finally:
        sys.setprofile(None)
    return len(links), counted


def _project(example: Path, root: Path) -> Path:
    return Path(shutil.copytree(example, root, ignore=shutil.ignore_patterns("local")))


def _counts(words: Sequence[str], root: Path, tmp_path: Path) -> tuple[int, int]:
    out = tmp_path / "counts.json"
    env = {**environment(tmp_path), "VFCC_COUNTS": str(out), "PYTHONHASHSEED": "0"}
    done = subprocess.run([sys.executable, "-c", COUNTING, *words], cwd=root, env=env, capture_output=True, check=False)
    assert done.returncode in (0, 1, 4), done.stderr.decode()
    calls, files = json.loads(out.read_bytes())
    out.unlink()
    return calls, files


def _exponent(calls: Sequence[int]) -> float:
    """Return the exponent of a power of the size that adds as many calls from each size to the next; 0 for none."""
    first, second = calls[1] - calls[0], calls[2] - calls[1]
    if second <= NOTHING:
        return 0.0
    return log(second / max(first, NOTHING / 4)) / log((SIZES[2] - SIZES[1]) / (SIZES[1] - SIZES[0]))
