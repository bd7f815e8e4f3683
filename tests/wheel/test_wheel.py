"""The built wheel, installed alone in a clean environment, works without the checkout.

It is built from the source archive, as `make dist` and the release do.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from verifflowcc import __version__

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    # `make dist` builds in environments of their own; making those would take longer than all tests here.
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (found,) = dist.glob("*.whl")
    return found


INSTALLERS = {
    "pipx": (("install",), {"PIPX_HOME": "home", "PIPX_BIN_DIR": "bin", "PIPX_MAN_DIR": "man"}),
    "uv": (("tool", "install"), {"UV_TOOL_DIR": "home", "UV_TOOL_BIN_DIR": "bin"}),
}
"""How each installs a command with one line, and the variables that keep it within a folder."""


def program(installer: str) -> str | None:
    return shutil.which(installer, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


def install(installer: str, wheel: Path, folder: Path) -> Path:
    """Install the wheel below `folder` with one line, and return the command."""
    arguments, settings = INSTALLERS[installer]
    places = {name: str(folder / below) for name, below in settings.items()}
    line = [str(program(installer)), *arguments, "--python", sys.executable, str(wheel)]
    done = subprocess.run(line, env=os.environ | places, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "bin" / "vfcc"


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("environment")
    if program("uv"):  # a tenth of pip's time
        return install("uv", wheel, folder)
    venv.create(folder, with_pip=True)
    line = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", str(wheel)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "bin" / "vfcc"


def vfcc(command: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    return subprocess.run(
        [command, *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_carries_templates_example_and_vocabularies(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "verifflowcc/_shipped/templates/config.yaml",
        "verifflowcc/_shipped/templates/prompts/coder.md.j2",
        "verifflowcc/_shipped/templates/workflows/light.yaml",
        "verifflowcc/_shipped/templates/postgres.sql",
        "verifflowcc/_shipped/memory.example/CLAUDE.md",
        "verifflowcc/base/tokens/data/o200k_base.vocab",
        "verifflowcc/py.typed",
    } <= names
    assert any(name.endswith("licenses/NOTICE") for name in names)
    assert not any(name.startswith(("tests/", "docs/", "benchmarks/")) for name in names)


def test_an_index_accepts_both_archives_of_the_one_version(dist: Path) -> None:
    check = [sys.executable, "-m", "twine", "check", "--strict", *map(str, sorted(dist.iterdir()))]
    done = subprocess.run(check, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(each.name for each in dist.iterdir()) == [
        f"verifflowcc-{__version__}-py3-none-any.whl",
        f"verifflowcc-{__version__}.tar.gz",
    ]
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "CHANGELOG.md", "LICENSE", "NOTICE", "Makefile", "zensical.toml", "docs/index.md"} <= names


@pytest.mark.parametrize("installer", sorted(INSTALLERS))
def test_one_line_installs_the_command(installer: str, wheel: Path, tmp_path: Path) -> None:
    if program(installer) is None:
        pytest.skip(f"{installer} is not installed")

    command = install(installer, wheel, tmp_path)

    assert vfcc(command, tmp_path, "--version").stdout == f"vfcc {__version__}\n"
    (project := tmp_path / "project").mkdir()
    assert vfcc(command, project, "init").returncode == 0


def test_the_main_job_runs_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    assert vfcc(installed, tmp_path, "init", "--worked-example").returncode == 0
    assert "sprint-02" in vfcc(installed, tmp_path, "status").stdout
    shown = vfcc(installed, tmp_path, "context", "show", "--agent", "coder")
    assert shown.returncode == 0, shown.stderr
    assert "## Project Context" in shown.stdout
    assert vfcc(installed, tmp_path, "check", "config").returncode == 0
    proven = tmp_path / "proven"
    proven.mkdir()
    assert vfcc(installed, proven, "init", "--example").returncode == 0
    assert "nothing red in 3 items" in vfcc(installed, proven, "check", "trace").stdout


def test_a_first_sprint_starts_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    assert vfcc(installed, tmp_path, "init", "--workflow", "standard").returncode == 0
    started = vfcc(installed, tmp_path, "sprint", "start", "Login", "--goal", "Users can sign in")
    assert started.returncode == 0, started.stderr
    assert vfcc(installed, tmp_path, "stage", "advance").returncode == 4
    assert vfcc(installed, tmp_path, "context", "show", "--agent", "planner").returncode == 0
