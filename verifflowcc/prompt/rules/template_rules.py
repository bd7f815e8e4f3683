"""Which templates are accepted: the part of Jinja whose work and memory stay in proportion to the entries.

A prompt template comes with a cloned repository, so it may be hostile. What is not known to be harmless is refused,
with file and line; an accepted template needs no watchdog. A partial is checked again at each of its includes, with the
names that stand there, so that its loops and its text count like the template's own.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from verifflowcc.base.errors import TemplateError
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.prompt.rules.template_expressions import (
    ESCAPES,
    MAX_BRACKETS,
    MAX_INCLUDE_DEPTH,
    MAX_LITERAL_CHARS,
    MAX_LOOP_DEPTH,
    MAX_LOOPS,
    MAX_NODES,
    MAX_NUMBER_DIGITS,
    MAX_PROBLEMS,
    MAX_SOURCE_BYTES,
    MAX_STRING_CHARS,
    MAX_TAG_DEPTH,
    MAX_TAG_TOKENS,
    TAGS,
    ExpressionKind,
    Expressions,
    Loop,
    Scope,
    ValueShape,
    new_environment,
    reading_environment,
    supplied,
)
from verifflowcc.prompt.rules.template_view import HINT, PromptTemplate, PromptView

if TYPE_CHECKING:
    from types import TracebackType

    from jinja2 import BaseLoader, Template, nodes


# What can be refused in a prompt template before it is parsed: its size, its depth, its tags and its constants.
#
# Jinja's parser calls itself for each bracket, block and `not`; a source that passed this scan cannot exhaust the
# stack.

_ESCAPE = lazy_pattern(r"\\(.)", re.DOTALL)
_SILENT = {"whitespace", "comment", "comment_begin", "comment_end", "data"}
_ENDS = {"variable_end", "block_end"}
Token = tuple[int, str, str]


@dataclass(slots=True)
class Scan:
    """Problems as (line, sentence). `parsable` is false where the parser must not see the source.

    `excused` holds the names inside refused tags (`set x = …`), so that their uses are not reported again.
    """

    problems: list[tuple[int, str]] = field(default_factory=list)
    parsable: bool = True
    excused: set[str] = field(default_factory=set)

    def refuse(self, line: int, sentence: str, *, parsable: bool = True) -> None:
        self.problems.append((line, sentence))
        self.parsable = self.parsable and parsable


def scan(source: str) -> Scan:
    """Look through the tokens of `source`."""
    from jinja2 import TemplateSyntaxError

    found = Scan()
    size = len(source.encode("utf-8", "surrogatepass"))
    if size > MAX_SOURCE_BYTES:
        found.refuse(1, f"a template has at most {MAX_SOURCE_BYTES:,} bytes; this one has {size:,}", parsable=False)
        return found
    if "\0" in source:
        line = source[: source.index("\0")].count("\n") + 1
        found.refuse(line, "a template is text; this line holds a NUL character", parsable=False)
        return found
    try:
        _scan_tags(list(reading_environment().lexer.tokeniter(source, None)), found)
    except TemplateSyntaxError as error:
        found.refuse(error.lineno, f"{error.message or 'this is not Jinja'}", parsable=False)
    return found


def _scan_tags(tokens: list[Token], found: Scan) -> None:
    depth = 0
    for tag in _tags(tokens, found):
        line, word = tag[0][0], tag[0][2] if tag[0][1] == "name" else ""
        _scan_constants(tag, found)
        if len(tag) > MAX_TAG_TOKENS:
            found.refuse(line, f"one tag has at most {MAX_TAG_TOKENS} words and signs", parsable=False)
        if _bracket_depth(tag) > MAX_BRACKETS:
            found.refuse(line, f"brackets nest at most {MAX_BRACKETS} deep", parsable=False)
        depth += (word in {"if", "for"}) - (word in {"endif", "endfor"})
        if depth == MAX_TAG_DEPTH + 1 and word in {"if", "for"}:
            found.refuse(line, f"`if` and `for` nest at most {MAX_TAG_DEPTH} deep", parsable=False)


def _tags(tokens: list[Token], found: Scan) -> Iterator[list[Token]]:
    """Yield the inner tokens of each tag, a last one that never ends too.

    A block's begin with its word, an output's with an operator `{{`.
    """
    tag: list[Token] = []
    inside = False
    for line, kind, text in tokens:
        if kind == "raw_begin":
            _refuse_tag(line, "raw", found)
        elif kind in {"variable_begin", "block_begin"}:
            inside, tag = True, [(line, "operator", "{{")] if kind == "variable_begin" else []
        elif kind in _ENDS:
            inside = False
            if tag:
                _scan_word(tag, found)
                yield tag
        elif inside and kind not in _SILENT:
            tag.append((line, kind, text))
    if inside and tag:
        yield tag


def _scan_word(tag: list[Token], found: Scan) -> None:
    line, kind, word = tag[0]
    if kind != "name" or word in TAGS:
        return
    if not word.startswith("end"):
        _refuse_tag(line, word, found)
    found.excused.update(text for _, kind, text in tag if kind == "name")


def _refuse_tag(line: int, word: str, found: Scan) -> None:
    near = nearest(word, TAGS)
    meant = f"; did you mean `{near}`?" if near else ""
    found.refuse(line, f"the tag `{word[:40]}` is not allowed; allowed: if, elif, else, for, include{meant}")


def _scan_constants(tag: list[Token], found: Scan) -> None:
    for line, kind, text in tag:
        if kind == "integer" and len(text) > MAX_NUMBER_DIGITS:
            found.refuse(line, f"a number has at most {MAX_NUMBER_DIGITS} digits", parsable=False)
        elif kind == "float":
            found.refuse(line, "numbers with a fraction or an exponent are not allowed; whole ones are", parsable=False)
        elif kind == "string" and len(text) - 2 > MAX_STRING_CHARS:
            found.refuse(line, f"a constant text has at most {MAX_STRING_CHARS} characters")
        elif kind == "string" and any(match[1] not in ESCAPES for match in _ESCAPE.finditer(text)):
            found.refuse(
                line, "in a constant, `\\` is allowed only before n, t, a quote or another `\\`", parsable=False
            )


def _bracket_depth(tag: list[Token]) -> int:
    depth = deepest = 0
    for _, kind, text in tag:
        if kind == "operator":
            depth += (text in "([{") - (text in ")]}")
            deepest = max(deepest, depth)
    return deepest


@dataclass(frozen=True, slots=True)
class AcceptedTemplate:
    """A template's parsed tree, and the trees of the partials that it includes, by name."""

    template: "nodes.Template"
    partials: Mapping[str, "nodes.Template"]


def check_template(source: str, name: str, partials: Mapping[str, str]) -> AcceptedTemplate:
    """Return the parsed template, if it uses nothing but what a prompt template may.

    `partials` maps the names that `include` may give to their sources. TemplateError tells every problem of the
    template, one `name:line: sentence` a line.
    """
    check = _Check(partials)
    template = check.template(source)
    if check.found.problems or template is None:
        problems = sorted(set(check.found.problems))
        lines = [f"{name}:{line}: {sentence}" for line, sentence in problems[:MAX_PROBLEMS]]
        if len(problems) > MAX_PROBLEMS:
            lines.append(f"{name}: and {len(problems) - MAX_PROBLEMS} more")
        raise TemplateError("\n".join(lines), hint=HINT)
    return AcceptedTemplate(template, check.included)


class _TooLarge(Exception):  # noqa: N818 - ends a check early, and is told as a problem
    """The template has more parts than a template may have."""


class _Check:
    """One pass over one template."""

    def __init__(self, partials: Mapping[str, str]) -> None:
        self.found = Scan()
        self.included: dict[str, nodes.Template] = {}
        self._partials = partials
        self._expressions = Expressions(self._refuse, self._count_part, self.found.excused)
        self._parts = self._loops = self._literal_chars = 0
        self._including: list[tuple[str, int]] = []

    def template(self, source: str) -> "nodes.Template | None":
        """Check `source`; return its tree, or None where it could not be parsed."""
        template = self._parsed(source)
        if template is not None:
            try:
                self._statements(template.body, supplied(), ())
            except _TooLarge:
                self._including.clear()
                self._refuse(1, f"a template has at most {MAX_NODES:,} parts, partials included")
        return template

    def _count_part(self) -> None:
        self._parts += 1
        if self._parts > MAX_NODES:
            raise _TooLarge

    def _refuse(self, line: int, sentence: str) -> None:
        if self._including:
            partial = self._including[-1][0]
            sentence = f"in {partial}:{line}: {sentence}"
            line = self._including[0][1]
        self.found.refuse(line, sentence)

    def _parsed(self, source: str) -> "nodes.Template | None":
        from jinja2 import TemplateSyntaxError

        scanned = scan(source)
        for line, sentence in scanned.problems:
            self._refuse(line, sentence)
        self.found.excused |= scanned.excused
        if not scanned.parsable:
            return None
        try:
            return reading_environment().parse(source)
        except TemplateSyntaxError as error:
            if error.lineno not in {line for line, _ in scanned.problems}:
                self._refuse(error.lineno, error.message or "this is not Jinja")
            return None

    def _statements(self, body: "Sequence[nodes.Node]", scope: Scope, targets: tuple[str, ...]) -> None:
        """Check a list of statements; `targets` are the variables of the loops around, outermost first."""
        from jinja2 import nodes

        for node in body:
            self._count_part()
            if isinstance(node, nodes.Output):
                self._output(node, scope)
            elif isinstance(node, nodes.If):
                self._if(node, scope, targets)
            elif isinstance(node, nodes.For):
                self._for(node, scope, targets)
            elif isinstance(node, nodes.Include):
                self._include(node, scope, targets)

    def _output(self, node: "nodes.Output", scope: Scope) -> None:
        from jinja2 import nodes

        for each in node.nodes:
            self._count_part()
            if isinstance(each, nodes.TemplateData):
                before = self._literal_chars
                self._literal_chars += len(each.data)
                if before <= MAX_LITERAL_CHARS < self._literal_chars:
                    self._refuse(
                        each.lineno, f"a template has at most {MAX_LITERAL_CHARS:,} characters of its own text"
                    )
            else:
                self._expressions.printable(each, scope)

    def _if(self, node: "nodes.If", scope: Scope, targets: tuple[str, ...]) -> None:
        for branch in (node, *node.elif_):
            self._expressions.shape(branch.test, scope)
            self._statements(branch.body, scope, targets)
        self._statements(node.else_, scope, targets)

    def _for(self, node: "nodes.For", scope: Scope, targets: tuple[str, ...]) -> None:
        self._count_loop(node, targets)
        item = self._item(node, scope, targets)
        inner = dict(scope)
        if (target := self._target(node, scope)) is not None:
            if item is None:
                self.found.excused.add(target)
            else:
                inner[target] = item
        if node.test is not None:
            self._expressions.shape(node.test, _without_loop(inner))
        self._statements(node.else_, scope, targets)
        inner["loop"] = ValueShape(ExpressionKind.RECORD, record=Loop)
        self._statements(node.body, inner, (*targets, target or ""))

    def _count_loop(self, node: "nodes.For", targets: tuple[str, ...]) -> None:
        self._loops += 1
        if self._loops == MAX_LOOPS + 1:
            self._refuse(node.lineno, f"a template has at most {MAX_LOOPS} loops, partials included")
        if len(targets) == MAX_LOOP_DEPTH:
            self._refuse(node.lineno, f"loops nest at most {MAX_LOOP_DEPTH} deep")
        if node.recursive:
            self._refuse(node.lineno, "`recursive` is not allowed; loops go through supplied lists")

    def _item(self, node: "nodes.For", scope: Scope, targets: tuple[str, ...]) -> ValueShape | None:
        """Return the shape of a loop's items, if what it goes through is a supplied list."""
        from jinja2 import nodes

        root: nodes.Node = node.iter
        while isinstance(root, nodes.Getattr):
            root = root.node
        if not isinstance(root, nodes.Name):
            self._refuse(node.lineno, f"`for` goes through supplied lists only: {_lists()}")
            return None
        shape = self._expressions.shape(node.iter, scope)
        if shape is None:
            return None
        if shape.item is None:
            self._refuse(node.lineno, f"`for` goes through lists; this is none: {_lists()}")
        elif targets and root.name != targets[-1]:
            outer = targets[-1] or "the outer loop's item"
            self._refuse(node.lineno, f"a loop within a loop goes through a list of `{outer}`, not of the whole prompt")
        return shape.item

    def _target(self, node: "nodes.For", scope: Scope) -> str | None:
        from jinja2 import nodes

        if not isinstance(node.target, nodes.Name):
            self._refuse(node.lineno, "a loop has one variable")
            return None
        name = node.target.name
        if name in scope or name == "loop" or name.startswith("_") or not name.isascii():
            self._refuse(node.lineno, f"`{name[:40]}` cannot be a loop's variable; take a new plain name")
            return None
        return name

    def _include(self, node: "nodes.Include", scope: Scope, targets: tuple[str, ...]) -> None:
        name = self._partial_name(node)
        if name is None:
            return
        if len(self._including) == MAX_INCLUDE_DEPTH:
            self._refuse(node.lineno, f"includes nest at most {MAX_INCLUDE_DEPTH} deep")
            return
        self._including.append((name, node.lineno))
        partial = self.included.get(name) or self._parsed(self._partials[name])
        if partial is not None:
            self.included[name] = partial
            self._statements(partial.body, _without_loop(scope), targets)
        self._including.pop()

    def _partial_name(self, node: "nodes.Include") -> str | None:
        from jinja2 import nodes

        name = node.template.value if isinstance(node.template, nodes.Const) else None
        if not isinstance(name, str) or node.ignore_missing or not node.with_context:
            self._refuse(
                node.lineno, f"`include` takes one name in quotes and nothing else: {', '.join(self._partials)}"
            )
        elif name not in self._partials:
            near = nearest(name, self._partials)
            instead = f"did you mean `{near}`?" if near else f"there are: {', '.join(sorted(self._partials))}"
            self._refuse(node.lineno, f"there is no partial `{name[:60]}`; {instead}")
        else:
            return name
        return None


def _lists() -> str:
    return ", ".join(sorted(name for name, shape in supplied().items() if shape.kind is ExpressionKind.LIST))


def _without_loop(scope: Scope) -> dict[str, ValueShape]:
    """Return the scope where Jinja knows no `loop`: in a loop's own condition, and in a partial."""
    return {name: shape for name, shape in scope.items() if name != "loop"}


# From an accepted template to one that renders.


def compile_template(source: str, name: str, partials: Mapping[str, str]) -> PromptTemplate:
    """Return `source` as a template that can render; TemplateError with every problem where it is refused.

    `partials` maps the names that `include` may give (`partials/entry.md.j2`) to their sources.
    """
    env = new_environment(_partial_loader(accepted := check_template(source, name, partials)))
    code = env.compile(accepted.template, name, filename=name)
    return PromptTemplate(name, partial(_parts, name, env.template_class.from_code(env, code, {})))


def _parts(name: str, template: "Template", view: PromptView) -> Iterator[str]:
    """Yield what the template prints.

    TemplateError with the line where a value is asked of something that this prompt lacks (`sprint` where there is
    none).
    """
    from jinja2 import TemplateRuntimeError

    try:
        yield from template.generate(view.names())
    except TemplateRuntimeError as error:
        line = _line_in(error.__traceback__, name)
        lacking = f"{error}; a prompt may have no sprint or no stage: ask `if sprint` or `if stage` first"
        raise TemplateError(f"{name}:{line}: {lacking}", hint=HINT) from None


def _partial_loader(accepted: AcceptedTemplate) -> "BaseLoader":
    """Return a loader that knows the accepted partials, parsed as they are, and reads no file."""
    from jinja2 import BaseLoader, Environment, Template

    class PartialLoader(BaseLoader):
        def load(self, environment: Environment, name: str, globals: object = None) -> Template:
            code = environment.compile(accepted.partials[name], name, filename=name)
            return environment.template_class.from_code(environment, code, {})

    return PartialLoader()


def _line_in(trace: "TracebackType | None", name: str) -> int:
    """Return the innermost line of the template in a traceback; Jinja writes the template's own lines into it."""
    line = 1
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == name:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
