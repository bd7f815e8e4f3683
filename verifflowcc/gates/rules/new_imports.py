"""Whether a Python test file can be loaded without a change: it cannot where it imports what only the change has."""

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.gates.rules.change_parts import FileChange
from verifflowcc.gates.rules.hunks import TestFile

# Modules that a run of tests lacked and that are not the project's own: they are not installed in its environment.

_MISSING = lazy_pattern(r"No module named '([\w.]+)'|Cannot find (?:module|package) '((?:@[\w.-]+/)?[\w-][\w.-]*)")


def missing_modules(messages: Iterable[str], paths: Collection[str]) -> tuple[str, ...]:
    """Return the modules that failures name as missing, sorted; the names in the project's `paths` are its own.

    >>> missing_modules(["No module named 'pytz.zoneinfo'", "No module named 'shop.a'"], ["shop/b.py"])
    ('pytz',)
    """
    own = {part.partition(".")[0] for path in paths for part in path.split("/")}
    found = (match for message in messages for match in _MISSING.finditer(message))
    names = {match[2] or match[1].partition(".")[0] for match in found}
    return tuple(sorted(name for name in names if name.partition("/")[0] not in own))


# Where Python finds a project's modules: the folders to put on its path, and what files are called as modules.

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


_Module = tuple[bytes | None, bytes | None]
"""The content of a module before a change and after it; None where it is absent."""
_MAKES_NAMES = (b"__getattr__", b"globals(", b"exec(", b"sys.modules", b"setattr(", b"import *")


def none_loads(
    tests: Sequence[TestFile], texts: Mapping[str, bytes], product: Sequence[FileChange], roots: Collection[str]
) -> bool:
    """Say whether none of some test files can be loaded without a change; `texts` are their contents by path."""
    modules: dict[str, _Module] = {}
    for file in product:
        name = module_of(file.path, roots)
        before, after = modules.get(name, (None, None))
        if name and not file.path.endswith("__init__.py"):  # a package has its modules as names, too
            modules[name] = (before or file.before, after or file.after)
    return all(each.path.endswith(".py") and cannot_load(texts.get(each.path, b""), modules) for each in tests)


def cannot_load(test: bytes, modules: Mapping[str, _Module]) -> bool:
    """Say whether a test file imports, on its way to its first test, a module or name that only the change has.

    `modules` are the changed ones, by name. False where that is not certain.

    >>> cannot_load(b"from shop import tax", {"shop": (b"a = 1", b"a = 1; tax = 2")})
    True
    >>> cannot_load(b"from shop import a", {"shop": (b"a = 1", b"a = 2")})
    False
    """
    try:
        body = ast.parse(test).body
        return any(_lacks(node, modules) for node in body)
    except (SyntaxError, ValueError, RecursionError):
        return False


def _lacks(node: ast.stmt, modules: Mapping[str, _Module]) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name in modules and modules[alias.name][0] is None for alias in node.names)
    if not isinstance(node, ast.ImportFrom) or node.level:
        return False
    before, after = modules.get(node.module or "", (b"", b""))
    if before is None or after is None:
        return before is None and after is not None
    if any(words in before for words in _MAKES_NAMES):
        return False
    new = set(_bound(ast.parse(after).body)) - set(_bound(ast.parse(before).body))
    return any(alias.name in new for alias in node.names)


def _bound(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the names that statements of a module bind, in its blocks as well."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
            continue
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                yield each.id
            elif isinstance(each, ast.alias):
                yield each.asname or each.name.partition(".")[0]
            elif isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler):
                yield each.name or ""
