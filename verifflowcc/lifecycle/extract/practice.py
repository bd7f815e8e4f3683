"""A practice that the rules know by name, and what it can be."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Value:
    """One thing that a practice can be: how it is written, its normal form, and its name in a sentence.

    `alone` says that the words mean it wherever they stand; else the practice's own words must stand beside them.
    """

    pattern: str
    name: str
    alone: bool = True
    label: str = ""


@dataclass(frozen=True, slots=True)
class Practice:
    """`about` are the words for it; `says` and `denies` its sentences, where `{}` is the value's label.

    `stems` are letters of which some stand in every sentence that speaks of it, so that the others are passed by.
    """

    name: str
    stems: str
    about: str
    says: str
    denies: str
    values: tuple[Value, ...] = ()


def values_named(*each: tuple[str, str]) -> tuple[Value, ...]:
    return tuple(Value(pattern, label.casefold().replace(" ", "-"), label=label) for pattern, label in each)
