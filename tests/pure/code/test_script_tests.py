"""Tests of JavaScript and TypeScript: which ones a change alters, and what their reports show."""

import json

import pytest

from verifflowcc.gates.rules.change_parts import FileChange, split
from verifflowcc.gates.rules.hunks import RunSelection, TestFile
from verifflowcc.gates.rules.project_parts import PartRules
from verifflowcc.gates.rules.run_outcomes import OutcomeKind, RunResult, RunText
from verifflowcc.gates.rules.runners import Runner, read_run
from verifflowcc.gates.rules.tests_lost import title_units
from verifflowcc.gates.use.proof_input import units_of

TABLES = b"""import { price } from "../src/price";

describe("price", () => {
  const cases = [{ cents: 250, text: "2.5" }];
  for (const t of cases) {
    test(t.cents + " cents", () => expect(price(t.cents)).toBe(t.text));
  }
});

describe("other", () => {
  it("is text", () => expect(typeof price(1)).toBe("string"));
});
"""
COMPUTED = '${t.cents + " cents"}'


def to_run(after: bytes, path: str = "test/price.test.ts", before: bytes = TABLES) -> tuple[TestFile, ...]:
    changed = [FileChange("src/price.ts", b"a\n", b"b\n"), FileChange(path, before, after)]
    return split(changed, ["src/price.ts", path, "test/a.test.ts"], PartRules(), units_of).tests


def test_a_table_of_cases_counts_for_the_tests_of_its_block() -> None:
    table = TABLES.replace(b'"2.5" }', b'"2.50" }')

    assert to_run(table) == (TestFile("test/price.test.ts", (COMPUTED,)),)
    assert to_run(table.replace(b'"string"', b'"String"')) == (TestFile("test/price.test.ts", (COMPUTED, "is text")),)


def test_a_block_with_another_title_alters_none_of_its_tests() -> None:
    after = TABLES.replace(b"cents: 250", b"cents: 251").replace(b'describe("other"', b'describe("others"')

    assert to_run(after) == (TestFile("test/price.test.ts", (COMPUTED,)),)


def test_a_new_test_alone_counts_in_its_block() -> None:
    after = TABLES.replace(b'  it("is', b'  it("is new", () => {});\n\n  it("is')

    assert to_run(after) == (TestFile("test/price.test.ts", ("is new",)),)


def case(title: str, status: str = "failed") -> dict[str, object]:
    return {"ancestorTitles": ["price"], "title": title, "status": status, "failureMessages": []}


def report_of(*cases: dict[str, object]) -> str:
    files = [{"name": "/t/src/price.test.ts", "status": "failed", "assertionResults": list(cases)}]
    return json.dumps({"testResults": files})


def run_of(report: str, selection: RunSelection) -> RunResult:
    text = RunText(report, "", 1, "", 10)
    return read_run(Runner.VITEST, text, selection, is_product=lambda _: False)


def test_a_computed_title_may_be_any() -> None:
    report = report_of(case("250 cents"), case("is text"))
    known = {"src/price.test.ts": {COMPUTED: 6, "is text": 11}}

    found = run_of(report, RunSelection((TestFile("src/price.test.ts", (COMPUTED,)),), known))

    assert [each.line for each in found.outcomes.values()] == [6, 11]


def test_a_script_that_is_named_as_a_test_is_run_where_its_tests_cannot_be_read() -> None:
    assert to_run(b"run([2]);\n", before=b"run([1]);\n") == (TestFile("test/price.test.ts"),)
    assert to_run(b"run([2]);\n", "test/helper.ts", b"run([1]);\n") == (
        TestFile("test/a.test.ts"),
        TestFile("test/helper.ts"),
    )


def test_of_two_tests_with_one_title_both_outcomes_count() -> None:
    report = report_of(case("is text"), case("is text", status="passed"))

    found = run_of(report, RunSelection((TestFile("src/price.test.ts"),)))

    assert {test: each.result for test, each in found.outcomes.items()} == {
        "src/price.test.ts::price > is text": OutcomeKind.FAILED,
        "src/price.test.ts::price > is text #2": OutcomeKind.PASSED,
    }


def test_files_that_were_not_asked_for_do_not_count() -> None:
    report = report_of(case("is text")).replace("price.test.ts", "price.test.tsx")

    assert not run_of(report, RunSelection((TestFile("src/price.test.ts"),))).outcomes


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("test.each([[() => f(g(1)), 2]])('one %s', (n) => {});", ["one %s"]),
        ("it.each`\n a | b\n ${1} | ${2}\n`('adds $a', ({ a }) => {});", ["adds $a"]),
        ("it('a, ' + b, () => {});", ["${'a, ' + b}"]),
        ("test(JSON.stringify({ a: 1 }), () => {});", ["${JSON.stringify( a: 1 )}"]),
        ("const it = test.extend({ a: 1, b: 2 });", []),
        ("function test(a, b) {}\n/x/.test(a, b);\ntest(a);", []),
        ("test.todo('later');", ["later"]),
    ],
)
def test_the_title_of_a_script_test_is_read_or_computed(text: str, titles: list[str]) -> None:
    assert [each.name for each in title_units(text)] == titles
