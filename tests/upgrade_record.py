"""Record what version 0.1 allows, reads and prompts in its own project: `PYTHON -m tests.upgrade_record`.

PYTHON is the interpreter in whose environment version 0.1 is installed: `tests/forked.py` forks the `vfcc` beside it.
Written are `allowed.json` and `prompts.tar.gz` beside the project. It was run once, with commit e58d66c.
"""

import io
import json
import tarfile
import tempfile
from pathlib import Path

from tests.upgrade_matrix import PLACES, Answers, Tried, facts, prompts
from tests.upgraded_world import FIXTURE


def grouped(answers: Answers) -> dict[str, dict[str, list[str]]]:
    """Return answers as they are kept: by the first words of their keys, then by answer."""
    found: dict[str, dict[str, list[str]]] = {}
    for key, answer in answers.items():
        words = key.split(" ")
        count = 3 if words[0] == "hook" else 2
        rest = " ".join(words[count:])
        found.setdefault(" ".join(words[:count]), {}).setdefault(answer, []).append(rest)
    return found


def main() -> None:
    """Ask everything, and write the answers."""
    with tempfile.TemporaryDirectory(prefix="recorded-") as folder:
        tried = Tried(Path(folder))
        answers = facts(tried) | tried.commands() | tried.hooks(PLACES)
        text = json.dumps(grouped(answers), indent=1, sort_keys=True)
        (FIXTURE / "allowed.json").write_text(text + "\n", encoding="utf-8")
        with tarfile.open(FIXTURE / "prompts.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
            for name, prompt in prompts(tried).items():
                data = prompt.encode()
                entry = tarfile.TarInfo(f"{name}.md")
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))


if __name__ == "__main__":
    main()
