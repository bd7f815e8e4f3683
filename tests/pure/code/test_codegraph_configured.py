"""Modules by a project's configuration, and calls whose object is not declared."""

import pytest

from tests.pure.code_in_memory import CodeInMemory, code_of, meant
from verifflowcc.code.rules.bind_queries import callers, imports
from verifflowcc.code.rules.binding import Binder
from verifflowcc.code.rules.graph import CONFIDENT
from verifflowcc.code.rules.project_manifests import plain_json, read_manifest

USE = "import { add } from '%s';\nadd(1);\n"
ADD = "export function add(n: number) {}\n"


def target(files: dict[str, str], path: str) -> tuple[str, ...]:
    """Return the files that the first import of a file means."""
    return imports(code_of(files), path)[0].files


@pytest.mark.parametrize(
    ("module", "file", "configuration"),
    [
        (
            "@app/sum",
            "src/app/sum.ts",
            {"tsconfig.json": '{"compilerOptions": {"paths": {"@app/*": ["./src/app/*"]}}}'},
        ),
        ("app/sum", "src/app/sum.ts", {"tsconfig.json": '{"compilerOptions": {"baseUrl": "src"}}'}),
        (
            "~sum",
            "src/app/sum.ts",
            {
                "tsconfig.json": '// ours\n{"extends": "./config/tsconfig.base", /* none */ "include": ["src",],}',
                "config/tsconfig.base.json": '{"compilerOptions": {"baseUrl": "..", "paths": {"~*": ["src/app/*"]}}}',
            },
        ),
        ("@acme/sum", "packages/math/src/index.ts", {"packages/math/package.json": '{"name": "@acme/sum"}'}),
        (
            "@acme/sum/deep",
            "packages/math/src/inner/deep.ts",
            {
                "packages/math/package.json": '{"name": "@acme/sum", "exports": {".": "./dist/index.js",'
                ' "./*": {"types": "./dist/inner/*.d.ts", "default": "./dist/inner/*.js"}}}'
            },
        ),
        ("#sum", "lib/sum.js", {"package.json": '{"imports": {"#sum": "./lib/sum.js"}}'}),
    ],
)
def test_a_module_is_found_as_the_configuration_says(module: str, file: str, configuration: dict[str, str]) -> None:
    files = {"src/web/page.ts": USE % module, file: ADD, **configuration}

    assert target(files, "src/web/page.ts") == (file,)
    assert meant(code_of(files), "src/web/page.ts:2", "add") == [f"{file}::add"]


def test_the_nearest_configuration_of_several_packages_counts() -> None:
    files = {
        "a/tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
        "b/tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
        "a/src/sum.ts": ADD,
        "b/src/sum.ts": ADD,
        "b/src/page.ts": USE % "@/sum",
    }
    assert target(files, "b/src/page.ts") == ("b/src/sum.ts",)


def test_go_modules_are_those_that_are_declared() -> None:
    files = {
        "go.mod": "module example.org/shop\n\ngo 1.22\n\nreplace example.org/tax => ./third/tax\n",
        "tools/go.mod": "module example.org/tools // beside it\n",
        "cmd/main.go": 'package main\n\nimport "example.org/shop/money"\nimport "example.org/tax"\n'
        'import "example.org/tools/gen"\n',
        "money/money.go": "package money\n",
        "third/tax/tax.go": "package tax\n",
        "tools/gen/gen.go": "package gen\n",
    }
    assert [each.files for each in imports(code_of(files), "cmd/main.go")] == [
        ("money/money.go",),
        ("third/tax/tax.go",),
        ("tools/gen/gen.go",),
    ]


def test_an_import_is_outside_only_if_it_is_declared() -> None:
    files = {
        "package.json": '{"dependencies": {"left-pad": "1"}}',
        "pad.ts": "export function pad() {}\n",
        "a.ts": "import { pad } from 'left-pad';\npad();\n",
        "b.ts": "import { pad } from 'generated/pad';\npad();\n",
    }
    links = callers(code_of(files), "pad.ts", 0)

    assert [(each.path, each.confidence < CONFIDENT) for each in links] == [("b.ts", True)]
    assert links[0].candidate is not None
    assert links[0].candidate.why == "its module is not found; the only one of its name"


@pytest.mark.parametrize(
    "spelling", ["Self", "t.Self", "typing_extensions.Self", '"Self"', "te.Self | None", "T", '"Rule"']
)
def test_a_method_that_returns_its_own_type_leads_on(spelling: str) -> None:
    own = "self: T" if spelling == "T" else "self"
    text = f"class Rule:\n    def bind({own}) -> {spelling}: ...\n    def compile(self): ...\n"
    code = code_of({"rule.py": text, "app.py": "from rule import Rule\n\nRule().bind().compile()\n"})

    assert meant(code, "app.py:3", "compile") == ["rule.py::Rule.compile"]


def possible(code: CodeInMemory, path: str, name: str) -> list[tuple[str, int, str]]:
    place = next(number for number, each in enumerate(code.head(path).definitions) if each.name == name)
    links = callers(Binder(code), path, place)
    return [(each.path, each.confidence, each.candidate.why) for each in links if each.candidate]


def test_a_call_on_an_injected_object_is_known_by_its_default_or_possible_with_a_reason() -> None:
    code = code_of(
        {
            "search.ts": "export async function searchFiles(root: string) {}\n",
            "pack.ts": "import { searchFiles } from './search.js';\nconst defaults = { searchFiles };\n"
            "export const pack = async (deps = defaults) => {\n  await deps.searchFiles('a');\n};\n",
            "other.ts": "export function run(deps) {\n  deps.searchFiles('b');\n}\n",
        }
    )
    assert possible(code, "search.ts", "searchFiles") == [
        ("pack.ts", 85, "its object holds it"),
        ("other.ts", 50, "an object may hold it: it is passed as a value"),
    ]


def test_a_call_of_a_dynamically_imported_module_is_known() -> None:
    code = code_of(
        {
            "act.ts": "export function runAction() {}\n",
            "cli.ts": "export async function main() {\n  const act = await import('./act.js');\n  act.runAction();\n"
            "  const { runAction } = await import('./act.js');\n  runAction();\n}\n",
        }
    )
    assert [each[0] for each in possible(code, "act.ts", "runAction") if each[1] >= CONFIDENT] == ["cli.ts", "cli.ts"]


def test_a_using_and_a_require_lead_to_files() -> None:
    csharp = {
        "src/Money.cs": "namespace Shop.Billing;\nclass Money { }\n",
        "web/Page.cs": "using Shop.Billing;\nclass Page { }\n",
    }
    php = {"web/lib/tax.php": "<?php function tax() {}\n", "lib/tax.php": "<?php\n"}
    page = {"web/page.php": "<?php\nrequire_once __DIR__ . '/lib/tax.php';\ntax();\n"}

    assert target(csharp, "web/Page.cs") == ("src/Money.cs",)
    assert target({**php, **page}, "web/page.php") == ("web/lib/tax.php",)


def test_a_member_of_an_imported_module_is_not_called_a_name_of_the_same_file() -> None:
    code = code_of({"base.py": "def clamp(): ...\n", "app.py": "import base\n\nbase.clamp()\n"})

    assert possible(code, "base.py", "clamp") == [("app.py", 95, "in the imported module")]


@pytest.mark.parametrize("text", ["", "[", "{", '{"a": }', "[[[" * 5000, '{"compilerOptions": 3, "extends": [1]}'])
def test_a_damaged_manifest_says_nothing(text: str) -> None:
    assert plain_json(text) is None or text.startswith('{"comp')
    assert read_manifest("tsconfig", text.encode()) == read_manifest("package", text.encode()) == ()
