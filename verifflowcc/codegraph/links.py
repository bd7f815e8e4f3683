"""Which files import which, as far as they are of the repository: the graph of files."""

from collections.abc import Mapping
from posixpath import dirname

from verifflowcc.codegraph.bind_names import Names
from verifflowcc.domain.graph import Import, SearchedCode

RULES = "1"
"""To be raised with every change of what `links_of` returns for the same files."""

_Asked = tuple[str, str, str, str]


def links_of(code: SearchedCode) -> Mapping[str, tuple[str, ...]]:
    """Return path → the files that it imports, sorted; of a package that is a folder alone, none.

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
        meant.discard(path)
        found[path] = tuple(sorted(meant))
    return found


def _meant(names: Names, path: str, taken: Import) -> tuple[str, ...]:
    files: list[str] = []
    for source in names.sources(path, taken):
        inner = names.modules.submodule(source, taken.name) if taken.name not in ("", "*") else ()
        files += inner or (() if source.endswith("/") else (source,))
    return tuple(files)
