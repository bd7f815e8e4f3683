"""By which names a file that imports something is found."""

from collections.abc import Iterator

_WITH_PATHS = frozenset({"javascript", "typescript", "tsx", "c", "cpp", "ruby", "php", "bash"})
"""Languages whose imports name files, so that a dot parts an ending from a name."""


def parts_imported(module: str, language: str) -> Iterator[str]:
    """Yield the last part of a module's name, without an ending.

    >>> list(parts_imported("..db.models", "python")), list(parts_imported("./views/login.js", "javascript"))
    (['models'], ['login.js', 'login'])
    """
    last = module.replace("\\", "/").replace(":", "/").rstrip("/").rpartition("/")[2]
    if "/" not in module and language not in _WITH_PATHS:
        last = last.rpartition(".")[2]
    if last.strip("."):
        yield last
        stem = last.rpartition(".")[0]
        if stem:
            yield stem
