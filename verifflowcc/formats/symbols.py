"""Symbols of source texts: the shape that all scanners give, and the digest of a symbol's text."""

from collections.abc import Iterable

from verifflowcc.domain.trace import CodeSymbol
from verifflowcc.records import dataclass
from verifflowcc.text.canonical import digest_text

MOST_SYMBOLS = 5_000
DEEPEST = 20
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Block:
    """A named part of a text: its first and last line, counted from 1."""

    name: str
    line: int
    end: int


def with_digests(blocks: Iterable[Block], text: str) -> tuple[CodeSymbol, ...]:
    """Return the blocks as symbols, by line, the outer ones first; at most 5,000 of them."""
    lines = text.split("\n")
    ordered = sorted(blocks, key=lambda each: (each.line, -each.end, each.name))[:MOST_SYMBOLS]
    # Thousands of functions may share the one line of a minified file.
    digests = {(each.line, each.end): "" for each in ordered}
    for first, last in digests:
        digests[first, last] = symbol_digest(lines, first, last)
    return tuple(CodeSymbol(each.name, each.line, each.end, digests[each.line, each.end]) for each in ordered)


def symbol_digest(lines: list[str], first: int, last: int) -> str:
    """Return the digest of some lines without their common indentation and trailing blanks."""
    own = [line.rstrip() for line in lines[first - 1 : last]]
    blanks = [line[: len(line) - len(line.lstrip())] for line in own if line]
    low, high = (min(blanks), max(blanks)) if blanks else ("", "")
    common = next((place for place, letter in enumerate(low) if letter != high[place : place + 1]), len(low))
    return digest_text("\n".join(line[common:] for line in own).encode("utf-8", "surrogatepass"))


def digest_of_named(digests: Iterable[str]) -> str | None:
    """Return the digest of all symbols of one name; None where there is none."""
    found = sorted(digests)
    return found[0] if len(found) == 1 else digest_text("\n".join(found)) if found else None
