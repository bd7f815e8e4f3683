"""The command that obviously runs a project's tests, for `vfcc init` to write down and a person to look at."""

import json
from pathlib import Path

from verifflowcc.records import dataclass

_MOST_BYTES = 1 << 20
_EXAMPLE = "# gates:\n"
"""The first line of the example at the end of the shipped `config.yaml`."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Lines of YAML for `gates.commands`; `certain` ones are a command, the others a comment on how to come by one."""

    lines: tuple[str, ...]
    certain: bool


def obvious_test_command(root: Path) -> Suggestion | None:
    """Return what the project's files say about its tests; None where they say nothing clear."""
    for look in (_python, _node, _go, _rust):
        found = look(root)
        if found:
            return found
    return None


def with_suggestion(text: str, suggestion: Suggestion) -> str:
    """Return the text of the shipped `config.yaml` with the suggestion in the place of its example of a command."""
    head = text[: text.index(_EXAMPLE)]
    lines = ("gates:", "  commands:", *(f"    {line}" for line in suggestion.lines))
    if suggestion.certain:
        return head.removesuffix("#\n") + "".join(f"{line}\n" for line in lines)
    return head + "".join(f"# {line}\n" for line in lines)


def _python(root: Path) -> Suggestion | None:
    named = any("pytest" in _text(root / name) for name in ("pyproject.toml", "setup.cfg", "pytest.ini", "tox.ini"))
    if not (named or (root / "pytest.ini").is_file() or _any_test(root)):
        return None
    return _command('run: [python, -m, pytest, "--junitxml={junit}"]')


def _any_test(root: Path) -> bool:
    return any(path.is_file() for path in (root / "tests").glob("test_*.py"))


def _node(root: Path) -> Suggestion | None:
    packages = _packages(root / "package.json")
    if "vitest" in packages:
        return _command('run: [npx, vitest, run, "--reporter=junit", "--outputFile={junit}"]')
    if "jest-junit" in packages:
        return _command("run: [npx, jest, --ci, --reporters=default, --reporters=jest-junit]", "junit: junit.xml")
    return None


def _go(root: Path) -> Suggestion | None:
    if not (root / "go.mod").is_file():
        return None
    return _hint(
        "go test writes no JUnit report; with gotestsum installed:", '[gotestsum, "--junitfile={junit}", ./...]'
    )


def _rust(root: Path) -> Suggestion | None:
    if not ((root / "Cargo.toml").is_file() and (root / ".config" / "nextest.toml").is_file()):
        return None
    return _hint(
        "with a profile in .config/nextest.toml that writes JUnit:",
        "[cargo, nextest, run, --profile, ci]",
        "junit: target/nextest/ci/junit.xml",
    )


def _command(run: str, report: str | None = None) -> Suggestion:
    more = (f"  reports: {{{report}}}",) if report else ()
    return Suggestion(("test:", f"  {run}", *more), certain=True)


def _hint(why: str, run: str, report: str | None = None) -> Suggestion:
    more = (f"  reports: {{{report}}}",) if report else ()
    return Suggestion((f"# {why}", "test:", f"  run: {run}", *more), certain=False)


def _packages(path: Path) -> frozenset[str]:
    try:
        document = json.loads(_text(path) or "{}")
    except (ValueError, RecursionError):
        return frozenset()
    sections = [document.get(key) for key in ("dependencies", "devDependencies")] if isinstance(document, dict) else []
    return frozenset(str(name) for section in sections if isinstance(section, dict) for name in section)


def _text(path: Path) -> str:
    """What a small, ordinary file holds; nothing where it is no such file, for a suggestion may always be left out."""
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
