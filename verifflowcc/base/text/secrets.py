"""Find what looks like a secret in a text, and put a word in its place. The kinds are in `text.secret_kinds`.

What only holds the place of a secret (`<your-key>`, `xxxx`, `${TOKEN}`, `changeme`) is none, so that documentation
raises no alarm. Nothing here tells what a secret is: only its kind and its place.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.secret_kinds import AROUND, TOKENS, WIDE, SecretKind, pattern

# Values beside a name such as `password` or `api_key`: assigned, in an element, of a command, in a sentence.
#
# One pass looks for the roots of such names; what stands to the left and right of each root then decides. All of it
# reads a bounded stretch around a root, so that it takes time in proportion to the text. What decides is compiled when
# a text first has a root: a hook withholds secrets from every event that it records.

_ROOT = lazy_pattern(
    r"pass(?:w(?:or)?d|phrase|wort|code)|pass(?![a-z])|pwd|secret|credential|token|bearer|key(?![a-rt-z])|auth(?!o)|_pw"
)
_NEEDS_MORE = frozenset({"pass", "key", "auth", "_pw"})
"""Roots that are words of everyday: something in front of them says that they name a secret."""
_IN_FRONT = (
    r"(?:api|app|access|account|auth|client|deploy|encryption|license|master|private|service|shared|signing|storage|"
    r"webhook|session|admin|db|database|user|root|smtp|ftp|ssh|redis|mysql|postgres|pg|mail|npm|x)[ _.-]?|[_.-]"
)
_KEYS_OF_DATA = (
    r"(?:public|publishable|foreign|primary|partition|sort|cache|idempotency|next[ _-]?page|page|sub|unsub|sync|"
    r"continuation|csrf|xsrf|next)[ _-]?$"
)
_QUOTED = r"""(?:"([^"\n]{6,300})"|'([^'\n]{6,300})'|`([^`\n]{6,300})`|\\"([^"\\\n]{6,300})\\"""
_VALUE = _QUOTED + r"""|([^\s"'`<>(){}\[\]\\]{6,300}))"""
_ASSIGNED = (
    r"""[A-Za-z0-9_]{0,24}(?:\\?["'`])?\]?(?:\*\*)?(?:[ \t]{0,3}:[ \t]{0,3}[A-Za-z]{2,20}\??)?"""
    r"""[ \t]{0,3}(?::=|=>|==|=|:|\||->|→)(?:\*\*)?[ \t]{0,3}""" + _VALUE
)
_PASSED = r"""[A-Za-z0-9_]{0,24}(?:["'`]\s{0,3},|\s{1,3}(?:by)?)\s{0,3}""" + _QUOTED + ")"
"""An argument behind the name of a variable, or a value in quotes right behind the word, as in SQL."""
_ELEMENT = r"[A-Za-z0-9_.-]{0,20}>\s{0,3}([^<>\s]{6,300})\s{0,3}</"
_BEHIND_SPACE = r"[A-Za-z0-9_]{0,20}\s{1,3}" + _VALUE
_COMMAND_IN_FRONT = r"(?u:(?:^|\s)--?[a-z0-9_.-]{0,30}|(?:^|\s)(?:env|arg|setx|set)\s{1,3}[a-z0-9_]{0,40})$"
_SENTENCE_VALUE = (
    r"s?(?:\s{1,2}(?:for|of|on|in|at|von)(?:\s{1,2}[^\s,;]{1,60}){1,3}?)?\s{1,2}"
    r"(?:is|are|was|to|ist|=|as)(?:\s{1,2}(?:now|still|always|set to))?:?\s{1,2}" + _VALUE
)
_LEFT = 60
ASSIGNED, SPOKEN = "password or key beside its name", "password or key in a sentence"


def beside_names(text: str, lower: str) -> Iterator[tuple[str, int, int]]:
    """Yield (kind, start, end) of each value next to the name of a secret.

    The value itself is not judged. `lower` is the text in small letters, of the same length.
    """
    for root in _ROOT.finditer(lower):
        left = lower[max(0, root.start() - _LEFT) : root.start()]
        if not _names_a_secret(root[0], left):
            continue
        where = root.end()
        assigned = _first(text, where, _ASSIGNED, _ELEMENT, _PASSED)
        if assigned is None and pattern(_COMMAND_IN_FRONT).search(left):
            assigned = pattern(_BEHIND_SPACE).match(text, where)
        found, kind = (assigned, ASSIGNED) if assigned else (pattern(_SENTENCE_VALUE).match(text, where), SPOKEN)
        if found is not None and found.lastindex:
            yield kind, *found.span(found.lastindex)


def _first(text: str, where: int, *sources: str) -> re.Match[str] | None:
    return next((found for source in sources if (found := pattern(source).match(text, where))), None)


def _names_a_secret(root: str, left: str) -> bool:
    if pattern(_KEYS_OF_DATA).search(left):
        return False
    if root not in _NEEDS_MORE:
        return True
    return any(match.end() == len(left) for match in pattern(_IN_FRONT).finditer(left, max(0, len(left) - 12)))


SHORTEST = 8
"""A text of fewer characters holds no secret that could be told from a word."""
SHORTEST_TOKEN = 20


def _anchors(kinds: Iterable[SecretKind]) -> tuple[tuple[str, SecretKind], ...]:
    return tuple((anchor, kind) for kind in kinds for anchor in kind.anchors)


_WIDE, _TOKENS, _AROUND = _anchors(WIDE), _anchors(TOKENS), _anchors(AROUND)
_SMALL = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_END = lazy_pattern(r"""[.,;:!?"'`\\*|]+$|[&;,].*""", re.DOTALL)
"""What ends the sentence, the parameter or the member that a value stands in."""


@dataclass(frozen=True, slots=True)
class SecretMatch:
    """A secret's kind, and where it begins and ends in the text."""

    kind: str
    start: int
    end: int


def find_secrets(text: str) -> tuple[SecretMatch, ...]:
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


def _by_shape(text: str, lower: str) -> Iterator[SecretMatch]:
    kinds = _held(_WIDE, lower)
    long_words = [word for word in lower.split() if len(word) >= SHORTEST_TOKEN]
    if long_words:
        kinds += _held(_TOKENS, "\n".join(long_words))
    if not kinds:
        return
    from verifflowcc.base.text.secret_kinds import holds_a_place  # most texts hold nothing that is looked at

    for kind in kinds:
        for match in pattern(kind.source).finditer(text):
            group = match.lastindex or 0
            if not holds_a_place(match[group]):
                yield SecretMatch(kind.name, *match.span(group))


def _by_surroundings(text: str, lower: str) -> Iterator[SecretMatch]:
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
) -> Iterator[SecretMatch]:
    from verifflowcc.base.text.secret_kinds import looks_drawn

    value = text[start:end]
    quoted = start > 0 and text[start - 1] in "\"'`"
    if not quoted:
        value = _END.sub("", value)
    if looks_drawn(value, in_prose=in_prose, surely=surely):
        yield SecretMatch(name, start, start + len(value))


def _joined(found: list[SecretMatch]) -> Iterator[SecretMatch]:
    """Yield each stretch once; of those that overlap, what was found first names the whole."""
    order = {id(each): number for number, each in enumerate(found)}
    stretch: list[SecretMatch] = []
    for each in sorted(found, key=lambda each: each.start):
        if stretch and each.start >= max(one.end for one in stretch):
            yield _whole(stretch, order)
            stretch = []
        stretch.append(each)
    if stretch:
        yield _whole(stretch, order)


def _whole(stretch: list[SecretMatch], order: dict[int, int]) -> SecretMatch:
    first = min(stretch, key=lambda each: order[id(each)])
    return SecretMatch(first.kind, min(each.start for each in stretch), max(each.end for each in stretch))
