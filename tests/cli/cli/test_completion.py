"""Shell completion, asked as the shells ask."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.process import environment, vfcc
from verifflowcc.cli.cli.app import BELOW, SECTIONS


@pytest.mark.parametrize(
    ("shell", "sign"),
    [("bash", "complete -o default -F"), ("zsh", "#compdef vfcc"), ("fish", "complete --command vfcc")],
)
def test_each_shell_gets_its_script(tmp_path: Path, shell: str, sign: str) -> None:
    script = vfcc(tmp_path, env={"_VFCC_COMPLETE": f"source_{shell}"})

    assert (script.code, script.err) == (0, "")
    assert sign in script.out


@pytest.mark.points(3)
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("vfcc ", {name for names in SECTIONS.values() for name in names}),
        ("vfcc st", {"status", "stage"}),
        ("vfcc sprint ", set(BELOW["sprint"])),
        ("vfcc check ", set(BELOW["check"])),
        ("vfcc trace why --", {"--junit", "--json", "--full", "--help"}),
        ("vfcc context show --bu", {"--budget"}),
        ("vfcc stage reopen --", {"--reason", "--sprint", "--commit", "--json", "--full", "--help"}),
    ],
)
def test_commands_and_options_are_completed(tmp_path: Path, line: str, expected: set[str]) -> None:
    words = line.split(" ")
    asked = {"_VFCC_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}

    told = vfcc(tmp_path, env=asked)

    assert (told.code, told.err) == (0, "")
    assert set(told.out.split()) == expected


def test_completion_asks_the_status_command_too(example: Path) -> None:
    assert vfcc(example, "status").code == 0
    asked = {"_VFCC_COMPLETE": "complete_bash", "COMP_WORDS": "vfcc status --", "COMP_CWORD": "2"}

    told = vfcc(example, "status", env=asked)

    assert set(told.out.split()) == {"--watch", "--line", "--json", "--full", "--help"}


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_with_the_script_that_it_is_given(tmp_path: Path) -> None:
    line = (
        'eval "$(vfcc --show-completion)"; COMP_WORDS=(vfcc sprint st); COMP_CWORD=2; _vfcc_completion vfcc;'
        ' echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", line], cwd=tmp_path, env=environment(tmp_path), capture_output=True, check=False
    )

    assert (done.stdout, done.stderr) == (b"start\n", b"")
