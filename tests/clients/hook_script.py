"""A hook that keeps what it was told and answers what a test wrote: `hook_script.py FOLDER`.

In FOLDER, `log.jsonl` gets each payload as a line; `answers.json` says what to answer, as `hook_log` describes.
"""

import fcntl
import json
import sys
from pathlib import Path
from typing import Any


def main() -> int:
    """Log the payload on stdin and give the answer to it."""
    folder = Path(sys.argv[1])
    payload = json.load(sys.stdin)
    with (folder / "log.jsonl").open("ab", buffering=0) as log:
        fcntl.flock(log, fcntl.LOCK_EX)
        log.write((json.dumps(payload) + "\n").encode())
        answer = _answer(folder / "answers.json", payload)
    if not isinstance(answer, dict):
        return 0
    if not {"stdout", "stderr", "exit"} & set(answer):
        answer = {"stdout": json.dumps(answer)}
    sys.stdout.write(answer.get("stdout", ""))
    sys.stderr.write(answer.get("stderr", ""))
    return int(answer.get("exit", 0))


def _answer(path: Path, payload: dict[str, Any]) -> object:
    answers = json.loads(path.read_bytes())
    event = payload["hook_event_name"]
    detail = payload.get("tool_name") or payload.get("source") or payload.get("trigger") or ""
    found = answers.get(f"{event}:{detail}", answers.get(event))
    if isinstance(found, list):
        found = found.pop(0) if found else None
        path.write_text(json.dumps(answers), encoding="utf-8")
    return found


if __name__ == "__main__":
    sys.exit(main())
