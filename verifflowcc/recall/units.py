"""An item as what is searched: one unit, or for a long text several that stand beside each other."""

import re
from zlib import crc32

from verifflowcc.domain.config import code_path
from verifflowcc.domain.items import Item
from verifflowcc.domain.recall import Unit
from verifflowcc.recall.question import MONTHS, tells_time
from verifflowcc.text.slug import slug
from verifflowcc.text.stems import stems

LARGEST_TERMS = 240
"""A text of more terms is taken apart, at its headings first and then between paragraphs."""

_LAST_NUMBER = re.compile(r"([0-9]{1,9})\D*$")
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")
_LETTERS = re.compile(r"-[a-z0-9]{4}$")
_FILE_TERM = re.compile(r"xf[0-9a-f]{8}")
_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-[0-9]{2}")


def units_of(item: Item, body: str) -> tuple[Unit, ...]:
    """Return the units of an item with that text, in order; at least one.

    A turn of a conversation (its source has a session, a speaker and a numbered turn) stands beside the turns around
    it; the parts of a long one have the same place.
    """
    thread, place = _turn(item)
    day, date = _of_day(item)
    title, key, speaker = _title(item, body), _joined(item.key or _file_of(item)), _joined(item.source.speaker or "")
    tags = " ".join([_joined(*_tags(item)), *dict.fromkeys(file_term(ref.path) for ref in item.refs)]).strip()

    def unit(text: str, thread: str, place: int | None, heading: str = "") -> Unit:
        asks, ends, timed = "?" in text, text.rstrip().endswith("?"), tells_time(text)
        terms = (f"{title} {_joined(heading)}".strip(), key, tags, _joined(text), speaker, date)
        return Unit(terms, thread, place, day, asks, ends, timed, heading)

    parts = _parts(body)
    if len(parts) == 1:
        return (unit(body, thread, place),)
    if place is not None:
        return tuple(unit(text, thread, place, heading) for heading, text in parts)
    return tuple(unit(text, item.path, number, heading) for number, (heading, text) in enumerate(parts))


def texts_of(item: Item, body: str) -> tuple[str, ...]:
    """Return the texts of the units of an item, in their order: who says it or the title first, but no title twice."""
    speaker = item.source.speaker
    before = f"{speaker}: " if speaker else "" if _repeats_title(item, body) else f"{item.title}\n"
    return tuple(before + text.strip() for _, text in _parts(body))


def _file_of(item: Item) -> str:
    """The name of the item's file, where it says more than the title that vfcc made it from."""
    name = item.path.rpartition("/")[2].removesuffix(".md")
    made = _LETTERS.sub("", name)
    return "" if made and slug(item.title, "").startswith(made) else name


def file_term(path: str) -> str:
    """Return the term under which items are found that speak of a file, in whatever form its path is written.

    >>> file_term("src/app.py"), file_term("./src//app.py")
    ('xf2e5eea2c', 'xf2e5eea2c')
    """
    return f"xf{crc32((code_path(path) or path).encode('utf-8', 'surrogatepass')):08x}"


def is_file_term(term: str) -> bool:
    """Say whether a term is one of a file."""
    return bool(_FILE_TERM.fullmatch(term))


def _joined(*texts: str) -> str:
    return " ".join(stems(" ".join(texts)))


def _title(item: Item, body: str) -> str:
    """The terms of the title, none where it only repeats how a short text begins."""
    return "" if _repeats_title(item, body) else _joined(item.title)


def _repeats_title(item: Item, body: str) -> bool:
    words = body.lstrip()
    return words.startswith(item.title.rstrip("….")) and not words.startswith("#") and "\n#" not in body


def _tags(item: Item) -> list[str]:
    """What names an item beside its title and key: its tags, its details, and the code that it speaks of."""
    code = (word for ref in item.refs for word in (ref.path, ref.symbol or ""))
    return [*item.tags, *(value for _, value in item.details), *code]


def _turn(item: Item) -> tuple[str, int | None]:
    """Return the conversation and the number of the turn, where an item is one."""
    source = item.source
    number = _LAST_NUMBER.search(source.turn) if source.turn and source.session else None
    if number is None or not source.speaker:
        return "", None
    return f"{source.origin or ''}\t{source.session}", int(number[1])


def _of_day(item: Item) -> tuple[str, str]:
    """The ISO day that an item is from, and the terms of its year and month; empty where it does not say."""
    said = item.created or (item.decision.date if item.decision else None)
    found = _DAY.match(said or "")
    if found is None or not 1 <= int(found[2]) <= len(MONTHS):
        return "", ""
    return found[0], " ".join([found[1], *stems(MONTHS[int(found[2]) - 1])])


def _parts(body: str) -> list[tuple[str, str]]:
    """Return (heading, text) of the parts of a text: its sections, long ones between paragraphs."""
    if len(stems(body)) <= LARGEST_TERMS:
        return [("", body)]
    from verifflowcc.text.markdown import sections

    parts: list[tuple[str, str]] = []
    room = 0
    for section in sections(body):
        for paragraph in _PARAGRAPHS.split(body[section.start : section.end]):
            number = len(stems(paragraph))
            if parts and number <= room and (parts[-1][0] == section.title or number == 0):
                parts[-1] = parts[-1][0], f"{parts[-1][1]}\n\n{paragraph}"
                room -= number
            elif number:
                parts.append((section.title, paragraph))
                room = LARGEST_TERMS - number
    return parts or [("", body)]
