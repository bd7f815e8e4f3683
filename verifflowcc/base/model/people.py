"""Who acts, as events and items name them, and in words for people."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import TypeVar

from verifflowcc.base.records import dataclass, field

# Who made or reviewed something: actors by name and e-mail address, and which of them are one person.

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


# What people said in a sprint: reviews, acceptances, waivers and comments, as the ledger holds them.


class Opinion(StrEnum):
    """A reviewer's word; `requested` is the author's wish to be reviewed."""

    APPROVED = "approved"
    REJECTED = "rejected"
    REQUESTED = "requested"


@dataclass(frozen=True, slots=True)
class Review:
    """A review, or an acceptance (then with a `statement`), of the content whose digest is `subject`.

    `event` is the id of its event, `expires` the last day (`2026-12-31`) on which it holds, `signed` the commit that
    vouches for it where nobody sat at a terminal. `criterion` is the one that it is for. `replaces` are the events of
    the same reviewer that it takes back (None: all that came before it); `file_digests` maps the files that were looked
    at to their digests, as far as they were few. `email` is the reviewer's address, where it is known.
    """

    event: str
    stage: str
    criterion: str
    opinion: Opinion
    """`approved`, `rejected` or `requested`."""
    actor: str
    time: str
    subject: str
    """The digest of what was seen."""
    reason: str = ""
    statement: str = ""
    """An acceptance in words."""
    expires: str | None = None
    """The last day, or null."""
    signed: str | None = None
    """The commit that vouches for it, or null."""
    replaces: tuple[str, ...] | None = None
    file_digests: Mapping[str, str] = field(default_factory=dict)
    email: str = ""
    """The reviewer's address, or empty."""

    @property
    def by(self) -> Contributor:
        """Who reviewed it."""
        return Contributor(self.actor, self.email)


@dataclass(frozen=True, slots=True)
class Waiver:
    """Leave to pass a criterion that is not met, for the subject that it was given for and until `expires` (a day)."""

    event: str
    stage: str
    criterion: str
    reason: str
    actor: str
    time: str
    subject: str
    expires: str | None
    email: str = ""
    """The person's address, or empty."""

    @property
    def by(self) -> Contributor:
        """Who waived it."""
        return Contributor(self.actor, self.email)


class Decision(StrEnum):
    """What became of a comment; `later` carries it into the next sprint's planning."""

    OPEN = "open"
    DONE = "done"
    REJECTED = "rejected"
    LATER = "later"


@dataclass(frozen=True, slots=True)
class Feedback:
    """A comment on a stage (None: on the sprint). `sprint` is where it was made, `event` its id there."""

    event: str
    sprint: str
    stage: str | None
    text: str
    actor: str
    time: str
    decision: Decision = Decision.OPEN
    """`open`, `done`, `rejected` or `later`."""
    decided_by: str = ""
    reason: str = ""


UNKNOWN = "agent:unknown"
PROGRAM = "agent:program"
"""A process without a terminal and without a sign of a client: it may do what an agent may, and has no role.

The name begins as an agent's does, so that every rule for agents holds for it, also in versions that do not know it.
"""
NO_ROLE = frozenset((UNKNOWN, PROGRAM))
"""Any number of processes share these names, so an item of one of them belongs to none of them."""


def described(actor: str) -> str:
    """Return an actor in words.

    >>> described("agent:coder"), described("agent:program"), described("ci")
    ('agent:coder', 'a program without a terminal', 'a CI job')
    """
    return {PROGRAM: "a program without a terminal", "ci": "a CI job"}.get(actor, actor)


def needs_person(what: str, actor: str) -> str:
    """Return the sentence that refuses `what` to anybody but a person.

    >>> needs_person("approving", "ci")
    'approving needs a person at a terminal, and this is a CI job'
    """
    return needs("a person at a terminal", what, actor)


def needs(who: str, what: str, actor: str, why: str = "") -> str:
    """Return the sentence that refuses `what` to anybody but `who`; `why` is how the actor was recognised.

    >>> needs("a person at a terminal", "vfcc waive", "agent:unknown", "CLAUDECODE is set")
    'vfcc waive needs a person at a terminal, and this is agent:unknown (CLAUDECODE is set)'
    """
    return f"{what} needs {who}, and this is {described(actor)}{f' ({why})' if why else ''}"
