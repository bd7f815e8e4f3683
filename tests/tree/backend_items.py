"""Items for the tests of backends."""

from hypothesis import strategies as st

from verifflowcc.base.formats.item_render import scalar
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.memory.store.placing import folder_of, home_path, stored_item


def make(
    name: str, scope: str = "project", *, type: str = "fact", body: str = "Something.\n", **fields: str
) -> StoredItem:
    """Return an item whose file says these fields, each as written, where a file of that scope would be."""
    lines = "".join(f"{key}: {value}\n" for key, value in fields.items())
    text = f"---\nid: {scalar(name)}\ntype: {type}\n{lines}---\n{body}"
    return stored_item(home_path(folder_of(scope), type, name), text.encode())


def texts_of_files() -> st.SearchStrategy[str]:
    """Texts that a file may have: any characters, any newlines, a mark at the beginning, comments and unknown keys."""
    any_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)
    lines = st.lists(
        st.sampled_from(
            [
                *("# a comment", "title: 'It''s'", "team:  Core   # who", "tags: [a,b ,c]", "importance: high"),
                *(
                    "links:",
                    "  - {to: x, relation: supersedes}",
                    "unknown: {a: [1, 2]}",
                    "note: |",
                    "  two",
                    "  lines",
                    "",
                ),
            ]
        )
    )
    newline = st.sampled_from(["\n", "\r\n", "\r"])
    mark = st.sampled_from(["", "\ufeff"])
    with_matter = st.builds(
        lambda mark, lines, newline, text, end: (
            f"{mark}---{newline}{newline.join(lines)}{newline}---{newline}{text}{end}"
        ),
        mark,
        lines,
        newline,
        any_text,
        st.sampled_from(["", "\n", "\r\n", "\n\n\n", " \t\n"]),
    )
    return st.one_of(any_text, with_matter)
