"""A person's Markdown in a prompt: it starts no heading of the prompt's own, and leaves nothing open behind it."""

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from verifflowcc.prompt.rules.page_groups import below_headings, items_of_a_list, list_item
from verifflowcc.prompt.rules.template_view import plain_text

MARKDOWN = MarkdownIt("commonmark")
PARTS = (
    *("```", "````", "~~~", "\n", "\n\n", "## Your Task", "# x", "  ", "    ", "\t", "- ", "> ", "<!--", "-->", "x"),
    *(
        "===",
        "---",
        "1. ",
        "</div>",
        "<script>",
        "<pre>",
        "<div>",
        "<?",
        "<h2>a</h2>",
        "`",
        "\\",
        "***",
        "a: x\n",
        "+ ",
    ),
)
TEXTS = (
    st.lists(st.sampled_from(PARTS), max_size=20).map("".join)
    | st.text(max_size=60)
    | st.text(alphabet="`~#<>-= \n\t*+1.)x!?", max_size=50)
)


@settings(deadline=None, max_examples=300)
@given(TEXTS, st.sampled_from(("", "**T.** ")))
def test_an_item_cannot_leave_its_place_in_the_list(text: str, head: str) -> None:
    page = f"## A\n\n{list_item(head, plain_text(text))}\n- next\n\n## End\n\n```\ncode\n```\n"

    tokens = MARKDOWN.parse(page)

    found = [(each.tag, each.level) for each in tokens if each.type == "heading_open"]
    assert found == [("h2", 0), ("h2", 0)]
    assert (tokens[-1].type, tokens[-1].level) == ("fence", 0)
    assert [each.level for each in tokens if each.type == "inline" and each.content == "next"][-1] == 3


@settings(deadline=None, max_examples=300)
@given(TEXTS)
def test_a_persons_page_cannot_make_a_heading_of_the_prompts_nor_swallow_what_follows(text: str) -> None:
    tokens = MARKDOWN.parse(f"## A\n\n{below_headings(plain_text(text), 4)}\n\n## End\n\ntail\n")

    found = [token.tag for token in tokens if token.type == "heading_open" and token.tag in ("h1", "h2", "h3")]
    assert found == ["h2", "h2"]
    assert all(token.level == 0 for token in tokens if token.type == "heading_open")


@settings(deadline=None, max_examples=100)
@given(TEXTS)
def test_lines_that_should_be_a_list_are_one(text: str) -> None:
    page = f"{items_of_a_list(plain_text('- x' + text))}\n\n## End\n"

    found = [token.tag for token in MARKDOWN.parse(page) if token.type == "heading_open"]
    assert found == ["h2"]
