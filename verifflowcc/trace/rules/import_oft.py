"""OpenFastTrace's Markdown as foreign items: `req~login~1` and what follows it.

The revision is no part of our id: it plays the part of a stamp. A link to `req~login~1` holds while the item is at
revision 1, so that it turns suspect where OpenFastTrace says that its coverage is outdated.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.markdown import fenced_lines
from verifflowcc.items.rules.import_values import ForeignItem, ForeignItems, ForeignLink

_ID = r"([a-zA-Z]+)~([\w][\w.-]*)~(\d+)"
_OWN = re.compile(rf" {{0,3}}(?:<a\s+id=\"[^\"]*\">\s*</a>\s*)?[`*_]*{_ID}[`*_]*\s*")
_NAMED = re.compile(_ID)
_HEADING = re.compile(r"#{1,6}\s+(.*?)(?:\s+#+)?\s*")
_KEY = re.compile(r"(Needs|Covers|Depends|Rationale|Comment|Status|Tags|Description):\s*(.*)")
_FORWARD = re.compile(r"\s*[*+-]?\s*\w+\s*-->\s*\w+(?:\s*,\s*\w+)*\s*:")
_ANCHOR = re.compile(r"\s*<a\s+id=\"[^\"]*\">\s*</a>\s*")
_UNDERLINE = re.compile(r"(?:=+|-+)\s*")
_SWITCH = re.compile(r"(?:^|\W)oft:(off|on)(?=\W|$)", re.IGNORECASE)
_TEST = re.compile(r"[a-z]*te?st", re.IGNORECASE)
"""Kinds of items that verify, such as `utest`; where one is needed, the item is verified by test."""
_LISTS = frozenset({"Needs", "Covers", "Depends", "Tags", "Status"})


@dataclass(slots=True)
class _OftItem:
    kind: str
    name: str
    revision: str
    line: int
    title: str
    parts: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def text(self, key: str) -> str:
        return "\n".join(line for _, line in self.parts.get(key, ())).strip("\n").rstrip()

    def words(self, key: str) -> tuple[str, ...]:
        lines = [re.sub(r"^\s*[*+-]\s+", "", line) for _, line in self.parts.get(key, ())]
        return tuple(each.strip(" `") for line in lines for each in line.split(",") if each.strip(" `"))


def read_oft(documents: Sequence[tuple[str, str]]) -> ForeignItems:
    """Return the items of Markdown files, given as path and text, as one tree.

    A line of a list of covered items that names none is skipped, and is among `malformed`.
    """
    left: list[str] = []
    malformed: list[str] = []
    found = [(path, item) for path, text in documents for item in _items(path, text, left)]
    revisions = {f"{item.kind}-{item.name}": item.revision for _, item in found}
    items = tuple(_foreign(path, item, revisions, malformed) for path, item in found)
    return ForeignItems(items, tuple(left), "openfasttrace", malformed=tuple(malformed))


def _items(path: str, text: str, left: list[str]) -> Iterator[_OftItem]:
    lines = text.split("\n")
    fenced = fenced_lines(text)
    off = _switched_off(lines)
    item: _OftItem | None = None
    key, title = "Description", ""
    for number, line in enumerate(lines):
        if number in off:
            continue
        own = None if number in fenced else _OWN.fullmatch(line)
        heading = None if number in fenced else _heading(lines, number)
        if own is not None or heading is not None:
            if item is not None:
                yield item
            item = None if own is None else _OftItem(own[1], own[2], own[3], number + 1, title)
            key, title = "Description", heading or ""
        elif item is not None:
            key = _take(path, number, line, item, key, left) if number not in fenced else _add(item, key, number, line)
        elif number not in fenced and _FORWARD.match(line):
            left.append(f"{path}:{number + 1}: an item is forwarded to another type")
        elif line.strip() and not _UNDERLINE.fullmatch(line) and not _ANCHOR.fullmatch(line):
            title = ""
    if item is not None:
        yield item


def _switched_off(lines: Sequence[str]) -> frozenset[int]:
    """Return the lines from one with `oft:off` to one with `oft:on`, or to the end; both switches are among them."""
    found: set[int] = set()
    off = False
    for number, line in enumerate(lines):
        switches = _SWITCH.findall(line)
        if switches or off:
            found.add(number)
        off = switches[-1].lower() == "off" if switches else off
    return frozenset(found)


def _heading(lines: list[str], number: int) -> str | None:
    if found := _HEADING.fullmatch(lines[number]):
        return found[1]
    under = lines[number + 1] if number + 1 < len(lines) else ""
    is_text = lines[number].strip() and not _KEY.match(lines[number]) and not _OWN.fullmatch(lines[number])
    return lines[number].strip() if is_text and len(under.strip()) > 2 and _UNDERLINE.fullmatch(under) else None


def _take(path: str, number: int, line: str, item: _OftItem, key: str, left: list[str]) -> str:
    """Put a line where it belongs and return the key that the next one belongs to."""
    if found := _KEY.fullmatch(line.strip()):
        key = found[1]
        line = found[2]
    elif _FORWARD.match(line):
        left.append(f"{path}:{number + 1}: an item is forwarded to another type")
        return key
    elif key in _LISTS and line.strip() and not re.match(r"\s*[*+-]\s", line):
        key = "Description"
    return _add(item, key, number, line)


def _add(item: _OftItem, key: str, number: int, line: str) -> str:
    item.parts.setdefault(key, []).append((number + 1, line))
    return key


def _foreign(path: str, item: _OftItem, revisions: Mapping[str, str], malformed: list[str]) -> ForeignItem:
    covered = _links(path, item, "Covers", "", revisions, malformed)
    needed = _links(path, item, "Depends", "depends_on", revisions, malformed)
    wanted = item.words("Needs")
    tested = any(_TEST.fullmatch(each) for each in wanted)
    needs = ", ".join(each for each in wanted if not _TEST.fullmatch(each))
    return ForeignItem(
        id=f"{item.kind}-{item.name}",
        kind=item.kind,
        place=f"{path}:{item.line}",
        title=" ".join(item.title.split()),
        text=item.text("Description"),
        rationale=item.text("Rationale"),
        links=(*covered, *needed),
        verification="test" if tested else None,
        tags=item.words("Tags"),
        status=" ".join(item.words("Status")),
        comments=tuple(filter(None, [item.text("Comment")])),
        attributes={"Needs": needs} if needs else {},
    )


def _links(
    path: str, item: _OftItem, key: str, role: str, revisions: Mapping[str, str], malformed: list[str]
) -> Iterator[ForeignLink]:
    for number, line in item.parts.get(key, ()):
        named = _NAMED.findall(line)
        if line.strip() and not named:
            text = line.strip()
            malformed.append(f"{path}:{number}: `{key}` lists items such as req~login~1, and this is none: {text}")
        for kind, name, revision in dict.fromkeys(named):
            to = f"{kind}-{name}"
            yield ForeignLink(to, role, revision, None if to not in revisions else revisions[to] == revision)
