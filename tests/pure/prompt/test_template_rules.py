"""Which prompt templates are accepted: each hostile one is refused with file and line, each honest one is not."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pure.prompt_templates import PARTIALS, SHIPPED
from verifflowcc.base.errors import TemplateError
from verifflowcc.prompt.rules.template_expressions import (
    FILTERS,
    LOOP,
    MAX_LITERAL_CHARS,
    MAX_LOOPS,
    MAX_NODES,
    MAX_NUMBER_DIGITS,
    MAX_STRING_CHARS,
    MAX_TAG_TOKENS,
    attributes,
)
from verifflowcc.prompt.rules.template_rules import check_template, compile_template
from verifflowcc.prompt.rules.template_view import EntryView, LayerView, PromptView, SprintView, StageView, entry_view

pytestmark = pytest.mark.vfcc("REQ-TEMPLATES")

REFUSED = {
    "addition": (3, "arithmetic is not allowed"),
    "and_chain": (3, "one tag has at most 60 words and signs"),
    "async_for": (3, "the tag `async` is not allowed"),
    "attr_filter": (3, "the filter `attr` is not allowed"),
    "attribute_chain": (3, "one tag has at most 60 words and signs"),
    "attribute_of_condition": (3, "attributes are read from supplied values only"),
    "attribute_of_line": (3, "`name` is asked of a value that has no attributes"),
    "autoescape_tag": (3, "the tag `autoescape` is not allowed"),
    "block": (3, "the tag `block` is not allowed"),
    "break_tag": (2, "the tag `break` is not allowed"),
    "call_block": (3, "the tag `call` is not allowed"),
    "caller": (3, "calls are not allowed"),
    "carriage_returns": (3, "calls are not allowed"),
    "center_constant": (3, "the filter `center` is not allowed"),
    "center_huge_number": (3, "a number has at most 6 digits"),
    "class_mro": (3, "`__class__` is asked of a value that has no attributes"),
    "compare_bodies": (2, "bodies of text, lists and records cannot be compared"),
    "compare_mixed": (3, "`<` and `>` compare two lines or two numbers"),
    "comparison_chain": (3, "one tag has at most 60 words and signs"),
    "concat": (3, "`~` is not allowed"),
    "condition_chain": (3, "one tag has at most 60 words and signs"),
    "condition_without_else": (3, "`a if b` needs its `else`"),
    "constant_huge": (3, "a constant text has at most 200 characters"),
    "cycler": (3, "calls are not allowed"),
    "debug_tag": (3, "the tag `debug` is not allowed"),
    "dict_call": (3, "calls are not allowed"),
    "dict_literal": (3, "dictionaries are not allowed"),
    "do_tag": (3, "the tag `do` is not allowed"),
    "empty_tuple_class": (3, "calls are not allowed"),
    "entry_dunder": (2, "there is no attribute `__init__`"),
    "escaped_unicode_name": (3, "in a constant, `\\` is allowed only before n, t, a quote or another `\\`"),
    "expression_empty": (3, "Expected an expression, got 'end of print statement'"),
    "extends": (3, "the tag `extends` is not allowed"),
    "filter_argument_value": (3, "`join` is not used so"),
    "filter_batch": (3, "the filter `list` is not allowed"),
    "filter_block": (3, "the tag `filter` is not allowed"),
    "filter_chain": (3, "one tag has at most 60 words and signs"),
    "filter_indent": (3, "the filter `indent` is not allowed"),
    "filter_map": (3, "the filter `map` is not allowed"),
    "filter_misspelt": (3, "the filter `uper` is not allowed"),
    "filter_on_body": (2, "`upper` takes lines only"),
    "filter_pprint": (3, "the filter `pprint` is not allowed"),
    "filter_replace": (3, "the filter `replace` is not allowed"),
    "filter_safe": (3, "the filter `safe` is not allowed"),
    "filter_select": (3, "the filter `list` is not allowed"),
    "filter_sort": (3, "the filter `sort` is not allowed"),
    "filter_tojson": (3, "the filter `tojson` is not allowed"),
    "filter_unpacked_arguments": (3, "`default` is not used so"),
    "filter_wordwrap": (3, "the filter `wordwrap` is not allowed"),
    "float_overflow": (3, "numbers with a fraction or an exponent are not allowed"),
    "format_filter": (3, "the filter `format` is not allowed"),
    "format_method": (3, "calls are not allowed"),
    "format_percent": (3, "arithmetic is not allowed"),
    "from_import": (3, "the tag `from` is not allowed"),
    "if_nested_1200": (11, "`if` and `for` nest at most 8 deep"),
    "import": (3, "the tag `import` is not allowed"),
    "include_absolute": (3, "there is no partial `/etc/passwd`"),
    "include_concatenated": (3, "`include` takes one name in quotes and nothing else"),
    "include_doubling": (1, "a template has at most 4,000 parts, partials included"),
    "include_ignore_missing": (3, "`include` takes one name in quotes and nothing else"),
    "include_itself": (3, "in loops/self.md.j2:1: includes nest at most 4 deep"),
    "include_list": (3, "`include` takes one name in quotes and nothing else"),
    "include_misses_entry": (3, "in partials/entry.md.j2:11: there is no value `entry` here; did you mean `agent`?"),
    "include_parent": (3, "there is no partial `../../../config.yaml`"),
    "include_variable": (3, "`include` takes one name in quotes and nothing else"),
    "include_without_context": (3, "`include` takes one name in quotes and nothing else"),
    "integer_of_5000_digits": (3, "a number has at most 6 digits"),
    "integer_overflow": (3, "a number has at most 6 digits"),
    "join_entries": (3, "`join` takes lists of lines only"),
    "joiner": (3, "calls are not allowed"),
    "lipsum": (3, "calls are not allowed"),
    "list_literal": (3, "lists are not allowed"),
    "literal_text_huge": (1, "a template has at most 32,768 characters of its own text"),
    "loop_called": (2, "calls are not allowed"),
    "loop_changed": (2, "calls are not allowed"),
    "loop_cycle": (2, "calls are not allowed"),
    "loop_in_own_condition": (2, "there is no value `loop`"),
    "loop_outside": (3, "there is no value `loop`"),
    "loop_over_condition": (3, "`for` goes through supplied lists only"),
    "loop_over_constant": (3, "`for` goes through supplied lists only"),
    "loop_over_filter": (3, "`for` goes through supplied lists only"),
    "loop_over_number": (3, "a number has at most 6 digits"),
    "loop_over_slice": (3, "`for` goes through supplied lists only"),
    "loop_over_text": (3, "`for` goes through lists"),
    "loop_over_tuple": (3, "`for` goes through supplied lists only"),
    "loop_previous_item": (2, "there is no attribute `previtem`"),
    "loop_recursive": (3, "`recursive` is not allowed"),
    "loop_unpacking": (3, "a loop has one variable"),
    "loop_variable_dunder": (3, "`__x` cannot be a loop's variable"),
    "loop_variable_shadows": (3, "`task` cannot be a loop's variable"),
    "loops_three_deep": (3, "`for` goes through lists"),
    "loops_too_many": (35, "a template has at most 32 loops, partials included"),
    "macro": (3, "the tag `macro` is not allowed"),
    "minus_chain": (3, "one tag has at most 60 words and signs"),
    "namespace": (3, "calls are not allowed"),
    "negative": (3, "arithmetic is not allowed"),
    "nodes_too_many": (1, "a template has at most 4,000 parts, partials included"),
    "not_chain": (3, "one tag has at most 60 words and signs"),
    "nul_character": (3, "a template is text"),
    "parentheses_10000": (3, "brackets nest at most 4 deep"),
    "power": (3, "arithmetic is not allowed"),
    "print_default_list": (3, "a whole list cannot be printed"),
    "print_list": (3, "a whole list cannot be printed"),
    "print_record": (3, "a whole record cannot be printed"),
    "print_tag": (3, "the tag `print` is not allowed"),
    "range_call": (3, "a number has at most 6 digits"),
    "range_printed": (3, "calls are not allowed"),
    "raw": (3, "the tag `raw` is not allowed"),
    "repeat_string": (3, "arithmetic is not allowed"),
    "same_list_twice": (2, "a loop within a loop goes through a list of `a`, not of the whole prompt"),
    "self_reference": (3, "calls are not allowed"),
    "set": (3, "the tag `set` is not allowed"),
    "set_block": (3, "the tag `set` is not allowed"),
    "set_doubling": (1, "the tag `set` is not allowed"),
    "single_underscore": (3, "there is no attribute `_id`"),
    "slice_text": (3, "brackets after a value are not allowed"),
    "source_huge": (1, "a template has at most 65,536 bytes"),
    "string_class": (3, "attributes are read from supplied values only"),
    "string_method": (3, "calls are not allowed"),
    "string_replace": (3, "calls are not allowed"),
    "subscript_escaped": (3, "in a constant, `\\` is allowed only before n, t, a quote or another `\\`"),
    "subscript_number": (3, "attributes are read from supplied values only"),
    "subscript_string": (3, "brackets after a value are not allowed"),
    "super_call": (1, "the tag `block` is not allowed"),
    "syntax_error": (3, "expected token 'end of print statement', got 'task'"),
    "tag_empty": (3, "tag name expected"),
    "test_callable": (3, "`is callable` is not allowed"),
    "test_with_call": (3, "`is defined` is not allowed"),
    "trans_tag": (3, "the tag `trans` is not allowed"),
    "tuple_literal": (3, "lists in parentheses are not allowed"),
    "unbalanced_brackets": (3, "unexpected ']', expected ')'"),
    "unclosed_block": (4, "Unexpected end of template. Jinja was looking for the following tags"),
    "unclosed_brackets": (3, "brackets nest at most 4 deep"),
    "unclosed_comment": (3, "Missing end of comment tag"),
    "unclosed_output": (3, "unexpected end of template, expected 'end of print statement'."),
    "unclosed_string": (3, 'unexpected char "\'" at 13'),
    "unknown_attribute": (2, "there is no attribute `txt`"),
    "unknown_tag": (3, "the tag `fro` is not allowed"),
    "unknown_test": (3, "`is divisibleby` is not allowed"),
    "unknown_variable": (3, "there is no value `project_entrys`"),
    "unknown_view": (3, "there is no value `view`"),
    "varargs": (3, "there is no value `varargs`"),
    "whole_list_inside_inner_attribute": (
        2,
        "a loop within a loop goes through a list of `layer`, not of the whole prompt",
    ),
    "with_tag": (3, "the tag `with` is not allowed"),
    "wrong_end": (4, "Encountered unknown tag 'endfor'. Jinja was looking for the following tags"),
}

FOLDER = Path(__file__).parents[1] / "hostile_templates"
SELF = {"loops/self.md.j2": "{% include 'loops/self.md.j2' %}\n"}
BOMB = {
    "bomb/0.md.j2": "{% include 'bomb/1.md.j2' %}\n" * 100,
    "bomb/1.md.j2": "{% include 'bomb/2.md.j2' %}\n" * 100,
    "bomb/2.md.j2": "{% include 'bomb/3.md.j2' %}\n" * 100,
    "bomb/3.md.j2": "{{ task }}\n" * 100,
}
FRAGMENTS = [
    *("{{ agent }}", "{{ task|length }}", "{{ sprint.title }}", "{{ sprint.goals|join(', ') }}", "{{ e.text }}"),
    *(
        "{{ loop.index }}",
        "{% if sprint %}",
        "{% elif task %}",
        "{% else %}",
        "{% endif %}",
        "{{ stage.pair is none }}",
    ),
    *("{% if e.trust == 'human' and not e.trimmed %}", "{% for e in project_entries %}", "{% for l in layers %}"),
    *("{% for e in l.entries if loop.first %}", "{% endfor %}", "{% include 'partials/entry.md.j2' %}"),
    *("{% for entry in user_entries %}", "{% include 'partials/task.md.j2' %}", "{{ (agent or title)|upper }}"),
    *("{{ 'a' if stage else 'b' }}", "{# note #}", "text\n", "{%- ", "{{ layers }}", "{{ x }}", "{{", "}}", "'"),
    *("{% set a = 1 %}", "{{ range(3) }}", "{% raw %}", "{{ 1 + 1 }}", "\r\n", "{{ 7 }}"),
]
REPEATED = ["{{ ", "{% if ", "(", "[", "{", "not ", "-", "task", " if ", " else ", " and ", ".a", "|upper", "'"]
GUIDE = Path(__file__).parents[3] / "docs" / "how-to" / "prompt-templates.md"
VIEWS = (PromptView, EntryView, SprintView, StageView, LayerView)
GOOD = {path.name: path.read_text(encoding="utf-8") for path in sorted(FOLDER.with_name("good_templates").iterdir())}
LINE = re.compile(r"t\.md\.j2:(\d+:| and \d+ more)")


def problems(source: str, name: str = "t.md.j2", partials: Mapping[str, str] = PARTIALS) -> list[str]:
    """Return the problems that the check tells, one a line; none where the template is accepted."""
    try:
        check_template(source, name, partials)
    except TemplateError as error:
        return error.message.splitlines()
    return []


def hostile(name: str) -> str:
    return (FOLDER / f"{name}.md.j2").read_bytes().decode()


def test_an_attribute_has_its_earlier_name_too() -> None:
    source = "{% for entry in project_entries %}{{ entry.standing }}; {{ entry.invalid_reason }}{% endfor %}\n"
    view = PromptView("coder", project_entries=(entry_view("a.md", "x", source="a.md", invalid_reason="replaced"),))

    assert compile_template(source, "t.md.j2", PARTIALS).render(view, 1000) == "replaced; replaced\n"
    with pytest.raises(AttributeError):
        view.project_entries[0].other  # noqa: B018


@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_template_is_refused_with_file_and_line(name: str) -> None:
    line, phrase = REFUSED[name]

    found = problems(hostile(name), f"{name}.md.j2", {**PARTIALS, **SELF, **BOMB})

    assert found, "accepted"
    assert found[0].startswith(f"{name}.md.j2:{line}: ")
    assert phrase in found[0]


def test_every_hostile_template_is_in_the_table() -> None:
    assert {path.name.removesuffix(".md.j2") for path in FOLDER.iterdir()} == set(REFUSED)
    assert len(REFUSED) >= 60


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_template_is_accepted(name: str) -> None:
    assert problems(SHIPPED[name], name) == []


@pytest.mark.parametrize("name", GOOD)
def test_a_template_as_a_team_would_write_it_is_accepted(name: str) -> None:
    assert problems(GOOD[name]) == []


def test_all_problems_of_a_template_are_told_at_once() -> None:
    source = (
        "{% set a = 1 %}\n{{ a }}\n{{ range(3) }}\n{{ agnt }}\n{{ task ~ task }}\n{% if agent|center %}x{% endif %}\n"
    )

    assert [problem.split(": ")[0] for problem in problems(source)] == [f"t.md.j2:{line}" for line in (1, 3, 4, 5, 6)]


def test_many_problems_are_cut_with_their_number() -> None:
    found = problems("{{ range(3) }}\n" * 100)

    assert len(found) == 21
    assert found[-1] == "t.md.j2: and 80 more"


def test_a_refusal_names_what_is_allowed_and_the_nearest_name() -> None:
    (problem,) = problems("{{ agent|lenght }}")
    assert problem.startswith("t.md.j2:1: the filter `lenght` is not allowed; allowed: default, join, length, lower, ")
    assert problem.endswith("; did you mean `length`?")
    assert problems("{{ sprint.titel }}") == ["t.md.j2:1: there is no attribute `titel` here; did you mean `title`?"]


def test_what_a_partial_lacks_is_told_at_the_include() -> None:
    partials = {"partials/p.md.j2": "ok\n{{ entry.key }}\n"}

    assert problems("\n{% include 'partials/p.md.j2' %}\n", partials=partials) == [
        "t.md.j2:2: in partials/p.md.j2:2: there is no value `entry` here; did you mean `agent`?"
    ]


def test_loops_in_a_partial_count_where_it_is_included() -> None:
    partials = {"p": "{% for x in user_entries %}\n{{ x.key }}\n{% endfor %}\n"}

    assert problems("{% include 'p' %}", partials=partials) == []
    (problem,) = problems("{% for e in project_entries %}{% include 'p' %}{% endfor %}", partials=partials)
    assert "a loop within a loop goes through a list of `e`" in problem


def test_a_loop_may_go_through_a_list_of_the_item_around_it_only() -> None:
    inner = "{% for e in layer.entries %}{{ e.key }}{% endfor %}"

    assert problems("{% for layer in layers %}" + inner + "{% endfor %}") == []
    assert problems("{% for layer in layers %}" + inner * 2 + "{% endfor %}") == []


def test_loops_nest_twice_whatever_they_go_through() -> None:
    found = problems(hostile("loops_three_deep"))

    assert "t.md.j2:3: loops nest at most 2 deep" in found


def test_the_templates_in_the_documentation_are_accepted() -> None:
    examples = re.findall(r"^```jinja\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)

    assert len(examples) >= 3
    assert [problems(example) for example in examples] == [[]] * len(examples)


def test_the_documentation_lists_every_name_filter_and_limit() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    names = {name for view in VIEWS for name in attributes(view)} | set(LOOP) | set(FILTERS) | set(PARTIALS)

    assert [name for name in sorted(names) if f"`{name}`" not in guide] == []
    for limit in (MAX_LITERAL_CHARS, MAX_NODES, MAX_LOOPS, MAX_TAG_TOKENS, MAX_STRING_CHARS, MAX_NUMBER_DIGITS):
        assert f"{limit:,}" in guide


@given(st.text(max_size=200) | st.lists(st.sampled_from(FRAGMENTS), max_size=20).map("".join))
@settings(deadline=None, max_examples=300)
def test_any_text_is_accepted_or_refused_and_an_accepted_one_renders(source: str) -> None:
    view = PromptView("coder", project_entries=(entry_view("a.md", "text", source="a.md"),))
    text, told = "\n", "t.md.j2:1: nothing"
    try:
        text = compile_template(source, "t.md.j2", PARTIALS).render(view, 10_000)
    except TemplateError as error:
        told = error.message

    assert text.endswith("\n")
    assert all(LINE.match(line) for line in told.splitlines())


@given(st.sampled_from(REPEATED), st.integers(1, 20_000))
@settings(deadline=None, max_examples=40)
def test_repetition_cannot_exhaust_the_stack(fragment: str, times: int) -> None:
    run = fragment * times
    for source in (run, "{{ " + run, "{{ " + run + " }}", "{% if " + run + " %}"):
        assert all(LINE.match(problem) for problem in problems(source))
