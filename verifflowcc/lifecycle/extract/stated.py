"""A statement in its normal form."""

import re

from verifflowcc.records import dataclass

_SPACE = re.compile(r"[^a-z0-9@_.+#/*-]+")


@dataclass(frozen=True, slots=True)
class Stated:
    """What is spoken of (`function-names`), what is said of it (`start:a_`), and whether it is said not to be so.

    `says` is the whole as a sentence that stands alone. `key` is what all statements have in common of which only the
    newest can hold. `known` says that the subject is one that the rules know by name, not merely words of a sentence.
    """

    subject: str
    value: str
    negated: bool
    says: str
    key: str
    known: bool = True


def named(text: str) -> str:
    """Return words as one name in lower case.

    >>> named("Function  argument names")
    'function-argument-names'
    """
    return _SPACE.sub("-", text.casefold()).strip("-.")


def key_of(subject: str, value: str) -> str:
    """Return the key of a normal form: the subject, and the aspect where the value names one.

    >>> key_of("function-names", "start:a_"), key_of("ide", "vim"), key_of("class-names", "include=chx")
    ('function-names.start', 'ide', 'class-names.include-chx')
    """
    if "=" in value:
        return f"{subject}.{value.replace('=', '-')}"
    aspect, colon, _ = value.partition(":")
    return f"{subject}.{aspect}" if colon else subject
