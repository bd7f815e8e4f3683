"""Marks and symbols in source texts: in comments and docstrings alone, in every language that is listed."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from verifflowcc.code.rules.comment_syntax import LANGUAGES, language_of, script_language
from verifflowcc.code.rules.marks import LARGEST_SCANNED, ids_in, read_code

pytestmark = pytest.mark.vfcc("REQ-TRACE-MARKS")

M = "vfcc" + ": "  # spelled so that this file has no marks of its own


def marks(path: str, text: str) -> list[tuple[str, int, str]]:
    """Every id with its line and symbol."""
    return [(name, mark.line, mark.symbol) for mark in read_code(path, text)[0] for name in mark.ids]


def symbols(path: str, text: str) -> dict[str, tuple[int, int]]:
    return {each.name: (each.line, each.end) for each in read_code(path, text)[1]}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (M + "REQ-a", ("REQ-a",)),
        (M.strip() + "REQ-a", ("REQ-a",)),
        (M + "REQ-a, REQ-b; REQ.c_1", ("REQ-a", "REQ-b", "REQ.c_1")),
        (M + "REQ-a.", ("REQ-a",)),
        (M + "REQ-a, REQ-b).", ("REQ-a", "REQ-b")),
        (M + "REQ-a checks it", ("REQ-a",)),
        (M + "REQ-a, and more", ("REQ-a",)),
        (M + "REQ-a, REQ-a", ("REQ-a",)),
        (M + "ANF-größe", ("ANF-größe",)),
        (M + "42", ("42",)),
        (M + "the tool", ()),
        (M + "REQ-…", ()),
        (M + "REQ-...", ()),
        (M + "REQ-<id>", ()),
        (M + "REQ-{name}", ()),
        (M + "REQ-*", ()),
        (M, ()),
        (M + "-", ()),
        ("`" + M + "REQ-a`", ()),
        ('"' + M + 'REQ-a"', ()),
        ("tool:" + M + "REQ-a", ()),
        ("vfcc REQ-a", ()),
        ("VFCC: REQ-a", ()),
    ],
)
def test_ids_of_a_mark(text: str, ids: tuple[str, ...]) -> None:
    assert ids_in(text) == ids


COMMENTS = {
    "a.c": "/* {} */", "a.cpp": "// {}", "a.h": "/**\n * {}\n */", "a.cs": "/// {}", "a.java": "/** {} */",
    "a.kt": "/* /* */ {} */", "a.go": "// {}", "a.rs": "//! {}", "a.swift": "// {}", "a.js": "// {}",
    "a.tsx": "/* {} */", "a.php": "<?php # {}", "a.rb": "=begin\n{}\n=end", "a.ex": "# {}", "a.sh": "x=1 # {}",
    "a.ps1": "<# {} #>", "a.sql": "-- {}", "a.lua": "--[[ {} ]]", "a.hs": "{{- {} -}}", "a.lisp": "#| {} |#",
    "a.clj": ";; {}", "a.html": "<!-- {} -->", "a.xml": "<!--\n{}\n-->", "a.vue": "<script>\n// {}\n</script>",
    "a.css": "/* {} */", "a.scss": "// {}", "a.yaml": "a: 1 # {}", "a.toml": "# {}", "a.ini": "; {}",
    "Makefile": "# {}", "Dockerfile": "# {}", "a.pl": "=pod\n\n{}\n\n=cut", "a.R": "# {}", "a.erl": "% {}",
    "a.mat.matlab": "% {}", "a.m": "function f\n% {}", "a.vb": "' {}", "a.bat": "REM {}", "a.cmd": ":: {}",
    "a.f90": "! {}", "a.f": "c {}", "a.adb": "-- {}", "a.tex": "% {}", "a.ml": "(* {} *)", "a.pas": "{{ {} }}",
    "a.jl": "#= {} =#", "a.nim": "#[ {} ]#", "a.tf": "# {}", "a.proto": "// {}", "a.vhd": "-- {}",
    "a.cmake": "#[[ {} ]]", "a.asm": "; {}", "a.cob": "      * {}", "a.feature": "# {}", "a.zig": "// {}",
    "a.dart": "/// {}", "a.scala": "// {}", "a.groovy": "// {}", "a.nix": "# {}", "a.fs": "(* {} *)", "a.py": "# {}",
    "a.graphql": "# {}", "a.pro": "% {}", "a.bzl": "# {}", "a.awk": "# {}",
}  # fmt: skip


@pytest.mark.parametrize("path", sorted(COMMENTS))
def test_a_comment_of_each_language_holds_marks(path: str) -> None:
    text = COMMENTS[path].format(M + "REQ-a, REQ-b")
    assert [name for name, _, _ in marks(path, text)] == ["REQ-a", "REQ-b"]


def test_every_language_has_a_comment_among_the_examples() -> None:
    assert {language_of(path) for path in COMMENTS} | {"c"} >= set(LANGUAGES)


STRINGS = {
    "a.py": ['x = "# {}"', "x = '''\n# {}\n'''", 'f(r"\\" # {}")', 'x = "a\\\n# {}"'],
    "a.c": ['x = "// {}";', 'x = "\\"// {}";', 'x = \'"\'; y = "/* {} */";'],
    "a.cpp": ['x = R"x(\n// {}\n)x";'],
    "a.js": ["x = `// {}`", "x = `${`// {}`}`", "x = '// {}'", "x = /\\/\\/ {}/", "x = /[/]// {}/"],
    "a.go": ["x := `\n// {}\n`"],
    "a.rs": ['let x = r#"\n// "{}\n"#;'],
    "a.cs": ['x = @"\n// {}";'],
    "a.java": ['x = """\n// {}\n""";'],
    "a.sh": ["echo '# {}'", "cat <<EOF\n# {}\nEOF", 'echo "\n# {}"', "echo a#{}"],
    "a.rb": ["x = <<~EOS\n  # {}\nEOS", "x = '# {}'"],
    "a.php": ["<?php $x = <<<EOT\n// {}\nEOT;"],
    "a.sql": ["select '-- {}'"],
    "a.lua": ["x = [==[\n-- {}\n]==]"],
    "a.hs": ['x = "-- {}"', "x --> {}"],
    "a.html": ["<p>// {}</p>", "<script>x = '// {}'</script>"],
    "a.yaml": ["a: '# {}'", "a: b#{}"],
    "a.toml": ['a = """\n# {}\n"""'],
    "a.tex": ["5\\% {}"],
    "a.erl": ["x = $%, {}."],
}


@pytest.mark.parametrize(("path", "text"), [(path, text) for path, texts in STRINGS.items() for text in texts])
def test_a_string_holds_none(path: str, text: str) -> None:
    assert marks(path, text.replace("{}", M + "REQ-a")) == []
    assert marks(path, text.replace("{}", "") + "\n" + COMMENTS[path].format(M + "REQ-b"))


def test_a_file_of_an_unknown_language_is_scanned_by_its_first_line_alone() -> None:
    assert marks("bin/tool", f"#!/usr/bin/env -S python3.11 -B\n# {M}REQ-a\n") == [("REQ-a", 2, "")]
    assert marks("bin/tool", f"#!/bin/bash\n# {M}REQ-a\n") == [("REQ-a", 2, "")]
    assert marks("bin/tool", f"# {M}REQ-a\n") == []
    assert marks("notes.md", f"# {M}REQ-a\n") == []
    assert script_language("#!") is None


def test_python_is_read_exactly() -> None:
    text = (
        f'"""Of the file. {M}REQ-file"""\n'
        "import pytest\n\n"
        'pytestmark = [pytest.mark.slow, pytest.mark.vfcc("REQ-all")]\n\n'
        f"# {M}REQ-above\n"
        "@pytest.mark.vfcc('REQ-one', 'REQ-two')\n"
        "def test_a():\n"
        f'    """{M}REQ-doc"""\n'
        f'    x = "{M}REQ-string"  # {M}REQ-behind\n\n\n'
        '@pytest.mark.vfcc(["REQ-list"])\n'
        "class TestB:\n"
        '    pytestmark = pytest.mark.vfcc("REQ-class")\n\n'
        "    async def test_c(self):\n"
        f"        # {M}REQ-inner\n"
        "        def inner(): ...\n"
        '    @pytest.mark.parametrize("n", [pytest.param(1, marks=pytest.mark.vfcc("REQ-case"))])\n'
        "    def test_d(self, n): ...\n"
    )
    assert [(name, symbol) for name, _, symbol in marks("tests/test_a.py", text)] == [
        ("REQ-file", ""),
        ("REQ-all", ""),
        ("REQ-above", "test_a"),
        ("REQ-one", "test_a"),
        ("REQ-two", "test_a"),
        ("REQ-doc", "test_a"),
        ("REQ-behind", "test_a"),
        ("REQ-list", "TestB"),
        ("REQ-class", "TestB"),
        ("REQ-inner", "TestB.test_c.inner"),
        ("REQ-case", "TestB.test_d"),
    ]
    assert symbols("tests/test_a.py", text)["TestB.test_d"] == (20, 21)


def test_a_python_file_with_an_error_is_read_by_its_comments() -> None:
    text = f"def f(:\n    # {M}REQ-a\n    pass\n\n\ndef g():\n    x = '# {M}REQ-b'\n"
    assert marks("a.py", text) == [("REQ-a", 2, "f")]
    assert symbols("a.py", text) == {"f": (1, 3), "g": (6, 7)}


def test_a_mark_belongs_to_what_follows_its_comment_save_at_the_top_of_the_file() -> None:
    text = (
        f"// {M}REQ-file\n\n// {M}REQ-f\n// and more\nvoid f(void)\n{{\n}}\n\n// {M}REQ-g\n\nvoid g() {{\n"
        f"  int a; // {M}REQ-g2\n}}\n\n// {M}REQ-end\n"
    )
    assert marks("a.c", text) == [
        ("REQ-file", 1, ""),
        ("REQ-f", 3, "f"),
        ("REQ-g", 9, "g"),
        ("REQ-g2", 12, "g"),
        ("REQ-end", 15, ""),
    ]


SYMBOLS = {
    "a.go": ("func TestX(t *testing.T) {\n}\nfunc (r *Repo) Get() (int, error) {\n}\n", ["TestX", "Repo.Get"]),
    "a.rs": ("mod tests {\n  #[test]\n  fn adds() {}\n}\n", ["tests", "tests.adds"]),
    "A.java": ("class A {\n  @Test\n  public void adds() throws X {}\n}\n", ["A", "A.adds"]),
    "A.cs": ("namespace N {\n class A {\n  [Fact]\n  public async Task Adds() {}\n }\n}\n", ["N", "N.A", "N.A.Adds"]),
    "a.kt": ("class A : B() {\n  fun `adds two`() {}\n}\n", ["A", "A.adds two"]),
    "a.js": (
        'describe("sum", () => {\n  it("adds", async () => {})\n  test.only("more", function (done) {})\n})\n',
        ["sum", "sum.adds", "sum.more"],
    ),
    "b.ts": (
        "const f = (a: number): number => {\n}\nexport class A {\n  g(a: string): void {}\n}\n",
        ["f", "A", "A.g"],
    ),
    "a.cpp": ('TEST(Sum, Adds) {}\nTEST_CASE("more") {}\nvoid A::f() const {}\n', ["Sum.Adds", "more", "A.f"]),
    "a.c": ("static int f(int a)\n{\n  if (a) { g(); }\n}\n", ["f"]),
    "a.php": ("<?php class A { public function testX(): void {} }\n", ["A", "A.testX"]),
    "a.swift": ("class A: B {\n  func testX() throws {}\n}\n", ["A", "A.testX"]),
    "a.rb": ('class A\n  def test_x\n  end\nend\nit "adds" do\nend\n', ["A", "A.test_x", "adds"]),
    "a.ex": ('defmodule A do\n  test "adds" do\n  end\nend\n', ["A", "A.adds"]),
    "a.sh": ("test_x() {\n  :\n}\n", ["test_x"]),
    "a.lua": ("local function f()\n  x()\nend\n", ["f"]),
    "a.R": ("f <- function(x) {\n  x\n}\ntest_that('adds', {\n})\n", ["f", "adds"]),
    "a.sql": ("CREATE OR REPLACE FUNCTION a.f(x int)\n  AS 'x';\n", ["a.f"]),
    "a.vb": ("Class A\n  Public Sub F()\n  End Sub\nEnd Class\n", ["A", "A.F"]),
    "a.f90": ("module m\n  subroutine s(x)\n  end subroutine\nend module\n", ["m", "m.s"]),
    "a.clj": ("(deftest adds\n  (is 1))\n", ["adds"]),
    "a.jl": ('function f(x)\n  x\nend\n@testset "adds" begin\nend\n', ["f", "adds"]),
    "a.dart": ("void main() {\n  test('adds', () {\n  });\n}\n", ["main"]),
}


@pytest.mark.parametrize("path", sorted(SYMBOLS))
def test_functions_classes_and_tests_are_found(path: str) -> None:
    text, names = SYMBOLS[path]
    assert list(symbols(path, text)) == names


@pytest.mark.vfcc("REQ-TRACE-SYMBOLS")
@pytest.mark.parametrize("name", ["recurse", "record", "body", "body_of", "bodyguard", "type", "typeOf", "mutable"])
def test_a_name_may_begin_with_a_word_that_modifies_declarations(name: str) -> None:
    text = f"function {name}(x)\n  return x\nend\n"

    assert [(each.name, each.line, each.end) for each in read_code("a.lua", text)[1]] == [(name, 1, 3)]


def test_a_symbol_keeps_its_digest_where_it_is_moved_and_loses_it_where_it_is_edited() -> None:
    def digest(text: str, name: str) -> str:
        return next(each.digest for each in read_code("a.py", text)[1] if each.name == name)

    here = digest("def f():\n    return 1\n", "f")
    assert digest("x = 1\n\n\nclass A:\n\n    def f():\n        return 1   \n", "A.f") == here
    assert digest("def f():\r\n    return 1\r\n", "f") == here
    assert digest("def f():\n    return 2\n", "f") != here


def test_only_the_first_mebibyte_is_looked_at() -> None:
    comment = f"// {M}REQ-a\n"
    assert marks("a.js", " " * (LARGEST_SCANNED - len(comment)) + comment)
    assert not marks("a.js", " " * LARGEST_SCANNED + comment)


PIECES = [
    *(
        "{",
        "}",
        "(",
        ")",
        ";",
        "/",
        "/*",
        "*/",
        "//",
        "#",
        "'",
        '"',
        "`",
        "${",
        "\\",
        "\n",
        " ",
        "<<A",
        "A",
        "--",
        "--[[",
    ),
    *(
        "function f",
        "class a",
        "it('x', ",
        "=>",
        "def f",
        "end",
        "{-",
        "(*",
        "<script>",
        "<!--",
        "vfcc",
        M,
        "REQ-a,",
        "=[",
    ),
    *(
        "impl ",
        "f(",
        "a:",
        "r#",
        'R"(',
        "[",
        "@",
        "\t",
        "é",
        "\x00",
        "\ud800",
        "\r",
        "\f",
        "0",
        "%{",
        "=begin",
        "async ",
    ),
]
PATHS = [
    "a.py",
    "a.js",
    "a.cpp",
    "a.rs",
    "a.rb",
    "a.sh",
    "a.hs",
    "a.lua",
    "a.vue",
    "a.php",
    "a.m",
    "a.sql",
    "a.go",
    "x",
]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(PATHS), st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=60).map("".join))
@example("a.js", "`${")
@example("a.c", "}{")
@example("a.py", "'''\n# " + M + "A")
@example("a.py", "\f\f# " + M + "A\n'\u2028'")
def test_any_text_can_be_read_and_marks_lie_in_it(path: str, text: str) -> None:
    found, named = read_code(path, text)

    lines = text.replace("\r\n", "\n").count("\n") + 1 + text.count("\r") + text.count("\f")
    for mark in found:
        assert mark.ids
        assert 1 <= mark.line <= lines
        assert mark.symbol == "" or mark.symbol in {each.name for each in named}
    for each in named:
        assert 1 <= each.line <= each.end <= lines


@pytest.mark.sweep
@settings(max_examples=25, deadline=None)
@given(st.sampled_from(PATHS), st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join))
@example("a.js", "=/[")
@example("a.js", "function a(b){return c(function(){})};")
@example("a.rb", "<<A")
def test_a_large_text_of_one_piece_is_read_to_its_end(path: str, piece: str) -> None:
    # A scan that takes time in proportion to more than the length does not come back from this.
    read_code(path, piece * (LARGEST_SCANNED // 4 // len(piece)))


TAG = "[impl->" + "dsn~log.in~1]"


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("a.py", f"# {TAG}\ndef run():\n    pass\n", [("dsn-log.in", 1, "run")]),
        (
            "A.java",
            f"// {TAG} [ utest~x~2 -> " + "req~b~1 >> impl, utest ]\nclass A {}\n",
            [("dsn-log.in", 1, "A"), ("req-b", 1, "A")],
        ),
        ("a.py", f"x = '{TAG}'\n", []),
        ("a.py", "# [impl->dsn] [a~b] [impl->" + "dsn~x]\n", []),
    ],
)
def test_tags_of_openfasttrace_in_comments_are_marks(path: str, text: str, found: list[tuple[str, int, str]]) -> None:
    assert marks(path, text) == found


GHERKIN = """\
@REQ-all @slow
Feature: Log in
  @REQ-a @wip
  # why
  @REQ-b
  Scenario: It locks
    Given an @REQ-c in a step
"""


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        (
            "a.py",
            "# @relation(REQ-a, REQ-b, scope=function, role=Implementation)\ndef run():\n    pass\n",
            [("REQ-a", 1, "run"), ("REQ-b", 1, "run")],
        ),
        ("a.c", "/* @relation(REQ-a, scope=file) */\nint x;\n", [("REQ-a", 1, "")]),
        ("a.py", "# @relation(a, b)\nx = '@relation(REQ-a, scope=file)'\n", []),
        (
            "login.feature",
            GHERKIN,
            [("REQ-all", 1, "Log in"), ("REQ-a", 3, "It locks"), ("REQ-b", 5, "It locks")],
        ),
    ],
)
def test_marks_of_strictdoc_and_tags_of_gherkin_are_marks(
    path: str, text: str, found: list[tuple[str, int, str]]
) -> None:
    assert marks(path, text) == found
