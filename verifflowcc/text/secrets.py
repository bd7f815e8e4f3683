"""Find what looks like a secret in a text, and put a word in its place. The kinds are in `text.secret_kinds`.

What only holds the place of a secret (`<your-key>`, `xxxx`, `${TOKEN}`, `changeme`) is none, so that documentation
raises no alarm. Nothing here tells what a secret is: only its kind and its place.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from verifflowcc.records import dataclass
from verifflowcc.text.secret_kinds import AROUND, TOKENS, WIDE, SecretKind, pattern
from verifflowcc.text.secret_names import SPOKEN, beside_names

SHORTEST = 8
"""A text of fewer characters holds no secret that could be told from a word."""
SHORTEST_TOKEN = 20


def _anchors(kinds: Iterable[SecretKind]) -> tuple[tuple[str, SecretKind], ...]:
    return tuple((anchor, kind) for kind in kinds for anchor in kind.anchors)


_WIDE, _TOKENS, _AROUND = _anchors(WIDE), _anchors(TOKENS), _anchors(AROUND)
_SMALL = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_END = re.compile(r"""[.,;:!?"'`\\*|]+$|[&;,].*""", re.DOTALL)
"""What ends the sentence, the parameter or the member that a value stands in."""


@dataclass(frozen=True, slots=True)
class Found:
    """A secret's kind, and where it begins and ends in the text."""

    kind: str
    start: int
    end: int


def find_secrets(text: str) -> tuple[Found, ...]:
    """Return what looks like a secret, in order; of overlapping ones the whole stretch, by its most telling kind.

    Takes time in proportion to the text.
    """
    if len(text) < SHORTEST:
        return ()
    lower = text.lower()
    if len(lower) != len(text):
        lower = text.translate(_SMALL)
    found = [*_by_shape(text, lower), *_by_surroundings(text, lower)]
    return tuple(_joined(found)) if found else ()


def withhold(text: str) -> str:
    """Return a text with a word for each secret in it, which says the kind.

    >>> withhold("password = 'Tr0ub4dor" + "&3x'")
    "password = '[secret withheld: password or key beside its name]'"
    """
    found = find_secrets(text)
    if not found:
        return text
    parts: list[str] = []
    end = 0
    for each in found:
        parts += (text[end : each.start], f"[secret withheld: {each.kind}]")
        end = each.end
    return "".join((*parts, text[end:]))


def kinds_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the kinds of secrets that texts hold, each once, sorted."""
    return tuple(sorted({each.kind for text in texts for each in find_secrets(text)}))


def place_of(text: str, start: int) -> str:
    """Return a place in a text as `line:column`, both from 1.

    >>> place_of("one\\ntwo", 5)
    '2:2'
    """
    return f"{text.count(chr(10), 0, start) + 1}:{start - text.rfind(chr(10), 0, start)}"


def _by_shape(text: str, lower: str) -> Iterator[Found]:
    kinds = _held(_WIDE, lower)
    long_words = [word for word in lower.split() if len(word) >= SHORTEST_TOKEN]
    if long_words:
        kinds += _held(_TOKENS, "\n".join(long_words))
    if not kinds:
        return
    from verifflowcc.text.secret_values import holds_a_place  # most texts hold nothing that is looked at

    for kind in kinds:
        for match in pattern(kind.source).finditer(text):
            group = match.lastindex or 0
            if not holds_a_place(match[group]):
                yield Found(kind.name, *match.span(group))


def _by_surroundings(text: str, lower: str) -> Iterator[Found]:
    for kind in _held(_AROUND, lower):
        for match in pattern(kind.source).finditer(text):
            yield from _drawn(kind.name, text, *match.span(match.lastindex or 0), surely=True)
    for name, start, end in beside_names(text, lower):
        yield from _drawn(name, text, start, end, in_prose=name == SPOKEN)


def _held(anchors: Sequence[tuple[str, SecretKind]], place: str) -> list[SecretKind]:
    """Return the kinds one of whose anchors is there, each once."""
    found = [kind for anchor, kind in anchors if anchor in place]
    return list(dict.fromkeys(found)) if len(found) > 1 else found


def _drawn(
    name: str, text: str, start: int, end: int, *, in_prose: bool = False, surely: bool = False
) -> Iterator[Found]:
    from verifflowcc.text.secret_values import looks_drawn

    value = text[start:end]
    quoted = start > 0 and text[start - 1] in "\"'`"
    if not quoted:
        value = _END.sub("", value)
    if looks_drawn(value, in_prose=in_prose, surely=surely):
        yield Found(name, start, start + len(value))


def _joined(found: list[Found]) -> Iterator[Found]:
    """Yield each stretch once; of those that overlap, what was found first names the whole."""
    order = {id(each): number for number, each in enumerate(found)}
    stretch: list[Found] = []
    for each in sorted(found, key=lambda each: each.start):
        if stretch and each.start >= max(one.end for one in stretch):
            yield _whole(stretch, order)
            stretch = []
        stretch.append(each)
    if stretch:
        yield _whole(stretch, order)


def _whole(stretch: list[Found], order: dict[int, int]) -> Found:
    first = min(stretch, key=lambda each: order[id(each)])
    return Found(first.kind, min(each.start for each in stretch), max(each.end for each in stretch))
