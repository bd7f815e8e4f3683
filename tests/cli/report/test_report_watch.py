"""`vfcc report --watch` writes the site again when a file changes, and `--open` opens it in the person's browser."""

import signal
import subprocess
from pathlib import Path

from tests.cli.process import PATIENCE_S, VFCC, environment, git, vfcc
from tests.trees import write_memory, write_tree

GOALS = ".memory/project/decisions/0090-watched.md"


def stamp_of(site: Path) -> str:
    return (site / "stamp.js").read_text(encoding="utf-8")


def test_a_change_writes_the_site_again_and_its_own_files_do_not(example: Path) -> None:
    git(example, "init", "--quiet")
    git(example, "add", "--all")
    git(example, "commit", "--quiet", "--message=Begin")
    watching = subprocess.Popen(
        [str(VFCC), "report", "--watch", "--html", "site"],
        cwd=example,
        env=environment(example.parent),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert watching.stdout
        assert watching.stdout.readline() == "site/index.html\n"
        first = stamp_of(example / "site")
        page = (example / "site/index.html").read_text(encoding="utf-8")
        assert f'data-stamp="{first.split(chr(34))[1]}"' in page
        assert "'strict-dynamic'" in page

        write_memory(example, {"project/decisions/0090-watched.md": "# Watched while it was written\n"})
        assert watching.stdout.readline() == "site/index.html\n"
        second = stamp_of(example / "site")
        assert second != first
        assert "Watched while it was written" in (example / "site/memory.html").read_text(encoding="utf-8")
    finally:
        watching.send_signal(signal.SIGINT)
        out, err = watching.communicate(timeout=PATIENCE_S)
    assert (watching.returncode, out, err) == (0, "", "")


def test_a_plain_report_takes_the_stamp_away(example: Path) -> None:
    write_tree(example, {"site/stamp.js": "old"})

    assert vfcc(example, "report", "--local", "--html", "site").code == 0

    assert not (example / "site/stamp.js").exists()
    assert "strict-dynamic" not in (example / "site/index.html").read_text(encoding="utf-8")


def test_watching_gives_no_document_and_no_summary(example: Path) -> None:
    vfcc(example, "report", "--watch", "--json").refused(2, "--watch writes a site until Ctrl-C")
    vfcc(example, "report", "--watch", "--summary").refused(2, "--watch writes a site until Ctrl-C")


def test_open_gives_the_page_to_the_browser_of_the_person(example: Path) -> None:
    browser = example.parent / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {example.parent}/opened\n')
    browser.chmod(0o755)

    done = vfcc(example, "report", "--local", "--open", env={"BROWSER": f"{browser} %s"})

    assert done.code == 0
    opened = (example.parent / "opened").read_text(encoding="utf-8").strip()
    assert opened == (example / ".memory/local/report/index.html").as_uri()
