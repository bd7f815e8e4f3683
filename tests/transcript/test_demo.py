"""`make demo`, run for real, and the recording of it that the README shows."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.process import environment
from tests.recorded import SVG, seconds, texts

ROOT = Path(__file__).resolve().parents[2]
RECORDING = ROOT / "docs" / "demo.svg"
STORY = (
    "2 passed",
    "with your change removed, all 2 tests still pass",
    "cannot leave testing",
    "red without the change, green with it: 2 of 2 tests",
    "testing → validation",
    "Done. Decision: amounts stay whole cents",
    "in validation, 4 of 5 stages passed",
)
"""What the demo has to show, in this order."""


def demo(script: Path, svg: Path, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the demo with a temporary folder and an environment of its own."""
    (folder / "tmp").mkdir()
    return subprocess.run(
        [sys.executable, str(script), "--svg", str(svg)],
        cwd=folder,
        env=environment(folder, TMPDIR=str(folder / "tmp"), **variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def words(text: str) -> list[str]:
    """The words of a text; times and ids, which differ from run to run, are all the same."""
    return re.sub(r"\b\d+\.\d+ ?s\b", "TIME", re.sub(r"\b[0-9A-HJKMNP-TV-Z]{26}\b", "ID", text)).split()


def test_the_recording_shows_what_the_demo_prints_now(tmp_path: Path) -> None:
    done = demo(ROOT / "docs" / "demo.py", tmp_path / "new.svg", tmp_path)

    assert done.returncode == 0, done
    assert re.search(".*".join(map(re.escape, STORY)), " ".join(done.stdout.split())), done.stdout
    assert words(texts((tmp_path / "new.svg").read_text("utf-8"))) == words(done.stdout)
    assert words(texts(RECORDING.read_text("utf-8"))) == words(done.stdout), "run: make recording"
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"tests/test_price.py", WEAK', '"tests/test_price.py", STRONG', "expected in the output of git diff"),
        pytest.param(
            *('"price.py", FIX', '"price.py", BUG', "expected exit code 1: vfcc evidence run"), marks=pytest.mark.sweep
        ),
    ],
    ids=["tests that can fail", "no fix"],
)
def test_a_demo_with_another_story_fails(tmp_path: Path, old: str, new: str, message: str) -> None:
    for name in ("demo.py", "recording.py"):
        shutil.copy(ROOT / "docs" / name, tmp_path)
    script = tmp_path / "demo.py"
    text = script.read_text("utf-8")
    assert text.count(old) >= 1
    script.write_text(text.replace(old, new), "utf-8")

    done = demo(script, tmp_path / "new.svg", tmp_path)

    assert done.returncode == 1, done
    assert f"demo: {message}" in done.stderr
    assert not (tmp_path / "new.svg").exists()


def test_inside_the_client_of_an_agent_the_demo_ends_with_one_sentence(tmp_path: Path) -> None:
    done = demo(ROOT / "docs" / "demo.py", tmp_path / "new.svg", tmp_path, CLAUDECODE="1")

    assert (done.returncode, done.stderr) == (2, "")
    assert done.stdout.splitlines() == [
        "demo: it plays a person's part, which an agent may not (CLAUDECODE is set): run it in a terminal of your own"
    ]


def test_the_readme_begins_with_the_recording_and_its_description() -> None:
    beginning = (ROOT / "README.md").read_text("utf-8").partition("\n## ")[0]

    shown = re.search(r"!\[([^]]+)\]\(docs/demo\.svg\)", beginning)

    assert shown
    assert "all 2 tests still pass" in " ".join(shown[1].split())


def test_the_recording_runs_in_a_page_that_allows_no_scripts_and_loads_nothing() -> None:
    svg = RECORDING.read_text("utf-8")

    assert {element.tag.removeprefix(SVG) for element in ElementTree.fromstring(svg).iter()} == {
        *("svg", "style", "rect", "circle", "text", "tspan"),
    }
    assert not re.search(r"href|url\(|@import|\bon[a-z]+=", svg.replace('xmlns="http://www.w3.org/2000/svg"', ""))
    assert "prefers-color-scheme: dark" in svg
    assert seconds(svg) <= 25
