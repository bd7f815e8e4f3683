"""Shell scripts: what is captured in their trees, and what they source."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifflowcc.code.rules.engine import type_namer
from verifflowcc.code.rules.engine_forms import Dialect, Forms, Taken

if TYPE_CHECKING:
    from tree_sitter import Node


QUERY = """
(function_definition name: (_) @title body: (_) @body) @function
(variable_assignment name: (variable_name) @title) @variable
(command name: (command_name (word) @call))
(command name: (command_name (word) @_trap) argument: (word) @word (#eq? @_trap "trap"))
(variable_name) @use
(command name: (command_name (word) @_source) argument: (_) (#any-of? @_source "source" ".")) @import
"""

_OWN = frozenset(
    "[ : . source true false echo printf cd test export local return exit set unset shift read eval exec trap alias "
    "declare typeset readonly let wait kill getopts pushd popd dirs type command builtin hash ulimit umask shopt break "
    "continue cat grep sed awk cut tr sort uniq head tail wc ls cp mv rm mkdir rmdir touch chmod chown find xargs tee "
    "basename dirname pwd date sleep tar gzip curl wget git sudo env which id uname".split()
)
_VARIABLE = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+")


def imports(node: "Node", text: str) -> Iterator[Taken]:
    """Yield the file that is sourced, from its last part that is no variable."""
    path = text.partition(" ")[2].strip().split("\n")[0]
    path = _VARIABLE.sub("\0", path.replace('"', "").replace("'", "")).rpartition("\0")[2].split(" ")[0].lstrip("/")
    if path:
        yield path, "*", "", node.start_byte


_FORMS = Forms(frozenset({"word", "variable_name"}), {}, {}, {}, {}, frozenset())
BASH = Dialect("bash", _FORMS, _OWN, type_namer(()), imports)
