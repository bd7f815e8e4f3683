"""YAML nodes → plain Python values, and the line of each.

YAML's versions disagree on what `no`, `010`, `1:30` or `2026-01-01` without quotes are. Read exactly, such a scalar is
`AmbiguousScalar`, for the caller to explain; read leniently, it is the text as written.
"""

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import NoReturn

import yaml

from verifflowcc.base.config.config_defaults import too_large
from verifflowcc.base.errors import ConfigError
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass, field

# The bytes of a YAML file → text, and a syntax error → a sentence that says what to write instead.

_CONTROL = lazy_pattern("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CANNOT_BEGIN = "@`%"


def decode(data: bytes | str, name: str, limit_bytes: int, first_line: int = 1) -> str:
    """Return the text without a byte order mark.

    Raises ConfigError where it is too large, not UTF-8, or holds control characters.
    """
    if len(data) > limit_bytes:
        raise ConfigError((too_large(name, len(data), limit_bytes),))
    if isinstance(data, bytes):
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ConfigError((_not_utf8(data, name, error.start, first_line),)) from error
    else:
        text = data
    text = text.removeprefix("\ufeff")
    found = _CONTROL.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + first_line
        raise ConfigError((f"{name}:{line}: the control character U+{ord(found[0]):04X} is not allowed in YAML",))
    return text


def _not_utf8(data: bytes, name: str, offset: int, first_line: int) -> str:
    line = data.count(b"\n", 0, offset) + first_line
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return f"{name}:{line}: the file is UTF-16; save it as UTF-8"
    return f"{name}:{line}: byte {data[offset]:#04x} at offset {offset} is not UTF-8; save the file as UTF-8"


def syntax_sentence(text: str, at: tuple[int, int], problem: str, context: str) -> str:
    """Say what is wrong at (line, column), both from 0, where the parser gave up with `problem` in `context`."""
    lines = re.split("\r\n|[\n\r\x85\u2028\u2029]", text)
    line = lines[at[0]] if at[0] < len(lines) else ""
    rest = line[at[1] :]
    if line.lstrip(" ").startswith("\t") or rest.startswith("\t"):
        return "YAML does not allow tabs for indentation; indent with spaces"
    if "alias" in context:
        word = line[max(0, line.rfind("*", 0, at[1] + 1)) :].strip()
        return f"{word} begins with *, which YAML takes for an alias; put it in quotes"
    if rest[:1] and rest[0] in _CANNOT_BEGIN and "cannot start" in problem:
        return f"a value cannot begin with {rest[0]} unless it is in quotes"
    return f"this is not YAML: {problem}{', ' + context if context else ''}"


# YAML text → nodes that know their lines, within limits.
#
# Built from the parser's events, one at a time, so that no nesting and no alias can exhaust memory or the stack. What
# a scalar means is left to `yaml_values`.

_STR_TAG = "tag:yaml.org,2002:str"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a file may hold: bytes on disk, values once its aliases are expanded, levels of nesting."""

    size_bytes: int = 1 << 20
    values: int = 20_000
    depth: int = 32


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value as written; `plain` is true for one without quotes."""

    text: str
    plain: bool
    line: int
    size: int = 1
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of nodes."""

    items: tuple["Node", ...]
    line: int
    size: int
    depth: int


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys and values in the order of the file, each key once."""

    pairs: tuple[tuple[Scalar, "Node"], ...]
    line: int
    size: int
    depth: int


Node = Scalar | Sequence | Mapping


@dataclass(frozen=True, slots=True)
class Document:
    """A composed file. `root` is None where it is empty. `problems` are sentences that begin with `name:line:`."""

    name: str
    root: Node | None
    problems: tuple[str, ...]


@dataclass(slots=True)
class _Frame:
    """A list or mapping that is still open."""

    mapping: bool
    anchor: str | None
    line: int
    children: list[Node] = field(default_factory=list)
    size: int = 1
    depth: int = 1


def compose(data: bytes | str, name: str, limits: Limits = DEFAULT_LIMITS, first_line: int = 1) -> Document:
    """Compose one YAML document; `name` and `first_line` say what it is called and where it begins, for the messages.

    Duplicate and merge keys and tags are listed in `problems`, all of them. Raises ConfigError, with one sentence,
    for what leaves nothing to go on with: no YAML, no UTF-8, beyond the limits, more than one document.
    """
    text = decode(data, name, limits.size_bytes, first_line)
    composer = _Composer(name, limits, first_line)
    try:
        for event in _events(text):
            composer.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = (mark.line, mark.column) if mark else (0, 0)
        problem = error.problem or ""
        # libyaml 0.2.6 has a limit of its own, far above ours, and meets it before we see the events.
        deep = too_deep(limits) if "nesting depth" in problem else ""
        sentence = deep or syntax_sentence(text, at, problem, error.context or "")
        raise ConfigError((f"{name}:{at[0] + first_line}: {sentence}",)) from error
    return Document(name, composer.root, tuple(composer.problems))


def too_deep(limits: Limits) -> str:
    """Return the sentence for a document that nests deeper than its limit."""
    return f"the nesting is deeper than {limits.depth} levels"


def _events(text: str) -> Iterator[yaml.Event]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    events: Iterator[yaml.Event] = yaml.parse(text, Loader=loader)
    return events


class _Composer:
    """Takes events in order and holds the tree so far."""

    def __init__(self, name: str, limits: Limits, first_line: int) -> None:
        self.root: Node | None = None
        self.problems: list[str] = []
        self._name = name
        self._limits = limits
        self._first_line = first_line
        self._open: list[_Frame] = []
        self._anchors: dict[str, Node] = {}
        self._documents = 0

    def take(self, event: yaml.Event) -> None:
        """Add what one event says."""
        line = (event.start_mark.line if event.start_mark else 0) + self._first_line
        if isinstance(event, yaml.DocumentStartEvent):
            self._start_document(line)
        elif isinstance(event, yaml.AliasEvent):
            self._add(self._aliased(event.anchor, line), None, line)
        elif isinstance(event, yaml.ScalarEvent):
            as_text = self._tagged(event.tag, line)
            plain = event.style in (None, "") and not as_text
            self._add(Scalar(event.value, plain, line), event.anchor, line)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._tagged(event.tag, line)
            self._push(_Frame(isinstance(event, yaml.MappingStartEvent), event.anchor, line))
        elif isinstance(event, yaml.CollectionEndEvent):
            frame = self._open.pop()
            self._add(self._closed(frame), frame.anchor, frame.line)

    def _start_document(self, line: int) -> None:
        self._documents += 1
        if self._documents > 1:
            self._fail(line, "a second document begins here (`---`); vfcc reads one document per file")

    def _aliased(self, anchor: str | None, line: int) -> Node:
        if any(frame.anchor == anchor for frame in self._open):
            self._fail(line, f"the alias *{anchor} is inside the value that it names, so it has no end")
        node = self._anchors.get(anchor or "")
        if node is None:
            self._fail(line, f"*{anchor} is an alias of nothing in this file; put it in quotes if it is meant as text")
        return node

    def _tagged(self, tag: str | None, line: int) -> bool:
        if tag in (None, "!", _STR_TAG):
            return tag is not None
        shown = tag.replace("tag:yaml.org,2002:", "!!")
        self.problems.append(f"{self._name}:{line}: the tag {shown} is not allowed; write plain YAML, without tags")
        return True

    def _push(self, frame: _Frame) -> None:
        self._open.append(frame)
        self._check_depth(len(self._open), frame.line)

    def _closed(self, frame: _Frame) -> Node:
        if not frame.mapping:
            return Sequence(tuple(frame.children), frame.line, frame.size, frame.depth)
        return Mapping(self._pairs(frame), frame.line, frame.size, frame.depth)

    def _pairs(self, frame: _Frame) -> tuple[tuple[Scalar, Node], ...]:
        pairs: list[tuple[Scalar, Node]] = []
        first: dict[str, int] = {}
        for key, value in zip(frame.children[::2], frame.children[1::2], strict=True):
            if not isinstance(key, Scalar):
                self.problems.append(f"{self._name}:{key.line}: a list or a mapping cannot be a key; write a name")
            elif key.plain and key.text == "<<":
                self.problems.append(f"{self._name}:{key.line}: the merge key << is not supported; write the keys out")
            elif key.text in first:
                was = f"first on line {first[key.text]}"
                self.problems.append(f"{self._name}:{key.line}: the key {key.text} is given twice ({was}); keep one")
            else:
                first[key.text] = key.line
                pairs.append((key, value))
        return tuple(pairs)

    def _add(self, node: Node, anchor: str | None, line: int) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if not self._open:
            self.root = node
            return
        frame = self._open[-1]
        frame.children.append(node)
        frame.size += node.size
        frame.depth = max(frame.depth, node.depth + 1)
        self._check_depth(len(self._open) + node.depth, line)
        if sum(open_frame.size for open_frame in self._open) > self._limits.values:
            self._fail(line, f"the file holds more than {self._limits.values:,} values once its aliases are expanded")

    def _check_depth(self, depth: int, line: int) -> None:
        if depth > self._limits.depth:
            self._fail(line, too_deep(self._limits))

    def _fail(self, line: int, sentence: str) -> NoReturn:
        raise ConfigError((f"{self._name}:{line}: {sentence}",))


@dataclass(frozen=True, slots=True)
class AmbiguousScalar:
    """A scalar that readers of YAML take for different things; `reading` says for what, `advice` what to write."""

    text: str
    reading: str
    advice: str


Value = None | bool | int | float | Decimal | str | AmbiguousScalar | list["Value"] | dict[str, "Value"]
Loc = tuple[str | int, ...]
Lines = dict[Loc, int]


@dataclass(frozen=True, slots=True)
class PlainValue:
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
) -> PlainValue:
    """Return the value with its lines and problems; exact: decimals are `Decimal`, ambiguous scalars `AmbiguousScalar`.

    Raises ConfigError only where there is nothing to go on with (see `compose`).
    """
    document = compose(data, name, limits, first_line)
    lines: Lines = {}
    problems = list(document.problems)
    if document.root is None:
        return PlainValue(None, lines, tuple(problems))
    value = _plain(document.root, (), _PlainReader(name, exact, lines, problems))
    lines[()] = document.root.line
    return PlainValue(value, lines, tuple(problems))


@dataclass(frozen=True, slots=True)
class _PlainReader:
    name: str
    exact: bool
    lines: Lines
    problems: list[str]


def _plain(node: Node, loc: Loc, reading: _PlainReader) -> Value:
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
_INT = lazy_pattern(r"[-+]?(0|[1-9][0-9]*)")
_DECIMAL = lazy_pattern(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)")
_LONGEST_NUMBER = 24
QUOTE = "put it in quotes if you mean the text"
_BOOL_11 = {word: ("true" if word in ("yes", "on") else "false") for word in ("yes", "no", "on", "off")}

_Rule = tuple[re.Pattern[str], Callable[[str], str], str]
_AMBIGUOUS: tuple[_Rule, ...] = (
    (
        lazy_pattern(r"yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF"),
        lambda text: _BOOL_11[text.lower()],
        QUOTE,
    ),
    (
        lazy_pattern(r"[-+]?0[0-7]+"),
        lambda text: f"the number {int(text, 8)}, in octal",
        "write numbers without leading zeros",
    ),
    (
        lazy_pattern(r"[-+]?0[0-9]+"),
        lambda _: "a number or a text, by its version",
        "write numbers without leading zeros",
    ),
    (
        lazy_pattern(r"[-+]?0[xob][0-9a-fA-F_]+"),
        lambda _: "a number in another base",
        "write it in decimal",
    ),
    (
        lazy_pattern(r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?"),
        lambda _: "a number in base 60",
        QUOTE,
    ),
    (
        lazy_pattern(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t].*)?"),
        lambda _: "a date",
        QUOTE,
    ),
    (
        lazy_pattern(r"[-+]?[0-9.]*[0-9][0-9_.]*_[0-9_.]*"),
        lambda _: "a number or a text, by its version",
        "write numbers without underscores",
    ),
    (
        lazy_pattern(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)[eE][-+]?[0-9]+"),
        lambda _: "a number or a text, by its version",
        "write numbers without an exponent",
    ),
    (
        lazy_pattern(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"),
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


def _ambiguous(text: str) -> AmbiguousScalar | None:
    if len(text) > _LONGEST_NUMBER and (_INT.fullmatch(text) or _DECIMAL.fullmatch(text)):
        return AmbiguousScalar(text[:_LONGEST_NUMBER] + "…", "a number of too many digits", "write fewer digits")
    for rule, reading, advice in _AMBIGUOUS:
        if rule.fullmatch(text[: 4 * _LONGEST_NUMBER]):
            return AmbiguousScalar(text[: 2 * _LONGEST_NUMBER], reading(text[: 2 * _LONGEST_NUMBER]), advice)
    return None
