"""Nothing that vfcc does by itself needs the network: a process that may not reach it says the same."""

import sys
from pathlib import Path

import pytest

from tests.cli.process import vfcc

pytestmark = pytest.mark.vfcc("REQ-OFFLINE")

NO_NETWORK = """
import sys
def refuse(event, values):
    if event.startswith("socket."):
        raise RuntimeError(f"the network was asked for: {event}")
sys.addaudithook(refuse)
from verifflowcc.fast import main
sys.argv = ["vfcc", *sys.argv[1:]]
main()
"""
WORDS = [
    ("context", "show", "--agent", "coder", "--task", "Write the calendar export"),
    ("status",),
    ("check",),
    ("config", "show"),
    ("doctor",),
]


@pytest.mark.sweep
@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_a_command_says_the_same_where_no_network_may_be_asked(example: Path, words: tuple[str, ...]) -> None:
    apart = vfcc(example, *words, program=(sys.executable, "-c", NO_NETWORK))
    free = vfcc(example, *words)

    assert (apart.code, apart.out) == (free.code, free.out)
    assert "network" not in apart.err


@pytest.mark.sweep
def test_a_text_that_is_counted_for_the_first_time_is_counted_without_a_network(example: Path) -> None:
    many = "\n\n".join(f"## Part {number}\n\nWord {number} of a long record of tides." for number in range(20_000))
    (example / ".memory" / "project" / "decisions" / "0099-long.md").write_text(f"# 99. Long\n\n{many}\n")
    ran = vfcc(example, "context", "show", "--agent", "coder", program=(sys.executable, "-c", NO_NETWORK))

    assert ran.code == 0, ran


def test_the_process_would_be_stopped_if_it_asked(example: Path) -> None:
    asks = NO_NETWORK.replace("sys.argv =", "import socket; socket.create_connection(('127.0.0.1', 9))\nsys.argv =")
    ran = vfcc(example, "status", program=(sys.executable, "-c", asks))

    assert ran.code != 0
    assert "the network was asked for" in ran.err
