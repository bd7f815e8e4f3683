"""Which files import which, as far as they are of the repository: the graph of files, and walks in it."""

from collections.abc import Iterable, Mapping, Sequence
from posixpath import dirname

from verifflowcc.codegraph.bind_names import Names
from verifflowcc.domain.graph import Import, SearchedCode
from verifflowcc.records import dataclass

RULES = "2"
"""To be raised with every change of what `graph_of` returns for the same files."""
STEPS, DAMPING = 5, 0.85

_Asked = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class FileGraph:
    """`near` maps a file to those that it imports and those that import it, sorted.

    `central` tells how much the others lean on a file, 1.0 for the most: of files without a mark, among themselves.
    """

    near: Mapping[str, Sequence[str]]
    central: Mapping[str, float]


def graph_of(code: SearchedCode) -> FileGraph:
    """Return the graph of all files."""
    links = _links_of(code)
    plain = {path: 1.0 for path, each in code.files.items() if not each.marks}
    among = both_ways({path: [other for other in links[path] if other in plain] for path in plain})
    return FileGraph(both_ways(links), shares(page_rank(plain, among)))


def page_rank(seeds: Mapping[str, float], near: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return path → how much of the seeds' weight comes by when it walks to what is near, five steps."""
    total = sum(seeds[path] for path in sorted(seeds))
    if not total:
        return {}
    start = {path: seeds[path] / total for path in sorted(seeds)}
    rank = dict(start)
    for _ in range(STEPS):
        step = {path: (1.0 - DAMPING) * value for path, value in start.items()}
        for path in sorted(rank):
            around = near.get(path)
            if around:
                share = DAMPING * rank[path] / len(around)
                for other in around:
                    step[other] = step.get(other, 0.0) + share
        rank = step
    return rank


def both_ways(links: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Return path → what it links to or is linked from, sorted; nothing is near itself."""
    around: dict[str, set[str]] = {}
    for path, others in links.items():
        for other in others:
            if other != path:
                around.setdefault(path, set()).add(other)
                around.setdefault(other, set()).add(path)
    return {path: sorted(near) for path, near in around.items()}


def shares(scores: Mapping[str, float]) -> dict[str, float]:
    """Return the same scores, the best of them 1.0."""
    best = max(scores.values(), default=0.0)
    return {path: value / best for path, value in scores.items()} if best else {}


def _links_of(code: SearchedCode) -> dict[str, tuple[str, ...]]:
    """Path → the files that it imports; of a package that is a folder alone, none.

    What an import means is asked once for each folder.
    """
    names = Names(code)
    known: dict[_Asked, tuple[str, ...]] = {}
    found: dict[str, tuple[str, ...]] = {}
    for path, taken in code.imports().items():
        folder = dirname(path)
        meant: set[str] = set()
        for each in taken:
            key = (folder, code.files[path].language, each.module, each.name)
            if key not in known:
                known[key] = _meant(names, path, each)
            meant.update(known[key])
        found[path] = tuple(sorted(meant))
    return found


def _meant(names: Names, path: str, taken: Import) -> tuple[str, ...]:
    files: list[str] = []
    for source in names.sources(path, taken):
        inner = names.modules.submodule(source, taken.name) if taken.name not in ("", "*") else ()
        files += inner or (() if source.endswith("/") else (source,))
    return tuple(files)
