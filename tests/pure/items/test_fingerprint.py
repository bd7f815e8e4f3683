"""An item's fingerprint: what moves it, what does not, and how stamps spell it."""

import json
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.formats.item_render import scalar
from verifflowcc.base.model.trace_values import TraceItem
from verifflowcc.base.text.canonical import canonical
from verifflowcc.trace.rules.fingerprint import (
    StampParts,
    folded,
    matches,
    own_digest,
    read_stamp,
    stamp_of_item,
    stamp_of_link,
)
from verifflowcc.trace.rules.item_wording import normative, with_rationale
from verifflowcc.trace.store.trace_cache import parse_trace_item

pytestmark = pytest.mark.vfcc("REQ-TRACE-FINGERPRINTS")

HEAD = "sha256:title.text.verification.integrity.links/"
A, B = "0123456789abcdef0123", "f" * 20
BODY = "# Login\n\nA session shall end.\n\n- [ ] after 15 minutes\n"
WORD = st.text(st.characters(codec="ascii", categories=["Ll", "Lu", "Nd"]), min_size=1, max_size=9)
SENTENCE = st.lists(WORD, min_size=1, max_size=6).map(" ".join)


def item(front: str = "", body: str = BODY, title: str = "Login") -> TraceItem:
    head = f"---\nid: REQ-a\ntype: requirement\ntitle: {scalar(title)}\n{front}---\n"
    found = parse_trace_item(".memory/project/items/requirement/REQ-a.md", (head + body).encode())
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("digest", "expected"),
    [
        (own_digest("", "", None, None, []), "5b031ba57c2470461c69"),
        (own_digest("Login", "A session shall end.", "test", "B", [("NEED-a", "refines")]), "407ccdb5854196387b5a"),
        (
            own_digest("登录", "é\n- [x] ok  \n", None, None, [("B", "refines"), ("A", "derives"), ("A", "b")]),
            "3fc4434428256bd0562c",
        ),
    ],
)
def test_golden_fingerprints_never_change(digest: str, expected: str) -> None:
    assert digest == expected


def test_a_fingerprint_is_that_of_canonical_json() -> None:
    links = [("NEED-b", "refines"), ("NEED-a", "derives")]
    spelled = canonical(
        {
            "title": "Login",
            "text": "é",
            "verification": "test",
            "integrity": None,
            "links": [["NEED-a", "derives"], ["NEED-b", "refines"]],
        }
    )

    assert json.loads(spelled)["title"] == "Login"
    assert own_digest("Login", "é", "test", None, links) == sha256(spelled).hexdigest()[:20]


@pytest.mark.parametrize(
    "front",
    [
        "status: archived\n",
        "created: 2026-01-01\nupdated: 2026-02-02\n",
        "tags: [a, b]\n",
        "planned: next sprint\n",
        "derived: true\nrationale: nobody waits\n",
        "reviewed: {fingerprint: doorstop:x, by: human:You, on: 2026-01-01}\n",
        "source: {kind: imported, actor: human:You}\ntrust: agent\n",
        "refs: [src/a.py]\ntests: [tests/a.py]\nevidence: [load]\n",
        "links: [{to: x, relation: supersedes}]\n",
    ],
)
def test_the_state_of_an_item_is_not_in_its_fingerprint(front: str) -> None:
    assert item(front).digest == item().digest


@pytest.mark.parametrize(
    "body",
    [
        BODY.replace("\n", "\r\n"),
        BODY.replace("[ ]", "[x]"),
        BODY.replace("[ ]", "[X]"),
        BODY.replace("\n", "  \n"),
        "\n\n" + BODY + "\n\n",
        BODY + "\n## Rationale\n\nNobody waits.\n\n### More\n\nNobody.\n",
        BODY + "\nHistory\n-------\n\nChanged.\n",
        "## Notes\n\nA note.\n\n# Comment:\n\nWhy?\n\n" + BODY,
    ],
)
def test_ticks_blanks_newlines_and_explanations_are_not_in_its_fingerprint(body: str) -> None:
    assert item(body=body).digest == item().digest


@pytest.mark.parametrize(
    "changed",
    [
        item(title="Log in"),
        item(body=BODY.replace("shall", "may")),
        item(body=BODY.replace("- [ ]", "-")),
        item(body=BODY.replace("\n- ", "\n  - ")),
        item(body=BODY + "\n## Rationales of others\n\nIt shall end.\n"),
        item(body=BODY + "\n```\n## Rationale\n```\n"),
        item("verification: test\n"),
        item("verification: review\n"),
        item("integrity: B\n"),
        item("links: [{to: NEED-a, relation: refines}]\n"),
        item("links: [{to: NEED-a, relation: derives}]\n"),
        item("links: [{to: NEED-b, relation: refines}]\n"),
    ],
)
def test_what_an_item_asks_for_is_in_its_fingerprint(changed: TraceItem) -> None:
    assert changed.digest != item().digest


def test_a_link_called_x_is_no_tick() -> None:
    assert own_digest("t", "- [x](a)", None, None, []) != own_digest("t", "- [ ](a)", None, None, [])


def test_the_changes_differ_from_one_another() -> None:
    fronts = ("", "verification: test\n", "integrity: test\n", "links: [{to: test, relation: test}]\n")

    assert len({item(front).digest for front in fronts}) == len(fronts)


@settings(deadline=None, max_examples=50)
@given(title=SENTENCE, lines=st.lists(SENTENCE, min_size=1, max_size=4), other=SENTENCE, data=st.data())
def test_a_text_is_its_fingerprint(title: str, lines: list[str], other: str, data: st.DataObject) -> None:
    text = "\n".join(lines)
    digest = own_digest(title, text, None, None, [])
    noise = data.draw(st.sampled_from(["\n", "  \n", "\t\n", "\r\n"]))

    assert own_digest(title, "\n".join(lines).replace("\n", noise) + noise, None, None, []) == digest
    assert own_digest(title, normative(f"{text}\n\n## Rationale\n\n{other}\n"), None, None, []) == digest
    changed = [*lines[:-1], f"{lines[-1]} {other}"]
    assert own_digest(title, "\n".join(changed), None, None, []) != digest
    assert own_digest(f"{title} {other}", text, None, None, []) != digest


@settings(deadline=None, max_examples=50)
@given(links=st.lists(st.tuples(WORD, WORD), max_size=5), data=st.data())
def test_the_order_of_links_and_a_doubled_one_make_no_difference(
    links: list[tuple[str, str]], data: st.DataObject
) -> None:
    again = data.draw(st.permutations(links + links))

    assert own_digest("t", "", None, None, links) == own_digest("t", "", None, None, again)
    assert own_digest("t", "", None, None, [*links, ("a new one", "r")]) != own_digest("t", "", None, None, links)


@settings(deadline=None, max_examples=100)
@given(st.text(alphabet="ab \t\r\n#-[]xX`~>1.", max_size=60))
def test_folding_and_parting_are_done_once(text: str) -> None:
    plain = text.replace("\r", "")

    assert folded(folded(text)) == folded(text)
    assert normative(normative(plain)) == normative(plain)


def test_a_rationale_is_what_stands_below_its_heading() -> None:
    text = "It shall.\n\nRationale\n=========\n\nNobody\n\n## Deeper\n\nwaits.\n\n# Limits\n\n5 s\n"

    assert with_rationale(text) == ("It shall.\n\n# Limits\n\n5 s", "Nobody\n\n## Deeper\n\nwaits.")


def test_stamps_are_spelled_as_files_hold_them() -> None:
    assert stamp_of_item(A) == HEAD + A
    assert stamp_of_link(A, B) == f"{HEAD}{A}/{B}"
    assert read_stamp(stamp_of_link(A, B)) == StampParts(
        "sha256", ("title", "text", "verification", "integrity", "links"), (A, B)
    )
    assert read_stamp(stamp_of_item(A)).comparable  # type: ignore[union-attr]


def test_a_stamp_matches_only_what_was_looked_at() -> None:
    assert matches(stamp_of_item(A), A)
    assert matches(stamp_of_link(A, B), A, B)
    assert not matches(stamp_of_link(A, B), B, A)
    assert not matches(stamp_of_link(A, B), A, A)
    assert not matches(stamp_of_item(A), B)
    assert not matches(stamp_of_item(A), A, B)
    assert not matches(stamp_of_link(A, B), A)


@pytest.mark.parametrize("stamp", [f"doorstop:{A}", f"sha256:title.text/{A}", f"sha512:{HEAD[7:]}{A}"])
def test_what_was_made_otherwise_never_matches(stamp: str) -> None:
    parts = read_stamp(stamp)

    assert parts is not None
    assert not parts.comparable
    assert not matches(stamp, A)
    assert parts.digests[-1].endswith(A)


@pytest.mark.parametrize(
    "text",
    ["", "x", "sha256:", f"sha256:{A}", f"sha256:title/{A[:-1]}", f"sha256:title/{A}/{A}/{A}", "doorstop:", "a b:c"],
)
def test_what_is_no_stamp_is_none(text: str) -> None:
    assert read_stamp(text) is None
    assert not matches(text, A)
