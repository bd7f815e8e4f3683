"""Requirements in plain Markdown as foreign items.

They are headings (`## REQ-1 Title`), bold ids (`**REQ-1** text`), or lines that fit a pattern.
"""

import re
from collections.abc import Sequence

from verifflowcc.base.errors import FormatError
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.markdown import fenced_lines
from verifflowcc.items.rules.import_values import ForeignItem, ForeignItems, ForeignLink

_NAME = r"(?P<id>[A-Z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*[-_.]\d[A-Za-z0-9]*)"
DEFAULT_PATTERNS = (
    rf"#{{1,6}} +\[?{_NAME}\]?:?(?: +[-–—:]? *(?P<title>.*?))?(?: +#+)? *$",
    rf" {{0,3}}(?:[-*+] +)?(?:\*\*|__){_NAME}:?(?:\*\*|__):?(?: +(?P<text>.*))?",
)
_HEADING = re.compile(r"(#{1,6}) ")
_WORDS = "Parents?|Refines|Derives|Satisfies|Implements|Verifies|Allocates|Verification|Rationale|Status|Tags|Files?"
_KEY = re.compile(rf" {{0,3}}(?:[-*+] +)?(?:\*\*|__)?({_WORDS})(?:\*\*|__)?:(?:\*\*|__)? *(.*)")
_ROLES = frozenset({"refines", "derives", "satisfies", "implements", "verifies", "allocates"})


@dataclass(slots=True)
class _MarkdownItem:
    id: str
    kind: str
    title: str
    line: int
    level: int
    lines: list[str] = field(default_factory=list)
    keys: list[tuple[str, str]] = field(default_factory=list)

    def values(self, *names: str) -> tuple[str, ...]:
        return tuple(value for key, value in self.keys if key in names and value)

    def words(self, *names: str) -> tuple[str, ...]:
        cells = (re.split(r"[,;\s]+", value) for value in self.values(*names))
        return tuple(each.strip("`[]") for cell in cells for each in cell if each.strip("`[]"))


def read_markdown(documents: Sequence[tuple[str, str]], pattern: str | None = None) -> ForeignItems:
    """Return the items of Markdown files, given as path and text.

    `pattern` is matched at the beginning of each line outside of fences; its group `id` names an item, `title`, `text`
    and `type` are optional. Raises FormatError where it is no pattern or has no group `id`.
    """
    patterns = tuple(map(_compiled, [pattern] if pattern else DEFAULT_PATTERNS))
    items = [item for path, text in documents for item in _items(path, text, patterns)]
    return ForeignItems(tuple(items), (), "markdown")


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise FormatError(f"--pattern:1: it is no regular expression: {error}") from error
    if "id" not in compiled.groupindex:
        raise FormatError("--pattern:1: it has no group (?P<id>…)")
    return compiled


def _items(path: str, text: str, patterns: Sequence[re.Pattern[str]]) -> list[ForeignItem]:
    fenced = fenced_lines(text)
    found: list[_MarkdownItem] = []
    item: _MarkdownItem | None = None
    for number, line in enumerate(text.split("\n")):
        match = None if number in fenced else next(filter(None, (each.match(line) for each in patterns)), None)
        heading = None if number in fenced else _HEADING.match(line)
        level = len(heading[1]) if heading else 7
        if match is not None and match["id"]:
            item = _begun(match, number + 1, level)
            found.append(item)
        elif heading and item is not None and level <= item.level:
            item = None
        elif item is not None:
            key = None if number in fenced else _KEY.fullmatch(line)
            item.keys.append((key[1].lower(), key[2].strip())) if key else item.lines.append(line)
    return [_foreign(path, each) for each in found]


def _begun(match: re.Match[str], line: int, level: int) -> _MarkdownItem:
    groups = match.groupdict()
    name = groups["id"].strip()
    kind = groups.get("type") or re.split(r"[-_.\d]", name)[0]
    item = _MarkdownItem(name, kind.strip(), " ".join((groups.get("title") or "").split()), line, level)
    if groups.get("text"):
        item.lines.append(groups["text"])
    return item


def _foreign(path: str, item: _MarkdownItem) -> ForeignItem:
    links = [ForeignLink(to) for to in item.words("parent", "parents")]
    links += [ForeignLink(to, role) for role in sorted(_ROLES) for to in item.words(role)]
    return ForeignItem(
        id=item.id,
        kind=item.kind,
        place=f"{path}:{item.line}",
        title=item.title,
        text="\n".join(item.lines).strip("\n").rstrip(),
        rationale="\n".join(item.values("rationale")),
        links=tuple(dict.fromkeys(links)),
        verification=next(iter(item.values("verification")), None),
        files=item.words("file", "files"),
        tags=item.words("tags"),
        status=next(iter(item.values("status")), ""),
    )
