"""What a reviewer's prompt shows of the changes, and mixes of code that a project chooses for its roles."""

import json
from pathlib import Path

import pytest

from tests.cli.process import git, vfcc
from tests.secret_samples import SAMPLES, TOKEN
from tests.trees import commit, own_workflow, repository, write_memory, write_tree

pytestmark = pytest.mark.vfcc("REQ-CODE-IN-PROMPT")

STATION = '''\
"""Stations."""


class Station:
    """A station at the shore."""

    def alarm(self, level):
        """Say whether the tide is above the gate."""
        reading = self.read()
        low = reading - 1
        high = reading + 1
        return low < level < high

    def read(self):
        return 7
'''
TEST = "from station import Station\n\n\ndef test_alarm(level):\n    assert Station().alarm(level)\n"
CONFTEST = "import pytest\n\n\n@pytest.fixture\ndef level():\n    return 7\n"
LOCAL = "### Changes on this machine\n"


def prompt(root: Path, *words: str, agent: str = "reviewer") -> str:
    ran = vfcc(root, "context", "show", "--agent", agent, *words)
    assert ran.code == 0, ran
    return ran.out


def committed(root: Path) -> str:
    return prompt(root).partition(LOCAL)[0]


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A project with a station and its test, on the branch `main`; no sprint is open."""
    root = tmp_path / "shore"
    root.mkdir()
    write_tree(root, {"station.py": STATION, "tests/test_station.py": TEST, "tests/conftest.py": CONFTEST})
    vfcc(root, "init")
    own_workflow(root)
    write_memory(root, {"config.yaml": "workflow: own\n"})
    repository(root)
    return root


@pytest.fixture
def shore(bare: Path) -> Path:
    """The same in a sprint, with one change committed since it began."""
    vfcc(bare, "sprint", "start", "Alarms")
    write_tree(bare, {"station.py": STATION.replace("reading + 1", "reading + 2")})
    commit(bare, "A wider alarm")
    return bare


def test_a_reviewer_sees_what_was_committed_since_the_sprint_began(shore: Path) -> None:
    text = committed(shore)

    assert "-        high = reading + 1\n+        high = reading + 2\n" in text
    assert "### station.py, diff since " in text
    assert '    def alarm(self, level):\n        """Say whether the tide is above the gate."""\n' in text
    assert text.index("```diff\n") < text.index("```python\n")
    assert "```diff" not in prompt(shore, "--task", "the alarm of a station", agent="coder")


def test_the_diff_begins_where_the_building_stage_was_entered_if_the_ledger_says_so(bare: Path) -> None:
    workflow = bare / ".memory" / "workflow.yaml"
    stages = workflow.read_text("utf-8").replace('role: coder, artifacts: ["changes.*"]', "role: coder, edits: tests")
    workflow.write_text(stages.replace('artifacts: ["plan.*"]', "artifacts: []"), encoding="utf-8")
    commit(bare, "Workflow")
    vfcc(bare, "sprint", "start", "Alarms")
    write_tree(bare, {"early.py": "early = 1\n"})
    commit(bare, "Before the building stage")
    for stage in ("planning", "design"):
        write_memory(bare, {f"stage/alarms/{stage}/artifacts/{stage.removesuffix('ning')}.md": "# Text\n\nMore.\n"})
        done = vfcc(bare, "stage", "advance")
        assert done.code == 0, done
    write_tree(bare, {"late.py": "late = 1\n"})
    commit(bare, "In the building stage")

    text = committed(bare)
    assert "late.py, diff since" in text
    assert "early.py, diff since" not in text


def test_what_is_not_committed_follows_the_committed_parts_and_no_other_clone_has_it(shore: Path) -> None:
    before = prompt(shore, "--committed")
    write_tree(shore, {"station.py": STATION.replace("return 7", "return 8"), "siren.py": "wail = True\n"})
    text = prompt(shore)

    assert text.index(LOCAL) > text.index("### station.py, diff since ")
    assert "#### station.py, uncommitted diff" in text.partition(LOCAL)[2]
    assert "+wail = True\n" in text.partition(LOCAL)[2]
    assert "uncommitted" not in text.partition(LOCAL)[0]
    assert prompt(shore, "--committed") == before
    assert "+        high = reading + 2\n" in before


def test_an_edit_of_any_file_and_a_new_commit_are_in_the_next_prompt(shore: Path) -> None:
    assert prompt(shore) == prompt(shore)
    write_tree(shore, {"notes.txt": "Sound the siren.\n"})
    assert "+Sound the siren.\n" in prompt(shore).partition(LOCAL)[2]
    commit(shore, "Notes")
    text = prompt(shore)
    assert "+Sound the siren.\n" in text
    assert LOCAL not in text


def test_without_a_sprint_the_diff_is_of_the_branch_and_counts_as_local(bare: Path) -> None:
    assert "```diff" not in prompt(bare)
    git(bare, "checkout", "--quiet", "-b", "alarms")
    write_tree(bare, {"station.py": STATION.replace("reading + 1", "reading + 2")})
    commit(bare, "A wider alarm")

    assert "+        high = reading + 2\n" in prompt(bare).partition(LOCAL)[2]
    assert "```diff" not in prompt(bare, "--committed")


def test_binary_renamed_deleted_and_generated_files_are_named_without_hunks(shore: Path) -> None:
    write_tree(shore, {"poetry.lock": "a==1\n", "logo.png": b"\x89PNG\0\0", "moved.py": "a = 1\nb = 2\nc = 3\n"})
    commit(shore, "More files")
    git(shore, "mv", "moved.py", "renamed.py")
    git(shore, "rm", "--quiet", "tests/conftest.py")
    commit(shore, "Renamed")

    text = committed(shore)
    for line in (
        "poetry.lock +1 -0 (added, generated)",
        "logo.png (added, binary)",
        "tests/conftest.py +0 -6 (deleted)",
    ):
        assert line in text
    assert "### renamed.py, diff since" in text
    assert "PNG" not in text


def test_where_the_budget_is_short_whole_hunks_are_shown_and_other_files_are_named(shore: Path) -> None:
    functions = "\n\n".join(f"def tide_{n}(level):\n" + f"    level += {n}\n" * 40 for n in range(9))
    write_tree(shore, {f"tide_{n}.py": functions for n in range(5)})
    commit(shore, "Tides")

    text = prompt(shore, "--budget", "4000")
    assert "### not shown of the diff since " in text
    assert "tide_4.py +" in text
    for hunk in text.split("\n@@ ")[1:]:
        head, _, body = hunk.partition("\n")
        lines = body.partition("\n```")[0].split("\n")
        assert head.split()[1].endswith(f",{len(lines)}") or any(line[:1] != "+" for line in lines)


def test_secrets_in_a_diff_are_withheld(shore: Path) -> None:
    token = TOKEN
    write_tree(shore, {"upload.py": f'TOKEN = "{token}"\n'})
    assert token not in prompt(shore)
    commit(shore, "Upload")
    assert token not in prompt(shore)
    assert '+TOKEN = "[secret withheld' in prompt(shore)


def test_a_private_key_in_a_diff_is_withheld(shore: Path) -> None:
    key = SAMPLES["RSA private key"]
    write_tree(shore, {"server.pem": f"{key}\n"})
    commit(shore, "Key")

    text = prompt(shore)
    assert "+[secret withheld: private key]" in text
    assert not any(line in text for line in key.split("\n")[1:-1])


def test_a_diff_that_git_cannot_make_is_a_notice_and_the_rest_is_there(shore: Path, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{shore}", str(shallow))
    ran = vfcc(shallow, "context", "show", "--agent", "reviewer", "--task", "the alarm of a station")

    assert ran.code == 0, ran
    assert "the prompt has no diff: git cannot compare" in ran.err
    assert "class Station:" in ran.out


def configured(root: Path, text: str) -> None:
    write_memory(root, {"config.yaml": f"workflow: own\ncode_mix:\n  {text}\n"})


def test_a_project_chooses_the_mix_of_a_role(shore: Path) -> None:
    (shore / ".memory" / "agent" / "auditor").mkdir(parents=True)
    configured(shore, "auditor: reviewer")
    assert "```diff" in prompt(shore, agent="auditor")
    configured(shore, "auditor: {interfaces: 1}")
    found = prompt(shore, "--task", "the alarm of a station", agent="auditor")
    assert "    def alarm(self, level):\n" in found
    assert "reading = self.read()" not in found


def test_a_tester_gets_the_tests_with_their_fixtures_and_of_the_code_its_interface(shore: Path) -> None:
    text = prompt(shore, "--task", "the alarm of a station", agent="tester")

    assert "def test_alarm(level):\n    assert Station().alarm(level)\n" in text
    assert "@pytest.fixture\ndef level():\n    return 7\n" in text
    assert "    def alarm(self, level):\n" in text
    assert "reading = self.read()" not in text


def test_explain_names_the_part_of_each_piece_and_the_share_that_each_part_used(shore: Path) -> None:
    told = vfcc(shore, "context", "show", "--agent", "reviewer", "--task", "alarm", "--explain").err
    (hunk,) = [line for line in told.splitlines() if "station.py:8-14 (diff since " in line]
    (shares,) = [line for line in told.splitlines() if line.startswith("code: ")]

    assert "@code (project); diff: +1 -1; words: alarm" in hunk or "@code (project); diff: +1 -1" in hunk
    assert "diff " in shares
    assert "% (share 65 %)" in shares
    found = json.loads(prompt(shore, "--task", "alarm", "--json", "--full"))["data"]
    assert found["code"]["diff"]["share"] == 0.65
    assert found["code"]["diff"]["tokens"] > 0
