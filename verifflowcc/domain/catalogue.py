"""A set of checks as the writers of reports need it: the codes, what they mean, and what the check is called."""

from collections.abc import Mapping
from enum import StrEnum

from verifflowcc.domain.trace import Family
from verifflowcc.domain.trace_codes import CHECKS, Check
from verifflowcc.domain.trace_help import HELP, Help
from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All codes of one check. `name` is its command, `suite` the first part of its suites' names, `tag` its subject.

    `nowhere` is what a finding that is about no file is shown at; `fingerprint` names the rule that makes its
    fingerprints.
    """

    name: str
    suite: str
    tag: str
    checks: Mapping[str, Check]
    help: Mapping[str, Help]
    families: tuple[StrEnum, ...]
    nowhere: str
    fingerprint: str


TRACE = Catalogue(
    "vfcc check trace",
    "trace",
    "traceability",
    CHECKS,
    HELP,
    tuple(Family),
    ".memory/project/items",
    "vfccTrace/v1",
)
