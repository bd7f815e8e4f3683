"""Whom a call means where the type of its object comes by way of other names, of what holds it, or of a test."""

import pytest

from tests.pure.code_in_memory import code_of, meant

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
