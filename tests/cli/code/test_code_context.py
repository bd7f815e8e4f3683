"""`vfcc code context` as it is typed: the code that a task needs, within a number of tokens."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.code_world import TOKEN, asked, clone, commit, told
from tests.cli.process import git, vfcc
from tests.trees import write_memory, write_tree
from verifflowcc.base.model.config_values import TokenSettings
from verifflowcc.base.tokens.token_counter import open_counter

TASK = "the alarm of a station rings above the gate"
HEADING = re.compile(r"^(\S+?):(\d+)(?:-(\d+))?(?: (\S+))?(: .*)?$")


def pieces(found: dict[str, object]) -> list[dict[str, object]]:
    listed = found["snippets"]
    assert isinstance(listed, list)
    return listed


def test_the_functions_that_a_task_speaks_of_come_whole_with_path_and_lines(coded: Path) -> None:
    text = told(coded, "context", TASK)

    assert (
        "@@ 10-12 Station.alarm\n    def alarm(self, level: int) -> bool:\n"
        '        """Say whether the tide is above the gate."""\n        return bounded(level) > self.read()\n'
    ) in text
    assert text.startswith("gauges/station.py\n```python\n@@ "), "the pieces of a file share one heading"
    assert re.search(r"\n\n[\d,]+ of 4,000 tokens\n$", text)
    best = pieces(asked(coded, "context", TASK))[:3]
    assert ("gauges/station.py", "Station.alarm") in [(each["path"], each["name"]) for each in best]


@pytest.mark.parametrize("budget", [1, 20, 40, 90, 200, 350, 5000])
def test_no_budget_is_exceeded_as_the_project_counts(coded: Path, budget: int) -> None:
    found = asked(coded, "context", TASK, "--budget", str(budget))
    text = str(found["text"])

    assert found["tokens"] == open_counter(TokenSettings()).count(text) <= budget
    assert found["counter"] == "o200k_base"
    assert bool(pieces(found)) == bool(text)


def test_another_counter_of_the_project_counts(code: Path) -> None:
    plain = asked(code, "context", TASK, "--budget", "300")
    write_memory(code, {"config.yaml": json.dumps({"tokens": {"model": "wide", "factors": {"wide": 3}}})})
    wide = asked(code, "context", TASK, "--budget", "300")

    assert len(pieces(wide)) < len(pieces(plain))
    assert int(str(wide["tokens"])) <= 300
    assert wide["counter"] != plain["counter"]


@pytest.mark.parametrize("budget", [60, 200, 1000])
def test_each_piece_says_the_very_lines_of_its_file(coded: Path, budget: int) -> None:
    for each in pieces(asked(coded, "context", TASK, "--budget", str(budget))):
        lines = (coded / str(each["path"])).read_text(encoding="utf-8").splitlines()
        said = "\n".join(lines[int(str(each["first"])) - 1 : int(str(each["last"]))])
        assert each["text"] == said if each["whole"] else str(each["text"]) in said


def with_a_long_function(root: Path) -> Path:
    """Add a short function that calls one which is longer than the budgets asked for here."""
    body = "".join(f"    total += weigh({n}, {n} * total)\n" for n in range(100))
    long = f"def weigh_tides(total):\n{body}    return total\n"
    return write_tree(root, {"moon/bell.py": f"def ring_bell(total):\n    return weigh_tides(total)\n\n\n{long}"})


def test_what_a_piece_calls_is_shown_by_its_signature_where_its_body_does_not_fit(young: Path) -> None:
    found = asked(with_a_long_function(young), "context", "ring_bell", "--budget", "200")

    assert ("weigh_tides", "def weigh_tides(total)", False) in [
        (each["name"], each["text"], each["whole"]) for each in pieces(found)
    ]
    assert "\nmoon/bell.py:5 weigh_tides: def weigh_tides(total)\n" in str(found["text"])


def test_where_nothing_fits_or_bears_on_it_that_is_said(coded: Path) -> None:
    assert told(coded, "context", "alarm", "--budget", "1").startswith("nothing fits in 1 tokens")
    for task in ("zebra", "", "???", "the of and"):
        assert told(coded, "context", task) == "no word of the task is in the code\n"
    vfcc(coded, "code", "context", "alarm", "--budget", "0").refused(2, "--budget")


def test_explain_says_why_each_is_there_and_what_is_left_out(young: Path) -> None:
    task = ("ring_bell weigh_tides", "--budget", "200")
    said = told(with_a_long_function(young), "context", *task, "--explain")
    lines = said.splitlines()

    assert [line for line in lines if line[0] != " "][:-1] == ["files", "shown", "left out"]
    assert any(line.startswith("  1,000 moon/bell.py: ") for line in lines)
    assert re.search(r"moon/bell\.py:1-2 ring_bell \(\d+ tokens\): it defines a name of the task; words: ", said)
    assert re.search(r"moon/bell\.py:5 weigh_tides \(\d+ tokens, its signature\): ring_bell speaks of it", said)
    assert re.search(r"moon/bell\.py:5-106 weigh_tides \([\d,]+ tokens\): too long", said)
    assert lines[-1].endswith(" of 200 tokens, counted by o200k_base")
    assert "```" not in said


def test_tests_come_behind_the_code_unless_they_are_asked_for(coded: Path) -> None:
    def place(*options: str) -> int:
        names = [str(each["path"]) for each in asked(coded, "context", "alarm station", *options)["files"]]  # type: ignore[attr-defined]
        return names.index("tests/test_station.py")

    assert place("--tests") < place()


@pytest.mark.sweep
def test_two_runs_and_another_clone_give_the_same_bytes(coded: Path, tmp_path: Path) -> None:
    other = clone(coded, tmp_path / "other")

    for words in ((TASK, "--budget", "200"), (TASK, "--explain"), ("upload readings", "--json", "--full")):
        text = told(coded, "context", *words)
        assert text == told(coded, "context", *words) == told(other, "context", *words)


def test_a_name_as_it_stands_and_a_path_of_the_task_go_before_words(coded: Path) -> None:
    assert pieces(asked(coded, "context", "mend `clampRate`"))[0]["path"] == "pump/pump.go"
    files = asked(coded, "context", "the summary in reports/base.py")["files"]
    assert isinstance(files, list)
    assert files[0]["path"] == "reports/base.py"


def test_a_secret_is_withheld_from_the_task_too(coded: Path) -> None:
    ran = vfcc(coded, "code", "context", f"upload readings with {TOKEN}", "--json", "--full")

    assert TOKEN not in ran.out + ran.err
    assert ran.data["task"] == "upload readings with [secret withheld: GitHub token]"


def test_a_text_that_holds_fences_stays_within_its_own(code: Path) -> None:
    write_tree(code, {"doc.py": 'def fence_maker():\n    """Make:\n\n    ```\n    x\n    ```\n    """\n'})
    commit(code)

    assert "\n````python\ndef fence_maker():" in told(code, "context", "fence_maker")


def test_a_file_that_no_index_can_keep_is_answered_all_the_same(code: Path) -> None:
    text = told(code, "context", TASK)
    kept = code / ".memory" / "local" / "code.db"
    kept.write_bytes(b"no database at all" * 100)

    ran = vfcc(code, "code", "context", TASK)
    assert (ran.code, ran.out) == (0, text)


def test_a_file_that_earlier_commits_of_like_words_changed_is_found_by_its_new_name_too(code: Path) -> None:
    text = "def start(rate):\n    return rate\n"
    write_tree(code, {"aa_mill.py": text, "\u00e9 e/cc_mill.py": text})
    commit(code)
    task = "the mill starts: it rattles"
    assert best_files(code, task)[0] == "aa_mill.py"
    write_tree(code, {"\u00e9 e/cc_mill.py": "# quiet now\n\n\n" + text})
    git(code, "commit", "-qam", "The mill rattles\n\n\x01at night")

    assert best_files(code, task)[0] == "\u00e9 e/cc_mill.py"
    git(code, "mv", "\u00e9 e/cc_mill.py", "d_mill.py")
    git(code, "commit", "-qam", "names")
    assert best_files(code, task)[0] == "d_mill.py"


def test_code_is_found_where_there_is_no_commit_yet(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    git(tmp_path / "new", "init", "-q")
    vfcc(tmp_path / "new", "init")
    write_tree(tmp_path / "new", {"mill.py": "def mill():\n    return 1\n"})

    assert best_files(tmp_path / "new", "the mill") == ["mill.py"]


def best_files(root: Path, task: str) -> list[str]:
    files = asked(root, "context", task)["files"]
    assert isinstance(files, list)
    return [str(each["path"]) for each in files]
