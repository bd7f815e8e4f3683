"""`vfcc context tune`: recent prompts are compiled again, and only what keeps more is suggested."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.process import vfcc
from tests.cli.shapes import promised, shape
from tests.trees import add_settings
from verifflowcc.base.use.workspace import open_workspace
from verifflowcc.prompt.use.allocation_tuning import tune_allocation

pytestmark = pytest.mark.vfcc("REQ-TUNE")

SENT = ".memory/local/sent-prompts.jsonl"


def sent(folder: Path, *rows: dict[str, Any]) -> None:
    path = folder / SENT
    path.parent.mkdir(exist_ok=True)
    text = "".join(
        json.dumps({"begin": "# P", "size": 3, "digest": f"d{n}", **row}) + "\n" for n, row in enumerate(rows)
    )
    path.write_text(text, encoding="ascii")


def files(folder: Path) -> dict[str, bytes]:
    found = [path for path in folder.rglob("*") if path.is_file() and ".git/" not in str(path)]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found if "/local/" not in str(path)}


def test_a_suggestion_keeps_more_when_the_same_prompts_are_compiled_with_it(example: Path) -> None:
    add_settings(example, "token_allocation: {coder: {agent: 0.05, stage: 0.05, sprint: 0.05, project: 0.85}}")
    asked = [("--task", f"{step} the tides", "--budget", "2500") for step in ("parse", "predict", "export")]
    now = _held(example, asked)
    before = files(example)
    ran = vfcc(example, "context", "tune", "--json", "--full")

    assert files(example) == before
    assert shape(ran.data) == promised("context_tune")
    (coder,) = ran.data["roles"]
    assert (coder["runs"], coder["change"]) == (3, True)
    section = yaml.safe_load(ran.data["snippet"])
    assert sum(section["coder"].values()) == pytest.approx(1)
    assert {each["layer"]: each["suggested"] for each in coder["layers"]} == {"user": 0, **section["coder"]}
    shares = ",".join(f"{layer}={share}" for layer, share in section["coder"].items())
    then = _held(example, asked, "--allocation", shares)
    assert then[0] < now[0]
    assert then[1] >= now[1]


def test_a_configuration_of_format_1_is_given_the_shares_of_the_other_roles_too(example: Path) -> None:
    """With the section in the file, it alone counts."""
    config = example / ".memory/config.yaml"
    config.write_text("format: 1\n", encoding="utf-8")
    rows = [{"role": "coder", "task": f"{step} the tides", "budget": 3200} for step in ("parse", "predict", "export")]
    sent(example, *rows)
    snippet = tune_allocation(open_workspace(example)).snippet

    assert "  planner: {agent: 0.1, stage: 0.2, sprint: 0.4, project: 0.3}\n" in snippet
    config.write_text(f"format: 1\ntoken_allocation:\n{snippet}", encoding="utf-8")
    assert vfcc(example, "check", "config").code == 0


def _held(folder: Path, asked: Sequence[tuple[str, ...]], *options: str) -> tuple[int, int]:
    """Return how many entries prompts cut, and how many tokens they hold."""
    prompts = [
        vfcc(folder, "context", "show", "--agent", "coder", *each, *options, "--json", "--full").data["prompt"]
        for each in asked
    ]
    uses = [use for each in prompts for use in each["layers"]]
    return sum(use["trimmed"] + use["dropped"] for use in uses), sum(use["used_tokens"] for use in uses)


def test_without_prompts_and_with_too_few_it_suggests_nothing(young: Path) -> None:
    ran = vfcc(young, "context", "tune")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("no prompt was compiled here yet for analyst, architect, coder, ")
    assert vfcc(young, "context", "tune", "--agent", "tester").out == "no prompt was compiled here yet for tester\n"

    sent(young, {"role": "coder", "task": "a"}, {"role": "coder", "task": "b"}, {"role": "coder", "task": "b"})
    ran = vfcc(young, "context", "tune", "--agent", "coder")
    assert ran.out.startswith("coder: 2 prompts compiled again; medians\n")
    assert "a suggestion takes 3 prompts that can be compiled again: keep" in ran.out
    assert "token_allocation" not in ran.out


def test_prompts_of_stages_that_are_gone_and_foreign_lines_do_not_count(young: Path) -> None:
    rows = [{"role": "coder", "task": str(number), "budget": 4_000} for number in range(4)]
    sent(young, {"role": "coder", "stage": "no-such-stage"}, *rows, {"role": ["x"], "stage": 3, "budget": "many"})
    workspace = open_workspace(young)

    (coder,) = tune_allocation(workspace, "coder").roles
    assert (coder.runs, coder.change) == (4, False)
    assert tune_allocation(workspace, "coder", last=2).roles[0].runs == 2


def test_a_slip_is_reported(young: Path) -> None:
    vfcc(young, "context", "tune", "--agent", "codr").refused(2, "there is no agent codr; did you mean coder?")
    for number in ("0", "-1", "many", "1" * 20):
        vfcc(young, "context", "tune", f"--last={number}").refused(2, "--last", "is no number of prompts")
