"""What it takes to import past sessions: one transcript of a hundred megabytes, as a whole process.

    python benchmarks/history_import.py [--data PATH] [--mebibytes N] [--runs N] [--json]

--data is a file or folder of real transcripts and rollouts, imported as if they were of the project: their folders are
rewritten to it. Without it a transcript is made: turns of a prompt, thinking, reads of files of some thousand
characters, edits, commands with long output and answers, with the client's own lines between them, and tokens on each
message. Each run begins with an empty history; `again` is a second import, which adds nothing, and `dry run` one more
that does not lock. The peak of memory is the whole process's.
"""

import argparse
import json
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

if __package__ in (None, ""):
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.measure import Command, Figures, machine, measure
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.store.client_sessions import ENDING, given_files, session_file
from verifflowcc.history.use.history_import import HistoryImport, import_sessions

VFCC = [str(Path(sys.executable).with_name("vfcc")), "history", "import"]
MEBIBYTE = 1_048_576
WORDS = "the a test file name value error path line return import class function of in to and is not self".split()
SESSION = "5f3b2c1a-0000-4000-8000-000000000001"


@dataclass(frozen=True)
class Read:
    """What is imported: files, their bytes, the events, the calls of tools, and the bytes of the history."""

    files: int
    size_bytes: int
    events: int
    calls: int
    history_bytes: int


def main() -> None:
    """Make the sessions, import them, print the figures."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch).resolve() / "project"
        sessions = Path(scratch).resolve() / "sessions"
        _empty(root)
        if options.data:
            _copied(options.data, sessions, root)
        else:
            _made(sessions, root, int(options.mebibytes * MEBIBYTE))
        read, figures = _measured(root, sessions, options.runs)
    if options.json:
        shown = {"read": asdict(read), "whole": [asdict(each) for each in figures], "machine": machine()}
        print(json.dumps(shown, indent=2))
        return
    print(f"{read.size_bytes:,} bytes in {read.files} files: {read.events:,} events, {read.calls:,} calls of tools; "
          f"{read.history_bytes:,} bytes of history")  # fmt: skip
    for each in figures:
        speed = read.size_bytes / MEBIBYTE / (each.median_ms / 1000)
        print(f"{each.name:28} {each.median_ms:8,.0f} ms  ({each.lowest_ms:,.0f} to {each.highest_ms:,.0f}; "
              f"{each.cpu_ms:,.0f} ms of processor; {each.runs} runs; {each.peak_kib / 1024:,.0f} MiB at most; "
              f"{speed:,.1f} MiB/s)")  # fmt: skip


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--mebibytes", type=float, default=100.0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _empty(root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    (root / ".memory").mkdir(parents=True)
    (root / ".memory" / "config.yaml").write_text("format: 1\n", encoding="utf-8")


def _measured(root: Path, sessions: Path, runs: int) -> tuple[Read, list[Figures]]:
    sizes = [path.stat().st_size for path in sessions.rglob(f"*{ENDING}")]
    command = [*VFCC, str(sessions)]
    first = measure([Command("import", command, root, lambda: _empty(root))], runs, warm_up=0)
    kept = sum(path.stat().st_size for path in (root / ".memory" / "local" / "history").iterdir())
    again = measure([Command("import again", command, root), Command("dry run", [*command, "--dry-run"], root)], runs)
    done = _dry(root, sessions)
    return Read(len(sizes), sum(sizes), done.known, done.calls, kept), [*first, *again]


def _dry(root: Path, sessions: Path) -> HistoryImport:
    return import_sessions(Workspace(root), [str(sessions)], dry_run=True)


def _copied(data: Path, sessions: Path, root: Path) -> None:
    """Copy real files, with the folder of each session as the project's."""
    sessions.mkdir()
    for number, path in enumerate(given_files(str(data))):
        found = session_file(path)
        if found is None:
            continue
        folder = json.dumps(found.seen.folder)[1:-1].encode()
        place = sessions / str(number)
        place.mkdir()
        _rewrite(path, place / path.name, folder, root)
        for each in found.subagents if found.whole else ():
            beside = place / path.stem / "subagents"
            beside.mkdir(parents=True, exist_ok=True)
            _rewrite(each, beside / each.name, folder, root)


def _rewrite(path: Path, copy: Path, folder: bytes, root: Path) -> None:
    with path.open("rb") as source, copy.open("wb") as target:
        for line in source:
            target.write(line.replace(folder, str(root).encode()))


def _made(sessions: Path, root: Path, most_bytes: int) -> None:
    sessions.mkdir()
    written = 0
    with (sessions / f"{SESSION}{ENDING}").open("w", encoding="utf-8") as file:
        for row in _rows(random.Random(1), str(root)):
            line = json.dumps(row, separators=(",", ":"))
            file.write(line + "\n")
            written += len(line) + 1
            if written >= most_bytes:
                return


def _rows(chance: random.Random, root: str) -> Iterator[dict[str, object]]:
    at = datetime(2026, 11, 1, 8, tzinfo=UTC)
    for number in range(10_000_000):
        head = {"parentUuid": f"u{number - 1}", "isSidechain": False, "cwd": root, "sessionId": SESSION}
        for place, row in enumerate(_turn(chance, root, number)):
            at += timedelta(milliseconds=chance.randrange(20, 3000))
            moment = f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z"
            yield head | {"uuid": f"u{number}-{place}", "timestamp": moment, "promptId": f"p{number // 20}"} | row


def _turn(chance: random.Random, root: str, number: int) -> Iterator[dict[str, object]]:
    if number % 20 == 0:
        yield {"type": "user", "message": {"role": "user", "content": _text(chance, 300)}}
        yield {"type": "attachment", "attachment": {"type": "environment", "snapshot": {"text": _text(chance, 3000)}}}
    tool, given, result, shown = _call(chance, root, number)
    block: dict[str, object] = {"type": "tool_use", "id": f"toolu_{number}", "name": tool, "input": given}
    yield _answer(number, {"type": "thinking", "thinking": _text(chance, 600), "signature": "s" * 400}, 1)
    yield _answer(number, block, chance.randrange(50, 900))
    content = [{"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": shown}]
    yield {"type": "user", "message": {"role": "user", "content": content}, "toolUseResult": result}
    yield {"type": "attachment", "attachment": {"type": "total_tokens_reminder", "text": _text(chance, 60)}}
    if number % 20 == 19:
        yield _answer(number + 10_000_000, {"type": "text", "text": _text(chance, 900)}, 200, "end_turn")


def _answer(number: int, block: dict[str, object], output: int, reason: str = "tool_use") -> dict[str, object]:
    usage = {
        "input_tokens": 12,
        "output_tokens": output,
        "cache_read_input_tokens": 40_000 + number % 90_000,
        "cache_creation_input_tokens": 700,
        "service_tier": "standard",
    }
    message = {"id": f"msg_{number}", "role": "assistant", "model": "claude-sonnet-4-5", "content": [block]}
    return {
        "type": "assistant",
        "message": message | {"usage": usage, "stop_reason": reason},
        "requestId": f"r{number}",
    }


def _call(chance: random.Random, root: str, number: int) -> tuple[str, dict[str, object], dict[str, object], str]:
    path = f"{root}/src/part_{number % 97}/file_{number % 389}.py"
    kind = number % 4
    if kind == 0:
        text = _text(chance, 6000)
        file = {"filePath": path, "content": text, "numLines": 200, "startLine": 1, "totalLines": 200}
        return "Read", {"file_path": path}, {"type": "text", "file": file}, text
    if kind == 1:
        old, new, whole = _text(chance, 300), _text(chance, 400), _text(chance, 6000)
        hunk = {"oldStart": 3, "oldLines": 5, "newStart": 3, "newLines": 6, "lines": [f"-{old}", f"+{new}", " end"]}
        said = {"filePath": path, "oldString": old, "newString": new, "originalFile": whole}
        result: dict[str, object] = {**said, "structuredPatch": [hunk]}
        return "Edit", {"file_path": path, "old_string": old, "new_string": new}, result, "The file has been updated."
    output = _text(chance, 2500)
    command = f"cd {root} && python -m pytest -q tests/test_{number % 53}.py | tail -{number % 40 + 5}"
    result = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
    return "Bash", {"command": command, "description": _text(chance, 50)}, result, output


def _text(chance: random.Random, size: int) -> str:
    words = chance.choices(WORDS, k=size // 5)
    return "\n".join(" ".join(words[each : each + 12]) for each in range(0, len(words), 12))


if __name__ == "__main__":
    main()
