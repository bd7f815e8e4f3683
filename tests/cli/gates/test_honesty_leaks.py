"""What once got around a gate, or into the ledger, on the edge of what vfcc looks at."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.forgery import forged_evidence, plant, plant_evidence, plant_waiver
from tests.cli.honest_world import (
    ADD,
    BUILT,
    COVERED,
    JUNIT,
    PLAN,
    PYTHON,
    REVIEWED,
    SUB,
    SUB_FAILED,
    TESTS,
    YOU,
    cobertura,
    commit,
    done,
    edited,
    events,
    kept,
    project,
    refused,
    rows,
    unseen,
)
from tests.cli.process import CI, by_person, git, vfcc
from tests.cli.shapes import promised, shape
from tests.secret_samples import TOKEN
from tests.trees import write_tree
from verifflowcc.base.git.unseen_sources import unseen_sources
from verifflowcc.base.model.baseline_rules import baseline_text
from verifflowcc.base.model.baselines import Baseline, BaselineEntry
from verifflowcc.base.model.events import EventType
from verifflowcc.base.model.gate_values import BaselineKind

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
    redacted = by_person(root, "evidence", "redact", path.stem, "--reason", "a token", "--yes", "--json")
    assert redacted.code == 0
    assert shape(redacted.data) == promised("evidence_redact")
    assert TOKEN not in path.read_text()
    assert json.loads(path.read_text())["measures"]["tests"] == 900
    done(root, "doctor")
    done(root, "check", "gate")
    edited(path, "900", "901")
    assert "changed by hand" in vfcc(root, "check", "gate").err


def test_secret_in_a_closed_sprint(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    path = plant_evidence(root, forged_evidence(root, examples=(f"failed: test_sub: {TOKEN}",)))
    assert by_person(root, "sprint", "close", "--unfinished", "later").code == 0
    commit(root)

    refused("secret-in-a-closed-sprint", root)
    found = vfcc(root, "doctor")
    assert f'vfcc evidence redact {path.stem} --sprint log-in --reason "…"' in found.out
    line = ("evidence", "redact", path.stem, "--sprint", "log-in", "--reason", "a token")
    refused_to_agents(root, *line, "--yes")
    assert by_person(root, *line, "--yes").code == 0

    assert TOKEN not in path.read_text()
    done(root, "doctor")
    assert done(root, "sprint", "list").splitlines()[1].startswith("log-in  closed")
    assert "no sprint is open" in done(root, "status")
    commit(root)
    edited(path, "900", "901")
    assert "changed by hand" in vfcc(root, "doctor").out


def test_a_redaction_that_was_cut_short_is_repeated(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    path = plant_evidence(root, forged_evidence(root, examples=(f"failed: test_sub: {TOKEN}",)))
    old = path.read_bytes()
    line = ("evidence", "redact", path.stem, "--reason", "a token", "--yes")
    assert by_person(root, *line).code == 0
    path.rename(path.with_name(f".{path.name}"))
    path.write_bytes(old)

    assert vfcc(root, "doctor").code == 1
    assert by_person(root, *line).code == 0
    assert TOKEN not in path.read_text()
    done(root, "doctor")


def refused_to_agents(root: Path, *arguments: str) -> None:
    before = kept(root)
    assert vfcc(root, *arguments).code == 3
    assert vfcc(root, *arguments, env={"VFCC_AGENT": "coder"}).code == 3
    assert kept(root) == before


CHANGED = "{id: covered, kind: coverage, title: what is new is covered, command: test, at_least: {changed: 90}}"
HALF = "".join(f'<line number="{n}" hits="{int(n == 1)}"/>' for n in range(1, 12))
NEW = "def add(a, b): return a + b\n" + "".join(f"x{n} = {n}\n" for n in range(10))
TESTED = "def more(): return 1\n"


def two_files(lines: str) -> str:
    """A coverage report about `src/calc.py` with these lines, and a new file of one line that is covered."""
    other = '<class name="m" filename="src/more.py"><lines><line number="1" hits="1"/></lines></class></classes>'
    return cobertura(lines=lines).replace("</classes>", other)


@pytest.mark.parametrize("attributes", ["*.py -diff\n", "*.py binary\n", "src/* -text diff=none\n"])
def test_attributes_that_hide_lines(tmp_path: Path, attributes: str) -> None:
    files = {"tests/coverage.xml": two_files(HALF), ".gitattributes": attributes}
    root = project(tmp_path, CHANGED, files=files | {"src/calc.py": NEW, "src/more.py": TESTED})
    assert vfcc(root, "evidence", "run").code == 1

    refused("attributes-that-hide-lines", root)


def test_file_without_lines(tmp_path: Path) -> None:
    """Content that no diff shows as text, of a file that the report measures, changed as a whole."""
    files = {"tests/coverage.xml": two_files(HALF), "src/calc.py": f"{NEW}\0"}
    root = project(tmp_path, CHANGED, files=files | {"src/more.py": TESTED})
    assert vfcc(root, "evidence", "run").code == 1

    refused("file-without-lines", root)


def test_lines_that_end_otherwise(tmp_path: Path) -> None:
    """Python ends a line at a carriage return, git does not: to it, eleven lines are one, the first."""
    files = {"tests/coverage.xml": two_files(HALF), "src/calc.py": NEW.replace("\n", "\r")}
    root = project(tmp_path, CHANGED, files=files | {"src/more.py": TESTED})
    assert vfcc(root, "evidence", "run").code == 1

    refused("lines-that-end-otherwise", root)


@pytest.mark.parametrize("flag", ["assume-unchanged", "skip-worktree"])
def test_file_flagged_in_the_index(tmp_path: Path, flag: str) -> None:
    """Its changes count as those of any other file; that git does not show them is a finding."""
    root = project(tmp_path, CHANGED, files={"tests/coverage.xml": two_files(HALF), "src/more.py": TESTED})
    git(root, "update-index", f"--{flag}", "src/calc.py")
    (root / "src/calc.py").write_text(NEW, encoding="utf-8")
    assert "src/calc.py" not in git(root, "status", "--short")
    assert vfcc(root, "evidence", "run").code == 1

    assert "coverage of changed lines is 9.09 %, 90 % is needed" in vfcc(root, "check", "gate").out
    refused("file-flagged-in-the-index", root)


SCAN = "{id: scan, kind: sarif, title: no new finding, command: scan, at_most: {new_error: 0}}"
COPY = {"run": [*PYTHON, "-c", "import shutil, sys; shutil.copy('scan.json', sys.argv[1])", "{sarif}"]}


def log(**more: object) -> str:
    """A SARIF log with one error."""
    result = {"ruleId": "R1", "level": "error", "message": {"text": "bad"}, **more}
    runs = [{"tool": {"driver": {"name": "lint"}}, "results": [result]}]
    return json.dumps({"version": "2.1.0", "runs": runs})


@pytest.mark.parametrize("said", [{"baselineState": "unchanged"}, {"suppressions": [{"kind": "external"}]}])
def test_baseline_of_the_tool_itself(tmp_path: Path, said: dict[str, object]) -> None:
    """What is old, a person decides: they accept it on the sprint's base, and the gate names that."""
    old = {"scan.json": log(**said)}
    root = project(tmp_path, SCAN, files=old, scan=COPY)
    assert vfcc(root, "evidence", "run").code == 1

    refused("baseline-of-the-tool-itself", root)


def test_baseline_dropped_in(tmp_path: Path) -> None:
    """A baseline without the event of a person does not count, whatever it lists; nor does one that was edited."""
    root = project(tmp_path, SCAN, files={"scan.json": log()}, scan=COPY)
    base = json.loads(events(root)[0].read_text())["payload"]["base"]
    entry = BaselineEntry("scan", json.dumps(["lint", "R1", "", "bad"]), ("failed",), 1, "R1")
    until, none = "2999-12-31", dict[str, tuple[int, ...]]()
    dropped = Baseline(
        BaselineKind.LINT, base=base, by=YOU, reason="old", expires=until, entries=(entry,), runs=1, exit_codes=none
    )
    path = root / BaselineKind.LINT.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_name("scan.sarif").write_text(log(), encoding="utf-8")  # the form of version 0.1
    path.write_text(baseline_text(dropped), encoding="utf-8")
    assert vfcc(root, "evidence", "run").code == 1

    refused("baseline-dropped-in", root)


INSTALLED = (
    "node_modules/dep/index.js",
    ".venv/lib/dep.py",
    ".tox/py/dep.py",
    "dep.egg-info/entry_points.txt",
    ".coverage.d/conf.py",
    "src/calc.pyc",
    "src/__pycache__/calc.cpython-311.pyc",
)


def test_committed_file_with_the_name_of_a_cache(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS, files=dict.fromkeys(INSTALLED, "a = 1\n"))
    done(root, "evidence", "run")
    done(root, "check", "gate")
    for path in INSTALLED:
        before = (root / path).read_text(encoding="utf-8")
        edited(root / path, "1", "2")
        assert f"{path} changed" in vfcc(root, "check", "gate").out
        (root / path).write_text(before, encoding="utf-8")
    done(root, "check", "gate")
    edited(root / INSTALLED[0], "1", "2")

    refused("committed-file-with-the-name-of-a-cache", root)


def test_link_out_of_the_tree(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "one.py").write_text("a = 1\n", encoding="utf-8")
    root = project(tmp_path, TESTS)
    (root / "src/file.py").symlink_to(outside / "one.py")
    (root / "src/folder").symlink_to(outside)
    far = write_tree(tmp_path / "far", {"two.py": "b = 1\n", "more/three.py": "c = 1\n"})
    for name, target in (("two.py", far / "two.py"), ("more", far / "more"), ("again", outside), ("back", root)):
        (outside / name).symlink_to(target)
    commit(root)
    done(root, "evidence", "run")
    done(root, "check", "gate")
    for file in (far / "two.py", far / "more/three.py"):
        edited(file, "1", "2")
        assert "src/folder changed" in vfcc(root, "check", "gate").out
        edited(file, "2", "1")
    done(root, "check", "gate")
    edited(outside / "one.py", "1", "2")

    refused("link-out-of-the-tree", root)


@pytest.mark.parametrize("target", ["/proc/uptime", "/dev/zero"])
def test_link_to_a_device(tmp_path: Path, target: str) -> None:
    """It is read by none of these commands: it has no end, or other content each time."""
    root = project(tmp_path, TESTS)
    (root / "src/now.py").symlink_to(target)
    commit(root)
    done(root, "evidence", "run")

    unseen("link-to-a-device", root, "gate")
    refused("link-to-a-device", root)


def test_link_to_a_folder_around(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    (root / "src/own").symlink_to("..")
    commit(root)
    done(root, "doctor")
    (root / "src/up").symlink_to("../..")
    commit(root)
    done(root, "evidence", "run")
    write_tree(tmp_path, {"beside.py": "a = 2\n"})

    unseen("link-to-a-folder-around", root, "gate")
    refused("link-to-a-folder-around", root)


def test_source_that_a_hidden_rule_ignores(tmp_path: Path) -> None:
    """Evidence does not see it; a rule that no commit shows is a finding, and one in `.gitignore` a note."""
    root = project(tmp_path, TESTS, files={".gitignore": "version.py\n", "src/version.py": "a = 1\n"})
    done(root, "evidence", "run")
    (root / ".git/info/exclude").write_text("conftest.py\n", encoding="utf-8")
    (root / "conftest.py").write_text("a = 1\n", encoding="utf-8")

    unseen("source-that-a-hidden-rule-ignores", root, "gate")
    (root / "src/.gitignore").write_text("conftest.py\n.gitignore\n", encoding="utf-8")
    (root / "src/conftest.py").write_text("a = 1\n", encoding="utf-8")
    write_tree(root, {".memory/project/helper.py": "a = 1\n"})
    told = [(each.path, each.rule) for each in unseen_sources(root)]
    hidden = [("conftest.py", ".git/info/exclude"), ("src/conftest.py", "src/.gitignore")]
    assert told == [*hidden, ("src/version.py", ""), (".memory/project/helper.py", "")]
    assert "src/version.py: git ignores it, so no evidence speaks of it" in vfcc(root, "doctor").out
    refused("source-that-a-hidden-rule-ignores", root)


def test_word_that_looks_like_an_id(tmp_path: Path) -> None:
    """Beside an item of the project, a ticket's number of nowhere is none either."""
    root = project(tmp_path, "{id: commits, kind: commit, title: each says what it is for}", REVIEWED)
    edited(root / "src/calc.py", "a + b", "b + a")
    commit(root, message="WIP-stuff")

    refused("word-that-looks-like-an-id", root)


def test_prompt_of_another_repository(tmp_path: Path) -> None:
    root, other = (project(tmp_path / name, TESTS) for name in ("one", "two"))
    edited(other / PLAN, "lets people in", "keeps people out")
    commit(other)
    asked = ("context", "show", "--agent", "planner", "--committed")
    prompt = done(root, *asked)
    blobs = [git(each, "rev-parse", f"HEAD:{PLAN}").strip() for each in (root, other)]
    git(root, "fetch", "--quiet", str(other), "main")
    git(root, "replace", *blobs)

    there = {"GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other), "GIT_INDEX_FILE": str(other / ".git/index")}
    ran = vfcc(root, *asked, env=there)
    assert ran.out == prompt
    assert rows()["prompt-of-another-repository"].said_in(ran.out)


def test_prompt_in_another_locale(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    asked = ("context", "show", "--agent", "planner", "--task", "Größe ändern, 日本")
    prompt = vfcc(root, *asked)
    for more in (
        {"LC_ALL": "C", "PYTHONUTF8": "0"},
        {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    ):
        assert vfcc(root, *asked, env=more).out == prompt.out

    assert rows()["prompt-in-another-locale"].said_in(prompt.out)


def test_expired_waiver_and_a_clock_set_back(tmp_path: Path) -> None:
    """The newest event of the ledger is a floor: here it is a day ahead of the clock, as after setting that back."""
    root = project(tmp_path, TESTS)
    now = datetime.now(UTC)
    plant_waiver(root, "tests", expires=f"{now:%Y-%m-%d}")
    assert vfcc(root, "check", "gate").code == 0
    plant(root, EventType.FEEDBACK_ADDED, {"stage": None, "text": "later"}, at=now + timedelta(hours=24))

    refused("expired-waiver-and-a-clock-set-back", root)


def test_report_of_the_future(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    (root / "old.xml").write_text(JUNIT, encoding="utf-8")
    edited(root / "src/calc.py", "a + b", "a - b")
    os.utime(root / "old.xml", (4e9, 4e9))

    refused("report-of-the-future", root, add=("evidence", "add", "old.xml", "--criterion", "tests"))


@pytest.mark.parametrize("mark", ["<Failure message='x'/>", "<FAILURE/>"])
def test_failure_spelled_otherwise(tmp_path: Path, mark: str) -> None:
    spelled = JUNIT.replace('name="test_sub"/>', f'name="test_sub">{mark}</testcase>')
    root = project(tmp_path, TESTS, files={"tests/junit.xml": spelled})
    assert vfcc(root, "evidence", "run").code == 1

    refused("failure-spelled-otherwise", root)


def test_failure_inside_another_element(tmp_path: Path) -> None:
    wrapped = JUNIT.replace('name="test_sub"/>', 'name="test_sub"><result><failure/></result></testcase>')
    root = project(tmp_path, TESTS, files={"tests/junit.xml": wrapped})
    assert vfcc(root, "evidence", "run").code == 1

    refused("failure-inside-another-element", root)


def test_coverage_filled_up(tmp_path: Path) -> None:
    more = "".join(f'<line number="{number}" hits="1"/>' for number in range(5, 99))
    filled = cobertura(lines=f'<line number="1" hits="0"/>{more}')
    root = project(tmp_path, COVERED, files={"tests/coverage.xml": filled})
    assert vfcc(root, "evidence", "run").code == 1

    refused("coverage-filled-up", root)


def test_results_in_other_files(tmp_path: Path) -> None:
    elsewhere = json.loads(log())
    elsewhere["runs"][0] |= {"results": [], "externalPropertyFileReferences": {"results": [{"guid": "x"}]}}
    root = project(tmp_path, SCAN, files={"scan.json": json.dumps(elsewhere)}, scan=COPY)
    assert vfcc(root, "evidence", "run").code == 1

    refused("results-in-other-files", root)


def test_level_that_a_call_gave(tmp_path: Path) -> None:
    call = json.loads(log(level=""))
    given = {"descriptor": {"id": "R1"}, "configuration": {"level": "error"}}
    call["runs"][0]["invocations"] = [{"executionSuccessful": True, "ruleConfigurationOverrides": [given]}]
    root = project(tmp_path, SCAN, files={"scan.json": json.dumps(call)}, scan=COPY)
    assert vfcc(root, "evidence", "run").code == 1

    refused("level-that-a-call-gave", root)


def test_skipped_test_that_only_the_suite_counts(tmp_path: Path) -> None:
    claims = JUNIT.replace('tests="2"', 'tests="2" skipped="1"')
    root = project(tmp_path, TESTS, files={"tests/junit.xml": claims})
    assert vfcc(root, "evidence", "run").code == 1

    refused("skipped-test-that-only-the-suite-counts", root)


@pytest.mark.parametrize("copy", ["{stem}.JSON", "{stem}.json.bak", ".{stem}.json", "sub/{stem}.json"])
def test_event_in_a_place_that_is_not_read(tmp_path: Path, copy: str) -> None:
    root = project(tmp_path, TESTS)
    event = events(root)[0]
    target = event.parent / copy.format(stem=event.stem)
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(event.read_bytes())

    refused("event-in-a-place-that-is-not-read", root)


def test_evidence_in_a_place_that_is_not_read(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    path = plant_evidence(root, forged_evidence(root))
    path.with_suffix(".JSON").write_bytes(path.read_bytes())

    refused("evidence-in-a-place-that-is-not-read", root)


def test_report_whose_name_is_a_secret(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    report = tmp_path / f"{TOKEN}.xml"
    report.write_text(JUNIT, encoding="utf-8")

    refused("report-whose-name-is-a-secret", root, add=("evidence", "add", str(report), "--criterion", "tests"))


def test_variable_that_changes_a_run(tmp_path: Path) -> None:
    """Whoever runs a command chooses its environment, as with PYTEST_ADDOPTS; a second run, elsewhere, has another."""
    hides = "import os, sys; hidden = os.environ.get('PYTEST_ADDOPTS'); text = open('tests/junit.xml').read(); "
    hides += "passed = text.replace('<failure message=\"2 is not 1\"/>', ''); "
    hides += "open(sys.argv[1], 'w').write(passed if hidden else text)"
    failing = {"tests/junit.xml": JUNIT.replace(SUB, SUB_FAILED)}
    root = project(tmp_path, TESTS, files=failing, test={"run": [*PYTHON, "-c", hides, "{junit}"]})
    done(root, "evidence", "run", env={"PYTEST_ADDOPTS": "-k nothing"})

    unseen("variable-that-changes-a-run", root, "gate", "doctor")
    refused("variable-that-changes-a-run", root)


def test_status_of_a_damaged_ledger(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    done(root, "status")
    edited(events(root)[0], "Log in", "Log out")

    for _ in range(2):  # nothing that another command left answers
        ran = vfcc(root, "status")
        assert ran.code == rows()["status-of-a-damaged-ledger"].found_by["status"]
        assert rows()["status-of-a-damaged-ledger"].said_in(ran.out)
    assert vfcc(root, "status", "--json").code == 1


def test_name_that_steers_a_terminal(tmp_path: Path) -> None:
    """What is piped is looked at later: it holds no escape sequence and no change of direction, from no file's name."""
    root = project(tmp_path, TESTS)
    done(root, "evidence", "run")
    (root / "src/a\x1b[31mred\u202etxt.py").write_text("1\n", encoding="utf-8")

    refused("name-that-steers-a-terminal", root)
    for line in (
        "check gate",
        "evidence stale",
        "evidence list",
        "evidence run",
        "status",
        "next",
        "doctor",
        "code index",
    ):
        ran = vfcc(root, *line.split())
        assert not {"\x1b", "\u202e"} & set(ran.out + ran.err), line


def test_name_of_two_lines(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    done(root, "evidence", "run")
    (root / "src/a\n  pass     tests: 9 tests passed\n.py").write_text("1\n", encoding="utf-8")

    refused("name-of-two-lines", root)
    done(root, "evidence", "run")
    for line in ("check gate", "check trace", "next", "doctor", "code index", "evidence list"):
        ran = vfcc(root, *line.split())
        assert "\n  pass     tests: 9" not in ran.out + ran.err, line


def test_name_in_another_case(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    done(root, "evidence", "run")
    git(root, "config", "core.ignoreCase", "true")
    (root / "src/Calc.py").write_text("a = 1\n", encoding="utf-8")

    refused("name-in-another-case", root)


def test_makefile_behind_an_allowed_command(tmp_path: Path) -> None:
    """Allowing says that it may change, and offers to pin it; then a change needs allowing again."""
    files = {"Makefile": "build:\n\t@echo built\n"}
    root = project(tmp_path, BUILT, files=files, build={"run": ["make", "build"]})
    asked = by_person(root, "allow", "--check").out
    done(root, "allow", "--yes", "--pin", "./Makefile", env=CI)
    assert (
        "note: Makefile says what build runs, and may change; to allow it as it is: vfcc allow --pin Makefile" in asked
    )
    done(root, "allow", "--yes", "--pin", "Makefile", env=CI)
    done(root, "evidence", "run")
    assert "pinned: Makefile" in vfcc(root, "allow", "--check").out
    edited(root / "Makefile", "echo built", "touch trap")

    refused("makefile-behind-an-allowed-command", root)
    assert not (root / "trap").exists()
    edited(root / "Makefile", "touch trap", "echo built again")
    done(root, "allow", "--yes", env=CI)
    done(root, "evidence", "run")
    missing = vfcc(root, "allow", "--yes", "--pin", "gone.mk", env=CI)
    assert (missing.code, "the project has no file gone.mk" in missing.err) == (2, True)
