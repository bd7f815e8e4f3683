"""What people said in a sprint: reviews, acceptances, waivers and comments, as the ledger holds them."""

from collections.abc import Mapping
from enum import StrEnum

from verifflowcc.domain.contributors import Contributor
from verifflowcc.records import dataclass, field


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
    the same reviewer that it takes back (None: all that came before it); `seen` maps the files that were looked at to
    their digests, as far as they were few. `email` is the reviewer's address, where it is known.
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
    seen: Mapping[str, str] = field(default_factory=dict)
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
