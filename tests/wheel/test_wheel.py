"""The built wheel, installed alone in a clean environment, works without the checkout."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", str(wheel)]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
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
        "verifflowcc/adapters/tokens/data/o200k_base.vocab",
        "verifflowcc/py.typed",
    } <= names
    assert any(name.endswith("licenses/NOTICE") for name in names)
    assert not any(name.startswith(("tests/", "docs/", "benchmarks/")) for name in names)


def test_the_main_job_runs_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    assert vfcc(installed, tmp_path, "--version").stdout.startswith("vfcc ")
    assert vfcc(installed, tmp_path, "init", "--example").returncode == 0
    assert "sprint-02" in vfcc(installed, tmp_path, "status").stdout
    shown = vfcc(installed, tmp_path, "context", "show", "--agent", "coder")
    assert shown.returncode == 0, shown.stderr
    assert "## Project Context" in shown.stdout
    assert vfcc(installed, tmp_path, "config", "check").returncode == 0


def test_a_first_sprint_starts_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    assert vfcc(installed, tmp_path, "init", "--workflow", "standard").returncode == 0
    started = vfcc(installed, tmp_path, "sprint", "start", "Login", "--goal", "Users can sign in")
    assert started.returncode == 0, started.stderr
    assert vfcc(installed, tmp_path, "stage", "advance").returncode == 4
    assert vfcc(installed, tmp_path, "context", "show", "--agent", "planner").returncode == 0
