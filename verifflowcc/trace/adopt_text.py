"""The title and the body that a foreign item becomes: its text, then sections that are no part of what it demands."""

import re

from verifflowcc.domain.trace_import import ForeignItem
from verifflowcc.text.markdown import close_fences
from verifflowcc.text.normative import with_rationale
from verifflowcc.trace.adopt_words import method_for, state_is_known

LONGEST_TITLE = 80
_MARKUP = re.compile(r"^[#>*+\s-]+|[*_`]+|[#*\s]+$")
_HEADING = re.compile(r"^(#{1,6})(?=[ \t]|$)", re.MULTILINE)


def title_of(item: ForeignItem) -> str:
    """Return an item's title; where it has none, the beginning of its text, else its id."""
    if item.title:
        return item.title
    first = next((line for line in item.text.split("\n") if _MARKUP.sub("", line).strip()), "")
    words = _MARKUP.sub("", " ".join(first.split())).strip()
    if len(words) > LONGEST_TITLE:
        words = words[: LONGEST_TITLE - 1].rpartition(" ")[0] + " …"
    return words or item.id


def body_of(item: ForeignItem) -> str:
    """Return the body of an item's file.

    What explains the item (rationale, comments, fields that have no place of their own) stands in sections that are not
    normative; a heading in them cannot end them.
    """
    if item.exact and (exact := _exact_body(item)) is not None:
        return exact
    parts = [close_fences(item.text).rstrip()]
    if item.rationale.strip():
        parts.append(f"## Rationale\n\n{_inside(item.rationale)}")
    if item.comments:
        parts.append("## Comments\n\n" + "\n\n".join(map(_inside, item.comments)))
    rest = dict(item.attributes)
    if not state_is_known(item.status):
        rest = {"status": item.status, **rest}
    if item.verification and method_for(item.verification) is None:
        rest = {"verification": item.verification, **rest}
    if rest:
        rows = (f"**{name}**: {_inside(value)}" for name, value in rest.items())
        parts.append("## Notes\n\n" + "\n\n".join(rows))
    return "\n\n".join(each for each in parts if each.strip())


def _exact_body(item: ForeignItem) -> str | None:
    """Return text and rationale with no word changed; None where they would not be read again as they are."""
    why = f"## Rationale\n\n{item.rationale}" if item.rationale else ""
    body = "\n\n".join(each for each in (item.text, why) if each)
    simple = not item.comments and not item.attributes
    return body if simple and with_rationale(body) == (item.text, item.rationale) else None


def text_and_reason(body: str) -> tuple[str, str]:
    """Return the normative part of a body and its rationale, as they are read from the file."""
    return with_rationale(body)


def _inside(text: str) -> str:
    return _HEADING.sub(r"\\\1", close_fences(text).strip("\n").rstrip())
