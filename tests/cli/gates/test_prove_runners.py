"""`vfcc prove` with each test framework that is installed: a fix, a weak test, a missing name."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.process import CI, git, vfcc
from tests.proven_repository import COMMAND, proofs, write
from verifflowcc.gates.use.proof_input import test_command as command_of

Files = Mapping[str, str]

UNITTEST = {
    "price.py": "def price(cents):\n    return str(cents / 100)\n",
    "tests/test_price.py": (
        "import unittest\n\nfrom price import price\n\n\nclass TestPrice(unittest.TestCase):\n"
        "    def test_price(self):\n        self.assertEqual(price(250), '2.5')\n\n"
        "    def test_type(self):\n        for cents in (1, 2):\n            with self.subTest(cents):\n"
        "                self.assertIsInstance(price(cents), str)\n"
    ),
}
GO = {
    "go.mod": "module example.org/shop\n\ngo 1.18\n",
    "price.go": (
        'package shop\n\nimport "fmt"\n\nfunc Price(cents int) string {\n\treturn fmt.Sprint(float64(cents) / 100)\n}\n'
    ),
    "price_test.go": (
        'package shop\n\nimport "testing"\n\nfunc TestPrice(t *testing.T) {\n\tif Price(250) != "2.5" {\n'
        '\t\tt.Errorf("got %s", Price(250))\n\t}\n}\n\nfunc TestOther(t *testing.T) {}\n'
    ),
}
SCRIPT = {
    "package.json": '{"name": "shop", "version": "1.0.0", "type": "commonjs"}\n',
    "price.js": "exports.price = (cents) => String(cents / 100);\n",
    "price.test.js": (
        "const { price } = require('./price');\n\ndescribe('price', () => {\n"
        "  it('is in euros', () => {\n    expect(price(250)).toBe('2.5');\n  });\n"
        "  it('is text', () => {\n    expect(typeof price(1)).toBe('string');\n  });\n});\n"
    ),
}
CARGO = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    "Cargo.lock": 'version = 3\n\n[[package]]\nname = "shop"\nversion = "0.1.0"\n',
    "src/lib.rs": (
        'pub fn price(cents: u32) -> String {\n    format!("{}", f64::from(cents) / 100.0)\n}\n\n'
        "#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn euros() {\n"
        '        assert_eq!(price(250), "2.5");\n    }\n}\n'
    ),
}
FRAMEWORKS = {
    "unittest": ("python", f"{Path(sys.executable)} -m unittest discover -s tests", UNITTEST),
    "go": ("go", "go test ./...", GO),
    "jest": ("jest", "jest", SCRIPT),
    "vitest": ("vitest", "vitest run --globals", SCRIPT),
    "cargo": ("cargo", "cargo test --offline", CARGO),
}
FIXES = (
    ("return str(cents / 100)", "return f'{cents / 100:.2f}'"),
    ("fmt.Sprint(float64(cents) / 100)", 'fmt.Sprintf("%.2f", float64(cents)/100)'),
    ("String(cents / 100)", "(cents / 100).toFixed(2)"),
    ('format!("{}"', 'format!("{:.2}"'),
)
WANTED = (("'2.5'", "'2.50'"), ('"2.5"', '"2.50"'))
WEAKER = (
    ("self.assertEqual(price(250), '2.5')", "self.assertIsNotNone(price(250))"),
    ('Price(250) != "2.5"', 'Price(250) == ""'),
    ("toBe('2.5')", "toBeDefined()"),
    ('assert_eq!(price(250), "2.5")', "assert!(!price(250).is_empty())"),
)


@pytest.fixture(params=FRAMEWORKS)
def framework(request: pytest.FixtureRequest) -> tuple[str, Files]:
    program, command, files = FRAMEWORKS[request.param]
    if program != "python" and shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    return command, files


def repository(folder: Path, files: Files) -> Path:
    root = folder / "shop"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    write(root, files)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "start")
    return root


def replaced(files: Files, *changes: tuple[str, str]) -> dict[str, str]:
    found = dict(files)
    for old, new in changes:
        found = {path: text.replace(old, new) for path, text in found.items()}
    return found


def variables() -> dict[str, str]:
    """Where the compilers keep what they made; the fixed environment of the tests has none of it."""
    names = ("GOCACHE", "GOROOT", "CARGO_HOME", "RUSTUP_HOME")
    homes = {"GOCACHE": Path.home() / ".cache/go-build", "CARGO_HOME": Path.home() / ".cargo"}
    homes["RUSTUP_HOME"] = Path.home() / ".rustup"
    return {name: os.environ.get(name) or str(homes[name]) for name in names if name in os.environ or name in homes}


def proof(root: Path, command: str) -> dict[str, object]:
    ran = vfcc(root, "prove", "--command", command, "--yes", "--json", "--full", env={**CI, **variables()})
    assert ran.out, ran
    [found] = ran.data["changes"]
    assert isinstance(found, dict)
    return found


def test_a_fix_is_proven_and_a_test_that_asserts_nothing_is_not(tmp_path: Path, framework: tuple[str, Files]) -> None:
    command, files = framework
    root = repository(tmp_path, files)
    write(root, replaced(files, *FIXES, *WANTED))
    strong = proof(root, command)
    write(root, replaced(files, *WEAKER, *FIXES))
    weak = proof(root, command)

    assert (strong["verdict"], weak["verdict"]) == ("proven", "not discriminating"), (strong, weak)
    tests = strong["tests"]
    assert isinstance(tests, list)
    assert [each["verdict"] for each in tests] == ["proven"]  # the tests that stayed as they were do not run
    assert tests[0]["line"] > 0


@pytest.mark.sweep
def test_a_missing_name_alone_stays_inconclusive(tmp_path: Path, framework: tuple[str, Files]) -> None:
    command, files = framework
    root = repository(tmp_path, files)
    added = {
        "price.py": "\n\nRATE = 3\n",
        "price.go": "\nvar Rate = 3\n",
        "price.js": "exports.Rate = class {};\n",
        "src/lib.rs": "\npub const RATE: u32 = 3;\n",
    }
    tests = {
        "tests/test_price.py": "\n\nclass TestRate(unittest.TestCase):\n    def test_rate(self):\n"
        "        import price\n        self.assertTrue(price.RATE)\n",
        "price_test.go": "\nfunc TestRate(t *testing.T) {\n\tif Rate == 0 {\n\t\tt.Fatal()\n\t}\n}\n",
        "price.test.js": "it('has a rate', () => {\n  expect(new (require('./price').Rate)()).toBeTruthy();\n});\n",
        "tests/rate.rs": "#[test]\nfn rate() {\n    assert!(shop::RATE > 0);\n}\n",
    }
    wanted = {"tests/rate.rs"} if "Cargo.toml" in files else files.keys()
    more = {path: text + added[path] for path, text in files.items() if path in added}
    more |= {path: files.get(path, "") + text for path, text in tests.items() if path in wanted}
    write(root, more)

    found = proof(root, command)

    assert found["verdict"] == "inconclusive", found


@pytest.mark.skipif(shutil.which("go") is None, reason="go is not installed")
def test_a_new_go_function_is_proven_by_its_value_and_not_by_a_call(tmp_path: Path) -> None:
    root = repository(tmp_path, GO)
    double = "\nfunc Double(cents int) (string, error) {\n\treturn Price(2 * cents), nil\n}\n"
    tests = (
        '\nfunc TestDouble(t *testing.T) {\n\tif got, _ := Double(100); got != "2" {\n\t\tt.Fatal(got)\n\t}\n}\n'
        "\nfunc TestCall(t *testing.T) {\n\tDouble(100)\n}\n"
    )
    write(root, {"price.go": GO["price.go"] + double, "price_test.go": GO["price_test.go"] + tests})

    found = proof(root, "go test")

    assert {each["test"]: each["verdict"] for each in found["tests"]} == {  # type: ignore[attr-defined]
        "price_test.go::TestDouble": "proven",
        "price_test.go::TestCall": "not discriminating",
    }


@pytest.mark.skipif(shutil.which("vitest") is None, reason="vitest is not installed")
def test_a_new_script_function_is_proven_by_its_value_and_not_by_a_call(tmp_path: Path) -> None:
    root = repository(tmp_path, SCRIPT)
    tests = (
        "const { double } = require('./price');\nit('doubles', () => {\n  expect(double(100)).toBe('2');\n});\n"
        "it('is called', () => {\n  double(100);\n});\n"
        "it('has a length', () => {\n  expect(double(100).length).toBe(1);\n});\n"
    )
    double = "exports.double = (cents) => exports.price(2 * cents);\n"
    write(root, {"price.js": SCRIPT["price.js"] + double, "price.test.js": SCRIPT["price.test.js"] + tests})

    found = proof(root, "vitest run --globals")

    assert {each["test"]: each["verdict"] for each in found["tests"]} == {  # type: ignore[attr-defined]
        "price.test.js::doubles": "proven",
        "price.test.js::is called": "not discriminating",
        "price.test.js::has a length": "inconclusive",
    }


# Which framework


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"test_a.py": "import unittest\n"}, "python -m unittest"),
        ({"tests/test_a.py": "import unittest\n", "tests/test_b.py": "def test_b(): pass\n"}, "python -m pytest"),
        ({"test_a.py": "import unittest\n", "tox.ini": "[pytest]\n"}, "python -m pytest"),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "python -m pytest"),
        ({"test_a.py": "import unittest\n", ".venv/bin/python": ""}, ".venv/bin/python -m unittest"),
        ({"test_a.py": "", ".venv/bin/pytest": ""}, ".venv/bin/python -m pytest"),
        ({"package.json": '{"devDependencies": {"vitest": "2"}}'}, "npx --no-install vitest run"),
        ({"package.json": '{"devDependencies": {"jest": "29"}}'}, "npx --no-install jest"),
        ({"go.mod": "module a\n"}, "go test"),
        ({"Cargo.toml": "[package]\n"}, "cargo test"),
    ],
)
def test_the_files_of_a_repository_name_its_framework(tmp_path: Path, files: dict[str, str], words: str) -> None:
    root = repository(tmp_path, {"a.txt": ""})
    write(root, files)

    shown = command_of(root, root, None).words

    assert shown.removeprefix(f"{root}/") == words


def test_a_command_that_a_person_names_comes_before_the_files(tmp_path: Path) -> None:
    root = repository(tmp_path, UNITTEST)
    write(root, replaced(UNITTEST, *FIXES, *WANTED))

    [by_pytest] = proofs(root)

    assert COMMAND[1] == "python -m pytest -q"
    assert [each["test"] for each in by_pytest["tests"]] == ["tests/test_price.py::TestPrice::test_price"]  # type: ignore[attr-defined]


# unittest


def test_a_class_whose_setup_fails_without_the_change_is_proven_by_it(tmp_path: Path) -> None:
    root = repository(tmp_path, UNITTEST)
    setup = (
        "class TestPrice(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n"
        "        assert price(250) == '2.50'\n\n"
    )
    test = UNITTEST["tests/test_price.py"].replace("class TestPrice(unittest.TestCase):\n", setup)
    write(root, {**replaced(UNITTEST, *FIXES), "tests/test_price.py": test.replace("'2.5')", "'2.50')")})

    found = proof(root, FRAMEWORKS["unittest"][1])

    assert found["verdict"] == "proven", found


def test_a_skipped_unittest_is_inconclusive(tmp_path: Path) -> None:
    root = repository(tmp_path, UNITTEST)
    write(root, replaced(UNITTEST, *FIXES, ("    def test_price", "    @unittest.skip('later')\n    def test_price")))

    found = proof(root, FRAMEWORKS["unittest"][1])

    assert [each["why"] for each in found["tests"]] == ["is skipped with the change"]  # type: ignore[attr-defined]
