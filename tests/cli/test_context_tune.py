"""`vfcc context tune`: what real prompts say of a role's shares, and that it changes nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.process import git, vfcc
from tests.cli.shapes import promised, shape
from tests.trees import add_settings
from verifflowcc.domain.layers import PRIORITY, Layer
from verifflowcc.domain.runs import LayerRun, Run
from verifflowcc.formats.run_lines import run_line

pytestmark = pytest.mark.vfcc("REQ-TUNE")

LOG = ".memory/local/runs.jsonl"
CODER = {Layer.AGENT: 500_000, Layer.STAGE: 300_000, Layer.SPRINT: 100_000, Layer.PROJECT: 100_000, Layer.USER: 0}


def ask(folder: Path, times: int, *options: str, word: str = "tides") -> None:
    for number in range(times):
        assert vfcc(folder, "context", "show", "--agent", "coder", "--task", f"{word} {number}", *options).code == 0


def tuned(folder: Path, *options: str) -> Any:
    ran = vfcc(folder, "context", "tune", *options, "--json", "--full")
    assert ran.code == 0, ran.err
    return ran.data


def lines(folder: Path) -> list[Any]:
    path = folder / LOG
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()] if path.exists() else []


def logged(folder: Path, *runs: Run) -> None:
    path = folder / LOG
    path.parent.mkdir(exist_ok=True)
    with path.open("ab") as file:
        file.writelines(map(run_line, runs))


def run(agent: str = "coder", budget: int = 50_000, shares: dict[Layer, int] | None = None, lacking: int = 0) -> Run:
    shares = CODER if shares is None else shares
    layers = [LayerRun(each, shares[each], 100, 100, 100, 100) for each in PRIORITY[:-1]]
    last = LayerRun(Layer.PROJECT, shares[Layer.PROJECT], 100, 100, 100 + lacking, 60_000)
    return Run("2026-11-21T14:00:00Z", agent, budget, 40_000, (*layers[:3], last))


def files(folder: Path) -> dict[str, bytes]:
    found = [path for path in folder.rglob("*") if path.is_file() and ".git/" not in str(path)]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.mark.sweep
def test_a_suggestion_from_real_prompts_is_felt_in_them_once_it_is_followed_and_then_followed_by_none(
    example: Path,
) -> None:
    git(example, "init", "-q")
    git(example, "add", ".")
    git(example, "commit", "-qm", "first")
    ask(example, 5, "--budget", "2500")
    before = files(example)
    found = tuned(example)
    page = vfcc(example, "context", "tune")

    assert files(example) == before
    assert git(example, "status", "--porcelain") == ""
    assert shape(found) == promised("context_tune")
    (coder,) = found["roles"]
    assert (coder["agent"], coder["runs"], coder["outcome"]) == ("coder", 5, "change")
    layers = {each["layer"]: each for each in coder["layers"]}
    assert sum(each["suggested"] for each in layers.values()) == pytest.approx(1)
    assert layers["agent"]["wasted"] == layers["project"]["starved"] == 5
    assert layers["agent"]["suggested"] < 0.5
    assert layers["project"]["suggested"] > 0.1
    assert page.out.startswith("coder: 5 prompts of 2,500 tokens; medians\n")
    assert f"\ntoken_allocation:\n{found['snippet']}" in page.out
    assert coder["why"] in page.out

    lacked = layers["stage"]["lacking_tokens"]
    config = example / ".memory/config.yaml"
    section = yaml.safe_load(found["snippet"])
    values = yaml.safe_load(config.read_text(encoding="utf-8"))
    values.setdefault("token_allocation", {}).update(section)
    config.write_text(yaml.safe_dump(values), encoding="utf-8")
    ask(example, 5, "--budget", "2500")
    (coder,) = tuned(example)["roles"]
    assert (coder["runs"], coder["other_shares"], coder["outcome"]) == (5, 5, "nothing_to_give")
    assert {each["layer"]: each["lacking_tokens"] for each in coder["layers"]}["stage"] < lacked


@pytest.mark.sweep
def test_a_prompt_adds_one_line_of_numbers_and_its_role_and_one_from_the_cache_none(example: Path) -> None:
    ask(example, 2, word="secret-plan")
    vfcc(example, "context", "show", "--agent", "coder", "--json", "--full")
    first = lines(example)

    assert len(first) == 3
    for line in first:
        assert sorted(line) == ["agent", "at", "budget", "layers", "room"]
        assert (line["agent"], line["budget"]) == ("coder", 50_000)
        assert sorted(line["layers"]) == ["agent", "project", "sprint", "stage", "user"]
        assert all(isinstance(one, int) for numbers in line["layers"].values() for one in numbers)
    shown = vfcc(example, "context", "show", "--agent", "coder", "--json", "--full").data["prompt"]
    written = lines(example)[-1]
    assert written["room"] == shown["room_tokens"]
    for use in shown["layers"]:
        names = ("own_tokens", "used_tokens", "wanted_tokens", "offered_tokens")
        share = round(use["share"] * 1_000_000)  # the log counts in millionths
        assert written["layers"][use["layer"]] == [share, *(use[name] for name in names)]


@pytest.mark.sweep
def test_what_the_cache_answers_is_no_run_of_its_own(example: Path) -> None:
    """The stamps of a file that was just written are not trusted yet, so the first prompts may be compiled again.

    A prompt with the code of its task is compiled each time, and each is a run.
    """
    add_settings(example, "loading_strategy: {agent: {conditional_load: [context.json]}}")
    compiled = 0
    for _ in range(40):
        before = len(lines(example))
        ask(example, 1)
        compiled = len(lines(example))
        if compiled == before:
            break
    assert compiled == before
    assert vfcc(example, "memory", "stats", "--json", "--full").data["metrics"]["prompts"] > compiled


@pytest.mark.points(2)
@pytest.mark.parametrize("option", ["--committed", "--all", "--as-of=2026-11-20"])
def test_a_prompt_that_is_none_of_every_day_is_no_run(example: Path, option: str) -> None:
    git(example, "init", "-q")
    git(example, "add", ".")
    git(example, "commit", "-qm", "first")
    ask(example, 1, option)

    assert lines(example) == []


def test_where_nothing_can_be_noted_the_prompt_is_there_all_the_same(young: Path) -> None:
    (young / LOG).mkdir(parents=True)
    ran = vfcc(young, "context", "show", "--agent", "coder")

    assert (ran.code, "# " in ran.out) == (0, True)
    assert "warning: the run is not noted for context tune: " in ran.err
    vfcc(young, "context", "tune").refused(3, "cannot read", "runs.jsonl")


def test_without_prompts_and_with_too_few_it_says_so_and_suggests_nothing(young: Path) -> None:
    ran = vfcc(young, "context", "tune")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("no prompt was compiled here yet for analyst, architect, coder, ")
    assert vfcc(young, "context", "tune", "--agent", "tester").out == "no prompt was compiled here yet for tester\n"

    logged(young, *[run(lacking=20_000)] * 4)
    ran = vfcc(young, "context", "tune", "--agent", "coder")
    assert "only 4 prompts were compiled with the shares of now, and a suggestion takes 5: keep" in ran.out
    assert "token_allocation" not in ran.out
    assert tuned(young)["roles"][0]["outcome"] == "too_few_runs"


def test_torn_and_foreign_lines_are_left_out_and_counted(young: Path) -> None:
    logged(young, *[run()] * 5)
    with (young / LOG).open("ab") as file:
        file.write(b'{"at":"2026-11-21T14:00:00Z","agent":"coder"}\n\xff\n' + run_line(run())[:30])
    ran = vfcc(young, "context", "tune", "--agent", "coder")

    assert "3 lines of the log of runs say nothing" in ran.err
    assert ran.out.startswith("coder: 5 prompts of 50,000 tokens")


def test_only_the_last_prompts_with_the_shares_of_now_and_the_usual_budget_count(young: Path) -> None:
    other = dict(zip(PRIORITY, (400_000, 300_000, 200_000, 100_000, 0), strict=True))
    logged(young, *[run(lacking=9)] * 3, *[run(shares=other)] * 2, *[run()] * 4, *[run(budget=900)] * 2)
    (coder,) = tuned(young)["roles"]
    assert (coder["runs"], coder["other_shares"], coder["other_budget"], coder["budget_tokens"]) == (7, 2, 2, 50_000)
    assert "(left out: 2 with other shares, 2 with another budget)" in vfcc(young, "context", "tune").out

    (coder,) = tuned(young, "--last", "6")["roles"]
    assert (coder["runs"], coder["other_budget"]) == (4, 2)
    assert {each["layer"]: each["starved"] for each in coder["layers"]}["project"] == 0


def test_a_layer_at_its_max_tokens_is_told_that_no_share_would_help(young: Path) -> None:
    logged(young, *[run()] * 5)
    page = vfcc(young, "context", "tune", "--agent", "coder").out

    assert "no layer lacked room in half of the prompts: keep what you have" in page
    assert "note: project was offered more than its max_tokens (5,000) in 5 of 5 prompts: no share lets in more" in page


def starved_twice() -> list[Run]:
    layers = [(Layer.AGENT, 100, 100), (Layer.STAGE, 9_000, 9_900), (Layer.PROJECT, 900, 9_900)]
    told = tuple(LayerRun(each, CODER[each], 0, used, wanted, wanted) for each, used, wanted in layers)
    return [Run("2026-11-21T14:00:00Z", "coder", 10_100, 10_000, told)] * 5


def test_a_configuration_without_shares_is_given_those_that_held_for_the_other_roles_too(young: Path) -> None:
    """With the section in the file, it alone counts."""
    logged(young, *starved_twice())
    assert list(yaml.safe_load(tuned(young)["snippet"])) == ["coder"]

    (young / ".memory/config.yaml").write_text("format: 1\n", encoding="utf-8")
    snippet = tuned(young)["snippet"]
    assert "  planner: {agent: 0.1, stage: 0.2, sprint: 0.4, project: 0.3}\n" in snippet
    (young / ".memory/config.yaml").write_text(f"format: 1\ntoken_allocation:\n{snippet}", encoding="utf-8")
    assert vfcc(young, "check", "config").code == 0


def test_a_budget_of_the_role_stays_in_what_is_suggested(young: Path) -> None:
    shares = "{agent: 0.5, stage: 0.3, sprint: 0.1, project: 0.1, budget: 10100}"
    (young / ".memory/config.yaml").write_text(f"format: 1\ntoken_allocation:\n  coder: {shares}\n", encoding="utf-8")
    logged(young, *starved_twice())

    assert yaml.safe_load(tuned(young)["snippet"])["coder"]["budget"] == 10_100


def test_a_slip_is_told(young: Path) -> None:
    vfcc(young, "context", "tune", "--agent", "codr").refused(2, "there is no agent codr; did you mean coder?")
    for number in ("0", "-1", "many", "1" * 20):
        vfcc(young, "context", "tune", f"--last={number}").refused(2, "--last", "is no number of prompts")
