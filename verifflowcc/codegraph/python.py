"""Python: what is captured in its trees, and the facts in that."""

import re
from collections.abc import Iterator

from verifflowcc.codegraph.engine import LAST, Found, first_of, one_line
from verifflowcc.codegraph.python_names import Names
from verifflowcc.codegraph.python_said import Said, said_in
from verifflowcc.codegraph.python_types import type_name
from verifflowcc.domain.graph import FILE, Definition, FileFacts, Import, Reference, ReferenceKind, SymbolKind, Typed

QUERY = """
(function_definition) @def
(class_definition) @class
(decorated_definition) @decorated
(assignment) @assign
(named_expression) @walrus
(type_alias_statement left: (type) @alias)
(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import
(primary_expression/identifier) @name
(primary_expression/attribute) @attribute
(class_definition superclasses: (argument_list [(identifier) (attribute)] @base))
(class_definition superclasses: (argument_list (subscript value: [(identifier) (attribute)] @base)))
(class_definition superclasses: (argument_list (subscript subscript: (_) @type)))
(type) @type
(type (string) @quoted)
(except_clause value: (_) @type)
(as_pattern_target (identifier) @local)
(as_pattern_target (identifier) @target)
(with_item value: (as_pattern (call) alias: (as_pattern_target (identifier))) @with)
(pattern/identifier) @local
(parameter/identifier) @local
(list_splat_pattern (identifier) @local)
(dictionary_splat_pattern (identifier) @local)
(default_parameter name: (identifier) @local)
(parameters (default_parameter value: (_) @outer))
(parameters (typed_default_parameter value: (_) @outer))
(typed_parameter) @parameter
(typed_default_parameter) @parameter
(global_statement (identifier) @global)
"""

_COMMENT = re.compile(r"#[^\n]*")


def facts(found: Found) -> FileFacts:
    """Return what a Python text says of itself."""
    names = Names(found)
    said = said_in(names)
    definitions, place = _definitions(names)
    return FileFacts(
        "python",
        definitions,
        _references(names, said, place),
        tuple([Import(*each, place[scope]) for each, scope in names.imports]),
        _typed_names(names, said, place),
    )


def _definitions(names: Names) -> tuple[tuple[Definition, ...], list[int]]:
    """Return the definitions by place in the text, and each scope's place among them (that of `FILE` is last)."""
    rows = [(start, 0, scope) for scope, (start, _) in enumerate(names.ranges)]
    rows += [(each[0], 1, number) for number, each in enumerate(names.variables)]
    rows.sort()
    place = [0] * len(names.ranges) + [FILE]
    for number, (_, is_variable, which) in enumerate(rows):
        if not is_variable:
            place[which] = number
    decorated = {}
    for node in names.found.nodes("decorated"):
        inner = node.child_by_field_name("definition")
        if inner is not None:
            decorated[inner.start_byte] = node.start_byte
    made = [
        _variable(names, which, place) if is_variable else _definition(names, which, place, decorated.get(start, start))
        for start, is_variable, which in rows
    ]
    return tuple(made), place


def _variable(names: Names, number: int, place: list[int]) -> Definition:
    start, end, name, scope, kind = names.variables[number]
    line, first = names.source.line(start), names.source.first_line(start)
    head = names.source[start : min(end, start + 400)]
    signature = one_line(head.partition("\n")[0].rstrip() + (" …" if "\n" in head else ""))
    last = names.source.line(end - 1)
    return Definition(kind, name, line, last, place[scope], signature, start=first_of(line, first))


def _definition(names: Names, scope: int, place: list[int], begin: int) -> Definition:
    node, (start, end), parent = names.nodes[scope], names.ranges[scope], names.parents[scope]
    source, named = names.source, node.child_by_field_name("name")
    line = source.line(named.start_byte if named is not None else start)
    result, last = "", named
    if names.is_class[scope]:
        kind = SymbolKind.CLASS
        last = node.child_by_field_name("superclasses") or named
    else:
        in_class = parent != FILE and names.is_class[parent]
        kind = SymbolKind.METHOD if in_class else SymbolKind.FUNCTION
        said = node.child_by_field_name("return_type")
        last = said or node.child_by_field_name("parameters") or named
        result = type_name(names.text_of(said)) if said is not None else ""
    signature = source[start : last.end_byte if last is not None else end]
    if "\n" in signature and "#" in signature:
        signature = _COMMENT.sub("", signature)
    first = first_of(line, source.first_line(begin))
    return Definition(
        kind, names.names[scope], line, source.line(end - 1), place[parent], one_line(signature), "", result, first
    )


def _references(names: Names, said: list[Said], place: list[int]) -> tuple[Reference, ...]:
    """Return what is spoken of, calls once for each line, all else once for each definition.

    Lines and definitions are gone through beside the names, which are in order: looking each up takes twice as long.
    """
    call, use, kind_of_type = ReferenceKind.CALL, ReferenceKind.USE, ReferenceKind.TYPE
    line, line_ends, scope_end, scope = 0, iter([*names.source.ends, LAST]), 0, FILE
    line_end, stretches = -1, names.scopes.stretches()
    seen: set[tuple[int, str, str, int]] = set()
    made = []
    for start, kind, name, receiver in said:
        while start > line_end:
            line_end, line = next(line_ends), line + 1
        while start >= scope_end:
            scope_end, scope = next(stretches)
        key = (
            scope,
            name,
            receiver,
            line if kind is call else 0 if kind is use else -1 if kind is kind_of_type else -2,
        )
        if key not in seen:
            seen.add(key)
            made.append(Reference(kind, name, line, place[scope], receiver))
    return tuple(made)


def _typed_names(names: Names, said: list[Said], place: list[int]) -> tuple[Typed, ...]:
    """Return what names are said to be: fields, variables of the file, and what is called or a receiver."""
    heads = {receiver or name for _, _, name, receiver in said}
    used = {head.partition(".")[0].partition("(")[0] for head in heads}
    made = [
        (line, place[scope], name, kind)
        for (scope, name), (kind, line) in names.typed.items()
        if scope == FILE or "." in name or name in used
    ]
    made += [(line, place[scope], name, kind) for scope, name, kind, line in names.typed_later if name in used]
    made.sort()
    return tuple(_changes(made))


def _changes(made: list[tuple[int, int, str, str]]) -> Iterator[Typed]:
    """Yield what names are said to be, by line; what is said again is left out."""
    last: dict[tuple[int, str], str] = {}
    for line, scope, name, kind in made:
        if last.get((scope, name)) != kind:
            last[scope, name] = kind
            yield Typed(name, kind, scope, line)
