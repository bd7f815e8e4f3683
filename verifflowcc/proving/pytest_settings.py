"""What a project's settings say to pytest of where its tests are, read as pytest chooses the file."""

import configparser
import tomllib
from collections.abc import Mapping

from verifflowcc.records import dataclass

FILES = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
"""The files that may hold them; the first that does counts."""

_USUAL = ("test_*.py", "*_test.py")


@dataclass(frozen=True, slots=True)
class PytestSettings:
    """`files` are patterns of test files (`python_files`), `folders` the folders named by `testpaths`.

    `closed` are patterns of folders that pytest does not look into (`norecursedirs`).
    """

    files: tuple[str, ...] = _USUAL
    folders: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()


def pytest_settings(texts: Mapping[str, str]) -> PytestSettings:
    """Return the settings in these files, by name; the usual ones where none can be read.

    A folder counts as one of tests only where its name says so: `testpaths = ["src"]` is for tests beside the product.
    """
    for name in FILES:
        found = _section(name, texts.get(name, ""))
        if found is not None:
            files = _words(found.get("python_files")) or _USUAL
            folders = (each.strip("/").removeprefix("./") for each in _words(found.get("testpaths")))
            named = tuple(each for each in folders if "test" in each.lower())
            return PytestSettings(files, named, _words(found.get("norecursedirs")))
    return PytestSettings()


def _section(name: str, text: str) -> Mapping[str, object] | None:
    try:
        if name.endswith(".toml"):
            table = tomllib.loads(text)
            if "pyproject" in name:
                tool = table.get("tool", {}).get("pytest", {})
                table = {"pytest": tool.get("ini_options") or ({} if "ini_options" in tool else tool)}
            return table.get("pytest") or None
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        parser.read_string(text)
    except (tomllib.TOMLDecodeError, configparser.Error, AttributeError, UnicodeError):
        return None
    section = "tool:pytest" if name == "setup.cfg" else "pytest"
    return dict(parser[section]) if parser.has_section(section) else None


def _words(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(each) for each in value)
    return tuple(str(value).split()) if value else ()
