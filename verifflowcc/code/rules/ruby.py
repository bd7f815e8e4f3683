"""Ruby: what is captured in its trees, and what it requires."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifflowcc.code.rules.engine import type_namer
from verifflowcc.code.rules.engine_forms import Dialect, Forms, Taken

if TYPE_CHECKING:
    from tree_sitter import Node


QUERY = """
(method name: (_) @title parameters: (_)? @head) @function
(singleton_method name: (_) @title parameters: (_)? @head) @function
(class name: (_) @title superclass: (_)? @head) @class
(module name: (_) @title) @module
(assignment left: (constant) @title) @variable
(assignment left: (global_variable) @title) @variable
(assignment left: (class_variable) @title) @variable
(assignment left: (instance_variable) @field) @whole_field
(call !receiver method: (identifier) @_reader arguments: (argument_list (simple_symbol) @title)
  (#any-of? @_reader "attr_accessor" "attr_reader" "attr_writer")) @field
(call !receiver method: (identifier) @_define arguments: (argument_list . (simple_symbol) @title)
  (#any-of? @_define "define_method" "scope" "has_many" "has_one" "belongs_to")) @method

(call receiver: [(constant) (scope_resolution)] @new method: (identifier) @_new (#eq? @_new "new"))
(call receiver: [(constant) (scope_resolution)] method: (identifier) @key (#eq? @key "new"))
(call !receiver method: [(identifier) (constant)] @call)
(call receiver: (_) @of method: [(identifier) (constant)] @call)
(superclass [(constant) (scope_resolution)] @base)
(call !receiver method: (identifier) @_include arguments: (argument_list [(constant) (scope_resolution)] @base)
  (#any-of? @_include "include" "extend" "prepend"))
(scope_resolution) @part
(scope_resolution name: (constant) @key)
(constant) @use
(identifier) @bare
(instance_variable) @instance

(method_parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(block_parameters (identifier) @local)
(optional_parameter name: (identifier) @local)
(splat_parameter name: (identifier) @local)
(hash_splat_parameter name: (identifier) @local)
(keyword_parameter name: (identifier) @local)
(block_parameter name: (identifier) @local)
(destructured_parameter (identifier) @local)
(exception_variable (identifier) @local)
(assignment left: (identifier) @local)
(operator_assignment left: (identifier) @local)
(left_assignment_list (identifier) @local)
(for pattern: (identifier) @local)

(assignment left: [(identifier) (instance_variable)] @typed right: (call) @value)

(call !receiver method: (identifier) @_require arguments: (argument_list . (string))
  (#any-of? @_require "require" "require_relative" "load")) @import
"""

_FORMS = Forms(
    frozenset({"identifier", "constant", "self", "super"}),
    {},
    {},
    {"call": ("receiver", "method")},
    {},
    frozenset({"parenthesized_statements"}),
    frozenset({"scope_resolution"}),
    frozenset({"instance_variable"}),
    "new",
)
_OWN = frozenset(
    "require require_relative load autoload include extend prepend attr_accessor attr_reader attr_writer raise "
    "puts print p lambda proc loop format sprintf private protected public private_constant module_function "
    "define_method alias_method block_given? freeze dup nil? is_a? respond_to? new super binding catch throw "
    "rand sleep exit abort String Integer Float Array Hash Symbol Struct Class Module Object Comparable "
    "Enumerable Kernel StandardError ArgumentError RuntimeError TypeError NameError NoMethodError IOError File "
    "Dir IO Time Regexp Range Proc Thread Mutex Set ENV ARGV STDOUT STDERR STDIN __FILE__ __dir__ __method__ _".split()
)
_STRING = re.compile(r"""["']([^"'#]+)["']""")


def imports(node: "Node", text: str) -> Iterator[Taken]:
    """Yield what a `require` takes: all that a file defines."""
    found = _STRING.search(text)
    if found:
        relative = text.startswith("require_relative") and not found[1].startswith(".")
        yield f"./{found[1]}" if relative else found[1], "*", "", node.start_byte


def title(text: str) -> str:
    """Return a name without the marks that say what kind of variable or symbol it is."""
    return text.lstrip("@$:")


RUBY = Dialect(
    "ruby",
    _FORMS,
    _OWN,
    type_namer(()),
    imports,
    says_all=True,
    has_bare_bodies=True,
    members_are_bare=True,
    title=title,
)
