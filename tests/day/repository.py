"""The small repository that a day happens in: a Python package of one function, its test, and commands for evidence."""

FILES = {
    "README.md": "# greetings\n\nGreets people by name.\n",
    ".gitignore": "__pycache__/\n.coverage\n.*_cache/\n",
    "pyproject.toml": '[project]\nname = "greetings"\n\n[tool.pytest.ini_options]\npythonpath = ["."]\n',
    "greetings/__init__.py": 'def greet(name: str) -> str:\n    return f"Hello, {name}!"\n',
    "tests/test_greet.py": (
        'from greetings import greet\n\n\ndef test_greet() -> None:\n    assert greet("Ada") == "Hello, Ada!"\n'
    ),
}
"""Names of files and their texts."""

COMMANDS = """\
gates:
  commands:
    test: {run: [python, -m, pytest, -q, "--junitxml={junit}"]}
"""
ALL_COMMANDS = """\
gates:
  commands:
    build: {run: [python, -m, compileall, -q, greetings]}
    lint: {run: [ruff, check, --isolated, --exit-zero, --output-format, sarif, -o, "{sarif}", greetings]}
    test: {run: [python, -m, pytest, -q, "--junitxml={junit}", --cov, --cov-branch, "--cov-report=xml:{coverage}"]}
    integration: {run: [python, -m, pytest, -q, "--junitxml={junit}", tests/test_integration.py]}
    system: {run: [python, -m, pytest, -q, "--junitxml={junit}", tests/test_system.py]}
"""
GOAL = "Shout a greeting for people who are far away"
LOUD = """\
from greetings import greet


def shout(name: str) -> str:
    if not name:
        return ""
    return greet(name).upper()
"""
TEST_LOUD = """\
from greetings.loud import shout


def test_shout() -> None:
    assert shout("Ada") == "HELLO, ADA!"
"""
