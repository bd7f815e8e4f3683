"""What tests lose: read from Python, JavaScript and Go, compared between two sides."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.base.model.testcases import Loss, LostTest, Strength
from verifflowcc.code.rules.source_testcases import read_cases
from verifflowcc.gates.rules.python_tests import python_tests, strength_of, strength_of_call
from verifflowcc.gates.rules.runner_settings import changed_hooks, lowered_settings
from verifflowcc.gates.rules.tests_lost import lost_tests, text_tests

pytestmark = pytest.mark.vfcc("REQ-TESTS-KEPT")

OLD = """\
import pytest
from price import price

CASES = [1, 2, 3]


def check(value):
    assert value > 0


@pytest.mark.parametrize("cents", [100, 250, 305])
def test_price(cents):
    assert price(cents) == str(cents / 100)
    check(price(cents))


class TestErrors:
    def test_negative(self):
        with pytest.raises(ValueError, match="negative"):
            price(-1)
"""


def lost(before: str, after: str, *, product_changed: bool = True) -> tuple[LostTest, ...]:
    """What tests of one file lost."""
    sides = [{"tests/test_price.py": python_tests(text.encode(), ("price.py",))} for text in (before, after)]
    return lost_tests(*sides, product_changed=product_changed)


def losses(before: str, after: str, *, product_changed: bool = True) -> set[str]:
    return {str(each.loss) for each in lost(before, after, product_changed=product_changed)}


EQUAL = "    assert price(cents) == str(cents / 100)\n"
WEAKER = {
    "is not None": (EQUAL, "    assert price(cents) is not None\n"),
    "truthy": (EQUAL, "    assert price(cents)\n"),
    "not equal": (EQUAL, "    assert price(cents) != ''\n"),
    "one of several": (EQUAL, "    assert price(cents) in ('1', '2.5', '3.05')\n"),
    "a part": (EQUAL, "    assert price(cents).startswith('1')\n"),
    "a size": (EQUAL, "    assert len(price(cents)) > 0\n"),
    "its type": (EQUAL, "    assert isinstance(price(cents), str)\n"),
    "or true": (EQUAL, "    assert price(cents) == str(cents / 100) or True\n"),
    "itself": (EQUAL, "    assert price(cents) == price(cents)\n"),
    "a constant": (EQUAL, "    assert True\n"),
    "a tuple": (EQUAL, "    assert (price(cents) == 1, 'message')\n"),
    "anything": (EQUAL, "    assert price(cents) == mock.ANY\n"),
    "gone": (EQUAL, ""),
    "a comment": (EQUAL, "    # assert price(cents) == str(cents / 100)\n"),
    "caught": (
        EQUAL,
        "    try:\n        assert price(cents) == str(cents / 100)\n    except AssertionError:\n        pass\n",
    ),
    "suppressed": (EQUAL, "    with suppress(Exception):\n        assert price(cents) == str(cents / 100)\n"),
    "sometimes": (EQUAL, "    if FULL:\n        assert price(cents) == str(cents / 100)\n"),
    "never": (EQUAL, "    if False:\n        assert price(cents) == str(cents / 100)\n"),
    "behind a return": (EQUAL, "    return\n    assert price(cents) == str(cents / 100)\n"),
    "behind a return at times": (
        EQUAL,
        "    if not FULL:\n        return\n    assert price(cents) == str(cents / 100)\n",
    ),
    "the helper": ("    assert value > 0\n", "    assert value\n"),
    "any exception": ("ValueError, match", "Exception, match"),
    "no message": (', match="negative"', ""),
    "tolerant": (EQUAL, "    assert price(cents) == pytest.approx(3, abs=100)\n"),
}


@pytest.mark.parametrize("name", WEAKER)
def test_an_assertion_that_asks_for_less_is_weakened(name: str) -> None:
    before, after = WEAKER[name]
    new = OLD.replace(before, after)
    ast.parse(new)

    found = lost(OLD, new)

    if name != "any exception":  # a message is still asked for: the class alone became wider
        assert {each.loss for each in found} == {Loss.WEAKENED}, found
        assert all(each.path == "tests/test_price.py" and each.line for each in found)


def test_a_weakened_assertion_is_named_as_it_was_and_as_it_is() -> None:
    (found,) = lost(OLD, OLD.replace(EQUAL, "    assert price(cents) is not None\n"))

    assert str(found) == (
        "weakened: tests/test_price.py:13 test_price: "
        "`price(cents) == str(cents / 100)` is now `price(cents) is not None`"
    )


SKIPPED = {
    "mark": ("@pytest.mark.param", "@pytest.mark.skip\n@pytest.mark.param"),
    "skipif": ("@pytest.mark.param", "@pytest.mark.skipif(True, reason='x')\n@pytest.mark.param"),
    "xfail": ("@pytest.mark.param", "@pytest.mark.xfail\n@pytest.mark.param"),
    "call": (EQUAL, f"    pytest.skip('later')\n{EQUAL}"),
    "call at times": (EQUAL, f"    if SLOW:\n        pytest.skip('later')\n{EQUAL}"),
    "raise": (EQUAL, f"    raise unittest.SkipTest('later')\n{EQUAL}"),
    "class": ("class TestErrors", "@unittest.skip('x')\nclass TestErrors"),
    "module": ("CASES =", "pytestmark = [pytest.mark.skip]\nCASES ="),
    "module call": ("CASES =", "pytest.skip('x', allow_module_level=True)\nCASES ="),
    "case": ("[100, 250, 305]", "[100, 250, pytest.param(305, marks=pytest.mark.skip)]"),
}


@pytest.mark.parametrize("name", SKIPPED)
def test_a_new_skip_is_named(name: str) -> None:
    assert "skipped" in losses(OLD, OLD.replace(*SKIPPED[name]))


REMOVED = {
    "gone": ("def test_price", "def price_of"),
    "renamed": ("def test_price", "def _test_price"),
    "class not collected": ("class TestErrors", "class Errors"),
    "class with __init__": ("class TestErrors:", "class TestErrors:\n    def __init__(self): ...\n"),
    "off": ("class TestErrors:", "class TestErrors:\n    __test__ = False\n"),
    "deleted": ("class TestErrors", "del test_price\n\n\nclass TestErrors"),
    "never defined": ("class TestErrors", "test_price = None\n\n\nclass TestErrors"),
}


@pytest.mark.parametrize("name", REMOVED)
def test_a_test_that_is_not_collected_any_more_is_removed(name: str) -> None:
    assert "removed" in losses(OLD, OLD.replace(*REMOVED[name]))


@pytest.mark.parametrize(
    ("before", "after"),
    [("[100, 250, 305]", "[100]"), ("[100, 250, 305]", "[100, 250]")],
    ids=["one", "two"],
)
def test_fewer_parameters_are_narrowed(before: str, after: str) -> None:
    assert losses(OLD, OLD.replace(before, after)) == {"narrowed"}


def test_fewer_cases_of_a_table_are_narrowed() -> None:
    looped = "CASES = [1, 2, 3]\n\n\ndef test_all():\n    for each in CASES:\n        assert price(each) == each\n"

    (found,) = lost(looped, looped.replace("[1, 2, 3]", "[1]"))

    assert (found.loss, found.words) == (Loss.NARROWED, "3 cases before, 1 now")


SAME = {
    "nothing": ("", ""),
    "a new test": ("class TestErrors", "def test_more():\n    assert price(1)\n\n\nclass TestErrors"),
    "a stronger assertion": ("assert value > 0", "assert value == 3"),
    "another order": ("CASES = [1, 2, 3]\n", ""),
    "a conjunction": (EQUAL, "    assert price(cents) == str(cents / 100) and price(cents)\n"),
    "more cases": ("[100, 250, 305]", "[100, 250, 305, 999]"),
    "renamed": ("def test_price", "def test_price_of_cents"),
    "moved into a class": ("class TestErrors:\n", "class TestMore:\n"),
    "a loop over constants": ("    check(price(cents))", "    for each in [price(cents)]:\n        check(each)"),
    "an expected value": ("str(cents / 100)", "f'{cents / 100:.2f}'"),
}


@pytest.mark.parametrize("name", SAME)
def test_what_asks_as_much_as_before_is_no_loss(name: str) -> None:
    before, after = SAME[name]

    assert losses(OLD, OLD.replace(before, after) if before else OLD) == set()


def test_a_test_that_moves_to_another_file_is_kept() -> None:
    before = {"tests/a.py": python_tests(OLD.encode())}
    after = {"tests/a.py": {}, "tests/b.py": python_tests(OLD.encode())}

    assert lost_tests(before, after, product_changed=True) == ()


def test_tests_that_were_merged_into_one_are_kept() -> None:
    one = "def test_a():\n    assert f(1) == 1\n\n\ndef test_b():\n    assert f(2) == 2\n"
    both = "def test_both():\n    assert f(1) == 1\n    assert f(2) == 2\n"

    assert losses(one, both) == set()


def test_an_expected_value_counts_where_no_product_file_changed() -> None:
    new = OLD.replace("str(cents / 100)", "str(cents)")

    assert losses(OLD, new, product_changed=False) == {"altered"}


@pytest.mark.parametrize(
    "body",
    [
        "    assert 'round' in open('price.py').read()\n",
        "    assert 'round' in Path('src/price.py').read_text()\n",
        "    assert 'round' in inspect.getsource(price)\n",
        "    if date.today() < date(2027, 1, 1):\n        assert price(1) == '1'\n",
        "    if time.time() > 1_900_000_000:\n        pytest.skip('old')\n    assert price(1) == '1'\n",
    ],
    ids=["open", "read_text", "getsource", "time bomb", "skip by time"],
)
def test_a_new_test_that_does_not_look_at_the_product_is_hollow(body: str) -> None:
    assert "hollow" in losses(OLD, f"{OLD}\n\ndef test_new():\n{body}")


def test_a_helper_of_many_tests_is_named_once_for_each_assertion() -> None:
    tests = "".join(f"def test_{name}():\n    check(price())\n\n\n" for name in "abc")
    before = f"def check(value):\n    assert value == 3\n\n\n{tests}"

    found = lost(before, before.replace("value == 3", "value"))

    assert {each.line for each in found} == {2}


@pytest.mark.parametrize(
    ("text", "strength"),
    [
        ("x == 1", Strength.EXACT),
        ("x is None", Strength.EXACT),
        ("x is not None", Strength.EXISTENCE),
        ("x", Strength.EXISTENCE),
        ("not x", Strength.RANGE),
        ("not (x == 1)", Strength.EXISTENCE),
        ("x > 1", Strength.RANGE),
        ("1 < x < 3", Strength.RANGE),
        ("len(x) == 3", Strength.RANGE),
        ("len(x) == 0", Strength.EXACT),
        ("x == 1 or x == 2", Strength.RANGE),
        ("all(y == 1 for y in x)", Strength.EXACT),
        ("any(y == 1 for y in x)", Strength.RANGE),
        ("1 == 1", Strength.NOTHING),
        ("x == x", Strength.NOTHING),
        ("(x, 'text')", Strength.NOTHING),
        ("False", Strength.EXACT),
    ],
)
def test_an_assertion_asks_as_much_as_its_form(text: str, strength: Strength) -> None:
    assert strength_of(ast.parse(text, mode="eval").body) is strength


@pytest.mark.parametrize(
    ("text", "strength"),
    [
        ("self.assertEqual(a, b)", Strength.EXACT),
        ("self.assertEqual(a, a)", Strength.NOTHING),
        ("self.assertTrue(a == b)", Strength.EXACT),
        ("self.assertTrue(a)", Strength.EXISTENCE),
        ("self.assertIsNotNone(a)", Strength.EXISTENCE),
        ("pytest.raises(ValueError, match='x')", Strength.DETAILED),
        ("pytest.raises(Exception)", Strength.RANGE),
        ("mock.assert_called_once_with(1)", Strength.EXACT),
        ("mock.assert_called()", Strength.EXISTENCE),
        ("check_price(a)", Strength.RANGE),
        ("price(a)", None),
    ],
)
def test_a_call_that_asserts_asks_as_much_as_its_name(text: str, strength: Strength | None) -> None:
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)

    assert strength_of_call(call) is strength


@given(st.permutations(OLD.split("\n\n\n")[1:]))
def test_the_order_of_definitions_is_no_loss(parts: list[str]) -> None:
    head = OLD.split("\n\n\n", maxsplit=1)[0]

    assert losses(OLD, "\n\n\n".join([head, *parts]) + "\n") == set()


@given(st.lists(st.sampled_from(OLD.split("\n\n\n")), max_size=4))
def test_nothing_is_lost_between_a_file_and_itself(parts: list[str]) -> None:
    text = "\n\n\n".join(parts)

    assert losses(text, text, product_changed=False) == set()


# Other languages

JS = """\
describe("price", () => {
  it.each([[100, "1"], [250, "2.5"]])("of %s", (cents, text) => {
    expect(price(cents)).toBe(text);
  });
  test("fails", async () => {
    expect(() => price(-1)).toThrow("negative");
    assert.equal(price(1), "0.01");
  });
});
"""
GO = """\
package price

import "testing"

func TestPrice(t *testing.T) {
	cases := []struct{ cents int; want string }{{100, "1"}, {250, "2.5"}}
	for _, each := range cases {
		if got := price(each.cents); got != each.want {
			t.Errorf("got %s", got)
		}
	}
	require.NoError(t, err)
}
"""


def lost_in(language: str, before: str, after: str) -> set[str]:
    sides = [{"a": read_cases(language, text.encode())} for text in (before, after)]
    return {str(each.loss) for each in lost_tests(*sides, product_changed=True)}


@pytest.mark.parametrize(
    ("before", "after", "loss"),
    [
        (".toBe(text)", ".toBeDefined()", "weakened"),
        (".toBe(text)", ".not.toBe(1)", "weakened"),
        ("expect(price(cents)).toBe(text);", "", "weakened"),
        ("expect(price(cents)).toBe(text);", "expect(true).toBe(true);", "weakened"),
        ('toThrow("negative")', "toThrow()", "weakened"),
        ('assert.equal(price(1), "0.01")', "assert.ok(price(1))", "weakened"),
        (', [250, "2.5"]', "", "narrowed"),
        ("it.each", "it.skip.each", "skipped"),
        ('test("fails"', 'test.only("fails"', "skipped"),
        ('test("fails"', 'xtest("fails"', "skipped"),
        ("describe(", "describe.skip(", "skipped"),
        ('test("fails"', 'run("fails"', "removed"),
    ],
)
def test_losses_of_javascript_are_named(before: str, after: str, loss: str) -> None:
    assert before in JS

    assert loss in lost_in("javascript", JS, JS.replace(before, after))
    assert loss in lost_in("typescript", JS, JS.replace(before, after))


@pytest.mark.parametrize(
    ("before", "after", "loss"),
    [
        ("got != each.want", 'got == ""', "weakened"),
        ("got != each.want", "false", "weakened"),
        ('t.Errorf("got %s", got)', "_ = got", "weakened"),
        ("require.NoError(t, err)", "require.NotNil(t, t)", "weakened"),
        (', {250, "2.5"}', "", "narrowed"),
        ("\tcases :=", '\tt.Skip("later")\n\tcases :=', "skipped"),
        ("func TestPrice", "func testPrice", "removed"),
    ],
)
def test_losses_of_go_are_named(before: str, after: str, loss: str) -> None:
    assert before in GO

    assert loss in lost_in("go", GO, GO.replace(before, after))


@pytest.mark.parametrize(("language", "text"), [("javascript", JS), ("go", GO)])
def test_another_language_loses_nothing_by_itself(language: str, text: str) -> None:
    assert lost_in(language, text, text) == set()
    assert read_cases(language, text.encode())


RUST = (
    "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n\n#[test]\nfn more() {\n    assert!(add(1, 1) > 0);\n}\n"
)


@pytest.mark.parametrize(
    ("before", "after", "loss"),
    [
        ("    assert_eq!(add(1, 2), 3);\n", "", "weakened"),
        ("assert_eq!(add(1, 2), 3)", "assert!(add(1, 2).is_some())", "weakened"),
        ("#[test]\nfn more", "#[test]\n#[ignore]\nfn more", "skipped"),
    ],
)
def test_losses_of_a_language_without_a_reader_are_named_by_their_lines(before: str, after: str, loss: str) -> None:
    sides = [{"a.rs": text_tests(text.encode())} for text in (RUST, RUST.replace(before, after))]

    assert loss in {str(each.loss) for each in lost_tests(*sides, product_changed=True)}


# Settings and hooks


@pytest.mark.parametrize(
    ("path", "before", "after", "words"),
    [
        ("pyproject.toml", "[tool.coverage.report]\nfail_under = 90", "[tool.coverage.report]\nfail_under = 50", "90"),
        ("pyproject.toml", "[tool.coverage.report]\nfail_under = 90", "", "is gone"),
        ("pyproject.toml", "", "[tool.coverage.run]\nomit = ['price.py']", "omit has price.py"),
        ("pyproject.toml", "", "[tool.pytest.ini_options]\naddopts = '--deselect tests/a.py::b'", "--deselect"),
        ("pytest.ini", "[pytest]\naddopts = -q", "[pytest]\naddopts = -q -k 'not price'", "-k not price"),
        ("pytest.ini", "[pytest]\naddopts = -q", "[pytest]\naddopts = -q --ignore=tests/a", "--ignore=tests/a"),
        ("pytest.ini", "[pytest]\ntestpaths = a b", "[pytest]\ntestpaths = a", "testpaths lacks b"),
        ("pytest.ini", "[pytest]\nxfail_strict = true", "[pytest]", "xfail_strict was true"),
        ("setup.cfg", "[tool:pytest]\nfilterwarnings = error", "[tool:pytest]", "warnings are errors no more"),
        (".coveragerc", "[report]\nfail_under = 80", "[report]\nfail_under = 8", "fail_under was 80"),
        ("tox.ini", "[pytest]\naddopts = --cov-fail-under=80", "[pytest]\naddopts = --cov-fail-under=10", "was 80"),
        ("package.json", '{"jest": {"coverageThreshold": {"global": {"lines": 90}}}}', '{"jest": {}}', "lines was 90"),
        ("package.json", "{}", '{"jest": {"testPathIgnorePatterns": ["price"]}}', "price"),
        ("vitest.config.ts", "export default {}", "export default {\n  exclude: ['price.test.ts'] }", "exclude"),
    ],
)
def test_a_lowered_setting_is_named(path: str, before: str, after: str, words: str) -> None:
    found = lowered_settings({path: before.encode()}, {path: after.encode()})

    assert [words in str(each) for each in found] == [True], found
    assert lowered_settings({path: before.encode()}, {path: before.encode()}) == ()


def test_a_setting_that_moves_to_another_file_is_compared_with_what_it_is_there() -> None:
    ini, toml = (
        b"[tool:pytest]\nfilterwarnings = error\n[coverage:run]\nomit = a\n",
        b"[tool.coverage.run]\nomit = ['a']\n",
    )
    moved = toml + b"[tool.pytest.ini_options]\nfilterwarnings = ['error']\n"

    assert (
        lowered_settings({"setup.cfg": ini, "pyproject.toml": b""}, {"setup.cfg": b"", "pyproject.toml": moved}) == ()
    )
    (found,) = lowered_settings({"setup.cfg": ini, "pyproject.toml": b""}, {"pyproject.toml": toml})
    assert found.words == "warnings are errors no more"


def test_a_name_of_the_test_alone_is_no_expectation() -> None:
    assert losses(OLD, OLD.replace("price(cents)", "cost(cents)"), product_changed=False) == set()


def test_an_expected_value_in_a_variable_counts_as_well() -> None:
    held = 'def test_price():\n    wanted = "2.50"\n    assert price(250) == wanted\n'

    (found,) = lost(held, held.replace("2.50", "2.5"), product_changed=False)

    assert (found.loss, found.words) == (Loss.ALTERED, "it has '2.50' no more")


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("pyproject.toml", "[tool.coverage.report]\nfail_under = 50", "[tool.coverage.report]\nfail_under = 90"),
        ("pyproject.toml", "[project]\nname = 'a'", "[project]\nname = 'b'\ndependencies = ['x']"),
        ("pytest.ini", "[pytest]\naddopts = -q", "[pytest]\naddopts = -q -ra --strict-markers"),
        ("tox.ini", "[testenv]\ncommands = pytest", "[testenv]\ncommands = python -m pytest"),
        ("package.json", '{"version": "1"}', '{"version": "2"}'),
        ("pyproject.toml", "not toml [", "[tool.pytest]"),
    ],
)
def test_other_settings_are_no_loss(path: str, before: str, after: str) -> None:
    assert lowered_settings({path: before.encode()}, {path: after.encode()}) == ()


@pytest.mark.parametrize(
    "text",
    [
        "def pytest_collection_modifyitems(items):\n    items[:] = []\n",
        "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n",
        "collect_ignore = ['test_price.py']\n",
        "@pytest.fixture(autouse=True)\ndef fixed(monkeypatch):\n    monkeypatch.setattr('price.price', str)\n",
    ],
)
def test_a_hook_that_changes_outcomes_is_named(text: str) -> None:
    assert [each.loss for each in changed_hooks("conftest.py", b"", text.encode())] == [Loss.HOOKS]
    assert changed_hooks("conftest.py", text.encode(), text.encode()) == ()


def test_a_fixture_that_is_asked_for_by_name_is_no_hook() -> None:
    fixture = "@pytest.fixture\ndef shop(monkeypatch):\n    monkeypatch.setenv('SHOP', '1')\n"

    assert changed_hooks("conftest.py", None, fixture.encode()) == ()
