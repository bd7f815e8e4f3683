"""Whether a Python test file can be loaded without a change: it cannot where it imports what only the change has."""

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

from verifflowcc.proving.python_roots import module_of
from verifflowcc.proving.splitting import FileChange
from verifflowcc.proving.targets import TestFile

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
