"""Create `.memory/`, whole or not at all, and find out for it which tools the files of a project name."""

import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from verifflowcc.base.errors import FileErrors, UsageError, WorkspaceError
from verifflowcc.base.files.installed import is_program
from verifflowcc.base.files.layout import CORE_FILES, MEMORY, PROJECTIONS
from verifflowcc.base.files.text_files import package_table, packages_named, small_text
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.model.agent_clients import CLIENTS, FILES, PROGRAMS
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.sprint.store.workflow_load import example_folder, load_workflow, own_name, templates_folder
from verifflowcc.sprint.use.command_guess import Suggestion, obvious_commands, with_suggestions
from verifflowcc.sprint.use.configuration import shipped_workflows
from verifflowcc.sprint.use.role_files import starting_files

IGNORED = ("local/", *PROJECTIONS, ".vfcc-*.tmp")
"""The lines of `.memory/.gitignore`."""
_EMPTY_FOLDERS = ("project/conventions", "project/decisions", "project/items", "sprint", "stage")


@dataclass(frozen=True, slots=True)
class InitResult:
    """What was created: paths relative to the project's root, and what the person should know."""

    root: Path
    created: tuple[str, ...]
    notices: tuple[str, ...]


def initialise(
    root: Path,
    *,
    workflow: str | None = None,
    example: bool = False,
    commands: Sequence[Suggestion] | None = None,
) -> InitResult:
    """Create the memory tree in `root`, from the worked example where `example` is true.

    New sprints go by `workflow`, or where that is None by the example's own, else by `light`. `commands` are written
    into the configuration; where that is None, those that the project's files name.

    Raises UsageError for an unknown workflow, WorkspaceError where there is a `.memory` already.
    """
    ensure_free(root, workflow)
    target = root / MEMORY
    workflow = workflow or (own_name(example_folder()) if example else None) or "light"
    files = dict(_example_files() if example else _starting_files(target, workflow))
    suggestions = suggested_commands(root, workflow, example=example) if commands is None else commands
    files["config.yaml"] = configuration_text(workflow, suggestions).encode()
    created = create_memory(root, files)
    notices: list[str] = []
    if example:
        created += _core_file(root, notices)
    elif not any((root / name).exists() for name in CORE_FILES):
        notices.append("there is no CLAUDE.md or AGENTS.md; write one, and it comes first in every prompt")
    certain = [f"gates.commands.{each.name}" for each in suggestions if each.certain]
    if certain and commands is None:
        are = "are" if len(certain) > 1 else "is"
        notices.append(f"{' and '.join(certain)} {are} what evidence run will run; look at it, then: vfcc allow")
    if commands is None and (proposed := [each.name for each in suggestions if not each.certain]):
        notices.append(
            f"for {' and '.join(proposed)}, {MEMORY}/config.yaml proposes a command in a comment; none runs yet"
        )
    return InitResult(root, tuple(created), tuple(notices))


def create_memory(root: Path, files: dict[str, bytes]) -> list[str]:
    """Create `.memory/` of these files and its `.gitignore`, whole or not at all; return the paths from the root."""
    every = {**files, ".gitignore": "".join(f"{line}\n" for line in IGNORED).encode()}
    _create(root, root / MEMORY, every)
    return [f"{MEMORY}/{name}" for name in sorted(every)]


def ensure_free(root: Path, workflow: str | None) -> None:
    """Return where a memory tree can be created in `root`. Raises as `initialise` does."""
    if workflow is not None and workflow not in shipped_workflows():
        near = nearest(workflow, shipped_workflows())
        raise UsageError(
            f"there is no workflow {workflow}; there is {', '.join(shipped_workflows())}",
            hint=f"vfcc init --workflow {near or 'light'}",
        )
    target = root / MEMORY
    if target.exists() or target.is_symlink():
        raise WorkspaceError(f"{target} exists already and is left as it is", hint="vfcc status")
    if not root.is_dir():
        raise WorkspaceError(f"{root} is not a folder", hint=f"mkdir -p {root}")


def suggested_commands(root: Path, workflow: str, *, example: bool = False) -> tuple[Suggestion, ...]:
    """Return the commands that the project's files name, of those that the workflow needs."""
    memory = example_folder() if example and workflow == own_name(example_folder()) else root / MEMORY
    return obvious_commands(root, load_workflow(memory, workflow))


def configuration_text(workflow: str, commands: Sequence[Suggestion]) -> str:
    """Return the first `config.yaml` of a project."""
    text = with_suggestions((templates_folder() / "config.yaml").read_text(encoding="utf-8"), commands)
    return re.sub(r"(?m)^workflow: [\w-]+", f"workflow: {workflow}", text, count=1)


def _starting_files(memory: Path, workflow: str) -> Iterator[tuple[str, bytes]]:
    for folder in _EMPTY_FOLDERS:
        yield f"{folder}/.gitkeep", b""
    for role in sorted({stage.role for stage in load_workflow(memory, workflow).stages} | {"reviewer"}):
        for name, data in starting_files(role):
            yield f"agent/{role}/{name}", data


def _example_files() -> Iterator[tuple[str, bytes]]:
    for path in sorted(example_folder().rglob("*")):
        name = path.relative_to(example_folder()).as_posix()
        if path.is_file() and name not in CORE_FILES and not name.startswith("local/"):
            yield name, path.read_bytes()


def _core_file(root: Path, notices: list[str]) -> list[str]:
    if any((root / name).exists() for name in CORE_FILES):
        notices.append("your own CLAUDE.md or AGENTS.md stays; the example's was not copied")
        return []
    write_atomic(root / "CLAUDE.md", (example_folder() / "CLAUDE.md").read_bytes())
    return ["CLAUDE.md"]


def _create(root: Path, target: Path, files: dict[str, bytes]) -> None:
    """Write everything beside the target, then rename it into place: that is the commit point."""
    with (
        FileErrors("create", target),
        tempfile.TemporaryDirectory(prefix=".memory-", dir=root, ignore_cleanup_errors=True) as folder,
    ):
        making = Path(folder) / MEMORY
        for name, content in files.items():
            write_atomic(making / name, content)
        making.rename(target)
    if not target.is_dir():
        raise WorkspaceError(f"cannot create {target}")


# The example of `vfcc init --example`: a small project with a sprint whose tests ran, and its memory.

_SUFFIX = ".txt"
"""Added to the names of the project's files where they are shipped, so that no tool takes them for code of ours."""
LOOK_AT = (
    ("vfcc status", "four gates passed, one stage left"),
    ("vfcc evidence list", "the run of the tests that opened the gate of testing"),
    ("vfcc trace why REQ-two-places", "from a need to the test that passed"),
    ("vfcc check trace", "green, with one finding"),
    ("echo >> shop.py && vfcc evidence stale", "an edit, and the evidence is stale"),
)
"""Commands to try in the example, each with what it shows."""


def create_example(root: Path) -> InitResult:
    """Create the example's files and its memory tree in `root`; instructions of the person's own stay.

    Raises WorkspaceError where there is a memory tree, or a file of the example's name.
    """
    ensure_free(root, None)
    files = dict(_shipped("project"))
    own = [name for name in CORE_FILES if (root / name).exists()]
    if own:
        files.pop("CLAUDE.md")
    taken = next((name for name in sorted(files) if (root / name).exists() or (root / name).is_symlink()), None)
    if taken:
        raise WorkspaceError(
            f"the example has a {taken}, and {root / taken} exists already",
            hint="mkdir example && vfcc init example --example",
        )
    created = create_memory(root, dict(_memory_files()))
    for name, data in files.items():
        write_atomic(root / name, data)
    notices = ("your own CLAUDE.md or AGENTS.md stays; the example's was not copied",) if own else ()
    return InitResult(root, (*created, *sorted(files)), notices)


def _memory_files() -> Iterator[tuple[str, bytes]]:
    """Yield the files of the memory tree; a role's prompt is the shipped one."""
    for name, data in _shipped("memory"):
        folder, _, last = name.rpartition("/")
        if last == "tools.yaml":
            yield from ((f"{folder}/{each}", text) for each, text in starting_files(folder.rpartition("/")[2]))
        yield name, data


def _shipped(part: str) -> Iterator[tuple[str, bytes]]:
    folder = templates_folder() / "example" / part
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix().removesuffix(_SUFFIX), path.read_bytes()


@dataclass(frozen=True, slots=True)
class ToolFact:
    """A tool, and the file or folder that names it, relative to the project's root."""

    name: str
    where: str


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """The tools that were found, by subject; `installed` are the clients of agents on this machine's PATH."""

    languages: tuple[ToolFact, ...]
    tests: tuple[ToolFact, ...]
    lint: tuple[ToolFact, ...]
    coverage: tuple[ToolFact, ...]
    ci: tuple[ToolFact, ...]
    agents: tuple[ToolFact, ...]
    installed: tuple[str, ...]


_Rule = tuple[str, str, str]
"""A tool, the file or folder that shows it, and a text that the file must hold; empty where the file is enough."""

_LANGUAGES: tuple[_Rule, ...] = (
    *(("Python", name, "") for name in ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")),
    ("TypeScript", "tsconfig.json", ""),
    ("JavaScript", "package.json", ""),
    ("Go", "go.mod", ""),
    ("Rust", "Cargo.toml", ""),
    *(("Java", name, "") for name in ("pom.xml", "build.gradle", "build.gradle.kts")),
    ("Ruby", "Gemfile", ""),
    ("PHP", "composer.json", ""),
    ("C#", "*.sln", ""),
    ("C#", "*.csproj", ""),
    ("C or C++", "CMakeLists.txt", ""),
    ("C or C++", "meson.build", ""),
)
_TESTS: tuple[_Rule, ...] = (
    *(("pytest", name, "pytest") for name in ("pyproject.toml", "setup.cfg", "tox.ini", "tox.toml", "noxfile.py")),
    ("pytest", "pytest.ini", ""),
    ("pytest", "tests/test_*.py", ""),
    ("tox", "tox.ini", ""),
    ("tox", "pyproject.toml", "[tool.tox"),
    ("nox", "noxfile.py", ""),
    ("go test", "go.mod", ""),
    ("cargo nextest", ".config/nextest.toml", ""),
    ("cargo test", "Cargo.toml", ""),
    ("make test", "Makefile", "\ntest:"),
)
_LINT: tuple[_Rule, ...] = (
    ("ruff", "pyproject.toml", "[tool.ruff"),
    ("ruff", "ruff.toml", ""),
    ("ruff", ".ruff.toml", ""),
    ("flake8", ".flake8", ""),
    ("flake8", "setup.cfg", "[flake8]"),
    ("pylint", ".pylintrc", ""),
    ("pylint", "pyproject.toml", "[tool.pylint"),
    ("Biome", "biome.json", ""),
    ("ESLint", "eslint.config.*", ""),
    ("ESLint", ".eslintrc*", ""),
    ("Oxlint", ".oxlintrc.json", ""),
    ("golangci-lint", ".golangci.*", ""),
    ("Clippy", "clippy.toml", ""),
    ("pre-commit", ".pre-commit-config.yaml", ""),
    ("make lint", "Makefile", "\nlint:"),
)
_COVERAGE: tuple[_Rule, ...] = (
    ("coverage.py", "pyproject.toml", "[tool.coverage"),
    ("coverage.py", ".coveragerc", ""),
    ("coverage.py", "setup.cfg", "[coverage:"),
    ("pytest-cov", "pyproject.toml", "pytest-cov"),
    ("Codecov", "codecov.yml", ""),
    ("Codecov", ".codecov.yml", ""),
)
_CI: tuple[_Rule, ...] = (
    ("GitHub Actions", ".github/workflows/*.yml", ""),
    ("GitHub Actions", ".github/workflows/*.yaml", ""),
    ("GitLab CI", ".gitlab-ci.yml", ""),
    ("CircleCI", ".circleci/config.yml", ""),
    ("Jenkins", "Jenkinsfile", ""),
    ("Azure Pipelines", "azure-pipelines.yml", ""),
    ("Bitbucket Pipelines", "bitbucket-pipelines.yml", ""),
    ("Travis CI", ".travis.yml", ""),
    ("Woodpecker", ".woodpecker*", ""),
)
_AGENTS: tuple[_Rule, ...] = tuple((name, mark, "") for name, (_, _, _, marks) in CLIENTS.items() for mark in marks)


def project_facts(root: Path) -> ProjectFacts:
    """Return the tools that the files in `root` name. It reads a few small files, and runs nothing."""
    languages = _found(root, _LANGUAGES)
    if any(each.name == "TypeScript" for each in languages):
        languages = tuple(each for each in languages if each.name != "JavaScript")
    return ProjectFacts(
        languages=languages,
        tests=_node_tools(root, ("vitest", "jest", "mocha"), "test") + _tests(root),
        lint=_found(root, _LINT),
        coverage=_found(root, _COVERAGE) + _scripts(root, lambda name: "coverage" in name),
        ci=_found(root, _CI),
        agents=_found(root, _AGENTS),
        installed=tuple(client for client in FILES if is_program(root, PROGRAMS[client])),
    )


def _tests(root: Path) -> tuple[ToolFact, ...]:
    found = _found(root, _TESTS)
    nextest = any(each.name == "cargo nextest" for each in found)
    return tuple(each for each in found if not (nextest and each.name == "cargo test"))


def _node_tools(root: Path, names: tuple[str, ...], script: str) -> tuple[ToolFact, ...]:
    packages = packages_named(root / "package.json")
    found = tuple(ToolFact(name, "package.json") for name in names if name in packages)
    return found or _scripts(root, lambda name: name == script)


def _scripts(root: Path, fits: Callable[[str], bool]) -> tuple[ToolFact, ...]:
    scripts = package_table(root / "package.json", "scripts")
    return tuple(ToolFact(f"npm run {name}", "package.json") for name in scripts if fits(name))[:1]


def _found(root: Path, rules: tuple[_Rule, ...]) -> tuple[ToolFact, ...]:
    """Return each tool once, with the first file that names it."""
    facts: dict[str, ToolFact] = {}
    for name, pattern, text in rules:
        where = next(_places(root, pattern, text), None) if name not in facts else None
        if where:
            facts[name] = ToolFact(name, where)
    return tuple(facts.values())


def _places(root: Path, pattern: str, text: str) -> Iterator[str]:
    try:
        paths = sorted(root.glob(pattern))
    except OSError:
        return
    for path in paths:
        if not text or text in f"\n{small_text(path)}":
            yield path.relative_to(root).as_posix()
