"""Which language a file is in, which texts are not read, and that nothing a text holds makes reading it fail."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pure.codegraph_shown import defined
from verifflowcc.code.rules.code_views import LANGUAGES
from verifflowcc.code.rules.grammars import LARGEST, known_without_grammar, language_of, read_facts
from verifflowcc.code.rules.graph import FILE, FileFacts

ENDLESS = b'<m{{x=ri.":q:t){w Z(;}'
"""On this the parser of TSX goes round in circles."""
PIECES = st.sampled_from(
    "def f(): class A { } ( ) [ ] < > => -> :: . , ; = : # // /* */ ' \" ` \\ @ $ & | * + - 1 x y self this super new "
    "import from require use if else return async await func fn struct enum interface let const var end do é 🙂".split()
)


@pytest.mark.parametrize(
    ("path", "start", "language"),
    [
        ("a/b.py", b"", "python"),
        ("stubs/b.PYI", b"", "python"),
        ("a.jsx", b"", "javascript"),
        ("a.mts", b"", "typescript"),
        ("a.tsx", b"", "tsx"),
        ("a.go", b"", "go"),
        ("a.rs", b"", "rust"),
        ("A.java", b"", "java"),
        ("a.c", b"", "c"),
        ("a.h", b"int f(void);", "c"),
        ("a.h", b"namespace a { }", "cpp"),
        ("a.hpp", b"", "cpp"),
        ("a.cs", b"", "csharp"),
        ("Rakefile", b"", "ruby"),
        ("a.php", b"", "php"),
        ("run", b"#!/usr/bin/env python3\nx = 1", "python"),
        ("run", b"#!/bin/sh\n", "bash"),
        ("run", b"#!/usr/bin/perl\n", ""),
        ("run", b"\xff\xfe", ""),
        ("notes.md", b"", ""),
        ("a.kt", b"", ""),
        ("Makefile", b"#!/bin/sh", ""),
    ],
)
def test_the_language_is_told_by_the_name_or_else_by_the_first_line(path: str, start: bytes, language: str) -> None:
    assert language_of(path, start) == language


@pytest.mark.vfcc("REQ-GRAPH-BUILD")
def test_a_language_without_a_grammar_is_named() -> None:
    assert [known_without_grammar(path) for path in ("a.kt", "a.lua", "a.pl", "x/a.swift", "a.R")] == [
        "kotlin",
        "lua",
        "perl",
        "swift",
        "r",
    ]
    assert [known_without_grammar(path) for path in ("a.py", "a.yaml", "README", "a.png", "a.css")] == [""] * 5


@pytest.mark.vfcc("REQ-GRAPH-BUILD")
@pytest.mark.parametrize(
    ("language", "data", "problem"),
    [
        ("python", b"x = 1\n" * (LARGEST // 6 + 1), "it has more than 1 MiB"),
        ("javascript", b"a();" * 3000, "its lines have more than 5,000 bytes on average, as in minified files"),
        ("python", b"x\0y", "it has NUL bytes, as binary files do"),
        ("cobol", b"MOVE A TO B.", "no grammar for cobol is here"),
        ("", b"words", "its language is not known"),
        ("tsx", ENDLESS, "it is too hard to parse"),
        ("python", b"(((\n" * 20_000, "it is no text of its language"),
    ],
)
def test_what_is_not_read_says_why(language: str, data: bytes, problem: str) -> None:
    assert read_facts(language, data) == FileFacts(language, problem=problem)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_empty_text_has_no_facts(language: str) -> None:
    assert read_facts(language, b"") == FileFacts(language)


def test_line_ends_marks_of_order_and_other_encodings_change_no_lines() -> None:
    text = "import a\n# größer\ndef f(ä):\n    return ä\n\n\ndef g(): f(1)\n"
    plain = read_facts("python", text.encode())

    assert defined(plain) == ["function f 3-4", "function g 7"]
    assert read_facts("python", b"\xef\xbb\xbf" + text.encode()) == plain
    assert read_facts("python", text.replace("\n", "\r\n").encode()) == plain
    assert read_facts("python", text.encode("latin-1")) == plain


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each not in ("python", "bash", "ruby")])
def test_wrong_bytes_do_not_stop_the_reading(language: str) -> None:
    read_facts(language, b'const a = "\xff\xfe"; f(\x8f); x.y(); class A { }\n\xc3')


@given(st.sampled_from(LANGUAGES), st.binary(max_size=300))
@settings(max_examples=120, deadline=None)
def test_any_bytes_are_read(language: str, data: bytes) -> None:
    _hold_together(read_facts(language, data))


@given(st.sampled_from(LANGUAGES), st.lists(st.one_of(PIECES, st.sampled_from(["\n", " ", "    "])), max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_pieces_of_code_are_read_and_hold_together(language: str, pieces: list[str]) -> None:
    data = " ".join(pieces).encode()

    facts = read_facts(language, data)

    _hold_together(facts)
    assert read_facts(language, data) == facts


def _hold_together(facts: FileFacts) -> None:
    places = range(FILE, len(facts.definitions))
    for place, each in enumerate(facts.definitions):
        assert each.name
        assert each.parent in places
        assert each.parent < place
        assert 1 <= each.line <= each.end
        assert 0 <= each.start < each.line
    for inside in (facts.references, facts.imports, facts.typed):
        assert all(each.inside in places and each.line >= 1 for each in inside)
    assert all(each.name for each in facts.references)
    assert list(facts.references) == sorted(facts.references, key=lambda each: each.line)


def test_facts_do_not_hang_on_the_order_in_which_a_grammar_hands_out_what_it_found() -> None:
    """Nodes come in an order that their addresses make: each reading has others."""
    body = "".join(f"    with open{n}() as w{n}: w{n}.x(one)\n    one.y({n})\n    one(); one.z()\n" for n in range(40))
    text = "".join(f"def f{n}(one, two: T{n}):\n{body}    (two := g{n}()).go()\n" for n in range(10))
    data = ("from m import one\n" + text).encode()

    assert len({read_facts("python", data) for _ in range(5)}) == 1
