"""Whom a call means where the type of its object comes by way of other names, of what holds it, or of a test."""

import pytest

from tests.pure.code_in_memory import code_of, meant, shown
from verifflowcc.code.rules.binding import Binder

pytestmark = pytest.mark.vfcc("REQ-CODE-IN-PROMPT")

ZOO = """\
from contextlib import contextmanager
from typing import Generic, Iterator, TypeVar

T = TypeVar("T", bound="Ape")
class Ape:
    def swing(self): ...
class Bee:
    def swing(self): ...
class Cage:
    apes: list[Ape]
    by_name: dict[str, Ape]
    kind: type[Ape]
    def __init__(self, ape: "Ape | None", bees: "list[Bee]"):
        self.one = ape
        self.bees = bees
    def all(self) -> Iterator[Bee]: ...
    def first(self) -> "type[Bee]": ...
@contextmanager
def opened() -> Iterator[Cage]: ...
Other = Ape
def made(): ...
"""


def python(body: str, name: str = "swing") -> list[str]:
    lines = body.strip("\n").split("\n")
    text = "\n".join(["from zoo import *", "def f(cage: Cage, x, y: Bee):", *[f"    {each}" for each in lines]])
    found = meant(code_of({"zoo.py": ZOO, "user.py": text}), f"user.py:{len(lines) + 2}", name)
    return [each.removeprefix("zoo.py::") for each in found]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for a in cage.apes:\n    a.swing()", ["Ape.swing"]),
        ("for a in cage.all():\n    a.swing()", ["Bee.swing"]),
        ("for a in cage.by_name.values():\n    a.swing()", ["Ape.swing"]),
        ("for _, a in cage.by_name.items():\n    a.swing()", ["Ape.swing"]),
        ("for _, a in enumerate(cage.bees):\n    a.swing()", ["Bee.swing"]),
        ("for a in cage.by_name:\n    a.swing()", []),
        ("cage.apes[0].swing()", ["Ape.swing"]),
        ("a = cage.by_name['x']\na.swing()", ["Ape.swing"]),
        ("a = cage.by_name.get('x')\na.swing()", ["Ape.swing"]),
        ("cage.apes[:1].swing()", []),
        ("a = cage.kind()\na.swing()", ["Ape.swing"]),
        ("a = cage.first()()\na.swing()", ["Bee.swing"]),
        ("cls = Other\na = cls()\na.swing()", ["Ape.swing"]),
        ("a = cage.one\na.swing()", ["Ape.swing"]),
        ("with opened() as c:\n    c.kind().swing()", ["Ape.swing"]),
        ("if isinstance(x, Ape):\n    x.swing()", ["Ape.swing"]),
        ("if x and isinstance(x, Ape) and y:\n    x.swing()", ["Ape.swing"]),
        ("if isinstance(x, Ape) or y:\n    x.swing()", []),
        ("if isinstance(x, Ape):\n    pass\nx.swing()", []),
        ("x.swing()\nif isinstance(x, Ape):\n    pass", []),
        ("assert isinstance(x, Ape)\nx.swing()", ["Ape.swing"]),
        ("if not isinstance(x, Ape):\n    return\nx.swing()", ["Ape.swing"]),
        ("if not isinstance(x, Ape):\n    print()\nx.swing()", []),
        ("if isinstance(y, Ape):\n    pass\ny.swing()", ["Bee.swing"]),
    ],
)
def test_python_follows_what_holds_names_and_tests_say(body: str, expected: list[str]) -> None:
    assert python(body) == expected


def test_a_parameter_that_a_field_is_given_is_not_looked_up_outside_of_its_method() -> None:
    text = "ape = Ape()\nclass A:\n    def __init__(self, ape):\n        self.ape = ape\n    def g(self):\n"
    code = code_of({"user.py": f"from zoo import *\n{text}        self.ape.swing()\n", "zoo.py": ZOO})

    assert meant(code, "user.py:7", "swing") == []


def test_what_a_function_for_any_type_returns_is_not_thought_to_be_outside() -> None:
    text = "from typing import TypeVar\nT = TypeVar('T')\ndef get(kind: type[T]) -> T: ...\n"
    text += "class A:\n    def only(self): ...\n"
    code = code_of({"m.py": f"{text}a = get(A)\na.only()\n"})

    assert meant(code, "m.py:7", "only") == ["m.py::A.only"]


SCRIPT = {
    "apes.ts": "class Ape { swing() {} }\nfunction made() {}\nexport { Ape as Monkey, made as makes };\n"
    "export default made;\n",
    "index.ts": "export const swing = () => {};\nexport function climb() {}\n",
}


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("import { Monkey } from './apes';\nnew Monkey().swing();", "swing", ["apes.ts::Ape.swing"]),
        ("import { makes } from './apes';\nmakes();", "makes", ["apes.ts::made"]),
        ("import anything from './apes';\nanything();", "anything", ["apes.ts::made"]),
        ("import * as all from './index';\nconst { swing, climb: up } = all;\nswing();", "swing", ["index.ts::swing"]),
        ("import * as all from './index';\nconst { swing, climb: up } = all;\nup();", "up", ["index.ts::climb"]),
        (
            "import * as all from './index';\nfunction f() {\n  const { climb } = all;\n  climb();",
            "climb",
            ["index.ts::climb"],
        ),
        (
            "import { climb } from './index';\nfunction f(a, deps = { climb }) {\n  deps.climb();",
            "climb",
            ["index.ts::climb"],
        ),
        (
            "import { climb } from './index';\nconst all = { up: climb };\nfunction f(deps = all) {\n  deps.up();",
            "up",
            ["index.ts::climb"],
        ),
        ("import { climb } from './index';\nfunction f(deps) {\n  deps.climb();", "climb", []),
    ],
)
def test_scripts_follow_other_names_and_what_objects_hold(text: str, name: str, expected: list[str]) -> None:
    line = text.count("\n") + 1
    text += "\n}\n" if "function f" in text else "\n"

    assert meant(code_of({**SCRIPT, "user.ts": text}), f"user.ts:{line}", name) == expected


MANY_PLACES = """\
from zoo import *
def f(x):
    x.swing()  # Bee.swing
    x = Ape()
    x.swing()  # Ape.swing
    def inner():
        x.swing()  # Ape.swing
    x = Bee()
    x.swing()  # Bee.swing
def g(x: Bee):
    x.swing()  # Bee.swing
    made()  # made
def h(made):
    made()  # nothing
    x.swing()  # Ape.swing
x = Ape()
class Own(Ape):
    x = Bee()
    x.swing()  # Bee.swing
    def made(self):
        made()  # made
        x.swing()  # Ape.swing
        super().swing()  # Ape.swing
        self.swing()  # Own.swing
        def deep():
            self.swing()  # Own.swing
    def swing(self): ...
    @classmethod
    def new(cls):
        cls.swing()  # Own.swing
        cls().made()  # Own.made
    class Inner(Bee):
        def go(self):
            self.swing()  # Bee.swing
            super().swing()  # Bee.swing
"""

OTHER_SELF = """\
from zoo import *
class Odd(Bee):
    def go(self):
        self.swing()  # Bee.swing
    def odd(self):
        self = Ape()
        self.swing()  # Ape.swing
def free(self: Ape):
    self.swing()  # Ape.swing
"""


@pytest.mark.parametrize("text", [MANY_PLACES, OTHER_SELF])
def test_one_binder_keeps_apart_what_a_name_is_at_each_place(text: str) -> None:
    lines = text.splitlines()
    expected = {number: line.partition("  # ")[2] for number, line in enumerate(lines, 1) if "  # " in line}
    code = code_of({"zoo.py": ZOO, "user.py": text})
    asked = [each for each in code.references("user.py") if each.line in expected and each.name in ("swing", "made")]
    for some in (asked, asked[::-1]):
        binder = Binder(code)
        bound = {each.line: binder.bound("user.py", each).candidates for each in some}
        sure = {
            line: [shown(code, one.path, one.place) for one in each if one.confidence > 70]
            for line, each in bound.items()
        }
        found = {line: names[0].partition("::")[2] if names else "nothing" for line, names in sure.items()}
        assert found == expected
