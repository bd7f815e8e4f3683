"""Evidence files: never longer than 4 KiB, read back as written, and seen where changed by hand."""

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.evidence_values import LARGEST_EVIDENCE_BYTES, Evidence, Inputs, Run
from verifflowcc.base.model.gate_values import CriterionKind, EvidenceTrust
from verifflowcc.base.text.canonical import canonical, digest_text
from verifflowcc.base.text.identifiers import is_ulid, ulid
from verifflowcc.sprint.rules.evidence_files import (
    encode_evidence,
    folder_digests,
    inputs_digest,
    make_evidence,
    parse_evidence,
)

GOLDEN = "sha256:5cb467fe1e3400c1b9346324dc544cf4bfeb5e787127752eeca7f437a2d33e29"
AT = datetime(2026, 11, 21, 3, 31, 0, 123456, tzinfo=UTC)
CONTENT = {"src/a.py": digest_text("a"), "src/b.py": digest_text("b"), "tests/t.py": digest_text("t")}
RUN = Run("test", ("python", "-m", "pytest"), 600, 1, output="sha256:" + "0" * 64, output_bytes=12, duration_ms=90)


def made(**other: Any) -> Evidence:
    fields: dict[str, Any] = {
        "sprint": "login",
        "stage": "unit_test",
        "criterion": "tests",
        "kind": CriterionKind.JUNIT,
        "trust": EvidenceTrust.RAN_BY_VFCC,
        "producer": "vfcc 0.1.0",
        "at": AT,
        "inputs": inputs_digest(CONTENT, ["src/**"]),
        "measures": {"tests": 3, "failed": 1},
        "outcome": digest_text("outcome"),
        "run": RUN,
        "report": "build/j.xml",
        "report_digest": digest_text("report"),
        "examples": ["a.test_b: no"],
    }
    return make_evidence(**(fields | other))


def many(count: int, folders: int) -> dict[str, str]:
    return {f"src/p{each % folders}/f{each}.py": digest_text(str(each)) for each in range(count)}


def test_the_bytes_and_the_id_of_a_piece_of_evidence_never_change() -> None:
    evidence = made()

    assert is_ulid(evidence.id)
    assert evidence.id == "01M7Y2GHCV4ZMWD3DJTHC9YTM5"
    assert digest_text(encode_evidence(evidence)) == GOLDEN


def test_a_file_reads_back_as_what_was_written() -> None:
    evidence = made()
    data = encode_evidence(evidence)

    assert parse_evidence(data, evidence.id) == evidence
    assert parse_evidence(data.replace(b"\n", b"\r\n"), evidence.id) == evidence
    assert json.loads(data)["v"] == 1


@pytest.mark.parametrize("kind", CriterionKind)
def test_evidence_says_the_format_in_which_its_kind_was_added(kind: CriterionKind) -> None:
    evidence = made(kind=kind)
    data = encode_evidence(evidence)

    assert parse_evidence(data, evidence.id) == evidence
    assert json.loads(data)["v"] == (2 if kind in {CriterionKind.RED_FIRST, CriterionKind.TESTS_KEPT} else 1)


WORDS = st.text(st.characters(exclude_categories=()), max_size=300)
PLAIN = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
DIGESTS = st.dictionaries(WORDS, st.just(digest_text("x")), max_size=60)


@given(
    content=DIGESTS,
    examples=st.lists(WORDS, max_size=30),
    problem=WORDS,
    failure=WORDS,
    measures=st.dictionaries(PLAIN, st.integers(-(2**53) + 1, 2**53 - 1), max_size=12),
    kind=st.sampled_from(CriterionKind),
    trust=st.sampled_from(EvidenceTrust),
    at=st.datetimes(datetime(1970, 1, 1), datetime(9999, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 - hypothesis adds the zone
)
@settings(deadline=None, max_examples=80)
def test_whatever_was_found_the_file_is_short_and_reads_back(
    content: dict[str, str], examples: list[str], problem: str, failure: str, **other: Any
) -> None:
    inputs = inputs_digest(content, [])
    run = Run("test", ("x",), 1, None, failure=failure)

    evidence = made(inputs=inputs, examples=examples, problem=problem, run=run, **other)
    data = encode_evidence(evidence)

    assert len(data) <= LARGEST_EVIDENCE_BYTES
    assert parse_evidence(data, evidence.id) == evidence
    assert (evidence.inputs.count, evidence.inputs.digest) == (inputs.count, inputs.digest)
    assert dict(evidence.measures) == other["measures"]
    assert all(len(each) <= 160 for each in evidence.examples)


def test_few_inputs_are_listed_more_by_folder_and_the_most_not_at_all() -> None:
    few, more, most = (inputs_digest(many(count, folders), []) for count, folders in ((20, 3), (900, 9), (900, 300)))

    assert made(inputs=few).inputs == few
    assert made(inputs=more).inputs == Inputs((), 900, more.digest, folder_digests(more.digests))
    assert list(made(inputs=more).inputs.digests) == [f"src/p{each}/" for each in range(9)]
    assert made(inputs=most).inputs == Inputs((), 900, most.digest, {})


def test_examples_go_last_and_from_the_end() -> None:
    examples = [f"{each:02}" + "é" * 158 for each in range(20)]
    crowded = made(inputs=inputs_digest(many(900, 9), []), examples=examples)

    assert crowded.inputs.digests == {}
    assert 0 < len(crowded.examples) < 20
    assert list(crowded.examples) == examples[: len(crowded.examples)]


def test_long_words_are_cut_with_a_mark() -> None:
    evidence = made(examples=["x" * 161, "y" * 160], problem="z" * 401)

    assert evidence.examples == ("x" * 159 + "…", "y" * 160)
    assert evidence.problem == "z" * 399 + "…"


def test_what_cannot_be_short_is_refused_rather_than_cut() -> None:
    with pytest.raises(FormatError, match="longer than 4096 bytes"):
        made(run=Run("test", ("x" * 5000,), 600, 0))


def test_a_file_is_4096_bytes_and_no_longer() -> None:
    room = LARGEST_EVIDENCE_BYTES - len(encode_evidence(made(producer="p", examples=[])))

    assert len(encode_evidence(made(producer="p" * (room + 1), examples=[]))) == LARGEST_EVIDENCE_BYTES
    assert made(producer="p" * (room + 2), examples=[]).inputs.digests.keys() == {"src/"}


def test_a_longer_file_is_refused_though_its_id_is_right() -> None:
    record = json.loads(encode_evidence(made())) | {"producer": "p" * LARGEST_EVIDENCE_BYTES}
    del record["id"]
    name = ulid(int(AT.timestamp()) * 1000 + 123, hashlib.sha256(canonical(record)).digest()[:10])

    with pytest.raises(FormatError, match="at most 4096 bytes"):
        parse_evidence(canonical({**record, "id": name}) + b"\n", name)


def test_a_path_that_is_no_text_is_counted_and_not_listed() -> None:
    odd = inputs_digest({"src/a.py": CONTENT["src/a.py"], "src/\udcff": CONTENT["src/b.py"]}, [])

    assert made(inputs=odd).inputs == Inputs((), 2, odd.digest, folder_digests(odd.digests))


def test_folders_are_digested_in_one_order() -> None:
    assert folder_digests(dict(reversed(CONTENT.items()))) == folder_digests(CONTENT)
    assert folder_digests(CONTENT)["src/"] == inputs_digest(CONTENT, ["src/*"]).digest


def test_the_inputs_digest_is_that_of_the_selected_lines() -> None:
    lines = "".join(f"{path}\0{CONTENT[path]}\n" for path in ("src/a.py", "src/b.py"))

    assert inputs_digest(CONTENT, ["src/**"]).digest == digest_text(lines)
    assert inputs_digest(dict(reversed(CONTENT.items())), ["src/**"]) == inputs_digest(CONTENT, ["src/**"])
    assert inputs_digest(CONTENT, []).count == 3
    assert inputs_digest(CONTENT, ["nothing"]) == Inputs(("nothing",), 0, digest_text(""), {})


@given(st.dictionaries(WORDS, WORDS, min_size=1, max_size=5), st.data())
@settings(deadline=None, max_examples=80)
def test_any_difference_of_content_is_a_difference_of_digest(content: dict[str, str], data: st.DataObject) -> None:
    content = {
        path.replace("\0", "") or "x": digest_text(digest.encode("utf-8", "replace"))
        for path, digest in content.items()
    }
    path = data.draw(st.sampled_from(sorted(content)))

    assert inputs_digest(content | {path: digest_text("other content")}, []).digest != inputs_digest(content, []).digest
    assert inputs_digest(content | {path + "+": content[path]}, []).digest != inputs_digest(content, []).digest


Forge = Callable[[dict[str, Any]], object]


def _set(*place: str | int, to: object) -> Forge:
    def forge(record: Any) -> None:
        for step in place[:-1]:
            record = record[step]
        record[place[-1]] = to

    return forge


FORGERIES: dict[str, tuple[Forge, str]] = {
    "a measure": (_set("measures", "failed", to=0), "content"),
    "the criterion": (_set("criterion", to="coverage"), "content"),
    "the trust": (_set("trust", to="asserted"), "content"),
    "the inputs": (_set("inputs", "digest", to=digest_text("new")), "content"),
    "the exit code": (_set("run", "exit_code", to=0), "content"),
    "the run": (_set("run", to=None), "content"),
    "the time": (_set("time", to="2026-11-21T03:31:00.124Z"), "content"),
    "the id": (_set("id", to="01KABCDEFGHJKMNPQRSTVWXYZ0"), "content"),
    "a newer format": (_set("v", to=3), "v3 is newer"),
    "the format of newer kinds": (_set("v", to=2), "v must be 1, not 2"),
    "a newer kind in the first format": (_set("kind", to="red-first"), "v must be 2, not 1"),
    "true for 1": (_set("v", to=True), "v must be 1"),
    "no format": (lambda r: r.pop("v"), "v must be 1"),
    "a field more": (_set("verdict", to="pass"), "verdict is no field"),
    "a field of the run more": (_set("run", "shell", to=True), "shell is no field of run"),
    "a field of the inputs less": (lambda r: r["inputs"].pop("count"), "count is missing"),
    "a field less": (lambda r: r.pop("problem"), "problem is missing"),
    "an unknown kind": (_set("kind", to="hearsay"), "kind must be one of"),
    "an unknown trust": (_set("trust", to="sworn"), "trust must be one of"),
    "a measure as text": (_set("measures", "tests", to="3"), "tests must be a whole number"),
    "a measure as truth": (_set("measures", "tests", to=True), "tests must be a whole number"),
    "no measures": (_set("measures", to=[]), "measures must be an object"),
    "a negative count": (_set("inputs", "count", to=-1), "count must not be negative"),
    "the command as one text": (_set("run", "argv", to="python -m pytest"), "argv must be a list"),
    "a number among examples": (_set("examples", to=[1]), "examples must be a list of texts"),
    "the report a number": (_set("report", to=1), "report must be text"),
    "an empty sprint": (_set("sprint", to=" "), "sprint is empty"),
    "a time without its zone": (_set("time", to="2026-11-21T03:31:00.123"), "time"),
    "a time spelled otherwise": (_set("time", to="2026-11-21T04:31:00.123+01:00"), "must look like"),
    "a time before 1970": (_set("time", to="1960-01-01T00:00:00.000Z"), "cannot hold"),
    "no time": (_set("time", to="soon"), "does not exist"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_evidence_changed_by_hand_is_seen(name: str) -> None:
    forge, reason = FORGERIES[name]
    evidence = made()
    record = json.loads(encode_evidence(evidence))
    forge(record)

    with pytest.raises(FormatError, match=reason):
        parse_evidence(canonical(record) + b"\n", evidence.id)


@pytest.mark.parametrize(
    "edit",
    [
        lambda data: data[:-1],
        lambda data: data + b"\n",
        lambda data: data.replace(b",", b", ", 1),
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: b"<<<<<<< HEAD\n" + data,
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: b"[]\n",
        lambda data: b'{"v":1}\n',
        lambda data: b"\xff\n",
        lambda data: b"[" * 4000 + b"\n",
        lambda data: data[:-2] + b" " * 5000 + data[-2:],
    ],
)
def test_other_bytes_than_vfcc_writes_are_seen(edit: Callable[[bytes], bytes]) -> None:
    evidence = made()

    with pytest.raises(FormatError):
        parse_evidence(edit(encode_evidence(evidence)), evidence.id)


def test_a_renamed_file_is_seen() -> None:
    with pytest.raises(FormatError, match="name is not"):
        parse_evidence(encode_evidence(made()), made(stage="integration").id)


@given(st.data())
@settings(deadline=None, max_examples=200)
def test_no_single_changed_byte_goes_unseen(data: st.DataObject) -> None:
    evidence = made()
    raw = bytearray(encode_evidence(evidence))
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] = data.draw(st.integers(0, 255).filter(lambda value: value != raw[place]))

    with pytest.raises(FormatError):
        parse_evidence(bytes(raw), evidence.id)


def test_the_time_is_utc_whatever_the_writers_zone() -> None:
    assert made(at=AT.astimezone(timezone(timedelta(hours=5, minutes=30)))) == made()
    with pytest.raises(FormatError, match="time zone"):
        made(at=AT.replace(tzinfo=None))


def test_an_example_that_is_no_text_is_made_one() -> None:
    assert made(examples=["a\ud800b"], problem="\udcff").examples == ("a?b",)
