"""The normative part of an item's text: all of it but what stands below Rationale, Notes, Comments or History."""

import re

from verifflowcc.text.markdown import Section, sections

_APART = r"(?:rationale|notes?|comments?|history)"
_HINT = re.compile(rf"^ {{0,3}}(?:#{{1,6}}[ \t]+)?{_APART}\b", re.IGNORECASE | re.MULTILINE)
_TITLE = re.compile(rf"{_APART}[ \t:.]*", re.IGNORECASE)
_TICK = re.compile(r"^([ \t>]*(?:[-+*]|\d{1,9}[.)])[ \t]+)\[[xX]\](?=[ \t]|$)", re.MULTILINE)


def normative(body: str) -> str:
    """Return a body with LF newlines without the sections that explain it, and without blank lines around it.

    >>> normative("It shall end.\\n\\n## Rationale\\n\\nNobody waits.\\n\\n## Limits\\n\\n5 s\\n")
    'It shall end.\\n\\n## Limits\\n\\n5 s'
    """
    return with_rationale(body)[0]


def with_rationale(body: str) -> tuple[str, str]:
    """Return the normative part of a body, and what stands below its heading Rationale ("" where there is none).

    >>> with_rationale("It shall end.\\n\\n## Rationale\\n\\nNobody waits.\\n")
    ('It shall end.', 'Nobody waits.')
    """
    if not _HINT.search(body):
        return _trimmed(body), ""
    kept: list[str] = []
    why: list[str] = []
    for part, apart in _parted(body):
        text = body[part.start : part.end]
        if not apart:
            kept.append(text)
        elif apart == "rationale":
            why.append(_without_heading(text) if part.title.casefold().startswith("rationale") else text)
    return _trimmed("".join(kept)), _trimmed("".join(why))


def folded(text: str) -> str:
    """Return a text as it is compared: LF newlines, no blanks at the ends of lines, no tick set.

    >>> folded("- [x] done  \\r\\n- [ ] open\\r\\n")
    '- [ ] done\\n- [ ] open'
    """
    text = text.replace("\r\n", "\n")
    if "[x]" in text or "[X]" in text:
        text = _TICK.sub(r"\1[ ]", text)
    if " \n" in text or "\t\n" in text or "\r" in text or text[-1:] in {" ", "\t"}:
        text = "\n".join([line.rstrip(" \t\r") for line in text.split("\n")])
    return text.strip("\n")


def _parted(body: str) -> list[tuple[Section, str]]:
    """Return each section with the word of the heading, in lower case, that sets it apart; "" for normative ones."""
    found: list[tuple[Section, str]] = []
    level, apart = 0, ""
    for part in sections(body):
        if apart and part.level > level:
            found.append((part, apart))
            continue
        apart = part.title.strip(" \t:.").casefold() if _TITLE.fullmatch(part.title.strip()) else ""
        level = part.level
        found.append((part, apart))
    return found


def _without_heading(text: str) -> str:
    """Return a section's text without its heading, which may be a line with a rule below it."""
    first, _, rest = text.partition("\n")
    if first.lstrip().startswith("#"):
        return rest
    return rest.partition("\n")[2]


def _trimmed(text: str) -> str:
    """Return a text without blank lines before and behind it; the indentation of its first line is its own."""
    text = text.rstrip()
    lead = len(text) - len(text.lstrip())
    return text[text.rfind("\n", 0, lead) + 1 :]
