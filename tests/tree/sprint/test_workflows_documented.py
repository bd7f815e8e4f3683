"""The YAML in the reference pages is YAML that vfcc takes."""

import re
from pathlib import Path

import pytest

from verifflowcc.base.config.config_validate import check
from verifflowcc.base.config.tools_file import parse_tools
from verifflowcc.base.model.gate_values import RULES, CriterionKind
from verifflowcc.base.model.trace_codes import CHECKS, DEFAULT_POLICY
from verifflowcc.base.model.trace_values import Family, Severity
from verifflowcc.sprint.store.workflow_load import load_shipped, parse_workflow, shipped_names, templates_folder

PAGES = Path(__file__).parents[3] / "docs" / "reference"
ROW = re.compile(r"(?m)^\| `([\w-]+)` \|(.*)\|(.*)\|(.*)\|$")


def page(name: str) -> str:
    return (PAGES / name).read_text(encoding="utf-8")


def blocks(name: str) -> list[str]:
    return re.findall(r"(?ms)^```yaml\n(.*?)^```$", page(name))


def test_the_workflow_on_its_page_is_one() -> None:
    (text,) = blocks("workflows.md")

    assert [stage.id for stage in parse_workflow(text.encode(), "workflow.yaml").stages] == [
        *("design", "coding", "testing")
    ]


def test_the_configurations_on_their_page_are_sound() -> None:
    texts = [text for text in blocks("configuration.md") if not text.startswith("#")]

    assert sum("gates:" in text for text in texts) == 1
    for text in texts:
        check(text.encode(), ("light",))


def test_the_tools_on_their_page_are_sound() -> None:
    (text,) = [text for text in blocks("configuration.md") if text.startswith("# .memory/agent/coder/tools.yaml\n")]

    assert parse_tools(text.encode(), "tools.yaml")[1] == ()


def test_the_commented_commands_in_the_shipped_configuration_are_sound() -> None:
    text = (templates_folder() / "config.yaml").read_text(encoding="utf-8")
    example = text[text.index("# gates:\n") :]

    config = check("".join(line.removeprefix("# ") for line in example.splitlines(keepends=True)).encode(), ()).config

    assert list(config.gates.commands) == ["test"]


@pytest.mark.parametrize("kind", RULES)
def test_every_kind_stands_in_the_table_with_its_keys_and_measures(kind: CriterionKind) -> None:
    rows = {name: "".join(cells) for name, *cells in ROW.findall(page("workflows.md"))}
    told = set(re.findall(r"`(\w+)`", rows[kind]))
    if "as junit" in rows[kind]:
        told |= set(re.findall(r"`(\w+)`", rows["junit"])) - set(RULES[CriterionKind.JUNIT].measures or {})
    limits = {"at_least", "at_most"} if re.search("limits|as junit", rows[kind]) else set()

    assert {*RULES[kind].keys, *(RULES[kind].measures or {})} <= told | limits


def test_every_trace_check_stands_with_its_family_and_those_that_are_notes_in_parentheses() -> None:
    rows = dict(re.findall(r"(?m)^\| `(\w+)` \| ((?:\(?`[a-z-]+`\)?(?:, )?)+) \|$", page("workflows.md")))
    told = {
        (family, code, bool(bracket))
        for family in map(str, Family)
        for bracket, code in re.findall(r"(\(?)`([a-z-]+)`", rows[family])
    }

    assert told == {(str(each.family), each.code, each.severity is Severity.NOTE) for each in CHECKS.values()}


def test_the_default_relations_of_the_trace_are_those_on_the_page() -> None:
    for rule in DEFAULT_POLICY.relations.values():
        ends = (", ".join(f"`{name}`" for name in names) for names in (rule.from_types, rule.to_types))
        assert f"| `{rule.name}` | {' | '.join(ends)} |" in page("workflows.md")


def test_every_need_of_the_standard_workflow_is_explained() -> None:
    for need in load_shipped("standard").trace.needs:
        assert f"`{need.id}`" in page("workflows.md")


def test_every_shipped_workflow_stands_on_the_page() -> None:
    assert {name for name in shipped_names() if f"| `{name}` |" in page("workflows.md")} == set(shipped_names())
