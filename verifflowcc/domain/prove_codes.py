"""What a proof may find: each with its stable code, how much it weighs, what it means and what to do then."""

from enum import StrEnum

from verifflowcc.domain.catalogue import Catalogue
from verifflowcc.domain.trace import Severity
from verifflowcc.domain.trace_codes import Check
from verifflowcc.domain.trace_help import Help


class ProveFamily(StrEnum):
    """What a finding is about."""

    TESTS = "tests"
    PRODUCT = "product"


_ROWS = (
    (
        "not-discriminating",
        ProveFamily.TESTS,
        Severity.ERROR,
        "a change's tests pass without it",
        "Every test that the change adds or alters passes with the product as it was before the change.",
        "Assert what the change makes different, and see the test fail without it.",
    ),
    (
        "broken-test",
        ProveFamily.TESTS,
        Severity.ERROR,
        "a test fails with the change",
        "A test that the change adds or alters fails on the content with the change.",
        "Run the test alone, and mend it or the product.",
    ),
    (
        "inconclusive",
        ProveFamily.TESTS,
        Severity.WARNING,
        "a test could not be judged",
        "Without the change a name is missing, the test is skipped, or it has no result, which shows nothing.",
        "Read the reason beside it; assert a value, not only that a name is there.",
    ),
    (
        "weak-test",
        ProveFamily.TESTS,
        Severity.NOTE,
        "one test of a proven change passes without it",
        "Other tests fail without the change; this one passes both times.",
        "Nothing, where it guards what was there before; else assert what the change makes different.",
    ),
    (
        "unguarded-lines",
        ProveFamily.PRODUCT,
        Severity.WARNING,
        "changed lines that no test of the change needs",
        "With these lines as they were before, every test of the change still passes.",
        "Add a test that fails without them, or take them out of the change.",
    ),
)

PROVE = Catalogue(
    "vfcc prove",
    "prove",
    "tests",
    {code: Check(code, family, severity, title) for code, family, severity, title, _, _ in _ROWS},
    {code: Help(meaning, remedy) for code, _, _, _, meaning, remedy in _ROWS},
    tuple(ProveFamily),
    ".",
    "vfccProve/v1",
)
