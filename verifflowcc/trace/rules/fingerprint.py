"""Fingerprints: 20 digits of an item's content, and the stamps that reviews leave.

An item's own fingerprint is the first 80 bits of SHA-256 over canonical JSON of five fields: `integrity`, `links`
(sorted pairs of target and relation), `text` (the normative part, as `folded` has it), `title`,
`verification`. Status, dates, tags and stamps are not in it. A stamp names the algorithm and the fields, so that one
made otherwise never counts as the same:

- of an item: `sha256:title.text.verification.integrity.links/<own>`;
- of a link: `sha256:title.text.verification.integrity.links/<the other's>/<own>`.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from enum import StrEnum

from verifflowcc.base.model.item_values import Link, Status
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.trace_values import TraceItem
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import digest_text, encode_short, sha256
from verifflowcc.trace.rules.trace_view import TraceView

ALGORITHM = "sha256"
FIELDS = ("title", "text", "verification", "integrity", "links")
DIGITS = 20
_HEAD = f"{ALGORITHM}:{'.'.join(FIELDS)}/"
_OURS = lazy_pattern(r"[a-z]+(?:\.[a-z]+)*(?:/[0-9a-f]{20}){1,2}")
_DIGESTS = lazy_pattern(r"[0-9a-f]{20}(?:/[0-9a-f]{20})?")
_TICK = lazy_pattern(r"^([ \t>]*(?:[-+*]|\d{1,9}[.)])[ \t]+)\[[xX]\](?=[ \t]|$)", re.MULTILINE)
_FOREIGN = lazy_pattern(r"[a-z][a-z0-9_-]{0,39}:[!-~]{1,300}")


@dataclass(frozen=True, slots=True)
class StampParts:
    """What a stamp says: the algorithm, the fields that it covered, and the digests.

    Of ours there are one (an item) or two (a link: the other end's, then the own). What another tool made has one
    digest and no fields.
    """

    algorithm: str
    fields: tuple[str, ...]
    digests: tuple[str, ...]

    @property
    def comparable(self) -> bool:
        """Whether the digests were made as ours are made now; others say nothing of today."""
        return self.algorithm == ALGORITHM and self.fields == FIELDS


def folded(text: str) -> str:
    """Return a text as it is compared: LF newlines, no trailing blanks, no ticks.

    >>> folded("- [x] done  \\r\\n- [ ] open\\r\\n")
    '- [ ] done\\n- [ ] open'
    """
    text = text.replace("\r\n", "\n")
    if "[x]" in text or "[X]" in text:
        text = _TICK.sub(r"\1[ ]", text)
    if " \n" in text or "\t\n" in text or "\r" in text or text[-1:] in {" ", "\t"}:
        text = "\n".join([line.rstrip(" \t\r") for line in text.split("\n")])
    return text.strip("\n")


def own_digest(
    title: str, text: str, verification: str | None, integrity: str | None, links: Iterable[tuple[str, str]]
) -> str:
    """Return an item's own fingerprint, 20 hexadecimal digits.

    `text` is the normative part; `links` are pairs of target and relation, in any order. A repeated link counts once.
    """
    value = {
        "integrity": integrity,
        "links": sorted(set(links)),
        "text": folded(text),
        "title": title,
        "verification": verification,
    }
    return sha256(encode_short(value).encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def fingerprinted(item: TraceItem) -> TraceItem:
    """Return an item with the fingerprint of what it says."""
    ends = [(link.to, link.relation) for link in item.links]
    return replace(item, digest=own_digest(item.title, item.text, item.verification, item.integrity, ends))


def stamp_of_item(digest: str) -> str:
    """Return the stamp of an item that was looked at.

    >>> stamp_of_item("0" * 20)
    'sha256:title.text.verification.integrity.links/00000000000000000000'
    """
    return _HEAD + digest


def stamp_of_link(other: str, own: str) -> str:
    """Return the stamp of a reviewed link: the fingerprints of its target and holder."""
    return f"{_HEAD}{other}/{own}"


def read_stamp(text: str) -> StampParts | None:
    """Return the parts of a stamp, None where the text is none.

    Stamps of another tool (`doorstop:…`) have parts too.

    >>> read_stamp("doorstop:c2Vf=")
    StampParts(algorithm='doorstop', fields=(), digests=('c2Vf=',))
    """
    if text.startswith(_HEAD) and _DIGESTS.fullmatch(text, len(_HEAD)):  # what nearly all are
        return StampParts(ALGORITHM, FIELDS, tuple(text[len(_HEAD) :].split("/")))
    if not _FOREIGN.fullmatch(text):
        return None
    algorithm, _, rest = text.partition(":")
    if algorithm != ALGORITHM:
        return StampParts(algorithm, (), (rest,))
    if not _OURS.fullmatch(rest):
        return None
    fields, *digests = rest.split("/")
    return StampParts(algorithm, tuple(fields.split(".")), tuple(digests))


def matches(stamp: str, *digests: str) -> bool:
    """Say whether a stamp is made of these fingerprints.

    A stamp of an item has one (`own`), that of a link two (`other`, `own`).

    A stamp of another algorithm, or of other fields, never is.
    """
    return stamp == _HEAD + "/".join(digests)


# The state of a link by its stamp: agreed, unreviewed, or suspect, and at which end.


class LinkState(StrEnum):
    """What a link's stamp says today."""

    AGREED = "agreed"
    UNREVIEWED = "unreviewed"
    SUSPECT = "suspect"
    OUTGROWN = "outgrown"
    DANGLING = "dangling"

    @property
    def means(self) -> str:
        """What the word says, in a few words."""
        return _MEANS[self]


_MEANS = {
    LinkState.AGREED: "both ends are unchanged since the last review",
    LinkState.UNREVIEWED: "it has not been reviewed",
    LinkState.SUSPECT: "its other end changed since the last review",
    LinkState.OUTGROWN: "this item changed since the last review",
    LinkState.DANGLING: "there is no such item",
}


def link_state(view: TraceView, item: TraceItem, link: Link) -> LinkState:
    """Return the state of a link.

    A stamp of another algorithm, or of other fields, makes it suspect.
    """
    other = view.by_id.get(link.to)
    if other is None:
        return LinkState.DANGLING
    if link.stamp is None:
        return LinkState.UNREVIEWED
    if matches(link.stamp.fingerprint, other.digest, item.digest):
        return LinkState.AGREED
    parts = read_stamp(link.stamp.fingerprint)
    if parts is not None and parts.comparable and parts.digests[:1] == (other.digest,):
        return LinkState.OUTGROWN
    return LinkState.SUSPECT


def review_word(item: TraceItem) -> str:
    """Return the review state: `reviewed`, `changed since` or `unreviewed`."""
    if item.reviewed is None:
        return "unreviewed"
    return "reviewed" if matches(item.reviewed.fingerprint, item.digest) else "changed since"


# One digest for all items of a type, so that a ledger can say in a line what a stage handed over.


def type_digests(items: Iterable[TraceItem]) -> Mapping[str, str]:
    """Return type → the digest of the ids and fingerprints of its live items.

    The order of the items does not matter.
    """
    lines: dict[str, list[str]] = defaultdict(list)
    for item in items:
        if item.status is not Status.ARCHIVED:
            lines[item.type].append(f"{item.id}\0{item.digest}\n")
    return {name: digest_text("".join(sorted(lines[name]))) for name in sorted(lines)}
