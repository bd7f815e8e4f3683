"""The artifact criterion: what passes, and what each lack is called."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.gate_values import Assessment, Criterion, CriterionKind, Verdict
from verifflowcc.base.model.sprint_state import Artifact, ArtifactText, SprintState
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.glob import matches
from verifflowcc.gates.rules.artifact_criteria import artifacts_digest, assess_artifact, suggested

FOLDER = ".memory/stage/login/planning/artifacts"


def lying(path: str, text: str | None, size: int = 1) -> ArtifactText:
    if text is None:
        return ArtifactText(Artifact(path, digest_text(path), size), None)
    return ArtifactText(Artifact(path, digest_text(text), len(text.encode())), text)


def asked(*files: str, requires: tuple[str, ...] = (), **there: str | None) -> Assessment:
    """Ask for `files`, where `plan__md="…"` is the text of `plan.md`; `_in_` is a folder's end."""
    lies = [lying(name.replace("_in_", "/").replace("__", "."), text) for name, text in there.items()]
    return among(lies, *files, requires=requires)


def among(lies: list[ArtifactText], *files: str, requires: tuple[str, ...] = ()) -> Assessment:
    criterion = Criterion("plan", CriterionKind.ARTIFACT, "the plan", files=files, requires=requires)
    facts = Facts(SprintState("login", "Log in"), "2026-11-21", artifacts={"planning": tuple(lies)})
    return assess_artifact(criterion, "planning", facts, FOLDER)


def test_a_plan_that_says_something_passes() -> None:
    shown = asked("plan.*", plan__md="# Plan\n\nOne form.\n")

    assert shown.verdict is Verdict.PASS
    assert (shown.reason, shown.step, shown.used) == ("plan.md (18 bytes)", "", ("plan.md",))


def test_nothing_there_fails_and_names_the_file_to_write() -> None:
    shown = asked("plan.*", notes__md="One form.\n")

    assert shown.verdict is Verdict.FAIL
    assert shown.reason == f"nothing matches {FOLDER}/plan.*"
    assert (shown.step, shown.file) == (f"write {FOLDER}/plan.md", f"{FOLDER}/plan.md")
    assert shown.used == ()
    assert shown.subject == digest_text("")


def test_the_text_of_an_artifact_of_the_stage_in_progress_is_put_and_its_headings_are_known_beforehand() -> None:
    criterion = Criterion("plan", CriterionKind.ARTIFACT, "the plan", files=("plan.*",), requires=("Goals", "Scope"))
    facts = Facts(SprintState("login", "Log in", current="planning"), "2026-11-21")
    shown = assess_artifact(criterion, "planning", facts, FOLDER)

    assert shown.step == f"vfcc stage put plan.md  # or write {FOLDER}/plan.md"
    assert shown.reason == f'nothing matches {FOLDER}/plan.* (it needs text under the headings "Goals", "Scope")'


def test_another_stages_plan_is_not_this_stages() -> None:
    criterion = Criterion("plan", CriterionKind.ARTIFACT, "the plan", files=("plan.*",))
    facts = Facts(SprintState("login", "Log in"), "2026-11-21", artifacts={"design": (lying("plan.md", "One form."),)})

    assert assess_artifact(criterion, "planning", facts, FOLDER).verdict is Verdict.FAIL


def test_any_file_will_do_where_none_is_named() -> None:
    for patterns in ((), ("**",)):
        assert asked(*patterns, deep_in_notes__txt="One form.\n").verdict is Verdict.PASS
        empty = asked(*patterns)
        assert (empty.verdict, empty.reason) == (Verdict.FAIL, f"nothing in {FOLDER}/")


def test_of_several_patterns_one_is_enough() -> None:
    assert asked("plan.*", "*.txt", notes__txt="One form.\n").verdict is Verdict.PASS
    lacking = asked("plan.*", "*.txt", notes__csv="1\n")
    assert lacking.reason == f"nothing matches {FOLDER}/plan.* or {FOLDER}/*.txt"


def test_a_star_does_not_cross_a_slash() -> None:
    assert asked("plan.*", old_in_plan__md="One form.\n").verdict is Verdict.FAIL
    assert asked("*/plan.*", old_in_plan__md="One form.\n").verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "plan.md is empty"),
        (" \n\t\n", "plan.md is empty"),
        ("\ufeff\n", "plan.md is empty"),
        ("# Plan\n\n## Goals\n", "plan.md has no text besides headings, labels and comments"),
        ("# Plan\n\nTODO\n", 'plan.md:3 only holds the place of a text: "TODO"'),
        (
            "# Plan\n\n" + "lorem ipsum " * 9,
            'plan.md:3 only holds the place of a text: "lorem ipsum lorem ipsum lorem ipsum lore…"',
        ),
    ],
)
def test_an_empty_or_placeholder_plan_fails_with_its_line(text: str, reason: str) -> None:
    shown = asked("plan.*", plan__md=text)

    assert shown.verdict is Verdict.FAIL
    assert shown.reason == f"{FOLDER}/{reason}"
    assert shown.step == f"fill {FOLDER}/plan.md"


def test_json_that_does_not_parse_fails_with_its_line() -> None:
    shown = asked("plan.*", plan__json='{\n  "needs": [,]\n}\n')

    assert shown.verdict is Verdict.FAIL
    assert shown.reason == f"{FOLDER}/plan.json:2 is not JSON: Expecting value"
    assert shown.step.startswith(f"mend {FOLDER}/plan.json")


@pytest.mark.parametrize("text", ["{}", "[]", "null", '{"needs": [], "plan": ""}', '{"plan": "TBD"}'])
def test_json_with_nothing_in_it_fails(text: str) -> None:
    assert asked("plan.*", plan__json=text).verdict is Verdict.FAIL


@pytest.mark.parametrize("name", ["plan.yaml", "plan.YML"])
def test_yaml_of_keys_alone_fails(name: str) -> None:
    assert among([lying(name, "needs:\nplan: ~\n")], "plan.*").verdict is Verdict.FAIL
    assert among([lying(name, "needs: [log in]\n")], "plan.*").verdict is Verdict.PASS


def test_a_file_that_is_no_text_passes_unless_it_is_empty() -> None:
    assert among([lying("plan.png", None, 9)], "plan.*").verdict is Verdict.PASS
    assert among([lying("plan.png", None, 0)], "plan.*").verdict is Verdict.FAIL


def test_one_sound_file_is_enough_and_the_others_faults_are_told() -> None:
    shown = asked("plan.*", plan__md="One form.\n", plan__txt="TODO\n", plan__json="{")

    assert shown.verdict is Verdict.PASS
    assert shown.used == ("plan.md",)
    assert len(shown.notes) == 2
    assert all(note.startswith(f"{FOLDER}/plan.") for note in shown.notes)


PLAN = "# Plan\n\n## 1. Goals:\n\nLog in.\n\n## Scope\n\n### In\n\nOne form.\n\nRisks\n-----\n\nTBD\n"


def test_each_required_heading_needs_text_under_it() -> None:
    assert asked("plan.md", requires=("goals", "SCOPE", "in"), plan__md=PLAN).verdict is Verdict.PASS

    shown = asked("plan.md", requires=("Goals", "Risks", "Owner"), plan__md=PLAN)

    assert shown.verdict is Verdict.FAIL
    assert shown.reason == f'{FOLDER}/plan.md has no text under the headings "Risks", "Owner"'
    assert shown.step == f'write "Risks", "Owner" in {FOLDER}/plan.md'


@pytest.mark.parametrize(
    "text",
    [
        "# Risks\n\n# Goals\n\nLog in.\n",
        "# Goals\n\nLog in.\n\n# Risks\n",
        "# Risks\n\nTODO\n\n# Goals\n\nLog in.\n",
        "# Risks\n\n## None\n\n# Goals\n\nLog in.\n",
        "Risks\n\nLate.\n",
        "```\n# Risks\n```\n\nLate.\n",
        "<!--\n# Risks\n-->\n\nLate.\n",
        "# Risks and more\n\nLate.\n",
        "# More\n\n<!-- # Risks --> Late.\n",
        "- # Risks\n\n  Late.\n",
    ],
)
def test_a_heading_with_nothing_under_it_or_that_is_none_is_missing(text: str) -> None:
    shown = asked("*.md", requires=("Risks",), plan__md=text)

    assert shown.verdict is Verdict.FAIL
    assert shown.reason.endswith('plan.md has no text under the heading "Risks"')


def test_of_two_sections_of_one_name_one_may_be_empty() -> None:
    text = "# Risks\n\n# Goals\n\nLog in.\n\n# Risks\n\nLate.\n"
    assert asked("plan.md", requires=("Risks",), plan__md=text).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ('{"Needs": ["log in"]}', True),
        ('{"needs": 0}', True),
        ('{"more": "TODO", "needs": 1}', True),
        ('{"needs": [], "more": 1}', False),
        ('{"needs": "TODO", "more": 1}', False),
        ('{"below": {"needs": ["log in"]}}', False),
        ('["needs"]', False),
    ],
)
def test_a_required_key_of_json_must_hold_something(text: str, has: bool) -> None:
    shown = asked("plan.*", requires=("needs",), plan__json=text)

    assert (shown.verdict is Verdict.PASS) == has
    assert has or shown.reason.endswith('has no text under the key "needs"')


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("needs: [log in]\n", True),
        ("needs:\n  - log in\n", True),
        ("needs:\n- log in\nmore: 1\n", True),
        ('"needs": log in\n', True),
        ("needs: |\n  # heading\n  text\n", True),
        ("needs:\nmore: 1\n", False),
        ("needs: TODO\nmore: 1\n", False),
        ("# needs: log in\nmore: 1\n", False),
        ("below:\n  needs: [log in]\n", False),
        ("more: needs\n", False),
        ("- log in\nmore: 1\n", False),
        ("needs:\n---\n- log in\n", False),
        ("n: 1\n", False),
    ],
)
def test_a_required_key_of_yaml_must_hold_something(text: str, has: bool) -> None:
    assert (asked("plan.*", requires=("needs",), plan__yaml=text).verdict is Verdict.PASS) == has


def test_required_parts_may_stand_in_several_files() -> None:
    there = [lying("plan.md", "# Goals\n\nLog in.\n"), lying("risks.md", "# Risks\n\nLate.\n")]

    assert among(there, "*.md", requires=("Goals", "Risks")).verdict is Verdict.PASS
    lacking = among(there, "*.md", requires=("Owner",))
    assert lacking.reason == f'none of 2 files in {FOLDER}/ has a text under the heading "Owner"'


def test_a_required_part_is_not_found_in_a_file_that_is_no_text() -> None:
    assert among([lying("plan.pdf", None, 9)], "plan.*", requires=("Risks",)).verdict is Verdict.FAIL


def test_the_subject_is_what_matches_and_nothing_else() -> None:
    plan = asked("plan.*", plan__md="One form.\n")

    assert asked("plan.*", plan__md="One form.\n", notes__md="More.\n").subject == plan.subject
    assert asked("plan.*", plan__md="Two forms.\n").subject != plan.subject
    assert asked("plan.*", plan__txt="One form.\n").subject != plan.subject
    assert asked("plan.*", plan__md="").subject != asked("plan.*").subject


NAMES = st.sampled_from(["a.md", "b.md", "c/d.md", "e.csv"])
LYING = st.builds(lying, NAMES, st.sampled_from(["", "TODO", "Text.", "1"]))


@given(st.lists(LYING, max_size=5, unique_by=lambda each: each.artifact.path))
@settings(deadline=None, max_examples=150)
def test_the_order_of_files_changes_no_digest_and_every_verdict_has_a_subject(lies: list[ArtifactText]) -> None:
    shown = among(lies, "**")

    assert artifacts_digest(lies) == artifacts_digest(lies[::-1]) == shown.subject
    assert (shown.verdict is Verdict.PASS) == bool(shown.used) == any(each.text in {"Text.", "1"} for each in lies)
    assert bool(shown.step) == (shown.verdict is not Verdict.PASS)


PATTERN_PARTS = st.text("ab*?.", min_size=1, max_size=4).filter(lambda part: part != "**" and "**" not in part)


@given(st.lists(PATTERN_PARTS, min_size=1, max_size=3).map("/".join))
@settings(deadline=None, max_examples=200)
def test_the_file_that_is_suggested_fits(pattern: str) -> None:
    assert matches(suggested(pattern), pattern)
