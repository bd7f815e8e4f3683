"""The files for the code host: workflows run commands that exist, with pinned actions and few rights."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_what_the_project_has(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    targets = re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"))

    assert set(re.findall(r"run: make ([a-z]+)", text)) <= set(targets)
    for script in re.findall(r"run: (\.ci/\w+)", text):
        assert (ROOT / script).is_file()
    for action in re.findall(r"uses: (.+)", text):
        assert re.fullmatch(r"\./\S+|[\w/-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", action), action


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_read_and_a_job_names_what_else_it_may(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))

    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        rights = {right for right, level in job.get("permissions", {}).items() if level == "write"}
        # A job that can publish runs no code of the repository, so that no test or build can use its token.
        assert not rights or not any("checkout" in step.get("uses", "") for step in job["steps"]), name
        for step in job.get("steps", ()):
            assert not re.search(r"\$\{\{ *github\.(event|head_ref|ref_name)", step.get("run", "")), (
                "put it in a variable"
            )
            assert "secrets." not in str(step)


def test_all_supported_pythons_are_tested() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))
    script = (ROOT / ".ci" / "matrix").read_text(encoding="utf-8")

    assert re.findall(r"SUPPORTED=\((.*)\)", script) == [
        " ".join(workflow["jobs"]["test"]["strategy"]["matrix"]["python"])
    ]


def test_issue_forms_ask_for_something() -> None:
    forms = [path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config"]

    assert forms
    for path in forms:
        form = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert form["name"]
        assert form["description"]
        assert any(field.get("validations", {}).get("required") for field in form["body"])
        assert len(set(_ids(form))) == len(list(_ids(form)))


def _ids(form: dict[str, list[dict[str, str]]]) -> Iterator[str]:
    yield from (field["id"] for field in form["body"])
