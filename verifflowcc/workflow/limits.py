"""Limits on measures, in whole numbers: a count against millionths, a share against millionths of a percent."""

from collections.abc import Mapping

from verifflowcc.domain.gates import Criterion
from verifflowcc.records import dataclass

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Measure:
    """A number as an exact fraction, and what is said of it: `line coverage`, `12.5 %`."""

    name: str
    number: int
    of: int = 1
    unit: str = ""

    def __str__(self) -> str:
        return decimal(self.number * MILLION // self.of, self.unit)


@dataclass(frozen=True, slots=True)
class Unmet:
    """A limit that a measure does not keep; `said` is the clause for it."""

    measure: str
    said: str


def percent(name: str, part: int, whole: int) -> Measure:
    """Return a share as a measure in percent; `whole` is above 0."""
    return Measure(name, part * 100, whole, " %")


def unmet(
    criterion: Criterion, measures: Mapping[str, Measure], at_least: Mapping[str, int], at_most: Mapping[str, int]
) -> tuple[Unmet, ...]:
    """Return the limits that are not kept: those given, and those of the criterion, which replace them by name.

    A limit on what was not measured is not kept.
    """
    found = []
    for name, limit in sorted({**at_least, **criterion.at_least}.items()):
        one = measures.get(name)
        if one is None:
            found.append(Unmet(name, f"{name} was not measured"))
        elif one.number * MILLION < limit * one.of:
            found.append(Unmet(name, f"{one.name} is {_below(one)}, {decimal(limit, one.unit)} is needed"))
    for name, limit in sorted({**at_most, **criterion.at_most}.items()):
        one = measures.get(name)
        if one is None:
            found.append(Unmet(name, f"{name} was not measured"))
        elif one.number * MILLION > limit * one.of:
            found.append(Unmet(name, f"{one.name} is {_above(one)}, {decimal(limit, one.unit)} is allowed"))
    return tuple(found)


def _below(one: Measure) -> str:
    """A share that misses its limit by a hair is not shown as the limit: cut, to two places."""
    return str(one) if not one.unit else decimal(one.number * 100 // one.of * 10_000, one.unit)


def _above(one: Measure) -> str:
    return str(one) if not one.unit else decimal(-(-one.number * 100 // one.of) * 10_000, one.unit)


def decimal(millionths: int, unit: str = "") -> str:
    """Return a number of millionths as people write it.

    >>> decimal(12_500_000), decimal(-80_000_000, " %"), decimal(1)
    ('12.5', '-80 %', '0.000001')
    """
    whole, rest = divmod(abs(millionths), MILLION)
    digits = f".{rest:06d}".rstrip("0") if rest else ""
    return f"{'-' if millionths < 0 else ''}{whole}{digits}{unit}"
