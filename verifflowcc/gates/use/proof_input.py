"""Which changes are to be proven: commits, what is staged, or the work tree; each as its two contents."""

import os
import shlex
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from verifflowcc.base.errors import UsageError, WorkspaceError
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.git.git_place import top_of
from verifflowcc.base.git.git_protected import head_commit
from verifflowcc.base.git.git_versions import (
    TreeFile,
    commit_files,
    commit_id,
    commits_of,
    contents,
    disk_files,
    index_files,
    merge_base,
    with_submodules,
)
from verifflowcc.base.git.work_tree import FOLDER, blob_ids
from verifflowcc.base.model.evidence_values import Command
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.ports import Clock
from verifflowcc.base.process.clock import observed
from verifflowcc.base.records import dataclass
from verifflowcc.code.rules.grammars import language_of, read_facts
from verifflowcc.code.rules.graph import CALLABLE, FILE, Definition
from verifflowcc.code.rules.script_shape import script_shape
from verifflowcc.gates.rules.change_parts import ChangeParts, FileChange, split
from verifflowcc.gates.rules.hunks import TestUnit, words_in
from verifflowcc.gates.rules.new_imports import package_folders
from verifflowcc.gates.rules.project_parts import PartRules
from verifflowcc.gates.rules.runner_settings import PYTEST_HOOKS_FILES as FILES
from verifflowcc.gates.rules.runner_settings import pytest_settings
from verifflowcc.gates.rules.runners import Runner, runner_of
from verifflowcc.gates.rules.tests_lost import title_units
from verifflowcc.sprint.store.allowed import allow_provable, read_provable

# The command that runs a repository's tests: which one, and whether this machine allows it.

_MARKS = ("pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg", "conftest.py")
_ENVIRONMENTS = (".venv", "venv", "env")


@dataclass(frozen=True, slots=True)
class TestCommand:
    """The command as it would run, its framework, and whether this machine allows it for the repository."""

    __test__ = False

    argv: tuple[str, ...]
    runner: Runner
    allowed: bool

    @property
    def words(self) -> str:
        """The command as a shell would take it."""
        return shlex.join(self.argv)


def test_command(top: Path, folder: Path, given: str | None) -> TestCommand:
    """Return the command that a person gave, else the one that the repository's files name plainly.

    A program of the folder that git does not keep, as in an environment, is named by its full path: the scratch tree
    does not hold it. Raises UsageError where there is no command, or its outcomes cannot be read.
    """
    argv = _given(given) if given is not None else _plain(folder)
    if not argv:
        raise UsageError("cannot tell how the tests run", hint='vfcc prove --command "pytest -q"')
    runner = runner_of(argv)
    if runner is None:
        raise UsageError(
            f"the outcomes of `{shlex.join(argv)}` cannot be read; known are {', '.join(Runner)}",
            hint='vfcc prove --command "pytest -q"',
        )
    argv = (program_of(folder, argv[0]), *argv[1:])
    return TestCommand(argv, runner, _is_allowed(top, argv))


def allow_command(top: Path, command: TestCommand, clock: Clock) -> None:
    """Allow a command in all worktrees of the repository. Raises WorkspaceError where that cannot be kept."""
    allow_provable(top, Command(command.words, command.argv, 1, {}), os.environ, clock.now())


def _is_allowed(top: Path, argv: tuple[str, ...]) -> bool:
    return any(each.argv == argv for each in read_provable(top, os.environ).values())


def _given(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"--command is no command line: {error}", hint='vfcc prove --command "pytest -q"') from error


def _plain(folder: Path) -> tuple[str, ...]:
    for found in (_python(folder), _javascript(folder)):
        if found:
            return found
    if (folder / "go.mod").is_file():
        return ("go", "test")
    return ("cargo", "test") if (folder / "Cargo.toml").is_file() else ()


def _python(folder: Path) -> tuple[str, ...]:
    """Return the words for pytest, or for unittest where nothing names pytest and each test file names unittest."""
    files = [*folder.glob("test_*.py"), *folder.glob("test*/**/test_*.py")]
    named = any(_names(file, "pytest") for file in (*(folder / name for name in _MARKS), *files))
    if not named and not files:
        return ()
    for name in _ENVIRONMENTS:
        if (folder / name / "bin" / "pytest").exists():
            return (f"{name}/bin/python", "-m", "pytest")
    if named or not all(_names(file, "unittest") for file in files):
        return ("python", "-m", "pytest")
    place = next((f"{name}/bin/" for name in _ENVIRONMENTS if (folder / name / "bin" / "python").exists()), "")
    return (f"{place}python", "-m", "unittest")


def _javascript(folder: Path) -> tuple[str, ...]:
    """Return the words for Vitest or Jest where `package.json` names one of them."""
    for name, more in (("vitest", ("run",)), ("jest", ())):
        if _names(folder / "package.json", f'"{name}"') or any(folder.glob(f"{name}.config.*")):
            program = f"node_modules/.bin/{name}"
            return (program, *more) if (folder / program).exists() else ("npx", "--no-install", name, *more)
    return ()


def _names(file: Path, word: str) -> bool:
    try:
        return word in file.read_text("utf-8", "replace")[: 1 << 20]
    except OSError:
        return False


def program_of(folder: Path, program: str) -> str:
    """Return a program as the scratch tree can start it: one of the folder that git does not keep by its full path."""
    if "/" not in program or not (folder / program).exists():
        return program
    kept = ask_git(folder, "ls-files", "--error-unmatch", "--", program).code == 0
    return program if kept else os.path.abspath(folder / program)  # noqa: PTH100 - a link to Python stays one


# What a scratch tree needs of the person's folder beside git's files: environments, and files that a build made.

_MADE = (".py", ".so", ".pyd", ".js", ".mjs", ".json")
_SOURCES = (".py", ".js", ".ts", ".tsx", ".go", ".rs")
_MOST_MADE = 200


def environments(top: Path, kept: Collection[str]) -> dict[str, Path]:
    """Return the installed packages to link into a scratch tree, by path; git keeps none of the `kept` paths there.

    A package of the repository itself, which a workspace links into `node_modules`, is linked within the tree instead.
    """
    found: dict[str, Path] = {}
    for entry in sorted(top.iterdir()):
        if entry.is_dir() and (entry / "pyvenv.cfg").is_file() and not _is_kept(entry.name, kept):
            found[entry.name] = entry.resolve()
    for modules in _node_modules(top, kept):
        found.update(_packages(top, modules))
    return found


def generated(top: Path, kept: Collection[str]) -> dict[str, TreeFile]:
    """Return files that git ignores beside the sources, such as a version file or a built extension, to be copied."""
    folders = {path.rpartition("/")[0] for path in kept if path.endswith(_SOURCES)} - {""}
    listed = ask_git(top, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", ".")
    found: dict[str, TreeFile] = {}
    for name in listed.out.split(b"\0") if not listed.code else ():
        path = os.fsdecode(name)
        if path.endswith(_MADE) and path.rpartition("/")[0] in folders and len(found) < _MOST_MADE:
            ids = blob_ids(os.path.join(os.fsencode(top), name), 40)  # noqa: PTH118 - names are bytes here
            if ids:
                found[path] = TreeFile("100644", ids[0], on_disk=True)
    return found


def _is_kept(name: str, kept: Collection[str]) -> bool:
    return any(path == name or path.startswith(f"{name}/") for path in kept)


def _node_modules(top: Path, kept: Collection[str]) -> list[Path]:
    folders = {path.rpartition("/")[0] for path in kept if path.rpartition("/")[2] == "package.json"}
    places = (top / folder / "node_modules" for folder in sorted(folders))
    return [each for each in places if each.is_dir() and not _is_kept(each.relative_to(top).as_posix(), kept)]


def _packages(top: Path, modules: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for entry in sorted(modules.iterdir()):
        inner = sorted(entry.iterdir()) if entry.name.startswith("@") and entry.is_dir() else [entry]
        for each in inner:
            place, real = each.relative_to(top).as_posix(), each.resolve()
            own = each.is_symlink() and real.is_relative_to(top) and "node_modules" not in real.relative_to(top).parts
            found[place] = Path(os.path.relpath(real, each.parent)) if own else real
    return found


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person asked for: a range of commits, the work tree, or what is staged; nothing is found out."""

    revisions: str | None = None
    work_tree: bool = False
    staged: bool = False


@dataclass(frozen=True, slots=True)
class ProofChange:
    """A change: `name` is a short id or a word, `head` the commit that programs in the scratch tree see as HEAD.

    `before` and `after` are its contents, by path from the repository's top.
    """

    name: str
    subject: str
    head: str | None
    before: dict[str, TreeFile]
    after: dict[str, TreeFile]


def repository_top(folder: Path) -> Path:
    """Return the top of the repository around a folder. Raises WorkspaceError where there is none."""
    top = top_of(folder)
    if top is None:
        raise WorkspaceError(f"{folder} is in no git repository", hint="git init")
    return top.resolve()


def changes_of(top: Path, choice: Choice) -> Iterator[ProofChange]:
    """Yield the changes, the oldest first; the next is read when it is asked for.

    Without a choice: the work tree where it differs from HEAD, else the last commit. `A...B` is one change, from the
    common ancestor of A and B to B. Raises UsageError, WorkspaceError as git does.
    """
    if sum((choice.revisions is not None, choice.work_tree, choice.staged)) > 1:
        raise UsageError("RANGE, --working-tree and --staged exclude each other", hint="vfcc prove --help")
    head = head_commit(top)
    if choice.staged:
        yield _change(top, "staged", "", head, commit_files(top, head), index_files(top))
        return
    if choice.revisions is None:
        found = _change(top, "work tree", "", head, commit_files(top, head), disk_files(top))
        if choice.work_tree or _ids(found.before) != _ids(found.after):
            yield found
            return
    yield from _committed(top, choice.revisions or "HEAD")


def _committed(top: Path, words: str) -> Iterator[ProofChange]:
    if "..." in words:
        one, _, other = words.partition("...")
        base, tip = merge_base(top, one or "HEAD", other or "HEAD")
        yield _change(top, words, "", tip, commit_files(top, base), commit_files(top, tip))
        return
    for commit in observed("changes", commits_of(top, words)):
        before = commit_files(top, commit_id(top, commit.parents[0]) if commit.parents else None)
        yield _change(top, commit.id[:9], commit.subject, commit.id, before, commit_files(top, commit.id))


def _change(
    top: Path, name: str, subject: str, head: str | None, before: dict[str, TreeFile], after: dict[str, TreeFile]
) -> ProofChange:
    return ProofChange(name, subject, head, with_submodules(top, before), with_submodules(top, after))


def _ids(files: dict[str, TreeFile]) -> dict[str, tuple[str, str]]:
    return {path: (file.mode, file.blob) for path, file in files.items()}


# Read a change for a proof: its files with their contents, the project's settings, the tests in a test file.

_TITLED = frozenset(("javascript", "typescript", "tsx"))
_GO_TEST = lazy_pattern(r"(?:Test|Example|Fuzz)(?![a-z])")
_RUST_TEST = lazy_pattern(r"#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck)\b")


def read_change(
    top: Path, folder: str, change: ProofChange, patterns: tuple[str, ...]
) -> tuple[ChangeParts, PartRules]:
    """Return the parts of a change below a folder of the repository, and the rules that tell them apart.

    `patterns` name further test files. Paths are relative to the folder. Raises WorkspaceError where git does not have
    a content.
    """
    before, after = _below(folder, change.before), _below(folder, change.after)
    texts = _texts(top, {path: file for path, file in after.items() if path in FILES}, folder)
    rules = PartRules(pytest_settings(texts), patterns, package_folders(after))
    changed = _changed(top, folder, before, after)
    return split(changed, after.keys(), rules, units_of), rules


def contents_after(top: Path, folder: str, change: ProofChange, paths: Collection[str]) -> dict[str, bytes]:
    """Return the contents that some files have with the change, by path. Raises WorkspaceError as git does."""
    return _contents(top, _below(folder, change.after), paths, folder)


def units_of(path: str, content: bytes) -> Sequence[TestUnit]:
    """Return the definitions in a test file that are in no function, with their lines and the names they use."""
    language = language_of(path)
    text = content.decode("utf-8", "replace")
    titled = tuple(title_units(text)) if language in _TITLED else ()
    return (*titled, *_defined(language, content, text.split("\n"), titled))


def test_lines(path: str, content: bytes) -> dict[str, int]:
    """Return the names of all tests in a file, each with the first line of its last definition."""
    return {each.name: each.first for each in units_of(path, content) if each.is_test}


def _defined(language: str, content: bytes, lines: Sequence[str], titled: Collection[TestUnit]) -> Iterator[TestUnit]:
    definitions = read_facts(language, content).definitions
    for place, each in enumerate(definitions):
        around = _around(definitions, place)
        first = each.start or each.line
        inside = any(definitions[outer].kind in CALLABLE for outer in around)
        if inside or any(unit.first <= first and each.end <= unit.last for unit in titled):
            continue
        has_members = each.kind not in CALLABLE and any(other.parent == place for other in definitions)
        if not has_members:
            name = "::".join([*(definitions[outer].name for outer in reversed(around)), each.name])
            is_test = _is_test(language, each, lines[first - 1 : each.line])
            yield TestUnit(name, each.name, first, each.end, is_test, words_in(lines[first - 1 : each.end]))


def _is_test(language: str, each: Definition, head: Sequence[str]) -> bool:
    """Say whether a definition is a test; `head` are its lines up to its name, with what is written above it."""
    if each.kind not in CALLABLE or language in _TITLED:
        return False
    if language == "go":
        return each.kind == "function" and _GO_TEST.match(each.name) is not None
    if language == "rust":
        return any(_RUST_TEST.search(line) for line in head)
    return each.name.lower().startswith("test")


def _around(definitions: Sequence[Definition], place: int) -> list[int]:
    found = []
    while (place := definitions[place].parent) != FILE:
        found.append(place)
    return found


def _changed(top: Path, folder: str, before: dict[str, TreeFile], after: dict[str, TreeFile]) -> tuple[FileChange, ...]:
    differing = [path for path in sorted(before.keys() | after.keys()) if _id(before, path) != _id(after, path)]
    old = _contents(top, before, differing, folder)
    new = _contents(top, after, differing, folder)
    return tuple(_file(path, old.get(path), new.get(path)) for path in differing if path in old or path in new)


def _file(path: str, before: bytes | None, after: bytes | None) -> FileChange:
    return FileChange(path, before, after, shapes=(script_shape(path, before or b""), script_shape(path, after or b"")))


def _id(files: dict[str, TreeFile], path: str) -> tuple[str, str] | None:
    return (files[path].mode, files[path].blob) if path in files else None


def _contents(top: Path, files: dict[str, TreeFile], paths: Collection[str], folder: str) -> dict[str, bytes]:
    wanted = {path: files[path] for path in paths if path in files and files[path].mode != FOLDER}
    prefix = f"{folder}/" if folder else ""
    found = contents(top, {f"{prefix}{path}": file for path, file in wanted.items()})
    return {path.removeprefix(prefix): data for path, data in found}


def _texts(top: Path, files: dict[str, TreeFile], folder: str) -> dict[str, str]:
    return {path: data.decode("utf-8", "replace") for path, data in _contents(top, files, files, folder).items()}


def _below(folder: str, files: dict[str, TreeFile]) -> dict[str, TreeFile]:
    prefix = f"{folder}/" if folder else ""
    return {path.removeprefix(prefix): file for path, file in files.items() if path.startswith(prefix)}
