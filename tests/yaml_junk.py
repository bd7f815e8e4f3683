"""YAML of any nesting over a list of words: nothing that anybody means, and all of it to be refused or read."""

from hypothesis import strategies as st


def yaml_junk(words: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return flow-style YAML of lists and mappings over `words`."""
    return st.recursive(
        words,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
            st.lists(st.tuples(words, inner), max_size=4).map(
                lambda pairs: "{" + ", ".join(f"{key}: {value}" for key, value in pairs) + "}"
            ),
        ),
        max_leaves=12,
    )
