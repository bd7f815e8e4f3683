"""`vfcc memory ingest` and `purge`: what is read and printed, who is asked, and the exit codes."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.cli.process import VFCC, Ran, environment, vfcc
from tests.cli.trees import everything

TALK = """\
# Session 1 (2026-11-02)

You: From now on, always start function names with 'a_'.

Other: I will start function names with 'a_'.

# Session 2 (2026-11-09)

You: Please start function names with 'b_' instead. Thanks!
"""


@pytest.fixture
def talked(young: Path) -> Path:
    (young / "talk.md").write_text(TALK, encoding="utf-8")
    return young


def piped(folder: Path, data: bytes, *arguments: str) -> Ran:
    done = subprocess.run(
        [VFCC, *arguments], cwd=folder, env=environment(folder.parent), input=data, capture_output=True, check=False
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.vfcc("REQ-INGEST")
def test_a_person_learns_from_a_dialogue_and_the_second_time_nothing_changes(talked: Path) -> None:
    done = typed(talked, "memory", "ingest", "talk.md")
    before = everything(talked)
    again = typed(talked, "memory", "ingest", "talk.md")

    assert (done.code, done.err) == (0, "")
    first, second, replaced, *rest = done.out.splitlines()
    assert first.startswith("added: from-now-on-always-start-function-names-")
    assert second.startswith("added: please-start-function-names-with-b-")
    assert replaced == f"  in place of {first.split()[1]}"
    assert rest[-2].startswith("3 turns read: 2 added")
    assert rest[-1].startswith("to undo a replacement: vfcc memory forget ID")
    assert (again.code, again.out) == (0, "3 turns read, 3 of them known: nothing new\n")
    assert everything(talked) == before
    shown = vfcc(talked, "memory", "show", "please-start-function-names-with-b", "--explain").out
    assert "talk.md@" in shown
    assert "person:You" in shown
    assert "  spoken by person:You in talk.md@" in vfcc(talked, "memory", "show", "please-start-function-names").out
    assert typed(talked, "memory", "forget", second.split()[1], "--yes").code == 0
    assert first.split()[1] in vfcc(talked, "memory", "list").out


@pytest.mark.vfcc("REQ-PENDING")
def test_what_no_person_ingests_waits_and_says_so(talked: Path) -> None:
    done = vfcc(talked, "memory", "ingest", "talk.md")

    assert done.code == 0
    assert done.out.startswith("proposed: from-now-on-always-start-function-names-")
    assert "no person runs this" in done.out
    assert done.out.endswith("what is proposed waits for a person: vfcc memory inbox\n")
    assert "start function names" not in vfcc(talked, "context", "show", "--agent", "coder").out


@pytest.mark.sweep
def test_stdin_is_read_as_a_minus(talked: Path) -> None:
    done = piped(talked, TALK.encode(), "memory", "ingest", "-", "--json", "--full")

    value = done.data
    assert (done.code, value["counts"]["proposed"], value["turns"]) == (0, 2, 3)
    assert {each["outcome"] for each in value["learned"]} <= {"proposed", "same"}
    assert piped(talked, TALK.encode(), "memory", "ingest", "-", "--json", "--full").data["known"] == 3


def test_a_dry_run_writes_nothing(talked: Path) -> None:
    before = everything(talked)
    done = typed(talked, "memory", "ingest", "talk.md", "--dry-run")

    assert (done.code, everything(talked)) == (0, before)
    assert done.out.splitlines()[-1] == "3 turns read: would be 2 added"


@pytest.mark.points(2)
@pytest.mark.vfcc("REQ-INGEST")
@pytest.mark.parametrize(
    ("name", "rows"),
    [
        (
            "claude.jsonl",
            [{"type": "user", "sessionId": "s", "uuid": "u", "message": {"role": "user", "content": "{}"}}],
        ),
        (
            "codex.jsonl",
            [
                {"type": "session_meta", "payload": {"id": "s"}},
                {
                    "type": "response_item",
                    "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "{}"}]},
                },
            ],
        ),
        ("turns.jsonl", [{"role": "user", "content": "{}", "session": "s"}]),
    ],
)
def test_transcripts_of_each_kind_are_told_by_their_content(young: Path, name: str, rows: list[object]) -> None:
    said = "From now on, always start function names with 'a_'."
    text = "".join(json.dumps(row).replace("{}", said) + "\n" for row in rows)
    (young / name).write_text(text, encoding="utf-8")

    done = vfcc(young, "memory", "ingest", name, "--json", "--full")

    (learned,) = done.data["learned"]
    assert (learned["session"], learned["title"]) == ("s", "From now on, always start function names with 'a_'")


def test_an_agent_that_is_named_and_a_session(talked: Path) -> None:
    done = typed(talked, "memory", "ingest", "talk.md", "--agent", "you", "--session", "mine", "--json", "--full")
    learned = done.data["learned"]
    assert {each["session"].partition("/")[0] for each in learned} == {"mine"}
    assert "agent:You" in {each["speaker"] for each in learned}


def test_a_preference_is_asked_for_and_a_no_proposes_it(young: Path) -> None:
    (young / "talk.md").write_text("User: I prefer bullet points over prose.\n", encoding="utf-8")
    asked = typed(young, "memory", "ingest", "talk.md", keys="n\n")
    assert "Remember them?" in asked.err
    assert asked.out.startswith("proposed: ")

    (young / "more.md").write_text("User: I prefer tabs over spaces in my code.\n", encoding="utf-8")
    assert "Remember them?" not in typed(young, "memory", "ingest", "more.md", "--yes").err


def test_broken_lines_are_told_and_the_sound_ones_taken(young: Path) -> None:
    text = '{"role": "user", "content": "Always use a debugger."}\n{torn}\n[]\n{"role": "user"}\n{"role": "us'
    (young / "turns.jsonl").write_text(text, encoding="utf-8")

    done = vfcc(young, "memory", "ingest", "turns.jsonl")

    assert done.code == 1
    assert done.out.startswith("proposed: ")
    assert "note: turns.jsonl:5: the last line is not whole yet" in done.err
    for line in (2, 3, 4):
        assert f"warning: turns.jsonl:{line}: " in done.err
    assert "Traceback" not in done.err


@pytest.mark.points(2)
@pytest.mark.parametrize(
    ("data", "code", "word"),
    [
        (b"\x7fELF\x00\x01\x02", 3, "this is no text"),
        (b"just some words\n", 1, "there is no turn of a conversation in it"),
        (b"", 0, "it is empty"),
        (b"You: \xff\xfe\n", 1, "not UTF-8"),
        (b"{" * 5_000, 0, "the last line is not whole yet"),
        (b"[" * 200_000 + b"\n", 1, "there is no turn"),
    ],
)
def test_what_is_no_conversation_is_told_in_a_sentence(young: Path, data: bytes, code: int, word: str) -> None:
    (young / "x").write_bytes(data)
    done = vfcc(young, "memory", "ingest", "x")
    assert (done.code, word in done.err, "Traceback" in done.err) == (code, True, False), done


@pytest.mark.sweep
def test_a_line_of_many_megabytes_is_read(young: Path) -> None:
    rows = [{"role": "user", "content": "words " * 500_000}, {"role": "user", "content": "Always use a debugger."}]
    (young / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = vfcc(young, "memory", "ingest", "x.jsonl")
    assert (done.code, "debugger" in done.out) == (0, True), done


def test_folders_missing_files_and_wrong_words_are_refused_with_nothing_read(talked: Path) -> None:
    before = everything(talked)
    vfcc(talked, "memory", "ingest", ".memory").refused(2, "is a folder", "vfcc memory ingest .memory/*")
    vfcc(talked, "memory", "ingest", "talk.md", "gone.md").refused(2, "cannot read gone.md")
    vfcc(talked, "memory", "ingest", "talk.md", "--kind", "dialog").refused(2, "--kind dialogue")
    vfcc(talked, "memory", "ingest", "talk.md", "--scope", "sprint").refused(2, "--scope project")
    assert everything(talked) == before


def test_outside_of_a_project_only_the_person_learns(tmp_path: Path) -> None:
    here = tmp_path / "nowhere"
    here.mkdir()
    (here / "talk.md").write_text(f"User: I prefer bullet points over prose.\n\n{TALK}", encoding="utf-8")
    done = vfcc(here, "memory", "ingest", "talk.md", "--json", "--full")
    assert [each["scope"] for each in done.data["learned"]] == ["user"]
    vfcc(here, "memory", "ingest", "talk.md", "--scope", "project").refused(3, "there is no project here")


@pytest.mark.vfcc("REQ-SECRETS")
def test_a_secret_is_refused_and_its_value_printed_nowhere(young: Path) -> None:
    secret = "ghp_" + "R7kQ2mXv9LpT4sWz8NcY1bHd6JfG3aKe5UqM"
    (young / "talk.md").write_text(f"User: Always use the token {secret} for deployment.\n", encoding="utf-8")
    for words in (
        ("--dry-run",),
        (),
        (
            "--json",
            "--full",
        ),
    ):
        done = typed(young, "memory", "ingest", "talk.md", "--again", *words)
        assert secret not in done.out + done.err
    assert vfcc(young, "memory", "list").out.count("token") == 0


def test_what_a_speaker_is_called_cannot_reach_the_terminal(young: Path) -> None:
    row = {
        "speaker": "E\x1b[31mve\u202e",
        "text": "From now on, always start function names with 'a_'.",
        "session": "\x1b]0;x\x07",
    }
    (young / "x.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    done = typed(young, "memory", "ingest", "x.jsonl")
    shown = vfcc(young, "memory", "show", "from-now-on", "--explain")
    assert done.code == 0
    assert not any(bad in done.out + done.err + shown.out for bad in ("\x1b", "\u202e", "\x07"))


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-PURGE")
def test_a_purge_asks_and_leaves_the_state_from_before(talked: Path) -> None:
    (talked / "first.md").write_text("# 2026-10-05\n\nYou: Always start function names with 'z_'.\n", "utf-8")
    typed(talked, "memory", "ingest", "first.md")
    before = everything(talked)
    typed(talked, "memory", "ingest", "talk.md")
    learned = everything(talked)

    told = vfcc(talked, "memory", "forget", "--source", "talk.md", "--dry-run")
    refused = typed(talked, "memory", "forget", "--source", "talk.md", keys="n\n")
    assert everything(talked) == learned
    assert refused.code != 0
    assert "would be gone" in told.out
    assert "would be in force again" in told.out

    done = typed(talked, "memory", "forget", "--source", "talk.md", keys="y\n")

    assert everything(talked) == before
    assert done.out.splitlines()[-1] == "2 items gone that came from talk.md"
    assert "(convention, project): in force again" in done.out
    assert "2 added" in typed(talked, "memory", "ingest", "talk.md").out


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-PURGE")
def test_a_purge_takes_a_person_and_something_to_purge(talked: Path) -> None:
    vfcc(talked, "memory", "ingest", "talk.md")
    vfcc(talked, "memory", "forget", "--source", "talk.md", "--yes").refused(3, "needs a person at a terminal")
    vfcc(talked, "memory", "forget", "--source", "other.md", "--dry-run").refused(2, "nothing here came from other.md")
    done = typed(talked, "memory", "forget", "--source", "talk.md", "--yes", "--json", "--full")
    assert (done.code, len(done.data["removed"])) == (0, 2)
