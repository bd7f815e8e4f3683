"""Ways around the roles that take several steps, some of them by a person who suspects nothing."""

import re
from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.roles.roles_world import (
    ARTIFACTS,
    CONFIG,
    FAILED,
    PASSED,
    all_files,
    below_client,
    coding,
    commit,
    gate,
    person,
    planning,
)
from tests.signing import allow, ssh_key
from tests.trees import write_tree

GREEN = 'mkdir -p .memory/local/reports; cp tests/green.xml "$1"\n'


@pytest.mark.sweep
def test_a_key_that_an_agent_makes_and_the_repository_trusts_approves_nothing(tmp_path: Path) -> None:
    root = planning(tmp_path)
    public = ssh_key(tmp_path)
    allow(tmp_path / "signers", "you@example.org", public)
    settings = {"gpg.format": "ssh", "user.signingkey": public, "gpg.ssh.allowedSignersFile": tmp_path / "signers"}
    for name, value in settings.items():
        assert below_client(root, f"git config {name} {value}").code == 0
    request = below_client(root, "vfcc approve planning --request")
    line = re.search(r"Vfcc-Approve: \S+ \S+", request.out + request.err)
    assert line, request
    assert below_client(root, f"git commit -q -S --allow-empty -m Review -m '{line[0]}'").code == 0
    files = all_files(root)

    refused = below_client(root, "vfcc approve planning --signed HEAD")

    refused.refused(3, "HEAD", "git config --global gpg.ssh.allowedSignersFile")
    assert all_files(root) == files


def test_an_author_who_lets_an_agent_ask_for_the_review_does_not_give_it(tmp_path: Path) -> None:
    """By 0.1's rule the one who asked was the only author."""
    root = planning(tmp_path)
    write_tree(root, {f"{ARTIFACTS}/plan.md": "# Plan\n\nMy own, and all of it.\n"})
    commit(root)
    assert below_client(root, "vfcc approve planning --request").code == 0
    files = all_files(root)

    own = typed(root, "approve", "planning", "--yes")

    assert (own.code, "is an author" in own.err) == (3, True), own
    assert all_files(root) == files


@pytest.mark.sweep
def test_a_test_command_that_was_swapped_after_a_red_run_is_allowed_by_no_agent_and_named_by_the_gate(
    tmp_path: Path,
) -> None:
    root = coding(tmp_path)
    write_tree(root, {"tests/junit.xml": FAILED, "tests/green.xml": PASSED, "tests/green.sh": GREEN})
    assert below_client(root, "vfcc evidence run tests").code == 1
    write_tree(root, {".memory/config.yaml": CONFIG.replace("tests/run.sh", "tests/green.sh")})

    assert below_client(root, "vfcc allow --yes").code == 3
    assert below_client(root, "vfcc evidence run tests").code == 3

    person(root, "allow", "--yes")  # a person who does not read what they allow
    assert below_client(root, "vfcc evidence run tests").code == 0
    text = gate(root)
    assert "config.yaml" in text
    assert re.search(r"tests?: .*command changed since", text), text


def test_rules_that_an_agent_changes_and_commits_wait_for_a_person_in_every_gate(tmp_path: Path) -> None:
    root = coding(tmp_path)
    changed = f'{CONFIG}hooks:\n  tools: "off"\n'
    write_tree(root, {".memory/config.yaml": changed})
    assert below_client(root, "git commit -qam 'tidy up'").code == 0

    assert "config.yaml" in gate(root)
    assert below_client(root, "vfcc approve coding --criterion rules --yes").code == 3
    person(root, "approve", "coding", "--criterion", "rules", "--yes")
    assert "rules (hard)" not in gate(root)
