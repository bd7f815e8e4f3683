"""Whether what a JUnit report says of itself agrees with the cases that stand in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from verifflowcc.base.errors import FormatError
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.secrets import withhold

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


# Reports in XML, from anywhere: read into elements, or refused with the reason.
#
# A document type declaration is refused before anything else is read, and with it every entity: all known ways to make
# a small XML file large go through them. Where a format's tools do name one, as those of Cobertura, a mere name is let
# through; nothing is fetched, and one with declarations in it is refused.

LARGEST_REPORT_BYTES = 64 * 2**20


def read_xml(data: bytes, *, names_a_type: bool = False) -> Element:
    """Return the root element; the report may name a document type where `names_a_type`.

    Raises FormatError with the reason where the data is larger than 64 MiB, is no XML, is in an encoding that cannot be
    read, or declares a document type.
    """
    from xml.etree import ElementTree

    check_size(data)
    try:
        _refuse_document_type(data, names_a_type)
        return ElementTree.fromstring(data)
    except (SyntaxError, LookupError, ValueError) as error:
        raise FormatError(f"not XML: {error}") from error


def check_size(data: bytes) -> None:
    """Raise FormatError where a report is empty or too large to be read."""
    if len(data) > LARGEST_REPORT_BYTES:
        raise FormatError(f"larger than {LARGEST_REPORT_BYTES // 2**20} MiB")
    if not data.strip():
        raise FormatError("the report is empty")


def local_name(element: Element) -> str:
    """Return the element's name without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


class _RootStart(Exception):  # noqa: N818 - no error: nothing more to look for
    """The root element begins: a document type can no longer follow."""


def _refuse_document_type(data: bytes, names_a_type: bool) -> None:
    from xml.parsers import expat

    def refuse(_name: str, _system: str | None, _public: str | None, declares: bool) -> None:
        if declares or not names_a_type:
            raise FormatError("declares a document type (DTD), which no report needs")

    def stop(*_element: object) -> None:
        raise _RootStart

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = stop
    try:
        parser.Parse(data, True)
    except _RootStart:
        return
    except expat.ExpatError as error:
        raise FormatError(f"not XML: {error}") from error


# The cases and suites of a JUnit report, each as it is there.


class CaseResult(StrEnum):
    """What became of a test; the name is that of its measure."""

    ERROR = "errors"
    FAILED = "failed"
    FLAKY = "flaky"
    SKIPPED = "skipped"
    PASSED = "passed"


_CHILDREN = {
    "error": CaseResult.ERROR,
    "failure": CaseResult.FAILED,
    "flakyfailure": CaseResult.FLAKY,
    "flakyerror": CaseResult.FLAKY,
    "rerunfailure": CaseResult.FLAKY,
    "rerunerror": CaseResult.FLAKY,
    "skipped": CaseResult.SKIPPED,
    "disabled": CaseResult.SKIPPED,
}
_STATES = {
    "error": CaseResult.ERROR,
    "errored": CaseResult.ERROR,
    "failed": CaseResult.FAILED,
    "failure": CaseResult.FAILED,
    "fail": CaseResult.FAILED,
    "notrun": CaseResult.SKIPPED,
    "disabled": CaseResult.SKIPPED,
    "suppressed": CaseResult.SKIPPED,
    "skipped": CaseResult.SKIPPED,
}
_ORDER = list(CaseResult)
FAILING = frozenset({CaseResult.ERROR, CaseResult.FAILED})
_SUITES = frozenset({"testsuites", "testsuite"})
_DEEPEST = 64
_LONGEST_MESSAGE = 300
_LONGEST_READ = 4_000


@dataclass(frozen=True, slots=True)
class Case:
    """A `<testcase>`: `marks` is the number of its elements that tell of a failure, `suite` the place of its suite.

    `properties` are names and values, as they are in it.
    """

    classname: str
    name: str
    file: str
    result: CaseResult
    message: str
    marks: int
    suite: int
    properties: tuple[tuple[str, str], ...] = ()

    @property
    def id(self) -> str:
        """The test as examples name it."""
        return f"{self.classname}::{self.name}" if self.classname else self.name

    @property
    def key(self) -> tuple[str, str, str]:
        """What is the same for each run of one test."""
        return self.classname, self.name, self.file


@dataclass(frozen=True, slots=True)
class Suite:
    """A `<testsuite>`, or the `<testsuites>` around them (`outer`).

    Its cases are those from `start` up to `end`, and the suites in it those up to `last`. `marks` is the number of
    elements that tell of a failure and stand directly in it.
    """

    name: str
    attributes: dict[str, str]
    outer: bool
    marks: int
    start: int
    end: int
    last: int
    properties: tuple[tuple[str, str], ...] = ()


def read_report(root: Element) -> tuple[list[Case], list[Suite]]:
    """Return all cases, in their order, and all suites, the outer ones first.

    Raises FormatError where the root is no suite, or suites are nested deeper than 64.
    """
    if _tag(root) not in _SUITES:
        raise FormatError(f"no JUnit report: its root element is <{local_name(root)[:60]}>")
    cases: list[Case] = []
    suites: list[Suite] = []
    inside: list[int] = []
    # No recursion: a report may be as deep as it is long.
    stack: list[tuple[Element, bool]] = [(root, True)]
    while stack:
        element, begins = stack.pop()
        if not begins:
            place = inside.pop()
            suites[place] = replace(suites[place], end=len(cases), last=len(suites))
            continue
        tag = _tag(element)
        if tag == "testcase":
            cases.append(_case(element, inside[-1]))
        elif tag in _SUITES:
            if len(inside) >= _DEEPEST:
                raise FormatError(f"suites nested deeper than {_DEEPEST}")
            inside.append(len(suites))
            suites.append(_suite(element, len(cases), len(suites) + 1))
            stack.append((element, False))
        stack.extend((child, True) for child in reversed(element))
    return cases, suites


def _tag(element: Element) -> str:
    """Return an element's name in small letters: a failure is one however a tool spells it."""
    return local_name(element).lower()


def _suite(element: Element, start: int, last: int) -> Suite:
    tag = _tag(element)
    marks = sum(each in FAILING for each, _ in _marks(element))
    attributes = dict(element.attrib)
    properties = _properties(element)
    return Suite(element.get("name", ""), attributes, tag == "testsuites", marks, start, start, last, properties)


def _case(element: Element, suite: int) -> Case:
    found = list(_marks(element))
    states = [_STATES[state] for name in ("status", "result") if (state := element.get(name, "").lower()) in _STATES]
    result = min([each for each, _ in found] + states, key=_ORDER.index, default=CaseResult.PASSED)
    message = next((_message(child) for each, child in found if each is result), "")
    marks = sum(1 for each, _ in found if each in FAILING or each is CaseResult.FLAKY)
    return Case(
        classname=element.get("classname", ""),
        name=element.get("name", ""),
        file=element.get("file", ""),
        result=result,
        message=message,
        marks=max(marks, int(result in FAILING)),
        suite=suite,
        properties=_properties(element),
    )


def _marks(element: Element) -> Iterator[tuple[CaseResult, Element]]:
    """Yield the elements of a result, however deep below a case or suite; cases and suites in it have their own."""
    stack = [*reversed(element)]
    while stack:
        child = stack.pop()
        tag = _tag(child)
        if tag in _CHILDREN:
            yield _CHILDREN[tag], child
        elif tag != "testcase" and tag not in _SUITES:
            stack.extend(reversed(child))


def _properties(element: Element) -> tuple[tuple[str, str], ...]:
    """Return the `<property>` elements of those in `<properties>` right below; a value may stand in it as text."""
    return tuple(
        (each.get("name", ""), each.get("value") or (each.text or "").strip())
        for properties in element
        if _tag(properties) == "properties"
        for each in properties
        if _tag(each) == "property"
    )


def _message(element: Element) -> str:
    """Return the first line, cut; a secret that a cut would leave half of is withheld before it."""
    text = (element.get("message") or element.text or "").lstrip()[:_LONGEST_READ]
    return withhold(text.partition("\n")[0])[:_LONGEST_MESSAGE].strip()


# Paths in reports: a file as a tool names it, perhaps on another machine, and the project's file that it means.


class ProjectPaths:
    """The project's files, looked up by any spelling of their end."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(paths)
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(self._paths):
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def find(self, name: str, folders: Iterable[str] = ()) -> str | None:
        """Return the project's path that a report's `name`, relative to one of `folders`, means; None where none is.

        The longest end of `folder/name` that is a path of the project wins, and it holds all of `name` where that is
        relative. Where there is none, the one path of the project that ends with `name` is meant. Two that are as good
        are none.

        >>> paths = ProjectPaths(["src/app/a.py", "src/app/b.py", "lib/b.py"])
        >>> paths.find("app/a.py", ["/home/ci/build/src"]), paths.find("a.py"), paths.find("b.py")
        ('src/app/a.py', 'src/app/a.py', None)
        """
        own = _names(name)
        if not own:
            return None
        whole = [own] if _is_absolute(name) else [*(_names(f"{folder}/{name}") for folder in folders), own]
        least = 1 if _is_absolute(name) else len(own)
        found = {end for each in whole if (end := self._longest_end(each, least))}
        if found:
            return _only_longest(found)
        if _is_absolute(name):
            return None
        ending = "/" + "/".join(own)
        longer = [path for path in self._by_name.get(own[-1], ()) if path.endswith(ending)]
        return longer[0] if len(longer) == 1 else None

    def _longest_end(self, names: list[str], least: int) -> str | None:
        if names[-1] not in self._by_name:
            return None
        ends = ("/".join(names[start:]) for start in range(max(0, len(names) - 64), len(names) - least + 1))
        return next((end for end in ends if end in self._paths), None)


def _only_longest(found: set[str]) -> str | None:
    most = max(path.count("/") for path in found)
    best = [path for path in found if path.count("/") == most]
    return best[0] if len(best) == 1 else None


def _is_absolute(name: str) -> bool:
    return name.startswith(("/", "\\", "file:")) or name[1:3] in {":/", ":\\"}


def _names(path: str) -> list[str]:
    """Return the names on the way, without `.`, and with each `..` resolved."""
    names: list[str] = []
    for name in path.removeprefix("file:").replace("\\", "/").split("/"):
        if name == "..":
            del names[-1:]
        elif name not in {"", "."}:
            names.append(name)
    return names


_CLAIMS = ("tests", "failures", "errors", "skipped")


def check_claims(cases: Sequence[Case], suites: Sequence[Suite]) -> None:
    """Raise FormatError for the first suite whose attributes cannot be meant of the cases in it.

    Tools differ in what they count: cases of nested suites or only a suite's own, a doubled test once or twice, an
    error as a failure, each mark of a test or the test. Whatever agrees with one of these passes.
    """
    for place, suite in enumerate(suites):
        claims = {name: _claim(suite, name) for name in _CLAIMS}
        if all(value is None for value in claims.values()):
            continue
        below = cases[suite.start : suite.end]
        nested = sum(each.marks for each in suites[place : suite.last])
        own = [case for case in below if case.suite == place]
        if not (_fits(claims, below, nested) or (not suite.outer and _fits(claims, own, suite.marks))):
            raise FormatError(_contradiction(suite, claims, below))


def _fits(claims: dict[str, int | None], cases: Sequence[Case], marks: int) -> bool:
    tests, failures, errors = claims["tests"], claims["failures"], claims["errors"]
    if tests is not None and not len({case.key for case in cases}) <= tests <= len(cases):
        return False
    if (claims["skipped"] or 0) > sum(case.result is not CaseResult.PASSED for case in cases):
        return False
    most = sum(case.marks for case in cases) + marks
    passed_after_all = {case.key for case in cases if case.result is CaseResult.PASSED}
    least = len({case.key for case in cases if case.result in FAILING} - passed_after_all)
    if (failures or 0) + (errors or 0) > most:
        return False
    return failures is None or errors is None or failures + errors >= least


def _claim(suite: Suite, name: str) -> int | None:
    text = suite.attributes.get(name)
    if text is None:
        return None
    if not re.fullmatch(r"\d{1,9}", text.strip()):
        raise FormatError(f'{_named(suite)} says {name}="{text[:20]}", which is no number')
    return int(text)


def _contradiction(suite: Suite, claims: dict[str, int | None], cases: Sequence[Case]) -> str:
    claimed = ", ".join(f'{name}="{value}"' for name, value in claims.items() if value is not None)
    failing = sum(case.result in FAILING for case in cases)
    return f"{_named(suite)} says {claimed}, but {len(cases)} tests stand in it, {failing} of them failing"


def _named(suite: Suite) -> str:
    return f"suite {suite.name[:60]}" if suite.name else "a suite without a name"
