"""What `vfcc doctor` has to say about one thing."""

from enum import StrEnum

from verifflowcc.records import dataclass


class Health(StrEnum):
    """`note` is worth knowing and does no harm; `finding` is to be mended."""

    OK = "ok"
    NOTE = "note"
    FINDING = "finding"


@dataclass(frozen=True, slots=True)
class Remark:
    """One line: what was looked at, how it is, what was seen, and the command or the one thing to do, if any."""

    about: str
    health: Health
    """`ok`, `note` or `finding`."""
    text: str
    step: str = ""
    """What to do, or empty."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All remarks, in the order in which things were looked at."""

    remarks: tuple[Remark, ...]

    @property
    def findings(self) -> tuple[Remark, ...]:
        """Those that are to be mended."""
        return tuple(each for each in self.remarks if each.health is Health.FINDING)
