"""A release has one version, in one place, and a changelog that its page can quote."""

import re
import shutil
import subprocess
import tomllib
from datetime import date
from pathlib import Path

import pytest

from verifflowcc import __version__

ROOT = Path(__file__).parents[2]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
"""The headings of Keep a Changelog, in its order."""


def test_the_version_is_written_in_one_place() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    assert "version" not in settings["project"]
    assert settings["tool"]["hatch"]["version"] == {"path": "verifflowcc/__init__.py"}
    in_readme = re.findall(r"\bVersion (\d+\.\d+\.\d+)\b", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert set(in_readme) <= {__version__}


def test_the_changelog_lists_releases_by_day_and_changes_by_kind() -> None:
    first, *releases = re.findall(r"(?m)^## (.+)$", CHANGELOG)
    assert first == "Unreleased"

    named = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+) - (\d{4}-\d\d-\d\d)", each) for each in releases]
    found = [(tuple(map(int, each.groups()[:3])), date.fromisoformat(each[4])) for each in named if each]
    assert len(found) == len(releases)
    assert found == sorted(found, reverse=True)
    assert ".".join(map(str, found[0][0])) == __version__
    for section in re.split(r"(?m)^## ", CHANGELOG)[1:]:
        kinds = re.findall(r"(?m)^### (.+)$", section)
        assert kinds == [kind for kind in KINDS if kind in kinds], section.partition("\n")[0]


@pytest.mark.parametrize(
    ("version", "changelog", "expected"),
    [
        (
            "1.2.0",
            "## Unreleased\n\n## 1.2.0 - 2026-12-01\n\n### Added\n\n- A\n\n## 1.1.0 - 2026-11-01\n\n- B\n",
            "- A",
        ),
        ("1.2.0", "## Unreleased\n\n- C\n\n## 1.2.0 - 2026-12-01\n\n- A\n", "still lists unreleased changes"),
        ("1.2.0", "## Unreleased\n\n- A\n", 'no heading "## 1.2.0 - YYYY-MM-DD"'),
        ("1.3.0", "## 1.3.0 - 2026-12-01\n\n- A\n", "the package is version 1.2.0, not 1.3.0"),
    ],
)
def test_release_notes_need_a_finished_changelog(version: str, changelog: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "notes", tmp_path / ".ci")
    (tmp_path / "verifflowcc").mkdir()
    (tmp_path / "verifflowcc" / "__init__.py").write_text('__version__ = "1.2.0"\n', encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text(changelog, encoding="utf-8")

    ran = subprocess.run([tmp_path / ".ci" / "notes", version], capture_output=True, text=True, check=False)

    assert expected in (ran.stderr or ran.stdout)
    assert ran.returncode == (0 if expected == "- A" else 1)
    assert "- B" not in ran.stdout
