"""Places in the project's code that items speak of: which paths are such places, and what is there now."""

from collections.abc import Mapping

from verifflowcc.records import dataclass

_NEVER = frozenset({"..", ".git"})
_LOCAL = [".memory", "local"]


@dataclass(frozen=True, slots=True)
class CodeNow:
    """What is at a path of the project now.

    `digest` is None where nothing is there, and empty for a folder and for what cannot be read. `symbols` maps those
    names that were asked for, and are in the file, to the digests of their texts: empty where only the word is there.
    It is None where nobody can tell: of a link, a binary or a very large file.
    """

    digest: str | None
    symbols: Mapping[str, str] | None = None


def code_path(path: str) -> str | None:
    """Return a path from the project's root in its plain form; None for what is no place in the project.

    >>> code_path("./src//a.py"), code_path("src/"), code_path("../a.py"), code_path("https://a.example/b")
    ('src/a.py', 'src', None, None)
    """
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not path.isprintable() or "://" in path or path.startswith("/") or not _NEVER.isdisjoint(parts):
        return None
    return "/".join(parts) if parts and parts[:2] != _LOCAL else None
