"""What is read of Go, Rust, Java, C, C++ and C#."""

import pytest

from tests.pure.codegraph_shown import bases, calls, defined, imported, read, typed, types, uses

GO = """\
package main
import ("fmt"; f "x/y/fmt2"; . "dot"; _ "side"; "github.com/a/go-b/v2")
// S is what it is.
type S struct { base.B; *T; a, b int; c *Foo }
type I interface { M(x int) error; fmt.Stringer }
type A = B
type G[T any] struct { x T }
const K1, K2 = 1, 2
var v1, v2 Foo = 1, NewFoo()
var z = &S{a: K1}
func (s *S) Start(ctx context.Context, n ...int) (*Out, error) {
	s.c.Run(); x := NewFoo(); y, err := mk(); var w Foo
	fn(v1, other); go s.Start(ctx); defer func() { x.Close() }()
	p := &S{a: 1}; q := pkg.T{}; m[0].f(); z.(I).M(1)
	for i, e := range s.b { e.do(i) }
	p.x(); q.y(); w.z(); y.zz(err); http.HandleFunc("/", s.handle)
	return x.A().B(), nil
}
func (g G[T]) Val() T { return g.x }
func plain(a, b int, cb func(int)) Foo { cb(1); return Gen[int](Foo(a)) }
"""


@pytest.mark.vfcc("REQ-GRAPH-FUNCTIONS", "REQ-GRAPH-CLASSES", "REQ-GRAPH-VARIABLES")
def test_go_defines_methods_of_their_receivers_type() -> None:
    facts = read("go", GO)

    assert defined(facts) == [
        "struct S 4",
        "field S.a 4",
        "field S.b 4",
        "field S.c 4",
        "interface I 5",
        "method I.M 5",
        "type A 6",
        "struct G 7",
        "field G.x 7",
        "variable K1 8",
        "variable K2 8",
        "variable v1 9",
        "variable v2 9",
        "variable z 10",
        "method S.Start 11-18",
        "method G.Val 19",
        "function plain 20",
    ]
    start = next(each for each in facts.definitions if each.name == "Start")
    assert start.signature == "func (s *S) Start(ctx context.Context, n ...int) (*Out, error)"
    assert (facts.definitions[0].start, facts.definitions[-1].result) == (3, "Foo")


@pytest.mark.vfcc("REQ-GRAPH-CALLS")
def test_go_calls_imports_and_what_names_are() -> None:
    facts = read("go", GO)

    assert calls(facts) == [
        "NewFoo",
        "S",
        "s.c.Run in S.Start",
        "NewFoo in S.Start",
        "mk in S.Start",
        "fn in S.Start",
        "s.Start in S.Start",
        "x.Close in S.Start",
        "S in S.Start",
        "pkg.T in S.Start",
        "?.f in S.Start",
        "I().M in S.Start",
        "e.do in S.Start",
        "p.x in S.Start",
        "q.y in S.Start",
        "w.z in S.Start",
        "y.zz in S.Start",
        "http.HandleFunc in S.Start",
        "x.A in S.Start",
        "x.A().B in S.Start",
        "cb in plain",
        "Gen in plain",
        "Foo in plain",
    ]
    assert bases(facts) == ["base.B in S", "T in S", "fmt.Stringer in I"]
    assert {"v1 in S.Start", "other in S.Start"} <= set(uses(facts))
    assert imported(facts) == [
        ("fmt", "", "fmt"),
        ("x/y/fmt2", "", "f"),
        ("dot", "*", ""),
        ("side", "", ""),
        ("github.com/a/go-b/v2", "", "b"),
    ]
    assert {
        "s: S in S.Start",
        "self.c: Foo in S",
        "x: NewFoo() in S.Start",
        "p: S() in S.Start",
        "w: Foo in S.Start",
    } <= {*typed(facts)}


RUST = """\
use std::collections::{HashMap, hash_map::{self, Entry as E}};
use crate::a::b as c; use super::*; extern crate serde as sd; mod m;
/// Says what it is.
#[derive(Debug)]
pub struct S<T> { pub a: Foo, b: Vec<T> }
enum En { A, B(Foo) }
pub trait Tr: Base + Send { fn req(&self) -> u8; fn with(&self) {} const C: u8; }
impl<T> Tr for S<T> where T: X { fn req(&self) -> u8 { self.a.run(); Self::new(); self.b() } }
impl m::Q {
    pub fn new(x: &Foo, mut y: Box<dyn Bar>) -> Self {
        let z = Foo::new(1); let w: Baz = x.into(); z.go()?.more(); m::f(); Vec::<u8>::new(); mac!(foo(x));
        let s = S { a: z }; match s { En::A => k(), En::B(q) => q.x(), _ => {} }
        y.r(); w.k(); foo.await.bar(); LIMIT
    }
}
mod inner { pub fn f() {} }
const K: u8 = 1;
macro_rules! mac { () => {} }
"""


@pytest.mark.vfcc("REQ-GRAPH-FUNCTIONS", "REQ-GRAPH-CLASSES", "REQ-GRAPH-VARIABLES")
def test_rust_defines_methods_of_what_they_are_implemented_for() -> None:
    facts = read("rust", RUST)

    assert defined(facts) == [
        "struct S 5",
        "field S.a 5",
        "field S.b 5",
        "enum En 6",
        "field En.A 6",
        "field En.B 6",
        "interface Tr 7",
        "method Tr.req 7",
        "method Tr.with 7",
        "field Tr.C 7",
        "method S.req 8",
        "method Q.new 10-14",
        "module inner 16",
        "function inner.f 16",
        "variable K 17",
        "macro mac 18",
    ]
    assert (facts.definitions[0].start, facts.definitions[11].result) == (3, "Self")


@pytest.mark.vfcc("REQ-GRAPH-CALLS", "REQ-GRAPH-INHERITS")
def test_rust_calls_imports_and_traits() -> None:
    facts = read("rust", RUST)

    assert calls(facts) == [
        "self.a.run in S.req",
        "Self.new in S.req",
        "self.b in S.req",
        "Foo.new in Q.new",
        "x.into in Q.new",
        "z.go in Q.new",
        "z.go().more in Q.new",
        "m.f in Q.new",
        "Vec.new in Q.new",
        "mac in Q.new",
        "foo in Q.new",
        "S in Q.new",
        "k in Q.new",
        "q.x in Q.new",
        "y.r in Q.new",
        "w.k in Q.new",
        "foo.bar in Q.new",
    ]
    assert bases(facts) == ["Base in Tr", "Send in Tr", "Tr in S"]
    assert {"LIMIT in Q.new", "En.A in Q.new"} <= set(uses(facts))
    assert imported(facts) == [
        ("std::collections", "HashMap", "HashMap"),
        ("std::collections", "hash_map", "hash_map"),
        ("std::collections::hash_map", "Entry", "E"),
        ("crate::a", "b", "c"),
        ("super", "*", ""),
        ("serde", "", "sd"),
        ("self::m", "", "m"),
    ]
    assert {"self.a: Foo in S", "x: Foo in Q.new", "y: Bar in Q.new", "z: Foo.new() in Q.new"} <= set(typed(facts))


JAVA = """\
package a.b;
import java.util.List; import static x.Y.z; import q.*;
/** What it is. */
@Ann(k = V.W)
public class A<T> extends B.C<T> implements I, J<K> {
  private Foo f = new Foo(1), g2;
  static final int K1 = 1;
  public A(Foo x) { super(x); this.f = x; }
  @Override
  public List<Foo> m(final Foo a, int... r) throws E1 {
    Foo l = f.get(a).run(); this.m(a); B.stat(); var v = new a.D<>();
    for (Foo e : list) e.go();
    go(this::m); if (a instanceof Foo z) z.x();
    try (R r3 = open()) {} catch (E2 | E3 ex) { ex.y(); }
    int[] w = new int[K1]; super.m(a); ((Foo) a).c(); l.x(); v.u();
  }
  interface In extends X { int h(int p); }
  enum En { P, Q { void o() {} } }
  record Re(int a, Foo b) implements W { void t() {} }
}
"""


@pytest.mark.vfcc("REQ-GRAPH-FUNCTIONS", "REQ-GRAPH-CLASSES", "REQ-GRAPH-CALLS")
def test_java() -> None:
    facts = read("java", JAVA)

    assert defined(facts) == [
        "class A 5-20",
        "field A.f 6",
        "field A.g2 6",
        "field A.K1 7",
        "method A.A 8",
        "method A.m 10-16",
        "interface A.In 17",
        "method A.In.h 17",
        "enum A.En 18",
        "field A.En.P 18",
        "field A.En.Q 18",
        "method A.En.o 18",
        "class A.Re 19",
        "field A.Re.a 19",
        "field A.Re.b 19",
        "method A.Re.t 19",
    ]
    shown = {each.name: each for each in facts.definitions}
    assert (shown["A"].line, shown["m"].start) == (8, 9)
    assert shown["m"].signature == "public List<Foo> m(final Foo a, int... r) throws E1"
    assert facts.definitions[0].start == 3
    assert calls(facts) == [
        "Foo in A",
        "f.get in A.m",
        "f.get().run in A.m",
        "this.m in A.m",
        "B.stat in A.m",
        "a.D in A.m",
        "e.go in A.m",
        "go in A.m",
        "z.x in A.m",
        "open in A.m",
        "ex.y in A.m",
        "super.m in A.m",
        "Foo().c in A.m",
        "l.x in A.m",
        "v.u in A.m",
    ]
    assert bases(facts) == ["B.C in A", "I in A", "J in A", "X in A.In", "W in A.Re"]
    assert {"this.m in A.m", "K1 in A.m", "list in A.m"} <= set(uses(facts))
    assert "E2 in A.m" in types(facts)
    assert not {"C in A", "D in A.m"} & set(types(facts))
    assert imported(facts) == [("java.util", "List", "List"), ("x.Y", "z", "z"), ("q", "*", "")]
    assert {"self.f: Foo in A", "a: Foo in A.m", "l: Foo in A.m", "v: a.D() in A.m", "self.b: Foo in A.Re"} <= {
        *typed(facts)
    }


C = """\
#include <a/b.h>
#include "c.h"
#ifndef FOO_H
#define FOO_H
#define K1 3
#define MAX(a,b) ((a)>(b)?(a):(b))
typedef struct { int a; } TS;
typedef struct node { struct node *next; } node_t;
typedef int (*cb_t)(void *p);
enum color { RED, BLUE };
static int g1 = 1, g2; const char *g4[] = {"a"}; int (*fptr)(int);
static void proto(int a);
/* Makes it. */
static struct foo *mk(struct foo *p, bar_t q)
{
    struct foo *l = p->next;
    p->ops->run(p); q.cb(1); (*fptr)(2); reg(my_open, &g1); l->x();
    return (struct foo *)p;
}
int old(a) int a; { return f(a); }
struct ops o = { .open = my_open };
#endif
"""


@pytest.mark.vfcc("REQ-GRAPH-FUNCTIONS", "REQ-GRAPH-CLASSES", "REQ-GRAPH-CALLS")
def test_c_defines_what_has_a_body_and_no_prototypes() -> None:
    facts = read("c", C)

    assert defined(facts) == [
        "macro K1 5",
        "macro MAX 6",
        "struct TS 7",
        "field TS.a 7",
        "type node_t 8",
        "struct node 8",
        "field node.next 8",
        "type cb_t 9",
        "enum color 10",
        "field color.RED 10",
        "field color.BLUE 10",
        "variable g1 11",
        "variable g2 11",
        "variable g4 11",
        "variable fptr 11",
        "function mk 14-19",
        "function old 20",
        "variable o 21",
    ]
    mk = next(each for each in facts.definitions if each.name == "mk")
    assert (mk.signature, mk.result, mk.start) == ("static struct foo *mk(struct foo *p, bar_t q)", "foo", 13)
    assert calls(facts) == ["p.ops.run in mk", "q.cb in mk", "fptr in mk", "reg in mk", "l.x in mk", "f in old"]
    assert {"my_open in mk", "g1 in mk"} <= set(uses(facts))
    assert imported(facts) == [("<a/b.h>", "*", ""), ("c.h", "*", "")]
    assert {"p: foo in mk", "q: bar_t in mk", "l: foo in mk", "self.next: node in node"} <= set(typed(facts))


CPP = """\
namespace n1::n2 {
// What it is.
template <typename T>
class A : public B<T>, protected ns::C {
 public:
  A(int x) : f(x), B<T>(x) {}
  virtual ~A();
  int m(const Foo& a) const;
  static Foo* sm() { return nullptr; }
  Foo f, *g; int k = K1;
  enum In { P };
  void operator+(const A& o) {}
  template<class U> void tm(U u) { u.go(); }
  using X = Y;
};
}
using namespace std; using ns::name;
Foo *ns::A::b(int x, Foo* y) {
  y->run(); x.go(); this->m(y); A::sm(); ns::f(1); Foo loc(1); Foo l2 = mk(); auto l3 = new Bar(2);
  std::vector<Foo> v; v[0].f(); g<int>(3); (*y).z(); reg(cb); auto lam = [&](int q) { return h(q); };
  loc.s(); l2.t(); l3->r(); return Foo::inst().get();
}
A::A() : f(1) {} A::~A() {}
template<> void X<int>::k() {} Foo &A::op() {} extern "C" { int cfun() { for (auto& e : v) e.go(); } }
"""


@pytest.mark.vfcc("REQ-GRAPH-FUNCTIONS", "REQ-GRAPH-CLASSES", "REQ-GRAPH-CALLS")
def test_cpp_defines_methods_in_their_type_and_elsewhere() -> None:
    facts = read("cpp", CPP)

    assert defined(facts) == [
        "module n2 1-16",
        "class n2.A 4-15",
        "method n2.A.A 6",
        "method n2.A.~A 7",
        "method n2.A.m 8",
        "method n2.A.sm 9",
        "field n2.A.f 10",
        "field n2.A.g 10",
        "field n2.A.k 10",
        "enum n2.A.In 11",
        "field n2.A.In.P 11",
        "method n2.A.operator+ 12",
        "method n2.A.tm 13",
        "type n2.A.X 14",
        "method A.b 18-22",
        "method A.A 23",
        "method A.~A 23",
        "method X.k 24",
        "method A.op 24",
        "function cfun 24",
    ]
    assert (facts.definitions[1].start, facts.definitions[2].signature) == (2, "A(int x)")
    assert calls(facts) == [
        "u.go in n2.A.tm",
        "y.run in A.b",
        "x.go in A.b",
        "this.m in A.b",
        "A.sm in A.b",
        "ns.f in A.b",
        "mk in A.b",
        "Bar in A.b",
        "?.f in A.b",
        "g in A.b",
        "y.z in A.b",
        "reg in A.b",
        "h in A.b",
        "loc.s in A.b",
        "l2.t in A.b",
        "l3.r in A.b",
        "Foo.inst in A.b",
        "Foo.inst().get in A.b",
        "e.go in cfun",
    ]
    assert bases(facts) == ["B in n2.A", "ns.C in n2.A"]
    assert "cb in A.b" in uses(facts)
    assert imported(facts) == [("std", "*", ""), ("ns", "name", "name")]
    assert {"y: Foo in A.b", "loc: Foo in A.b", "l3: Bar() in A.b", "self.g: Foo in n2.A"} <= set(typed(facts))


CSHARP = """\
using System; using S = System.IO; using static X.Y; namespace A.B;
// What it is.
[Attr(1)]
public partial class C<T> : Base<T>, I1 where T : K {
  private Foo f = new Foo(), g; public int P { get; set; } = 3; public event H Ev;
  public C(Foo x) : base(x) { this.f = x; }
  public async Task<Foo> M(Foo a, params int[] r) {
    Foo l = f.Get(a).Run(); await this.M(a); B.Stat(); var v = new D(); Foo w = new();
    foreach (var e in list) e.Go(); Take(this.M); if (a is Foo z) z.X(); using var r3 = Open();
    try {} catch (E2 ex) { ex.Y(); } base.M(a); ((Foo)a).Cast(); a?.B(); Gen<int>(LIMIT);
    void Local(int i) { i.X(); } v.k(); w.m(); r3.n(); return null;
  }
}
interface I1 : I2 { int H(int p); } struct St { int a; } enum En { P } record Re(int A, Foo B) : W; delegate void D1();
"""


@pytest.mark.vfcc("REQ-GRAPH-FUNCTIONS", "REQ-GRAPH-CLASSES", "REQ-GRAPH-CALLS")
def test_csharp() -> None:
    facts = read("csharp", CSHARP)

    assert defined(facts) == [
        "module A.B 1",
        "class C 4-13",
        "field C.f 5",
        "field C.g 5",
        "field C.P 5",
        "field C.Ev 5",
        "method C.C 6",
        "method C.M 7-12",
        "function C.M.Local 11",
        "interface I1 14",
        "method I1.H 14",
        "struct St 14",
        "field St.a 14",
        "enum En 14",
        "field En.P 14",
        "class Re 14",
        "field Re.A 14",
        "field Re.B 14",
        "type D1 14",
    ]
    assert (facts.definitions[1].start, facts.definitions[7].result) == (2, "Foo")
    assert calls(facts) == [
        "Foo in C",
        "f.Get in C.M",
        "f.Get().Run in C.M",
        "this.M in C.M",
        "B.Stat in C.M",
        "D in C.M",
        "e.Go in C.M",
        "Take in C.M",
        "z.X in C.M",
        "Open in C.M",
        "ex.Y in C.M",
        "base.M in C.M",
        "Foo().Cast in C.M",
        "a.B in C.M",
        "Gen in C.M",
        "i.X in C.M.Local",
        "v.k in C.M",
        "w.m in C.M",
        "r3.n in C.M",
    ]
    assert bases(facts) == ["Base in C", "I1 in C", "I2 in I1", "W in Re"]
    assert {"this.M in C.M", "LIMIT in C.M"} <= set(uses(facts))
    assert not {"a in C.M", "l in C.M", "e in C.M"} & set(uses(facts))
    assert imported(facts) == [("System", "*", ""), ("System.IO", "", "S"), ("X.Y", "*", "")]
    assert {"self.f: Foo in C", "a: Foo in C.M", "v: D() in C.M", "r3: Open() in C.M", "self.B: Foo in Re"} <= {
        *typed(facts)
    }
