"""What is read of Ruby, PHP and shell scripts."""

import pytest

from tests.pure.codegraph_shown import bases, calls, defined, imported, read, typed, uses

RUBY = """\
require 'a/b'
require_relative 'c'
module M::N
  K1 = 1
  # What it is.
  class A < B::C
    include Each, X::Y
    attr_accessor :f, :g
    @@cv = 1
    def initialize(x, y = K1, *r, k: 2, &blk)
      @f = Foo.new(x)
      @f.run(y).more
      self.m(x)
      m2
      foo = Bar.new
      foo&.go!
      list.each { |e| e.z }
      blk.call
      M::N::Q.stat; ::Top.x
      raise Err, "m" if x.is_a?(Foo)
    rescue E1 => ex
      ex.y
    end
    def self.cm = new
    class << self
      def sm; end
    end
    private def pv; end
    define_method(:dm) { |x| x }
  end
end
$g = 1
"""


@pytest.mark.vfcc("REQ-GRAPH-FUNCTIONS", "REQ-GRAPH-CLASSES", "REQ-GRAPH-CALLS")
def test_ruby() -> None:
    facts = read("ruby", RUBY)

    assert defined(facts) == [
        "module N 3-31",
        "variable N.K1 4",
        "class N.A 6-30",
        "field N.A.f 8",
        "field N.A.g 8",
        "field N.A.cv 9",
        "method N.A.initialize 10-23",
        "method N.A.cm 24",
        "method N.A.sm 26",
        "method N.A.pv 28",
        "method N.A.dm 29",
        "variable g 32",
    ]
    shown = {each.name: each for each in facts.definitions}
    assert (shown["A"].signature, shown["A"].start) == ("class A < B::C", 5)
    assert shown["initialize"].signature == "def initialize(x, y = K1, *r, k: 2, &blk)"
    assert calls(facts) == [
        "Foo in N.A.initialize",
        "self.f.run in N.A.initialize",
        "self.f.run().more in N.A.initialize",
        "self.m in N.A.initialize",
        "m2 in N.A.initialize",
        "Bar in N.A.initialize",
        "foo.go! in N.A.initialize",
        "list in N.A.initialize",
        "list.each in N.A.initialize",
        "e.z in N.A.initialize",
        "blk.call in N.A.initialize",
        "M.N.Q.stat in N.A.initialize",
        "Top.x in N.A.initialize",
        "x.is_a? in N.A.initialize",
        "ex.y in N.A.initialize",
    ]
    assert bases(facts) == ["B.C in N.A", "Each in N.A", "X.Y in N.A"]
    assert {"self.f in N.A.initialize", "K1 in N.A.initialize", "Err in N.A.initialize"} <= set(uses(facts))
    assert imported(facts) == [("a/b", "*", ""), ("./c", "*", "")]
    assert {"self.f: Foo() in N.A", "foo: Bar() in N.A.initialize"} <= set(typed(facts))


PHP = """\
<?php
namespace A\\B; use X\\Y; use X\\Z as W, Q\\R; use function f\\g; use G\\{H, I as J};
require_once 'a/b.php'; include __DIR__ . '/x.php';
const K1 = 1; define('K2', 2);
/** What it is. */
#[Attr]
abstract class C extends Base implements I1, \\N\\I2 {
  use T1;
  const CC = 1; private ?Foo $f = null, $g;
  public function __construct(private Svc $svc, Foo|null $x, int ...$r) {
    parent::__construct($x); $this->f = new Foo($x); $this->f->run()->more();
    self::stat(self::CC); static::m2(); B::s(); $y = new \\N\\D(); $y->go(); $z = g($x); $z->h();
    foreach ($l as $e) { $e->z(); } try {} catch (E1 $ex) { $ex->y(); } $x?->n(); echo K1; \\N\\f(); $fn(1);
  }
  abstract function ab(): ?Foo;
}
interface I3 extends I4 { function f(Foo $a): string; } trait T3 { function t() {} }
enum E: string implements I6 { case P = 'p'; function e() {} }
function fn1(Foo $a = K1): Bar { return $a->b(); }
$gv = new Foo();
"""


@pytest.mark.vfcc("REQ-GRAPH-FUNCTIONS", "REQ-GRAPH-CLASSES", "REQ-GRAPH-CALLS")
def test_php() -> None:
    facts = read("php", PHP)

    assert defined(facts) == [
        "variable K1 4",
        "variable K2 4",
        "class C 7-16",
        "field C.CC 9",
        "field C.f 9",
        "field C.g 9",
        "method C.__construct 10-14",
        "field C.svc 10",
        "method C.ab 15",
        "interface I3 17",
        "method I3.f 17",
        "class T3 17",
        "method T3.t 17",
        "enum E 18",
        "field E.P 18",
        "method E.e 18",
        "function fn1 19",
        "variable gv 20",
    ]
    assert (facts.definitions[2].start, facts.definitions[8].result) == (5, "Foo")
    assert calls(facts) == [
        "parent.__construct in C.__construct",
        "Foo in C.__construct",
        "this.f.run in C.__construct",
        "this.f.run().more in C.__construct",
        "self.stat in C.__construct",
        "static.m2 in C.__construct",
        "B.s in C.__construct",
        "N.D in C.__construct",
        "y.go in C.__construct",
        "g in C.__construct",
        "z.h in C.__construct",
        "e.z in C.__construct",
        "ex.y in C.__construct",
        "x.n in C.__construct",
        "N.f in C.__construct",
        "a.b in fn1",
        "Foo",
    ]
    assert bases(facts) == ["Base in C", "I1 in C", "N.I2 in C", "T1 in C", "I4 in I3", "I6 in E"]
    assert {"K1 in C.__construct", "self.CC in C.__construct"} <= set(uses(facts))
    assert imported(facts) == [
        ("X", "Y", "Y"),
        ("X", "Z", "W"),
        ("Q", "R", "R"),
        ("f", "g", "g"),
        ("G", "H", "H"),
        ("G", "I", "J"),
        ("a/b.php", "*", ""),
        ("./x.php", "*", ""),
    ]
    assert {"self.f: Foo in C", "self.svc: Svc in C", "y: N.D() in C.__construct", "a: Foo in fn1"} <= set(typed(facts))


SHELL = """\
#!/bin/bash
source ./lib.sh
. "$DIR/b.sh"
export X=1 Y
readonly Z=2
V=$(cmd a)
# What it does.
f1() { local a=1 b; f2 "$X" | g1; if f3; then :; fi; W=3; }
function f2 {
  echo "$(f1)"; trap f3 EXIT
}
f3() { return; }
"""


@pytest.mark.vfcc("REQ-GRAPH-FUNCTIONS", "REQ-GRAPH-CALLS")
def test_shell() -> None:
    facts = read("bash", SHELL)

    assert defined(facts) == [
        "variable X 4",
        "variable Z 5",
        "variable V 6",
        "function f1 8",
        "function f2 9-11",
        "function f3 12",
    ]
    assert (facts.definitions[3].start, facts.definitions[4].signature) == (7, "function f2")
    assert calls(facts) == ["cmd", "f2 in f1", "g1 in f1", "f3 in f1", "f1 in f2"]
    assert uses(facts) == ["X in f1", "f3 in f2"]
    assert imported(facts) == [("./lib.sh", "*", ""), ("b.sh", "*", "")]
