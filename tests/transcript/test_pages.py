"""What the README and the pages of `docs/` show is what the commands print."""

from pathlib import Path

import pytest

from tests.transcript.replay import answers, matches, replay, run, sessions

ROOT = Path(__file__).resolve().parents[2]
FETCHED = ROOT / "docs" / "tutorials" / "first-sprint.md"
"""It needs a package from the index, and is replayed in `test_whole_sprint.py`."""
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if page != FETCHED and any(True for _ in sessions(page.read_text(encoding="utf-8")))
]


@pytest.mark.sweep
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_shows_what_the_commands_print(page: Path, tmp_path: Path) -> None:
    wrong = replay(page.read_text(encoding="utf-8"), tmp_path)
    assert not wrong, "\n".join(wrong)


def test_the_readme_has_sessions() -> None:
    assert PAGES[0].name == "README.md"


def test_dots_stand_for_anything_but_the_rest_counts() -> None:
    assert matches("a … c\n…\nend", "a b c\nx\ny\nend")
    assert not matches("a … c", "a b d")
    assert not matches("a", "a\nb")


AT_A_TERMINAL = """\
<!-- replay: empty terminal -->
```console
$ read -p "Sure? [y/N]: " said; echo "$said"
Sure? [y/N]: y
y
$ test -t 0 && echo "a person"
a person
```

```console
$ test -t 1 && echo "still"
still
```
"""


def test_what_the_page_answers_is_typed_and_a_question_too_many_gets_nothing(tmp_path: Path) -> None:
    first, second = sessions(AT_A_TERMINAL)
    assert (first.terminal, second.terminal) == (True, True), "it lasts until a session begins anew"
    assert answers(first.steps[0].expected) == ["y"]

    assert replay(AT_A_TERMINAL, tmp_path) == []
    assert run('read -p "Still? [y/N]: " said || echo "no answer"', tmp_path, []).endswith("no answer")


def test_enter_takes_the_default_in_brackets(tmp_path: Path) -> None:
    line = 'read -p "Which [light]: " a; read -p "Title [none]: " b; echo "$a.$b"'
    page = (
        f"<!-- replay: empty terminal -->\n```console\n$ {line}\nWhich [light]: ⏎\nTitle [none]: A bug\n.A bug\n```\n"
    )

    assert replay(page, tmp_path) == []


def test_without_that_word_nobody_sits_there(tmp_path: Path) -> None:
    page = AT_A_TERMINAL.replace(" terminal", "").replace('"Sure? [y/N]: "', "x")

    assert not any(session.terminal for session in sessions(page))
    assert run("test -t 0 || echo nobody", tmp_path) == "nobody"


def test_the_whole_sprint_takes_a_person_at_most_25_commands() -> None:
    steps = [step for each in sessions(FETCHED.read_text(encoding="utf-8")) if not each.agent for step in each.steps]

    assert len(steps) <= 25
    assert [step for step in steps if "VFCC_AGENT" in step.command] == []
