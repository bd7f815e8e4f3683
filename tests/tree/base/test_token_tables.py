"""The shipped tables: what they hold, and what happens when they are damaged."""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from tiktoken_ext import openai_public  # type: ignore[import-untyped]

from tests import token_tables
from tests.token_tables import CLASS_PATTERNS, every_character, matching
from verifflowcc.base.errors import FormatError
from verifflowcc.base.tokens.token_counter import DATA
from verifflowcc.base.tokens.vocabulary import (
    ENCODINGS,
    HEADER,
    LONG_S,
    NO_RANK,
    OTHER,
    TABLE_PATH,
    UNASSIGNED,
    Vocabulary,
    load_classes,
    open_vocabulary,
)

pytestmark = pytest.mark.vfcc("REQ-TOKENS")

both = pytest.mark.parametrize("name", sorted(ENCODINGS))


def shipped(name: str, path: Path | None = None) -> Vocabulary:
    return open_vocabulary(path or DATA / f"{name}.vocab", name=name, digest=ENCODINGS[name].digest)


def pinned_digest(name: str, patch: pytest.MonkeyPatch) -> str:
    """The SHA-256 that the installed tiktoken asks of the file that it would fetch."""
    asked: list[str] = []

    def load(_: str, expected_hash: str) -> dict[bytes, int]:
        asked.append(expected_hash)
        return {}

    patch.setattr(openai_public, "load_tiktoken_bpe", load)
    openai_public.ENCODING_CONSTRUCTORS[name]()
    return asked[0]


@both
def test_the_original_file_comes_back_with_the_digest_that_tiktoken_pins(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = shipped(name).tiktoken_file()

    assert sha256(original).hexdigest() == pinned_digest(name, monkeypatch) == ENCODINGS[name].digest


@both
def test_a_table_is_built_to_the_same_bytes_again(name: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(shipped(name).tiktoken_file())

    token_tables.main(["vocabulary", str(source), str(tmp_path / "table")])

    assert (tmp_path / "table").read_bytes() == (DATA / f"{name}.vocab").read_bytes()


@both
def test_the_index_finds_every_token_and_nothing_else(name: str) -> None:
    vocabulary = shipped(name)

    vocabulary.verify()
    assert vocabulary.rank(b"no such token, surely") == NO_RANK
    assert vocabulary.rank(b"") == NO_RANK


def test_a_source_with_another_digest_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"IQ== 0\n")

    with pytest.raises(FormatError, match="none of o200k_base"):
        token_tables.main(["vocabulary", str(source), str(tmp_path / "table")])
    assert not (tmp_path / "table").exists()


@pytest.mark.parametrize("kept", [0, 10, HEADER.size, 5_000, -1])
def test_a_vocabulary_that_is_cut_short_is_refused(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "cl100k_base.vocab"
    path.write_bytes((DATA / "cl100k_base.vocab").read_bytes()[:kept])

    with pytest.raises(FormatError, match=r"cl100k_base\.vocab: .*(cut short|cannot be read)"):
        shipped("cl100k_base", path)


def test_a_missing_vocabulary_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"gone\.vocab: the vocabulary cannot be read"):
        shipped("cl100k_base", tmp_path / "gone.vocab")


def test_one_vocabulary_under_the_others_name_is_refused() -> None:
    with pytest.raises(FormatError, match="holds cl100k_base, another vocabulary than o200k_base"):
        shipped("o200k_base", DATA / "cl100k_base.vocab")


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.vocab"
    path.write_bytes(b"x" * 4_096)

    with pytest.raises(FormatError, match="not a vocabulary that this vfcc reads"):
        shipped("cl100k_base", path)


@pytest.mark.parametrize(("place", "what"), [(3_000, "content"), (600_000, "index"), (-1_000, "content")])
def test_a_changed_byte_is_found_by_verify(place: int, what: str, tmp_path: Path) -> None:
    data = bytearray((DATA / "cl100k_base.vocab").read_bytes())
    data[place] ^= 0x5A
    path = tmp_path / "cl100k_base.vocab"
    path.write_bytes(data)

    with pytest.raises(FormatError, match=rf"cl100k_base\.vocab: the vocabulary's {what}"):
        shipped("cl100k_base", path).verify()


@pytest.mark.sweep
def test_every_assigned_character_has_the_class_that_tiktokens_engine_gives_it() -> None:
    text = every_character()
    classes = text.translate(load_classes())
    known = {character: letter for character, letter in zip(text, classes, strict=True) if letter != UNASSIGNED}
    ascii_free = [character for character in known if ord(character) > 127 and ord(character) != LONG_S]

    for letter, pattern in CLASS_PATTERNS.items():
        found = set(matching(pattern, "".join(ascii_free)))
        assert found == {character for character in ascii_free if known[character] == letter}, pattern
    assert set(classes) >= {OTHER, *CLASS_PATTERNS}


def test_only_the_long_s_stands_for_a_letter_of_the_contractions() -> None:
    beyond = set(matching(r"(?i:[stmdrevl'])", every_character())) - set("stmdrevlSTMDREVL'")

    assert beyond == {chr(LONG_S)}


def test_a_damaged_character_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "characters.table"
    path.write_bytes(TABLE_PATH.read_bytes()[:-1])

    with pytest.raises(FormatError, match=r"characters\.table: the character table is damaged"):
        load_classes(path)
    with pytest.raises(FormatError, match="cannot be read"):
        load_classes(tmp_path / "gone")


def test_counting_a_small_text_loads_no_tokenizer() -> None:
    program = (
        "import sys\n"
        "from verifflowcc.base.tokens.token_counter import open_counter\n"
        "from verifflowcc.base.model.config_values import TokenSettings\n"
        "open_counter(TokenSettings()).count('Ein Wort über Straßen. ' * 100)\n"
        "print(sorted({'tiktoken', 'regex', 'base64', 'json', 'typing', 'pydantic', 'yaml'} & set(sys.modules)))\n"
    )
    checkout = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, cwd=checkout)

    assert done.stdout == "[]\n"
