"""The section `trace` of a workflow: what it changes, what is refused, and that a sprint pins all of it."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pure.sprint.test_workflow_parse import SMALL, criterion, exits, problems, workflow
from tests.pure.sprint.test_workflow_parse import told as told_of
from tests.yaml_junk import yaml_junk
from verifflowcc.base.errors import ConfigError, FormatError, LedgerError
from verifflowcc.base.model.gate_values import CriterionKind, Mode
from verifflowcc.base.model.trace_codes import (
    DEFAULT_POLICY,
    ItemRule,
    Need,
    RelationRule,
    TracePolicy,
    policy_from_json,
    policy_to_json,
)
from verifflowcc.base.model.trace_values import Severity
from verifflowcc.base.text.canonical import canonical, parse_canonical
from verifflowcc.sprint.rules.stage_moves import pin, unpin
from verifflowcc.sprint.store.workflow_load import parse_workflow

FIRST = len(SMALL.splitlines()) + 2
"""The first line below `trace:` where that stands at the end of the small workflow."""

NEED = "{id: tested, of: [requirement], by: [verifies], from: [test_spec]}"


def traced(section: str) -> str:
    """The small workflow with a section `trace`, its lines indented by two."""
    return SMALL + "trace:\n" + "".join(f"  {line}\n" for line in section.splitlines())


def policy(section: str) -> TracePolicy:
    return workflow(traced(section)).trace


def wrong(section: str) -> str:
    """The one problem of a section, without its file and line, which is the first."""
    (only,) = problems(traced(section))
    place, _, reason = only.partition(": ")
    assert place == f"workflow.yaml:{FIRST}", only
    return reason


def test_a_workflow_that_says_nothing_of_the_trace_has_the_default_rules() -> None:
    assert workflow(SMALL).trace is DEFAULT_POLICY
    assert "trace" not in pin(workflow(SMALL))  # type: ignore[operator]
    assert replace(policy("{}"), digest="") == DEFAULT_POLICY


def test_types_are_added_and_one_that_is_there_keeps_what_is_not_said() -> None:
    found = policy(
        "types:\n  requirement: {fields: [owner], requires: [Limits]}\n"
        "  user-story: {level: 0, root: true, verified: true}\n"
    )

    assert found.types["requirement"] == ItemRule(
        "requirement", "REQ", 1, fields=("owner",), verified=True, requires=("Limits",)
    )
    assert found.types["user-story"] == ItemRule("user-story", "USERSTORY", 0, root=True, verified=True)
    assert list(found.types) == [*DEFAULT_POLICY.types, "user-story"]
    assert policy("types:\n  requirement: {level: null}\n").types["requirement"].level is None


def test_relations_are_added_and_one_that_is_there_keeps_what_is_not_said() -> None:
    found = policy(
        "relations:\n  refines: {to: [need]}\n  mitigates: {from: [requirement], to: [hazard], upward: false}\n"
    )

    before = DEFAULT_POLICY.relations["refines"]
    assert found.relations["refines"] == replace(before, to_types=("need",))
    assert found.relations["mitigates"] == RelationRule("mitigates", ("requirement",), ("hazard",), upward=False)


def test_a_whole_section_is_read() -> None:
    found = policy(
        f"needs: [{NEED[:-1]}, at_least: 2, or_tests: true, title: tests}}, {{id: built, of: [unit], code: true}}]\n"
        "severity: {unreviewed: off, no-parent: note}\nintegrity: [QM, A]\n"
        "tests: ['checks/**']\ncode: ['src/**', '!src/x.py']\nid_pattern: '[A-Z]+-[0-9]+'\n"
    )

    assert found.needs == (
        Need("tested", ("requirement",), ("verifies",), ("test_spec",), at_least=2, or_tests=True, title="tests"),
        Need("built", ("unit",), (), (), code=True),
    )
    assert found.severities == {"unreviewed": Severity.OFF, "no-parent": Severity.NOTE}
    assert (found.integrity, found.tests, found.code) == (("QM", "A"), ("checks/**",), ("src/**", "!src/x.py"))
    assert found.id_pattern == "[A-Z]+-[0-9]+"


def test_the_digest_is_that_of_what_the_rules_say() -> None:
    one = policy("integrity: [A, B]\nseverity: {bad-id: note, no-parent: note}")

    assert one.digest.startswith("sha256:")
    assert policy("severity: {no-parent: note, bad-id: note}\nintegrity:\n- A\n- B").digest == one.digest
    assert policy("integrity: [B, A]\nseverity: {bad-id: note, no-parent: note}").digest != one.digest


@pytest.mark.parametrize(
    ("section", "reason"),
    [
        ("typs: {}", "unknown key typs; did you mean types?"),
        ("types: [a]", "types must be a mapping, not a list"),
        ("types: {decision: {}}", "the type 'decision' is a type of the memory; give it another name"),
        ("types: {A b: {}}", "the type 'A b' is no name: use at most 40 lower-case letters"),
        ("types: {story: x}", "a mapping with prefix, level, root, fields, verified, requires is expected"),
        ("types: {story: {prefix: st}}", "prefix 'st' must be capital letters, digits and _"),
        ("types: {story: {level: -1}}", "level must be a whole number from 0 to 99, not -1"),
        ("types: {story: {root: 1}}", "root must be true or false, not 1"),
        ("types: {story: {fields: owner}}", "fields must be a list"),
        ("relations: {supersedes: {from: [need], to: [need]}}", "is one of the memory; give it another name"),
        ("relations: {likes: {from: [need]}}", "to is missing"),
        ("relations: {likes: {from: [need], to: [ned]}}", "to: 'ned' is no type of trace items; did you mean need?"),
        ("relations: {refines: {from: []}}", "from names no type"),
        ("needs: {}", "needs must be a list, not a mapping"),
        ("needs: [{of: [need], code: true}]", "id is missing"),
        ("needs: [{id: a, code: true}]", "of is missing"),
        ("needs: [{id: a, of: [], code: true}]", "of names no type"),
        ("needs: [{id: a, of: [need]}]", "nothing can answer this need"),
        ("needs: [{id: a, of: [need], by: [refines]}]", "`by` (relations) and `from` (types) belong together"),
        ("needs: [{id: a, of: [need], by: [refine], from: [unit]}]", "by: 'refine' is no relation of the trace; did"),
        ("needs: [{id: a, of: [need], by: [allocates], from: [unit]}]", "no need can have what this need asks for"),
        ("needs: [{id: no-parent, of: [need], code: true}]", "id 'no-parent' is the name of a trace check"),
        ("needs: [{id: coverage, of: [need], code: true}]", "id 'coverage' is the name of a trace check"),
        (f"needs: [{NEED}, {NEED}]", "the need tested appears twice"),
        ("needs: [{id: a, of: [need], code: true, at_least: 0}]", "at_least must be a whole number from 1 to 100"),
        ("severity: {no-parents: off}", "unknown trace check no-parents; did you mean no-parent?"),
        ("severity: {zzzzzz: off}", "unknown trace check zzzzzz; docs/reference/workflows.md lists them"),
        ("severity: {no-parent: warn}", "no-parent must be one of error, warning"),
        ("severity: [no-parent]", "severity must be a mapping, not a list"),
        ("integrity: [A, A]", "integrity names A twice"),
        ("tests: []", "tests names nothing"),
        ("code: ['../x']", "code: '../x' leaves the project"),
        ("id_pattern: '['", "cannot be used: it is no regular expression"),
        ("id_pattern: '(a+)+'", "it repeats a group, which can take for ever"),
        ("id_pattern: '.*'", "fits an empty id"),
        ("id_pattern: '.+'", "fits an id with a /, which names no file"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(section: str, reason: str) -> None:
    assert reason in wrong(section)


def test_all_problems_of_the_section_are_told_at_once() -> None:
    found = problems(traced("types:\n  a: {prefix: x}\nneeds:\n- {id: b, of: [c], code: true}\nseverity: {d: off}\n"))

    assert [int(each.split(":")[1]) - FIRST for each in found] == [1, 3, 4]


def test_a_trace_criterion_names_families_codes_needs_and_types() -> None:
    text = exits("{id: t, kind: trace, checks: [links, no-parent, tested], items: [requirement]}")
    found = workflow(text + f"trace:\n  needs: [{NEED}]\n").stages[2].exit[1]

    assert (found.checks, found.items) == (("links", "no-parent", "tested"), ("requirement",))
    assert criterion("{id: t, kind: trace, checks: [links]}").items == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("checks: [lnks]", "checks: 'lnks' is no trace check; did you mean links?"),
        (
            "checks: [zzzzz]",
            "checks: 'zzzzz' is no trace check; families are identity, schema, links, coverage, change",
        ),
        ("items: [requirment]", "items: 'requirment' is no type of trace items; did you mean requirement?"),
        ("checks: [weak-wording]", "every check that is asked for is a note or off, so nothing could fail it"),
    ],
)
def test_a_trace_criterion_that_asks_for_what_there_is_not_is_refused(text: str, reason: str) -> None:
    assert reason in told_of(f"{{id: t, kind: trace, {text}}}")


def test_a_criterion_of_another_kind_has_no_items() -> None:
    assert "a criterion of kind command does not use items" in told_of(
        "{id: b, kind: command, command: x, items: [need]}"
    )


def test_a_criterion_that_the_severities_leave_nothing_of_is_refused() -> None:
    lenient = "trace:\n  severity: {no-parent: off}\n"

    (only,) = problems(exits("{id: t, kind: trace, checks: [no-parent]}") + lenient)
    assert "nothing could fail it" in only
    off = workflow(exits("{id: t, kind: trace, checks: [no-parent], mode: off}") + lenient)
    assert off.stages[2].exit[1].mode is Mode.OFF


def test_a_need_of_types_that_a_criterion_leaves_out_is_refused() -> None:
    (only,) = problems(exits("{id: t, kind: trace, checks: [tested], items: [unit]}") + f"trace:\n  needs: [{NEED}]\n")

    assert "the need tested is one of requirement, not of its items" in only


WHOLE = (
    "types:\n  story: {level: 0, root: true}\n  requirement: {level: null}\nrelations:\n"
    "  refines: {from: [requirement], to: [story]}\n"
    f"needs: [{NEED}]\nseverity: {{no-parent: off}}\nintegrity: [QM, A]\ncode: ['src/**']\n"
)


def test_a_sprint_pins_the_rules_and_reads_them_back_in_their_order() -> None:
    small = workflow(traced(WHOLE))
    there = unpin(parse_canonical(canonical(pin(small))))

    assert there == small
    assert list(there.trace.types) == list(small.trace.types)
    assert list(there.trace.relations) == list(small.trace.relations)


def test_what_was_pinned_before_there_were_rules_has_the_default_ones() -> None:
    pinned = json.loads(canonical(pin(workflow(traced(WHOLE)))))
    del pinned["trace"]

    assert unpin(pinned).trace == DEFAULT_POLICY


def test_the_types_of_a_criterion_are_pinned() -> None:
    text = exits("{id: t, kind: trace, checks: [links], items: [requirement, unit]}")

    found = unpin(pin(workflow(text))).stages[2].exit

    assert [each.items for each in found if each.kind is CriterionKind.TRACE] == [("requirement", "unit")]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("types", None),
        ("types", [1]),
        ("relations", "refines"),
        ("needs", [{"id": 1}]),
        ("id_pattern", "(a+)+"),
        ("severities", {"no-parent": "loud"}),
        ("integrity", [1]),
        ("digest", None),
    ],
)
def test_rules_that_are_none_are_refused_when_they_are_read_back(key: str, value: object) -> None:
    record = json.loads(canonical(policy_to_json(DEFAULT_POLICY))) | {key: value}

    with pytest.raises(FormatError):
        policy_from_json(record)
    with pytest.raises(LedgerError, match="its rules of the trace"):
        unpin(json.loads(canonical(pin(workflow(SMALL)))) | {"trace": record})


def test_a_severity_that_a_newer_vfcc_wrote_is_left_out() -> None:
    record = json.loads(canonical(policy_to_json(DEFAULT_POLICY))) | {"severities": {"of-tomorrow": "error"}}

    assert policy_from_json(record) == DEFAULT_POLICY


WORDS = st.sampled_from(
    [
        *("types", "relations", "needs", "severity", "integrity", "tests", "code", "id_pattern", "prefix", "level"),
        *("root", "fields", "from", "to", "upward", "id", "of", "by", "at_least", "or_tests", "no-parent", "off"),
        *("requirement", "need", "refines", "verifies", "true", "null", "1", "-1", "[", "~", "../x", "A", "(a+)+"),
    ]
)


@settings(deadline=None, max_examples=150)
@given(yaml_junk(WORDS))
def test_junk_is_a_workflow_or_a_list_of_problems(section: str) -> None:
    told: tuple[str, ...] = ("workflow.yaml: none",)
    try:
        found = parse_workflow(traced(section).encode(), "workflow.yaml")
    except ConfigError as error:
        told = error.problems
    else:
        assert unpin(pin(found)) == found
    assert told
    assert all(each.startswith("workflow.yaml:") for each in told)
