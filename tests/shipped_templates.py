"""Write the shipped prompt templates as Python, so that a prompt that uses one needs no Jinja.

    python -m tests.shipped_templates

A test compares the file with the templates, and what it prints with what Jinja prints.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from jinja2 import nodes

import verifflowcc.prompt
from verifflowcc.prompt.rules.template_expressions import (
    ExpressionKind,
    ValueShape,
    attributes,
    reading_environment,
    supplied,
)
from verifflowcc.prompt.rules.template_view import PromptView
from verifflowcc.prompt.use.prompt_templates import ROLES, partials, shipped_source_for

FILE = Path(verifflowcc.prompt.__file__).parent / "rules" / "shipped_templates.py"
HEAD = '''"""The shipped prompt templates as Python, each by the digest of its text and of the partials.

`python -m tests.shipped_templates` writes this file. A template that is not here, byte for byte, is rendered by Jinja.
"""

# ruff: noqa: PLR0912 - a branch for each `if` of a template

from collections.abc import Callable, Iterator, Mapping

from verifflowcc.prompt.rules.template_view import {views}

'''
WIDTH = 100
COMPARED = {"eq": "==", "ne": "!="}
PAGE = "page"


def python_text() -> str:
    """Return the module: a function for each partial and each template, and the table of the templates."""
    sources = {role: shipped_source_for(role) for role in (*ROLES, "default")}
    writer = _TemplateWriter(partials())
    for role, source in sources.items():
        writer.function(f"_{role}", source.text, {})
    table = "".join(f'    "{source.digest}": _{role},\n' for role, source in sources.items())
    functions = "\n\n".join(writer.functions.values())
    views = ", ".join(sorted(writer.views))
    kind = "Mapping[str, Callable[[PromptView], Iterator[str]]]"
    return f"{HEAD.format(views=views)}\n{functions}\n\nSHIPPED: {kind} = {{\n{table}}}\n"


class _TemplateWriter:
    """Templates → functions that yield what they print; a partial is a function of the loop variables around it."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self.functions: dict[str, str] = {}
        self.views = {"PromptView"}
        self._sources = sources

    def function(self, name: str, source: str, loops: Mapping[str, ValueShape]) -> str:
        """Write the function of a template or partial; return its call."""
        template = reading_environment().parse(source)
        names = {each.name for each in template.find_all(nodes.Name)}
        taken = {each: loops[each] for each in loops if each in names}
        if names - taken.keys() or template.find(nodes.Include):
            taken = {PAGE: ValueShape(ExpressionKind.RECORD, record=PromptView), **taken}
        body = "".join(self._statements(template.body, loops, "    "))
        records = {each: shape.record.__name__ for each, shape in taken.items() if shape.record}
        self.views |= set(records.values())
        parameters = ", ".join(f"{each}: {record}" for each, record in records.items())
        self.functions.setdefault(name, f"def {name}({parameters}) -> Iterator[str]:\n{body}")
        return f"{name}({', '.join(taken)})"

    def _statements(self, body: list[nodes.Node], loops: Mapping[str, ValueShape], indent: str) -> Iterator[str]:
        for node in body:
            match node:
                case nodes.Output():
                    yield from _printed(node, loops, indent)
                case nodes.If():
                    yield from self._if(node, loops, indent)
                case nodes.For(target=nodes.Name(name=target), else_=[], recursive=False):
                    inner = {**loops, target: _item(node.iter, loops)}
                    yield f"{indent}for {target} in {_expression(node.iter, loops)}:\n"
                    if node.test is not None:
                        yield f"{indent}    if {_condition(node.test, inner)}:\n"
                        indent += "    "
                    yield from self._statements(node.body, inner, f"{indent}    ")
                    indent = indent.removesuffix("    ") if node.test is not None else indent
                case nodes.Include(template=nodes.Const(value=name)):
                    function = f"_{name.removeprefix('partials/').partition('.')[0]}_part"
                    yield f"{indent}yield from {self.function(function, self._sources[name], loops)}\n"
                case _:
                    raise NotImplementedError(f"line {node.lineno}: {type(node).__name__}")

    def _if(self, node: nodes.If, loops: Mapping[str, ValueShape], indent: str) -> Iterator[str]:
        for word, branch in (("if", node), *(("elif", each) for each in node.elif_)):
            yield f"{indent}{word} {_condition(branch.test, loops)}:\n"
            yield from self._statements(branch.body, loops, f"{indent}    ")
        if node.else_:
            yield f"{indent}else:\n"
            yield from self._statements(node.else_, loops, f"{indent}    ")


def _printed(node: nodes.Output, loops: Mapping[str, ValueShape], indent: str) -> Iterator[str]:
    """Yield the statement that prints these, a piece a line."""
    found = [
        piece
        for each in node.nodes
        for piece in (
            _words(each.data) if isinstance(each, nodes.TemplateData) else [f"{{{_expression(each, loops)}}}"]
        )
    ]
    whole = "".join(found)
    if len(whole) + len(indent) <= WIDTH:
        yield f"{indent}yield {_quoted(whole)}\n"
        return
    lines = [""]
    for piece in found:
        if lines[-1] and piece != "\\n" and (lines[-1].endswith("\\n") or len(lines[-1]) + len(piece) > WIDTH):
            lines.append("")
        lines[-1] += piece
    listed = "".join(f"{indent}    {_quoted(each)}\n" for each in lines)
    yield f"{indent}yield (\n{listed}{indent})\n"


def _quoted(text: str) -> str:
    return f'{"f" if "{" in text else ""}"{text}"'


def _words(text: str) -> list[str]:
    """Split text for an f-string of double quotes after each line end, and long lines between words."""
    escaped = json.dumps(text, ensure_ascii=False)[1:-1].replace("{", "{{").replace("}", "}}")
    return [piece for piece in re.split(r"(?<= )(?=[^ ])|(?<=\\n)|(?=\\n)", escaped) if piece]


def _condition(node: nodes.Node, loops: Mapping[str, ValueShape]) -> str:
    found = _expression(node, loops)
    return found[1:-1] if found[0] == "(" else found


def _expression(node: nodes.Node, loops: Mapping[str, ValueShape]) -> str:
    match node:
        case nodes.Name(name=name):
            return name if name in loops else f"{PAGE}.{name}"
        case nodes.Getattr(node=owner, attr=name):
            return f"{_expression(owner, loops)}.{name}"
        case nodes.Const(value=str() as value):
            return f"'{value}'" if value.isidentifier() else repr(value)
        case nodes.Not(node=inner):
            return f"not {_expression(inner, loops)}"
        case nodes.And(left=left, right=right) | nodes.Or(left=left, right=right):
            word = type(node).__name__.lower()
            return f"({_expression(left, loops)} {word} {_expression(right, loops)})"
        case nodes.Compare(expr=left, ops=[nodes.Operand(op="eq" | "ne" as op, expr=right)]):
            return f"({_expression(left, loops)} {COMPARED[op]} {_expression(right, loops)})"
        case nodes.CondExpr(test=test, expr1=yes, expr2=no) if no is not None:
            return f"({_expression(yes, loops)} if {_expression(test, loops)} else {_expression(no, loops)})"
        case nodes.Filter(name="join", node=nodes.Node() as lines, args=[nodes.Const(value=str() as between)]):
            return f"{between!r}.join({_expression(lines, loops)})"
    raise NotImplementedError(f"line {node.lineno}: {type(node).__name__}")


def _item(node: nodes.Node, loops: Mapping[str, ValueShape]) -> ValueShape:
    """Return the shape of what a loop goes through."""
    match node:
        case nodes.Name(name=name):
            found = supplied()[name].item
        case nodes.Getattr(node=nodes.Name(name=owner), attr=name):
            record = (loops.get(owner) or supplied()[owner]).record
            found = attributes(record)[name].item if record else None
        case _:
            found = None
    if found is None:
        raise NotImplementedError(f"line {node.lineno}: this loop")
    return found


if __name__ == "__main__":
    FILE.write_text(python_text(), encoding="utf-8")
