"""Who made or reviewed something: actors by name and e-mail address, and which of them are one person."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from verifflowcc.records import dataclass

NAMELESS = "human:unknown"
"""A person whom git has no name for: it could be anybody, the author included."""

_INVISIBLE_LETTERS = frozenset("\u115f\u1160\u3164\uffa0")
"""Fillers that Unicode counts as letters; a name with one looks like the name without it."""
_LETTERS = ("L", "N", "M")
_T = TypeVar("_T")


def is_named_person(actor: str) -> bool:
    """Say whether a person with a name acts, who can answer for it.

    >>> is_named_person("human:You"), is_named_person("human:unknown"), is_named_person("ci")
    (True, False, False)
    """
    return actor.startswith("human:") and actor != NAMELESS


@dataclass(frozen=True, slots=True)
class Contributor:
    """An actor, with the e-mail address and the kind of record that name them, as far as these are known.

    `how` is shown with an author: `stage put`, `recorded edit`, `review request`; empty for what git names.
    """

    actor: str
    email: str = ""
    how: str = ""

    def __str__(self) -> str:
        address = f" <{self.email}>" if self.email else ""
        return f"{self.actor}{address}{f' ({self.how})' if self.how else ''}"

    def is_same(self, other: "Contributor") -> bool:
        """Whether both are one person: by name, however it is spelled, or by e-mail address.

        >>> Contributor("human:You").is_same(Contributor("human:y o u."))
        True
        >>> Contributor("human:You", "me@a.org").is_same(Contributor("human:Me", "ME@a.org"))
        True
        >>> Contributor("human:Jo").is_same(Contributor("agent:Jo"))
        False
        """
        kind, _, name = self.actor.partition(":")
        other_kind, _, other_name = other.actor.partition(":")
        if kind != other_kind:
            return False
        alike = fold_name(name) == fold_name(other_name)
        return alike or (kind == "human" and bool(self.email) and _folded(self.email) == _folded(other.email))


def fold_name(name: str) -> str:
    """Return a name without case, white space, punctuation and Unicode's variants of letters.

    A name of nothing else keeps its punctuation.

    >>> fold_name("Y o u"), fold_name("Ｏ’Neil-Smith"), fold_name("...")
    ('you', 'oneilsmith', '...')
    """
    from unicodedata import category, normalize

    plain = normalize("NFKC", normalize("NFKC", name).casefold())
    kept = "".join(
        letter
        for letter in plain
        if category(letter).startswith(_LETTERS) and letter not in _INVISIBLE_LETTERS and not _is_variation(letter)
    )
    return kept or "".join(plain.split())


def same_person(one: str, other: str) -> bool:
    """Whether two actors are one person by their names alone.

    >>> same_person("human:Jo Doe", "human:jo  doe"), same_person("human:Jo", "agent:Jo")
    (True, False)
    """
    return Contributor(one).is_same(Contributor(other))


def one_each(found: Sequence[_T], who: Callable[[_T], Contributor]) -> list[_T]:
    """Return the latest of `found` for each person, in the order in which the people come first.

    Who shares a name with one entry and an address with another makes one person of both.
    """
    groups: list[list[_T]] = []
    for one in found:
        same = [group for group in groups if any(who(one).is_same(who(other)) for other in group)]
        merged = [*(each for group in same for each in group), one]
        place = groups.index(same[0]) if same else len(groups)
        groups[place : place + 1] = [merged]
        groups = [group for group in groups if group is merged or group not in same]
    return [group[-1] for group in groups]


def _folded(email: str) -> str:
    return email.strip().casefold()


def _is_variation(letter: str) -> bool:
    return "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef" or letter == "\u034f"
