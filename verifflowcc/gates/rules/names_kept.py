"""A Python file with the behaviour of before and the names of after, so that tests of new names can be judged.

Each function that changed gets its old body below its new signature; one that is new gets an empty body. A constant
that changed gets its old value. What was removed is there again, since the old bodies may use it.
"""

import ast
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import lru_cache
from itertools import chain

from verifflowcc.base.records import dataclass, replace
from verifflowcc.gates.rules.hunks import LineHunk, lines_of, put_back

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_MAKES = frozenset(("__init__", "__new__", "__post_init__", "__set_name__", "__init_subclass__", "__class_getitem__"))
"""Methods that give an object its attributes, which are names as well: new ones stay as they are."""


@dataclass(frozen=True, slots=True)
class KeptNames:
    """A content. It is `complete` where nothing of the change is left in it but names: definitions and imports."""

    content: bytes
    complete: bool


@dataclass(frozen=True, slots=True)
class _Edit:
    first: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class _PythonSide:
    """One content: its lines, and its named statements by qualified name."""

    lines: tuple[str, ...]
    functions: Mapping[str, _Function]
    classes: Mapping[str, ast.ClassDef]
    values: Mapping[str, ast.stmt]
    imports: Mapping[str, ast.stmt]
    others: frozenset[str]


def names_kept(before: bytes | None, after: bytes) -> KeptNames | None:
    """Return that content of a file; None where it cannot be made, or would be as it is after the change."""
    try:
        old, new = _side(before or b""), _side(after)
        edits, kept = _edits(old, new)
        text = _applied(new.lines, edits) + _restored(old, new)
        if ast.dump(_undocumented(ast.parse(text))) == ast.dump(_undocumented(ast.parse(after))):
            return None
    except (SyntaxError, ValueError, RecursionError, UnicodeDecodeError):
        return None
    return KeptNames(text.encode(), not kept and _headers_only(old, new))


def same_code(one: bytes | None, other: bytes | None) -> bool:
    """Say whether two Python files are the same but for comments, docstrings, layout and the types of functions.

    >>> same_code(b"a = 1  # one", b'a = (1)'), same_code(b"a = 1", b"a = 2")
    (True, False)
    """
    try:
        return _code(one or b"") == _code(other or b"")
    except (SyntaxError, ValueError, RecursionError):
        return False


def same_without(after: bytes, hunk: LineHunk) -> bool:
    """Say whether a Python file is the same, in the sense of `same_code`, with a hunk of it put back.

    The statements around the hunk are compared alone where they can be parsed alone, which is much faster.

    >>> same_without(b"a = 1\\nb = 2  # two\\n", LineHunk("a.py", 2, ("b = 2\\n",), 2, ("b = 2  # two\\n",)))
    True
    """
    lines = lines_of(after) or []
    first, last = _around(after, hunk)
    if first == 1 or lines[first - 2].endswith("\\\n"):  # a docstring may begin or end to be one; a line goes on
        return same_code(after, put_back(after, [hunk]))
    here = "".join(["0\n", *lines[first - 1 : last]]).encode("latin-1")  # a text below a statement is no docstring
    moved = replace(hunk, new=hunk.new - first + 2)
    try:
        return _code(here) == _code(put_back(here, [moved]))
    except (SyntaxError, ValueError, RecursionError):
        return same_code(after, put_back(after, [hunk]))


def _around(after: bytes, hunk: LineHunk) -> tuple[int, int]:
    """Return the first and last line of the statements that a hunk touches.

    All lines of the file where its statements cannot be found.
    """
    whole = 1, after.count(b"\n") + 1
    if b"\r" in after:  # Python may count more lines than git
        return whole
    try:
        spans = _spans(after)
    except (SyntaxError, ValueError, RecursionError):
        return whole
    first = max((end for _, end in spans if end < hunk.new), default=0) + 1
    last = min((start for start, _ in spans if start > hunk.last), default=whole[1] + 1) - 1
    return first, last


@lru_cache(maxsize=8)
def _spans(content: bytes) -> tuple[tuple[int, int], ...]:
    return tuple((_first(node), _end(node)) for node in ast.parse(content).body)


@lru_cache(maxsize=8)
def _code(content: bytes) -> str:
    return ast.dump(_TypeStripper().visit(_undocumented(ast.parse(content))))


class _TypeStripper(ast.NodeTransformer):
    """Takes out what only a type checker reads: annotations of functions and their variables, overloads, imports."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.module in ("__future__", "typing", "typing_extensions") else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST | None:
        return self._function(node)

    def visit_If(self, node: ast.If) -> ast.AST:
        if "TYPE_CHECKING" in ast.dump(node.test):
            node.body = [ast.Pass()]
        return self.generic_visit(node)

    def _function(self, node: _Function) -> ast.AST | None:
        if any("overload" in ast.dump(each) for each in node.decorator_list):
            return None
        node.returns = None
        for each in ast.walk(node):
            if isinstance(each, ast.arg):
                each.annotation = None
            elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                each.annotation = ast.Constant(None)
        return self.generic_visit(node)


def _side(content: bytes) -> _PythonSide:
    tree = ast.parse(content)
    functions: dict[str, _Function] = {}
    classes: dict[str, ast.ClassDef] = {}
    values: dict[str, ast.stmt] = {}
    imports: dict[str, ast.stmt] = {}
    others: set[str] = set()
    for prefix, node in _statements(tree.body, ""):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions[_unique(functions, f"{prefix}{node.name}")] = node
        elif isinstance(node, ast.ClassDef):
            classes[f"{prefix}{node.name}"] = node
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imports[ast.dump(node)] = node
        elif (name := _target(node)) is not None:
            values[_unique(values, f"{prefix}{name}")] = node
        elif not _is_docstring(node):
            others.add(f"{prefix}{ast.dump(node)}")
    lines = tuple(f"{line}\n" for line in content.decode("utf-8-sig").split("\n"))
    return _PythonSide(lines, functions, classes, values, imports, frozenset(others))


def _statements(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.stmt]]:
    for node in body:
        yield prefix, node
        if isinstance(node, ast.ClassDef):
            yield from _statements(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try):
            yield from _statements(node.body, prefix)


def _unique(known: Mapping[str, object], name: str) -> str:
    """Return a name for one of several definitions of one name, as a property and its setter are."""
    number = 0
    while name in known:
        number += 1
        name = f"{name.partition('#')[0]}#{number}"
    return name


def _target(node: ast.stmt) -> str | None:
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    return None


def _edits(old: _PythonSide, new: _PythonSide) -> tuple[list[_Edit], bool]:
    """Return what to replace in the new content, and whether behaviour of the change stays in it all the same."""
    edits, kept = [], False
    for name, node in new.functions.items():
        known = old.functions.get(name)
        if known is None:
            body = _empty(node)
            kept |= body is None and not _is_trivial(node)
        elif _own_text(old, known) == _own_text(new, node) or _dump(known) == _dump(node):
            continue
        elif _names(known) == _names(node):
            edits.append(_Edit(_first(node), _end(node), _own_text(old, known)))
            continue
        else:
            body = _body_text(old, known)
        if body is not None:
            edits.append(_Edit(node.lineno, _end(node), _header(new, node) + body))
    for name, value in new.values.items():
        before = old.values.get(name)
        if before is None:
            kept |= name.rpartition(".")[2] not in ("__all__", "__slots__")
        elif ast.dump(before) != ast.dump(value):
            edits.append(_Edit(value.lineno, _end(value), _text(old, before.lineno, _end(before))))
    return edits, kept


def _headers_only(old: _PythonSide, new: _PythonSide) -> bool:
    """Whether, of classes and loose statements, nothing changed that the edits leave in place."""
    same = all(
        ast.dump(_bare(old.classes[name])) == ast.dump(_bare(node))
        for name, node in new.classes.items()
        if name in old.classes
    )
    return same and new.others <= old.others


def _bare(node: ast.ClassDef) -> ast.ClassDef:
    return ast.ClassDef(node.name, node.bases, node.keywords, [ast.Pass()], node.decorator_list)


def _names(node: _Function) -> tuple[object, ...]:
    """What a caller may name: with the same, the old function can be there as it was."""
    args = node.args
    groups = [[each.arg for each in group] for group in (args.posonlyargs, args.args, args.kwonlyargs)]
    needed = [len(args.defaults), sum(1 for each in args.kw_defaults if each is not None)]
    stars = [each.arg if each else None for each in (args.vararg, args.kwarg)]
    return type(node), groups, needed, stars


def _empty(node: _Function) -> str | None:
    """Return a body that does nothing; None for a function that is left as it is."""
    if node.name in _MAKES or _is_trivial(node):
        return None
    indent = " " * (node.col_offset + 4)
    if any(isinstance(each, ast.Yield | ast.YieldFrom) for each in _own_nodes(node)):
        managed = any("contextmanager" in ast.dump(each) for each in node.decorator_list)
        return f"{indent}yield\n" if managed else f"{indent}if False:\n{indent}    yield\n"
    return f"{indent}return None\n"


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield from _own_nodes(child)


def _is_trivial(node: _Function) -> bool:
    return all(isinstance(each, ast.Pass) or _is_docstring(each) or _is_dots(each) for each in node.body)


def _is_dots(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _header(side: _PythonSide, node: _Function) -> str:
    """Return the lines of a definition before its body, without decorators, which stay in place."""
    start = node.body[0]
    if start.lineno == node.lineno or _shares_line(side, start):
        before = side.lines[start.lineno - 1].encode()[: start.col_offset].decode()
        return _text(side, node.lineno, start.lineno - 1) + before.rstrip() + "\n"
    return _text(side, node.lineno, start.lineno - 1)


def _shares_line(side: _PythonSide, start: ast.stmt) -> bool:
    return bool(side.lines[start.lineno - 1].encode()[: start.col_offset].strip())


def _body_text(side: _PythonSide, node: _Function) -> str:
    start = node.body[0]
    if _shares_line(side, start):
        rest = side.lines[start.lineno - 1].encode()[start.col_offset :].decode()
        return " " * (node.col_offset + 4) + rest + _text(side, start.lineno + 1, _end(node))
    first = min([start.lineno, *(each.lineno for each in getattr(start, "decorator_list", ()))])
    return _text(side, first, _end(node))


def _restored(old: _PythonSide, new: _PythonSide) -> str:
    """Return the text of module-level definitions that the change removed."""
    lost = chain(
        ((name, node) for name, node in old.imports.items() if name not in new.imports),
        ((name, node) for name, node in old.values.items() if name not in new.values and "." not in name),
        ((name, node) for name, node in old.functions.items() if name not in new.functions and "." not in name),
        ((name, node) for name, node in old.classes.items() if name not in new.classes and "." not in name),
    )
    found = [node for _, node in lost if node.col_offset == 0 and not _is_future(node)]
    text = "".join(_own_text(old, node) for node in sorted(found, key=lambda each: each.lineno))
    return f"\n{text}" if text else ""


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _applied(lines: tuple[str, ...], edits: list[_Edit]) -> str:
    """Return the text with the outermost edits made; the last line gets no newline of its own."""
    text = list(lines)
    text[-1] = text[-1].removesuffix("\n")
    below = len(lines) + 1
    for edit in sorted(edits, key=lambda each: (each.first, -each.last), reverse=True):
        if edit.last < below:
            text[edit.first - 1 : edit.last] = [edit.text]
            below = edit.first
    return "".join(text)


def _first(node: ast.stmt) -> int:
    return min([node.lineno, *(int(each.lineno) for each in getattr(node, "decorator_list", ()))])


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _own_text(side: _PythonSide, node: ast.stmt) -> str:
    return _text(side, _first(node), _end(node))


def _text(side: _PythonSide, first: int, last: int) -> str:
    return "".join(side.lines[first - 1 : last])


def _dump(tree: ast.AST) -> str:
    """Return a text that is the same for the same code: positions and docstrings are left out."""
    return ast.dump(_undocumented(deepcopy(tree)))


def _undocumented(tree: ast.AST) -> ast.AST:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_docstring(body[0]):
            body[:1] = [] if len(body) > 1 or isinstance(node, ast.Module) else [ast.Pass()]
    return tree
