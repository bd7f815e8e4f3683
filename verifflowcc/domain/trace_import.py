"""What a file of another tool holds, before it becomes items: one shape for all of them."""

from collections.abc import Mapping

from verifflowcc.domain.trace import TraceItem
from verifflowcc.records import dataclass, field


@dataclass(frozen=True, slots=True)
class ForeignLink:
    """A link as the other tool has it.

    `role` is its word for the relation. `stamp` is its own digest of the other end; `holds` says whether that digest is
    still right by the tool's own rules, None where the tool has none.
    """

    to: str
    role: str = ""
    stamp: str | None = None
    holds: bool | None = None


@dataclass(frozen=True, slots=True)
class ForeignItem:
    """An item as the other tool has it.

    `id` is its identifier, "" where it has none. `kind` is its word for the type. `place` is `file:line`. `reviewed` is
    the tool's digest of a review; `review_holds` as in `ForeignLink`. `status` is its word for how far the item is.
    `comments` are remarks that are no part of what it demands. `attributes` are further fields, by name. `exact` says
    that it is from an export of vfcc, whose words are kept as they are; `own` is the whole item, with its `body`, where
    the export has all of it.
    """

    id: str
    kind: str
    place: str
    title: str = ""
    text: str = ""
    rationale: str = ""
    active: bool = True
    derived: bool = False
    normative: bool = True
    links: tuple[ForeignLink, ...] = ()
    verification: str | None = None
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    reviewed: str | None = None
    review_holds: bool | None = None
    status: str = ""
    comments: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    integrity: str = ""
    planned: str = ""
    tests: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    exact: bool = False
    own: TraceItem | None = None
    body: str = ""


@dataclass(frozen=True, slots=True)
class Foreign:
    """What was read: the items in the order of their files, and what could not be carried over (`file:line: why`).

    `malformed` is what the format does not allow (`file:line: why`), and was skipped.

    `tool` is the name of the format. `tops` are kinds whose items need no parent by the tool's own rules.
    """

    items: tuple[ForeignItem, ...]
    left: tuple[str, ...] = ()
    tool: str = ""
    tops: frozenset[str] = frozenset()
    malformed: tuple[str, ...] = ()
