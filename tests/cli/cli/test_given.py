"""What a person gives on the command line: names, numbers, files, words."""

import os
import stat
from pathlib import Path

import pytest

from tests.cli.process import by_person, permitted, vfcc
from tests.cli.trees import everything

PROMPT = ("context", "show", "--agent", "coder")
CLOSE = ("sprint", "close", "--unfinished", "enough", "--learnings")
LARGE = 100 * 1024 * 1024


@pytest.mark.points(3)
@pytest.mark.vfcc("REQ-ERRORS")
@pytest.mark.parametrize(
    ("line", "told", "hint"),
    [
        ("context show --agent codr", "there is no agent codr; did you mean coder?", "--agent coder"),
        (
            "context show --agent zzz",
            "there is no agent zzz; there is analyst, architect, coder,",
            "mkdir -p .memory/a",
        ),
        ("context show --agent ../x", "there is no agent ../x; there is", "mkdir"),
        (
            "context show --agent coder --stage codng",
            "sprint-02 has no stage codng; did you mean coding?",
            "vfcc stage",
        ),
        ("context show --agent coder --sprint sprint-2", "no sprint sprint-2; did you mean sprint-02?", "vfcc sprint"),
        ("context show --agent coder --sprint ../x", "there is no sprint ../x", "vfcc sprint list"),
        ("sprint show sprnt-02", "there is no sprint sprnt-02; did you mean sprint-02?", "vfcc sprint list"),
        ("sprint show ../../etc", "is no sprint id", "vfcc sprint list"),
        ("sprint start X --workflow agle", "there is no workflow agle; did you mean agile?", "vfcc workflow list"),
        ("stage show tsting", "sprint-02 has no stage tsting; did you mean testing?", "vfcc stage list"),
        (
            "stage reopen testing --reason x",
            "testing was not left behind in sprint-02; there is planning, d",
            "vfcc stage",
        ),
        ("stage advance --stage planning", "vfcc stage advance has no option --stage", "vfcc stage advance --help"),
        (
            "init --workflow lihgt below",
            "there is no workflow lihgt; there is agile, aspice, light, safety, standard",
            "vfcc init --work",
        ),
        ("context diff --agent coder", "give one of --agent, --stage or --commit twice", "vfcc context diff --agent"),
        ("sprint start X --id ../y", "'../y' is no sprint id: lower-case letters", "--id y"),
        ("sprint start X --id sprint-02", "the sprint sprint-02 exists already", "vfcc sprint show sprint-02"),
        ("sprint start X --id con", "'con' is no sprint id", "--id sprint-con"),
    ],
)
def test_an_unknown_name_is_told_with_the_nearest_one(example: Path, line: str, told: str, hint: str) -> None:
    before = everything(example)

    refused = vfcc(example, *line.split())

    refused.refused(2, told, f"\nhint: {hint}")
    assert everything(example) == before


@pytest.mark.points(4)
@pytest.mark.vfcc("REQ-ERRORS")
@pytest.mark.parametrize("budget", ["0", "-1", "abc", "1.5", "", "1_000", "٣", "9" * 5000])
def test_a_budget_is_a_whole_number_of_tokens(example: Path, budget: str) -> None:
    vfcc(example, *PROMPT, "--budget", budget).refused(2, "--budget TOKENS: ", "is no number of tokens")


def test_a_budget_too_small_names_the_smallest_that_would_do(example: Path) -> None:
    refused = vfcc(example, *PROMPT, "--budget", "1")
    refused.refused(3, "a budget of 1 tokens cannot hold this prompt; the smallest that would do is ")
    least = refused.err.rpartition(" ")[2].strip()

    assert vfcc(example, *PROMPT, "--budget", least).code == 0
    assert vfcc(example, *PROMPT, "--budget", str(int(least) - 1)).code == 3


def test_a_budget_of_a_million_million_is_fine(example: Path, prompt: str) -> None:
    assert vfcc(example, *PROMPT, "--budget", "999999999999").out == prompt


@pytest.mark.points(2)
@pytest.mark.parametrize(
    ("place", "code", "told"),
    [
        ("no/such/prompt.md", 2, "there is no folder no/such"),
        (".memory", 2, ".memory is a folder, not a file"),
        (".", 2, ". is a folder, not a file"),
        ("", 2, ". is a folder, not a file"),
        ("CLAUDE.md/prompt.md", 2, "CLAUDE.md is a file, not a folder"),
        ("/proc/prompt.md", 3, "cannot write /proc/prompt.md"),
    ],
)
def test_a_place_where_no_prompt_can_go(example: Path, place: str, code: int, told: str) -> None:
    before = everything(example)

    vfcc(example, *PROMPT, "--output", place).refused(code, told)

    assert everything(example) == before


def test_a_link_is_written_through_and_stays(example: Path, prompt: str) -> None:
    (example / "link.md").symlink_to("real.md")

    assert vfcc(example, *PROMPT, "--output", "link.md").code == 0

    assert (example / "link.md").is_symlink()
    assert (example / "real.md").read_text(encoding="utf-8") == prompt


def test_a_pipe_is_written_into_and_stays(example: Path, prompt: str) -> None:
    """As `/dev/null` would be: it must not be replaced by a file (which is why it is not `/dev/null` here)."""
    os.mkfifo(example / "pipe")
    reader = os.open(example / "pipe", os.O_RDONLY | os.O_NONBLOCK)

    assert vfcc(example, *PROMPT, "--output", "pipe").code == 0

    assert os.read(reader, 1 << 20).decode("utf-8") == prompt
    os.close(reader)
    assert (example / "pipe").is_fifo()
    assert vfcc(example, *PROMPT, "--output", "/proc/self/fd/1").out == prompt


def test_a_device_that_is_full_is_told_and_stays(example: Path) -> None:
    device = example / "full"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 7))
        device.open("wb", buffering=0).close()
    except OSError:
        pytest.skip("no device can be made here")

    vfcc(example, *PROMPT, "--output", "full").refused(3, "cannot write full: No space left on device")

    assert device.is_char_device()


def _learnings(folder: Path, kind: str) -> str:
    path = folder / "learned.md"
    if kind == "binary":
        path.write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    elif kind == "large":
        path.touch()
        os.truncate(path, LARGE)
    elif kind == "endless":
        return "/dev/zero"
    elif kind == "folder":
        path.mkdir()
    return path.name


@pytest.mark.points(4)
@pytest.mark.parametrize(
    ("kind", "code", "told"),
    [
        ("missing", 2, "cannot read learned.md: No such file or directory"),
        ("folder", 2, "cannot read learned.md: Is a directory"),
        ("binary", 3, "learned.md: not UTF-8 at byte 0"),
        ("large", 2, "learned.md is larger than 1 MiB"),
        ("endless", 2, "/dev/zero is larger than 1 MiB"),
    ],
)
def test_learnings_that_cannot_be_kept_close_nothing(example: Path, kind: str, code: int, told: str) -> None:
    given = _learnings(example, kind)
    before = everything(example)

    by_person(example, *CLOSE, given).refused(code, told)

    assert everything(example) == before


@pytest.mark.vfcc("REQ-LEARNINGS")
def test_learnings_are_kept_once(example: Path) -> None:
    (example / "learned.md").write_bytes(b"\xef\xbb\xbfAsk early.\r\nTwice.\r\n")

    assert by_person(example, *CLOSE, "learned.md").code == 0

    knowledge = (example / ".memory/sprint/sprint-02/knowledge.md").read_text(encoding="utf-8")
    assert knowledge.endswith("Ask early.\nTwice.\n")


@pytest.mark.points(2)
@pytest.mark.parametrize(
    ("title", "sprint"),
    [
        ("Grüße an alle", "grusse-an-alle"),
        ("🎉🎉", "sprint"),
        ("שלום עולם", "sprint"),
        ("two\nlines\tand\r\nmore", "two-lines-and-more"),
        ("../../etc/passwd", "etc-passwd"),
        ("con", "sprint-con"),
        ("-", "sprint"),
        ("x" * 200, "x" * 40),
    ],
)
def test_any_line_of_text_is_a_title(young: Path, title: str, sprint: str) -> None:
    started = vfcc(young, "sprint", "start", "--json", "--full", "--", title)

    assert started.code == 0, started
    state = started.data["state"]
    assert (state["id"], state["title"]) == (sprint, " ".join(title.split()))
    assert f"{sprint}: " in vfcc(young, "status").out


@pytest.mark.points(5)
@pytest.mark.parametrize(
    ("title", "told"),
    [
        ("", "a sprint needs a title"),
        (" \n\t ", "a sprint needs a title"),
        ("red \x1b[31m", "the title holds U+001B, which cannot be shown"),
        ("bell \x07", "the title holds U+0007"),
        ("right \u202e to left", "the title holds U+202E"),
        (b"not \xff UTF-8", "the title holds U+DCFF"),
        ("x" * 5_000, "the title has 5,000 characters; it may have 200"),
    ],
)
def test_what_is_no_title(young: Path, title: str | bytes, told: str) -> None:
    before = everything(young)

    vfcc(young, "sprint", "start", title).refused(2, told)

    assert everything(young) == before


@pytest.mark.vfcc("REQ-TERMINAL")
@pytest.mark.parametrize(
    "line",
    [
        ("sprint", "start", "New", "--goal", "\x1b[2J"),
        ("stage", "reopen", "planning", "--reason", "\x1b[2J"),
        ("sprint", "close", "--unfinished", "\x1b[2J"),
    ],
    ids=lambda line: line[1],
)
def test_no_word_for_the_record_can_steer_a_terminal(example: Path, line: tuple[str, ...]) -> None:
    before = everything(example)

    permitted(example, *line).refused(2, "holds U+001B, which cannot be shown")

    assert everything(example) == before


def test_what_no_event_can_hold_is_refused_before_anything_is_written(young: Path) -> None:
    before = everything(young)
    goals = [word for number in range(150) for word in ("--goal", f"{number} " + "x" * 1_990)]

    vfcc(young, "sprint", "start", "Many", *goals).refused(2, "this move does not fit on the ledger: ")

    assert everything(young) == before


@pytest.mark.vfcc("REQ-SEVERAL-SPRINTS")
def test_two_open_sprints_are_not_guessed_between(example: Path) -> None:
    assert by_person(example, "sprint", "start", "Another").code == 0

    for line in ("stage advance", "sprint close --unfinished x", "sprint show", "context show --agent coder"):
        permitted(example, *line.split()).refused(2, "several sprints are open: another, sprint-02")
    assert vfcc(example, "stage", "show", "--sprint", "another").code == 0
