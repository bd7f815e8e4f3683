"""A question to memory whose answers are known: a line of a labelled file, for `vfcc memory eval`."""

from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class Expectation:
    """The name of an item that answers a question (its id, key, path or file), and the line on which it stands."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question in words, from a line of a file, and the items that answer it, at least one.

    `scope` is where it is asked, None: where the others are. The rest is as in `domain.recall.Sought`.
    """

    question: str
    expect: tuple[Expectation, ...]
    line: int
    scope: str | None = None
    types: tuple[str, ...] = ()
    as_of: str | None = None
    everything: bool = False
    files: tuple[str, ...] = ()
