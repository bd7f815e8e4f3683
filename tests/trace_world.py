"""A small traced project as values: a clean world to plant faults in, and short ways to make items.

    world = clean().edit("REQ-login", text="It shall end.")      # changed after the review
    report = check(world.sources(), world.policy)

Items are written as `item("REQ-a", "refines NEED-a")`; `stamped` reviews them all as they are.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from verifflowcc.base.model.gate_values import EvidenceTrust
from verifflowcc.base.model.item_values import Link, Ref, Stamp
from verifflowcc.base.model.trace_codes import RELATIONS, TEST_FILES, TYPES, Need, TracePolicy
from verifflowcc.base.model.trace_values import (
    CodeFile,
    CodeMark,
    CodeSymbol,
    GitTrace,
    Outcome,
    ProcessFact,
    ResultReport,
    Results,
    TestResult,
    TraceBaseline,
    TraceItem,
    TraceSources,
)
from verifflowcc.trace.rules.fingerprint import own_digest, stamp_of_item, stamp_of_link

TODAY = "2026-11-21"
ITEMS = ".memory/project/items"
REVIEWER = "human:Other"
AUTHOR = "human:You"
REPORT = "build/junit.xml"
_TYPES = {rule.prefix: rule.name for rule in TYPES.values()}

NEEDS = (
    Need("specified", ("need",), ("refines", "derives", "satisfies"), ("requirement",)),
    Need("tested", ("requirement",), ("verifies",), ("test_spec",), or_tests=True),
    Need("built", ("unit",), (), (), code=True),
)
POLICY = TracePolicy(TYPES, RELATIONS, NEEDS, tests=TEST_FILES)


def path_of(item_id: str, kind: str) -> str:
    """Where an item's file is."""
    return f"{ITEMS}/{kind}/{item_id}.md"


def link(said: str, line: int = 1, stamp: Stamp | None = None) -> Link:
    """A link, written as `refines NEED-a`."""
    relation, _, to = said.partition(" ")
    return Link(to, relation, line, stamp)


def item(item_id: str, *links: str | Link, **fields: Any) -> TraceItem:
    """An item with its type from the prefix of its id, nobody's review, and its digest as it should be.

    Fields as in TraceItem; a requirement is verified by test, if nothing else is said.
    """
    kind = fields.pop("type", _TYPES.get(item_id.partition("-")[0], "requirement"))
    if kind == "requirement":
        fields.setdefault("verification", "test")
    made = TraceItem(
        item_id,
        kind,
        fields.pop("title", f"Title of {item_id}"),
        fields.pop("path", path_of(item_id, kind)),
        fields.pop("text", f"The tool shall do {item_id}."),
        "",
        links=tuple(each if isinstance(each, Link) else link(each, number + 6) for number, each in enumerate(links)),
        author=fields.pop("author", AUTHOR),
        **fields,
    )
    return digested(made)


def digested(item: TraceItem) -> TraceItem:
    """The item with the digest of what it says now; its stamps stay."""
    pairs = [(each.to, each.relation) for each in item.links]
    return replace(item, digest=own_digest(item.title, item.text, item.verification, item.integrity, pairs))


def stamped(items: Iterable[TraceItem], by: str = REVIEWER) -> tuple[TraceItem, ...]:
    """The items, each with a review and each link with a stamp, of what they say now."""
    items = tuple(items)
    digests = {each.id: each.digest for each in items}
    return tuple(
        replace(
            each,
            reviewed=Stamp(stamp_of_item(each.digest), by, TODAY),
            links=tuple(
                replace(one, stamp=Stamp(stamp_of_link(digests.get(one.to, ""), each.digest), by, TODAY))
                for one in each.links
            ),
        )
        for each in items
    )


def of_tests(path: str, **tests: str) -> CodeFile:
    """A file of tests: name → ids that it is marked with, blank-separated ("" for none)."""
    return _file(path, True, tests)


def of_code(path: str, **symbols: str) -> CodeFile:
    """A file of the product: name of a symbol → ids that it is marked with, blank-separated."""
    return _file(path, False, symbols)


def _file(path: str, test: bool, symbols: Mapping[str, str]) -> CodeFile:
    return CodeFile(
        path,
        f"sha256:{path}",
        test,
        tuple(CodeMark(tuple(ids.split()), 10 * n + 1, name) for n, (name, ids) in enumerate(symbols.items()) if ids),
        tuple(CodeSymbol(name, 10 * n + 1, 10 * n + 5, f"digest of {name}") for n, name in enumerate(symbols)),
    )


def result(test: str, *items: str, outcome: Outcome = Outcome.PASSED, report: str = REPORT, **more: Any) -> TestResult:
    """A test that passed."""
    return TestResult(test, outcome, 1, items, report, **more)


@dataclass(frozen=True)
class World:
    """A project's trace, to be changed step by step; each change gives a new one."""

    items: tuple[TraceItem, ...]
    code: tuple[CodeFile, ...] = ()
    results: Results = field(default_factory=Results)
    policy: TracePolicy = POLICY
    files: Mapping[str, str] = field(default_factory=dict)
    unreadable: Mapping[str, str] = field(default_factory=dict)
    baseline: TraceBaseline | None = None
    git: GitTrace = field(default_factory=GitTrace)
    process: tuple[ProcessFact, ...] = ()
    changed: tuple[str, ...] | None = None

    def sources(self) -> TraceSources:
        """All that a check looks at."""
        return TraceSources(
            items=self.items,
            today=TODAY,
            unreadable=self.unreadable,
            code=self.code,
            files={each.path: each.digest for each in self.code} | dict(self.files),
            results=self.results,
            baseline=self.baseline,
            git=self.git,
            process=self.process,
            changed=self.changed,
        )

    def __getitem__(self, item_id: str) -> TraceItem:
        return next(each for each in self.items if each.id == item_id)

    def but(self, **fields: Any) -> "World":
        """The world with other fields."""
        return replace(self, **fields)

    def add(self, *items: TraceItem) -> "World":
        """The world with further items, as they are."""
        return replace(self, items=self.items + items)

    def without(self, *ids: str) -> "World":
        """The world without some items."""
        return replace(self, items=tuple(each for each in self.items if each.id not in ids))

    def edit(self, item_id: str, **fields: Any) -> "World":
        """The world with an item changed; its digest follows what it says, the stamps stay as they were."""
        return replace(
            self,
            items=tuple(digested(replace(each, **fields)) if each.id == item_id else each for each in self.items),
        )

    def stamped(self) -> "World":
        """The world with everything reviewed as it is now."""
        return replace(self, items=stamped(self.items))

    def file(self, *files: CodeFile) -> "World":
        """The world with these files, in the place of those of the same paths."""
        paths = {each.path for each in files}
        return replace(self, code=(*(each for each in self.code if each.path not in paths), *files))

    def told(self, *tests: TestResult) -> "World":
        """The world with these results, in the place of those of the same tests and reports."""
        keys = {(each.test, each.report) for each in tests}
        kept = tuple(each for each in self.results.tests if (each.test, each.report) not in keys)
        return replace(self, results=replace(self.results, tests=kept + tests))

    def untold(self, *names: str) -> "World":
        """The world without the results of some tests."""
        kept = tuple(each for each in self.results.tests if each.test not in names)
        return replace(self, results=replace(self.results, tests=kept))

    def reported(self, *reports: ResultReport) -> "World":
        """The world with these reports, in the place of those of the same names."""
        names = {each.name for each in reports}
        kept = tuple(each for each in self.results.reports if each.name not in names)
        return replace(self, results=replace(self.results, reports=kept + reports))

    def ask(self, **fields: Any) -> "World":
        """The world under another policy."""
        return replace(self, policy=replace(self.policy, **fields))


LOGIN_TEST = "tests/test_login.py::test_login"
FORM_TEST = "tests/test_form.py::test_form"
GREEN = ResultReport(REPORT, EvidenceTrust.RAN_BY_VFCC, tests=2)


def clean() -> World:
    """A need, its requirement with a specification of tests, two components, their interface and a unit: no finding.

    NEED-a ← REQ-login ← COMP-a ← UNIT-a, REQ-login ← COMP-b, IF-ab refines both components, TEST-login verifies
    REQ-login. `src/login.py` implements UNIT-a, `tests/test_login.py` holds the test of TEST-login, and
    `tests/test_form.py` that of IF-ab and UNIT-a.
    """
    items = stamped(
        (
            item("NEED-a"),
            item("REQ-login", "refines NEED-a"),
            item("COMP-a", "allocates REQ-login"),
            item("COMP-b", "allocates REQ-login"),
            item("IF-ab", "refines COMP-a", "refines COMP-b"),
            item("UNIT-a", "implements COMP-a", refs=(Ref("src/login.py", "login", "digest of login"),)),
            item("TEST-login", "verifies REQ-login"),
        )
    )
    code = (
        of_code("src/login.py", login="UNIT-a"),
        of_tests("tests/test_login.py", test_login="TEST-login"),
        of_tests("tests/test_form.py", test_form="IF-ab UNIT-a"),
    )
    results = Results((result(LOGIN_TEST, "TEST-login"), result(FORM_TEST, "IF-ab", "UNIT-a")), (GREEN,))
    return World(items, code, results)
