"""A small project for a client to work in, and the clients themselves."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.clients.installed import CLAUDE, CODEX, COPILOT, GEMINI, OPENCODE, needed


@dataclass(frozen=True, slots=True)
class Desk:
    """Where a client works: a project's folder, a home of its own, and a place for what a hook keeps."""

    folder: Path
    home: Path
    log: Path


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A project with one file, `a.txt`, of three lines."""
    made = Desk(tmp_path / "project", tmp_path / "home", tmp_path / "log")
    made.folder.mkdir()
    made.home.mkdir()
    (made.folder / "a.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    return made


@pytest.fixture(scope="session")
def claude() -> Path:
    """Claude Code's program."""
    return needed(CLAUDE)


@pytest.fixture(scope="session")
def codex() -> Path:
    """Codex's program."""
    return needed(CODEX)


@pytest.fixture(scope="session")
def copilot() -> Path:
    """Copilot CLI's program."""
    return needed(COPILOT)


@pytest.fixture(scope="session")
def opencode() -> Path:
    """OpenCode's program."""
    return needed(OPENCODE)


@pytest.fixture(scope="session")
def gemini() -> Path:
    """Gemini CLI's program."""
    return needed(GEMINI)
