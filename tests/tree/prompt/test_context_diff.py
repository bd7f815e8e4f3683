"""What differs between two prompts: two agents, two stages or two commits."""

import json
from pathlib import Path

import pytest

from tests.trees import commit, committed_example, git, vfcc, write_memory, write_tree
from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.entries import Question
from verifflowcc.base.model.layers import Layer
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.prompt.use.prompt_diff import Comparison, compare_contexts, sides
from verifflowcc.prompt.use.prompt_use import compile_context

pytestmark = pytest.mark.vfcc("REQ-CONTEXT-DIFF")

DECISIONS = ".memory/project/decisions"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The worked example; its second commit adds a decision, edits one and removes a convention."""
    root = committed_example(tmp_path_factory.mktemp("diff"))
    write_tree(root, {f"{DECISIONS}/0009-utf8.md": "# 9. UTF-8\n\nAccepted.\n"})
    path = root / DECISIONS / "0001-predict-from-constituents.md"
    path.write_text(path.read_text() + "\nOne line more.\n")
    (root / ".memory/project/conventions/testing.md").unlink()
    commit(root, "second")
    return root


def compare(
    root: Path, agents: tuple[str, ...] = ("coder",), stages: tuple[str, ...] = (), commits: tuple[str, ...] = ()
) -> Comparison:
    left, right = sides(agents, stages, commits, sprint=None, task="", budget_tokens=None)
    return compare_contexts(Workspace(root), left, right)


def changes(found: Comparison) -> set[tuple[str, str, str]]:
    return {(one.change, str(one.layer), one.key) for one in found.changes}


@pytest.mark.sweep
def test_two_commits(root: Path) -> None:
    found = compare(root, commits=("HEAD~1", "HEAD"))

    assert changes(found) == {
        ("+", "project", "decisions/0009-utf8.md"),
        ("-", "project", "conventions/testing.md"),
        ("~", "project", "decisions/0001-predict-from-constituents.md"),
    }
    by_what = {one.change: one for one in found.changes}
    assert (by_what["+"].left_tokens, by_what["-"].right_tokens) == (0, 0)
    assert 0 < by_what["~"].right_tokens - by_what["~"].left_tokens < 10
    assert (found.left, found.right) == ("HEAD~1", "HEAD")


@pytest.mark.sweep
def test_the_numbers_are_those_of_the_prompts(root: Path) -> None:
    found = compare(root, commits=("HEAD~1", "HEAD"))
    left, right = (
        compile_context(Workspace(root), Question("coder", committed=True, revision=name))
        for name in ("HEAD~1", "HEAD")
    )

    assert (found.left_tokens, found.right_tokens) == (left.prompt.tokens, right.prompt.tokens)
    assert found.same == len(left.sources) - 2
    assert len(right.sources) == len(left.sources)


@pytest.mark.sweep
def test_turned_round_what_came_went(root: Path) -> None:
    turned = {"+": "-", "-": "+", "~": "~"}
    there = changes(compare(root, commits=("HEAD~1", "HEAD")))

    assert changes(compare(root, commits=("HEAD", "HEAD~1"))) == {(turned[what], *rest) for what, *rest in there}
    assert changes(compare(root, commits=("HEAD", "main"))) == set()


@pytest.mark.sweep
def test_two_commits_know_nothing_of_the_working_tree(root: Path) -> None:
    before = compare(root, commits=("HEAD~1", "HEAD"))
    path = root / "CLAUDE.md"
    was = path.read_bytes()
    try:
        path.write_text("# Edited\n")
        assert compare(root, commits=("HEAD~1", "HEAD")) == before
    finally:
        path.write_bytes(was)


def test_two_stages(root: Path) -> None:
    found = compare(root, stages=("planning", "coding"))

    assert ("-", "stage", "artifacts/plan.md") in changes(found)
    assert ("+", "stage", "artifacts/notes.md") in changes(found)
    assert ("+", "stage", "stage/sprint-02/design/summary.md") in changes(found)
    assert {layer for _, layer, _ in changes(found)} == {"stage"}


def test_two_agents(root: Path) -> None:
    """Each agent's own prompt is another file under the same name: changed, not the same."""
    found = compare(root, agents=("coder", "tester"))

    assert {key for what, layer, key in changes(found) if (what, layer) == ("~", "agent")} == {
        "prompt.md",
        "tools.yaml",
        "context.json",
    }
    layers = [one.layer for one in found.changes]
    assert layers == sorted(layers, key=[Layer.PROJECT, Layer.SPRINT, Layer.STAGE, Layer.AGENT].index)


def test_an_entry_trimmed_otherwise_is_a_change(tmp_path: Path) -> None:
    root = write_memory(tmp_path, {"agent/coder/prompt.md": "Write the code.\n"})
    long = "".join(f"## {n}\n\n{'The tide comes and goes. ' * 12}\n\n" for n in range(40))
    shares = {"coder": {"project": 0.5, "agent": 0.5}, "tester": {"project": 0.9, "agent": 0.1}}
    write_memory(root, {"project/decisions/0001.md": long, "config.yaml": json.dumps({"token_allocation": shares})})
    strategy = {"project": {"max_tokens": 700}}
    write_memory(root, {"config.yaml": json.dumps({"token_allocation": shares, "loading_strategy": strategy})})
    git(root, "init", "--quiet")
    commit(root, "narrow")
    strategy["project"]["max_tokens"] = 1200
    write_memory(root, {"config.yaml": json.dumps({"token_allocation": shares, "loading_strategy": strategy})})
    commit(root, "wide")

    assert changes(compare(root, commits=("HEAD~1", "HEAD"))) == {("~", "project", "decisions/0001.md")}


@pytest.mark.parametrize(
    ("agents", "stages", "commits"),
    [
        (("coder",), (), ()),
        (("coder", "tester"), ("design", "coding"), ()),
        (("coder", "tester", "planner"), (), ()),
        (("coder",), ("design",), ("HEAD",)),
    ],
)
def test_exactly_one_thing_is_compared(
    agents: tuple[str, ...], stages: tuple[str, ...], commits: tuple[str, ...]
) -> None:
    with pytest.raises(UsageError, match="give one of --agent, --stage or --commit twice"):
        sides(agents, stages, commits, sprint=None, task="", budget_tokens=None)


@pytest.mark.sweep
def test_the_command_says_the_same(root: Path) -> None:
    asked = ("context", "diff", "--agent", "coder", "--commit", "HEAD~1", "--commit", "HEAD")
    shown = vfcc(root, *asked)
    found = json.loads(vfcc(root, *asked, "--json", "--full").stdout)["data"]

    assert shown.returncode == 0
    text = shown.stdout.decode()
    assert {(one["change"], one["layer"], one["key"]) for one in found["changes"]} == changes(
        compare(root, commits=("HEAD~1", "HEAD"))
    )
    assert f"({found['right_tokens'] - found['left_tokens']:+,})" in text
    for one in found["changes"]:
        assert any(line.startswith(one["change"]) and one["key"] in line for line in text.splitlines())


@pytest.mark.parametrize("revision", ["no-such", "--all", "HEAD~99", "HEAD:CLAUDE.md", ""])
def test_a_commit_that_is_not_there_is_a_usage_error(root: Path, revision: str) -> None:
    done = vfcc(root, "context", "diff", "--agent", "coder", f"--commit={revision}", "--commit", "HEAD")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr
