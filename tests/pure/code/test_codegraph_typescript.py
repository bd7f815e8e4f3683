"""Imports of TypeScript and JavaScript: the file that TypeScript finds, by facts that it documents and in projects that
are made up."""

import random
from pathlib import Path
from posixpath import relpath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.clients.installed import Client, needed
from tests.pure.code_in_memory import CodeInMemory, code_of
from tests.script_projects import Asked, project, resolved, running
from verifflowcc.code.rules.bind_queries import callees, callers, imported_by, imports

TYPESCRIPT = Client("TypeScript", "typescript@5.9.3", "typescript/lib/typescript.js", runs_alone=False)
USER = "src/user.ts"
Files = list[str | tuple[str, str]]
"""Paths, of manifests with their text."""
Fact = tuple[str, Files, str]
PATHS = '{"compilerOptions": {"paths": %s}}'
EXPORTS = '{"name": "@zoo/ape", "exports": %s}'

RELATIVE: list[Fact] = [
    ("./a", ["src/a.ts", "src/a.tsx", "src/a.d.ts", "src/a.js", "src/a/index.ts"], "src/a.ts"),
    ("./a", ["src/a.tsx", "src/a.d.ts", "src/a.js"], "src/a.tsx"),
    ("./a", ["src/a.d.ts", "src/a.js", "src/a.jsx"], "src/a.d.ts"),
    ("./a", ["src/a.js", "src/a.jsx", "src/a/index.ts"], "src/a.js"),
    ("./a", ["src/a/index.tsx", "src/a/index.js", "src/a.mts"], "src/a/index.tsx"),
    ("./a.js", ["src/a.ts", "src/a.js"], "src/a.ts"),
    ("./a.js", ["src/a.tsx", "src/a.js"], "src/a.tsx"),
    ("./a.js", ["src/a.d.ts", "src/a.js"], "src/a.d.ts"),
    ("./a.js", ["src/a.js", "src/a.js.ts"], "src/a.js"),
    ("./a.js", ["src/a.js.ts", "src/b.ts"], "src/a.js.ts"),
    ("./a.jsx", ["src/a.ts", "src/a.tsx", "src/a.jsx"], "src/a.tsx"),
    ("./a.mjs", ["src/a.ts", "src/a.mts", "src/a.mjs"], "src/a.mts"),
    ("./a.mjs", ["src/a.d.mts", "src/a.mjs"], "src/a.d.mts"),
    ("./a.cjs", ["src/a.cts", "src/a.cjs", "src/a.ts"], "src/a.cts"),
    ("./a.ts", ["src/a.ts", "src/a/index.ts"], "src/a.ts"),
    ("./a.b", ["src/a.b.ts", "src/a.ts"], "src/a.b.ts"),
    ("./a/", ["src/a.ts", "src/a/index.ts"], "src/a/index.ts"),
    (".", ["src.ts", "src/index.ts"], "src/index.ts"),
    ("..", ["index.ts", "src/index.ts"], "index.ts"),
    ("../", ["lib/a.ts", "index.ts", ("package.json", '{"main": "lib/a.js"}')], "lib/a.ts"),
    ("../lib/a", ["lib/a.ts", "src/lib/a.ts"], "lib/a.ts"),
    ("./a", ["src/a/main.ts", "src/a/index.ts", ("src/a/package.json", '{"main": "./main.js"}')], "src/a/main.ts"),
    ("./a", ["src/a/index.ts", ("src/a/package.json", '{"main": "./none.js"}')], "src/a/index.ts"),
    ("./a", ["src/a.ts", "src/a/main.ts", ("src/a/package.json", '{"main": "./main.js"}')], "src/a.ts"),
]
CONFIGURED: list[Fact] = [
    ("@/a", ["src/a.ts", ("tsconfig.json", PATHS % '{"@/*": ["./src/*"]}')], "src/a.ts"),
    ("@/a", ["lib/a.ts", ("tsconfig.json", PATHS % '{"@/*": ["./none/*", "./lib/*"]}')], "lib/a.ts"),
    (
        "@/x/a",
        ["lib/x/a.ts", "x/a.ts", ("tsconfig.json", PATHS % '{"@/*": ["./lib/*"], "@/x/*": ["./x/*"]}')],
        "x/a.ts",
    ),
    ("~a", ["a.ts", "b.ts", ("tsconfig.json", PATHS % '{"~*": ["./b"], "~a": ["./a"]}')], "a.ts"),
    ("a", ["lib/a.ts", ("tsconfig.json", '{"compilerOptions": {"baseUrl": "lib"}}')], "lib/a.ts"),
    (
        "@/a",
        [
            "src/a.ts",
            ("tsconfig.json", '{"extends": ["./config/one.json", "./config/tsconfig.two.json"]}'),
            ("config/tsconfig.two.json", PATHS % '{"@/*": ["../src/*"]}'),
        ],
        "src/a.ts",
    ),
    (
        "@/a",
        [
            "src/a.ts",
            "src/inner/a.ts",
            ("tsconfig.json", PATHS % '{"@/*": ["./src/*"]}'),
            ("src/tsconfig.json", PATHS % '{"@/*": ["./inner/*"]}'),
        ],
        "src/inner/a.ts",
    ),
    ("#a", ["src/a.ts", ("package.json", '{"imports": {"#a": "./src/a.ts", "#*": "./*.ts"}}')], "src/a.ts"),
    ("#a", ["src/a.ts", ("package.json", '{"imports": {"#*": "./src/*.js"}}')], "src/a.ts"),
]
PACKAGED: list[Fact] = [
    ("@zoo/ape", ["packages/ape/one.ts", ("packages/ape/package.json", EXPORTS % '"./one.js"')], "packages/ape/one.ts"),
    (
        "@zoo/ape/x/a",
        [
            "packages/ape/x/a.ts",
            "packages/ape/y/a.ts",
            ("packages/ape/package.json", EXPORTS % '{"./*": "./*.ts", "./x/*": "./y/*.ts"}'),
        ],
        "packages/ape/y/a.ts",
    ),
    (
        "@zoo/ape/a",
        [
            "packages/ape/a.js",
            ("packages/ape/package.json", EXPORTS % '{"./*": {"types": "./*.ts", "default": "./*.js"}}'),
        ],
        "packages/ape/a.js",
    ),
    (
        "@zoo/ape",
        ["packages/ape/lib/a.ts", ("packages/ape/package.json", '{"name": "@zoo/ape", "main": "./lib/a.js"}')],
        "packages/ape/lib/a.ts",
    ),
    (
        "@zoo/ape/a",
        [
            "packages/ape/a.js",
            "packages/ape/a/main.ts",
            ("packages/ape/package.json", '{"name": "@zoo/ape"}'),
            ("packages/ape/a/package.json", '{"main": "./main.js"}'),
        ],
        "packages/ape/a/main.ts",
    ),
]
FACTS = [*RELATIVE, *CONFIGURED, *PACKAGED]


def texts_of(files: Files) -> dict[str, str]:
    texts = {each: "export const x = 1;\n" for each in files if isinstance(each, str)}
    return {USER: "", **texts, **dict(each for each in files if not isinstance(each, str))}


def meant_files(texts: dict[str, str], asked: list[Asked]) -> list[str]:
    """Return the file that each import means; empty for none."""
    whole = dict(texts)
    for path, module in asked:
        whole[path] += f"import '{module}';\n"
    code = code_of(whole)
    found = {(path, each.module): each.files for path in dict(asked) for each in imports(code, path)}
    assert all(file in texts for files in found.values() for file in files)
    return [next(iter(found[each]), "") for each in asked]


@pytest.mark.parametrize(("module", "files", "expected"), FACTS)
def test_a_module_means_the_file_that_typescript_documents(module: str, files: Files, expected: str) -> None:
    assert meant_files(texts_of(files), [(USER, module)]) == [expected]


def test_in_javascript_what_runs_is_meant_and_not_its_declaration() -> None:
    texts = {"a.js": "", "a.d.ts": "", "b/index.js": "", "b/index.d.ts": "", "c.d.ts": "", "user.js": "", "user.ts": ""}
    asked = [(user, module) for module in ("./a", "./a.js", "./b", "./c") for user in ("user.js", "user.ts")]

    assert meant_files(texts, asked) == [
        *("a.js", "a.d.ts", "a.js", "a.d.ts", "b/index.js", "b/index.d.ts", "c.d.ts", "c.d.ts")
    ]


def in_a_circle(files: dict[str, str], draw: random.Random) -> CodeInMemory:
    """Return the code of a project in which files take all of each other, under other names too, and call it."""
    users = [path for path in files if not path.endswith(".json")]
    texts = dict(files)
    for path in users:
        for number in range(draw.randint(1, 3)):
            other = relpath(draw.choice(users), f"{path}/..").rpartition(".")[0]
            near = other if other.startswith(".") else f"./{other}"
            texts[path] += f"export * from '{near}';\nexport {{ x as y{number}, y0 as x }} from '{near}';\n"
            texts[path] += (
                f"import * as all{number}, {{ x as z{number} }} from '{near}';\nall{number}.y0(z{number}());\n"
            )
        texts[path] += f"export function f_{users.index(path)}() {{ return import('./{draw.choice('ab')}'); }}\n"
    return code_of(texts)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_nothing_is_raised_and_each_import_means_a_file_that_is_there(seed: int) -> None:
    draw = random.Random(seed)
    files, asked = project(draw)

    meant_files(files, asked)

    code = in_a_circle(files, draw)
    for path in code.files:
        for each in imported_by(code, path):
            assert path in each.files
        for place in range(len(code.head(path).definitions)):
            links = [*callers(code, path, place), *callees(code, path, place)]
            assert {each.path for each in links} <= set(code.files)


@pytest.mark.sweep
def test_typescript_resolves_the_same_files(tmp_path: Path) -> None:
    typescript = needed(TYPESCRIPT)
    facts = [(texts_of(files), [(USER, module)]) for module, files, _ in FACTS]
    projects = [*facts, *(project(random.Random(seed)) for seed in range(15))]
    answers = resolved(typescript, projects, tmp_path)

    assert [each for (each,) in answers[: len(facts)]] == [expected for _, _, expected in FACTS]
    for (files, asked), answer in zip(projects, answers, strict=True):
        ours = meant_files(files, asked)
        for (path, module), theirs, here in zip(asked, answer, ours, strict=True):
            if theirs in files:
                assert here == running(path, theirs, files), (path, module, sorted(files))
