"""What jedi says that names mean, asked in a process of its own and kept, because it takes minutes."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.code_mentions import Mention

SCRIPT = Path(__file__).with_name("code_callers_jedi.py")
_SECONDS = 20
"""Most for one question."""


@dataclass(frozen=True, order=True)
class Place:
    """A definition: the path is empty where it is outside of the source tree."""

    path: str
    line: int
    name: str
    kind: str


@dataclass(frozen=True)
class Said:
    """`goto` is where a name is defined, imports followed; `infer` what it stands for. A problem is why not."""

    goto: tuple[Place, ...]
    infer: tuple[Place, ...]
    problem: str = ""

    @property
    def places(self) -> tuple[Place, ...]:
        """All places."""
        return self.goto + self.infer


def ask(peer: str, root: Path, paths: Sequence[str], mentions: Sequence[Mention], cache: Path) -> list[Said]:
    """Return what jedi says of each mention; `paths` are the folders, from the root, that modules are looked for in.

    Answers are kept in `cache` as they come, so that a run that was ended goes on where it was.
    """
    cache.mkdir(parents=True, exist_ok=True)
    kept = cache / f"{root.name}.jsonl"
    known = _known(kept)
    wanted = sorted({each for each in mentions if _key(each) not in known})
    if wanted:
        _ask(peer, root, paths, wanted, kept)
        known = _known(kept)
    return [known[_key(each)] for each in mentions]


def _key(mention: Mention) -> tuple[str, int, int]:
    return mention.path, mention.line, mention.column


def _known(kept: Path) -> dict[tuple[str, int, int], Said]:
    known = {}
    for line in kept.read_text(encoding="utf-8").splitlines() if kept.is_file() else []:
        (path, number, column), said = json.loads(line)
        goto, infer = (tuple(Place(*each) for each in said[part]) for part in ("goto", "infer"))
        known[path, number, column] = Said(goto, infer, said["problem"])
    return known


def _ask(peer: str, root: Path, paths: Sequence[str], wanted: Sequence[Mention], kept: Path) -> None:
    question = {
        "root": str(root),
        "paths": list(paths),
        "cache": str(kept.parent / "parsed"),
        "seconds": _SECONDS,
        "asked": [_key(each) for each in wanted],
    }
    with (
        kept.open("a", encoding="utf-8") as out,
        subprocess.Popen([peer, str(SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(question))
        process.stdin.close()
        for mention, line in zip(wanted, process.stdout, strict=True):
            out.write(json.dumps([_key(mention), json.loads(line)]) + "\n")
            out.flush()
