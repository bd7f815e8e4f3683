"""The tests of a JUnit report one by one, with what their properties say of trace items and of content."""

from collections.abc import Iterator, Sequence

from verifflowcc.formats.junit import with_retries
from verifflowcc.formats.junit_claims import check_claims
from verifflowcc.formats.junit_read import Case, Result, Suite, read_report
from verifflowcc.formats.xml_report import read_xml
from verifflowcc.records import dataclass

_ITEMS = "vfcc"
_CONTENT = "vfcc.content"


@dataclass(frozen=True, slots=True)
class JUnitTest:
    """A test case. `items` are the ids that its properties `vfcc` name. `file` is that of the case, or of its suite.

    A case that passed in the end, but was run again, is flaky.
    """

    classname: str
    name: str
    file: str
    outcome: Result
    message: str = ""
    items: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The test as the report names it."""
        return f"{self.classname}::{self.name}" if self.classname else self.name


@dataclass(frozen=True, slots=True)
class JUnitTests:
    """All cases of a report. `content` is the digest of the files on which they ran; None where the report does not say
    so, or its suites differ. `unsure` says why it does not, where the report tells that.
    """

    tests: tuple[JUnitTest, ...]
    content: str | None = None
    unsure: str = ""


def read_tests(data: bytes) -> JUnitTests:
    """Return the tests of a report; an error outside of any test is one that has the name of its suite.

    Raises FormatError with the reason where the report cannot be read, or contradicts itself.
    """
    cases, suites = read_report(read_xml(data))
    check_claims(cases, suites)
    judged = with_retries(cases, suites)
    tests = [_test(case, suites) for case in judged]
    tests += [JUnitTest("", f"suite {each.name or '(no name)'}", "", Result.ERROR) for each in suites if each.marks]
    said = {value for suite in suites for name, value in suite.properties if name == _CONTENT}
    return JUnitTests(tuple(tests), next(iter(said)) if len(said) == 1 else None, _unsure(suites, len(said)))


def _test(case: Case, suites: Sequence[Suite]) -> JUnitTest:
    suite = suites[case.suite].attributes
    items = dict.fromkeys(_ids(case))
    return JUnitTest(
        case.classname,
        case.name,
        case.file or suite.get("file", "") or suite.get("filepath", ""),
        case.result,
        case.message,
        tuple(items),
    )


def _ids(case: Case) -> Iterator[str]:
    for name, value in case.properties:
        if name == _ITEMS:
            yield from (part for each in value.split(",") if (part := each.strip()))


def _unsure(suites: Sequence[Suite], digests: int) -> str:
    told = [value for suite in suites for name, value in suite.properties if name.startswith(f"{_CONTENT}.")]
    if told:
        return told[0]
    return "its suites ran on different content" if digests > 1 else ""


def reported_name(node: str) -> str:
    """Return how pytest's JUnit report names a test function, as examples and baselines do; others are as they were.

    >>> reported_name("tests/test_a.py::TestA::test_b"), reported_name("TestAdd")
    ('tests.test_a.TestA::test_b', 'TestAdd')
    """
    path, *inner = node.partition("[")[0].split("::")
    if not inner or not path.endswith(".py"):
        return node
    return f"{'.'.join([path.removesuffix('.py').replace('/', '.'), *inner[:-1]])}::{inner[-1]}"
