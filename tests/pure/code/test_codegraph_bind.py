"""Whom a reference means in Python: scopes, imports, members of types, and what is said where it is not known."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pure.code_in_memory import code_of, meant, place_of
from verifflowcc.code.rules.binding import Binder
from verifflowcc.code.rules.graph import CONFIDENT, BindingResult, Reference, ReferenceKind


def test_the_innermost_scope_counts_and_class_bodies_are_not_seen_from_methods() -> None:
    code = code_of({
        "a.py": "def go(): pass\n"
        "class A:\n"
        "    def go(self): go()\n"
        "    held = go(None)\n"
        "    def other(self):\n"
        "        def go(): pass\n"
        "        go()\n"
    })  # fmt: skip

    assert meant(code, "a.py:3", "go") == ["a.py::go"]
    assert meant(code, "a.py:4", "go") == ["a.py::A.go"]
    assert meant(code, "a.py:7", "go") == ["a.py::A.other.go"]


def test_a_local_name_or_parameter_hides_what_the_file_defines() -> None:
    code = code_of({"a.py": "def go(): pass\ndef f(go):\n    go()\ndef g():\n    go = len\n    go()\n"})

    assert meant(code, "a.py:3", "go") == []
    assert meant(code, "a.py:6", "go") == []


def test_imports_are_followed_through_aliases_packages_stars_and_src() -> None:
    code = code_of({
        "src/shop/__init__.py": "from .pay import settle as settle_all\nfrom .tax import *\n",
        "src/shop/pay.py": "def settle(): pass\n",
        "src/shop/tax.py": "def vat(): pass\n",
        "src/shop/inner/__init__.py": "",
        "src/shop/inner/deep.py": "from ..pay import settle\nfrom .. import tax as t\nsettle()\nt.vat()\n",
        "tests/test_shop.py": "import shop\n"
        "import shop.pay\n"
        "import shop.inner.deep as d\n"
        "from shop import settle_all, vat\n"
        "settle_all()\n"
        "vat()\n"
        "shop.pay.settle()\n"
        "shop.settle_all()\n"
        "d.settle()\n",
    })  # fmt: skip
    settle, vat = ["src/shop/pay.py::settle"], ["src/shop/tax.py::vat"]

    assert meant(code, "src/shop/inner/deep.py:3", "settle") == settle
    assert meant(code, "src/shop/inner/deep.py:4", "vat") == vat
    assert meant(code, "tests/test_shop.py:5", "settle_all") == settle
    assert meant(code, "tests/test_shop.py:6", "vat") == vat
    assert meant(code, "tests/test_shop.py:7", "settle") == settle
    assert meant(code, "tests/test_shop.py:8", "settle_all") == settle
    assert meant(code, "tests/test_shop.py:9", "settle") == settle


def test_files_that_import_each_other_end() -> None:
    code = code_of({
        "a.py": "from b import *\nfrom b import x\nx()\ny()\n",
        "b.py": "from a import *\nfrom a import x\ndef y(): pass\n",
    })  # fmt: skip

    assert meant(code, "a.py:3", "x") == []
    assert meant(code, "a.py:4", "y") == ["b.py::y"]


def test_a_package_of_the_repository_does_not_take_the_place_of_one_from_outside() -> None:
    code = code_of({
        "app/__init__.py": "",
        "app/redis.py": "def connect(): pass\n",
        "app/cache.py": "import redis\nimport json\nredis.connect()\njson.dumps()\n",
        "app/json/__init__.py": "def dumps(): pass\n",
    })  # fmt: skip
    binder = Binder(code)

    bound = [binder.bound("app/cache.py", each) for each in code.references("app/cache.py") if each.line > 2]

    assert bound
    assert all(each.external and not each.candidates for each in bound)


def test_self_and_super_look_in_the_order_of_inheritance() -> None:
    code = code_of({
        "base.py": "class Base:\n    def save(self): pass\n    def load(self): pass\n"
        "class Mixin(Base):\n    def load(self): pass\n",
        "a.py": "import base\n"
        "class Left(base.Base):\n"
        "    pass\n"
        "class A(Left, base.Mixin):\n"
        "    def save(self):\n"
        "        super().save()\n"
        "        self.load()\n"
        "        self.save()\n"
        "    @classmethod\n"
        "    def make(cls):\n"
        "        cls().load()\n"
        "        cls.make()\n",
    })  # fmt: skip

    assert meant(code, "a.py:6", "save") == ["base.py::Base.save"]
    assert meant(code, "a.py:7", "load") == ["base.py::Mixin.load"]
    assert meant(code, "a.py:8", "save") == ["a.py::A.save"]
    assert meant(code, "a.py:11", "load") == ["base.py::Mixin.load"]
    assert meant(code, "a.py:12", "make") == ["a.py::A.make"]


def test_what_a_type_inherits_from_outside_is_not_guessed() -> None:
    code = code_of({
        "a.py": "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        self.fail_now()\n",
        "b.py": "class Other:\n    def fail_now(self): pass\n",
    })  # fmt: skip
    called = next(each for each in code.references("a.py") if each.name == "fail_now")

    assert Binder(code).bound("a.py", called).candidates == ()
    assert Binder(code).bound("a.py", called).external


def test_types_are_taken_from_what_is_made_said_and_returned() -> None:
    code = code_of({
        "kit.py": "class Tool:\n    def use(self) -> 'Tool': pass\n    def drop(self): pass\n"
        "def find() -> Tool: pass\n",
        "a.py": "from kit import Tool, find\n"
        "import kit\n"
        "class Box:\n"
        "    lid: Tool\n"
        "    def __init__(self, given: Tool | None):\n"
        "        self.tool = Tool()\n"
        "        self.given = given\n"
        "    def run(self, other: 'kit.Tool'):\n"
        "        self.tool.use()\n"
        "        self.given.use()\n"
        "        self.lid.use()\n"
        "        other.use()\n"
        "        local = find()\n"
        "        local.use().drop()\n"
        "        Tool().drop()\n"
        "        find().drop()\n"
        "        with kit.Tool() as held:\n"
        "            held.drop()\n"
        "        def inner():\n"
        "            self.tool.drop()\n",
    })  # fmt: skip

    for line in (9, 10, 11, 12, 14):
        assert meant(code, f"a.py:{line}", "use") == ["kit.py::Tool.use"], line
    for line in (14, 15, 16, 18, 20):
        assert meant(code, f"a.py:{line}", "drop") == ["kit.py::Tool.drop"], line


def test_a_name_that_is_given_another_thing_means_that_from_there_on() -> None:
    code = code_of({
        "a.py": "class A:\n    def use(self): pass\n"
        "class B:\n    def use(self): pass\n"
        "def f(given):\n"
        "    x = A()\n"
        "    x.use()\n"
        "    x = B()\n"
        "    x.use()\n"
        "    x = A()\n"
        "    x.use()\n"
        "    x = given[0]\n"
        "    x.use()\n"
    })  # fmt: skip

    assert meant(code, "a.py:7", "use") == ["a.py::A.use"]
    assert meant(code, "a.py:9", "use") == ["a.py::B.use"]
    assert meant(code, "a.py:11", "use") == ["a.py::A.use"]
    assert meant(code, "a.py:13", "use") == []


def test_what_is_in_the_language_is_outside() -> None:
    code = code_of({
        "a.py": "class A:\n    def append(self): pass\n    def len(self): pass\nx = []\nx.append(1)\nlen(x)\n"
    })  # fmt: skip

    assert meant(code, "a.py:5", "append") == []
    assert meant(code, "a.py:6", "len") == []
    assert Binder(code).bound("a.py", Reference(ReferenceKind.CALL, "len", 6)) == BindingResult(external=True)


def test_confidence_falls_with_the_number_of_methods_of_a_name() -> None:
    classes = "class {0}:\n    def draw(self): pass\n    def only_{0}(self): pass\n    def get(self): pass\n"
    code = code_of({
        "a.py": "".join(classes.format(each) for each in "ABC"),
        "b.py": "def f(x):\n    x.draw()\n    x.only_A()\n    x.nobody()\n",
        "c.py": "class D:\n    def copy(self): pass\ndef f(x):\n    x.copy()\n",
    })  # fmt: skip
    binder = Binder(code)
    draw, only, nobody = (binder.bound("b.py", each).candidates for each in code.references("b.py") if each.receiver)
    copy = next(binder.bound("c.py", each).candidates for each in code.references("c.py") if each.name == "copy")

    assert len(draw) == 3
    assert {each.confidence for each in draw} == {20}
    assert {each.why for each in draw} == {"one of 3 of its name"}
    assert [(each.path, each.place) for each in only] == [place_of(code, "a.py::A.only_A")]
    assert only[0].confidence >= CONFIDENT
    assert nobody == ()
    assert copy[0].confidence < CONFIDENT  # what is no method of a class of ours has methods of that name too


def test_a_property_is_followed_to_what_it_returns() -> None:
    code = code_of({
        "a.py": "class B:\n    def go(self): pass\n"
        "class A:\n"
        "    @property\n"
        "    def b(self) -> B: pass\n"
        "    def run(self):\n"
        "        self.b.go()\n"
    })  # fmt: skip

    assert meant(code, "a.py:7", "go") == ["a.py::B.go"]
    assert meant(code, "a.py:7", "b") == ["a.py::A.b"]


_NAMES = st.sampled_from(["a", "b", "c", "pkg"])
_LINES = st.one_of(
    st.builds("from .{} import {}".format, _NAMES, _NAMES),
    st.builds("from {} import *".format, _NAMES),
    st.builds("import {} as {}".format, _NAMES, _NAMES),
    st.builds("class {}({}):\n    def {}(self): return self.{}.{}()".format, *[_NAMES] * 5),
    st.builds("{} = {}.{}()".format, _NAMES, _NAMES, _NAMES),
    st.builds("def {}({}: {}) -> {}:\n    return {}.{}().{}()".format, *[_NAMES] * 7),
)


@settings(deadline=None)  # the first example loads a grammar
@given(st.dictionaries(_NAMES.map("{}.py".format), st.lists(_LINES, max_size=6).map("\n".join), min_size=1))
def test_any_code_is_bound_alike_whatever_was_asked_before(texts: dict[str, str]) -> None:
    code = code_of(texts)
    asked = [(path, each) for path in code.files for each in code.references(path)]
    first, second = Binder(code), Binder(code)

    forwards = [first.bound(*each) for each in asked]
    backwards = [second.bound(*each) for each in reversed(asked)]

    assert forwards == backwards[::-1]
    assert all(0 < one.confidence <= 100 for each in forwards for one in each.candidates)
