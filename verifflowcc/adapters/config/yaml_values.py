"""YAML nodes → plain Python values, and the line of each.

YAML's versions disagree on what `no`, `010`, `1:30` or `2026-01-01` without quotes are. Read exactly, such a scalar is
`Ambiguous`, for the caller to explain; read leniently, it is the text as written.
"""

import re
from collections.abc import Callable
from decimal import Decimal

from verifflowcc.adapters.config.yaml_nodes import DEFAULT_LIMITS, Limits, Node, Scalar, Sequence, compose
from verifflowcc.errors import ConfigError
from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """A scalar that readers of YAML take for different things; `reading` says for what, `advice` what to write."""

    text: str
    reading: str
    advice: str


Value = None | bool | int | float | Decimal | str | Ambiguous | list["Value"] | dict[str, "Value"]
Loc = tuple[str | int, ...]
Lines = dict[Loc, int]


@dataclass(frozen=True, slots=True)
class Plain:
    """A file's value, the line of every place in it (keys and list positions from the top) and its problems."""

    value: Value
    lines: Lines
    problems: tuple[str, ...]


def load_yaml(data: bytes, name: str, limits: Limits = DEFAULT_LIMITS, first_line: int = 1) -> tuple[Value, Lines]:
    """Return the value of a YAML file and the line of each place in it; `(None, {})` where it is empty.

    Lenient: ambiguous scalars are text as written, decimals are floats, keys are text. Raises ConfigError, with every
    problem that was found, each beginning with `name:line:`.
    """
    plain = read_yaml(data, name, limits=limits, first_line=first_line, exact=False)
    if plain.problems:
        raise ConfigError(plain.problems)
    return plain.value, plain.lines


def read_yaml(
    data: bytes | str, name: str, *, exact: bool, limits: Limits = DEFAULT_LIMITS, first_line: int = 1
) -> Plain:
    """Return the value with its lines and problems; exact: decimals are `Decimal`, ambiguous scalars `Ambiguous`.

    Raises ConfigError only where there is nothing to go on with (see `compose`).
    """
    document = compose(data, name, limits, first_line)
    lines: Lines = {}
    problems = list(document.problems)
    if document.root is None:
        return Plain(None, lines, tuple(problems))
    value = _plain(document.root, (), _Reading(name, exact, lines, problems))
    lines[()] = document.root.line
    return Plain(value, lines, tuple(problems))


@dataclass(frozen=True, slots=True)
class _Reading:
    name: str
    exact: bool
    lines: Lines
    problems: list[str]


def _plain(node: Node, loc: Loc, reading: _Reading) -> Value:
    if isinstance(node, Scalar):
        return read_scalar(node, exact=reading.exact)
    if isinstance(node, Sequence):
        items: list[Value] = []
        for position, item in enumerate(node.items):
            reading.lines[*loc, position] = item.line
            items.append(_plain(item, (*loc, position), reading))
        return items
    found: dict[str, Value] = {}
    for key, child in node.pairs:
        reading.lines[*loc, key.text] = key.line
        if reading.exact and not isinstance(read_scalar(key, exact=True), str):
            shown = key.text or "an empty one"
            sentence = f"a key is text, and YAML reads {shown} as something else; put it in quotes"
            reading.problems.append(f"{reading.name}:{key.line}: {sentence}")
        found[key.text] = _plain(child, (*loc, key.text), reading)
    return found


_NULL = {"", "~", "null", "Null", "NULL"}
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)")
_LONGEST_NUMBER = 24
QUOTE = "put it in quotes if you mean the text"
_BOOL_11 = {word: ("true" if word in ("yes", "on") else "false") for word in ("yes", "no", "on", "off")}

_Rule = tuple[re.Pattern[str], Callable[[str], str], str]
_AMBIGUOUS: tuple[_Rule, ...] = (
    (
        re.compile(r"yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF"),
        lambda text: _BOOL_11[text.lower()],
        QUOTE,
    ),
    (
        re.compile(r"[-+]?0[0-7]+"),
        lambda text: f"the number {int(text, 8)}, in octal",
        "write numbers without leading zeros",
    ),
    (
        re.compile(r"[-+]?0[0-9]+"),
        lambda _: "a number or a text, by its version",
        "write numbers without leading zeros",
    ),
    (
        re.compile(r"[-+]?0[xob][0-9a-fA-F_]+"),
        lambda _: "a number in another base",
        "write it in decimal",
    ),
    (
        re.compile(r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?"),
        lambda _: "a number in base 60",
        QUOTE,
    ),
    (
        re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t].*)?"),
        lambda _: "a date",
        QUOTE,
    ),
    (
        re.compile(r"[-+]?[0-9.]*[0-9][0-9_.]*_[0-9_.]*"),
        lambda _: "a number or a text, by its version",
        "write numbers without underscores",
    ),
    (
        re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)[eE][-+]?[0-9]+"),
        lambda _: "a number or a text, by its version",
        "write numbers without an exponent",
    ),
    (
        re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"),
        lambda _: "infinity or not a number",
        QUOTE,
    ),
)


def read_scalar(scalar: Scalar, *, exact: bool) -> Value:
    """Return what a scalar means.

    >>> read_scalar(Scalar("010", True, 1), exact=False), read_scalar(Scalar("0.3", True, 1), exact=True)
    ('010', Decimal('0.3'))
    """
    text = scalar.text
    if not scalar.plain:
        return text
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    is_int = bool(_INT.fullmatch(text))
    if (is_int or _DECIMAL.fullmatch(text)) and len(text) <= _LONGEST_NUMBER:
        return int(text) if is_int else Decimal(text) if exact else float(text)
    return (_ambiguous(text) or text) if exact else text


def _ambiguous(text: str) -> Ambiguous | None:
    if len(text) > _LONGEST_NUMBER and (_INT.fullmatch(text) or _DECIMAL.fullmatch(text)):
        return Ambiguous(text[:_LONGEST_NUMBER] + "…", "a number of too many digits", "write fewer digits")
    for rule, reading, advice in _AMBIGUOUS:
        if rule.fullmatch(text[: 4 * _LONGEST_NUMBER]):
            return Ambiguous(text[: 2 * _LONGEST_NUMBER], reading(text[: 2 * _LONGEST_NUMBER]), advice)
    return None
