"""What memory must not bring into a prompt: secrets, and characters that nobody sees and that steer a reader."""

from collections.abc import Iterator, Sequence

from verifflowcc.domain.entries import Candidate, Placed
from verifflowcc.records import replace
from verifflowcc.text.invisible import count_invisible, show_invisible
from verifflowcc.text.secrets import find_secrets, place_of, withhold


def safe_text(text: str) -> str:
    """Return a text as a prompt may show it: a word for each secret, and what is unseen written out."""
    folded = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    return show_invisible(withhold(folded))


def told_of_text(key: str, text: str) -> Iterator[str]:
    """Yield a sentence for each thing that `safe_text` changes in an entry's text, with its kind and place."""
    for each in find_secrets(text):
        yield f"{withhold(key)} holds what looks like a secret, a {each.kind} at {place_of(text, each.start)}: withheld"
    unseen = count_invisible(text.replace("\r", ""))
    if unseen:
        letters = "1 character that is" if unseen == 1 else f"{unseen:,} characters that are"
        yield f"{withhold(key)} holds {letters} not seen, written out in the prompt as <U+…>"


def safe_entries(placed: Sequence[Placed]) -> tuple[Placed, ...]:
    """Return the entries of a prompt with no secret in what is told of them."""
    return tuple(_safe(one) for one in placed)


def _safe(one: Placed) -> Placed:
    candidate = one.candidate
    said = f"{candidate.title}\n{candidate.key}\n{candidate.standing}\n{candidate.path}"
    if not find_secrets(said):
        return one
    return replace(one, candidate=_safe_candidate(candidate))


def _safe_candidate(candidate: Candidate) -> Candidate:
    return replace(
        candidate,
        title=withhold(candidate.title),
        key=withhold(candidate.key),
        standing=withhold(candidate.standing),
        path=withhold(candidate.path),
    )
