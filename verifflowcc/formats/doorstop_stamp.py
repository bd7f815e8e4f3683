"""Doorstop's stamps, computed as doorstop does: what a link and a review looked at, as one digest.

A stamp is the SHA-256, in URL-safe base 64, over the texts of these values one after the other: the item's name, its
text, its `ref`, its `references` if it has any, then (for a review) the names that it links to, in order, and then the
attributes that its document lists under `attributes: reviewed`. Checked against doorstop 3.2.
"""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence

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
    """Return a name's parts, so that `REQ3` and `req003` are one; None where doorstop knows no item of such a name.

    >>> uid_of("REQ003"), uid_of("SYS-login"), uid_of("readme")
    (('req', 3, ''), ('sys', -1, 'login'), None)
    """
    if found := _NAMED.match(name):
        number = int(found[2]) if found[2].isdecimal() else -1
        return found[1].lower(), number, "" if number >= 0 else found[2]
    found = _NUMBERED.match(name)
    return (found[1].rstrip(_SEPARATORS).lower(), int(found[2]), "") if found else None


def text_of(value: object) -> str:
    """Return a text as doorstop keeps it: no empty lines around it, no blanks at the ends of lines."""
    text = value if isinstance(value, str) else ""
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


def stamp(name: str, fields: Mapping[str, object], reviewed: Sequence[str], links: Sequence[str] | None = None) -> str:
    """Return an item's stamp; with `links`, the names that it links to in order, the stamp of a review.

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
