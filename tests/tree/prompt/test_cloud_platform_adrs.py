"""Fifty decision records of a real team as the project layer: more than any role's budget holds."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.trees import commit, committed_example, git, prompt
from verifflowcc.base.model.entries import ContextPackage, Fate, Question
from verifflowcc.base.model.layers import Layer
from verifflowcc.base.use.workspace import open_workspace
from verifflowcc.prompt.use.prompt_use import compile_context

DATA = Path(os.environ.get("VFCC_DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))
RECORDS = DATA / "cloud-platform-adrs" / "architecture-decision-record"
pytestmark = pytest.mark.skipif(not RECORDS.is_dir(), reason="the data set cloud-platform-adrs is not here")

TASKS = {
    "Choose the address ranges of the new clusters": ["043-new-cidr-ranges.md"],
    "Store all user images in ECR": ["046-use-ecr-for-all-user-images.md"],
    "Move pipelines from Concourse to GitHub Actions": ["040-use-github-actions.md"],
    "Make new clusters scale their nodes": ["047-use-karpenter-for-scaling.md"],
    "Put each business unit on a cluster of its own": ["048-per-business-unit-clusters.md"],
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = committed_example(tmp_path_factory.mktemp("records") / "project")
    for path in (root / ".memory" / "project" / "decisions").iterdir():
        path.unlink()
    for path in RECORDS.glob("*.md"):
        shutil.copyfile(path, root / ".memory" / "project" / "decisions" / path.name)
    commit(root, "the records")
    return root


def ask(project: Path, **question: object) -> ContextPackage:
    return compile_context(open_workspace(project), Question("coder", **question))  # type: ignore[arg-type]


def decisions(package: ContextPackage, *fates: Fate) -> list[str]:
    return [
        one.candidate.key.removeprefix("decisions/")
        for one in package.placed
        if one.candidate.layer is Layer.PROJECT and one.candidate.key.startswith("decisions/") and one.outcome in fates
    ]


@pytest.mark.sweep
def test_there_are_more_records_than_the_layer_holds(project: Path) -> None:
    package = ask(project)
    use = next(layer for layer in package.prompt.layers if layer.layer is Layer.PROJECT)

    assert use.offered_tokens > 5 * use.own_tokens
    assert use.dropped > 30
    assert package.prompt.tokens <= package.prompt.budget_tokens


@pytest.mark.sweep
def test_without_a_task_and_a_sprint_the_newest_records_are_in(project: Path, tmp_path: Path) -> None:
    idle = shutil.copytree(project, tmp_path / "idle")
    for each in ("sprint", "stage"):
        shutil.rmtree(idle / ".memory" / each)
    kept = decisions(ask(idle), Fate.KEPT)

    assert kept[:3] == [
        "048-per-business-unit-clusters.md",
        "049-use-cluster-accounts-for-resources.md",
        "047-use-karpenter-for-scaling.md",
    ]


@pytest.mark.points(3)
@pytest.mark.parametrize("task", TASKS)
def test_the_records_that_bear_on_a_task_are_in(project: Path, task: str) -> None:
    kept = decisions(ask(project, task=task), Fate.KEPT, Fate.TRIMMED)

    assert set(TASKS[task]) <= set(kept), kept


def test_what_was_superseded_or_rejected_is_out_with_the_reason(project: Path) -> None:
    skipped = {one.key.removeprefix("decisions/"): one.reason for one in ask(project).skipped}

    assert skipped["021-Multi-cluster.md"] == "superseded by .memory/project/decisions/036-multi-cluster.md"
    assert skipped["018-Dedicated-Ingress-Controllers.md"].startswith("rejected")
    assert skipped["037-serverless.md"] == "rejected"


def test_every_record_is_listed_once_with_a_reason(project: Path) -> None:
    package = ask(project, task="Choose the address ranges of the new clusters")
    listed = [one.candidate.key for one in package.placed] + [one.key for one in package.skipped]
    reasons = [one.reason for one in package.placed] + [one.reason for one in package.skipped]

    assert sorted(key for key in listed if key.startswith("decisions/")) == sorted(
        f"decisions/{path.name}" for path in RECORDS.glob("*.md")
    )
    assert all(reasons)


@pytest.mark.sweep
def test_two_clones_agree(project: Path, tmp_path: Path) -> None:
    asked = ("--agent", "coder", "--task", "Make new clusters scale their nodes", "--committed")
    subprocess.run(["git", "clone", "-q", f"file://{project}", tmp_path / "other"], check=True, capture_output=True)
    git(tmp_path / "other", "log", "--oneline")

    assert prompt(project, *asked) == prompt(tmp_path / "other", *asked)


def test_with_all_what_was_superseded_competes_marked_as_such(project: Path) -> None:
    package = ask(project, with_past=True, budget_tokens=400_000, task="use multi cluster")
    ranked = [one.candidate for one in package.placed if one.candidate.key.startswith("decisions/")]
    past = [candidate for candidate in ranked if candidate.invalid_reason]

    assert {candidate.key for candidate in past} <= {one.key for one in ask(project).skipped}
    assert any("superseded" in candidate.invalid_reason for candidate in past)
    (old,) = [candidate for candidate in past if candidate.key == "decisions/021-Multi-cluster.md"]
    assert ranked.index(old) < 10, "it has to do with the task, and is not left for the end"
    assert "021-Multi-cluster.md" in decisions(package, Fate.KEPT, Fate.TRIMMED)
    listed = {one.candidate.key for one in package.placed} | {one.key for one in package.skipped}
    assert {f"decisions/{path.name}" for path in RECORDS.glob("*.md")} <= listed
