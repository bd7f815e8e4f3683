"""The commands that obviously test and lint a project, for `vfcc init` to write down and a person to look at."""

import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from verifflowcc.base.files.text_files import packages_named, small_text
from verifflowcc.base.model.gate_values import REPORTS
from verifflowcc.base.model.sprint_state import Workflow
from verifflowcc.base.records import dataclass

_EXAMPLE = "# gates:\n"
"""The first line of the example at the end of the shipped `config.yaml`."""
_PYTHON_FILES = ("pyproject.toml", "setup.cfg", "pytest.ini", "tox.ini", "tox.toml", "noxfile.py")
_YAML_NAMES = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", ".", "..."})
_SARIF_OF_ESLINT = "@microsoft/eslint-formatter-sarif"
_PLACEHOLDER = re.compile(rf"\{{(?:{'|'.join(REPORTS)})\}}")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A command of `gates.commands`: words with placeholders, and reports whose path it chooses by itself.

    A `certain` one is written as a command, the others as a comment that begins with `why`.
    """

    name: str
    words: tuple[str, ...]
    reports: tuple[tuple[str, str], ...] = ()
    certain: bool = True
    why: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of YAML."""
        why = (f"# {self.why}",) if self.why else ()
        reports = ", ".join(f"{kind}: {path}" for kind, path in self.reports)
        more = (f"  reports: {{{reports}}}",) if reports else ()
        return (*why, f"{self.name}:", f"  run: [{', '.join(map(_yaml_word, self.words))}]", *more)


def obvious_commands(root: Path, workflow: Workflow) -> tuple[Suggestion, ...]:
    """Return what the project's files say about the commands that the workflow's criteria name.

    The test command measures coverage where a criterion asks for it and the project has the plugin.
    """
    criteria = [criterion for stage in workflow.stages for criterion in (*stage.enter, *stage.exit)]
    asked = {criterion.command for criterion in criteria}
    found = [_test_command(root, coverage=any(each.kind == "coverage" for each in criteria))]
    if "lint" in asked:
        found.append(_lint_command(root))
    return tuple(each for each in found if each)


def typed_command(text: str) -> Suggestion:
    """Return a test command that a person typed, with the option that makes its runner write a JUnit report.

    Braces stay as typed. Raises ValueError for a text that no shell could split.
    """
    words = [_literal(word) for word in shlex.split(text)]
    if not words:
        raise ValueError("no command")
    if not any("{junit}" in word for word in words):
        words = _with_junit(words)
    return Suggestion("test", tuple(words))


def with_suggestions(text: str, suggestions: Sequence[Suggestion]) -> str:
    """Return the text of the shipped `config.yaml` with the commands in the place of its example."""
    if not suggestions:
        return text
    head = text[: text.index(_EXAMPLE)]
    certain = any(each.certain for each in suggestions)
    lines = ["gates:", "  commands:"]
    for each in suggestions:
        mark = "# " if certain and not each.certain else ""
        lines += [f"    {mark}{line}" for line in each.lines]
    if certain:
        return head.removesuffix("#\n") + "".join(f"{line}\n" for line in lines)
    return head + "".join(f"# {line}\n" for line in lines)


def _test_command(root: Path, *, coverage: bool) -> Suggestion | None:
    for look in (_python, _node, _go, _rust):
        found = look(root, coverage)
        if found:
            return found
    return None


def _python(root: Path, coverage: bool) -> Suggestion | None:
    texts = [small_text(root / name) for name in _PYTHON_FILES]
    if not (any("pytest" in text for text in texts) or (root / "pytest.ini").is_file() or _any_test(root)):
        return None
    measured = coverage and any("pytest-cov" in text for text in texts)
    more = ("--cov", "--cov-branch", "--cov-report=xml:{coverage}") if measured else ()
    return Suggestion("test", ("python", "-m", "pytest", "--junitxml={junit}", *more))


def _any_test(root: Path) -> bool:
    return any(path.is_file() for path in (root / "tests").glob("test_*.py"))


def _node(root: Path, coverage: bool) -> Suggestion | None:
    packages = packages_named(root / "package.json")
    if "vitest" in packages:
        return Suggestion("test", ("npx", "vitest", "run", "--reporter=junit", "--outputFile={junit}"))
    if "jest-junit" in packages:
        words = ("npx", "jest", "--ci", "--reporters=default", "--reporters=jest-junit")
        return Suggestion("test", words, (("junit", "junit.xml"),))
    return None


def _go(root: Path, coverage: bool) -> Suggestion | None:
    if not (root / "go.mod").is_file():
        return None
    why = "go test writes no JUnit report; with gotestsum installed:"
    return Suggestion("test", ("gotestsum", "--junitfile={junit}", "./..."), certain=False, why=why)


def _rust(root: Path, coverage: bool) -> Suggestion | None:
    if not ((root / "Cargo.toml").is_file() and (root / ".config" / "nextest.toml").is_file()):
        return None
    why = "with a profile in .config/nextest.toml that writes JUnit:"
    words = ("cargo", "nextest", "run", "--profile", "ci")
    return Suggestion("test", words, (("junit", "target/nextest/ci/junit.xml"),), certain=False, why=why)


def _lint_command(root: Path) -> Suggestion | None:
    if "[tool.ruff" in small_text(root / "pyproject.toml") or (root / "ruff.toml").is_file():
        return Suggestion("lint", ("ruff", "check", "--output-format=sarif", "--output-file={sarif}", "."))
    if _SARIF_OF_ESLINT in packages_named(root / "package.json"):
        return Suggestion("lint", ("npx", "eslint", "-f", _SARIF_OF_ESLINT, "-o", "{sarif}", "."))
    if any((root / f".golangci.{end}").is_file() for end in ("yml", "yaml", "toml", "json")):
        words = ("golangci-lint", "run", "--output.sarif.path={sarif}")
        return Suggestion("lint", words, certain=False, why="with golangci-lint 2:")
    return None


def _literal(word: str) -> str:
    """Return a typed word with its braces doubled, but for placeholders."""
    parts = re.split(f"({_PLACEHOLDER.pattern})", word)
    return "".join(
        each if index % 2 else each.replace("{", "{{").replace("}", "}}") for index, each in enumerate(parts)
    )


def _with_junit(words: list[str]) -> list[str]:
    names = [Path(word).name for word in words]
    if "pytest" in names:
        return [*words, "--junitxml={junit}"]
    if "vitest" in names:
        return [*words, "--reporter=junit", "--outputFile={junit}"]
    if "gotestsum" in names:
        at = names.index("gotestsum") + 1
        return [*words[:at], "--junitfile={junit}", *words[at:]]
    return words


def _yaml_word(word: str) -> str:
    """Return a word as YAML reads it back in a list between brackets."""
    plain = re.fullmatch(r"(?:-{1,2})?[A-Za-z./][\w./=-]*", word) and word.lower() not in _YAML_NAMES
    return word if plain else json.dumps(word, ensure_ascii=not word.isprintable())
