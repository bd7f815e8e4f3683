"""Which part of a project a file is: its tests, what tests need, the product, or neither.

By the conventions of each language, by the settings of pytest, and by patterns that a person gives.
"""

from collections.abc import Collection
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.glob import matches
from verifflowcc.code.rules.comment_syntax import LANGUAGES, language_of
from verifflowcc.code.rules.symbols_braces import spans
from verifflowcc.gates.rules.hunks import lines_of
from verifflowcc.gates.rules.runner_settings import PytestSettings

# Tests inside a product file, as Rust has them in a module marked `#[cfg(test)]`.

_MARK = lazy_pattern(r"#\[cfg\((?:all\()?test\b")
_ITEM = lazy_pattern(r"(?:pub(?:\([^)]*\))? )?mod \w+ *\{")


def inline_lines(path: str, content: bytes | None) -> range:
    """Return the places of the lines that a test module of a Rust file has, from 0; an empty range for none.

    >>> inline_lines("a.rs", b"fn a() {}\\n#[cfg(test)]\\nmod tests {\\n}\\n")
    range(1, 4)
    """
    lines = lines_of(content) if path.endswith(".rs") else None
    for start, line in enumerate(lines or ()):
        if _MARK.match(line):
            begin = next((place for place in range(start, len(lines or ())) if _ITEM.match((lines or ())[place])), None)
            if begin is not None and all(each.startswith(("#", "//")) for each in (lines or ())[start:begin]):
                ends = (place for place in range(begin, len(lines or ())) if (lines or ())[place].startswith("}"))
                return range(start, next(ends, len(lines or ()) - 1) + 1)
    return range(0)


def with_tests_of(path: str, before: bytes | None, after: bytes) -> bytes | None:
    """Return the content before a change with the test module of after, where that has one; else as it was."""
    kept = inline_lines(path, after)
    if not kept:
        return before
    old, new = lines_of(before) or [], lines_of(after) or []
    replaced = inline_lines(path, before) or range(len(old), len(old))
    if old and not old[-1].endswith("\n"):
        old[-1] += "\n"
    return "".join([*old[: replaced.start], *new[kept.start : kept.stop], *old[replaced.stop :]]).encode("latin-1")


# Whether two contents of a source file are the same but for comments and blank lines, by its syntax.

_INSTRUCTION = lazy_pattern(r"//go:|// \+build|//export |//line |#!")
"""Comments that compilers and shells obey."""


def same_text(path: str, one: bytes, other: bytes) -> bool | None:
    """Say whether two texts hold the same code; None where the syntax of the file is not known.

    >>> same_text("a.go", b"a() // one\\n", b"a() //two\\n\\n"), same_text("a.go", b"a()\\n", b"b()\\n")
    (True, False)
    """
    language = language_of(path)
    if language is None or language not in LANGUAGES:
        return None
    return _code(language, one) == _code(language, other)


@lru_cache(maxsize=8)
def _code(language: str, data: bytes) -> list[str]:
    text = data.decode("latin-1")
    parts, place = [], 0
    for span in spans(text, LANGUAGES[language]):
        if span.comment and not _INSTRUCTION.match(text, span.start):
            parts.append(text[place : span.start])
            place = span.end
    lines = "".join([*parts, text[place:]]).split("\n")
    return [line.rstrip() for line in lines if line.strip()]


class ProjectPart(StrEnum):
    """What a file is to a proof. A `support` file is kept with the tests: fixtures, snapshots, `conftest.py`."""

    TESTS = "tests"
    SUPPORT = "support"
    PRODUCT = "product"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class PartRules:
    """How a project separates tests from its product; `packages` are the folders that hold an `__init__.py`."""

    settings: PytestSettings = PytestSettings()
    extra: tuple[str, ...] = ()
    packages: frozenset[str] = frozenset()


_TEST_FOLDERS = frozenset(
    ("tests", "__tests__", "__mocks__", "__snapshots__", "testdata", "spec", "specs", "e2e", "cypress")
)
_TEST_ROOTS = frozenset(("test", "testing", "unittests", "integration", "t"))
"""Names that are a folder of tests at the top of a project or beside its sources, and may be a package inside."""

_OTHER_FOLDERS = frozenset(
    ("doc", "docs", "example", "examples", "sample", "samples", "demo", "demos", "benchmark", "benchmarks", "bench")
)
_OTHER_NAMES = lazy_pattern(
    r"(?:LICEN[CS]E|NOTICE|AUTHORS|CONTRIBUTORS|COPYING|CHANGES|CHANGELOG|NEWS|HISTORY|README|Makefile|Dockerfile"
    r"|Jenkinsfile|noxfile\.py|tasks\.py|pyproject\.toml|setup\.py|setup\.cfg|tox\.ini|pytest\.ini|mypy\.ini"
    r"|package\.json|tsconfig[^/]*\.json|jest\.config\..*|vite(?:st)?\.config\..*|eslint\.config\..*|go\.mod|go\.sum"
    r"|Cargo\.toml|[^/]*\.lock|[^/]*-lock\.(?:json|yaml)|requirements[^/]*\.txt|MANIFEST\.in|CMakeLists\.txt)(?:\..*)?"
)
_OTHER_ENDINGS = (".md", ".rst", ".adoc", ".txt", ".png", ".svg", ".jpg", ".gif", ".ico", ".po", ".pot", ".mo")
_TEST_NAMES = lazy_pattern(
    r".*\.(?:test|spec|e2e-spec|cy)\.[cm]?[jt]sx?|.*_test\.(?:go|dart|exs|rb|cc|cpp|py)|.*_spec\.rb"
    r"|.*Tests?\.(?:java|kt|cs|scala|swift|php)|test_.*\.(?:cc|cpp|c|rb)"
)
_SUITE = lazy_pattern(r".*\.(?:test|spec)\.[cm]?[jt]sx?")
_ANY_NAME = lazy_pattern(r".*\.(?:[cm]?[jt]sx?|rs|ex|exs)")
"""In a folder of tests, files of these languages hold tests whatever their name."""

_CODE = lazy_pattern(r".*\.(?:py|[cm]?[jt]sx?|go|rs|rb|java|kt|cs|php|scala|swift|c|cc|cpp|ex|exs|dart)")


def part_of(path: str, rules: PartRules) -> ProjectPart:
    """Return which part of a project the file at `path` is.

    >>> [str(part_of(path, PartRules())) for path in ("tests/test_a.py", "tests/a.json", "src/a.py", "docs/a.py")]
    ['tests', 'support', 'product', 'other']
    """
    *folders, name = path.split("/")
    if any(matches(path, pattern) for pattern in rules.extra):
        return ProjectPart.TESTS if _CODE.fullmatch(name) else ProjectPart.SUPPORT
    if _in_tests(folders, rules) or (name == "conftest.py" or name.endswith(".snap")):
        return ProjectPart.TESTS if _holds_tests(name, path, rules) else ProjectPart.SUPPORT
    if _is_test_name(name, rules):
        return ProjectPart.TESTS
    if _is_other(folders, name):
        return ProjectPart.OTHER
    return ProjectPart.PRODUCT


def is_suite(path: str) -> bool:
    """Say whether a runner takes a file for tests by its name, so that it has some even where none can be read.

    >>> is_suite("src/a.test.ts"), is_suite("test/helper.ts")
    (True, False)
    """
    return _SUITE.fullmatch(path) is not None


def _in_tests(folders: Collection[str], rules: PartRules) -> bool:
    here = ""
    for place, folder in enumerate(folders):
        around, here = here, f"{here}/{folder}" if here else folder
        if folder in _TEST_FOLDERS or here in rules.settings.folders:
            return True
        if folder in _TEST_ROOTS and around not in rules.packages and (place == 0 or folder == "test"):
            return True
    return False


def _holds_tests(name: str, path: str, rules: PartRules) -> bool:
    if name.endswith(".py"):
        listed = name != "conftest.py" and any(_matches(path, name, each) for each in rules.settings.files)
        return listed and not _is_closed(path, rules)
    return bool(_TEST_NAMES.fullmatch(name) or _ANY_NAME.fullmatch(name))


def _is_closed(path: str, rules: PartRules) -> bool:
    """Say whether a file is in a folder that pytest does not look into: it would fail where it is named."""
    parts = path.split("/")
    folders = ["/".join(parts[:count]) for count in range(1, len(parts))]
    return any(
        _matches(each, each.rpartition("/")[2], pattern) for each in folders for pattern in rules.settings.closed
    )


def _is_test_name(name: str, rules: PartRules) -> bool:
    if name.endswith(".py"):
        patterns = [each for each in rules.settings.files if "/" not in each and each not in ("*", "*.py")]
        return any(fnmatchcase(name, each) for each in patterns)
    return bool(_TEST_NAMES.fullmatch(name))


def _matches(path: str, name: str, pattern: str) -> bool:
    return fnmatchcase(path, f"*{pattern}") if "/" in pattern else fnmatchcase(name, pattern)


def _is_other(folders: Collection[str], name: str) -> bool:
    hidden = any(each.startswith(".") for each in (*folders, name))
    aside = _OTHER_FOLDERS - {"doc"} if name.endswith(".go") else _OTHER_FOLDERS  # Go has packages of that name
    return (
        hidden
        or not aside.isdisjoint(folders)
        or bool(_OTHER_NAMES.fullmatch(name))
        or name.lower().endswith(_OTHER_ENDINGS)
    )
