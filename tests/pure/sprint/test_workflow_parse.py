"""What a workflow's file may say: every problem is one sentence with its line, and all are told at once."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.yaml_junk import yaml_junk
from verifflowcc.base.errors import ConfigError
from verifflowcc.base.model.gate_values import RULES, Criterion, CriterionKind, EvidenceTrust, Mode
from verifflowcc.base.model.sprint_state import Edits, Leg, Route, Workflow
from verifflowcc.sprint.store.workflow_load import parse_workflow

pytestmark = pytest.mark.vfcc("REQ-WORKFLOWS")

SMALL = """\
name: small
title: Small
stages:
  - id: plan
    title: Plan
    leg: left
    pair: test
    role: planner
  - id: code
    title: Code
    leg: apex
    role: coder
  - id: test
    title: Test
    leg: right
    pair: plan
    role: tester
"""
TEST_LINE = 17
"""The last line of the stage `test`; what is added to the file comes after it."""


def workflow(text: str) -> Workflow:
    return parse_workflow(text.encode(), "workflow.yaml")


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        workflow(text)
    return list(caught.value.problems)


def exits(text: str) -> str:
    """The small workflow, with criteria on the exit of `test`, one a line from line 19."""
    return SMALL + "    exit:\n" + "".join(f"      - {line}\n" for line in text.splitlines())


def criterion(text: str) -> Criterion:
    found = workflow(exits(text)).stages[2].exit
    return next(each for each in found if each.kind is not CriterionKind.UPSTREAM and each.id != "any-artifact")


def told(text: str) -> str:
    """The one problem of a criterion, without its file and line."""
    (only,) = problems(exits(text))
    place, _, reason = only.partition(": ")
    assert place == f"workflow.yaml:{TEST_LINE + 2}", only
    return reason


def test_what_is_left_out_has_a_default() -> None:
    small = workflow(SMALL)

    assert (small.gates, small.strict) == (Mode.HARD, False)
    assert [stage.edits for stage in small.stages] == [Edits.NONE, Edits.ALL, Edits.TESTS]
    assert [stage.uses for stage in small.stages] == [(), ("plan",), ("code", "plan")]
    assert [[each.id for each in stage.exit] for stage in small.stages] == [
        ["any-artifact"],
        ["any-artifact", "upstream"],
        ["any-artifact", "upstream"],
    ]
    assert {stage.enter for stage in small.stages} == {()}
    assert {stage.route for stage in small.stages} == {None}


def test_a_stage_says_what_it_uses_may_edit_and_where_it_goes_back_to() -> None:
    stage = workflow(SMALL + "    uses: [plan]\n    edits: all\n    route: {after: 3, to: code}\n").stages[2]

    assert (stage.uses, stage.edits, stage.route) == (("plan",), Edits.ALL, Route(3, "code"))


def test_the_mode_of_the_workflow_is_that_of_criteria_that_state_none() -> None:
    soft = workflow("gates: soft\n" + exits("{id: t, kind: junit, command: test, mode: hard}\n{id: d, kind: diff}"))

    assert {each.id: each.mode for each in soft.stages[2].exit} == {
        "any-artifact": Mode.SOFT,
        "t": Mode.HARD,
        "d": Mode.SOFT,
        "upstream": Mode.SOFT,
    }


def test_each_declared_artifact_is_a_criterion_before_the_stated_ones() -> None:
    stage = workflow(SMALL + "    artifacts: [results.*, notes/*.md]\n    exit:\n      - {id: d, kind: diff}\n").stages[
        2
    ]

    assert [(each.id, each.kind, each.files) for each in stage.exit] == [
        ("results", CriterionKind.ARTIFACT, ("results.*",)),
        ("notes-md", CriterionKind.ARTIFACT, ("notes/*.md",)),
        ("d", CriterionKind.DIFF, ()),
        ("upstream", CriterionKind.UPSTREAM, ()),
    ]


def test_a_criterion_with_the_id_of_an_artifact_says_more_of_it() -> None:
    more = "{id: results, kind: artifact, files: [results.md], requires: [Summary]}"
    stage = workflow(SMALL + f"    artifacts: [results.*]\n    exit:\n      - {more}\n").stages[2]

    assert [(each.id, each.requires) for each in stage.exit] == [("results", ("Summary",)), ("upstream", ())]


def test_upstream_can_be_stated() -> None:
    stage = workflow(exits("{id: upstream, kind: upstream, title: all holds, waivable: false}")).stages[2]

    assert [(each.id, each.title, each.waivable) for each in stage.exit][1:] == [("upstream", "all holds", False)]


def test_limits_are_exact_millionths() -> None:
    coverage = criterion("{id: c, kind: coverage, command: test, at_least: {line: 80, branch: 70.000001, changed: .1}}")
    metric = criterion("{id: m, kind: metric, metric: drift, command: x, at_least: {value: -1.5}, at_most: {value: 2}}")

    assert coverage.at_least == {"line": 80_000_000, "branch": 70_000_001, "changed": 100_000}
    assert (metric.at_least, metric.at_most) == ({"value": -1_500_000}, {"value": 2_000_000})


def test_every_key_of_a_criterion_is_read() -> None:
    one = criterion(
        "{id: c, kind: coverage, title: enough, mode: soft, waivable: false, trust: imported_ci, command: test, "
        "report: coverage, inputs: ['src/**', '!src/gen/**'], files: ['src/**'], at_least: {line: 1}}"
    )
    assert one == Criterion(
        "c",
        CriterionKind.COVERAGE,
        "enough",
        Mode.SOFT,
        waivable=False,
        trust=EvidenceTrust.IMPORTED_CI,
        files=("src/**",),
        command="test",
        report="coverage",
        inputs=("src/**", "!src/gen/**"),
        at_least={"line": 1_000_000},
    )
    assert criterion("{id: b, kind: baseline, files: ['**'], tagged: true}").tagged
    assert criterion("{id: t, kind: trace, checks: [links, coverage]}").checks == ("links", "coverage")
    assert criterion("{id: k, kind: commit, pattern: 'ABC-[0-9]+'}").pattern == "ABC-[0-9]+"
    assert criterion("{id: m, kind: metric, metric: x, trust: asserted, at_most: {value: 1}}").command is None


@pytest.mark.parametrize("kind", [each for each in CriterionKind if each is not CriterionKind.RULES])
def test_every_kind_has_a_title_of_its_own(kind: CriterionKind) -> None:
    assert RULES[kind].title


CRITERIA = [
    (
        "{id: a, kind: junti, command: x}",
        "kind must be one of artifact, command, junit, coverage, sarif, lint, metric, ",
    ),
    ("{id: a}", "kind is missing"),
    ("{kind: diff}", "id is missing"),
    ("{id: A b, kind: diff}", "id 'A b' is no name: use at most 40"),
    ("7", "a mapping with id, kind, "),
    ("{id: a, kind: diff, mood: hard}", "unknown key mood; did you mean mode?"),
    ("{id: a, kind: diff, mode: hrad}", 'mode must be one of hard, soft, off, not "hrad"; did you mean hard?'),
    ("{id: a, kind: diff, mode: no}", "mode must be one of hard, soft, off, not no (YAML reads it as false; "),
    ("{id: a, kind: diff, waivable: maybe}", 'waivable must be true or false, not "maybe"'),
    ("{id: a, kind: diff, title: 7}", "title must be text, not 7"),
    ('{id: a, kind: diff, title: "a\\eb"}', "title holds a control character"),
    (
        "{id: a, kind: junit, command: t, pattern: x}",
        "a criterion of kind junit does not use pattern; it has command, ",
    ),
    (
        "{id: a, kind: feedback, files: [x]}",
        "a criterion of kind feedback does not use files; it has no key of its own",
    ),
    ("{id: a, kind: baseline, at_least: {files: 1}}", "a criterion of kind baseline does not use at_least; "),
    ("{id: a, kind: artifact}", "a criterion of kind artifact needs files"),
    ("{id: a, kind: artifact, files: []}", "files names nothing, so there would be nothing to evaluate"),
    ("{id: a, kind: artifact, files: [.hidden.md]}", "files: '.hidden.md' is hidden"),
    ("{id: a, kind: artifact, files: [../x.md]}", "files: '../x.md' leaves artifacts/ with `..`"),
    ("{id: a, kind: artifact, files: [/x.md]}", "files: '/x.md' is an absolute path; it is relative to artifacts/"),
    ('{id: a, kind: diff, files: ["a\\nb"]}', "an item of files holds a control character"),
    ("{id: a, kind: diff, files: ['!../x']}", "files: '!../x' leaves the project with `..`"),
    ("{id: a, kind: diff, files: [x, x]}", "files names x twice"),
    ("{id: a, kind: diff, files: x}", 'files must be a list, not "x"'),
    ("{id: a, kind: review, inputs: ['~/x']}", "inputs: '~/x' begins with ~"),
    *[
        (f"{{id: a, kind: {kind}{more}}}", f"a criterion of kind {kind} needs command")
        for kind, more in (
            ("command", ""),
            ("junit", ""),
            ("coverage", ", at_least: {line: 1}"),
            ("sarif", ""),
            ("lint", ""),
            ("metric", ", metric: x, at_least: {value: 1}"),
        )
    ],
    ("{id: a, kind: command, command: Make It}", "command 'Make It' is no name"),
    ("{id: a, kind: junit, command: t, report: junti}", "report must be one of junit, coverage, sarif, lint, metric, "),
    ("{id: a, kind: junit, command: t, trust: me}", "trust must be one of ran_by_vfcc, imported_ci, asserted, not "),
    ("{id: a, kind: metric, command: t, at_least: {value: 1}}", "a criterion of kind metric needs metric"),
    ("{id: a, kind: coverage, command: t}", "a criterion of kind coverage needs at_least or at_most: without a limit"),
    (
        "{id: a, kind: metric, command: t, metric: x}",
        "a criterion of kind metric needs at_least or at_most: without a limit",
    ),
    (
        "{id: a, kind: junit, command: t, at_most: {skiped: 0}}",
        "unknown measure skiped in at_most; did you mean skipped?",
    ),
    ("{id: a, kind: junit, command: t, at_most: {skipped: 0.5}}", "at_most: skipped must be a whole number from 0 to "),
    ("{id: a, kind: junit, command: t, at_most: {skipped: -1}}", "at_most: skipped must be a whole number from 0 to "),
    ("{id: a, kind: junit, command: t, at_least: {tests: 0}}", "at_least: tests: 0 is met by anything"),
    ("{id: a, kind: junit, command: t, at_least: 3}", "at_least must map measures (tests, failed, errors, "),
    ("{id: a, kind: junit, command: t, at_least: {}}", "at_least must map measures (tests, failed, errors, "),
    ("{id: a, kind: coverage, command: t, at_least: {line: 101}}", "at_least: line must be a number from 0 to 100, "),
    ("{id: a, kind: coverage, command: t, at_least: {line: 80%}}", "at_least: line must be a number from 0 to 100, "),
    ("{id: a, kind: coverage, command: t, at_least: {line: 0.0000001}}", "at_least: line must be a number from 0 to "),
    ("{id: a, kind: coverage, command: t, at_most: {line: 100}}", "at_most: line: 100 is met by anything"),
    (
        "{id: a, kind: sarif, command: t, at_least: {error: 2}, at_most: {error: 1}}",
        "error is to be at least more than",
    ),
    ("{id: a, kind: review, at_most: {approvals: 2}}", "a criterion of kind review does not use at_most"),
    ("{id: a, kind: commit, pattern: '['}", "pattern '[' cannot be used: it is no regular expression: "),
    ("{id: a, kind: commit, pattern: '.*'}", "pattern fits a commit that says nothing"),
    ("{id: a, kind: baseline, tagged: 1}", "tagged must be true or false, not 1"),
    ("{id: any-artifact, kind: diff}", "the criterion id any-artifact is used twice in this stage"),
    ("{id: upstream, kind: diff}", "the id upstream and the kind upstream belong together"),
    ("{id: before, kind: upstream}", "the id upstream and the kind upstream belong together"),
]


@pytest.mark.parametrize(("text", "reason"), CRITERIA, ids=[text for text, _ in CRITERIA])
def test_a_criterion_that_means_nothing_is_refused_at_its_line(text: str, reason: str) -> None:
    assert told(text).startswith(reason)


STAGES = [
    ("    uses: [plan, later]", 18, "uses: 'later' is no earlier stage"),
    ("    uses: [test]", 18, "uses: 'test' is no earlier stage"),
    ("    route: {after: 3, to: test}", 18, "the route leads to test, which is no earlier stage"),
    ("    route: {after: 0, to: plan}", 18, "after must be a whole number from 1 to 100, not 0"),
    ("    route: {to: plan}", 18, "after is missing"),
    ("    edits: test", 18, 'edits must be one of none, tests, all, not "test"; did you mean tests?'),
    ("    artifacts: [a.*, a.*]", 18, "artifacts names a.* twice"),
    ("    artifacts: [a-b.*, a b.*]", 18, "the artifacts a-b.* and a b.* get the same id, a-b"),
    ("    artifacts: [../a.md]", 18, "artifacts: '../a.md' leaves artifacts/ with `..`"),
    ("    exits: []", 18, "unknown key exits; did you mean exit?"),
    ("    exit: {}", 18, "exit must be a list of criteria, not a mapping"),
    ("    enter:\n      - {id: upstream, kind: upstream}", 19, "a criterion of kind upstream belongs in exit"),
    (
        "    enter:\n      - {id: a, kind: diff}\n    exit:\n      - {id: a, kind: feedback}",
        21,
        "the criterion id a is used twice in this stage",
    ),
    (
        "    exit:\n      - {id: a, kind: diff}\n      - {id: a, kind: diff}",
        20,
        "the criterion id a is used twice in this stage",
    ),
    (
        "    exit:\n      - {id: any-artifact, kind: artifact, files: [a], mode: off}",
        13,
        "every criterion of test is off, so there is nothing to evaluate",
    ),
]


@pytest.mark.parametrize(("more", "line", "reason"), STAGES, ids=[more for more, _, _ in STAGES])
def test_a_stage_that_cannot_be_is_refused_at_its_line(more: str, line: int, reason: str) -> None:
    assert problems(f"{SMALL}{more}\n") == [f"workflow.yaml:{line}: {reason}"]


WHOLE = [
    ("name: small", "name: Small one", 1, "name 'Small one' must be lower-case letters, digits and -"),
    ("name: small", "nam: small", 1, "unknown key nam; did you mean name?"),
    ("title: Small", "title: Small\ngates: medium", 3, 'gates must be one of hard, soft, off, not "medium"'),
    ("title: Small", "title: Small\nstrict: 1", 3, "strict must be true or false, not 1"),
    ("title: Small", "title: Small\nname: other", 3, "the key name is given twice (first on line 1); keep one"),
    ("leg: apex", "leg: top", 11, 'leg must be one of left, apex, right, not "top"'),
    ("leg: apex", "leg: left", 11, ""),
    ("role: coder", "role: The Coder", 12, "role 'The Coder' is no name for a role"),
    ("id: code", "id: plan", 9, "the id plan is used twice"),
    ("id: code", "id: 1st", 9, "id '1st' must be lower-case letters, digits, _ and -, beginning with a letter"),
    ("pair: test", "pair: tset", 7, "the pair tset of plan is no stage"),
    ("    pair: test\n", "", 4, "plan is on the left leg and needs the pair that answers it"),
    ("pair: plan", "pair: code", 16, "test and code are no pair: each must name the other, on the other leg"),
    ("leg: apex", "leg: apex\n    pair: plan", 12, "code is the apex and has no pair"),
]


@pytest.mark.parametrize(("old", "new", "line", "reason"), WHOLE, ids=[new for _, new, _, _ in WHOLE])
def test_what_is_no_workflow_is_refused_at_its_line(old: str, new: str, line: int, reason: str) -> None:
    found = problems(SMALL.replace(old, new, 1))

    assert any(one.startswith(f"workflow.yaml:{line}: {reason}") for one in found) or not reason, found
    assert all(one.startswith("workflow.yaml:") for one in found)


def test_two_apexes_or_none_are_no_v() -> None:
    assert problems(SMALL.replace("leg: apex", "leg: left", 1))[0].startswith("workflow.yaml:3: a V has one stage")
    assert problems(SMALL.replace("leg: right", "leg: apex", 1))[0].startswith("workflow.yaml:3: a V has one stage")


def test_a_stage_on_the_wrong_side_of_the_apex_is_unreachable() -> None:
    moved = SMALL.replace("  - id: code\n    title: Code\n    leg: apex\n    role: coder\n", "") + (
        "  - id: code\n    title: Code\n    leg: apex\n    role: coder\n"
    )
    assert problems(moved) == ["workflow.yaml:11: test is on the right leg, on the wrong side of code"]


def test_pairs_that_cross_are_refused() -> None:
    stage = "  - {{id: {0}, title: T, leg: {1}, {2}role: coder}}\n"
    rows = [
        ("a", "left", "pair: y, "),
        ("b", "left", "pair: z, "),
        ("top", "apex", ""),
        ("y", "right", "pair: a, "),
        ("z", "right", "pair: b, "),
    ]
    text = "name: cross\ntitle: T\nstages:\n" + "".join(stage.format(*row) for row in rows)

    assert problems(text) == ["workflow.yaml:5: b comes after a, so its pair must come before y"]


def test_the_first_stage_has_nothing_before_it() -> None:
    first = SMALL.replace("role: planner\n", "role: planner\n    exit:\n      - {id: upstream, kind: upstream}\n")

    assert problems(first) == ["workflow.yaml:10: no stage comes before the first, so nothing can hold before it"]


def test_all_problems_are_told_at_once_in_the_order_of_the_lines() -> None:
    text = exits("{id: a, kind: junti}\n{id: b, kind: junit}\n{id: c, kind: commit, pattern: '['}")
    text = text.replace("name: small", "name: S!", 1).replace("pair: test", "pair: tset", 1)

    assert [one.split(":")[1] for one in problems(text)] == ["1", "7", "16", "19", "20", "21"]


def test_a_file_that_is_no_mapping_is_one_sentence() -> None:
    assert problems("") == [
        "workflow.yaml:1: a mapping with name, title, gates, strict, trace, stages is expected, not nothing"
    ]
    assert problems("name: a\n---\nname: b\n")[0].startswith("workflow.yaml:2: a second document begins here")
    assert problems("name: a\ntitle: b\nstages: []")[0] == "workflow.yaml:3: stages must be a list of 1 to 50 stages"


def test_aliases_that_multiply_are_refused() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9))

    assert "values once its aliases are expanded" in problems(bomb)[0]


WORDS = st.sampled_from(
    [
        *("name", "title", "stages", "id", "leg", "left", "apex", "right", "pair", "role", "exit", "enter", "kind"),
        *(
            "junit",
            "coverage",
            "command",
            "at_least",
            "line",
            "off",
            "no",
            "~",
            "1",
            "0.5",
            "-3",
            "route",
            "to",
            "after",
        ),
        *("artifact", "files", "../x", "upstream", "true", "a", "010", "metric", "uses", "[", "\t", '"\\0"'),
    ]
)
JUNK = yaml_junk(WORDS)


@settings(deadline=None, max_examples=150)
@given(st.one_of(JUNK.map(lambda junk: f"name: a\ntitle: b\nstages: [{junk}]"), JUNK.map(exits), st.text()))
def test_a_workflow_of_junk_is_read_or_refused_and_nothing_else(text: str) -> None:
    found: tuple[str, ...] = ()
    try:
        parse_workflow(text.encode("utf-8", "surrogatepass"), "workflow.yaml")
    except ConfigError as error:
        found = error.problems or ("",)

    assert all(one.startswith("workflow.yaml:") for one in found)


def test_legs_are_left_apex_and_right() -> None:
    assert [stage.leg for stage in workflow(SMALL).stages] == [Leg.LEFT, Leg.APEX, Leg.RIGHT]
