"""A class that a task names, with its members; fixtures that tests use."""

import pytest

from tests.pure.code_searched import Searched
from verifflowcc.base.model.config_values import WHOLE, CodeMix
from verifflowcc.code.rules.code_context import choose

pytestmark = pytest.mark.vfcc("REQ-CODE-IN-PROMPT")

METHODS = "".join(
    f"    def step_{number}(self, count):\n" + f"        moved = {number} + count\n" * 12 + "        return moved\n\n"
    for number in range(9)
)
BASKET = f'class Basket:\n    """Things to buy."""\n\n    limit = 10\n\n{METHODS}\ndef other():\n    return 1\n'
NOISE = {
    f"shop/coupon_{number}.py": f"def hold_coupons_{number}(coupons):\n" + "    coupons.hold()\n" * 9
    for number in range(12)
}
CODE = Searched({"shop/basket.py": BASKET, **NOISE})


def names(task: str, budget: int) -> dict[str, str]:
    found = choose(task, CODE, budget, lambda text: len(text) // 4).filled.snippets
    return {each.name: each.text for each in found if each.path == "shop/basket.py"}


def test_a_class_named_in_the_task_comes_with_its_methods() -> None:
    found = names("Hold coupons in a Basket", 4_000)

    assert {f"Basket.step_{number}" for number in range(9)} <= found.keys()
    assert "limit = 10" in found["Basket"]
    assert all("return moved" in found[f"Basket.step_{number}"] for number in range(9))


def test_methods_of_a_named_class_without_room_for_bodies_show_their_signatures() -> None:
    found = names("Hold coupons in a Basket", 900)
    bodies = [name for name, text in found.items() if "return moved" in text]
    signatures = [name for name, text in found.items() if text.endswith("(self, count):")]

    assert bodies
    assert signatures
    assert not set(bodies) & set(signatures)


CONFTEST = """\
import pytest


@pytest.fixture
def prices():
    return {"pear": 3}


@pytest.fixture()
def basket(prices):
    return prices


@pytest.fixture
def unrelated():
    return 1


def no_fixture():
    return 2
"""
TESTED = Searched(
    {
        "shop/total.py": "def total(prices):\n    return sum(prices)\n",
        "tests/unit/test_total.py": "def test_total(basket, no_fixture):\n    assert total(basket) == 3\n",
        "tests/conftest.py": CONFTEST,
    },
    {"tests/unit/test_total.py", "tests/conftest.py"},
)


def test_a_test_comes_with_the_fixtures_that_it_uses_and_those_that_they_use() -> None:
    found = choose("the total is wrong: `total`", TESTED, 4_000, len, mix=CodeMix(tests=WHOLE)).filled.snippets
    order = [each.name for each in found if each.part == "tests" and each.whole]
    first = order.index("test_total")

    assert order[first + 1 : first + 3] == ["basket", "prices"]
    assert [each.why for each in found if each.name == "basket"] == ["a fixture of the tests above"]
