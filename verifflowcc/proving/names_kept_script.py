"""A JavaScript or TypeScript file with the behaviour of before and the names of after.

Each function that changed gets its old body; one that is new returns undefined. A value that changed is as it was. What
was removed is there again, since the old bodies may use it, and so are the imports that they need.
"""

from collections.abc import Iterator, Mapping

from verifflowcc.domain.testcases import ScriptItem, ScriptKind, ScriptShape
from verifflowcc.proving.names_kept import NamesKept
from verifflowcc.records import dataclass

_FUNCTION, _VALUE = ScriptKind.FUNCTION, ScriptKind.VALUE


@dataclass(frozen=True, slots=True)
class _Side:
    """One content, as bytes and by its named items."""

    content: bytes
    shape: ScriptShape
    named: Mapping[str, ScriptItem]

    def text(self, start: int, end: int) -> bytes:
        return self.content[start:end]


def script_names_kept(
    before: bytes | None, after: bytes, old_shape: ScriptShape | None, new_shape: ScriptShape | None
) -> NamesKept | None:
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
    return NamesKept(b"\n".join([content, *_restored(old, new), b""]), _is_complete(old, new))


def _side(content: bytes, shape: ScriptShape) -> _Side:
    return _Side(content, shape, {item.name: item for item in shape.items if item.name})


def _edits(old: _Side, new: _Side) -> Iterator[tuple[int, int, bytes]]:
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


def _restored(old: _Side, new: _Side) -> Iterator[bytes]:
    """Yield the imports and the statements that the change removed, by their names."""
    bound = new.named.keys() | new.shape.imports.keys()
    yield from (line.encode() for name, line in old.shape.imports.items() if name not in bound)
    for name, item in old.named.items():
        if name not in bound and "." not in name:
            yield old.text(item.start, item.end)


def _is_complete(old: _Side, new: _Side) -> bool:
    """Say whether nothing of the change is left but names: no new value, class, constructor or loose statement."""
    loose = {item.code for item in old.shape.items}
    return all(
        item.kind is _FUNCTION or item.code in loose or (item.kind is _VALUE and _is_value(old.named.get(item.name)))
        for item in new.shape.items
    )


def _is_value(item: ScriptItem | None) -> bool:
    return item is not None and item.kind is _VALUE
