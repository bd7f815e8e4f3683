"""Keep secrets out of memory: refuse them in new text, withhold them in old text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from verifflowcc.base.errors import SecretError
from verifflowcc.base.model.entries import Candidate, PlacedCandidate
from verifflowcc.base.model.item_values import Item
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.records import replace
from verifflowcc.base.text.hidden_text import count_invisible, show_invisible
from verifflowcc.base.text.plain_words import with_article
from verifflowcc.base.text.secrets import find_secrets, place_of, withhold

if TYPE_CHECKING:
    from verifflowcc.base.model.events import Json
    from verifflowcc.base.model.trace_values import TraceItem


# Memory must bring neither secrets nor invisible characters into a prompt: the latter can steer a model unseen.


def safe_text(text: str) -> str:
    """Return a text as a prompt may show it: a word for each secret, and what is unseen written out."""
    folded = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    return show_invisible(withhold(folded))


def text_warnings(key: str, text: str) -> Iterator[str]:
    """Yield a sentence for each thing that `safe_text` changes in an entry's text, with its kind and place."""
    for each in find_secrets(text):
        what = f"{with_article(each.kind)} at {place_of(text, each.start)}"
        yield f"{withhold(key)} holds what looks like a secret, {what}: withheld"
    unseen = count_invisible(text.replace("\r", ""))
    if unseen:
        letters = "1 character that is" if unseen == 1 else f"{unseen:,} characters that are"
        yield f"{withhold(key)} holds {letters} not seen, written out in the prompt as <U+…>"


def safe_entries(placed: Sequence[PlacedCandidate]) -> tuple[PlacedCandidate, ...]:
    """Return the entries of a prompt with no secret in their descriptions."""
    return tuple(_safe(one) for one in placed)


def _safe(one: PlacedCandidate) -> PlacedCandidate:
    candidate = one.candidate
    text = f"{candidate.title}\n{candidate.key}\n{candidate.invalid_reason}\n{candidate.path}"
    if not find_secrets(text):
        return one
    return replace(one, candidate=_safe_candidate(candidate))


def _safe_candidate(candidate: Candidate) -> Candidate:
    return replace(
        candidate,
        title=withhold(candidate.title),
        key=withhold(candidate.key),
        invalid_reason=withhold(candidate.invalid_reason),
        path=withhold(candidate.path),
    )


HINT = "say where the secret is kept, as in ${API_TOKEN}, and not what it is"


def refuse_secrets(*parts: tuple[str, str | None]) -> None:
    """Raise SecretError where one of the texts holds a secret; each part is its name (`the text`) and the text.

    The sentence says the kind and the place in the text, `line:column`, and never the secret.
    """
    for name, text in parts:
        found = find_secrets(text) if text else ()
        if found:
            raise SecretError(f"{name} holds {_refusal(text or '', found[0].kind, found[0].start)}", hint=HINT)


def refuse_item(stored: StoredItem, what: str | None = None) -> None:
    """Raise SecretError where an item's file holds a secret; the place is that in the file. `what` names the item."""
    found = find_secrets(stored.text)
    if found:
        name = what or withhold(stored.item.id)
        raise SecretError(f"{name} holds {_refusal(stored.text, found[0].kind, found[0].start)}", hint=HINT)


def refuse_new_secret(before: str, after: str, what: str) -> None:
    """Raise SecretError where a changed text holds a secret that it did not hold before."""
    held = {before[each.start : each.end] for each in find_secrets(before)}
    for each in find_secrets(after):
        if after[each.start : each.end] not in held:
            raise SecretError(f"{what} would hold {_refusal(after, each.kind, each.start)}", hint=HINT)


def strings_of(payload: "Mapping[str, Json]") -> Iterator[tuple[str, str]]:
    """Yield each text of an event's payload as a part to look at, by the name of the field that it is in."""
    for name, value in payload.items():
        yield from ((f"the {name}", each) for each in _strings(value))


def _strings(value: "Json") -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (each for one in value.values() for each in _strings(one))
    elif isinstance(value, Sequence):
        yield from (each for one in value for each in _strings(one))


def details_read(details: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield each detail as a part to look at: beside its name, since the name may say what the value is."""
    for name, value in details:
        yield f"the detail {withhold(name)}", f"{name}={value}"


def withheld_item(item: Item) -> Item:
    """Return an item with a word in the place of each secret in what it says of itself; mostly the item itself."""
    texts = (item.title, item.key or "", *item.tags, *(f"{name}={value}" for name, value in item.details))
    if not find_secrets("\n".join(texts)) and not find_secrets(item.id):
        return item
    return replace(
        item,
        id=withhold(item.id),
        title=withhold(item.title),
        key=withhold(item.key) if item.key else item.key,
        tags=tuple(map(withhold, item.tags)),
        details=tuple((withhold(name), _beside(name, value)) for name, value in item.details),
        path=withhold(item.path),
    )


def withheld(stored: StoredItem) -> StoredItem:
    """Return a stored item for showing: a word in the place of each secret in its fields and its texts."""
    if not find_secrets(stored.text):
        return stored
    return StoredItem(withheld_item(stored.item), withhold(stored.text), withhold(stored.body))


def withheld_trace(item: "TraceItem") -> "TraceItem":
    """Return a trace item with a word in the place of each secret in what it says; mostly the item itself."""
    texts = (item.id, item.title, item.text, item.rationale, item.path, *item.tags)
    if not find_secrets("\n\n".join(texts)):
        return item
    return replace(
        item,
        id=withhold(item.id),
        title=withhold(item.title),
        text=withhold(item.text),
        rationale=withhold(item.rationale),
        path=withhold(item.path),
        tags=tuple(map(withhold, item.tags)),
    )


def withheld_secrets(text: str) -> tuple[str, ...]:
    """Return what is withheld of a text, each `a KIND at LINE:COLUMN`."""
    return tuple(f"{with_article(each.kind)} at {place_of(text, each.start)}" for each in find_secrets(text))


def _beside(name: str, value: str) -> str:
    whole = f"{name}={value}"
    shown = withhold(whole)
    return withhold(value) if shown == whole else shown.partition("=")[2]


def _refusal(text: str, kind: str, start: int) -> str:
    return f"what looks like a secret, {with_article(kind)}, at {place_of(text, start)}; nothing was written"
