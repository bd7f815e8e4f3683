"""Agents that reach beyond their worktree, or leave no room to write in: no gate passes, and each is reported."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.process import VFCC, environment
from tests.run_world import SHOP, SPRINT, RunWorld, honest
from tests.trees import git

pytestmark = [pytest.mark.sweep, pytest.mark.vfcc("REQ-RUN")]

RUN = f"{SPRINT}-1"
BRANCH = f"vfcc/{RUN}/integration"
COMMIT = "git -c user.name=a -c user.email=a@b commit --quiet --allow-empty --message mine"
LARGE = "head -c 64M /dev/zero > filled || true"
SMALL_DISK = """\
mkdir -p "$TREES" && mount -t tmpfs -o size=8m none "$TREES" || exit 99
"$VFCC" run --agent "$AGENT" --until planning --json > "$OUT/first" 2> "$OUT/first.err"; echo $? > "$OUT/first.code"
rm "$TREES"/*/*/filled
"$VFCC" run resume --json > "$OUT/second" 2> "$OUT/second.err"; echo $? > "$OUT/second.code"
"""


def test_what_an_agent_does_outside_of_its_worktree_opens_no_gate(tmp_path: Path) -> None:
    script = honest()
    world = RunWorld(tmp_path)
    remote = tmp_path / "remote.git"
    git(tmp_path, "init", "--quiet", "--bare", str(remote))
    git(world.root, "remote", "add", "origin", str(remote))
    script["planner"] = [
        {"shell": [COMMIT, "git push --quiet origin HEAD:refs/heads/stolen || true"]},
        {"shell": [COMMIT, "git branch stolen"]},
        {"shell": ["printf '#!/bin/sh\\n' > $(git rev-parse --git-common-dir)/hooks/post-commit"]},
        {"shell": [f"echo stolen > {world.root / 'shop.py'}"]},
    ]
    world.write_script(script)

    done = world.drive("--max-attempts", "4", "--json", "--full")

    assert done.code == 4, done
    assert [(each["outcome"], each["merged"]) for each in done.data["attempts"]] == [
        ("no_change", None),
        ("out_of_bounds", None),
        ("out_of_bounds", None),
        ("no_change", None),
    ]
    assert [each["paths"] for each in done.data["attempts"][1:3]] == [
        ["refs/heads/stolen (a ref of its own)"],
        [".git/hooks/post-commit (git's own)"],
    ]
    assert git(remote, "for-each-ref") == ""
    assert git(world.root, "show", f"{BRANCH}:shop.py") == SHOP
    assert [each["type"] for each in world.events() if each["type"] == "stage.passed"] == []


def test_an_agent_that_fills_the_disk_is_reported_and_the_run_resumes_once_there_is_room(tmp_path: Path) -> None:
    if not shutil.which("unshare") or subprocess.run(["unshare", "-rm", "true"], check=False).returncode:
        pytest.skip("no name space of its own here in which to mount a small disk")
    script = honest()
    script["planner"] = [{"shell": [LARGE]}, *script["planner"]]
    world = RunWorld(tmp_path, script)
    more = {"TREES": str(tmp_path / "shop.vfcc"), "VFCC": str(VFCC), "AGENT": world.agent, "OUT": str(tmp_path)}

    subprocess.run(
        ["unshare", "-rm", "sh", "-c", SMALL_DISK], cwd=world.root, env={**environment(tmp_path), **more}, check=True
    )

    first, second = ((tmp_path / f"{name}.code").read_text().strip() for name in ("first", "second"))
    error = (tmp_path / "first.err").read_text()
    assert first not in ("0", "4"), error
    assert "No space left on device" in error
    assert second == "0", (tmp_path / "second.err").read_text()
    attempts = json.loads((tmp_path / "second").read_text())["data"]["attempts"]
    assert [each["outcome"] for each in attempts] == ["out_of_bounds", "done"]
