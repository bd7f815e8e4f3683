"""Keep what a real client reports to `vfcc hook` and what vfcc answers, and how each test ended, for `tests.claims`."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.claims import Claim, Moment, Outcome, Record, claims
from tests.clients.conftest import Desk
from tests.clients.hooked import VFCC

_TEE = """\
#!{python} -S
import fcntl, hashlib, json, os, pathlib, subprocess, sys, time
arguments = sys.argv[1:]
if arguments[:1] != ["hook"]:
    sys.exit(subprocess.call([{vfcc!r}, *arguments]))
root, blobs = pathlib.Path({root!r}), pathlib.Path({log!r} + ".files")
blobs.mkdir(exist_ok=True)
def kept():
    found = {{}}
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if name not in (".git", "local", "__pycache__", ".pytest_cache")]
        for name in files:
            path = pathlib.Path(folder, name)
            data = path.read_bytes()
            digest = hashlib.sha256(data).hexdigest()
            if not (blobs / digest).exists():
                part = blobs / (digest + "." + str(os.getpid()))
                part.write_bytes(data)
                part.rename(blobs / digest)
            found[path.relative_to(root).as_posix()] = digest
    return found
given = sys.stdin.buffer.read()
done = subprocess.run([{vfcc!r}, *arguments], input=given, stdout=subprocess.PIPE)
events = sorted((root / ".memory/sprint").glob("*/events/*.json"), key=lambda path: path.name)
line = {{
    "at_ns": time.time_ns(),
    "payload": json.loads(given),
    "out": done.stdout.decode(),
    "ledger": [{{**json.loads(path.read_bytes()), "of": path.parts[-3]}} for path in events],
    "files": kept(),
    "role": os.environ.get("VFCC_AGENT", ""),
    "chosen": os.environ.get("VFCC_SPRINT", ""),
    "branch": (root / ".git/HEAD").read_text().strip().removeprefix("ref: refs/heads/"),
}}
with open({log!r}, "ab", buffering=0) as log:
    fcntl.flock(log, fcntl.LOCK_EX)
    log.write((json.dumps(line) + "\\n").encode())
sys.stdout.buffer.write(done.stdout)
sys.exit(done.returncode)
"""
_CONFTEST = """\
import json, os, time
def pytest_runtest_logreport(report):
    if report.when == "call" or report.failed:
        line = {{"at_ns": time.time_ns(), "test": report.nodeid, "passed": report.passed, "run": os.getpid()}}
        with open({log!r}, "a") as log:
            log.write(json.dumps(line) + "\\n")
"""


def listen(desk: Desk) -> dict[str, str]:
    """Put a `vfcc` first that keeps what passes through it; return the environment in which a client runs that one."""
    bin_folder = desk.home / "bin"
    bin_folder.mkdir(exist_ok=True)
    tee = bin_folder / "vfcc"
    words = {"python": sys.executable, "vfcc": str(VFCC), "root": str(desk.folder), "log": str(_log(desk, "told"))}
    tee.write_text(_TEE.format(**words), encoding="utf-8")
    tee.chmod(0o755)
    conftest = desk.folder / "conftest.py"
    conftest.write_text(_CONFTEST.format(log=str(_log(desk, "outcomes"))), encoding="utf-8")
    return {"PATH": f"{bin_folder}:{VFCC.parent}:/usr/local/bin:/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}


def record_of(desk: Desk) -> Record:
    """Return all that was kept."""
    folder = Path(f"{_log(desk, 'told')}.files")
    texts = {path.name: path.read_text(encoding="utf-8", errors="replace") for path in folder.glob("*")}
    moments = [_moment(line, texts) for line in _lines(_log(desk, "told"))]
    outcomes = [Outcome(**line) for line in _lines(_log(desk, "outcomes"))]
    return Record(desk.folder, sorted(moments, key=lambda each: each.at_ns), outcomes)


def _moment(line: Mapping[str, Any], texts: Mapping[str, str]) -> Moment:
    own = json.loads(line["out"]) if line["out"].startswith("{") else {}
    added = own.get("hookSpecificOutput", {})
    return Moment(
        line["at_ns"],
        line["payload"],
        str(added.get("additionalContext", "")),
        line["ledger"],
        {path: texts[digest] for path, digest in line["files"].items()},
        role=line["role"],
        chosen=line["chosen"],
        branch=line["branch"],
        reason=str(added.get("permissionDecisionReason") or own.get("reason") or ""),
    )


def checked(desk: Desk) -> Sequence[Claim]:
    """Return every sentence that was answered; one that is false, or that no rule knows, fails the test here."""
    found = list(claims(record_of(desk)))
    wrong = [f"{each.true}: {each.event}: {each.heading}: {each.text}" for each in found if not each.true]
    assert not wrong, "\n".join(wrong)
    return found


def commit(desk: Desk) -> None:
    """Commit all files, so that a client finds a usual repository."""
    for command in (["git", "add", "-A"], ["git", "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "x"]):
        subprocess.run(command, cwd=desk.folder, check=True, capture_output=True)


def _log(desk: Desk, name: str) -> Path:
    return desk.home / f"{name}.jsonl"


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
