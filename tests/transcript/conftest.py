"""The package of the walk-through, fetched from the package index: nothing of it is kept here."""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.transcript.replay import prepare, replay

NAME = "inflection-0.5.1"
PINNED = "inflection==0.5.1 --hash=sha256:1a29730d366e996aaacffb2f1f1cb9593dc38e2ddd30c91250c6dde09ea9b417\n"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "tutorials" / "first-sprint.md"


@pytest.fixture(scope="session")
def inflection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked source distribution; where it cannot be fetched, what needs it is skipped and says so."""
    folder = tmp_path_factory.mktemp("index")
    (folder / "pinned.txt").write_text(PINNED, encoding="utf-8")
    fetch = ("download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", ".")
    done = subprocess.run(
        [sys.executable, "-m", "pip", *fetch, "--requirement", "pinned.txt"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["pip gave no reason"]
        pytest.skip(f"{NAME} could not be fetched from the package index: {said[0]}")
    with tarfile.open(folder / f"{NAME}.tar.gz") as archive:
        if hasattr(tarfile, "data_filter"):  # not in the first releases of Python 3.11
            archive.extraction_filter = tarfile.data_filter
        archive.extractall(folder)
    return folder / NAME


@pytest.fixture(scope="session")
def walked(tmp_path_factory: pytest.TempPathFactory, inflection: Path) -> tuple[Path, list[str]]:
    """The folder in which the walk-through was replayed, and what did not come out as the page promises."""

    def begin(folder: Path, start: str) -> None:
        if start == "inflection":
            shutil.copytree(inflection, folder, dirs_exist_ok=True)
        else:
            prepare(folder, start)

    folder = tmp_path_factory.mktemp("walk")
    wrong = replay(PAGE.read_text(encoding="utf-8"), folder, begin)
    return folder / "session-0", wrong
