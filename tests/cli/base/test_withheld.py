"""What an editor put into the files, past every guard: no command prints a secret, or what steers a terminal."""

import json
import re
import shutil
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import pytest

from tests.cli.at_terminal import person, typed
from tests.cli.process import Ran, git, on_terminal, permitted, vfcc
from tests.secret_samples import PASSWORD, SAMPLES, TOKEN
from tests.trees import write_memory
from verifflowcc.base.formats.event_bytes import encode_event, make_event, parse_event
from verifflowcc.base.model.events import Json

pytestmark = pytest.mark.vfcc("REQ-SECRETS")

BLOCK = SAMPLES["OpenSSH private key"]
STEERS = "\u202e\u2066\u200b\x1b[2J\x07\U000e0041"
WORDS = f"The bot signs in with {TOKEN} {STEERS}"
BODY = f"{WORDS}\n\n{BLOCK}\n\npassword: {PASSWORD}\n"
TITLE = json.dumps(f"Bot {TOKEN} {STEERS[:3]}")
HEAD = f"title: {TITLE}\ncreated: 2026-01-05\ntags: [{TOKEN}]\n"
FACT = f'---\nid: {{}}\ntype: {{}}\n{HEAD}details: {{{{password: "{PASSWORD}"}}}}\n{{}}---\n{BODY}'
TRACED = f"---\nid: {{}}\ntype: {{}}\n{HEAD}{{}}---\n{BODY}\n# Rationale\n\n{BODY}"
ARCHIVED = "status: archived\narchived: {on: 2026-02-01, why: ended, was: active}\n"
FILES = {
    "project/items/fact/open.md": FACT.format("open", "fact", "key: bot\n"),
    "project/items/fact/newer.md": FACT.format(
        "newer", "fact", "key: bot\nlinks: [{to: open, relation: contradicts}]\nstatus: pending\n"
    ),
    "project/items/fact/over.md": FACT.format("over", "fact", "expires: 2026-01-06\n"),
    "project/items/fact/gone.md": FACT.format("gone", "fact", ARCHIVED),
    "project/decisions/0001-bot.md": f"# Bot {TOKEN}\n\n## Status\n\nAccepted\n\n{BODY}",
    "project/items/need/NEED-BOT.md": TRACED.format("NEED-BOT", "need", "status: active\n"),
    "project/items/requirement/REQ-BOT.md": TRACED.format(
        "REQ-BOT", "requirement", "status: active\nverification: test\nlinks: [{to: NEED-BOT, relation: refines}]\n"
    ),
    "project/items/test_spec/TEST-BOT.md": TRACED.format(
        "TEST-BOT", "test_spec", "status: active\nlinks: [{to: REQ-BOT, relation: verifies}]\n"
    ),
}
READING = (
    "status",
    "next",
    "doctor",
    "metrics",
    "sprint list",
    "sprint show bot",
    "sprint report bot",
    "stage show",
    "stage list",
    "feedback list --all",
    "evidence list",
    "evidence stale",
    "context show --agent coder --explain",
    "context diff --agent coder --agent tester",
    "task list --all",
    "task show",
    "memory list --all --explain",
    "memory list --all --as-of 2026-01-06",
    "memory show open --explain",
    "memory show open --as-of 2026-01-06",
    "memory search bot --all --explain",
    "memory search sign-in --scope project",
    "memory inbox",
    "memory stats",
    "memory export --all",
    "memory maintain --dry-run",
    "memory restore gone --dry-run",
    "check",
    "check memory",
    "check trace",
    "check gate",
    "trace list",
    "trace show REQ-BOT",
    "trace matrix",
    "trace matrix --tests",
    "trace why REQ-BOT",
    "trace impact REQ-BOT",
    "trace coverage",
    "trace export --format json",
    "trace export --format csv",
    "trace matrix --format csv",
    "trace matrix --format html",
    "check memory --format sarif",
    "check trace --format junit",
    "config show",
    "workflow show",
)
"""Every command that shows what files say; what it writes are caches."""
DATA = ("--format", "trace export", "memory export")
"""What is written for other programs: in whatever form it is, it is no JSON of a command, and goes to no terminal."""
WRITING = (
    "memory maintain",
    "memory restore gone",
    "memory reject newer --reason no",
    "memory forget open --yes",
    "memory edit open --importance 0.4",
    "memory link open depends_on over",
    "trace retire TEST-BOT --reason gone",
    "trace link REQ-BOT NEED-BOT --relation derives",
    "sprint close --unfinished enough",
)
"""Commands that change what holds a secret and say what they did."""


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in git in which a sprint, a comment, an open task and items of all kinds hold secrets."""
    root = tmp_path_factory.mktemp("planted") / "project"
    root.mkdir()
    _done(root, "init")
    _done(root, "sprint", "start", "Bot", "--goal", "Sign-in")
    _plant_in_ledger(root, {"title": f"Bot {TOKEN} {STEERS[0]}", "goals": [WORDS, f"password: {PASSWORD}"]})
    _done(root, "feedback", "add", "Sign-in")
    _plant_in_ledger(root, {"text": WORDS})
    _done(root, "task", "start", "Sign-in")
    _done(root, "task", "note", "Sign-in")
    write_memory(root, {**FILES, "sprint/bot/goals.md": f"# Bot\n\n- {WORDS}\n\n{BODY}"})
    for path in (root / ".memory/local/tasks").rglob("*.md"):
        path.write_text(f"{path.read_text(encoding='utf-8')}\n{BODY}", encoding="utf-8")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    return person(root, "You")


def _done(root: Path, *words: str) -> None:
    done = vfcc(root, *words)
    assert done.code == 0, done


def _plant_in_ledger(root: Path, said: Mapping[str, Json]) -> None:
    """Write the last event of the ledger anew, as an editor that knows the form would."""
    path = max((root / ".memory/sprint/bot/events").glob("*.json"))
    old = parse_event(path.read_bytes(), path.stem)
    event = make_event(
        old.type, {**old.payload, **said}, parents=old.parents, actor=old.actor, at=datetime.fromisoformat(old.time)
    )
    path.unlink()
    path.with_name(f"{event.id}.json").write_bytes(encode_event(event))


def shown(ran: Ran) -> list[str]:
    """Return which secrets a command printed, whole, in part or over two lines, and which letters that steer."""
    assert "Traceback" not in ran.err, ran
    text = re.sub(r"\s+", "", ran.out + ran.err)
    parts = {
        "token": [TOKEN[at : at + 12] for at in range(len(TOKEN) - 11)],
        "password": [PASSWORD],
        "key": [line[:24] for line in BLOCK.splitlines()[1:-1]],
    }
    return [name for name, each in parts.items() if any(part in text for part in each)]


def steering(ran: Ran) -> list[str]:
    return [f"{ord(letter):X}" for letter in STEERS if not letter.isprintable() and letter in ran.out + ran.err]


@pytest.mark.points(2)
@pytest.mark.parametrize("line", READING)
def test_no_reading_command_prints_a_secret_or_what_steers_a_terminal(planted: Path, line: str) -> None:
    if any(each in line for each in DATA):
        asked = [permitted(planted, *line.split())]
    else:
        asked = [on_terminal(planted, *line.split(), columns=40), vfcc(planted, *line.split(), "--json")]
        assert not [each for ran in asked for each in steering(ran)], asked

    for ran in asked:
        assert ran.code in (0, 1, 2, 3, 4), ran
        assert ran.out or ran.err
        assert not shown(ran), ran


@pytest.mark.sweep
@pytest.mark.parametrize("line", WRITING)
def test_a_command_that_changes_what_holds_a_secret_tells_of_it_without_it(
    planted: Path, tmp_path: Path, line: str
) -> None:
    for more in ((), ("--json",)):
        root = shutil.copytree(planted, tmp_path / "-".join(("copy", *more)))
        ran = typed(root, *line.split(), *more)
        assert ran.code in (0, 1, 2), ran
        assert not shown(ran), ran
        assert not steering(ran), ran
