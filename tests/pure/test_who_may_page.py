"""The page on who may run what is that of the program's own table."""

from tests.who_may_page import PAGE, with_parts


def test_the_page_has_the_table_of_the_program() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert page == with_parts(page), "python -m tests.who_may_page"
