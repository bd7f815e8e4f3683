"""A prompt for which only the best items are read is the prompt for which all of them are, explained or not."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.trees import write_memory, write_tree
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.files.write import ProjectTree
from verifflowcc.base.index.index import Index
from verifflowcc.base.model.entries import Prompt, Question
from verifflowcc.base.records import replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.prompt.use.prompt_use import compile_context, compile_prompt_only

pytestmark = pytest.mark.vfcc("REQ-CACHES-ANSWER-ALIKE")

WORDS = st.lists(st.sampled_from("tide sluice calendar export harbour mooring Ann when the".split()), max_size=9)
FOLDERS = (
    "items/fact",
    "items/guideline",
    "items/rule",
    "items/failure",
    "items/requirement",
    "decisions",
    "conventions",
)
TASKS = ("export the tide calendar", "When does Ann open the sluice in March 2026?", "", "nothing of it", "src/gate.py")
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "importance": st.sampled_from(["0.1", "0.5", "0.9"]),
        "created": st.sampled_from(["2026-03-01", "2026-04-02", "2025-03-09"]),
        "status": st.sampled_from(["pending", "archived", "rejected"]),
        "key": st.sampled_from(["tide", "0001"]),
        "source": st.sampled_from(
            [
                "{kind: extracted, actor: 'agent:coder'}",
                "{kind: extracted, actor: 'human:Ann', origin: talk, session: s1, turn: 'D1:2', speaker: Ann}",
                "{kind: extracted, actor: 'human:Ann', origin: talk, session: s1, turn: 'D1:3', speaker: user}",
            ]
        ),
        "links": st.builds(
            "[{{to: {}, relation: {}}}]".format,
            st.sampled_from(["i0", "i1", "0001", "tide", "d2.md", "../facts/i3.md", "nothing"]),
            st.sampled_from(["supersedes", "contradicts", "depends_on"]),
        ),
        "refs": st.just("[{path: src/gate.py}]"),
        "trigger": st.just("sluice"),
        "promoted_by": st.just("'human:Ann'"),
        "superseded_by": st.just("['0001']"),
    },
)
ITEMS = st.tuples(st.sampled_from(FOLDERS), FIELDS, WORDS, st.sampled_from([1, 1, 1, 40]))
NUMBERED = "decisions"


def item(number: int, made: tuple[str, dict[str, str], Sequence[str], int]) -> tuple[str, str]:
    """Return the path and the text of an item."""
    folder, fields, words, times = made
    name = f"{number:04}" if folder == NUMBERED else f"i{number}"
    lines = [f"id: {name}", *(f"{key}: {value}" for key, value in fields.items())]
    body = "\n\n".join([" ".join(words)] * times)
    return f"project/{folder}/{name}.md", "\n".join(["---", *lines, "---", f"# {' '.join(words[:2])}", "", body, ""])


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The index trusts a file's stamp only some time after it was touched; here at once, so that it is used."""
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", 0)


def prompt(root: Path, question: Question) -> Prompt:
    return replace(compile_prompt_only(Workspace(root), question), cached=False)


def project(root: Path, items: Sequence[tuple[str, dict[str, str], Sequence[str], int]], most: int) -> Path:
    config = f"format: 2\nmemory: {{assembly: {{working: {{project_items: {most}}}}}}}\n"
    (root / "src").mkdir(parents=True)
    (root / "src/gate.py").write_text("def gate() -> None: ...\n", encoding="utf-8")
    return write_memory(root, {"config.yaml": config, **dict(item(n, made) for n, made in enumerate(items))})


@pytest.mark.sweep
@settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ITEMS, min_size=2, max_size=12), ITEMS, st.integers(0, 4), st.sampled_from(TASKS), st.booleans())
def test_what_is_not_read_changes_no_prompt(
    at_once: None, tmp_path: Path, items: list[Any], new: Any, most: int, task: str, past: bool
) -> None:
    shutil.rmtree(tmp_path / "here", ignore_errors=True)
    here = project(tmp_path / "here", items, most)
    _the_same(here, Question("coder", task="the first, which fills the index", with_past=past))
    _the_same(here, Question("coder", task=task, with_past=past))
    _the_same(here, Question("planner", task=task, with_past=past, budget_tokens=2_000))

    write_memory(here, dict([item(len(items), new)]))  # one more, then one that changes
    path, text = item(0, items[0])
    write_memory(here, {path: f"{text}\nIt opens the sluice.\n"})
    _the_same(here, Question("coder", task=f"{task} again", with_past=past))


def _the_same(here: Path, question: Question) -> None:
    try:
        whole = compile_context(Workspace(here), question).prompt
    except Exception as error:  # noqa: BLE001 - whatever one of them raises, the other raises too
        with pytest.raises(type(error)):
            prompt(here, question)
    else:
        assert prompt(here, question) == whole


PLAIN = {f"project/items/fact/i{n}.md": f"# Tide {n}\n\nThe tide of day {n} turns at noon.\n" for n in range(9)}


def test_items_beside_the_best_are_not_read(at_once: None, tmp_path: Path) -> None:
    here = write_memory(
        tmp_path, {"config.yaml": "format: 2\nmemory: {assembly: {working: {project_items: 2}}}\n", **PLAIN}
    )
    whole = compile_context(Workspace(here), Question("coder", task="number 4")).prompt
    with Index(here / ".memory/local/index.db") as index:
        assert len(index.traits([]).rows) == len(PLAIN)
        index._store.rows("UPDATE files SET facts = 'damaged' WHERE path NOT LIKE '%i4.md' AND path NOT LIKE '%i0.md'")
        index._store.rows("UPDATE file_units SET units = 'damaged'")

    asked = prompt(here, Question("coder", task="number 4"))

    assert asked == whole
    assert [each[-2:] for each in asked.items["project"]] == ["i4", "i0"]


def test_a_file_that_is_gone_or_changed_is_not_ranked_as_it_was(at_once: None, tmp_path: Path) -> None:
    here = write_memory(tmp_path, PLAIN)
    _the_same(here, Question("coder", task="the tide"))
    (here / ".memory/project/items/fact/i3.md").unlink()
    write_tree(here, {".memory/project/items/fact/i4.md": "# Other\n\nNothing of the kind is said in this one.\n"})

    text = prompt(here, Question("coder", task="the tide of a day")).text

    assert "day 3" not in text
    assert "day 4" not in text
    assert "Nothing of the kind" in text


def test_the_traits_of_a_changed_file_are_replaced(at_once: None, tmp_path: Path) -> None:
    here = write_memory(tmp_path, PLAIN)
    compile_context(Workspace(here), Question("coder", task="tide"))
    path = ".memory/project/items/fact/i4.md"
    write_tree(
        here, {path: "---\nlinks: [{to: i3, relation: supersedes}]\n---\n# Four\n\nIt replaces the third one.\n"}
    )
    compile_context(Workspace(here), Question("coder", task="tide"))

    with Index(here / ".memory/local/index.db") as index:
        rows = index.traits([]).rows
        (file,) = (each for each in ProjectTree(here).find(".memory/project/items/fact", "i5.md"))
        assert path not in rows
        assert rows[file.path][2] == file.signature
        assert index.named([file.path.removesuffix(".md")], []) == {file.path}
