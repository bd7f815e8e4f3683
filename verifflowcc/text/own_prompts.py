"""Find a compiled prompt of vfcc in a text that was sent to an agent, so that it is not taken for a person's words.

A prompt that was compiled here is known by its digest, whatever is around it; another one by the lines that every
prompt has. It runs inside of hooks.
"""

from verifflowcc.text.injected import PROMPT_SENTENCES, find_page, without_marked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    Json = Any
    Digest = Callable[[str], str]

TASK_HEADING = "## Your Task"
_TASK = "### Task"
_LONGEST_LINE, _LONGEST_TASK = 200, 500


def fingerprint(text: str, digest: "Digest") -> "dict[str, Json]":
    """Return what a prompt is found again by: its first line, its length and its digest.

    >>> fingerprint("# A prompt\\n\\nIts text.\\n", len)
    {'begin': '# A prompt', 'size': 21, 'digest': 21}
    """
    plain = _plain(text)
    return {"begin": plain.partition("\n")[0][:_LONGEST_LINE], "size": len(plain), "digest": digest(plain)}


def typed_words(
    text: str, known: "Iterable[Mapping[str, Json]]", digest: "Digest"
) -> "tuple[str, dict[str, Json] | None]":
    """Return a text without what vfcc put into it, and of a compiled prompt in it `{digest, role?, stage?, task?}`.

    `known` are fingerprints of prompts that were compiled here, with the role, stage and task of each.
    """
    if not may_hold_ours(text):
        return text, None
    plain = _plain(without_marked(text))
    found = [(one, place) for one in known if (place := _place(plain, one, digest)) >= 0]
    if not found:
        return _by_its_lines(plain if plain != _plain(text) else text, digest)
    one, place = max(found, key=lambda each: int(each[0]["size"]))  # one prompt may begin with all of another
    rest = _together(plain[:place], plain[place + int(one["size"]) :])
    return rest, {name: one[name] for name in ("digest", "role", "stage", "task") if one.get(name)}


def _place(plain: str, one: "Mapping[str, Json]", digest: "Digest") -> int:
    """Return where a prompt is in a text; -1 where it is not."""
    begin, size = one.get("begin"), one.get("size")
    if not isinstance(begin, str) or not isinstance(size, int) or not begin:
        return -1
    place = plain.find(begin)
    while place >= 0 and digest(plain[place : place + size]) != one.get("digest"):
        place = plain.find(begin, place + 1)
    return place


def may_hold_ours(text: str) -> bool:
    """Return whether a text may hold something of ours; cheap, and no proof."""
    return (
        TASK_HEADING in text
        or "You are the " in text
        or "<!-- vfcc: " in text
        or any(each in text for each in PROMPT_SENTENCES)
    )


def _by_its_lines(plain: str, digest: "Digest") -> "tuple[str, dict[str, Json] | None]":
    """Take all from the first line that only our prompts have, and the title above it, to the end."""
    page = find_page(plain)
    places = [place for each in PROMPT_SENTENCES if (place := plain.find(each)) >= 0]
    if page:
        places.append(page[0])
    if not places:
        return plain, None
    before = plain[: min(places)].rstrip()
    line = before.rpartition("\n")[2]
    if line.startswith(("# ", "## ")):
        before = before[: len(before) - len(line)]
    ours = plain[len(before) :].strip()
    found: dict[str, Json] = {"digest": digest(ours), **(page[1] if page else {})}
    if task := _task(ours):
        found["task"] = task
    return before.strip(), found


def _task(prompt: str) -> str:
    """Return the task that a prompt names, by its heading."""
    _, heading, rest = prompt.partition(f"\n{_TASK}\n")
    lines = []
    for line in rest.strip().split("\n") if heading else []:
        if line.startswith("#"):
            break
        lines.append(line)
    return "\n".join(lines).strip()[:_LONGEST_TASK]


def _plain(text: str) -> str:
    """Return a text with the newlines that a terminal or a shell may have changed as one, and none around it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _together(before: str, after: str) -> str:
    return "\n".join(filter(None, (before.strip(), after.strip())))
