"""`vfcc prove`: what is shown of the tests of a change, on small repositories."""

import json
from pathlib import Path

import pytest

from tests.cli.process import git
from tests.cli.shapes import promised, shape
from tests.proven_repository import PRICE, TESTS, commit, proofs, prove, repository, verdicts, write

pytestmark = pytest.mark.vfcc("REQ-PROVE")

FIX = PRICE.replace("str(cents / 100)", 'f"{cents / 100:.2f}"')
FIX_TEST = TESTS.replace('"2.5"', '"2.50"')


# Verdicts


def test_a_special_case_with_a_test_that_asserts_nothing_is_not_discriminating(tmp_path: Path) -> None:
    root = repository(tmp_path)
    cheat = 'def price(cents):\n    return str(cents / 100) if cents != 305 else "3.5"\n'
    weak = "from price import price\n\n\ndef test_price():\n    assert price(250)\n\n\n"
    write(
        root, {"price.py": cheat, "tests/test_price.py": f"{weak}def test_305():\n    assert price(305) is not None\n"}
    )

    shown = prove(root)

    assert shown.code == 1
    assert "not discriminating: with the change removed, all 2 tests still pass" in shown.out
    assert "price.py:2" in shown.out


def test_a_test_that_fails_without_the_change_proves_it(tmp_path: Path) -> None:
    root = repository(tmp_path)
    write(root, {"price.py": FIX, "tests/test_price.py": FIX_TEST})

    shown = prove(root)
    [proof] = proofs(root)

    assert shown.code == 0
    assert proof["verdict"] == "proven"
    assert verdicts(proof) == {"test_price": "proven"}


def test_an_exception_of_the_product_proves_as_an_assertion_does(tmp_path: Path) -> None:
    root = repository(tmp_path, {"half.py": "def half(text):\n    return int(text) // 2\n"})
    fixed = "def half(text):\n    return int(text or 0) // 2\n"
    write(root, {"half.py": fixed, "tests/test_half.py": "from half import half\n\n\ndef test_half():\n    half('')\n"})

    assert [each["verdict"] for each in proofs(root)] == ["proven"]


def test_a_new_function_is_proven_by_a_test_of_its_value(tmp_path: Path) -> None:
    root = repository(tmp_path)
    added = PRICE + "\n\ndef double(cents):\n    return price(cents * 2)\n"
    tests = "from price import double\n\n\ndef test_double():\n    assert double(100) == '2.0'\n"
    write(root, {"price.py": added, "tests/test_double.py": tests})

    [proof] = proofs(root)

    assert (proof["verdict"], verdicts(proof)) == ("proven", {"test_double": "proven"})


def test_a_test_that_a_new_name_is_there_does_not_discriminate(tmp_path: Path) -> None:
    root = repository(tmp_path)
    added = PRICE + "\n\ndef double(cents):\n    return price(cents * 2)\n"
    tests = "import price\n\n\ndef test_double():\n    assert callable(price.double)\n"
    write(root, {"price.py": added, "tests/test_double.py": tests})

    assert [each["verdict"] for each in proofs(root)] == ["not discriminating"]


def test_a_missing_name_alone_is_inconclusive(tmp_path: Path) -> None:
    root = repository(tmp_path)
    tests = "from price import RATE\n\n\ndef test_rate():\n    assert RATE\n"
    write(root, {"price.py": f"RATE = 3\n\n\n{PRICE}", "tests/test_rate.py": tests})

    shown = prove(root)

    assert shown.code == 3
    assert "without the change a name is missing: ImportError: cannot import name 'RATE'" in shown.out


def test_a_new_parameter_is_proven_by_what_it_does(tmp_path: Path) -> None:
    root = repository(tmp_path)
    added = 'def price(cents, sign=""):\n    return sign + str(cents / 100)\n'
    tests = TESTS + '\n\ndef test_sign():\n    assert price(250, sign="$") == "$2.5"\n'
    write(root, {"price.py": added, "tests/test_price.py": tests})

    [proof] = proofs(root)

    assert verdicts(proof) == {"test_sign": "proven"}


def test_a_missing_name_gives_way_to_a_part_of_the_change_that_a_test_asserts(tmp_path: Path) -> None:
    table = "TABLE = {}\nTABLE['tax'] = 5\n"
    root = repository(tmp_path, {"price.py": PRICE + table})
    fixed = "RATE = 4\n\n\n" + PRICE + table.replace("5", "4")
    tests = "from price import RATE, TABLE\n\n\ndef test_tax():\n    assert TABLE['tax'] == RATE\n"
    write(root, {"price.py": fixed, "tests/test_tax.py": tests})

    [proof] = proofs(root)

    assert verdicts(proof) == {"test_tax": "proven"}
    assert "fails without price.py:7: " in proof["tests"][0]["why"]  # type: ignore[index]


def test_an_old_body_that_does_not_fit_a_new_signature_proves_nothing(tmp_path: Path) -> None:
    before = "def price(cents):\n    return _shown(cents)\n\n\ndef _shown(cents):\n    return str(cents)\n"
    after = before.replace("_shown(cents)", "_shown(cents, SIGN)").replace("(cents, SIGN):", "(cents, sign):")
    root = repository(tmp_path, {"price.py": before})
    write(
        root,
        {
            "price.py": f"SIGN = ''\n\n\n{after}",
            "tests/test_price.py": "import price\n\n\ndef test_price():\n    price.price(price.SIGN)\n",
        },
    )

    assert [each["verdict"] for each in proofs(root)] == ["inconclusive"]


def test_half_of_a_change_that_does_not_fit_proves_nothing(tmp_path: Path) -> None:
    root = repository(tmp_path)
    fixed = "RATE = 100\n\n\ndef price(cents):\n    return str(cents / _rate())\n\n\ndef _rate():\n    return RATE\n"
    tests = "import price\n\n\ndef test_price():\n    price.price(price.RATE)\n"
    write(root, {"price.py": fixed, "tests/test_price.py": tests})

    assert [each["verdict"] for each in proofs(root)] == ["inconclusive"]


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"tests/test_price.py": FIX_TEST.replace("2.50", "2.5") + "\n\ndef test_more():\n    pass\n"}, "no product"),
        ({"price.py": FIX}, "no test was added or altered"),
        ({"price.py": f"# money\n{PRICE}", "tests/test_price.py": FIX_TEST}, "only comments"),
        ({"README.md": "Prices"}, "no product"),
    ],
    ids=["tests alone", "product alone", "comments", "documentation"],
)
def test_there_is_nothing_to_prove_where_one_side_is_missing(tmp_path: Path, files: dict[str, str], why: str) -> None:
    root = repository(tmp_path)
    write(root, files)

    [proof] = proofs(root)

    assert proof["verdict"] == "nothing to prove"
    assert why in str(proof["why"])


def test_a_test_that_fails_with_the_change_is_broken(tmp_path: Path) -> None:
    root = repository(tmp_path)
    write(root, {"price.py": FIX, "tests/test_price.py": TESTS.replace("2.5", "9.9")})

    shown = prove(root)

    assert shown.code == 1
    assert "broken" in shown.out


def test_one_strong_case_of_a_parametrised_test_is_enough(tmp_path: Path) -> None:
    root = repository(tmp_path)
    cases = "@pytest.mark.parametrize('cents', [250, 255])\ndef test_price(cents):\n    assert len(price(cents)) == 4\n"
    write(root, {"price.py": FIX, "tests/test_price.py": f"import pytest\nfrom price import price\n\n\n{cases}"})

    [proof] = proofs(root)

    assert verdicts(proof) == {"test_price": "proven"}


def test_a_changed_helper_counts_for_the_tests_that_use_it(tmp_path: Path) -> None:
    helper = "from price import price\n\nWANTED = {!r}\n\n\ndef test_price():\n    assert price(250) == WANTED\n"
    root = repository(tmp_path, {"tests/test_price.py": helper.format("2.5") + "\n\ndef test_other():\n    pass\n"})
    write(root, {"price.py": FIX, "tests/test_price.py": helper.format("2.50") + "\n\ndef test_other():\n    pass\n"})

    [proof] = proofs(root)

    assert verdicts(proof) == {"test_price": "proven"}


def test_a_test_with_functions_of_its_own_is_run_alone(tmp_path: Path) -> None:
    root = repository(tmp_path)
    more = "\n\ndef test_inner():\n    def wanted():\n        return '2.50'\n\n    assert price(250) == wanted()\n"
    write(root, {"price.py": FIX, "tests/test_price.py": TESTS + more})

    [proof] = proofs(root, "--whole")

    assert verdicts(proof) == {"test_inner": "proven"}


def test_a_test_that_needs_the_one_before_it_is_run_with_its_file(tmp_path: Path) -> None:
    state = "from price import price\n\nSEEN = {}\n\n\ndef test_first():\n    SEEN[250] = True\n\n\n"
    root = repository(tmp_path, {"tests/test_price.py": f"{state}def test_second():\n    assert SEEN[250]\n"})
    later = "def test_second():\n    assert SEEN[250]\n    assert price(250) == '2.50'\n"
    write(root, {"price.py": FIX, "tests/test_price.py": state + later})

    [proof] = proofs(root)

    assert (proof["verdict"], verdicts(proof)) == ("proven", {"test_second": "proven"})


# Lines that no test needs


def test_a_hunk_that_no_test_needs_is_named_with_its_lines(tmp_path: Path) -> None:
    two = PRICE + "\n\ndef tax(cents):\n    return cents // 5\n"
    root = repository(tmp_path, {"price.py": two})
    write(root, {"price.py": FIX + "\n\ndef tax(cents):\n    return cents // 4\n", "tests/test_price.py": FIX_TEST})

    shown = prove(root)
    [proof] = proofs(root)

    assert shown.code == 0
    assert "  2 lines could be put back and every test of the change would still pass:\n    price.py:6" in shown.out
    assert proof["unguarded"] == [{"path": "price.py", "first": 6, "last": 6, "size": 2}]


def test_a_file_that_no_test_needs_costs_one_run(tmp_path: Path) -> None:
    more = {f"more_{number}.py": "A = 1\n\n\ndef f():\n    return 2\n" for number in range(2)}
    root = repository(tmp_path, dict(more))
    changed = {path: text.replace("1", "3").replace("2", "4") for path, text in more.items()}
    write(root, {**changed, "price.py": FIX, "tests/test_price.py": FIX_TEST})

    [proof] = proofs(root)

    assert {each["path"] for each in proof["unguarded"]} == set(more)  # type: ignore[attr-defined]
    assert proof["runs"] == 5  # with the change, without it, and without each of three files


def test_runs_are_bounded_and_what_was_not_tried_is_counted(tmp_path: Path) -> None:
    two = PRICE + "\n\ndef tax(cents):\n    return cents // 5\n"
    root = repository(tmp_path, {"price.py": two})
    write(root, {"price.py": FIX + "\n\ndef tax(cents):\n    return cents // 4\n", "tests/test_price.py": FIX_TEST})

    shown = prove(root, "--runs", "2")

    assert "not tried, for lack of runs or time: 2 hunks" in shown.out


def test_an_earlier_outcome_is_used_again(tmp_path: Path) -> None:
    root = repository(tmp_path)
    write(root, {"price.py": FIX, "tests/test_price.py": FIX_TEST})

    runs = [proofs(root, *more)[0]["runs"] for more in ((), (), ("--fresh",))]
    write(root, {"tests/test_price.py": FIX_TEST + "\n"})

    assert runs == [2, 0, 2]
    assert proofs(root)[0]["runs"] == 2


# Which changes


def test_each_commit_of_a_range_has_a_row_and_three_dots_are_one_change(tmp_path: Path) -> None:
    root = repository(tmp_path)
    commit(root, {"price.py": FIX}, "fix the price")
    commit(root, {"tests/test_price.py": FIX_TEST}, "test the price")

    single = proofs(root, "HEAD~2..HEAD")
    whole = proofs(root, "HEAD~2...HEAD")

    assert [(each["subject"], each["verdict"]) for each in single] == [
        ("fix the price", "nothing to prove"),
        ("test the price", "nothing to prove"),
    ]
    assert [each["verdict"] for each in whole] == ["proven"]


def test_what_is_staged_is_proven_without_what_is_not(tmp_path: Path) -> None:
    root = repository(tmp_path)
    write(root, {"price.py": FIX, "tests/test_price.py": FIX_TEST})
    git(root, "add", "-A")
    write(root, {"tests/test_price.py": "def test_price():\n    pass\n"})

    assert [each["verdict"] for each in proofs(root, "--staged")] == ["proven"]
    assert [each["verdict"] for each in proofs(root, "--working-tree")] == ["not discriminating"]


def test_without_a_choice_a_clean_work_tree_means_the_last_commit(tmp_path: Path) -> None:
    root = repository(tmp_path)
    commit(root, {"price.py": FIX, "tests/test_price.py": FIX_TEST}, "fix")

    [proof] = proofs(root)

    assert (proof["subject"], proof["verdict"]) == ("fix", "proven")


def test_a_project_in_a_subfolder_is_proven_alone(tmp_path: Path) -> None:
    root = repository(tmp_path, {"app/price.py": PRICE, "app/tests/test_price.py": TESTS})
    write(root, {"app/price.py": FIX, "app/tests/test_price.py": FIX_TEST, "price.py": "broken ("})

    [proof] = proofs(root / "app", env={"HOME": str(tmp_path)})

    assert (proof["verdict"], verdicts(proof)) == ("proven", {"test_price": "proven"})


def test_a_refactoring_must_leave_every_test_green_both_times(tmp_path: Path) -> None:
    root = repository(tmp_path)
    write(root, {"price.py": "def price(cents):\n    amount = cents / 100\n    return str(amount)\n"})
    [kept] = proofs(root, "--refactoring")
    write(root, {"price.py": FIX, "tests/test_price.py": FIX_TEST})
    [changed] = proofs(root, "--refactoring")

    assert kept["why"] == "a refactoring: 1 test passed with it and without it"
    assert changed["why"] == "stated as a refactoring, and 1 test failed without it"


# Forms, and words that do not fit


def test_sarif_and_markdown_name_the_test_and_its_line(tmp_path: Path) -> None:
    root = repository(tmp_path)
    write(root, {"price.py": FIX, "tests/test_price.py": TESTS.replace(' == "2.5"', "")})

    log = json.loads(prove(root, "--sarif").out)
    page = prove(root, "--markdown").out

    [result] = log["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert result["ruleId"] == "not-discriminating"
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("tests/test_price.py", 4)
    assert "| `work tree` | not discriminating | 0 of 1 | 2 lines |" in page


def test_the_shape_of_json_is_the_one_that_is_promised(tmp_path: Path) -> None:
    root = repository(tmp_path)
    write(root, {"price.py": FIX, "tests/test_price.py": TESTS.replace(' == "2.5"', "")})

    shown = prove(root, "--json", "--full").data

    assert shape(shown) == promised("prove")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--command", "make test"), 2, "cannot be read; known are pytest, unittest, go test"),
        (("--json", "--full", "--sarif"), 2, "only one of"),
        (("HEAD", "--staged"), 2, "exclude each other"),
        (("no-such-branch",), 2, "git has no commits no-such-branch"),
        (("--upload-pack=x",), 2, "has no option"),
    ],
    ids=["framework", "forms", "choices", "revision", "option"],
)
def test_words_that_do_not_fit_are_refused(tmp_path: Path, arguments: tuple[str, ...], code: int, words: str) -> None:
    prove(repository(tmp_path), *arguments).refused(code, words)


def test_outside_of_git_there_is_nothing_to_prove(tmp_path: Path) -> None:
    prove(tmp_path).refused(3, "is in no git repository")


def test_a_test_that_is_skipped_with_the_change_costs_no_further_run(tmp_path: Path) -> None:
    root = repository(tmp_path)
    skipped = "\n\nimport pytest\n\n\n@pytest.mark.skip\ndef test_more():\n    assert price(1) == '0.01'\n"
    write(root, {"price.py": FIX + "\n\ndef more():\n    return 1\n", "tests/test_price.py": FIX_TEST + skipped})

    [proof] = proofs(root, "--whole")

    assert (proof["runs"], verdicts(proof)) == (2, {"test_price": "proven", "test_more": "inconclusive"})


def test_a_module_that_is_not_installed_is_named_as_a_missing_requirement(tmp_path: Path) -> None:
    root = repository(tmp_path)
    write(root, {"price.py": FIX, "tests/test_price.py": f"import not_installed_here\n{FIX_TEST}"})

    shown = prove(root)

    assert shown.code == 1
    assert (
        "note: not installed where the tests run: not_installed_here; "
        "test requirements seem to be missing in this environment\n"
    ) in shown.out


def test_a_test_that_needs_a_new_name_runs_with_names_kept_at_once(tmp_path: Path) -> None:
    root = repository(tmp_path)
    added = f"{PRICE}\n\ndef double(cents):\n    return price(cents * 2)\n"
    tests = "from price import double\n\n\ndef test_double():\n    assert double(100) == '2.0'\n"
    write(root, {"price.py": added, "tests/test_double.py": tests})

    [proof] = proofs(root, "--whole")

    assert (proof["runs"], verdicts(proof)) == (2, {"test_double": "proven"})
