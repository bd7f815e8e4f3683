"""Product files with the behaviour of before and the names of after, in the languages that have such a form."""

import re
from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.testcases import ScriptItem, ScriptKind, ScriptShape
from verifflowcc.base.records import dataclass
from verifflowcc.gates.rules.change_parts import FileChange
from verifflowcc.gates.rules.names_kept import KeptNames, names_kept

# The Go files of a package with the behaviour of before and the names of after, so that tests of new names compile.
#
# Each function that changed gets its old body; one that is new returns the zero values of its results. Types stay as
# they are after the change. Functions that the change removed are there again, since the old bodies may call them. A
# package is one namespace, so that its files are made together.
#
# The files are read by their layout, which `gofmt` fixes: a declaration begins in the first column, and so does the
# line that closes it. A file laid out otherwise gives a package that does not compile, which shows nothing.

_BEGIN = lazy_pattern(r"(func|type|var|const|import)\b")
_FUNC = lazy_pattern(r"func\s*(?:\(\s*(?:\w+\s+)?\*?\s*(?P<owner>\w+)[^)]*\)\s*)?(?P<name>\w+)")
_NAMED = lazy_pattern(r"(?:var|const|type)\s+(\w+)")
_IMPORT = lazy_pattern(r'^\s*(?:import\s+)?(?:([\w.]+)\s+)?"([^"]+)"', re.MULTILINE)
_RESULT_NAME = lazy_pattern(r"(?!(?:func|chan|struct|interface|map)\b)[A-Za-z_]\w*\s+\S")
_PAIRS = {"(": ")", "[": "]"}


@dataclass(frozen=True, slots=True)
class _Declaration:
    """A declaration: its keyword, its name (empty for a group) and its text."""

    kind: str
    name: str
    text: str


def go_names_kept(files: Mapping[str, tuple[bytes | None, bytes]]) -> dict[str, KeptNames | None]:
    """Return those contents of a package's files, by path; each is given as it was before and as it is after.

    None where nothing of a file would change, or the package cannot be made.
    """
    before = {path: _items((old or b"").decode("utf-8", "replace")) for path, (old, _) in files.items()}
    after = {path: _items(new.decode("utf-8", "replace")) for path, (_, new) in files.items()}
    known = {(item.kind, item.name): item for items in before.values() for item in items if item.name}
    kept = {(item.kind, item.name) for items in after.values() for item in items if item.name}
    imports = {path: _imports(before[path]) | _imports(after[path]) for path in files}
    every = {name: line for found in imports.values() for name, line in found.items()}
    made: dict[str, KeptNames | None] = {}
    for path, (_, new) in files.items():
        lost = [item for item in before[path] if item.name and (item.kind, item.name) not in kept]
        text, complete = _made(new.decode("utf-8", "replace"), after[path], before[path], known, lost)
        content = _with_imports(text, every).encode()
        made[path] = KeptNames(content, complete) if content != _with_imports(new.decode(), every).encode() else None
    return made


def _made(
    text: str,
    items: Sequence[_Declaration],
    old: Sequence[_Declaration],
    known: Mapping[tuple[str, str], _Declaration],
    lost: Sequence[_Declaration],
) -> tuple[str, bool]:
    """Return the text with old bodies, and whether nothing of the change is left in it but names."""
    complete = True
    loose = {item.text for item in old}
    for item in items:
        before = known.get((item.kind, item.name)) if item.name else None
        if before is not None and before.text != item.text and item.kind != "type":
            new = (
                before.text if item.kind != "func" or _head(before.text) == _head(item.text) else _body_of(item, before)
            )
        elif before is None and item.kind == "func":
            new = _emptied(item.text)
        else:
            changed = before.text != item.text if before else item.text not in loose
            complete &= item.kind in ("import", "type") or not changed
            continue
        text = text.replace(item.text, new, 1)
    return "\n".join([text.rstrip("\n"), *(item.text for item in lost), ""]), complete


def _items(text: str) -> tuple[_Declaration, ...]:
    return tuple(_read(text.split("\n")))


def _read(lines: Sequence[str]) -> Iterator[_Declaration]:
    place, seen = 0, dict[str, int]()
    while place < len(lines):
        begin = _BEGIN.match(lines[place])
        if not begin:
            place += 1
            continue
        start, kind = place, begin[1]
        if not _is_whole(lines[place]):
            place = next((at for at in range(place + 1, len(lines)) if lines[at][:1] in ("}", ")")), len(lines) - 1)
            while place + 1 < len(lines) and lines[place].rstrip().endswith("{"):  # `) error {` closes the parameters
                place = next((at for at in range(place + 1, len(lines)) if lines[at][:1] == "}"), len(lines) - 1)
        place += 1
        text = "\n".join(lines[start:place])
        name = _name(kind, text)
        seen[name] = seen.get(name, 0) + 1
        yield _Declaration(kind, f"{name}#{seen[name]}" if name and seen[name] > 1 else name, text)


def _is_whole(line: str) -> bool:
    return all(line.count(each) <= line.count(other) for each, other in (("(", ")"), ("{", "}"))) and not (
        line.count("`") % 2
    )


def _name(kind: str, text: str) -> str:
    if kind == "func":
        found = _FUNC.match(text)
        return f"{found['owner'] or ''}.{found['name']}" if found else ""
    found = _NAMED.match(text)
    return found[1] if found else ""


def _head(text: str) -> str:
    """Return a function up to the brace that opens its body."""
    depth, place = 0, 0
    while place < len(text):
        char = text[place]
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "{" and not depth:
            if not re.search(r"(?:interface|struct)\s*$", text[:place]):
                return text[:place].rstrip()
            place = text.find("}", place)
            if place < 0:
                break
        place += 1
    return text.rstrip()


def _body_of(item: _Declaration, before: _Declaration) -> str:
    return _head(item.text) + before.text[len(_head(before.text)) :]


def _emptied(text: str) -> str:
    """Return a function that returns the zero values of its results.

    >>> _emptied("func F(a int) (string, error) {\\n\\treturn g(a)\\n}")
    'func F(a int) (_ string, _ error) {\\n\\treturn\\n}'
    """
    head = _head(text)
    if head == text.rstrip():
        return text  # it has no body
    results = _results(head)
    if not results:
        return f"{head} {{\n}}"
    start = head[: len(head) - len(results)].rstrip()
    inner = results[1:-1] if results.startswith("(") else results
    parts = [each.strip() for each in _split(inner) if each.strip()]
    named = bool(parts) and results.startswith("(") and bool(_RESULT_NAME.match(parts[-1]))
    listed = ", ".join(parts if named else [f"_ {each}" for each in parts])
    return f"{start} ({listed}) {{\n\treturn\n}}"


def _results(head: str) -> str:
    """Return what a function's head has behind its parameters."""
    found = _FUNC.match(head)
    place = found.end() if found else len(head)
    for opening in ("[", "("):
        if head[place : place + 1] == opening:
            place = _closing(head, place) + 1
    return head[place:].strip()


def _closing(text: str, start: int) -> int:
    opening, closing, depth = text[start], _PAIRS[text[start]], 0
    for place in range(start, len(text)):
        depth += (text[place] == opening) - (text[place] == closing)
        if not depth:
            return place
    return len(text)


def _split(text: str) -> Iterator[str]:
    depth, begin = 0, 0
    for place, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and not depth:
            yield text[begin:place]
            begin = place + 1
    yield text[begin:]


def _imports(items: Sequence[_Declaration]) -> dict[str, str]:
    """Return the imports by the name that code uses, each as a line."""
    found = {}
    for item in items:
        if item.kind == "import":
            for alias, path in _IMPORT.findall(item.text):
                found[alias or _package(path)] = f'{alias} "{path}"'.strip()
    return found


def _package(path: str) -> str:
    """Return the name by which a package is used, as its path suggests it.

    >>> _package("gopkg.in/yaml.v3"), _package("github.com/a/go-isatty"), _package("github.com/a/b/v2")
    ('yaml', 'isatty', 'b')
    """
    parts = [each for each in path.split("/") if not re.fullmatch(r"v\d+", each)]
    return re.sub(r"\.v\d+$", "", parts[-1]).removeprefix("go-").removesuffix("-go").replace("-", "_")


def _with_imports(text: str, every: Mapping[str, str]) -> str:
    """Return a file with the imports that it uses, of these, in one group."""
    rest = text
    for item in _items(text):
        if item.kind == "import":
            rest = rest.replace(item.text, "", 1)
    used = [line for name, line in sorted(every.items()) if name in ("_", ".") or re.search(rf"\b{name}\.", rest)]
    head, mark, body = re.sub(r"^(package \w+.*)$", "\\1\n\0", rest, count=1, flags=re.MULTILINE).partition("\0")
    if not used or not mark:
        return rest
    return "\n".join([head.rstrip("\n"), "", "import (", *(f"\t{line}" for line in used), ")", body.lstrip("\n")])


# A JavaScript or TypeScript file with the behaviour of before and the names of after.
#
# Each function that changed gets its old body; one that is new returns undefined. A value that changed is as it was.
# What was removed is there again, since the old bodies may use it, and so are the imports that they need.

_FUNCTION, _VALUE = ScriptKind.FUNCTION, ScriptKind.VALUE


@dataclass(frozen=True, slots=True)
class _ScriptSide:
    """One content, as bytes and by its named items."""

    content: bytes
    shape: ScriptShape
    named: Mapping[str, ScriptItem]

    def text(self, start: int, end: int) -> bytes:
        return self.content[start:end]


def script_names_kept(
    before: bytes | None, after: bytes, old_shape: ScriptShape | None, new_shape: ScriptShape | None
) -> KeptNames | None:
    """Return that content; None where a shape is not known, or nothing of the file would be otherwise."""
    if old_shape is None or new_shape is None:
        return None
    old, new = _side(before or b"", old_shape), _side(after, new_shape)
    edits = list(_edits(old, new))
    if not edits:
        return None
    content = after
    for start, end, text in sorted(edits, reverse=True):
        content = content[:start] + text + content[end:]
    return KeptNames(b"\n".join([content, *_restored(old, new), b""]), _is_complete(old, new))


def _side(content: bytes, shape: ScriptShape) -> _ScriptSide:
    return _ScriptSide(content, shape, {item.name: item for item in shape.items if item.name})


def _edits(old: _ScriptSide, new: _ScriptSide) -> Iterator[tuple[int, int, bytes]]:
    for item in new.shape.items:
        before = old.named.get(item.name) if item.name else None
        if item.kind is _FUNCTION and (before is None or before.kind is not _FUNCTION):
            yield item.body, item.end_of_body, b"(undefined)" if item.brief else b"{}"
        elif before is None or before.code == item.code or before.kind is not item.kind:
            continue
        elif item.kind is _FUNCTION:
            body = old.text(before.body, before.end_of_body)
            yield item.body, item.end_of_body, b"{ return " + body + b" }" if before.brief and not item.brief else body
        elif item.kind is _VALUE:
            yield item.body, item.end_of_body, old.text(before.body, before.end_of_body)


def _restored(old: _ScriptSide, new: _ScriptSide) -> Iterator[bytes]:
    """Yield the imports and the statements that the change removed, by their names."""
    bound = new.named.keys() | new.shape.imports.keys()
    yield from (line.encode() for name, line in old.shape.imports.items() if name not in bound)
    for name, item in old.named.items():
        if name not in bound and "." not in name:
            yield old.text(item.start, item.end)


def _is_complete(old: _ScriptSide, new: _ScriptSide) -> bool:
    """Say whether nothing of the change is left but names: no new value, class, constructor or loose statement."""
    loose = {item.code for item in old.shape.items}
    return all(
        item.kind is _FUNCTION or item.code in loose or (item.kind is _VALUE and _is_value(old.named.get(item.name)))
        for item in new.shape.items
    )


def _is_value(item: ScriptItem | None) -> bool:
    return item is not None and item.kind is _VALUE


def kept_names(files: Sequence[FileChange]) -> dict[str, KeptNames | None]:
    """Return those contents by path: Go by package, others by file. None for a file where there is none to make."""
    found: dict[str, KeptNames | None] = {}
    packages: dict[str, dict[str, tuple[bytes | None, bytes]]] = {}
    for file in files:
        if file.after is not None and file.path.endswith(".py"):
            found[file.path] = names_kept(file.before, file.after)
        elif file.after is not None and file.shapes[1] is not None:
            found[file.path] = script_names_kept(file.before, file.after, *file.shapes)
        elif file.after is not None and file.path.endswith(".go"):
            packages.setdefault(file.path.rpartition("/")[0], {})[file.path] = (file.before, file.after)
    for each in packages.values():
        found.update(go_names_kept(each))
    return found
