"""StrictDoc documents as foreign items: each element with a UID and a statement.

Texts and sections are not imported; the report names them.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from verifflowcc.base.errors import FormatError
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.items.rules.import_values import ForeignItem, ForeignItems, ForeignLink

# StrictDoc's `.sdoc`, taken apart into its elements: tag, fields, relations, each with its line.
#
# Both syntaxes are read: `[[SECTION]]` and the older `[SECTION]`, `RELATIONS:` and the older `REFS:`, `[FREETEXT]`.
# What a field means is not decided here.

_TAG = re.compile(r"\[\[?(/?)([A-Z][A-Z0-9_]*)\]?\]\s*")
_FIELD = re.compile(r"([A-Z][A-Za-z0-9_]*):(?: (.*)| *)")
_RELATION = re.compile(r"- TYPE: *(\S+) *")
_DETAIL = re.compile(r" +([A-Z_]+): *(.*?) *")
_RELATIONS = frozenset({"RELATIONS", "REFS"})
_UNREAD = frozenset({"GRAMMAR", "DOCUMENT"})
"""Elements whose fields are nested: nothing of them is carried over but their titles."""


@dataclass(frozen=True, slots=True)
class SdocRelation:
    """A relation: its type, the UID or path that it names, and its role.

    The type is `Parent`, `Child` or `File`.
    """

    kind: str
    value: str
    line: int
    role: str


@dataclass(slots=True)
class SdocNode:
    """An element of a document; `fields` are name, text and line in their order.

    A comment may appear twice.
    """

    tag: str
    line: int
    fields: list[tuple[str, str, int]] = field(default_factory=list)
    relations: list[SdocRelation] = field(default_factory=list)

    def text(self, name: str) -> str:
        """Return the first field of this name; "" where there is none."""
        return next((text for known, text, _ in self.fields if known == name), "")


@dataclass(slots=True)
class _SdocLines:
    path: str
    lines: list[str]
    at: int = 0

    def refuse(self, line: int, reason: str) -> FormatError:
        return FormatError(f"{self.path}:{line}: {reason}")


def sdoc_nodes(path: str, text: str) -> tuple[SdocNode, ...]:
    """Return the elements of a document in their order; `text` has LF newlines.

    Raises FormatError, with file and line, where it is no `.sdoc`.
    """
    source = _SdocLines(path, text.split("\n"))
    nodes: list[SdocNode] = []
    open_tags: list[tuple[str, int]] = []
    while source.at < len(source.lines):
        line = source.lines[source.at]
        number = source.at + 1
        source.at += 1
        if not line.strip():
            continue
        tag = _TAG.fullmatch(line)
        if tag is None:
            raise source.refuse(number, "here an element such as [REQUIREMENT] should begin")
        if not nodes and tag[2] != "DOCUMENT":
            raise source.refuse(number, "a .sdoc begins with [DOCUMENT]")
        _element(source, tag, line, nodes, open_tags)
    if not nodes:
        raise source.refuse(1, "a .sdoc begins with [DOCUMENT]")
    if open_tags:
        name, number = open_tags[-1]
        raise source.refuse(number, f"[{name}] is never closed")
    return tuple(nodes)


def _element(
    source: _SdocLines, tag: re.Match[str], line: str, nodes: list[SdocNode], open_tags: list[tuple[str, int]]
) -> None:
    number, name = source.at, tag[2]
    if tag[1]:
        if not open_tags or open_tags[-1][0] != name:
            raise source.refuse(number, f"[/{name}] closes nothing")
        open_tags.pop()
        return
    node = SdocNode(name, number)
    nodes.append(node)
    if name == "FREETEXT":
        _skip_to(source, "[/FREETEXT]", node)
    elif name in _UNREAD:
        _skip_block(source, node)
    else:
        _fields(source, node)
    if line.startswith("[[") or name in {"SECTION", "COMPOSITE_REQUIREMENT"}:
        open_tags.append((name, number))


def _fields(source: _SdocLines, node: SdocNode) -> None:
    while source.at < len(source.lines):
        line = source.lines[source.at]
        found = _FIELD.fullmatch(line)
        if found is None:
            if line.strip() and not _TAG.fullmatch(line):
                raise source.refuse(source.at + 1, f"this is no field of [{node.tag}]")
            return
        source.at += 1
        number = source.at
        if found[1] in _RELATIONS:
            _relations(source, node)
        elif (found[2] or "").strip() == ">>>":
            node.fields.append((found[1], _until(source, "<<<", number, found[1]), number))
        else:
            node.fields.append((found[1], (found[2] or "").strip(), number))


def _relations(source: _SdocLines, node: SdocNode) -> None:
    while source.at < len(source.lines):
        found = _RELATION.fullmatch(source.lines[source.at])
        if found is None:
            return
        source.at += 1
        number, details = source.at, dict[str, str]()
        while source.at < len(source.lines) and (detail := _DETAIL.fullmatch(source.lines[source.at])):
            details[detail[1]] = detail[2]
            source.at += 1
        value = details.get("VALUE") or details.get("PATH")
        if not value:
            raise source.refuse(number, f"a relation of [{node.tag}] has no VALUE")
        node.relations.append(SdocRelation(found[1], value, number, details.get("ROLE", "")))


def _until(source: _SdocLines, end: str, number: int, what: str) -> str:
    begin = source.at
    while source.at < len(source.lines):
        source.at += 1
        if source.lines[source.at - 1].rstrip() == end:
            return "\n".join(source.lines[begin : source.at - 1]).strip("\n")
    raise source.refuse(number, f"{what} is opened and never closed by {end}")


def _skip_to(source: _SdocLines, end: str, node: SdocNode) -> None:
    node.fields.append(("STATEMENT", _until(source, end, node.line, "[FREETEXT]"), node.line))


def _skip_block(source: _SdocLines, node: SdocNode) -> None:
    """Skip nested fields up to the next element; those at the left margin are kept."""
    while source.at < len(source.lines) and not _TAG.fullmatch(source.lines[source.at]):
        found = _FIELD.fullmatch(source.lines[source.at])
        if found and found[2]:
            node.fields.append((found[1], found[2].strip(), source.at + 1))
        source.at += 1


_PROSE = frozenset({"TEXT", "SECTION", "FREETEXT", "DOCUMENT_FROM_FILE"})
_NO_CONTENT = frozenset({"DOCUMENT", "GRAMMAR"})
_METHOD = ("VERIFICATION", "VERIFICATION_METHOD")
_TAKEN = frozenset({"UID", "TITLE", "STATEMENT", "RATIONALE", "COMMENT", "STATUS", "TAGS", *_METHOD})
_MACHINE = "MID"


def read_sdoc(documents: Sequence[tuple[str, str]]) -> ForeignItems:
    """Return the items of documents, given as path and text, as one tree.

    One that is no `.sdoc` is among `skipped`.
    """
    left: list[str] = []
    skipped: dict[str, str] = {}
    found: list[tuple[str, SdocNode]] = []
    for path, text in documents:
        try:
            nodes = sdoc_nodes(path, text)
        except FormatError as error:
            skipped[path] = error.message
        else:
            found += [(path, node) for node in nodes if _is_item(path, node, left)]
    children = _children(found, left)
    items = tuple(_item(path, node, children, left) for path, node in found)
    return ForeignItems(items, tuple(left), "strictdoc", skipped=skipped)


def _is_item(path: str, node: SdocNode, left: list[str]) -> bool:
    if node.tag in _NO_CONTENT:
        return False
    if node.tag in _PROSE:
        left.append(f"{path}:{node.line}: a {node.tag} is prose, not an item")
        return False
    if not node.text("UID"):
        left.append(f"{path}:{node.line}: a {node.tag} has no UID")
        return False
    return True


def _children(found: Sequence[tuple[str, SdocNode]], left: list[str]) -> Mapping[str, list[ForeignLink]]:
    """Return the links that parents hold as links of their children, by UID."""
    known = {node.text("UID") for _, node in found}
    turned: dict[str, list[ForeignLink]] = defaultdict(list)
    for path, node in found:
        for relation in node.relations:
            if relation.kind != "Child":
                continue
            child = relation.value
            if child in known:
                turned[child].append(ForeignLink(node.text("UID"), relation.role))
            else:
                left.append(f"{path}:{relation.line}: a Child relation names {child}, which is in none of the files")
    return turned


def _item(path: str, node: SdocNode, children: Mapping[str, list[ForeignLink]], left: list[str]) -> ForeignItem:
    uid = node.text("UID")
    links = [ForeignLink(each.value, each.role) for each in node.relations if each.kind == "Parent"]
    files = tuple(each.value for each in node.relations if each.kind == "File")
    for each in node.relations:
        if each.kind not in {"Parent", "Child", "File"}:
            left.append(f"{path}:{each.line}: a relation of type {each.kind}")
    if node.text(_MACHINE):
        left.append(f"{path}:{node.line}: its MID, a machine's name for it")
    item = ForeignItem(
        id=uid,
        kind=node.tag,
        place=f"{path}:{node.line}",
        title=" ".join(node.text("TITLE").split()),
        text=node.text("STATEMENT"),
        rationale=node.text("RATIONALE"),
        links=tuple(dict.fromkeys([*links, *children.get(uid, ())])),
        verification=next((node.text(name) for name in _METHOD if node.text(name)), None),
        files=tuple(dict.fromkeys(files)),
        tags=tuple(each.strip() for each in node.text("TAGS").split(",") if each.strip()),
        status=node.text("STATUS"),
        comments=tuple(text for name, text, _ in node.fields if name == "COMMENT" and text),
    )
    rest = {name: text for name, text, _ in node.fields if name not in {*_TAKEN, _MACHINE} and text}
    return replace(item, attributes=rest)
