"""The cases and suites of a JUnit report, each as it stands there."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from verifflowcc.errors import FormatError
from verifflowcc.formats.xml_report import local_name
from verifflowcc.records import dataclass, replace
from verifflowcc.text.secrets import withhold

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


class Result(StrEnum):
    """What became of a test; the name is that of its measure."""

    ERROR = "errors"
    FAILED = "failed"
    FLAKY = "flaky"
    SKIPPED = "skipped"
    PASSED = "passed"


_CHILDREN = {
    "error": Result.ERROR,
    "failure": Result.FAILED,
    "flakyfailure": Result.FLAKY,
    "flakyerror": Result.FLAKY,
    "rerunfailure": Result.FLAKY,
    "rerunerror": Result.FLAKY,
    "skipped": Result.SKIPPED,
    "disabled": Result.SKIPPED,
}
_STATES = {
    "error": Result.ERROR,
    "errored": Result.ERROR,
    "failed": Result.FAILED,
    "failure": Result.FAILED,
    "fail": Result.FAILED,
    "notrun": Result.SKIPPED,
    "disabled": Result.SKIPPED,
    "suppressed": Result.SKIPPED,
    "skipped": Result.SKIPPED,
}
_ORDER = list(Result)
FAILING = frozenset({Result.ERROR, Result.FAILED})
_SUITES = frozenset({"testsuites", "testsuite"})
_DEEPEST = 64
_LONGEST_MESSAGE = 300
_LONGEST_READ = 4_000


@dataclass(frozen=True, slots=True)
class Case:
    """A `<testcase>`: `marks` is the number of its elements that tell of a failure, `suite` the place of its suite.

    `properties` are names and values, as they stand in it.
    """

    classname: str
    name: str
    file: str
    result: Result
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
    marks = sum(1 for child in element if _tag(child) in {"error", "failure"})
    attributes = dict(element.attrib)
    properties = _properties(element)
    return Suite(element.get("name", ""), attributes, tag == "testsuites", marks, start, start, last, properties)


def _case(element: Element, suite: int) -> Case:
    found = [(_CHILDREN[tag], child) for child in element if (tag := _tag(child)) in _CHILDREN]
    states = [_STATES[state] for name in ("status", "result") if (state := element.get(name, "").lower()) in _STATES]
    result = min([each for each, _ in found] + states, key=_ORDER.index, default=Result.PASSED)
    message = next((_message(child) for each, child in found if each is result), "")
    marks = sum(1 for each, _ in found if each in FAILING or each is Result.FLAKY)
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
