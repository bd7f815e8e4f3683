"""Questions to the code graph: who calls, uses, inherits from and imports what, and where a name is defined."""

from collections.abc import Sequence

import pytest

from tests.pure.code_in_memory import CodeInMemory, code_of, place_of, shown
from verifflowcc.code.rules.bind_queries import (
    callees,
    callers,
    definitions_named,
    imported_by,
    imports,
    subtypes,
    supertypes,
    sure_uses,
    uses,
)
from verifflowcc.code.rules.binding import Binder
from verifflowcc.code.rules.changed_code import WIDELY, reach_of
from verifflowcc.code.rules.graph import CONFIDENT, Reference, ReferenceKind, ReferenceLink

SHOP = {
    "shop/__init__.py": "from .pay import settle as settle_all, Card\nfrom . import tax\n",
    "shop/pay.py": "LIMIT = 3\n"
    "class Card:\n"
    "    def __init__(self, number):\n"
    "        self.number = number\n"
    "    def charge(self, limit=LIMIT): pass\n"
    "def settle(card: Card):\n"
    "    card.charge()\n"
    "    def again():\n"
    "        settle(card)\n",
    "shop/tax.py": "import json\nfrom shop.pay import settle, LIMIT\ndef vat():\n    settle(LIMIT)\n",
    "app.py": "import shop\n"
    "from shop import settle_all as pay_now, Card\n"
    "class Gold(shop.Card):\n"
    "    def charge(self):\n"
    "        super().charge()\n"
    "def run(thing):\n"
    "    pay_now(Gold(1))\n"
    "    Card(2).charge()\n"
    "    thing.charge()\n"
    "    shop.tax.vat()\n",
}


def _said(links: Sequence[ReferenceLink], least: int = CONFIDENT) -> list[str]:
    return [f"{each.path}:{each.line} {each.symbol}".strip() for each in links if each.confidence >= least]


class _Watched(CodeInMemory):
    """Notes whose references are asked for."""

    def __init__(self, code: CodeInMemory) -> None:
        self.__dict__.update(code.__dict__)
        self.asked: set[str] = set()

    def references(self, path: str, name: str = "", kind: ReferenceKind | None = None) -> Sequence[Reference]:
        self.asked.add(path)
        return super().references(path, name, kind)


@pytest.mark.vfcc("REQ-GRAPH-CALLERS")
def test_callers_are_found_under_every_name_that_imports_give() -> None:
    code = code_of(SHOP)

    assert _said(callers(code, *place_of(code, "shop/pay.py::settle"))) == [
        "shop/pay.py:9 settle.again",
        "app.py:7 run",
        "shop/tax.py:4 vat",
    ]


def test_callers_of_a_method_are_sorted_by_how_sure_they_are() -> None:
    code = code_of(SHOP)

    links = callers(code, *place_of(code, "shop/pay.py::Card.charge"))

    assert _said(links) == ["app.py:8 run", "shop/pay.py:7 settle", "app.py:5 Gold.charge"]
    assert _said(links, 1)[3:] == ["app.py:9 run"]
    assert [shown(code, each.path, each.place) for each in links[-1].candidates] == [
        "app.py::Gold.charge",
        "shop/pay.py::Card.charge",
    ]


def test_who_makes_an_object_calls_what_makes_it() -> None:
    code = code_of(SHOP)

    assert _said(callers(code, *place_of(code, "shop/pay.py::Card.__init__"))) == ["app.py:8 run"]


def test_only_files_that_speak_of_a_name_are_read() -> None:
    code = _Watched(code_of(SHOP | {"other.py": "def other():\n    print(1)\n"}))

    callers(code, *place_of(code, "shop/tax.py::vat"))

    assert code.asked == {"app.py"}


@pytest.mark.vfcc("REQ-GRAPH-CALLS")
def test_callees_say_which_definition_each_call_means() -> None:
    code = code_of(SHOP)

    links = callees(code, *place_of(code, "shop/pay.py::settle"))

    assert [(each.line, each.name) for each in links] == [(7, "charge"), (9, "settle")]
    assert [shown(code, each.candidate.path, each.candidate.place) for each in links if each.candidate] == [
        "shop/pay.py::Card.charge",
        "shop/pay.py::settle",
    ]


@pytest.mark.vfcc("REQ-GRAPH-INHERITS")
def test_types_know_what_they_inherit_from_and_who_inherits_from_them() -> None:
    code = code_of(SHOP)
    card, gold = place_of(code, "shop/pay.py::Card"), place_of(code, "app.py::Gold")

    assert [each.candidate and (each.candidate.path, each.candidate.place) for each in supertypes(code, *gold)] == [
        card
    ]
    assert _said(subtypes(code, *card)) == ["app.py:3 Gold"]
    assert subtypes(code, *gold) == ()


@pytest.mark.vfcc("REQ-GRAPH-VARIABLES")
def test_uses_of_a_variable_name_the_function_that_uses_it() -> None:
    code = code_of(SHOP)

    assert _said(uses(code, *place_of(code, "shop/pay.py::LIMIT"))) == ["shop/pay.py:5 Card", "shop/tax.py:4 vat"]


@pytest.mark.vfcc("REQ-GRAPH-IMPORTS", "REQ-GRAPH-DEPENDENCIES")
def test_imports_name_the_files_that_they_mean() -> None:
    code = code_of(SHOP)

    assert [(each.line, each.module, each.name, each.files) for each in imports(code, "shop/__init__.py")] == [
        (1, ".pay", "settle", ("shop/pay.py",)),
        (1, ".pay", "Card", ("shop/pay.py",)),
        (2, ".", "tax", ("shop/tax.py",)),
    ]
    assert [each.external for each in imports(code, "shop/tax.py")] == [True, False, False]


@pytest.mark.vfcc("REQ-GRAPH-DEPENDENCIES")
def test_a_file_knows_who_imports_it() -> None:
    code = code_of(SHOP)

    def by(path: str) -> list[str]:
        return list(dict.fromkeys(each.path for each in imported_by(code, path)))

    assert by("shop/pay.py") == ["shop/__init__.py", "shop/tax.py"]
    assert by("shop/tax.py") == ["shop/__init__.py"]
    assert by("shop/__init__.py") == ["app.py"]
    assert by("app.py") == []


def test_a_default_export_is_called_under_any_name() -> None:
    code = code_of({
        "a/kit.js": "export default function make() {}\n",
        "b.js": "import build from './a/kit'\nbuild()\n",
    })  # fmt: skip

    assert _said(callers(code, *place_of(code, "a/kit.js::make"))) == ["b.js:2"]


def test_the_files_of_a_go_package_are_what_its_import_means() -> None:
    code = code_of({
        "go/pay/a.go": "package pay\nfunc A() {}\n",
        "go/pay/b.go": "package pay\nfunc B() {}\n",
        "go/main.go": 'package main\nimport "example.org/shop/pay"\nfunc main() { pay.A() }\n',
    })  # fmt: skip

    assert [each.files for each in imports(code, "go/main.go")] == [("go/pay/a.go", "go/pay/b.go")]
    assert [each.path for each in imported_by(code, "go/pay/b.go")] == ["go/main.go"]


@pytest.mark.vfcc("REQ-GRAPH-FIND")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("charge", ["app.py:4 Gold.charge", "shop/pay.py:5 Card.charge"]),
        ("Card.charge", ["shop/pay.py:5 Card.charge"]),
        ("Card::charge()", ["shop/pay.py:5 Card.charge"]),
        ("pay.py::charge", ["shop/pay.py:5 Card.charge"]),
        ("shop/pay.py::Card", ["shop/pay.py:2 Card"]),
        ("shop/pay.py:9", ["shop/pay.py:8 settle.again"]),
        ("./app.py:2", []),
        ("Gold.number", ["shop/pay.py:4 Card.number"]),
        ("SETTLE", ["shop/pay.py:6 settle"]),
        ("card.CHARGE", ["shop/pay.py:5 Card.charge"]),
        ("harg", ["app.py:4 Gold.charge", "shop/pay.py:5 Card.charge"]),
        ("nobody", []),
        ("", []),
    ],
)
def test_definitions_are_found_by_what_a_person_writes(text: str, found: list[str]) -> None:
    assert [f"{each.path}:{each.line} {each.name}" for each in definitions_named(code_of(SHOP), text)] == found


def test_sure_uses_are_the_sure_ones_among_all_uses() -> None:
    code = code_of(SHOP)
    for whole in ("shop/pay.py::Card.charge", "shop/pay.py::settle", "shop/pay.py::Card", "shop/tax.py::vat"):
        path, place = place_of(code, whole)
        sure, everywhere = sure_uses(Binder(code), path, place)

        assert everywhere
        assert _said(tuple(sure)) == _said(tuple(sure), least=0)
        assert sorted(_said(tuple(sure))) == sorted(_said(uses(code, path, place)))


def _widely(files: int) -> CodeInMemory:
    """A function that many files speak of, used in its own file by what two others use."""
    texts = {
        "shop/pay.py": "def settle():\n    pass\ndef get():\n    settle()\ndef again():\n    get()\n",
        "till.py": "from shop.pay import get\ndef open():\n    get()\n",
        "far.py": "import till\ndef far():\n    till.get()\n",
    }
    return code_of(texts | {f"other/{number}.py": "def run(thing):\n    thing.get()\n" for number in range(files)})


def test_what_very_many_files_speak_of_is_followed_near_its_file_alone_and_that_is_stated() -> None:
    few, many = _widely(5), _widely(WIDELY)
    by_few = reach_of(Binder(few), [place_of(few, "shop/pay.py::settle")])
    watched = _Watched(many)
    by_many = reach_of(Binder(watched), [place_of(many, "shop/pay.py::settle")])

    assert {shown(few, each.path, each.place) for each in by_few.found} == {
        "shop/pay.py::get",
        "shop/pay.py::again",
        "till.py::open",
        "far.py::far",
    }
    assert (by_few.whole, by_few.partly) == (True, ())
    assert {shown(many, each.path, each.place) for each in by_many.found} == {
        "shop/pay.py::get",
        "shop/pay.py::again",
        "till.py::open",
    }
    assert (by_many.whole, by_many.partly) == (False, ("get",))
    assert not any(path.startswith("other/") for path in watched.asked)
