"""The tests in a file of JavaScript, TypeScript or Go, with what each of them asks."""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from verifflowcc.base.model.testcases import Assertion, Strength, TestCase
from verifflowcc.base.records import dataclass, field
from verifflowcc.code.rules.engine import as_utf8, parsed
from verifflowcc.code.rules.grammars import grammar_of

if TYPE_CHECKING:
    from tree_sitter import Node


_NOTHING, _EXISTENCE, _RANGE, _EXACT = Strength.NOTHING, Strength.EXISTENCE, Strength.RANGE, Strength.EXACT
_SCRIPTS = ("javascript", "typescript", "tsx")
CASES_OF = frozenset((*_SCRIPTS, "go"))
"""The languages of which tests are read."""

_GROUPS = frozenset(("describe", "context", "suite", "xdescribe", "fdescribe"))
_TESTS = frozenset(("it", "test", "specify", "xit", "xtest", "fit", "ftest"))
_SKIPS = frozenset(("skip", "todo", "failing", "fails", "skipIf", "runIf", "only"))
_FUNCTIONS = frozenset(("arrow_function", "function_expression", "function", "function_declaration", "func_literal"))
_LITERALS = frozenset(("string", "number", "true", "false", "null", "undefined", "template_string"))
_VALUES = frozenset(
    (
        *("string", "number", "template_string", "interpreted_string_literal", "raw_string_literal"),
        *("int_literal", "float_literal", "rune_literal"),
    )
)
_MATCHERS = {
    **dict.fromkeys(("toBeDefined", "toBeTruthy", "toBeInstanceOf", "toHaveBeenCalled", "ok", "exist"), _EXISTENCE),
    **dict.fromkeys(
        ("notEqual", "notStrictEqual", "notDeepEqual", "isOk", "exists", "isDefined", "a", "an"), _EXISTENCE
    ),
    **dict.fromkeys(("toBeFalsy", "toContain", "toContainEqual", "toMatch", "toMatchObject", "toHaveProperty"), _RANGE),
    **dict.fromkeys(("toBeGreaterThan", "toBeGreaterThanOrEqual", "toBeLessThan", "toBeLessThanOrEqual"), _RANGE),
    **dict.fromkeys(("toBeCloseTo", "toHaveLength", "toHaveBeenCalledTimes", "match", "include", "above"), _RANGE),
    **dict.fromkeys(("contain", "contains", "includes", "isAbove", "isBelow", "below", "closeTo", "lengthOf"), _RANGE),
}
_TESTIFY = {
    **dict.fromkeys(("NotNil", "NotEmpty", "Error", "True", "NotEqual", "NotZero", "IsType", "NotSame"), _EXISTENCE),
    **dict.fromkeys(("Contains", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "InDelta", "Len"), _RANGE),
    **dict.fromkeys(("Regexp", "False", "ErrorContains", "Subset", "WithinDuration", "NotContains"), _RANGE),
}
_ENDS_GO = frozenset(("Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"))
_SKIPS_GO = frozenset(("Skip", "Skipf", "SkipNow"))


def read_cases(language: str, data: bytes) -> dict[str, TestCase]:
    """Return the tests of a text in one of `CASES_OF`, by name; none of one that cannot be parsed."""
    data = as_utf8(data)
    root = parsed(grammar_of(language).language, data)
    if isinstance(root, str):
        return {}
    found = _go_tests(root) if language == "go" else _script_tests(root, (), ())
    return {each.name: each for each in found}


@dataclass(slots=True)
class _FoundChecks:
    assertions: list[Assertion] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)
    cases: int = 1

    def add(self, node: "Node", strength: Strength, guard: str) -> None:
        if guard == "caught":
            strength = _NOTHING
        elif guard:
            strength = Strength(max(strength - 1, min(strength, 1)))
        self.assertions.append(Assertion(_text(node), strength, node.start_point[0] + 1))


def _script_tests(node: "Node", groups: tuple[str, ...], skips: tuple[str, ...]) -> Iterator[TestCase]:
    for child in node.named_children:
        names = _callee(child) if child.type == "call_expression" else ()
        head = names[0] if names else ""
        body = _function_in(child) if head in _GROUPS | _TESTS else None
        if head not in _GROUPS | _TESTS or (body is None and "todo" not in names):
            yield from _script_tests(child, groups, skips)
            continue
        title = (*groups, _title(child))
        more = (*skips, *_marks(names))
        if head in _GROUPS and body is not None:
            yield from _script_tests(body, title, more)
            continue
        asked = _FoundChecks()
        if body is not None:
            _script_asks(body, asked, "")
        line = child.start_point[0] + 1
        values = tuple(_values(child))
        yield TestCase(
            " > ".join(title), line, tuple(asked.assertions), _table(child), (*more, *asked.skips), (), values
        )


def _marks(names: tuple[str, ...]) -> tuple[str, ...]:
    head = names[0]
    found = [".".join((head, each)) for each in names[1:] if each in _SKIPS]
    return (*found, *([head] if head[0] in "xf" and head != "failing" else []))


def _script_asks(node: "Node", asked: _FoundChecks, guard: str) -> None:
    for child in node.named_children:
        inner = guard
        if child.type == "if_statement":
            inner = "guard"
        elif child.type == "try_statement" and _swallows(child):
            inner = "caught"
        elif child.type in ("call_expression", "member_expression"):
            names = _callee(child)
            if names and names[0] in ("expect", "assert"):
                asked.add(child, _script_strength(child, names), guard)
                continue
            if names[-1:] == ("skip",) or names[:2] == ("t", "skip"):
                asked.skips.append(_text(child))
        _script_asks(child, asked, inner)


def _swallows(node: "Node") -> bool:
    handler = node.child_by_field_name("handler")
    return handler is not None and b"throw" not in (handler.text or b"") and b"expect" not in (handler.text or b"")


def _script_strength(node: "Node", names: tuple[str, ...]) -> Strength:
    last = names[-1]
    given = _arguments(node)
    if names[0] == "assert":
        if len(names) == 1 or last == "ok":
            return _NOTHING if given and given[0].type in _LITERALS else _EXISTENCE
        same = len(given) > 1 and given[0].text == given[1].text
        return _NOTHING if same else _MATCHERS.get(last, _EXACT)
    subject = _arguments(_innermost(node))
    if subject and (subject[0].type in _LITERALS or (given and subject[0].text == given[0].text)):
        return _NOTHING
    if given and b"anything()" in (given[0].text or b""):
        return _EXISTENCE
    if "not" in names:
        return _EXISTENCE
    if last in ("toThrow", "toThrowError", "throw"):
        return _EXACT if given else _RANGE
    return _MATCHERS.get(last, _EXACT)


def _callee(node: "Node") -> tuple[str, ...]:
    """Return the names of a chain of members and calls, the first one first: `it.each([…])(…)` is (it, each)."""
    if node.type in ("identifier", "property_identifier", "field_identifier"):
        return (_text(node),)
    if node.type == "call_expression":
        inner = node.child_by_field_name("function")
        return _callee(inner) if inner is not None else ()
    if node.type in ("member_expression", "selector_expression"):
        one = node.child_by_field_name("object") or node.child_by_field_name("operand")
        other = node.child_by_field_name("property") or node.child_by_field_name("field")
        return (*(_callee(one) if one is not None else ()), *(_callee(other) if other is not None else ()))
    if node.type == "await_expression" and node.named_children:
        return _callee(node.named_children[0])
    return ()


def _innermost(node: "Node") -> "Node":
    """Return the call that a chain begins with, `expect(…)`."""
    here = node
    while True:
        inner = here.child_by_field_name("function") or here.child_by_field_name("object")
        if inner is None or inner.type == "identifier":
            return here
        here = inner


def _arguments(node: "Node") -> list["Node"]:
    found = node.child_by_field_name("arguments")
    return list(found.named_children) if found is not None else []


def _function_in(node: "Node") -> "Node | None":
    return next((each for each in _arguments(node) if each.type in _FUNCTIONS), None)


def _title(node: "Node") -> str:
    given = _arguments(node)
    return _text(given[0]).strip("\"'`") if given else ""


def _table(node: "Node") -> int:
    """Return the number of rows that `each` gives a test."""
    inner = node.child_by_field_name("function")
    given = _arguments(inner) if inner is not None and inner.type == "call_expression" else []
    rows = given[0] if given else None
    return max(len(rows.named_children), 1) if rows is not None and rows.type == "array" else 1


def _go_tests(root: "Node") -> Iterator[TestCase]:
    tags = tuple(
        _text(each) for each in root.named_children if each.type == "comment" and _text(each).startswith("//go:build")
    )
    for node in root.named_children:
        title, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if node.type != "function_declaration" or title is None or body is None:
            continue
        name = _text(title)
        if not re.match(r"(?:Test|Fuzz|Example)(?![a-z])", name):
            continue
        asked = _FoundChecks()
        _go_asks(body, asked, "")
        skips, values = (*tags, *asked.skips), tuple(_values(body))
        yield TestCase(name, node.start_point[0] + 1, tuple(asked.assertions), asked.cases, skips, (), values)


def _go_asks(node: "Node", asked: _FoundChecks, condition: str) -> None:
    for child in node.named_children:
        inner = condition
        if child.type == "if_statement":
            found = child.child_by_field_name("condition")
            inner = _text(found) if found is not None else ""
        elif child.type == "composite_literal":
            asked.cases = max(asked.cases, _rows(child))
        elif child.type == "call_expression":
            names = _callee(child)
            if names[-1:] and names[-1] in _SKIPS_GO:
                asked.skips.append(f"{_text(child)} if {condition}" if condition else _text(child))
            elif len(names) == 2 and names[-1] in _ENDS_GO and names[0] in ("t", "tb", "b", "f"):
                text = f"if {condition}: {names[-1]}" if condition else names[-1]
                asked.assertions.append(Assertion(text, _go_strength(condition), child.start_point[0] + 1))
            elif len(names) == 2 and names[0] in ("assert", "require", "is"):
                asked.assertions.append(
                    Assertion(_text(child), _TESTIFY.get(names[1], _EXACT), child.start_point[0] + 1)
                )
        _go_asks(child, asked, inner)


def _go_strength(condition: str) -> Strength:
    """Return how much is asked by failing where a condition holds."""
    rules: Mapping[str, Strength] = {
        r"false|!true|\d+ == \d+": _NOTHING,
        r"!?\w+|.*[^!]==.*": _EXISTENCE,
        r".*(?:\blen\(|[<>]|Contains|HasPrefix|HasSuffix|MatchString).*": _RANGE,
    }
    return next((each for pattern, each in rules.items() if re.fullmatch(pattern, condition)), _EXACT)


def _rows(node: "Node") -> int:
    kind, body = node.child_by_field_name("type"), node.child_by_field_name("body")
    if kind is None or body is None or kind.type not in ("slice_type", "map_type", "array_type"):
        return 1
    return max(sum(each.type in ("literal_element", "keyed_element") for each in body.named_children), 1)


def _values(node: "Node") -> Iterator[str]:
    """Yield the texts and numbers below a node."""
    for child in node.named_children:
        if child.type in _VALUES:
            yield _text(child)
        else:
            yield from _values(child)


def _text(node: "Node") -> str:
    return " ".join((node.text or b"").decode("utf-8", "replace").split())
