"""The index of recall answers as one that is built from nothing, whatever was done to the items before."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.recalled_world import anew, answer, home, keep, made, project, remember
from verifflowcc.base.errors import ConflictError
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.use import search_fields as finding
from verifflowcc.memory.use.stores import open_store

pytestmark = pytest.mark.vfcc("REQ-READ-LEXICAL", "REQ-CACHES-ANSWER-ALIKE")

NAMES = st.sampled_from([f"i{number}" for number in range(6)])
TYPES = st.sampled_from(["fact", "decision", "failure"])
WORDS = st.sampled_from(
    ["tide", "gate", "sluice gate", "tide tide lock", "the RateLimiter", "Ann?", "last week", "数据"]
)
FIELDS = st.sampled_from(
    [
        {},
        {"status": "pending"},
        {"status": "archived"},
        {"key": "k"},
        {"title": "Tide gate"},
        {"tags": "[tide, lock]"},
        {"importance": "0.9"},
        {"refs": "[{path: src/app.py}]"},
        {"created": "2026-01-05"},
        *(
            {"source": f"{{session: s1, origin: talk, turn: D{turn}, speaker: {who}}}"}
            for turn, who in ((1, "Ann"), (1, "Bob"), (2, "Ann"), (3, "Bob"))
        ),
        *(
            {"links": f"[{{to: {to}, relation: {relation}}}]"}
            for relation in ("supersedes", "depends_on")
            for to in ("i0", "i1", "k", "i2.md", ".memory/project/items/fact/i3.md")
        ),
    ]
)
QUESTIONS = ("tide", "sluice gate lock", "When did Ann meet the RateLimiter?", "filler", "数据 decision")
HEADINGS = "".join(f"\n\n# Part {number}\n\n{'filler ' * 130}{word}" for number, word in enumerate(["tide", "gate"]))


class Searched(RuleBasedStateMachine):
    """A project's items, searched in between; in the end the answers are those of an index built from nothing."""

    here: Workspace

    @initialize(few=st.booleans())
    def begin(self, few: bool) -> None:
        """Few candidates, so that which of many alike are looked at matters too."""
        finding.CANDIDATES = 2 if few else 300
        self.turn = 0
        for scope in ("project", "user"):
            with open_store(self.here, scope) as store:
                store.clear()

    def text(self, words: str, long: bool) -> str:
        """Return a text of a length that no other has: no stamp is that of another text."""
        self.turn += 1
        return f"{words} {'x' * self.turn}{HEADINGS if long else ''}"

    @rule(name=NAMES, kind=TYPES, words=WORDS, fields=FIELDS, long=st.booleans())
    def put(self, name: str, kind: str, words: str, fields: dict[str, str], long: bool) -> None:
        with suppress(ConflictError):
            keep(self.here, made(name, self.text(words, long), kind, **fields))

    @rule(name=NAMES, words=WORDS)
    def put_of_the_person(self, name: str, words: str) -> None:
        remember(self.here, name, self.text(words, long=False), scope="user")

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        with open_store(self.here, "project") as store:
            store.delete(name)

    @rule(name=NAMES, kind=TYPES)
    def move(self, name: str, kind: str) -> None:
        """Give an item another type, and so another file."""
        with open_store(self.here, "project") as store:
            there = store.get(name)
            store.delete(name)
        if there is not None:
            with suppress(ConflictError):
                keep(self.here, made(name, self.text(there.body.strip()[:20], long=False), kind))

    @rule(name=NAMES, status=st.sampled_from(["active", "archived", "pending"]))
    def set_status(self, name: str, status: str) -> None:
        with open_store(self.here, "project") as store:
            there = store.get(name)
        if there is not None:
            keep(self.here, made(name, self.text("gate", long=False), there.item.type, status=status))

    @rule()
    def clear(self) -> None:
        with open_store(self.here, "project") as store:
            store.clear()

    @rule(text=st.sampled_from(QUESTIONS), everything=st.booleans())
    def search(self, text: str, everything: bool) -> None:
        answer(self.here, text, everything=everything)

    @rule()
    def search_the_project_alone(self) -> None:
        answer(self.here, "tide", "project")

    @rule(everything=st.booleans())
    def compare(self, everything: bool) -> None:
        grown = [answer(self.here, text, everything=everything) for text in QUESTIONS]
        assert grown == anew(self.here, QUESTIONS, everything=everything)
        assert all(score > 0 for each in grown for _, _, score, _ in each)

    def teardown(self) -> None:
        if hasattr(self, "turn"):
            self.compare(everything=True)


class SearchedFiles(Searched):
    """Files, which people edit by hand."""

    @rule(name=NAMES, kind=TYPES, words=WORDS)
    def edit(self, name: str, kind: str, words: str) -> None:
        stored = made(name, self.text(words, long=False), kind)
        path = self.here.root / stored.item.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(stored.text, encoding="utf-8")

    @rule(name=NAMES)
    def edit_without_fields(self, name: str) -> None:
        path = self.here.root / f".memory/project/decisions/000{name[1]}-tide.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        status = f"Superseded by [{name}](000{(int(name[1]) + 1) % 6}-tide.md)"
        text = f"# {name[1]}. Tide\n\n## Status\n\n{status}\n\n{self.text('lock', long=False)}\n"
        path.write_text(text, encoding="utf-8")

    @rule(name=NAMES, kind=TYPES)
    def break_it(self, name: str, kind: str) -> None:
        path = self.here.root / made(name, "", kind).item.path
        if path.exists():
            path.write_bytes(b"---\nid: a\n---\n\xff" + b"y" * self.turn)

    @rule(name=NAMES, kind=TYPES)
    def remove(self, name: str, kind: str) -> None:
        (self.here.root / made(name, "", kind).item.path).unlink(missing_ok=True)

    @rule()
    def begin_again(self) -> None:
        for path in (self.here.root / ".memory/project").rglob("*.md"):
            path.unlink()


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stamps are trusted at once, since no two texts are equally long; what a machine sets is set back."""
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", -(10**12))
    monkeypatch.setattr(finding, "CANDIDATES", finding.CANDIDATES)


def _run(machine: type[Searched], here: Workspace, examples: int) -> None:
    few = settings(
        deadline=None, max_examples=examples, stateful_step_count=20, suppress_health_check=list(HealthCheck)
    )
    run_state_machine_as_test(type("Here", (machine,), {"here": here}), settings=few)


@pytest.mark.sweep
def test_a_grown_index_answers_as_a_new_one_over_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home(tmp_path, monkeypatch)
    _run(SearchedFiles, project(tmp_path), 5)


@pytest.mark.sweep
def test_a_grown_index_answers_as_a_new_one_over_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home(tmp_path, monkeypatch, "sqlite")
    _run(Searched, project(tmp_path, "sqlite"), 5)


@pytest.mark.parametrize("backend", ["files", "sqlite"])
def test_what_changed_goes_or_is_replaced_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    home(tmp_path, monkeypatch, backend)
    here = project(tmp_path, backend)
    keep(here, *(made(f"i{number}", f"tide {'gate ' * number}") for number in range(8)))
    answer(here, "tide gate")
    keep(
        here,
        made("i1", "sluice"),
        made("i2", "tide and sluice"),
        made("i9", "sluice", links="[{to: i2, relation: supersedes}]"),
    )
    with open_store(here, "project") as store:
        for name in ("i4", "i5"):
            store.delete(name)
    grown = [answer(here, text, everything=True) for text in ("tide gate", "sluice")]

    assert grown == anew(here, ["tide gate", "sluice"], everything=True)
    assert {name for _, name, _, _ in grown[0]} == {"i0", "i2", "i3", "i6", "i7", "i9"}
    assert [name for _, name, _, standing in grown[1] if standing] == ["i2"]
    with open_store(here, "project") as store:
        store.delete("i9")
    assert [standing for _, _, _, standing in answer(here, "sluice")] == ["", ""]


@pytest.mark.parametrize("backend", ["files", "sqlite"])
def test_of_many_that_match_alike_the_same_ones_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    home(tmp_path, monkeypatch, backend)
    monkeypatch.setattr(finding, "CANDIDATES", 10)
    here = project(tmp_path, backend)
    keep(here, *(made(f"n{number:02}", "tide gate") for number in range(0, 60, 2)))
    answer(here, "tide")
    keep(here, *(made(f"n{number:02}", "tide gate") for number in range(59, 0, -2)))
    grown = answer(here, "tide")

    assert [name for _, name, _, _ in grown] == [f"n{number:02}" for number in range(10)]
    assert [grown] == anew(here, ["tide"])


def test_the_best_is_found_by_a_word_that_stands_in_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Full-text search reckons nearly nothing for such a word: what little it says must not be rounded away."""
    home(tmp_path, monkeypatch)
    monkeypatch.setattr(finding, "CANDIDATES", 5)
    here = project(tmp_path)
    keep(here, *(made(f"n{number:02}", "filler words beside the tide") for number in range(40)))
    remember(here, "z", "The tide.")

    assert [name for _, name, _, _ in answer(here, "tide", limit=1)] == ["z"]
