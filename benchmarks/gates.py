"""`vfcc check gate` on a ledger of 10,000 events, cold and warm, beside bare Python and a Typer hello-world.

    python benchmarks/gates.py [--runs N] [--events N] [--json]

Cold is without `.memory/local/`; warm is the same question again. Two thirds of the events add evidence, each with its
file, the others are comments; the last evidence is a real run of pytest, and the gate is open because of it.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.commands import HELLO
from benchmarks.measure import Command, measure, report
from verifflowcc.base.files.layout import SETTLED_AFTER_NS
from verifflowcc.base.formats.event_bytes import encode_event, make_event
from verifflowcc.base.model.events import Event, EventType, Json
from verifflowcc.base.model.evidence_values import Inputs, Run
from verifflowcc.base.model.gate_values import CriterionKind, EvidenceTrust
from verifflowcc.base.text.canonical import digest_bytes
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.rules.evidence_files import encode_evidence, make_evidence
from verifflowcc.sprint.use.sprint_reading import show_sprint

VFCC = str(Path(sys.executable).with_name("vfcc"))
SPRINT = "tides"
ACTOR = "tool:vfcc"


def main() -> None:
    """Make the trees, time the commands, print the figures."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "hello.py").write_text(HELLO, encoding="utf-8")
        small, large = _project(folder / "small", 0), _project(folder / "large", options.events)
        size = f"{options.events:,} events"
        commands = [
            Command("python -c pass", [sys.executable, "-c", "pass"], folder),
            Command("typer hello-world", [sys.executable, str(folder / "hello.py")], folder),
            *_asked("few events", small, folder / "small-cold"),
            *_asked(size, large, folder / "large-cold"),
            Command(f"stage list, {size}, warm", [VFCC, "stage", "list"], large),
            Command(f"status, {size}, warm", [VFCC, "status"], large),
        ]
        time.sleep(SETTLED_AFTER_NS / 1e9 + 0.1)
        figures = measure(commands, options.runs, warm_up=2)
        targets = {
            "check gate, few events, warm": ("typer hello-world", 4.0),
            f"check gate, {size}, warm": ("check gate, few events, warm", 3.0),
        }
        report(figures, "python -c pass", targets, as_json=options.json)


def _asked(name: str, tree: Path, copy: Path) -> list[Command]:
    shutil.copytree(tree, copy, symlinks=True)
    gate = [VFCC, "check", "gate"]
    return [
        Command(f"check gate, {name}, cold", gate, copy, before=lambda: _forget(copy)),
        Command(f"check gate, {name}, warm", gate, tree),
    ]


def _forget(tree: Path) -> None:
    shutil.rmtree(tree / ".memory" / "local", ignore_errors=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _project(folder: Path, events: int) -> Path:
    """A repository whose sprint is in testing, with so many events before the run that opens the gate."""
    (folder / "tests").mkdir(parents=True)
    (folder / "tides.py").write_text("def high(level):\n    return level > 0\n", encoding="utf-8")
    (folder / "tests" / "test_tides.py").write_text(
        "from tides import high\n\n\ndef test_high():\n    assert high(1)\n", encoding="utf-8"
    )
    (folder / ".gitignore").write_text("__pycache__/\n.pytest_cache/\n", encoding="utf-8")
    _vfcc(folder, "init")
    config = folder / ".memory" / "config.yaml"
    run = f'gates: {{commands: {{test: {{run: ["{sys.executable}", -m, pytest, -q, "--junitxml={{junit}}"]}}}}}}'
    config.write_text(f"format: 2\nworkflow: light\n{run}\n", encoding="utf-8")
    _vfcc(folder, "allow", "--yes")
    _git(folder, "init", "--quiet")
    _vfcc(folder, "sprint", "start", "Tides")
    for _ in range(3):
        _vfcc(folder, "stage", "advance")
    add_events(folder, SPRINT, events)
    _vfcc(folder, "evidence", "run")
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message", "all")
    _vfcc(folder, "check", "gate")
    return folder


def add_events(folder: Path, sprint: str, count: int) -> None:
    """Add events in a line, each knowing the one before; one in twenty was made beside its predecessor."""
    memory = folder / ".memory"
    (memory / "stage" / sprint / "testing" / "evidence").mkdir(parents=True, exist_ok=True)
    before = now = show_sprint(Workspace(folder), sprint).heads
    at = datetime.now(UTC) - timedelta(days=30)
    for number in range(count):
        made = _event(memory, sprint, number, before if number % 20 == 0 else now, at + timedelta(seconds=60 * number))
        path = memory / "sprint" / sprint / "events" / f"{made.id}.json"
        path.write_bytes(encode_event(made))
        before, now = now, (made.id,) if number % 20 else tuple(sorted({made.id, *now}))


def _event(memory: Path, sprint: str, number: int, parents: tuple[str, ...], at: datetime) -> Event:
    if number % 3 == 0:
        words: dict[str, Json] = {"stage": "coding", "text": f"comment {number}: this could be said in fewer words"}
        return make_event(EventType.FEEDBACK_ADDED, words, parents=parents, actor=ACTOR, at=at)
    digest = digest_bytes(str(number).encode())
    evidence = make_evidence(
        sprint=sprint,
        stage="testing",
        criterion="tests",
        kind=CriterionKind.JUNIT,
        trust=EvidenceTrust.RAN_BY_VFCC,
        producer="vfcc",
        at=at,
        inputs=Inputs((), 3, digest, {f"src/file_{index}.py": digest for index in range(8)}),
        measures={"tests": 40, "passed": 39, "failed": 1, "errors": 0, "skipped": 0, "flaky": 0, "unknown": 0},
        outcome=digest,
        run=Run("test", ("python", "-m", "pytest"), 600, 1, output=digest, output_bytes=900, duration_ms=4000),
        examples=["tests/test_tides.py::test_low"],
    )
    data = encode_evidence(evidence)
    (memory / "stage" / sprint / "testing" / "evidence" / f"{evidence.id}.json").write_bytes(data)
    payload: dict[str, Json] = {
        "stage": "testing",
        "kind": "junit",
        "criterion": "tests",
        "evidence": evidence.id,
        "digest": digest_bytes(data),
    }
    return make_event(EventType.EVIDENCE_ADDED, payload, parents=parents, actor=ACTOR, at=at)


def _vfcc(folder: Path, *arguments: str) -> None:
    environment = {
        **os.environ,
        "XDG_DATA_HOME": str(folder.parent / "data"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "CI": "true",
    }
    done = subprocess.run(
        [VFCC, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"vfcc {' '.join(arguments)}: {done.stdout.decode()}{done.stderr.decode()}")


def _git(folder: Path, *arguments: str) -> None:
    person = ["-c", "gc.auto=0", "-c", "user.name=You", "-c", "user.email=you@example.org"]
    subprocess.run(["git", *person, *arguments], cwd=folder, check=True)


if __name__ == "__main__":
    main()
