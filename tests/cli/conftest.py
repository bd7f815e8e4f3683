"""Projects to run commands in."""

import shutil
from pathlib import Path

import pytest

from tests.cli import code_world
from tests.cli.process import vfcc


def _made(folder: Path, *options: str) -> Path:
    folder.mkdir()
    assert vfcc(folder, "init", *options).code == 0
    return folder


@pytest.fixture(scope="session")
def _example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _made(tmp_path_factory.mktemp("made") / "example", "--worked-example")


@pytest.fixture(scope="session")
def _young(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _made(tmp_path_factory.mktemp("made") / "young")


@pytest.fixture(scope="session")
def prompt(tmp_path_factory: pytest.TempPathFactory, _example: Path) -> str:
    """The coder's prompt in the worked example as it stands."""
    copy = shutil.copytree(_example, tmp_path_factory.mktemp("prompt") / "example")
    return vfcc(copy, "context", "show", "--agent", "coder").out


@pytest.fixture
def example(tmp_path: Path, _example: Path) -> Path:
    """A project with the worked example: `sprint-02` is in `coding`, which owes `changes.*`."""
    return shutil.copytree(_example, tmp_path / "example")


@pytest.fixture
def young(tmp_path: Path, _young: Path) -> Path:
    """A project after `vfcc init`, with no sprint."""
    return shutil.copytree(_young, tmp_path / "young")


@pytest.fixture(scope="session")
def coded(tmp_path_factory: pytest.TempPathFactory, _young: Path) -> Path:
    """A project with code in several languages, in git. No test changes its files."""
    return code_world.made(shutil.copytree(_young, tmp_path_factory.mktemp("coded") / "shore"))


@pytest.fixture
def code(tmp_path: Path, coded: Path) -> Path:
    """The same, for a test that changes it."""
    return shutil.copytree(coded, tmp_path / "shore")
