"""A step of `migrate`, as it is reported."""

from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """One change: a path that gets another name, or (`before` is empty) a file that is written."""

    before: str
    """The old name; empty if a file is written."""
    after: str
    what: str
