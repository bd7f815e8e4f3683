"""Which article stands before a word."""

import pytest

from verifflowcc.base.text.plain_words import with_article


@pytest.mark.parametrize(
    ("word", "said"), [("component", "a component"), ("interface", "an interface"), ("unit", "a unit")]
)
def test_the_article_follows_the_first_letter(word: str, said: str) -> None:
    assert with_article(word) == said
