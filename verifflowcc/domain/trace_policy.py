"""What a workflow asks of the trace: item types, relations, what each type needs, how much each finding weighs."""

from collections.abc import Mapping

from verifflowcc.domain.trace import Severity
from verifflowcc.records import dataclass, field

METHODS = ("test", "review", "inspection", "analysis", "demonstration", "metric")
"""How an item may be verified. `test` is shown by results, `metric` by evidence, the others by a person or evidence."""


@dataclass(frozen=True, slots=True)
class ItemRule:
    """A type of trace items.

    `prefix` begins the ids that vfcc makes (`REQ`). `level` is its place from the top (0), None where it has none:
    `refines` goes from a lower to a higher or the same level. `root` says that it needs no parent. `fields` are keys
    that it must have, `requires` headings that its text must fill. `verified` says that something must show it.
    """

    name: str
    prefix: str
    level: int | None = None
    """Its place from the top, or null."""
    root: bool = False
    """Whether it needs no parent."""
    fields: tuple[str, ...] = ()
    verified: bool = False
    """Whether something must verify it."""
    requires: tuple[str, ...] = ()
    """Headings that need text."""


@dataclass(frozen=True, slots=True)
class RelationRule:
    """Which types a relation leads from (the item that holds the link) and to. `upward` says that the target is above
    in the V, so that the item which holds the link has a parent by it.
    """

    name: str
    from_types: tuple[str, ...]
    to_types: tuple[str, ...]
    upward: bool = True
    """Whether it leads to a parent."""


@dataclass(frozen=True, slots=True)
class Need:
    """What each item of some types needs from below: `at_least` links by one of the relations from one of the types.

    `id` names the rule: a criterion may ask for it alone. `code` counts marks in code as links too (unit → files).
    `or_tests` accepts a test that names the item directly instead.
    """

    id: str
    of: tuple[str, ...]
    by: tuple[str, ...]
    from_types: tuple[str, ...]
    at_least: int = 1
    code: bool = False
    or_tests: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class TracePolicy:
    """A workflow's rules for the trace.

    `id_pattern` is a regular expression that every id obeys. `integrity` are levels, the lowest first: a child has at
    least the level of its parent. `weak_words` make a wording weak. `code` are patterns of files that must belong to an
    item (none: not asked), `tests` those of test files. `severities` go before those of the table of codes.
    """

    types: Mapping[str, ItemRule]
    relations: Mapping[str, RelationRule]
    needs: tuple[Need, ...] = ()
    id_pattern: str = r"[A-Za-z0-9][A-Za-z0-9._-]*"
    integrity: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    severities: Mapping[str, Severity] = field(default_factory=dict)
    digest: str = ""
