"""The page of the item types says what the table says."""

from tests.item_types_page import PAGE, with_types


def test_the_page_has_the_table_of_types() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert page == with_types(page), "python -m tests.item_types_page"
