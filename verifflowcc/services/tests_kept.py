"""What the tests of a project lost between two contents of it: both read, and compared."""

from collections.abc import Mapping
from pathlib import Path

from verifflowcc.adapters.git.versions import TreeFile, contents
from verifflowcc.adapters.git.work_tree import FOLDER
from verifflowcc.codegraph.grammars import language_of
from verifflowcc.codegraph.read_testcases import CASES_OF, read_cases
from verifflowcc.domain.testcases import Loss, LostTest, TestCase
from verifflowcc.proving.conftest_hooks import changed_hooks
from verifflowcc.proving.parts import Part, PartRules, part_of
from verifflowcc.proving.pytest_settings import FILES, pytest_settings
from verifflowcc.proving.python_roots import package_folders
from verifflowcc.proving.python_tests import python_tests
from verifflowcc.proving.splitting import FileChange, split
from verifflowcc.proving.tests_lost import lost_tests
from verifflowcc.proving.tests_settings import is_settings, lowered_settings
from verifflowcc.proving.text_tests import text_tests
from verifflowcc.records import dataclass
from verifflowcc.text.glob import matches

_SNAPSHOTS = ("**/__snapshots__/**", "**/*.snap", "**/*.ambr", "**/*golden*/**", "**/*golden*", "**/*expected*/**")
_SNAPSHOTS_TOO = ("**/*expected*", "**/snapshots/**", "**/*snapshot*", "**/*.approved.*", "**/cassettes/**")


@dataclass(frozen=True, slots=True)
class TestsKept:
    """What tests lost; `files` is the number of changed files that were compared."""

    __test__ = False

    lost: tuple[LostTest, ...]
    files: int


@dataclass(frozen=True, slots=True)
class _Sides:
    """The changed files of a project, with what each of them is on either side."""

    changed: tuple[FileChange, ...]
    before: PartRules
    after: PartRules

    def part(self, path: str) -> Part:
        """Return what a file is; one that was a test, or is one, counts as a test."""
        found = {part_of(path, self.before), part_of(path, self.after)}
        return next(part for part in (Part.TESTS, Part.SUPPORT, Part.PRODUCT, Part.OTHER) if part in found)


def compare_tests(
    top: Path,
    folder: str,
    before: Mapping[str, TreeFile],
    after: Mapping[str, TreeFile],
    patterns: tuple[str, ...] = (),
) -> TestsKept:
    """Return what tests below a folder of the repository lost between two contents of it.

    `patterns` name further files of tests. Raises WorkspaceError where git does not have a content.
    """
    sides = _read(top, folder, (before, after), patterns)
    product = tuple(file.path for file in sides.changed if sides.part(file.path) is Part.PRODUCT)
    changed = bool(split([file for file in sides.changed if file.path in product], (), sides.after, _no_units).product)
    old: dict[str, dict[str, TestCase]] = {}
    new: dict[str, dict[str, TestCase]] = {}
    lost: list[LostTest] = []
    files = 0
    for file in sides.changed:
        part = sides.part(file.path)
        if part in (Part.TESTS, Part.SUPPORT):
            files += 1
            old[file.path] = _tests(file.path, file.before, (), part, sides.before)
            new[file.path] = _tests(file.path, file.after, product, part, sides.after)
            lost += changed_hooks(file.path, file.before, file.after) if file.path.endswith(".py") else ()
            lost += _data(file, altered=not changed) if part is Part.SUPPORT else ()
    settings = [file for file in sides.changed if is_settings(file.path)]
    lost += lowered_settings(
        {file.path: file.before for file in settings if file.before is not None},
        {file.path: file.after for file in settings if file.after is not None},
    )
    files += len(settings)
    lost += lost_tests(old, new, product_changed=changed)
    return TestsKept(tuple(sorted(set(lost), key=lambda each: (each.path, each.line, str(each)))), files)


def _read(
    top: Path, folder: str, both: tuple[Mapping[str, TreeFile], Mapping[str, TreeFile]], patterns: tuple[str, ...]
) -> _Sides:
    old, new = (_below(folder, files) for files in both)
    prefix = f"{folder}/" if folder else ""
    differing = [path for path in sorted(old.keys() | new.keys()) if _id(old, path) != _id(new, path)]

    def texts(files: Mapping[str, TreeFile], wanted: list[str]) -> dict[str, bytes]:
        asked = {f"{prefix}{path}": files[path] for path in wanted if path in files and files[path].mode != FOLDER}
        return {path.removeprefix(prefix): data for path, data in contents(top, asked)}

    def rules(files: Mapping[str, TreeFile]) -> PartRules:
        settings = {path: data.decode("utf-8", "replace") for path, data in texts(files, list(FILES)).items()}
        return PartRules(pytest_settings(settings), patterns, package_folders(files))

    was, now = texts(old, differing), texts(new, differing)
    changed = tuple(FileChange(path, was.get(path), now.get(path)) for path in differing if path in was or path in now)
    return _Sides(changed, rules(old), rules(new))


def _tests(
    path: str, content: bytes | None, product: tuple[str, ...], part: Part, rules: PartRules
) -> dict[str, TestCase]:
    """Return the tests of one side of a file; of a file that is not collected there, its helpers at most."""
    if content is None:
        return {}
    helpers = part_of(path, rules) is not Part.TESTS
    try:
        if path.endswith(".py"):
            found = python_tests(content, product, helpers=helpers)
            return {name: each for name, each in found.items() if not (helpers and _is_test(name))}
    except (SyntaxError, ValueError, RecursionError):
        return {}
    if helpers or part is Part.SUPPORT:
        return {}
    language = language_of(path)
    return read_cases(language, content) if language in CASES_OF else text_tests(content)


def _is_test(name: str) -> bool:
    return name.rpartition("::")[2].startswith("test")


def _data(file: FileChange, *, altered: bool) -> tuple[LostTest, ...]:
    """Return the loss of recorded expectations: that they are gone, or changed where no product did."""
    path = file.path
    if file.before is None or not any(matches(path, each) for each in (*_SNAPSHOTS, *_SNAPSHOTS_TOO)):
        return ()
    if file.after is None:
        return (LostTest(Loss.REMOVED, path, 1, "recorded expectations are gone"),)
    return (LostTest(Loss.ALTERED, path, 1, "recorded expectations changed"),) if altered else ()


def _no_units(_path: str, _content: bytes) -> tuple[()]:
    return ()


def _below(folder: str, files: Mapping[str, TreeFile]) -> dict[str, TreeFile]:
    prefix = f"{folder}/" if folder else ""
    return {path.removeprefix(prefix): file for path, file in files.items() if path.startswith(prefix)}


def _id(files: Mapping[str, TreeFile], path: str) -> tuple[str, str] | None:
    return (files[path].mode, files[path].blob) if path in files else None
