"""How languages write comments and strings, by the names of their files.

Each language is a row of rules. What a rule opens ends where its `closes` is; strings are known only so that
nothing in them is taken for a comment. What is meant is a sound scan, not a compiler: a construct that no rule knows
costs at most the comments up to the end of its line.
"""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum

from verifflowcc.base.records import dataclass


class Shape(StrEnum):
    """How blocks are written: the way in which symbols are looked for."""

    PYTHON = "python"
    BRACES = "braces"
    INDENT = "indent"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Rule:
    """What begins a comment or a string (`opens`, a regular expression), and what ends it.

    `closes` is what ends it, or a function from the opening to that; "" stands for the end of the line, None says that
    `opens` matches the whole. `nests` is the opening that nests in it. `escapes`: a backslash hides the next letter.
    """

    comment: bool
    opens: str
    closes: str | Callable[[str], str] | None
    nests: str | None = None
    escapes: bool = False


@dataclass(frozen=True, slots=True)
class Syntax:
    """A language. `templates`: a backtick opens a text with `${…}` in it. `regexes`: a slash may open a pattern.
    `heredocs`: `<<WORD` opens a text up to a line WORD. `directives`: lines that begin with `#` are for a preprocessor.
    """

    name: str
    rules: tuple[Rule, ...]
    shape: Shape = Shape.BRACES
    templates: bool = False
    regexes: bool = False
    heredocs: bool = False
    directives: bool = False

    def pattern(self) -> re.Pattern[str]:
        """Return the expression of all that opens something; its groups are `r0`, `r1` … in the order of the rules."""
        parts = [f"(?P<r{place}>{rule.opens})" for place, rule in enumerate(self.rules)]
        parts += [r"(?P<heredoc><<<?[-~]?(?:(?P<q>['\"])\w++(?P=q)|[A-Z_]\w*+))"] if self.heredocs else []
        parts += ["(?P<template>`)", "(?P<brace>[{}])"] if self.templates else []
        parts += ["(?P<slash>/)"] if self.regexes else []
        return re.compile("|".join(parts), re.MULTILINE)


def line(opens: str) -> Rule:
    """A comment up to the end of its line."""
    return Rule(True, opens, "")


def block(opens: str, closes: str, nests: str | None = None) -> Rule:
    """A comment between two marks."""
    return Rule(True, opens, closes, nests)


def text(opens: str, closes: str | Callable[[str], str] | None = None, *, escapes: bool = False) -> Rule:
    """A string."""
    return Rule(False, opens, closes, None, escapes)


SLASHES, STARS, HASH = line("//"), block(r"/\*", "*/"), line("#")
NESTED = block(r"/\*", "*/", "/*")
AT_START = r"(?:(?<=\s)|^)"
HASH_WORD = line(r"(?:(?<=[\s;&|(){}])|^)#")
HASH_LINE = line(r"^[ \t]*#")
DASHES = line("--")
SEMICOLON = line(";")
PERCENT = line(r"(?<!\\)%")
DOUBLE = text(r'"[^"\\\n]*+(?:\\(?s:.)[^"\\\n]*+)*"?')
SINGLE = text(r"'[^'\\\n]*+(?:\\(?s:.)[^'\\\n]*+)*'?")
LETTER = text(r"'(?:[^'\\\n]|\\[^'\n][^'\n]{0,9}|\\')'")
DOUBLED = text(r'"[^"\n]*+(?:""[^"\n]*+)*"?')
NO_TRANSPOSE = text(r"(?<![\w)\]}.'])'[^'\n]*+(?:''[^'\n]*+)*'?")
QUOTED = text(r"'[^'\n]*+(?:''[^'\n]*+)*'?")
VERBATIM = text(r'\$?@\$?"[^"]*+(?:""[^"]*+)*"?')
DOUBLE_LONG = text('"', '"', escapes=True)
SINGLE_LONG = text("'", "'", escapes=True)
SINGLE_BARE = text("'", "'")
TRIPLE = text('"""', '"""', escapes=True)
TRIPLE_BARE = text('"""', '"""')
TRIPLE_SINGLE = text("'''", "'''", escapes=True)
BACKTICKS = text("`", "`")
ESCAPED = text(r"\\.")
POD = block(r"^=(?!cut)[a-z]\w*+", "\n=cut")
MARKUP = block("<!--", "-->")
SPOKEN = line(r"^[ \t]*(?i:rem)\b")
RUST_RAW = text(r'\bb?r#*+"', lambda opened: '"' + "#" * opened.count("#"))
CPP_RAW = text(r'R"[^\s()\\"]{0,16}\(', lambda opened: f'){opened[2:-1]}"')
LUA_LONG = Rule(True, r"--\[=*+\[", lambda opened: f"]{'=' * opened.count('=')}]")
LUA_TEXT = text(r"\[=*+\[", lambda opened: f"]{'=' * opened.count('=')}]")

_C = (SLASHES, STARS, DOUBLE, LETTER)
_RAW = (SLASHES, STARS, CPP_RAW, DOUBLE, LETTER)
_SCRIPT = (SLASHES, STARS, DOUBLE, SINGLE)
_NESTING = (SLASHES, NESTED, TRIPLE_BARE, DOUBLE, LETTER)
_SHELL = (ESCAPED, HASH_WORD, SINGLE_BARE, DOUBLE_LONG)
_BASIC = (line("'"), SPOKEN, DOUBLED)
_HASHES = (HASH_WORD, DOUBLE, SINGLE)
_LISP = (SEMICOLON, block(r"\#\|", "|#", "#|"), text(r"\\."), DOUBLE_LONG)
_N, _I = Shape.NONE, Shape.INDENT

_LANGUAGES: tuple[tuple[Syntax, str], ...] = (
    (Syntax("python", (HASH, TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE), Shape.PYTHON), ".py .pyi .pyw"),
    (Syntax("starlark", (HASH, TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE), _I), ".bzl .star .pyx .pxd .gd .robot"),
    (Syntax("c", _C, directives=True), ".c .h .m .idl"),
    (Syntax("c++", _RAW, directives=True), ".cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .inl .ipp .mm .ino .cu .cuh .ixx"),
    (Syntax("c#", (SLASHES, STARS, TRIPLE_BARE, VERBATIM, DOUBLE, LETTER), directives=True),
     ".cs .csx"),
    (Syntax("java", (SLASHES, STARS, TRIPLE, DOUBLE, LETTER)), ".java .jav"),
    (Syntax("groovy", (SLASHES, STARS, TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE)), ".groovy .gradle .gvy"),
    (Syntax("nesting", _NESTING), ".kt .kts .scala .sc .swift"),
    (Syntax("dart", (SLASHES, NESTED, TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE)), ".dart"),
    (Syntax("go", (SLASHES, STARS, BACKTICKS, DOUBLE, LETTER)), ".go"),
    (Syntax("rust", (SLASHES, NESTED, RUST_RAW, DOUBLE_LONG, LETTER)), ".rs"),
    (Syntax("zig", (SLASHES, text(r"\\\\.*+"), DOUBLE, LETTER)), ".zig"),
    (Syntax("javascript", _SCRIPT, templates=True, regexes=True),
     ".js .jsx .mjs .cjs .ts .tsx .mts .cts .es6"),
    (Syntax("php", (SLASHES, line(r"#(?!\[)"), STARS, DOUBLE_LONG, SINGLE_LONG), heredocs=True), ".php .phtml .inc"),
    (Syntax("braces", _C), ".proto .thrift .v .sv .svh .vala .d .sol .glsl .hlsl .wgsl .frag .vert .jsonc .json5 .qml"),
    (Syntax("css", (block(r"/\*", "*/"), DOUBLE, SINGLE), _N), ".css"),
    (Syntax("scss", (block(r"/\*", "*/"), line("(?<!:)//"), DOUBLE, SINGLE), _N), ".scss .sass .less .styl"),
    (Syntax("terraform", (HASH, SLASHES, STARS, DOUBLE)), ".tf .tfvars .hcl .nomad"),
    (Syntax("graphql", (HASH, TRIPLE_BARE, DOUBLE), _N), ".graphql .gql"),
    (Syntax("nix", (HASH, STARS, DOUBLE_LONG, text("''", "''")), _N), ".nix"),
    (Syntax("ruby", (block("^=begin", "\n=end"), HASH, DOUBLE_LONG, SINGLE_LONG), _I, heredocs=True),
     ".rb .rake .gemspec .ru .cr"),
    (Syntax("elixir", (HASH, TRIPLE, TRIPLE_SINGLE, text(r"\?."), DOUBLE_LONG, SINGLE), _I), ".ex .exs"),
    (Syntax("julia", (block("#=", "=#", "#="), HASH, TRIPLE, DOUBLE_LONG, LETTER), _I), ".jl"),
    (Syntax("nim", (block(r"#\[", "]#", "#["), HASH, TRIPLE_BARE, DOUBLE, LETTER), _I), ".nim .nims"),
    (Syntax("perl", (POD, line(r"(?:(?<=[\s;{}(),])|^)#"), ESCAPED, DOUBLE_LONG, SINGLE_LONG), _I, heredocs=True),
     ".pl .pm .t .psgi"),
    (Syntax("shell", _SHELL, _I, heredocs=True), ".sh .bash .zsh .ksh .bats .fish .ash .envrc"),
    (Syntax("powershell", (block("<#", "#>"), HASH_WORD, text(r"`."), text('@"', '\n"@'), text("@'", "\n'@"), DOUBLED,
     QUOTED)), ".ps1 .psm1 .psd1"),
    (Syntax("r", (HASH, DOUBLE_LONG, SINGLE_LONG, BACKTICKS), _I), ".r .R"),
    (Syntax("yaml", (line(AT_START + "#"), DOUBLE, text(r"(?:(?<=[\s\[{,])|^)'[^'\n]*+(?:''[^'\n]*+)*'?")), _N),
     ".yaml .yml .feature"),
    (Syntax("toml", (HASH, TRIPLE, text("'''", "'''"), DOUBLE, text(r"'[^'\n]*+'?")), _N), ".toml"),
    (Syntax("ini", (line(AT_START + "[#;]"),), _N), ".ini .cfg .conf .properties .editorconfig .env"),
    (Syntax("make", (line(r"(?<![\\$])#"),), _N), ".mk .mak .make"),
    (Syntax("docker", (HASH_LINE,), _N), ".dockerfile .containerfile .dockerignore .gitignore .gitattributes"),
    (Syntax("cmake", (Rule(True, r"#\[=*+\[", lambda opened: f"]{'=' * opened.count('=')}]"), HASH, DOUBLE_LONG), _I),
     ".cmake"),
    (Syntax("hashes", _HASHES, _N), ".tcl .awk .sed .gn .gni .bb .bbclass .nu .jq .coffee .pp .spec .plist"),
    (Syntax("sql", (DASHES, NESTED, text(r"'[^']*+(?:''[^']*+)*'?"), DOUBLED), _I),
     ".sql .ddl .dml .pls .plsql .pks .pkb .psql"),
    (Syntax("lua", (LUA_LONG, DASHES, LUA_TEXT, DOUBLE, SINGLE), _I), ".lua .luau"),
    (Syntax("haskell", (block(r"\{-", "-}", "{-"), line(r"(?<![!#$%&*+./<=>?@\\^|~:-])---*+(?![!#$%&*+./<=>?@\\^|~:])"),
     DOUBLE, LETTER), _I), ".hs .lhs .elm .purs .idr .agda"),
    (Syntax("ada", (DASHES, DOUBLED, text("'.'")), _I), ".ada .adb .ads .vhd .vhdl"),
    (Syntax("ml", (block(r"\(\*", "*)", "(*"), DOUBLE_LONG, LETTER), _I), ".ml .mli .sml .v8 .eliom"),
    (Syntax("f#", (block(r"\(\*(?!\))", "*)", "(*"), SLASHES, TRIPLE_BARE, DOUBLE_LONG, LETTER), _I), ".fs .fsi .fsx"),
    (Syntax("pascal", (SLASHES, block(r"\{", "}"), block(r"\(\*", "*)"), QUOTED), _I), ".pas .pp1 .dpr .lpr"),
    (Syntax("lisp", _LISP, _I), ".lisp .lsp .cl1 .el .scm .ss .rkt .clj .cljs .cljc .edn .fnl .hy"),
    (Syntax("erlang", (line("%"), text(r"\$\\?."), DOUBLE_LONG, SINGLE), _I), ".erl .hrl .escript"),
    (Syntax("prolog", (line("%"), STARS, DOUBLE, SINGLE), _I), ".pro .prolog"),
    (Syntax("matlab", (block(r"^[ \t]*%\{[ \t]*$", "%}"), line("%"), DOUBLED, NO_TRANSPOSE), _I), ".matlab .oct"),
    (Syntax("tex", (PERCENT,), _N), ".tex .sty .cls .ltx .bib"),
    (Syntax("basic", _BASIC, _I), ".vb .vbs .bas .vba .frm .vbnet"),
    (Syntax("batch", (SPOKEN, line(r"^[ \t]*::")), _N), ".bat .cmd"),
    (Syntax("fortran", (line("!"), DOUBLED, QUOTED), _I), ".f90 .f95 .f03 .f08 .f18"),
    (Syntax("fixed fortran", (line(r"^[cC*]"), line("!"), DOUBLED, QUOTED), _I), ".f .for .ftn .f77"),
    (Syntax("cobol", (line(r"^.{6}[*/]"), line(r"\*>"), DOUBLED, QUOTED), _N), ".cob .cbl .cpy .cobol"),
    (Syntax("assembly", (SLASHES, STARS, line(r"[;#@]"), DOUBLE), _N), ".s .S .asm .nasm"),
    (Syntax("markup", (MARKUP,), _N), ".html .htm .xhtml .xml .xsd .xsl .xslt .svg .vue .svelte .astro .jsp .hbs"),
)  # fmt: skip
LANGUAGES: Mapping[str, Syntax] = {syntax.name: syntax for syntax, _ in _LANGUAGES}
_BY_ENDING = {ending: syntax for syntax, endings in _LANGUAGES for ending in endings.split()}
_BY_NAME = {
    "makefile": "make", "gnumakefile": "make", "kbuild": "make", "justfile": "hashes", "dockerfile": "docker",
    "containerfile": "docker", "cmakelists.txt": "cmake", "rakefile": "ruby", "gemfile": "ruby", "vagrantfile": "ruby",
    "podfile": "ruby", "fastfile": "ruby", "brewfile": "ruby", "jenkinsfile": "groovy", "build": "starlark",
    "workspace": "starlark", "build.bazel": "starlark", "sconstruct": "python", "sconscript": "python",
    "procfile": "hashes", "meson.build": "hashes", "codeowners": "docker",
}  # fmt: skip
_BY_INTERPRETER = {
    "python": "python", "pypy": "python", "sh": "shell", "bash": "shell", "zsh": "shell", "ksh": "shell",
    "dash": "shell", "fish": "shell", "bats": "shell", "node": "javascript", "nodejs": "javascript",
    "deno": "javascript", "bun": "javascript", "ts-node": "javascript", "tsx": "javascript", "ruby": "ruby",
    "perl": "perl", "php": "php", "rscript": "r", "lua": "lua", "luajit": "lua", "tclsh": "hashes", "awk": "hashes",
    "gawk": "hashes", "make": "make", "pwsh": "powershell", "julia": "julia", "elixir": "elixir", "escript": "erlang",
    "groovy": "groovy", "osascript": "ada", "guile": "lisp", "racket": "lisp", "runhaskell": "haskell",
}  # fmt: skip


def language_of(path: str) -> str | None:
    """Return the language by a file's name; None where only a `#!` could show it.

    >>> language_of("src/a.PY"), language_of("Dockerfile.dev"), language_of("bin/tool")
    ('python', 'docker', None)
    """
    name = path.rpartition("/")[2]
    ending = name[name.rfind(".") :] if "." in name else ""
    found = _BY_ENDING.get(ending) or _BY_ENDING.get(ending.lower())
    named = _BY_NAME.get(name.lower())
    if named or found:
        return named or (found.name if found else None)
    stem = name.lower().partition(".")[0]
    return _BY_NAME[stem] if stem in {"dockerfile", "makefile"} else None


def script_language(text: str) -> str | None:
    """Return the language that the `#!` of a text names; None where there is none, or nothing is known of it.

    >>> script_language("#!/usr/bin/env -S python3.11 -B"), script_language("# text")
    ('python', None)
    """
    if not text.startswith("#!"):
        return None
    words = [word for word in text[2:200].partition("\n")[0].split() if not word.startswith("-") and "=" not in word]
    names = [word.rpartition("/")[2].lower() for word in words]
    name = names[1] if names[:1] == ["env"] and len(names) > 1 else (names or [""])[0]
    return _BY_INTERPRETER.get(name) or _BY_INTERPRETER.get(name.rstrip("0123456789.-"))
