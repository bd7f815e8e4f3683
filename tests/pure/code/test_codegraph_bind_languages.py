"""Whom a reference means in other languages than Python."""

import pytest

from tests.pure.code_in_memory import code_of, meant
from verifflowcc.code.rules.binding import Binder
from verifflowcc.code.rules.graph import BindingResult

SCRIPT = {
    "src/kit.ts": "export default class Tool {\n  use(): Tool { return this }\n  drop() {}\n}\n"
    "export function find(): Tool { return new Tool() }\n",
    "src/lib/index.js": "export { find as seek } from '../kit'\nexport * from './more.js'\n",
    "src/lib/more.ts": "export const shout = () => 1\n",
    "src/app.tsx": "import Hammer, { find as search } from './kit'\n"
    "import * as kit from './kit'\n"
    "import { seek, shout } from './lib'\n"
    "import React, { useState } from 'react'\n"
    "const old = require('./lib/more')\n"
    "class Box extends Hammer {\n"
    "  lid: Hammer\n"
    "  run(other: kit.Tool) {\n"
    "    this.use()\n"
    "    super.drop()\n"
    "    this.lid.use().drop()\n"
    "    other.drop()\n"
    "    new Hammer().drop()\n"
    "    search().drop()\n"
    "    seek()\n"
    "    shout()\n"
    "    old.shout()\n"
    "    kit.find()\n"
    "    useState()\n"
    "    parseInt('1')\n"
    "    const local = seek()\n"
    "    local.drop()\n"
    "  }\n"
    "}\n",
}


@pytest.mark.parametrize(
    ("line", "name", "whom"),
    [
        (6, "Hammer", "src/kit.ts::Tool"),
        (9, "use", "src/kit.ts::Tool.use"),
        (10, "drop", "src/kit.ts::Tool.drop"),
        (11, "use", "src/kit.ts::Tool.use"),
        (11, "drop", "src/kit.ts::Tool.drop"),
        (12, "drop", "src/kit.ts::Tool.drop"),
        (13, "drop", "src/kit.ts::Tool.drop"),
        (14, "search", "src/kit.ts::find"),
        (14, "drop", "src/kit.ts::Tool.drop"),
        (15, "seek", "src/kit.ts::find"),
        (16, "shout", "src/lib/more.ts::shout"),
        (17, "shout", "src/lib/more.ts::shout"),
        (18, "find", "src/kit.ts::find"),
        (22, "drop", "src/kit.ts::Tool.drop"),
    ],
)
def test_scripts_are_bound_by_their_imports_and_types(line: int, name: str, whom: str) -> None:
    assert meant(code_of(SCRIPT), f"src/app.tsx:{line}", name) == [whom]


def test_what_a_script_takes_from_a_package_is_outside() -> None:
    code = code_of(SCRIPT | {"src/useState.ts": "export function useState() {}\n"})
    called = next(each for each in code.references("src/app.tsx") if each.name == "useState" and each.line == 19)

    assert Binder(code).bound("src/app.tsx", called) == BindingResult(external=True)


GO = {
    "internal/store/db.go": "package store\ntype DB struct{}\nfunc (d *DB) Query() {}\n"
    "func Open() *DB { return nil }\n",
    "pay/card.go": "package pay\ntype Base struct{}\nfunc (b *Base) Charge() {}\ntype Card struct { Base }\n",
    "pay/settle.go": "package pay\nfunc Settle(c *Card) { c.Charge(); check() }\n",
    "pay/check.go": "package pay\nfunc check() {}\nfunc Println() {}\n",
    "assert/own.go": "package assert\nfunc Nil() {}\n",
    "main.go": "package main\n"
    'import (\n\t"fmt"\n\tst "example.org/acme/shop/internal/store"\n\t"example.org/acme/shop/pay"\n'
    '\t"example.org/other/assert"\n)\n'
    "type Server struct { db *st.DB }\n"
    "func (s *Server) Start(c *pay.Card) {\n"
    "\ts.db.Query()\n"
    "\tpay.Settle(c)\n"
    "\tc.Charge()\n"
    "\tlocal := st.Open()\n"
    "\tlocal.Query()\n"
    "\tx := &Server{}\n"
    "\tx.Start(nil)\n"
    "\tfmt.Println()\n"
    "\tmake(nil)\n"
    "\tassert.Nil()\n"
    "}\n",
}


@pytest.mark.parametrize(
    ("where", "name", "whom"),
    [
        ("main.go:10", "Query", ["internal/store/db.go::DB.Query"]),
        ("main.go:11", "Settle", ["pay/settle.go::Settle"]),
        ("main.go:12", "Charge", ["pay/card.go::Base.Charge"]),
        ("main.go:14", "Query", ["internal/store/db.go::DB.Query"]),
        ("main.go:16", "Start", ["main.go::Server.Start"]),
        ("main.go:17", "Println", []),
        ("main.go:18", "make", []),
        ("pay/settle.go:2", "Charge", ["pay/card.go::Base.Charge"]),
        ("pay/settle.go:2", "check", ["pay/check.go::check"]),
    ],
)
def test_go_is_bound_by_packages_and_folders(where: str, name: str, whom: list[str]) -> None:
    assert meant(code_of(GO), where, name) == whom


def test_what_go_takes_from_elsewhere_is_outside() -> None:
    code = code_of(GO)
    asked = [each for each in code.references("main.go") if each.line in (17, 18, 19) and each.kind == "call"]

    assert [(each.name, Binder(code).bound("main.go", each)) for each in asked] == [
        ("Println", BindingResult(external=True)),
        ("Nil", BindingResult(external=True)),
    ]


JAVA = {
    "app/src/a/c/Tool.java": "package a.c;\npublic class Tool { public Tool use() { return this; } }\n",
    "app/src/a/c/Util.java": "package a.c;\nclass Util { static void help() {} }\n",
    "app/src/a/b/Base.java": "package a.b;\nclass Base { void run() {} }\n",
    "app/src/a/b/Box.java": "package a.b;\n"
    "import a.c.Tool;\n"
    "import static a.c.Util.help;\n"
    "import java.util.List;\n"
    "class Box extends Base {\n"
    "  private Tool tool = new Tool();\n"
    "  void get(Tool given) {\n"
    "    tool.use();\n"
    "    this.tool.use().use();\n"
    "    given.use();\n"
    "    help();\n"
    "    super.run();\n"
    "    run();\n"
    "    List.of();\n"
    "  }\n"
    "}\n",
}


@pytest.mark.parametrize(
    ("line", "name", "whom"),
    [
        (6, "Tool", ["app/src/a/c/Tool.java::Tool"]),
        (8, "use", ["app/src/a/c/Tool.java::Tool.use"]),
        (9, "use", ["app/src/a/c/Tool.java::Tool.use"]),
        (10, "use", ["app/src/a/c/Tool.java::Tool.use"]),
        (11, "help", ["app/src/a/c/Util.java::Util.help"]),
        (12, "run", ["app/src/a/b/Base.java::Base.run"]),
        (13, "run", ["app/src/a/b/Base.java::Base.run"]),
        (14, "of", []),
    ],
)
def test_java_is_bound_by_imports_folders_and_types(line: int, name: str, whom: list[str]) -> None:
    assert meant(code_of(JAVA), f"app/src/a/b/Box.java:{line}", name) == whom


RUST = {
    "src/store.rs": "pub struct Db;\nimpl Db { pub fn query(&self) {} }\npub fn open() -> Db { Db }\n",
    "src/main.rs": "use crate::store::{Db, open as op};\n"
    "struct S { db: Db }\n"
    "impl S {\n"
    "  fn new() -> Self { S { db: op() } }\n"
    "  fn go(&self, d: &Db) {\n"
    "    self.db.query();\n"
    "    d.query();\n"
    "    Self::new();\n"
    "    S::new().go(d);\n"
    "    free();\n"
    "    crate::store::open();\n"
    "  }\n"
    "}\n"
    "fn free() {}\n",
}


@pytest.mark.parametrize(
    ("line", "name", "whom"),
    [
        (4, "op", "src/store.rs::open"),
        (6, "query", "src/store.rs::Db.query"),
        (7, "query", "src/store.rs::Db.query"),
        (8, "new", "src/main.rs::S.new"),
        (9, "go", "src/main.rs::S.go"),
        (10, "free", "src/main.rs::free"),
        (11, "open", "src/store.rs::open"),
    ],
)
def test_rust_is_bound_by_modules_and_types(line: int, name: str, whom: str) -> None:
    assert meant(code_of(RUST), f"src/main.rs:{line}", name) == [whom]


def test_a_name_does_not_reach_into_another_language() -> None:
    code = code_of({"a.go": "package a\nfunc onlyHere() {}\n", "b.py": "def f(x):\n    x.onlyHere()\n    onlyHere()\n"})

    assert all(not Binder(code).bound("b.py", each).candidates for each in code.references("b.py"))
