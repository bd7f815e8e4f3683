"""What is read of JavaScript, TypeScript and TSX."""

import pytest

from tests.pure.codegraph_shown import bases, calls, defined, imported, read, typed, types, uses
from verifflowcc.code.rules.grammars import read_facts
from verifflowcc.code.rules.graph import CALLABLE, SymbolKind

MODULE = """\
const x = require('./a'), {b, c: d} = require("./b");
require('side');
/** What it is. */
class A extends B.C {
  static s = 1;
  #p = new Foo();
  arrow = () => this.m();
  m() { super.m(); this.q = b; x.y(); return d; }
  static st() {}
}
module.exports.zed = function () { return A };
exports.foo = () => A.st();
A.prototype.bar = function () {};
function f(p, {q, r: s}, [t], u = 1, ...v) {
  p(); q(); s.x(); t(); new A().m(); new n.A();
  (function () { var inner = 2; f(inner); })();
}
export default function* () { f() }
var o = { m: function () {}, n() {}, k: () => 1 }, Late = class { w() {} };
$('#id').click(function () { f(); });
z[0].a(); u?.v(); (await w).x(); z.a.b.c();
"""


@pytest.mark.vfcc("REQ-GRAPH-FUNCTIONS", "REQ-GRAPH-CLASSES", "REQ-GRAPH-VARIABLES")
def test_javascript_defines_functions_in_all_the_ways_that_they_are_named() -> None:
    facts = read("javascript", MODULE)

    assert defined(facts) == [
        "class A 4-10",
        "field A.s 5",
        "field A.#p 6",
        "method A.arrow 7",
        "method A.m 8",
        "field A.q 8",
        "method A.st 9",
        "function zed 11",
        "function foo 12",
        "method A.bar 13",
        "function f 14-17",
        "function default 18",
        "variable o 19",
        "function m 19",
        "function n 19",
        "function k 19",
        "class Late 19",
        "method Late.w 19",
    ]
    assert facts.definitions[0].start == 3
    assert facts.definitions[10].signature == "function f(p, {q, r: s}, [t], u = 1, ...v)"


@pytest.mark.vfcc("REQ-GRAPH-CALLS")
def test_javascript_calls_have_plain_receivers() -> None:
    assert calls(read("javascript", MODULE)) == [
        "Foo in A",
        "this.m in A.arrow",
        "super.m in A.m",
        "x.y in A.m",
        "A.st in foo",
        "p in f",
        "q in f",
        "s.x in f",
        "t in f",
        "A in f",
        "A().m in f",
        "n.A in f",
        "f in f",
        "f in default",
        "$",
        "$().click",
        "f",
        "?.a",
        "u.v",
        "w.x",
        "z.a.b.c",
    ]


def test_javascript_names_that_hide_others_are_unknown_and_fields_are_said_in_their_class() -> None:
    facts = read("javascript", MODULE)

    assert typed(facts) == [
        "self.#p: Foo() in A",
        "p: ? in f",
        "q: ? in f",
        "s: ? in f",
        "t: ? in f",
    ]
    assert "b in A.m" in uses(facts)
    assert bases(facts) == ["B.C in A"]


@pytest.mark.vfcc("REQ-GRAPH-IMPORTS")
@pytest.mark.parametrize(
    ("line", "taken"),
    [
        ("import a from './m'", [("./m", "default", "a")]),
        ("import a, {b as c, d} from './m'", [("./m", "b", "c"), ("./m", "d", "d"), ("./m", "default", "a")]),
        ("import * as ns from 'x'", [("x", "", "ns")]),
        ("import a, * as ns from 'x'", [("x", "", "ns"), ("x", "default", "a")]),
        ("import 'side'", [("side", "", "")]),
        ("export {b as z} from './r'", [("./r", "b", "z")]),
        ("export * from './s'", [("./s", "*", "")]),
        ("export * as q from './u'", [("./u", "", "q")]),
        ("const x = require('m')", [("m", "", "x")]),
        ("const {a, b: c} = require('m')", [("m", "a", "a"), ("m", "b", "c")]),
        ("import('./late').then(go)", [("./late", "", "")]),
        ("import {\n  a, // from 'here'\n  b\n} from './m'", [("./m", "a", "a"), ("./m", "b", "b")]),
    ],
)
def test_imports_of_scripts(line: str, taken: list[tuple[str, str, str]]) -> None:
    assert sorted(imported(read("javascript", line))) == sorted(taken)
    assert sorted(imported(read("tsx", line))) == sorted(taken)


@pytest.mark.vfcc("REQ-GRAPH-IMPORTS")
def test_imports_of_types_are_imports() -> None:
    text = "import type {T} from 't'; import {type U, V} from 'u'; import e = require('q');"

    assert imported(read("typescript", text)) == [("t", "T", "T"), ("u", "U", "U"), ("u", "V", "V"), ("q", "", "e")]


TYPED = """\
import {Svc} from './svc';
// What it is.
@Deco({x: 1})
export class A<T> extends B.C<T> implements I, m.J {
  private x: Foo = new Foo();
  constructor(private s: Svc, q?: Opt) { super(q); this.z = new Z(); }
  get g(): number { return this.x.run(); }
  async m(a: T[], ...r: U[]): Promise<V> { (a as X).k(); q!.b(); return <Comp prop={Svc}/>; }
  arrow = async (): Promise<W> => { k(); };
}
abstract class AA { abstract w(): X; }
interface I2 extends I3, n.I4 { f(x: number): string; p: P }
type Al = A<B> | C;
enum E { One, Two = 2 }
namespace NS { export function inner() {} }
declare function df(x: Y): Z;
function fn(a: Foo, {c1}: Q): x is Bar {
  const l: L = g(a);
  let k2 = new K(1), k3 = l.p();
  for (const i of list) { i.go() }
  k2.a(); k3.b(); c1(); a.foo();
}
export const h = (x: number): Foo | null => x;
"""


@pytest.mark.vfcc("REQ-GRAPH-FUNCTIONS", "REQ-GRAPH-CLASSES", "REQ-GRAPH-VARIABLES")
def test_typescript_defines_types_of_every_kind() -> None:
    facts = read("tsx", TYPED)

    assert defined(facts) == [
        "class A 4-10",
        "field A.x 5",
        "method A.constructor 6",
        "field A.s 6",
        "field A.z 6",
        "method A.g 7",
        "method A.m 8",
        "method A.arrow 9",
        "class AA 11",
        "method AA.w 11",
        "interface I2 12",
        "method I2.f 12",
        "field I2.p 12",
        "type Al 13",
        "enum E 14",
        "field E.One 14",
        "field E.Two 14",
        "module NS 15",
        "function NS.inner 15",
        "function df 16",
        "function fn 17-22",
        "function h 23",
    ]
    shown = {each.name: each for each in facts.definitions}
    assert (shown["A"].signature, shown["A"].start) == ("export class A<T> extends B.C<T> implements I, m.J", 2)
    assert shown["h"].signature == "export const h = (x: number): Foo | null =>"
    assert [shown[name].result for name in ("h", "m", "arrow", "g", "df")] == ["Foo", "V", "W", "number", "Z"]


@pytest.mark.vfcc("REQ-GRAPH-INHERITS")
def test_typescript_inherits_and_names_types_but_no_parameters_of_types() -> None:
    facts = read("tsx", TYPED)

    assert bases(facts) == ["B.C in A", "I in A", "m.J in A", "I3 in I2", "n.I4 in I2"]
    assert "Svc in A.constructor" in types(facts)
    assert "B in Al" in types(facts)
    assert not [each for each in types(facts) if each.startswith("T ")]
    assert "Svc in A.m" in uses(facts)


def test_typescript_says_what_names_are() -> None:
    assert typed(read("typescript", TYPED.replace("<Comp prop={Svc}/>", "1"))) == [
        "self.x: Foo in A",
        "self.x: Foo() in A",
        "self.s: Svc in A",
        "self.z: Z() in A",
        "q: Opt in A.constructor",
        "self.p: P in I2",
        "a: Foo in fn",
        "c1: ? in fn",
        "i: ? in fn",
        "l: L in fn",
        "l: g() in fn",
        "k2: K() in fn",
        "k3: l.p() in fn",
    ]


def test_a_broken_script_gives_what_is_whole() -> None:
    facts = read("typescript", "function f() { g(; }\nclass { }\nfunction h() { k() }\n")

    assert "k in h" in calls(facts)


def test_a_function_that_is_given_to_a_member_is_a_method_of_what_it_is_given_to() -> None:
    facts = read_facts("javascript", b"app.use = function use(fn) {\n  var path = 1;\n};\nexports.get = () => 1;\n")

    found = [
        (each.kind, each.name, each.owner, each.line, each.end) for each in facts.definitions if each.kind in CALLABLE
    ]

    assert (SymbolKind.METHOD, "use", "app", 1, 3) in found
    assert (SymbolKind.FUNCTION, "get", "", 4, 4) in found


def test_members_are_not_meant_by_their_names_alone_in_scripts_but_in_java() -> None:
    assert uses(read("javascript", "class A { part = 1; m() { return part + this.part } }")) == ["this.part in A.m"]
    assert uses(read("java", "class A { int part; int m() { return part + this.part; } }")) == [
        "part in A.m",
        "this.part in A.m",
    ]
