"""What sorts of code a role's prompt shows, and which share of the room each has."""

from collections.abc import Mapping

from verifflowcc.records import dataclass, field_names

WHOLE = 1_000_000
"""Shares are whole millionths, so that adding them up is exact."""

BODIES, TESTS, INTERFACES, CALLERS, MAP, DIFF = PARTS = ("bodies", "tests", "interfaces", "callers", "map", "diff")
"""Functions whole; tests and their fixtures; signatures and fields; signatures of what calls the code; an overview of
all files; what changed. They are in the order in which a tie is decided, and in which a mix is shown.
"""


@dataclass(frozen=True, slots=True)
class CodeMix:
    """The share of each part in millionths. A part that has less to show than its share leaves it to the others."""

    bodies: int = 0
    """Whole functions, and the lines between them."""
    tests: int = 0
    """Tests of the code, with the fixtures of `conftest.py` that they use."""
    interfaces: int = 0
    """Signatures, and the fields of types."""
    callers: int = 0
    """Signatures of callers."""
    map: int = 0
    """An overview of all files, at most 3,000 tokens."""
    diff: int = 0
    """Changes since the building stage began, and uncommitted ones; the code around them comes first elsewhere."""

    def shares(self) -> dict[str, int]:
        """Return part → share of the parts that the mix has."""
        return {name: share for name in field_names(self) if (share := getattr(self, name))}


ORDINARY = "default"
"""The name of the mix of each role that has none of its own."""

_OVERVIEW = CodeMix(interfaces=700_000, map=300_000)
_INTERFACES = CodeMix(interfaces=800_000, callers=200_000)
MIXES: Mapping[str, CodeMix] = {
    ORDINARY: CodeMix(bodies=950_000, tests=50_000),
    "tester": CodeMix(tests=600_000, interfaces=400_000),
    "reviewer": CodeMix(diff=650_000, bodies=260_000, tests=50_000, callers=40_000),
    **dict.fromkeys(("planner", "analyst", "stakeholder"), _OVERVIEW),
    **dict.fromkeys(("architect", "designer"), _INTERFACES),
}
"""The shipped mixes, by the role that has them."""
