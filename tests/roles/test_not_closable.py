"""What vfcc cannot close, as `docs/explanation/security.md` lists it: it happens, and this is what shows it."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.clients.test_hook import hook_with
from tests.cli.clients.test_hooks_at_once import NO_TIME
from tests.cli.forgery import plant
from tests.cli.hooked import said
from tests.cli.process import git, vfcc
from tests.roles.attempts_at_files import RULES_OFF
from tests.roles.roles_world import (
    DETACHED,
    ID,
    before_tool,
    below_client,
    coding,
    commit,
    gate,
    planning,
    started_by_person,
)
from tests.roles.test_ways_around import ATTEMPTS
from tests.signing import allow, ssh_key
from tests.trees import write_tree
from verifflowcc.base.model.events import EventType
from verifflowcc.base.process.clock import SystemClock
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.gate_exceptions import what_to_waive

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "security.md"
_ROW = re.compile(r'^\| <a id="([a-z-]+)"></a>[^|]+\| `([^`|]+)` \| (gate|rerun|git|doctor) \| [^|]+ \|$', re.MULTILINE)
WAIVE = "vfcc waive tests --reason later --yes"
API = """\
from pathlib import Path
from verifflowcc.base.process.clock import SystemClock
from verifflowcc.cli.use.gate_exceptions import waive, what_to_waive
from verifflowcc.base.use.workspace import Workspace
here = Workspace(Path.cwd(), SystemClock())
waive(here, what_to_waive(here, "log-in", "tests"), "later", actor="human:You")
"""
FINDERS = {
    "gate": ("check", "gate", "--sprint", ID),
    "rerun": ("check", "--rerun", "--sprint", ID),
    "doctor": ("doctor",),
}


def rows() -> dict[str, tuple[str, str]]:
    """Each row of the page's table, by anchor: what shows it, and the command that prints that."""
    return {anchor: (words, finder) for anchor, words, finder in _ROW.findall(PAGE.read_text(encoding="utf-8"))}


def printed(root: Path, finder: str, env: Mapping[str, str] | None = None) -> str:
    """What a command prints, or what git shows of the work tree, on one line."""
    if finder == "git":
        return git(root, "status", "--short")
    ran = vfcc(root, *FINDERS[finder], env=env)
    return " ".join((ran.out + ran.err).split())


def shown(anchor: str, root: Path, env: Mapping[str, str] | None = None) -> None:
    """Assert that the page's command prints the page's words."""
    words, finder = rows()[anchor]
    text = printed(root, finder, env)
    assert re.search(".*?".join(map(re.escape, words.split("…"))), text), (words, text)


def waived(root: Path) -> bool:
    """Whether the gate takes the tests for waived."""
    return "waived tests" in gate(root)


def test_each_row_of_the_page_is_a_test_and_each_test_a_row() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    tested = set(re.findall(r'shown\("([a-z-]+)"', text))

    assert set(rows()) == tested
    assert len(rows()) == PAGE.read_text(encoding="utf-8").count("<a id=")
    assert {each.listed for each in ATTEMPTS if each.listed} <= tested


def test_a_process_that_leaves_the_clients_tree_is_a_person(tmp_path: Path) -> None:
    root = coding(tmp_path)

    below_client(root, f"{sys.executable} {DETACHED} {WAIVE}")

    assert waived(root)
    shown("detached-process", root)


@pytest.mark.sweep
def test_a_program_that_a_person_starts_has_the_persons_terminal(tmp_path: Path) -> None:
    """A hook would have to forbid the agent each file that a person ever runs."""
    root = coding(tmp_path)
    script = {"file_path": "src/install.sh", "content": f"{WAIVE}\n"}
    assert before_tool(root, "Write", script) == ""
    write_tree(root, {"src/install.sh": f"{WAIVE}\n"})

    started_by_person(root, "sh", "src/install.sh")

    assert waived(root)
    shown("borrowed-terminal", root)


@pytest.mark.sweep
def test_a_program_that_imports_vfcc_names_whom_it_likes(tmp_path: Path) -> None:
    root = coding(tmp_path)
    write_tree(root, {"src/act.py": API})
    assert before_tool(root, "Bash", {"command": "python3 src/act.py"}) == ""

    ran = below_client(root, "python3 src/act.py")

    assert ran.code == 0, ran
    assert waived(root)
    shown("python-program", root)


@pytest.mark.sweep
def test_an_event_written_by_hand_with_the_right_id_is_an_event(tmp_path: Path) -> None:
    root = coding(tmp_path)
    subject = what_to_waive(Workspace(root, SystemClock()), ID, "tests").asked.subject
    payload = {"stage": "coding", "criterion": "tests", "reason": "later", "digest": subject, "expires": None}

    plant(root, EventType.WAIVED, payload, actor="human:You")

    assert waived(root)
    shown("event-by-hand", root)


def test_a_script_does_what_its_author_may_not(tmp_path: Path) -> None:
    root = coding(tmp_path)
    write_tree(root, {"src/set-up.sh": f"{RULES_OFF}\n"})
    assert before_tool(root, "Bash", {"command": "sh src/set-up.sh"}) == ""

    assert below_client(root, "sh src/set-up.sh").code == 0

    shown("script", root)


def test_a_client_without_hooks_edits_what_it_likes(tmp_path: Path) -> None:
    root = planning(tmp_path)

    write_tree(root, {"src/app.py": "x\n"})

    shown("no-hooks", root)


@pytest.mark.sweep
def test_a_hook_that_comes_too_late_knows_no_new_rules(tmp_path: Path) -> None:
    """A client waits for its hook, so the answer has a time limit; no hook has seen the rules since the last move."""
    root = planning(tmp_path)
    call = {"tool_name": "Write", "tool_input": {"file_path": "src/app.py", "content": "x\n"}, "cwd": str(root)}

    assert hook_with(root, NO_TIME, said("PreToolUse", **call)).out == ""

    write_tree(root, {"src/app.py": "x\n"})
    shown("late-hook", root)


@pytest.mark.sweep
def test_a_history_of_this_machine_is_deleted_by_any_script(tmp_path: Path) -> None:
    root = coding(tmp_path)
    stored = below_client(root, "vfcc stage put changes <<'END'\n# Changes\n\nOne form.\nEND")
    assert stored.code == 0, stored
    write_tree(root, {"src/clean.sh": "rm -rf .git/vfcc/history\n"})
    assert before_tool(root, "Write", {"file_path": "src/a.py", "content": "x"}) == ""
    assert (root / ".git/vfcc/history").exists()

    assert below_client(root, "sh src/clean.sh").code == 0

    assert not (root / ".git/vfcc/history").exists()
    shown("deleted-history", root)


@pytest.mark.sweep
def test_a_key_that_is_unlocked_signs_for_any_process(tmp_path: Path) -> None:
    root = planning(tmp_path)
    env = with_signer(tmp_path / "mine")

    approved = below_client(root, f"{signed(root)} && vfcc approve planning --signed HEAD", **env)

    assert approved.code == 0, approved
    commit(root)
    shown("unlocked-key", root, env)


@pytest.mark.sweep
def test_settings_of_the_machine_are_open_to_any_process(tmp_path: Path) -> None:
    """What this machine then trusts, another does not: so CI says it."""
    root = planning(tmp_path)
    forged, true = with_signer(tmp_path / "forged"), with_signer(tmp_path / "true")

    approved = below_client(root, f"{signed(root)} && vfcc approve planning --signed HEAD", **forged)

    assert approved.code == 0, approved
    commit(root)
    shown("settings-of-the-machine", root, true)


@pytest.mark.sweep
def test_a_name_in_an_unsigned_commit_is_what_its_writer_types(tmp_path: Path) -> None:
    root = coding(tmp_path)
    assert below_client(root, f"{sys.executable} {DETACHED} {WAIVE}").code == 0
    assert waived(root)

    forged = below_client(root, "git add -A && git commit -qm waived --author 'You <you@example.org>'")

    assert forged.code == 0, forged
    shown("name-in-a-commit", root)


def signed(root: Path) -> str:
    """The command that makes a signed commit, which approves the plan."""
    asked = below_client(root, "vfcc approve planning --request")
    line = re.search(r"Vfcc-Approve: \S+ \S+", asked.out + asked.err)
    assert line, asked
    return f"git commit -q -S --allow-empty -m Review -m '{line[0]}'"


def with_signer(folder: Path) -> dict[str, str]:
    """Variables under which the person's own git settings sign with a key of this folder, and trust it."""
    folder.mkdir()
    public = ssh_key(folder)
    allow(folder / "signers", "you@example.org", public)
    values = f'[gpg]\nformat = ssh\n[user]\nsigningkey = {public}\n[gpg "ssh"]\nallowedSignersFile = {folder}/signers\n'
    (folder / "config").write_text(values, encoding="utf-8")
    return {"GIT_CONFIG_GLOBAL": str(folder / "config")}


def test_what_git_ignores_is_in_no_evidence(tmp_path: Path) -> None:
    root = coding(tmp_path)
    write_tree(root, {".gitignore": "src/version.py\n", "src/version.py": "one = 1\n"})
    commit(root)
    before = gate(root)

    write_tree(root, {"src/version.py": "one = 2\n"})

    assert gate(root) == before
    shown("ignored-source", root)
