"""What once got around a gate, or into the ledger, on the edge of what vfcc looks at."""

import json
from pathlib import Path

import pytest

from tests.cli.forgery import forged_evidence, plant_evidence
from tests.cli.honest_world import (
    ADD,
    TESTS,
    done,
    edited,
    kept,
    project,
    refused,
)
from tests.cli.process import by_person, git, vfcc
from tests.secret_samples import TOKEN

pytestmark = pytest.mark.vfcc("REQ-EVIDENCE")

LEAKS = f'<testcase classname="tests.suite" name="test_sub"><failure message="{TOKEN} {"x" * 70} {TOKEN}"/></testcase>'


def test_secret_in_a_failing_test(tmp_path: Path) -> None:
    """Nor the half of one, where a long message is cut; the report stays on this machine alone."""
    root = project(tmp_path, TESTS, files={"tests/junit.xml": f'<testsuite tests="2">{ADD}{LEAKS}</testsuite>'})

    assert vfcc(root, "evidence", "run").code == 1

    refused("secret-in-a-failing-test", root)
    git(root, "add", "--all")
    staged = git(root, "ls-files", "--", ".memory").split()
    assert any("/evidence/" in path for path in staged)
    assert not [path for path in staged if TOKEN[:12] in (root / path).read_text()]


def test_secret_in_recorded_evidence(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    path = plant_evidence(root, forged_evidence(root, examples=(f"failed: test_sub: {TOKEN}",)))

    refused("secret-in-recorded-evidence", root)
    refused_to_agents(root, "evidence", "redact", path.stem, "--reason", "a token", "--yes")
    assert by_person(root, "evidence", "redact", path.stem, "--reason", "a token", "--yes").code == 0
    assert TOKEN not in path.read_text()
    assert json.loads(path.read_text())["measures"]["tests"] == 900
    done(root, "doctor")
    done(root, "check", "gate")
    edited(path, "900", "901")
    assert "changed by hand" in vfcc(root, "check", "gate").err


def refused_to_agents(root: Path, *arguments: str) -> None:
    before = kept(root)
    assert vfcc(root, *arguments).code == 3
    assert vfcc(root, *arguments, env={"VFCC_AGENT": "coder"}).code == 3
    assert kept(root) == before
