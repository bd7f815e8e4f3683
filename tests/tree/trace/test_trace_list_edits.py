"""However an item's links are written, a change of one leaves everything else as it was, or is refused."""

from collections import Counter

from hypothesis import event, given, settings
from hypothesis import strategies as st

from verifflowcc.base.errors import FormatError
from verifflowcc.base.formats.front_matter_values import FieldList, FieldScalar, FieldTable, Value
from verifflowcc.items.rules.front_matter import split
from verifflowcc.items.rules.front_matter_list import ListEdit, entry
from verifflowcc.items.store.item_edits import edit_item_list, read_block, same_meaning

COMMENTS = ("# c", "# d", "# e", "# why", "# between")
NEW = FieldTable((("to", FieldScalar("NEED-new", True, 1)), ("relation", FieldScalar("refines", True, 1))), 1)
words = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=12)
spoken = st.one_of(words, st.sampled_from(["no", "null", "# c", "a: b", "it's", '"', "x # y", "- z", "[", "}", "ü"]))


@st.composite
def links(draw: st.DrawFn) -> FieldTable:
    """A link with some keys that vfcc knows and some that it does not."""
    keys = draw(st.lists(st.sampled_from(["mine", "note", "by", "on", "reason"]), unique=True))
    pairs = [("to", draw(st.sampled_from(["NEED-a", "NEED-b", "REQ 1"]))), ("relation", "refines")]
    pairs += [(key, draw(spoken)) for key in keys]
    return FieldTable(tuple((key, FieldScalar(value, False, 1)) for key, value in pairs), 1)


@st.composite
def files(draw: st.DrawFn) -> tuple[str, tuple[FieldTable, ...]]:
    """An item's file, its links written in one of the ways in which people write lists, with comments."""
    values = tuple(draw(st.lists(links(), max_size=4)))
    ways = ["flow", "lines", "block", "flow over lines"]
    lines = list(_written(draw, values, draw(st.sampled_from(ways)))) if values else ["links: []"]
    before = draw(st.lists(st.sampled_from(["# c", "", "id: REQ-x", "status: active"]), unique=True, max_size=3))
    after = draw(
        st.lists(
            st.sampled_from(["# d", "", "tags: [a, b]  # e", "mine:\n  - 1", "x: |\n  text"]), max_size=3, unique=True
        )
    )
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    text = "\n".join(["---", *before, *lines, *after, "---", "", "links: none", ""])
    return text.replace("\n", newline), values


def _written(draw: st.DrawFn, values: tuple[FieldTable, ...], way: str):  # type: ignore[no-untyped-def]
    tail = st.sampled_from(["", "", "  # why"])
    if way == "flow":
        yield f"links: [{', '.join(map(entry, values))}]{draw(tail)}"
    elif way == "flow over lines":
        yield "links: ["
        for value in values:
            yield f"    {entry(value)},{draw(tail)}"
        yield "  ]"
    else:
        indent = draw(st.sampled_from(["", "  ", "    "]))
        yield f"links:{draw(tail)}"
        for value in values:
            if draw(st.booleans()):
                yield f"{indent}# between"
            if way == "lines":
                yield f"{indent}- {entry(value)}{draw(tail)}"
            else:
                for number, (key, each) in enumerate(value.pairs):
                    yield f"{indent}{'- ' if not number else '  '}{key}: {entry(each)}{draw(tail)}"


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, tuple[FieldTable, ...], ListEdit]:
    """A file, and some of its links stamped, taken out or added."""
    text, values = draw(files())
    changed: dict[int, Value | None] = {}
    for index, value in enumerate(values):
        what = draw(st.sampled_from(["keep", "stamp", "take"]))
        if what != "keep":
            stamped = FieldTable((*value.pairs, ("fingerprint", FieldScalar("sha256:a.b/1/2", True, 1))), 1)
            changed[index] = stamped if what == "stamp" else None
    return text, values, ListEdit(changed, (NEW,) if draw(st.booleans()) else ())


@settings(deadline=None, max_examples=400)
@given(changes())
def test_a_change_of_links_leaves_all_else_as_it_was_or_is_refused(
    case: tuple[str, tuple[FieldTable, ...], ListEdit],
) -> None:
    text, values, change = case
    after = _after(text, change)
    if after is None:
        event("refused")
        assert "#" in (split(text).block or ""), "what could be no comment is not refused"
        return
    parts, was = split(after), split(text)

    assert (parts.body, parts.newline, parts.closing) == (was.body, was.newline, was.closing)
    table = read_block((parts.block or "").replace("\r\n", "\n"))
    found = dict(table.pairs).get("links")
    assert same_meaning(FieldList(change.on(values), 1), found if isinstance(found, FieldList) else FieldList((), 1))
    assert _comments(text) == _comments(after), "no comment is lost"
    kept = [line for line in _others(text) if line.strip()]
    assert kept == [line for line in _others(after) if line.strip()], "other lines are as they were"


def _after(text: str, change: ListEdit) -> str | None:
    """The changed text; None where it is refused because of a comment."""
    try:
        return edit_item_list("REQ-x.md", text.encode(), "links", lambda _: change).decode()
    except FormatError as error:
        if "comment" not in error.message:
            raise
        return None


def _comments(text: str) -> Counter[str]:
    """How often each of the comments that this test writes stands at the end of a line."""
    lines = (split(text).block or "").splitlines()
    return Counter(each for each in COMMENTS for line in lines if line.endswith(each))


def _others(text: str) -> list[str]:
    """The lines of keys other than the links."""
    starts = ("id:", "status:", "tags:", "mine:", "  - 1", "x:", "  text")
    return [line for line in (split(text).block or "").splitlines() if line.startswith(starts)]
