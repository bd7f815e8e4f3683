"""What waits for a person: seen, promoted with what it changes, or rejected; and no secret on the way."""

from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.cli.memory.test_memory import added, me
from tests.cli.process import vfcc
from tests.secret_samples import TOKEN
from tests.trees import write_memory

CODER = {"VFCC_AGENT": "coder"}
HIDDEN = "---\nid: hidden\ntype: fact\ntitle: Hidden\nstatus: pending\n---\nPay \u202eesu\u202c \x1b[2Jnow, with {}.\n"


def proposed(root: Path, text: str, *more: str) -> str:
    """Add an item as an agent; return its id."""
    return added(vfcc(root, "memory", "add", "fact", text, *more, env=CODER))


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-PENDING")
def test_what_waits_is_shown_with_who_and_why_and_promoted_with_what_it_changes(young: Path) -> None:
    old = added(me(young, "add fact --key client", "Client is Acme"))
    new = proposed(young, "Client is Beta", "--key", "client")
    other = proposed(young, "The office is in Bonn")

    told = vfcc(young, "memory", "inbox")
    shown = vfcc(young, "memory", "inbox", "--json", "--full").data
    done = me(young, f"promote {new} {other} --json --full")

    assert told.code == 0
    for words in (
        f"{new}: Client is Beta",
        "proposed by agent:coder",
        f"in the place of {old}: Client is Acme",
        f"{other}: The office is in Bonn",
        "2 items wait: vfcc memory promote ID, or vfcc memory reject ID",
    ):
        assert words in told.out
    waiting = {each["item"]["id"]: each for each in shown["waiting"]}
    assert waiting[new]["proposed_by"] == "agent:coder"
    assert waiting[new]["replaces"] == [{"id": old, "relation": "supersedes", "title": "Client is Acme"}]
    first, second = done.data
    assert first["change"]["against"] == old
    assert {"-title: Client is Acme", "+title: Client is Beta", "-trust: human", "+trust: agent"} <= {
        *first["change"]["lines"]
    }
    assert second["change"]["against"] is None
    assert all(line.startswith("+") for line in second["change"]["lines"])
    assert f"{new}, for project, in the place of {old}:" in done.err
    assert "  -title: Client is Acme\n" in done.err
    assert vfcc(young, "memory", "inbox").out == "nothing waits for a person\n"


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-PENDING")
def test_an_agent_rejects_its_own_alone_and_what_is_rejected_is_kept(young: Path) -> None:
    mine, theirs = proposed(young, "Mine"), proposed(young, "Theirs")

    vfcc(young, "memory", "reject", theirs, env={"VFCC_AGENT": "tester"}).refused(3, "needs a person at a terminal")
    vfcc(young, "memory", "reject", theirs).refused(3, "needs a person at a terminal")
    assert vfcc(young, "memory", "reject", mine, "--reason", "it was wrong", env=CODER).code == 0
    (done,) = me(young, f"reject {theirs} --json --full").data

    assert (done["item"]["status"], done["item"]["tags"]) == ("archived", ["rejected"])
    details = dict(vfcc(young, "memory", "show", mine, "--json", "--full").data["item"]["details"])
    assert (details["rejected_by"], details["rejected_why"]) == ("agent:coder", "it was wrong")
    me(young, f"reject {mine}").refused(2, "is archived; only what is pending is rejected")
    assert vfcc(young, "memory", "inbox").out == "nothing waits for a person\n"


@pytest.mark.vfcc("REQ-SECRETS")
def test_a_secret_is_refused_with_its_kind_and_place_and_is_never_printed(young: Path) -> None:
    ran = vfcc(young, "memory", "add", "fact", f"The bot signs in with {TOKEN}")

    ran.refused(2, "the text holds what looks like a secret, a GitHub token, at 1:23; nothing was written", "hint: ")
    assert TOKEN not in ran.err


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-SECRETS")
def test_what_is_there_is_shown_without_secrets_and_without_what_steers_a_terminal(young: Path) -> None:
    write_memory(young, {"project/items/fact/hidden.md": HIDDEN.format(TOKEN)})
    lines = (
        "memory inbox",
        "memory inbox --json",
        "memory list --all",
        "memory show hidden",
        "memory show hidden --json",
        "memory export",
        "check memory",
        "context show --agent coder --all --json",
    )

    for line in lines:
        ran = vfcc(young, *line.split())
        text = ran.out + ran.err
        assert TOKEN not in text, line
        assert not {"\u202e", "\u202c", "\x1b"} & set(text), line
    assert (
        "Pay <U+202E>esu<U+202C> <U+001B>[2Jnow, with [secret withheld: GitHub token]."
        in vfcc(young, "memory", "show", "hidden").out
    )
    typed(young, "memory", "promote", "hidden").refused(2, "hidden holds what looks like a secret, a GitHub token")
