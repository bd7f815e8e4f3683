"""One module starts git, and what it passes turns programs off; a second way in would be forgotten there."""

import ast
from pathlib import Path

import pytest

import verifflowcc

PACKAGE = Path(verifflowcc.__file__).parent
THE_ONE = PACKAGE / "adapters" / "git" / "command.py"
STARTERS = {"run", "Popen", "call", "check_call", "check_output", "getoutput", "system", "popen", "execvp", "spawnvp"}
READS_FILES = {"diff", "status", "add", "stash", "checkout", "diff-files", "update-index --refresh", "grep"}


def words_in_lists(tree: ast.AST) -> list[tuple[int, str]]:
    """Return the first word of every list and tuple of words, with its line."""
    lists = [node for node in ast.walk(tree) if isinstance(node, ast.List | ast.Tuple) and node.elts]
    firsts = [(node.lineno, node.elts[0]) for node in lists]
    return [
        (line, first.value)
        for line, first in firsts
        if isinstance(first, ast.Constant) and isinstance(first.value, str)
    ]


def calls(tree: ast.AST, names: set[str]) -> list[ast.Call]:
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [node for node in found if getattr(node.func, "attr", getattr(node.func, "id", "")) in names]


@pytest.mark.sweep
def test_no_other_module_starts_git() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if path == THE_ONE:
            assert "git" in [word for _, word in words_in_lists(tree)]
            continue
        started = [
            word for call in calls(tree, STARTERS) for argument in call.args[:1] for _, word in words_in_lists(argument)
        ]
        assert "git" not in started, path
        names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not {"git", "pygit2", "dulwich"} & (names | modules), path


@pytest.mark.sweep
def test_reading_asks_no_command_that_opens_files_of_the_work_tree() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for call in calls(tree, {"ask_git", "start_git"}):
            words = [each.value for each in call.args[1:] if isinstance(each, ast.Constant)]
            assert not READS_FILES & set(words[:2]), f"{path}:{call.lineno}"
