"""Paths in reports: a file as a tool names it, perhaps on another machine, and the project's file that it means."""

from collections.abc import Iterable


class ProjectPaths:
    """The project's files, looked up by any spelling of their end."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(paths)
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(self._paths):
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def find(self, name: str, folders: Iterable[str] = ()) -> str | None:
        """Return the project's path that a report's `name`, relative to one of `folders`, means; None where none is.

        The longest end of `folder/name` that is a path of the project wins, and it holds all of `name` where that is
        relative. Where there is none, the one path of the project that ends with `name` is meant. Two that are as good
        are none.

        >>> paths = ProjectPaths(["src/app/a.py", "src/app/b.py", "lib/b.py"])
        >>> paths.find("app/a.py", ["/home/ci/build/src"]), paths.find("a.py"), paths.find("b.py")
        ('src/app/a.py', 'src/app/a.py', None)
        """
        own = _names(name)
        if not own:
            return None
        whole = [own] if _is_absolute(name) else [*(_names(f"{folder}/{name}") for folder in folders), own]
        least = 1 if _is_absolute(name) else len(own)
        found = {end for each in whole if (end := self._longest_end(each, least))}
        if found:
            return _only_longest(found)
        if _is_absolute(name):
            return None
        ending = "/" + "/".join(own)
        longer = [path for path in self._by_name.get(own[-1], ()) if path.endswith(ending)]
        return longer[0] if len(longer) == 1 else None

    def _longest_end(self, names: list[str], least: int) -> str | None:
        if names[-1] not in self._by_name:
            return None
        ends = ("/".join(names[start:]) for start in range(max(0, len(names) - 64), len(names) - least + 1))
        return next((end for end in ends if end in self._paths), None)


def _only_longest(found: set[str]) -> str | None:
    most = max(path.count("/") for path in found)
    best = [path for path in found if path.count("/") == most]
    return best[0] if len(best) == 1 else None


def _is_absolute(name: str) -> bool:
    return name.startswith(("/", "\\", "file:")) or name[1:3] in {":/", ":\\"}


def _names(path: str) -> list[str]:
    """Return the names on the way, without `.`, and with each `..` resolved."""
    names: list[str] = []
    for name in path.removeprefix("file:").replace("\\", "/").split("/"):
        if name == "..":
            del names[-1:]
        elif name not in {"", "."}:
            names.append(name)
    return names
