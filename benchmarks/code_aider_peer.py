"""Aider's repository map, asked for the order in which it would show files; run by the Python that has aider.

Reads lines of JSON, `{"root": folder, "files": [path …], "words": task}`, and writes one for each: the files in its
order, or `{"error": …}`. As aider does, all words of the task count as mentioned identifiers, and files whose name or
path stands in it as mentioned files.
"""

import importlib
import json
import re
import sys
from pathlib import Path


class _Quiet:
    """What aider says goes nowhere."""

    def __getattr__(self, name: str) -> object:
        return lambda *_, **__: None

    def read_text(self, path: str, silent: bool = False) -> str:
        return Path(path).read_text(encoding="utf-8", errors="replace")


def main() -> None:
    map_type = importlib.import_module("aider.repomap").RepoMap
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer: object = _order(map_type, **asked)
        except Exception as error:  # noqa: BLE001 - told to the one who asked
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


def _order(map_type: type, root: str, files: list[str], words: str) -> list[str]:
    kept = map_type(root=root, io=_Quiet(), main_model=None)
    names = set(re.split(r"\W+", words))
    spoken = {path for path in files if path in words or Path(path).name in words.split()}
    whole = [str(Path(root) / path) for path in files]
    ranked = kept.get_ranked_tags([], whole, spoken, names)
    return list(dict.fromkeys(each[0] for each in ranked))


if __name__ == "__main__":
    main()
