"""What is read of Python: definitions, calls, uses, types, imports, and what names are said to be."""

import pytest
from tree_sitter import QueryCursor

from tests.pure.codegraph_shown import bases, calls, defined, imported, read, typed, types, uses
from verifflowcc.code.rules.engine import QueryMatches, SourceText, parsed
from verifflowcc.code.rules.grammars import grammar_of
from verifflowcc.code.rules.python_language import facts as facts_of

SHOP = '''\
"""Doc."""
import a.b
import a.c as d
from .m import (
    x as y,  # a remark
    z,
)
from star import *

LIMIT: int = 3
ONE, TWO = 1, 2


# Says what it does.
# In two lines.
@y
@d.deco(LIMIT)
def f(p, q: int = LIMIT, *args: "Foo", **named) -> "Optional[Foo]":
    from late import thing
    def inner(): pass
    return inner


class Shop(Base, Generic[T], metaclass=Meta):
    name = "x"
    items: list[Item]

    def __init__(self, r: d.R | None, hook):
        self.r = r
        self.made = Made()
        self.made = None

    async def run(self): ...
'''


@pytest.mark.vfcc("REQ-GRAPH-FUNCTIONS", "REQ-GRAPH-CLASSES", "REQ-GRAPH-VARIABLES")
def test_functions_classes_variables_and_fields_are_definitions_where_their_names_stand() -> None:
    facts = read("python", SHOP)

    assert defined(facts) == [
        "variable LIMIT 10",
        "variable ONE 11",
        "variable TWO 11",
        "function f 18-21",
        "function f.inner 20",
        "class Shop 24-33",
        "field Shop.name 25",
        "field Shop.items 26",
        "method Shop.__init__ 28-31",
        "field Shop.r 29",
        "field Shop.made 30",
        "method Shop.run 33",
    ]


@pytest.mark.vfcc("REQ-GRAPH-FUNCTIONS")
def test_a_signature_is_one_line_and_a_start_holds_decorators_and_the_comment_above() -> None:
    facts = read("python", SHOP)
    f, shop = facts.definitions[3], facts.definitions[5]

    assert f.signature == 'def f(p, q: int = LIMIT, *args: "Foo", **named) -> "Optional[Foo]"'
    assert (f.start, f.line, f.result) == (14, 18, "Foo")
    assert (shop.signature, shop.start) == ("class Shop(Base, Generic[T], metaclass=Meta)", 0)
    assert facts.definitions[0].signature == "LIMIT: int = 3"
    assert facts.definitions[-1].signature == "async def run(self)"


def test_long_signatures_are_cut_and_comments_in_them_left_out() -> None:
    text = "def f(\n    a,  # one\n    b=1,\n): pass\ndef g(" + ", ".join(f"name{n}=0" for n in range(60)) + "): pass\n"
    facts = read("python", text)

    assert facts.definitions[0].signature == "def f( a, b=1, )"
    assert len(facts.definitions[1].signature) == 200
    assert facts.definitions[1].signature.endswith("…")


@pytest.mark.vfcc("REQ-GRAPH-IMPORTS")
def test_imports_have_module_name_and_alias_and_the_line_of_the_name() -> None:
    facts = read("python", SHOP)

    assert imported(facts) == [
        ("a.b", "", "a"),
        ("a.c", "", "d"),
        (".m", "x", "y"),
        (".m", "z", "z"),
        ("star", "*", ""),
        ("late", "thing", "thing"),
    ]
    assert [each.line for each in facts.imports] == [2, 3, 5, 6, 8, 19]
    assert facts.imports[-1].inside == 3


def test_bases_are_inherited_in_their_class_and_their_arguments_are_types() -> None:
    facts = read("python", SHOP + "class Late(d.Deep, make()[0], *more): pass\n")

    assert bases(facts) == ["Base in Shop", "Generic in Shop", "d.Deep in Late"]
    assert "T in Shop" in types(facts)


def test_decorators_and_defaults_belong_to_the_scope_around() -> None:
    facts = read("python", SHOP)

    assert "d.deco" in calls(facts)
    assert "LIMIT" in uses(facts)
    assert "y" in uses(facts)
    assert "LIMIT in f" not in uses(facts)


@pytest.mark.vfcc("REQ-GRAPH-CALLS")
@pytest.mark.parametrize(
    ("expression", "call"),
    [
        ("g()", "g"),
        ("a.b.g()", "a.b.g"),
        ("self.g()", "self.g"),
        ("super().g()", "super().g"),
        ("super(A, self).g()", "super().g"),
        ("Foo(1).g()", "Foo().g"),
        ("a.b(1).g()", "a.b().g"),
        ("a.b().c().g()", "a.b().c().g"),
        ("a.b().c.g()", "a.b().c.g"),
        ("x[0].g()", "x[].g"),
        ("x[:2].g()", "?.g"),
        ("''.g()", "?.g"),
        ("(a or b).g()", "?.g"),
        ("a[0].b().g()", "a[].b().g"),
    ],
)
def test_what_stands_before_a_call_has_one_plain_form(expression: str, call: str) -> None:
    facts = read("python", f"def f():\n    {expression}\n")

    assert f"{call} in f" in calls(facts)


def test_a_chain_over_several_lines_has_its_names_where_they_stand() -> None:
    facts = read("python", "(a\n .b\n .g())\n")

    assert [(each.name, each.receiver, each.line) for each in facts.references] == [("g", "a.b", 3)]


def test_calls_count_on_each_line_and_uses_once_in_a_definition() -> None:
    facts = read("python", "def g(): pass\ndef f():\n    g(); g()\n    g()\n    x = g\n    y = g\n")

    assert [(each.name, each.line, each.kind) for each in facts.references] == [
        ("g", 3, "call"),
        ("g", 4, "call"),
        ("g", 5, "use"),
    ]


@pytest.mark.vfcc("REQ-GRAPH-VARIABLES")
def test_only_names_that_the_file_knows_are_uses_and_local_names_hide_them() -> None:
    text = (
        "from m import thing, other\nTOP = 1\ndef h(): pass\n"
        "def f(thing):\n    thing; unknown; TOP; run(h)\n"
        "def g():\n    other = 1\n    return other\n"
        "def k():\n    global other\n    other = 2\n    return other\n"
        "class A:\n    part = 1\n    whole = part\n    def m(self): return part, self.part, other.x\n"
    )

    assert uses(read("python", text)) == [
        "TOP in f",
        "h in f",
        "other in k",
        "part in A",
        "self.part in A.m",
        "other in A.m",
        "other.x in A.m",
    ]


def test_a_local_name_that_is_called_is_said_to_be_unknown() -> None:
    facts = read("python", "def hook(): pass\ndef f(hook):\n    hook()\n")

    assert calls(facts) == ["hook in f"]
    assert typed(facts) == ["hook: ? in f"]


def test_names_in_annotations_tests_and_handlers_are_types() -> None:
    text = (
        "def f(a: Foo, b: 'm.Bar | None', c: dict[str, Baz]) -> int:\n    x: Own = 1\n    isinstance(a, (One, n.Two))\n"
        "    try: pass\n    except (Wrong, n.Bad) as e: pass\n"
    )

    assert types(read("python", text)) == [
        "Foo in f",
        "m.Bar in f",
        "Baz in f",
        "Own in f",
        "One in f",
        "n in f",
        "n.Two in f",
        "Wrong in f",
        "n.Bad in f",
    ]


def test_names_are_said_to_be_what_is_assigned_annotated_passed_or_opened() -> None:
    text = (
        "app = Flask()\n"
        "class A:\n"
        "    kept: Kept\n"
        "    objects = Manager()\n"
        "    def f(self, p: 'Optional[P]', q: list[Q], r: R | None = None, s: U | V = 1):\n"
        "        self.p = p\n"
        "        a = mod.Foo()\n"
        "        with Opened() as w: w.x()\n"
        "        if (m := found()): m.x()\n"
        "        b = await later()\n"
        "        a.x(), b.x(), p.x(), q.x(), r.x()\n"
    )
    facts = read("python", text)

    assert typed(facts) == [
        "app: Flask()",
        "self.kept: Kept in A",
        "self.objects: Manager() in A",
        "p: P in A.f",
        "q: list[Q] in A.f",
        "r: R in A.f",
        "self.p: P in A",
        "a: mod.Foo() in A.f",
        "w: Opened()[with] in A.f",
        "m: found() in A.f",
        "b: later() in A.f",
    ]


def test_broken_text_gives_what_is_whole() -> None:
    facts = read("python", "def f():\n    g(1))\n\ndef (x): pass\nclass : pass\nimport\n\ndef h():\n    k()\n")

    assert "function h 8-9" in defined(facts)
    assert "k in h" in calls(facts)
    assert all(each.name for each in facts.definitions)


def test_names_beyond_latin_1_are_read_wherever_they_are_called() -> None:
    facts = read("python", "print(* lambda x: x)\nassert some.żółw()[0].łódź(é=1).ś()\ncafé().ü()\n")

    assert calls(facts) == ["some.żółw", "some.żółw()[].łódź", "some.żółw()[].łódź().ś", "café", "café().ü"]


TESTED = """\
def prepared(value):
    value = first(value)
    if isinstance(value, dict):
        for key, each in value.items():
            each = str(each)
        value = held
    if isinstance(value, list) and value:
        value = [str(item) for item in value]
    with open(value) as file, other(lambda one: one.run()) as (left, right):
        global kept
        kept = file.read() or [left.a.b(), right()[0].c]
    return value.run()
"""


def test_the_facts_do_not_depend_on_the_order_in_which_the_query_gives_its_nodes() -> None:
    data = (SHOP + TESTED).encode()
    grammar = grammar_of("python")
    root = parsed(grammar.language, data)
    assert not isinstance(root, str)
    captures = QueryCursor(grammar.query).captures(root)
    ordered = {name: sorted(nodes, key=lambda node: node.byte_range) for name, nodes in captures.items()}

    for given in (ordered, {name: nodes[::-1] for name, nodes in ordered.items()}):
        assert facts_of(QueryMatches(SourceText(data), given)) == read("python", SHOP + TESTED)
