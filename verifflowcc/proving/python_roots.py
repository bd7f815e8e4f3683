"""Where Python finds a project's modules: the folders to put on its path, and what files are called as modules."""

from collections.abc import Collection, Iterable

_SOURCES = ("src", "lib", "python")
_NOT_SOURCES = frozenset(
    ("tests", "test", "docs", "doc", "examples", "example", "node_modules", "vendor", "benchmarks")
)


def package_folders(paths: Iterable[str]) -> frozenset[str]:
    """Return the folders that are packages: those that hold an `__init__.py`."""
    return frozenset(path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] == "__init__.py")


def import_roots(paths: Collection[str]) -> tuple[str, ...]:
    """Return the folders from which packages of these paths are imported, the outer ones first; "" is the top.

    >>> import_roots(["src/a/__init__.py", "src/a/b/__init__.py", "tests/__init__.py", "setup.py"])
    ('src',)
    >>> import_roots(["a/__init__.py", "c.py"]), import_roots(["c.py", "test_c.py"])
    (('',), ('',))
    """
    packages = package_folders(paths)
    roots = set()
    for package in packages:
        around = package.rpartition("/")[0]
        if package and around not in packages and _NOT_SOURCES.isdisjoint(package.split("/")):
            roots.add(around)
    roots |= {each for each in _SOURCES if any(path.startswith(f"{each}/") and path.endswith(".py") for path in paths)}
    if not roots and any("/" not in path and path.endswith(".py") for path in paths):
        roots.add("")
    return tuple(sorted(roots, key=lambda each: (each.count("/") if each else -1, each)))


def module_of(path: str, roots: Collection[str]) -> str:
    """Return what the file at `path` is called when it is imported from the deepest of these roots; "" for none.

    >>> module_of("src/a/b.py", ["src", ""]), module_of("a/__init__.py", [""]), module_of("a/b.js", [""])
    ('a.b', 'a', '')
    """
    if not path.endswith(".py"):
        return ""
    around = [each for each in roots if not each or path.startswith(f"{each}/")]
    if not around:
        return ""
    root = max(around, key=len)
    inner = path[len(root) + 1 if root else 0 :].removesuffix(".py").removesuffix("/__init__")
    return inner.replace("/", ".") if all(part.isidentifier() for part in inner.split("/")) else ""
