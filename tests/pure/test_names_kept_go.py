"""Go files with the behaviour of before and the names of after."""

import pytest

from verifflowcc.gates.rules.behaviour_before import go_names_kept

BEFORE = """\
package shop

import "fmt"

func Price(cents int) string {
	return fmt.Sprint(cents)
}
"""


def kept(before: str | None, after: str) -> tuple[str, bool] | None:
    found = go_names_kept({"a.go": (before.encode() if before is not None else None, after.encode())})["a.go"]
    return (found.content.decode(), found.complete) if found else None


def test_a_changed_function_has_its_old_body_and_the_imports_that_it_uses() -> None:
    after = BEFORE.replace('"fmt"', '"strconv"').replace("fmt.Sprint(cents)", "strconv.Itoa(cents)")

    found = kept(BEFORE, after)

    assert found is not None
    assert "\treturn fmt.Sprint(cents)\n" in found[0]
    assert 'import (\n\t"fmt"\n)' in found[0]
    assert "strconv" not in found[0]
    assert found[1]


@pytest.mark.parametrize(
    ("new", "emptied"),
    [
        ("func F() {\n\tg()\n}", "func F() {\n}"),
        ("func F(a int) int {\n\treturn a\n}", "func F(a int) (_ int) {\n\treturn\n}"),
        ("func F() (string, error) {\n\treturn g()\n}", "func F() (_ string, _ error) {\n\treturn\n}"),
        ("func F() (n int, err error) {\n\treturn g()\n}", "func F() (n int, err error) {\n\treturn\n}"),
        ("func (s *S) F(a ...int) []int { return a }", "func (s *S) F(a ...int) (_ []int) {\n\treturn\n}"),
        ("func F[T any](a T) map[string]T {\n\treturn nil\n}", "func F[T any](a T) (_ map[string]T) {\n\treturn\n}"),
        ("func F() interface{} {\n\treturn 1\n}", "func F() (_ interface{}) {\n\treturn\n}"),
        (
            "func F() (func(int) error, chan int) {\n\treturn g()\n}",
            "func F() (_ func(int) error, _ chan int) {\n\treturn\n}",
        ),
        ("func F(\n\ta int,\n) error {\n\treturn g(a)\n}", "func F(\n\ta int,\n) (_ error) {\n\treturn\n}"),
    ],
)
def test_a_new_function_returns_zero_values(new: str, emptied: str) -> None:
    found = kept(BEFORE, f"{BEFORE}\n{new}\n")

    assert found is not None
    assert found[0].endswith(f"\n{emptied}\n")
    assert found[1]


def test_a_function_that_was_removed_is_there_again() -> None:
    before = BEFORE + "\nfunc old() int { return 1 }\n\nfunc Use() int { return old() }\n"
    after = BEFORE + "\nfunc Use() int { return 2 }\n"

    found = kept(before, after)

    assert found is not None
    assert "func old() int { return 1 }" in found[0]
    assert "func Use() int { return old() }" in found[0]


def test_a_function_that_moved_to_another_file_is_there_once() -> None:
    moved = "\nfunc tax() int { return 5 }\n"
    files = {
        "a.go": ((BEFORE + moved).encode(), BEFORE.encode()),
        "b.go": (b"package shop\n", f"package shop\n{moved}\nfunc More() int {{ return 1 }}\n".encode()),
    }

    found = go_names_kept(files)

    assert found["a.go"] is None
    assert found["b.go"] is not None
    assert b"func tax() int { return 5 }" in found["b.go"].content


def test_a_variable_that_is_new_in_a_group_leaves_behaviour_in_place() -> None:
    found = kept(BEFORE, BEFORE.replace("cents)\n}", 'cents) + sign\n}\n\nvar (\n\tsign = "$"\n)'))

    assert found is not None
    assert not found[1]


def test_nothing_is_made_where_types_alone_changed() -> None:
    assert kept(BEFORE, f"{BEFORE}\ntype Cents int\n") is None
