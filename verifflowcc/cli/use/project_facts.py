"""The tools of a project, as its files name them: languages, tests, lint, coverage, CI, and clients of agents."""

from collections.abc import Callable, Iterator
from pathlib import Path

from verifflowcc.base.files.installed import is_program
from verifflowcc.base.files.text_files import package_table, packages_named, small_text
from verifflowcc.base.model.agent_clients import CLIENTS, FILES, PROGRAMS
from verifflowcc.base.records import dataclass


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
