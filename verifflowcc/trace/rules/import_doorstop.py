"""Trees of YAML as foreign items: doorstop documents with the stamps that still match, and any other by a mapping."""

import base64
import hashlib
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from verifflowcc.base.errors import FormatError
from verifflowcc.base.records import dataclass, field
from verifflowcc.items.rules.import_values import ForeignItem, ForeignItems, ForeignLink

# Doorstop's stamps, computed as doorstop does: what a link and a review looked at, as one digest.
#
# A stamp is the SHA-256, in URL-safe base 64, over the texts of these values one after the other: the item's name, its
# text, its `ref`, its `references` if it has any, then (for a review) the names that it links to, in order, and then
# the attributes that its document lists under `attributes: reviewed`. Checked against doorstop 3.2.

_NAMED = re.compile(r"([\w.-]+)[-_.](\w+)")
_NUMBERED = re.compile(r"([\w.-]*\D)(\d+)")
_SEPARATORS = "-_."
_OF_DOORSTOP = {
    "level": "doorstop.core.types.Level",
    "text": "doorstop.core.types.Text",
    "header": "doorstop.core.types.Text",
}

Uid = tuple[str, int, str]
"""What doorstop compares names by: prefix, number (-1 where there is a word instead), word."""


def uid_of(name: str) -> Uid | None:
    """Return the parts of a name, None where doorstop has no such names.

    `REQ3` and `req003` are one name.

    >>> uid_of("REQ003"), uid_of("SYS-login"), uid_of("readme")
    (('req', 3, ''), ('sys', -1, 'login'), None)
    """
    if found := _NAMED.match(name):
        number = int(found[2]) if found[2].isdecimal() else -1
        return found[1].lower(), number, "" if number >= 0 else found[2]
    found = _NUMBERED.match(name)
    return (found[1].rstrip(_SEPARATORS).lower(), int(found[2]), "") if found else None


def text_of(value: object) -> str:
    """Return a text without outer empty lines and trailing blanks, as doorstop has it."""
    text = value if isinstance(value, str) else ""
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


def stamp(name: str, fields: Mapping[str, object], reviewed: Sequence[str], links: Sequence[str] | None = None) -> str:
    """Return an item's stamp; with `links`, in order, the stamp of a review.

    `fields` are its YAML values; `reviewed` the attributes that its document adds.
    """
    values: list[str] = [name, text_of(fields.get("text")), str(fields.get("ref") or "").strip()]
    if references := _references(fields.get("references")):
        values.append(str(references))
    values += links or ()
    values += [_spelled(fields[key], _OF_DOORSTOP.get(key)) for key in reviewed if key in fields]
    digest = hashlib.sha256("".join(values).encode("utf-8")).digest()
    return base64.urlsafe_b64encode(digest).decode("ascii")


def _references(value: object) -> list[dict[str, object]]:
    """Return references with the keys that doorstop keeps, in its order."""
    kept = []
    for each in value if isinstance(value, list) else []:
        if isinstance(each, dict):
            whole = {key: each[key] for key in ("type", "path", "keyword", "sha") if key in each}
            kept.append({key: str(one).strip() if key == "path" else one for key, one in whole.items()})
    return kept


def _spelled(value: object, kind: str | None = None) -> str:
    """Return an attribute's value with its types, as doorstop spells it."""
    if isinstance(value, list):
        return "\\L" + "".join(_spelled(each) for each in value)
    if isinstance(value, dict):
        return "\\D" + "".join(_spelled(value[key]) for key in sorted(value, key=str))
    name = kind or f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
    text = text_of(value) if kind and kind.endswith(".Text") else str(value)
    return f"\\T<class '{name}'>\\V" + text.replace("\\", "\\\\")


_DEFAULTS: Mapping[str, object] = {
    "level": "1.0",
    "active": True,
    "normative": True,
    "derived": False,
    "text": "",
    "ref": "",
    "header": "",
}
_OWN = frozenset({*_DEFAULTS, "links", "references", "reviewed"})
_TRUE = frozenset({"yes", "true", "enabled", "1"})
_H1 = re.compile(r"#\s+(.*)")


@dataclass(frozen=True, slots=True)
class DoorstopDocument:
    """A folder with a `.doorstop.yml`: prefix, parent, and attributes under review."""

    prefix: str
    parent: str
    path: str
    reviewed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DoorstopFile:
    """An item's file: its name without the ending, and its YAML values."""

    name: str
    path: str
    document: DoorstopDocument
    values: Mapping[str, object] = field(default_factory=dict)


def read_document(path: str, values: Mapping[str, object]) -> DoorstopDocument:
    """Return the document of a `.doorstop.yml`.

    Raises FormatError where it has no such shape.
    """
    settings, attributes = (values.get(name) or {} for name in ("settings", "attributes"))
    if not isinstance(settings, dict) or not isinstance(attributes, dict):
        raise FormatError(f"{path}:1: `settings` and `attributes` of a doorstop document are mappings")
    reviewed = attributes.get("reviewed") or []
    if not isinstance(reviewed, list):
        raise FormatError(f"{path}:1: `reviewed` of a doorstop document is a list of attributes")
    prefix = str(settings.get("prefix") or "REQ").split(" ")[0]
    return DoorstopDocument(prefix, str(settings.get("parent") or "").strip(), path, tuple(sorted(map(str, reviewed))))


def markdown_values(body: str) -> dict[str, object]:
    """Return `header` and `text` of a Markdown item: first heading, and the rest."""
    lines = body.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    found = _H1.match(lines[first].strip()) if first < len(lines) else None
    if found is None:
        return {"text": "\n".join(lines[first:])}
    return {"header": found[1], "text": "\n".join(lines[first + 1 :])}


def read_doorstop(documents: Sequence[DoorstopDocument], files: Sequence[DoorstopFile]) -> ForeignItems:
    """Return the items of a tree, ordered by document and name.

    Raises FormatError where a file has a value that no item can have.
    """
    known: dict[Uid, DoorstopFile] = {}
    left: list[str] = []
    order = {document: number for number, document in enumerate(documents)}
    for file in sorted(files, key=lambda each: (order[each.document], each.name, each.path)):
        uid = uid_of(file.name)
        if uid is None:
            left.append(f"{file.path}:1: its name is no name of a doorstop item")
        elif uid in known:
            left.append(f"{file.path}:1: an item of this name was read before")
        else:
            known[uid] = checked_item(file)
    items = tuple(_item(file, known, left) for file in known.values())
    prefixes = {document.prefix.lower() for document in documents}
    tops = frozenset(each.prefix for each in documents if each.parent.lower() not in prefixes)
    return ForeignItems(items, tuple(left), "doorstop", tops)


def checked_item(file: DoorstopFile) -> DoorstopFile:
    """Return the file; raises FormatError where a value has an impossible shape."""
    for name in ("text", "header", "ref"):
        if not isinstance(file.values.get(name), str | None):
            raise FormatError(f"{file.path}:1: `{name}` of a doorstop item is a text")
    if not isinstance(file.values.get("links"), list | None):
        raise FormatError(f"{file.path}:1: `links` of a doorstop item is a list")
    references = file.values.get("references")
    listed = references if isinstance(references, list) else [] if references is None else [references]
    if not all(isinstance(each, dict) and isinstance(each.get("path"), str) for each in listed):
        raise FormatError(f"{file.path}:1: `references` of a doorstop item is a list of mappings with `path`, a text")
    return file


def _item(file: DoorstopFile, known: Mapping[Uid, DoorstopFile], left: list[str]) -> ForeignItem:
    values = {**_DEFAULTS, **file.values}
    links = _links(file, values.get("links"), known)
    targets = [link.to for link in links]
    review = _recorded(values.get("reviewed"))
    own = stamp(file.name, values, file.document.reviewed, targets)
    if text_of(values["ref"]):
        left.append(f"{file.path}:1: `ref` names a keyword in files, not a file; refs are files here")
    return ForeignItem(
        id=file.name,
        kind=file.document.prefix,
        place=f"{file.path}:1",
        title=" ".join(text_of(values["header"]).split()),
        text=text_of(values["text"]),
        active=_truth(values["active"]),
        derived=_truth(values["derived"]),
        normative=_truth(values["normative"]),
        links=links,
        files=_files(values.get("references")),
        reviewed=own if review is True else review,
        review_holds=None if review is None else review in {True, own},
        attributes=_attributes(file, left),
    )


def _attributes(file: DoorstopFile, left: list[str]) -> dict[str, str]:
    """Return the project's own attributes that are single values; note the others."""
    found: dict[str, str] = {}
    for key, value in sorted(file.values.items()):
        if key in _OWN or value is None:
            continue
        if isinstance(value, list | dict):
            left.append(f"{file.path}:1: an attribute that is a list or a mapping ({key})")
        else:
            found[key] = str(value)
    return found


def _links(file: DoorstopFile, value: object, known: Mapping[Uid, DoorstopFile]) -> tuple[ForeignLink, ...]:
    """Return the links in doorstop's order.

    A name with another spelling (`REQ3`) becomes the item's own.
    """
    found: dict[Uid | str, ForeignLink] = {}
    for each in value if isinstance(value, list) else ():
        name, given = _named(each)
        uid = uid_of(name)
        target = known.get(uid) if uid else None
        recorded = _recorded(given)
        now = stamp(target.name, {**_DEFAULTS, **target.values}, target.document.reviewed) if target else None
        holds = None if recorded is None else recorded is True or recorded == now
        link = ForeignLink(target.name if target else name, "", now if recorded is True else recorded, holds)
        found.setdefault(uid or name, link)
    return tuple(found[key] for key in sorted(found, key=lambda key: (isinstance(key, str), key)))


def _named(value: object) -> tuple[str, object]:
    if isinstance(value, dict) and value:
        name, given = next(iter(value.items()))
        return str(name), given
    name, colon, given = str(value).rpartition(":")
    return (name, given) if colon else (given, None)


def _recorded(value: object) -> str | Literal[True] | None:
    """Return a recorded stamp: a digest, True where it was set by hand, or None."""
    if value is True or (isinstance(value, str) and value.strip().lower() in _TRUE):
        return True
    return str(value) if value else None


def _truth(value: object) -> bool:
    return value.strip().lower() in _TRUE if isinstance(value, str) else bool(value)


def _files(value: object) -> tuple[str, ...]:
    return tuple(str(each["path"]).strip() for each in value) if isinstance(value, list) else ()


# A tree of YAML files with a schema of its own, one item each: a mapping names the fields.

MAPPED = ("id", "kind", "title", "text", "rationale", "status", "verification", "tags", "notes", "links")
"""What a mapping may name: a field, a path such as `checks.*.brief`, or a list of them, of which the first counts; of
`notes` and `links` all count."""
_WORDS = ("types", "relations")
_OTHERS = ("files", "link")


@dataclass(frozen=True, slots=True)
class YamlMapping:
    """How files become items: fields by what they are, words of kinds and roles, and the shape of a link.

    A kind or a role without a word stays as it is; one whose word is None is left out. `to` and `role` are the fields
    of a link. Without `id` the path of the file is the id, and links are paths from its folder or the root.
    """

    name: str
    fields: Mapping[str, tuple[str, ...]]
    types: Mapping[str, str | None]
    relations: Mapping[str, str | None]
    files: str = "**/*.yml"
    to: str = "to"
    role: str = "role"


def read_mapping(name: str, values: Mapping[str, object]) -> YamlMapping:
    """Return the mapping that a file holds. Raises FormatError, with the file, where it is none."""
    known = (*MAPPED, *_WORDS, *_OTHERS)
    if wrong := sorted(set(values) - set(known)):
        raise FormatError(f"{name}:1: a mapping has no key {wrong[0]}; there are {', '.join(known)}")
    fields = {key: tuple(map(str, _listed(values[key]))) for key in MAPPED if values.get(key)}
    if "text" not in fields:
        raise FormatError(f"{name}:1: a mapping names the field of the text: `text: FIELD`")
    words = [{str(key): None if each is None else str(each) for key, each in _table(values, key)} for key in _WORDS]
    link = dict(_table(values, "link"))
    return YamlMapping(
        name,
        fields,
        types=words[0],
        relations=words[1],
        files=str(values.get("files") or "**/*.yml"),
        to=str(link.get("to") or "to"),
        role=str(link.get("role") or "role"),
    )


def read_mapped(mapping: YamlMapping, files: Iterable[tuple[str, str, Mapping[str, object]]]) -> ForeignItems:
    """Return an item for each file: its name for messages, its path below the root, and its values.

    Fields that the mapping does not name are counted in `left`, as are links and items whose word is None.
    """
    items = []
    unnamed, dropped = Counter[str](), Counter[str]()
    named = {path.partition(".")[0] for paths in mapping.fields.values() for path in paths}
    for name, path, values in files:
        unnamed.update(key for key, value in values.items() if value and key not in named)
        item = _mapped_item(mapping, name, path.rpartition(".")[0], values, dropped)
        if item is not None:
            items.append(item)
    left = [f"{mapping.name}:1: the mapping does not name the field {key} ({n} items)" for key, n in unnamed.items()]
    left += [f"{mapping.name}:1: the mapping leaves out {what} ({n})" for what, n in dropped.items()]
    return ForeignItems(tuple(items), tuple(sorted(left)), "yaml")


def _mapped_item(
    mapping: YamlMapping, name: str, path: str, values: Mapping[str, object], dropped: Counter[str]
) -> ForeignItem | None:
    def texts(field: str) -> list[str]:
        found = (each for way in mapping.fields.get(field, ()) for each in _reached(values, way.split(".")))
        return [text for each in found if (text := _plain_text(each))]

    def first(field: str) -> str:
        return next(iter(texts(field)), "")

    kind = first("kind")
    word = mapping.types.get(kind, kind)
    if word is None:
        dropped[f"items of the kind {kind}"] += 1
        return None
    own = first("id") if "id" in mapping.fields else path
    links = []
    for way in mapping.fields.get("links", ()):
        for each in _reached(values, way.split(".")):
            shape = each if isinstance(each, dict) else {mapping.to: each}
            role = _plain_text(shape.get(mapping.role))
            to = _plain_text(shape.get(mapping.to))
            relation = mapping.relations.get(role, role)
            if relation is None:
                dropped[f"links with the role {role}"] += 1
            elif to:
                to = to if "id" in mapping.fields else _path_from(path, to)
                links.append(ForeignLink(to, relation))
    notes = {
        way: "\n\n".join(filter(None, map(_plain_text, _reached(values, way.split(".")))))
        for way in mapping.fields.get("notes", ())
    }
    return ForeignItem(
        id=own,
        kind=word,
        place=f"{name}:1",
        title=" ".join(first("title").split()),
        text=first("text").strip("\n"),
        rationale=first("rationale"),
        links=tuple(dict.fromkeys(links)),
        verification=first("verification") or None,
        tags=tuple(texts("tags")),
        status=first("status"),
        attributes={key: text for key, text in notes.items() if text},
    )


def _reached(value: object, way: Sequence[str]) -> Iterator[object]:
    """Yield the values at the end of a way; `*` and the end of the way go through each entry of a list."""
    if isinstance(value, list) and (not way or way[0] == "*"):
        for each in value:
            yield from _reached(each, way[1:])
    elif not way:
        yield value
    elif isinstance(value, dict) and way[0] in value:
        yield from _reached(value[way[0]], way[1:])


def _path_from(own: str, to: str) -> str:
    """Return the path that a link names.

    >>> _path_from("rtems/clock/if/get", "../group"), _path_from("rtems/clock/if/get", "/req/root")
    ('rtems/clock/group', 'req/root')
    """
    return posixpath.normpath(to.lstrip("/") if to.startswith("/") else f"{own.rpartition('/')[0]}/{to}").lstrip("/")


def _plain_text(value: object) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value)


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _table(values: Mapping[str, object], key: str) -> list[tuple[object, object]]:
    found = values.get(key)
    return list(found.items()) if isinstance(found, dict) else []
