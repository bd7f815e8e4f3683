"""Whom a reference means in languages that are bound by the rules that most languages share."""

import pytest

from tests.pure.code_in_memory import code_of, meant

FILES = {
    "c/pay.h": "int settle(int x);\n#define LIMIT 3\n",
    "c/pay.c": '#include "pay.h"\n'
    "static int check(void) { return 1; }\n"
    "int settle(int x) {\n"
    "  return check() + LIMIT;\n"
    "}\n",
    "c/main.c": '#include <stdio.h>\n#include "pay.h"\nint main(void) {\n  printf("x");\n  return settle(1);\n}\n',
    "cpp/tool.hpp": "namespace kit {\n"
    "class Base { public: void drop(); };\n"
    "class Tool : public Base { public: void use() {} };\n"
    "}\n",
    "cpp/tool.cpp": '#include "tool.hpp"\nnamespace kit {\nvoid Base::drop() {}\n}\n',
    "cpp/main.cpp": '#include "tool.hpp"\n'
    "int main() {\n"
    "  kit::Tool t;\n"
    "  t.use();\n"
    "  auto p = new kit::Tool();\n"
    "  p->drop();\n"
    "}\n",
    "cs/Tool.cs": "namespace Kit {\n"
    "public class Base { public void Drop() {} }\n"
    "public class Tool : Base {\n"
    "  public void Use() { Drop(); }\n"
    "  public static void Make() {}\n"
    "} }\n",
    "cs/App.cs": "using System;\n"
    "using Kit;\n"
    "class App {\n"
    "  private Tool tool = new Tool();\n"
    "  void Run(Tool given) {\n"
    "    tool.Use();\n"
    "    this.tool.Drop();\n"
    "    given.Use();\n"
    "    Tool.Make();\n"
    "    Helper();\n"
    "  }\n"
    "  void Helper() {}\n"
    "}\n",
    "rb/tool.rb": "module Kit\n"
    "  class Base\n"
    "    def drop; end\n"
    "  end\n"
    "  class Tool < Base\n"
    "    def use\n"
    "      drop\n"
    "      self.drop\n"
    "    end\n"
    "    def self.make; new; end\n"
    "  end\n"
    "end\n",
    "rb/app.rb": 'require_relative "tool"\n'
    "class App\n"
    "  def initialize\n"
    "    @tool = Kit::Tool.new\n"
    "  end\n"
    "  def run\n"
    "    @tool.use\n"
    "    t = Kit::Tool.new\n"
    "    t.drop\n"
    "    Kit::Tool.make\n"
    "    helper()\n"
    "  end\n"
    "  def helper; end\n"
    "end\n",
    "php/src/Kit/Tool.php": "<?php\nnamespace App\\Kit;\n"
    "class Tool extends Base {\n"
    "  public function use1() { $this->drop(); }\n"
    "  public static function make() {}\n"
    "}\n",
    "php/src/Kit/Base.php": "<?php\nnamespace App\\Kit;\nclass Base {\n  public function drop() {}\n}\n",
    "php/src/App.php": "<?php\n"
    "namespace App;\n"
    "use App\\Kit\\Tool;\n"
    "class Main {\n"
    "  private Tool $tool;\n"
    "  function run(Tool $given) {\n"
    "    $this->tool->use1();\n"
    "    $given->drop();\n"
    "    Tool::make();\n"
    "    self::helper();\n"
    "  }\n"
    "  static function helper() {}\n"
    "}\n",
    "sh/lib.sh": "greet() {\n  echo hi\n}\n",
    "sh/run.sh": "source ./lib.sh\nmain() {\n  greet\n}\nmain\n",
}


@pytest.mark.points(19)
@pytest.mark.parametrize(
    ("where", "name", "whom"),
    [
        ("c/pay.c:4", "check", ["c/pay.c::check"]),
        ("c/pay.c:4", "LIMIT", ["c/pay.h::LIMIT"]),
        ("c/main.c:4", "printf", []),
        ("c/main.c:5", "settle", ["c/pay.c::settle"]),
        ("cpp/main.cpp:4", "use", ["cpp/tool.hpp::kit.Tool.use"]),
        ("cpp/main.cpp:6", "drop", ["cpp/tool.cpp::Base.drop", "cpp/tool.hpp::kit.Base.drop"]),
        ("cs/Tool.cs:4", "Drop", ["cs/Tool.cs::Kit.Base.Drop"]),
        ("cs/App.cs:6", "Use", ["cs/Tool.cs::Kit.Tool.Use"]),
        ("cs/App.cs:7", "Drop", ["cs/Tool.cs::Kit.Base.Drop"]),
        ("cs/App.cs:8", "Use", ["cs/Tool.cs::Kit.Tool.Use"]),
        ("cs/App.cs:9", "Make", ["cs/Tool.cs::Kit.Tool.Make"]),
        ("cs/App.cs:10", "Helper", ["cs/App.cs::App.Helper"]),
        ("rb/tool.rb:7", "drop", ["rb/tool.rb::Kit.Base.drop"]),
        ("rb/tool.rb:8", "drop", ["rb/tool.rb::Kit.Base.drop"]),
        ("rb/app.rb:7", "use", ["rb/tool.rb::Kit.Tool.use"]),
        ("rb/app.rb:9", "drop", ["rb/tool.rb::Kit.Base.drop"]),
        ("rb/app.rb:10", "make", ["rb/tool.rb::Kit.Tool.make"]),
        ("rb/app.rb:11", "helper", ["rb/app.rb::App.helper"]),
        ("php/src/Kit/Tool.php:4", "drop", ["php/src/Kit/Base.php::Base.drop"]),
        ("php/src/App.php:7", "use1", ["php/src/Kit/Tool.php::Tool.use1"]),
        ("php/src/App.php:8", "drop", ["php/src/Kit/Base.php::Base.drop"]),
        ("php/src/App.php:9", "make", ["php/src/Kit/Tool.php::Tool.make"]),
        ("php/src/App.php:10", "helper", ["php/src/App.php::Main.helper"]),
        ("sh/run.sh:3", "greet", ["sh/lib.sh::greet"]),
        ("sh/run.sh:5", "main", ["sh/run.sh::main"]),
    ],
)
def test_names_are_bound_by_scope_import_type_or_as_the_only_ones(where: str, name: str, whom: list[str]) -> None:
    assert meant(code_of(FILES), where, name) == whom
