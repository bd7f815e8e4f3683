"""What a script does at run time, and scripts with the behaviour of before and the names of after."""

import pytest

from verifflowcc.code.rules.script_shape import script_shape
from verifflowcc.gates.rules.behaviour_before import kept_names
from verifflowcc.gates.rules.change_parts import FileChange, split
from verifflowcc.gates.rules.project_parts import PartRules

pytestmark = pytest.mark.vfcc("REQ-PROVE")

PLAIN = """\
import { a } from "./a"
export function price(cents, sign) {
  return a(cents, sign) // one
}
class Shop { open = true; close() { this.open = false } }
"""


def code(text: str, path: str = "price.ts") -> str | None:
    """Return what a script does at run time."""
    shape = script_shape(path, text.encode())
    return None if shape is None else shape.code


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("(cents, sign) {", "<T extends Cents>(cents: T, sign?: string): string {"),
        PLAIN.replace("a(cents, sign)", "a<Cents>(cents as any, sign!) satisfies string"),
        PLAIN.replace("open = true", "private readonly open?: boolean = true; declare tax: number").replace(
            "close()", "public close(this_: void): void".replace("this_: void", "")
        ),
        PLAIN.replace("{ a }", "{ type Cents, a, Unused }")
        + "export type { B } from './b'\nimport type C from './c'\n",
        PLAIN + "interface I { a: number }\nexport type T = I[]\ndeclare const d: I\ndeclare module 'x' { }\n",
        PLAIN.replace("export function", "export function price(cents: number): string;\nexport function"),
        PLAIN.replace("(cents, sign) {\n", "(\n  cents,\n  sign,\n)\n{").replace('"', "'").replace("sign)", "sign);"),
    ],
    ids=["signature", "expressions", "class", "imports", "declarations", "overload", "layout"],
)
def test_types_and_layout_are_no_code(text: str) -> None:
    assert text != PLAIN
    assert code(text) == code(PLAIN)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("sign)", "cents)"),
        PLAIN.replace("open = true", "open = false"),
        PLAIN.replace("{ a }", "{ b as a }"),
        PLAIN.replace("return a", "return\n a"),
        PLAIN.replace("sign) {", "sign = 1) {"),
        PLAIN + "enum E { A }\n",
        PLAIN + 'import "./effect"\n',
        PLAIN.replace("class Shop {", "class Shop { constructor(private tax: number) {}"),
        PLAIN.replace("open = true", "open = true; tax: number"),
        PLAIN.replace("return a", "[,]; return a"),
    ],
    ids=["body", "field", "import", "line end", "default", "enum", "effect", "parameter property", "new field", "hole"],
)
def test_what_runs_is_code(text: str) -> None:
    assert code(text) is not None
    assert code(text) != code(PLAIN)


def test_an_array_of_a_hole_is_not_an_empty_one() -> None:
    assert code("f([,])") != code("f([])")
    assert code("f([1,])") == code("f([1])")


@pytest.mark.parametrize(
    ("path", "text"),
    [("a.ts", "@wrap class A { a: number }"), ("a.ts", "const = "), ("a.py", "a = 1"), ("a.ts", "const a = '\udcff'")],
    ids=["decorators", "syntax", "language", "bytes"],
)
def test_a_script_that_is_not_understood_has_no_shape(path: str, text: str) -> None:
    assert script_shape(path, text.encode("utf-8", "surrogateescape")) is None


def test_a_declaration_file_runs_nothing() -> None:
    assert code("export function f(): void", "a.d.ts") == code("", "a.d.mts") == ""


def changed(before: str | None, after: str, path: str = "price.ts") -> FileChange:
    old, new = (None if text is None else text.encode() for text in (before, after))
    return FileChange(path, old, new, shapes=(script_shape(path, old or b""), script_shape(path, new or b"")))


def test_a_change_of_types_alone_leaves_nothing_to_prove() -> None:
    test = FileChange("price.test.ts", b"", b"it('a', () => {})\n")
    typed = PLAIN.replace("(cents, sign)", "(cents: number, sign: string)", 1)

    parts = split([changed(PLAIN, typed), test], ["price.ts"], PartRules(), lambda path, content: ())

    assert parts.nothing == "only comments, types or layout of the product changed"
    assert split([changed(PLAIN, PLAIN.replace("sign)", "1)"))], [], PartRules(), lambda path, content: ()).product


def kept(before: str | None, after: str) -> tuple[str, bool] | None:
    found = kept_names([changed(before, after)])["price.ts"]
    return (found.content.decode(), found.complete) if found else None


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("export function f(a) { return a }", "export function f(b: T) { return b + 1 }", "(b: T) { return a }"),
        ("export const f = a => a", "export const f = (a) => { return 1 }", "(a) => { return a }"),
        ("export const f = a => { return a }", "export const f = a => 1", "a => { return a }"),
        ("", "export function f(): string { return g() }", "export function f(): string {}"),
        ("", "export const f = async () => 1", "export const f = async () => (undefined)"),
        ("", "export default function () { return 1 }", "export default function () {}"),
        ("", "export function* f() { yield 1 }", "export function* f() {}"),
        ("", "exports.f = (a) => a + 1", "exports.f = (a) => (undefined)"),
        ("exports.f = () => 1", "module.exports.g = function () { return 1 }", "module.exports.g = function () {}"),
        ("class A { get v() { return 1 } }", "class A { get v() { return 2 } }", "class A { get v() { return 1 } }"),
        ("class A {}", "class A { v() { return 2 } }", "class A { v() {} }"),
        ("export const LIMIT = 3", "export const LIMIT: number = 4", "export const LIMIT: number = 3"),
        (
            "import { b as c } from './b'\nexport const f = () => c()",
            "import d from './d'\nexport const f = () => d()",
            "=> c()\nimport { b as c } from \"./b\"",
        ),
        ("function g() { return 1 }\nfunction f() { return g() }", "function f() {}", "\nfunction g() { return 1 }"),
    ],
)  # fmt: skip
def test_behaviour_of_before_below_the_names_of_after(before: str, after: str, expected: str) -> None:
    found = kept(before, after)

    assert found is not None
    assert expected in found[0]
    assert found[1]
    assert script_shape("price.ts", found[0].encode()) is not None


@pytest.mark.parametrize(
    "more",
    ["export const NEW = 1\n", "export class New {}\n", "start()\n", "class Old { constructor() { start() } }\n"],
    ids=["value", "class", "statement", "constructor"],
)
def test_what_cannot_be_put_back_makes_the_form_incomplete(more: str) -> None:
    found = kept("class Old {}\n", f"class Old {{}}\n{more}export function f() {{ return 1 }}\n")

    assert found is not None
    assert not found[1]


def test_nothing_is_made_of_a_script_that_cannot_be_read_or_does_not_change() -> None:
    assert kept("const a = 1", "const a: number = 1") is None
    assert kept("const = 1", "export function f() {}") is None
