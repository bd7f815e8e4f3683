"""Ask jedi what names mean; run by a Python that has jedi (see code_callers.py), not by that of vfcc.

Reads from standard input one JSON object: `root`, `paths` (folders where modules are looked for), `cache` (a folder),
`seconds` (most for one question) and `asked`: [[path, line, column], …]. Writes one line of JSON for each, in order:
`{"goto": [[path, line, name, type], …], "infer": […], "problem": ""}`; paths are from `root`, empty outside.
"""

import json
import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

MEANS_FUNCTION = {"function", "property", "class"}


def answers() -> None:
    """Answer all that was asked."""
    wanted = json.load(sys.stdin)
    jedi: Any = import_module("jedi")
    jedi.settings.cache_directory = wanted["cache"]
    root = Path(wanted["root"]).resolve()
    # jedi prefers stubs of django that it brings to the source; they are of another version than what is asked about.
    import_module("jedi.inference.gradual.typeshed").DJANGO_INIT_PATH = root / "no stubs"  # type: ignore[attr-defined]
    project = jedi.Project(root, added_sys_path=[str(root / each) for each in wanted["paths"]], smart_sys_path=True)
    signal.signal(signal.SIGALRM, _too_long)
    script, opened = None, ""
    for path, line, column in wanted["asked"]:
        if path != opened:
            script, opened = jedi.Script(path=root / path, project=project), path
        print(json.dumps(_answer(script, root, line, column, wanted["seconds"])), flush=True)


def _answer(script: Any, root: Path, line: int, column: int, seconds: int) -> dict[str, Any]:
    said: dict[str, Any] = {"goto": [], "infer": [], "problem": ""}
    signal.alarm(seconds)
    try:
        said["goto"] = _places(script.goto(line, column, follow_imports=True), root)
        if not any(each[3] in MEANS_FUNCTION for each in said["goto"]):
            said["infer"] = _places(script.infer(line, column), root)
    except Exception as error:  # noqa: BLE001  # whatever another program's fault is, it is no answer
        said["problem"] = f"{type(error).__name__}: {error}"[:200]
    finally:
        signal.alarm(0)
    return said


def _places(names: Any, root: Path) -> list[list[Any]]:
    found = []
    for name in names:
        path = Path(name.module_path).resolve() if name.module_path else None
        inside = path.relative_to(root).as_posix() if path is not None and path.is_relative_to(root) else ""
        found.append([inside, name.line or 0, name.name, name.type])
    return found


def _too_long(*_: object) -> None:
    raise TimeoutError("too long")


if __name__ == "__main__":
    answers()
