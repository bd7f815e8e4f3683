"""The tools of a project are found in its files, and a typed command becomes the same words in the configuration."""

import shlex
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trees import write_tree
from verifflowcc.base.errors import ConfigError
from verifflowcc.base.text.command_placeholders import fill
from verifflowcc.cli.use.initialise import ProjectFacts, configuration_text, project_facts, suggested_commands
from verifflowcc.sprint.use.command_guess import typed_command
from verifflowcc.sprint.use.configuration import parse_config

pytestmark = pytest.mark.vfcc("REQ-MEMORY-TREE")

RUFF = '[tool.ruff]\nline-length = 99\n[project.optional-dependencies]\ndev = ["pytest", "pytest-cov"]\n'
PROJECTS: list[tuple[dict[str, str], dict[str, list[str]]]] = [
    (
        {"pyproject.toml": RUFF, "tox.ini": "", ".gitlab-ci.yml": "", ".claude/settings.json": "{}"},
        {
            "languages": ["Python"],
            "tests": ["pytest", "tox"],
            "lint": ["ruff"],
            "coverage": ["pytest-cov"],
            "ci": ["GitLab CI"],
            "agents": ["claude"],
        },
    ),
    (
        {
            "package.json": '{"scripts": {"test": "x", "coverage": "y"}, "devDependencies": {"vitest": "4"}}',
            "tsconfig.json": "",
            "eslint.config.mjs": "",
            ".github/workflows/test.yml": "",
            "GEMINI.md": "",
            ".cursor/rules": "",
        },
        {
            "languages": ["TypeScript"],
            "tests": ["vitest"],
            "lint": ["ESLint"],
            "coverage": ["npm run coverage"],
            "ci": ["GitHub Actions"],
            "agents": ["cursor", "gemini"],
        },
    ),
    (
        {"package.json": '{"scripts": {"test": "node --test"}}', "Jenkinsfile": ""},
        {"languages": ["JavaScript"], "tests": ["npm run test"], "ci": ["Jenkins"]},
    ),
    (
        {"go.mod": "", ".golangci.yml": "", "Makefile": "build:\n\ntest:\n\tgo test ./...\n", "codecov.yml": ""},
        {
            "languages": ["Go"],
            "tests": ["go test", "make test"],
            "lint": ["golangci-lint"],
            "coverage": ["Codecov"],
        },
    ),
    ({"Cargo.toml": "", ".config/nextest.toml": ""}, {"languages": ["Rust"], "tests": ["cargo nextest"]}),
    ({"noxfile.py": "", "AGENTS.md": "", "package.json": "[1"}, {"languages": ["JavaScript"], "tests": ["nox"]}),
    ({"Makefile/x": "", "pyproject.toml/x": ""}, {"languages": ["Python"]}),
    ({}, {}),
]


@pytest.mark.parametrize(("files", "tools"), PROJECTS, ids=[next(iter(files), "nothing") for files, _ in PROJECTS])
def test_the_tools_that_the_files_name_are_found(
    tmp_path: Path, files: dict[str, str], tools: dict[str, list[str]]
) -> None:
    write_tree(tmp_path, files)

    facts = project_facts(tmp_path)

    assert names(facts) == tools
    assert all((tmp_path / each.where).exists() for each in (*facts.languages, *facts.tests, *facts.ci, *facts.agents))


def names(facts: ProjectFacts) -> dict[str, list[str]]:
    subjects = ("languages", "tests", "lint", "coverage", "ci", "agents")
    return {each: [tool.name for tool in getattr(facts, each)] for each in subjects if getattr(facts, each)}


def test_the_commands_are_those_that_the_workflow_names(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pyproject.toml": RUFF})

    commands = {each: configured(tmp_path, each) for each in ("light", "standard")}

    assert commands["light"] == {"test": ["python", "-m", "pytest", "--junitxml=J"]}
    assert commands["standard"] == {
        "test": ["python", "-m", "pytest", "--junitxml=J", "--cov", "--cov-branch", "--cov-report=xml:C"],
        "lint": ["ruff", "check", "--output-format=sarif", "--output-file=S", "."],
    }


def configured(root: Path, workflow: str) -> dict[str, list[str]]:
    text = configuration_text(workflow, suggested_commands(root, workflow))
    commands = parse_config(text.encode()).gates.commands
    paths = {"junit": "J", "coverage": "C", "sarif": "S"}
    return {name: [fill(word, paths) for word in each.argv] for name, each in commands.items()}


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12), min_size=1, max_size=5))
def test_a_typed_command_is_configured_with_the_very_words(words: list[str]) -> None:
    text = configuration_text("light", [typed_command(shlex.join(words))])

    try:
        argv = parse_config(text.encode()).gates.commands["test"].argv
    except ConfigError:
        assert not words[0] or any(not word.isprintable() for word in words)
        return
    typed = [fill(word, {"junit": "{junit}"}) for word in argv]
    assert [each for each in typed if "{junit}" not in each] == [each for each in words if "{junit}" not in each]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pytest -q", ("pytest", "-q", "--junitxml={junit}")),
        ("uv run pytest --junitxml={junit}", ("uv", "run", "pytest", "--junitxml={junit}")),
        ("npx vitest run", ("npx", "vitest", "run", "--reporter=junit", "--outputFile={junit}")),
        ("gotestsum ./...", ("gotestsum", "--junitfile={junit}", "./...")),
        ("make test '{x}'", ("make", "test", "{{x}}")),
    ],
)
def test_a_known_runner_gets_the_option_for_its_junit_report(text: str, words: tuple[str, ...]) -> None:
    assert typed_command(text).words == words
