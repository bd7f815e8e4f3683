"""StrictDoc documents as foreign items: what has a UID and states something; texts and sections are told, not taken."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from verifflowcc.domain.trace_import import Foreign, ForeignItem, ForeignLink
from verifflowcc.formats.sdoc_nodes import SdocNode, sdoc_nodes
from verifflowcc.records import replace

_PROSE = frozenset({"TEXT", "SECTION", "FREETEXT", "DOCUMENT_FROM_FILE"})
_NO_CONTENT = frozenset({"DOCUMENT", "GRAMMAR"})
_METHOD = ("VERIFICATION", "VERIFICATION_METHOD")
_TAKEN = frozenset({"UID", "TITLE", "STATEMENT", "RATIONALE", "COMMENT", "STATUS", "TAGS", *_METHOD})
_MACHINE = "MID"


def read_sdoc(documents: Sequence[tuple[str, str]]) -> Foreign:
    """Return the items of documents, given as path and text, as one tree.

    Raises FormatError where one is no `.sdoc`.
    """
    left: list[str] = []
    found: list[tuple[str, SdocNode]] = []
    for path, text in documents:
        found += [(path, node) for node in sdoc_nodes(path, text) if _is_item(path, node, left)]
    children = _children(found, left)
    return Foreign(tuple(_item(path, node, children, left) for path, node in found), tuple(left), "strictdoc")


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
    """Return the links that parents hold, turned round: a child's UID to what it answers."""
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
