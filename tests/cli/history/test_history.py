"""`vfcc history`, as a person and a pipe read it."""

import re
from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.cli.process import by_person, on_terminal, permitted, vfcc
from tests.history_world import DAY_S, NOW, edit, prompt, read, run, spoken, stop, tell
from verifflowcc.base.use.workspace import Workspace

QUERY = "SELECT tool_name, COUNT(*) AS n FROM tool_executions GROUP BY 1 ORDER BY 1"


@pytest.fixture
def worked(young: Path) -> Path:
    """A project in which something was done, a good while ago."""
    here = Workspace(young)
    tell(here, prompt(-5, "Fix the login page", role="coder"))
    for number in range(3):
        at = number * 3600
        tell(here, edit(at, "src/login.py", role="coder"), edit(at + 1, "src/page.py", role="coder"))
    tell(here, run(20_000, "pytest -q", error="KeyError: 'x'"), edit(20_001, "src/login.py"), run(20_002, "pytest -q"))
    tell(here, stop(20_003, "The login works again."), read(20_004, "README.md", session="s2", task="p2"))
    tell(
        here,
        prompt(20_005, "Look around", session="s2", task="p2"),
        spoken(20_006, "SessionEnd", session="s2", task=None),
    )
    return young


def shown(folder: Path, *words: str) -> str:
    done = on_terminal(folder, "history", *words)
    assert (done.code, done.err) == (0, ""), done
    assert max(map(len, done.out.splitlines())) <= 80
    return done.out


@pytest.mark.vfcc("REQ-ASK-FILE", "REQ-ASK-PATH")
def test_a_files_touches_are_told_by_path_from_where_one_is_and_by_a_part_of_it(worked: Path) -> None:
    (worked / "src").mkdir()

    exact = shown(worked, "show", "src/login.py", "--by", "file", "--limit", "2")

    assert exact.splitlines()[0].split() == ["when", "did", "file", "lines", "changes", "went"]
    assert [line.split()[:4] for line in exact.splitlines()[-2:]] == [
        ["2026-11-21", "17:33", "edit", "src/login.py"], ["2026-11-21", "14:00", "edit", "src/login.py"]
    ]  # fmt: skip
    assert shown(worked / "src", "show", "login.py", "--by", "file", "--limit", "2") == exact
    assert "src/page.py" in shown(worked, "show", "SRC", "--by", "file")


@pytest.mark.vfcc("REQ-ASK-TOOLS")
def test_tools_are_told_with_their_shares(worked: Path) -> None:
    text = shown(worked, "show", "--by", "tool", "--days", "36500")

    assert [line.split() for line in text.splitlines() if line.startswith("Bash")] == [
        ["Bash", "2", "1", "of", "2", "50", "%", "–"]
    ]  # fmt: skip


@pytest.mark.vfcc("REQ-ASK-OPEN-TASKS", "REQ-ASK-SIMILAR")
def test_tasks_are_told(worked: Path) -> None:
    assert "Look around" in shown(worked, "show", "--by", "task")
    assert "Fix the login page" not in shown(worked, "show", "--by", "task")
    assert "Fix the login page" in shown(worked, "show", "--by", "task", "--all")
    assert shown(worked, "similar", "the login is broken") == (
        "2026-11-21 11:59  Fix the login page\n"
        "  completed: The login works again.\n"
        "  files: src/login.py, src/page.py\n"
    )
    assert shown(worked, "similar", "zebra") == "no past task is like it\n"


@pytest.mark.vfcc("REQ-PATTERN-CO-EDIT", "REQ-PATTERN-FIX", "REQ-EPISODE-LEARNINGS")
def test_what_goes_together_and_what_was_learnt_is_told(worked: Path) -> None:
    assert "src/login.py" in shown(worked, "show", "--by", "coedit", "src/page.py")
    patterns = shown(worked, "show", "--by", "pattern")
    assert "co_edit" in patterns
    assert "error_fix" in patterns
    assert shown(worked, "show", "--by", "learning") == "nothing of the kind was recorded here\n"
    assert "s2" in shown(worked, "show", "--by", "session")
    assert "pytest -q" in shown(worked, "show")


def test_what_agents_said_cannot_steer_the_terminal(young: Path) -> None:
    tell(
        Workspace(young),
        prompt(0, "Fix \x1b[31mred\x07", session="a\x1bb"),
        stop(1, "\x1b]0;x\x07"),
        run(2, "ls \x1b[2J"),
    )

    for words in (("similar", "fix red"), ("show",), ("show", "--by", "task", "--all"), ("show", "--by", "session")):
        text = shown(young, *words)
        assert "\x1b" not in text
        assert "\x07" not in text


def test_lines_that_could_not_be_read_are_counted_in_a_warning(worked: Path) -> None:
    with next((worked / ".memory/local/history").iterdir()).open("ab") as file:
        file.write(b"{\n")

    done = vfcc(worked, "history", "show", "--json", "--full")

    assert done.err == "warning: 1 line of the history could not be read and was left out\n"
    assert len(done.data) == 10


@pytest.mark.points(3)
@pytest.mark.parametrize(
    ("line", "code", "told", "hint"),
    [
        ("show src", 2, "a path goes with --by file or --by coedit", "vfcc history show --by file src"),
        ("show --by fil", 2, "--by knows no fil; did you mean file?", "vfcc history show --help"),
        ("show --limit 0", 2, "0", "vfcc history show --help"),
        ("prune --older-than soon", 2, "'soon' is no time: say 90d, 12w or 1y", "vfcc history prune --older-than 90d"),
        ("prune", 2, "needs --older-than TIME", "vfcc history prune --help"),
        ("sql nonsense", 2, "no such query: ", "the tables are tool_executions, "),
        ("export out --format csv", 2, "--format knows no csv", "vfcc history export --help"),
        ("export config.yaml/out", 3, "cannot write config.yaml/out", ""),
    ],
)
def test_what_cannot_be_answered_is_told_with_a_hint(worked: Path, line: str, code: int, told: str, hint: str) -> None:
    (worked / "config.yaml").write_text("", encoding="utf-8")

    refused = permitted(worked, "history", *line.split())

    refused.refused(code, told)
    assert not hint or f"hint: {hint}" in refused.err


def test_outside_of_a_project_there_is_a_hint(tmp_path: Path) -> None:
    vfcc(tmp_path, "history", "show").refused(3, "no .memory/ in", "hint: vfcc init")


def test_pruning_asks_first_and_says_what_went(worked: Path) -> None:
    here = Workspace(worked)
    tell(here, edit(-400 * DAY_S, "a.py"), edit(-401 * DAY_S, "a.py"))
    asked = ("history", "prune", "--older-than", "300d")

    unanswered = typed(worked, *asked, keys="\n")
    assert unanswered.code != 0
    assert "Remove them? [y/N]" in unanswered.err
    dry = vfcc(worked, *asked, "--dry-run")
    assert dry.out == "to remove: 2 days, 2025-10-16 to 2025-10-17; 2 events, 1 KiB\n"
    gone = by_person(worked, *asked, "--yes")

    assert gone.out == dry.out.replace("to remove", "removed")
    assert by_person(worked, *asked, "--yes").out.startswith("nothing is older than ")
    assert [path.name for path in (worked / ".memory/local/history").iterdir()] == [f"{NOW:%Y-%m-%d}.jsonl"]


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-EPISODE-SQL", "REQ-EPISODE-EXPORT")
def test_sql_and_exports_are_told(worked: Path) -> None:
    assert [line.split() for line in shown(worked, "sql", QUERY).splitlines()[-3:]] == [
        ["Bash", "2"], ["Edit", "7"], ["Read", "1"]
    ]  # fmt: skip
    assert shown(worked, "sql", f"{QUERY} LIMIT 0") == "no rows\n"
    written = vfcc(worked, "history", "export", "out").out.splitlines()
    assert written == [str(Path("out") / f"{Path(name).stem}.parquet") for name in written]
    assert all((worked / name).stat().st_size for name in written)


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-EPISODE-PATTERNS")
def test_what_was_learnt_is_offered_and_waits(worked: Path) -> None:
    first = vfcc(worked, "history", "learn")

    assert (first.code, len(first.out.splitlines())) == (0, 3)
    assert first.out.endswith("next: vfcc memory inbox\n")
    assert "src/login.py and src/page.py are changed together" in vfcc(worked, "memory", "inbox").out
    assert vfcc(worked, "history", "learn").out == (
        "nothing new is sure enough to be offered: vfcc history show --by pattern\n"
    )


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-INDICATOR-FAILURES")
def test_the_statistics_of_memory_tell_the_share_of_failures_that_it_knew(worked: Path) -> None:
    assert vfcc(worked, "memory", "add", "failure", "KeyError: 'y'").code == 0

    text = vfcc(worked, "memory", "stats").out

    assert "repeated failure rate: 0 (0 of 1 failed tool executions)" in text, "it waits, and is younger"
    (kept,) = (worked / ".memory/project/items/failure").iterdir()
    told = kept.read_text("utf-8")
    told = told.replace("status: pending", "status: active")
    kept.write_text(re.sub(r"(?m)^created: .*$", "created: 2026-11-01", told), encoding="utf-8")
    assert "repeated failure rate: 1 (1 of 1 failed tool executions)" in vfcc(worked, "memory", "stats").out
