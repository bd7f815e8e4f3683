"""YAML text → nodes that know their lines, within limits.

Built from the parser's events, one at a time, so that no nesting and no alias can exhaust memory or the stack. What a
scalar means is left to `yaml_values`.
"""

from collections.abc import Iterator
from typing import NoReturn

import yaml

from verifflowcc.adapters.config.yaml_text import decode, syntax_sentence
from verifflowcc.errors import ConfigError
from verifflowcc.records import dataclass, field

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
    """A single value as written; `plain` is true where it stands without quotes."""

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
        sentence = syntax_sentence(text, at, error.problem or "", error.context or "")
        raise ConfigError((f"{name}:{at[0] + first_line}: {sentence}",)) from error
    return Document(name, composer.root, tuple(composer.problems))


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
            self._fail(line, f"the nesting is deeper than {self._limits.depth} levels")

    def _fail(self, line: int, sentence: str) -> NoReturn:
        raise ConfigError((f"{self._name}:{line}: {sentence}",))
