"""Ids for what comes from another tool: its own where it can be one of ours, else one that follows from it."""

import re
from collections.abc import Collection, Iterable, Mapping
from hashlib import sha256

from verifflowcc.text.slug import ALPHABET, LETTERS

_FILE_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._+-]{0,118}[A-Za-z0-9_+-])?")
_WRONG = re.compile(r"[^A-Za-z0-9._-]+")
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")


def adopted_ids(
    names: Iterable[str], pattern: str, known: Mapping[str, str], taken: Collection[str]
) -> Mapping[str, str]:
    """Return foreign id → ours, the same for the same names in whatever order.

    `known` are those that an earlier import gave. `taken` are ids of other items: a foreign id that is one of them
    stays as it is, for the caller to refuse.
    """
    found = dict(known)
    used = {each.casefold() for each in (*known.values(), *taken)}
    others = sorted(set(names) - set(found))
    fitting = [name for name in others if _fits(name, pattern)]
    for name in fitting:
        if name.casefold() in used and name not in taken:
            continue
        found[name] = name
        used.add(name.casefold())
    for name in others:
        if name not in found:
            found[name] = _made(name, pattern, used)
            used.add(found[name].casefold())
    return found


def _fits(name: str, pattern: str) -> bool:
    return bool(_FILE_NAME.fullmatch(name) and re.fullmatch(pattern, name) and not _RESERVED.fullmatch(name))


def _made(name: str, pattern: str, used: Collection[str]) -> str:
    plain = _WRONG.sub("-", name).strip("-._")[:100].rstrip("-._") or "item"
    number = int.from_bytes(sha256(name.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    letters = "".join(ALPHABET[number >> 5 * place & 31] for place in range(2 * LETTERS))
    candidates = (plain, f"{plain}-{letters[:LETTERS]}", f"{plain}-{letters}")
    free = [each for each in candidates if each.casefold() not in used]
    return next((each for each in free if _fits(each, pattern)), free[0])
