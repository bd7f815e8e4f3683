"""What `vfcc trace export --format json` wrote, as foreign items: each whole, with stamps, reviews and its body."""

import json
from collections.abc import Callable, Mapping

from verifflowcc.domain.items import Link, Ref, Stamp, Status
from verifflowcc.domain.trace import TraceItem, Verified
from verifflowcc.domain.trace_import import Foreign, ForeignItem
from verifflowcc.errors import FormatError
from verifflowcc.formats.fingerprint import own_digest
from verifflowcc.formats.trace_table import VERIFIED
from verifflowcc.text.normative import with_rationale

_Object = Mapping[str, object]


def is_export(text: str) -> bool:
    """Say whether a text is an export of vfcc: an object with `items`, the first of them with a fingerprint."""
    try:
        items = json.loads(text)["items"]
        return bool(items) and isinstance(items[0]["fingerprint"], str)
    except (ValueError, LookupError, TypeError, RecursionError):
        return False


def read_exported(path: str, text: str) -> Foreign:
    """Return the items of an export. Raises FormatError, with file and line, where it is not one."""
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"{path}:{error.lineno}: it is not JSON: {error.msg}") from error
    except RecursionError as error:
        raise FormatError(f"{path}:1: it is nested too deep") from error
    items = whole.get("items") if isinstance(whole, dict) else None
    if not isinstance(items, list):
        raise FormatError(f"{path}:1: an export of vfcc has `items`, a list, and this has none")
    found = [_item(f"{path}:{number}", each) for number, each in enumerate(items, start=1)]
    return Foreign(tuple(found), (), "vfcc")


def _item(place: str, said: object) -> ForeignItem:
    """Return an item; its place has its number in the list, since JSON in one line has no other."""
    if not isinstance(said, dict):
        raise FormatError(f"{place}: an item is an object")
    read = _Reader(place, said)
    text, why, body = read.text("text"), read.text("rationale"), read.text("body")
    if with_rationale(body) != (text, why):
        body = "\n\n".join(each for each in (text, f"## Rationale\n\n{why}" if why else "") if each)
        text, why = with_rationale(body)
    links = tuple(Link(each.text("to"), each.text("relation"), 1, each.stamp()) for each in read.objects("links"))
    method, level = read.text("verification") or None, read.text("integrity") or None
    review = read.one("review")
    verified = read.one("verified")
    status = read.text("status") or "active"
    if status not in set(Status):
        raise FormatError(f"{place}: status {status!r} is not one of {', '.join(Status)}")
    own = TraceItem(
        id=read.text("id"),
        type=read.text("type"),
        title=read.text("title"),
        path=read.text("path"),
        text=text,
        digest=own_digest(read.text("title"), text, method, level, [(each.to, each.relation) for each in links]),
        status=Status(status),
        verification=method,
        links=links,
        refs=tuple(
            Ref(each.text("path"), each.text("symbol") or None, each.text("digest") or None)
            for each in read.objects("refs")
        ),
        tests=read.words("tests"),
        evidence=read.words("evidence"),
        derived=said.get("derived") is True,
        rationale=why,
        planned=read.text("planned") or None,
        integrity=level,
        reviewed=review.stamp() if review else None,
        verified=Verified(*map(verified.text, VERIFIED)) if verified else None,
        tags=read.words("tags"),
    )
    if not own.id or not own.type or not own.title:
        raise FormatError(f"{place}: an item has an id, a type and a title")
    return ForeignItem(own.id, own.type, place, own.title, exact=True, own=own, body=body)


class _Reader:
    """The fields of an object; what has another form than an export gives it is refused."""

    def __init__(self, place: str, said: _Object) -> None:
        self.place, self._said = place, said

    def text(self, name: str) -> str:
        """Return a text; "" where there is none."""
        value = self._said.get(name)
        if value is not None and not isinstance(value, str):
            raise FormatError(f"{self.place}: {name} is a text")
        return value or ""

    def words(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(self._list(name, str, "texts"))

    def objects(self, name: str) -> "list[_Reader]":
        """Return a list of objects."""
        return [_Reader(self.place, each) for each in self._list(name, dict, "objects")]

    def one(self, name: str) -> "_Reader | None":
        """Return an object; None where there is none."""
        value = self._said.get(name)
        if value is not None and not isinstance(value, dict):
            raise FormatError(f"{self.place}: {name} is an object")
        return _Reader(self.place, value) if value else None

    def stamp(self) -> Stamp | None:
        """Return the stamp that an object holds."""
        name: Callable[[str], str | None] = lambda key: self.text(key) or None  # noqa: E731
        mark = name("fingerprint")
        return Stamp(mark, name("by"), name("on"), name("reason")) if mark else None

    def _list(self, name: str, kind: type, what: str) -> list:  # type: ignore[type-arg]
        value = self._said.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, kind) for each in value):
            raise FormatError(f"{self.place}: {name} is a list of {what}")
        return value
