"""Source texts to parts of the code graph: by this process, and a second one where there is much to read."""

import gc
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from verifflowcc.adapters.clock import Advance
from verifflowcc.adapters.index.code_graph_parts import GrowingPart, Part
from verifflowcc.adapters.process.partner import Partner, PartnerGoneError
from verifflowcc.adapters.project.source_marks import marks_by_text
from verifflowcc.codegraph.manifests import MANIFEST, read_manifest
from verifflowcc.codegraph.read import read_facts
from verifflowcc.codegraph.words import words_of
from verifflowcc.domain.graph import FileFacts

if TYPE_CHECKING:
    from typing import Any

Text = tuple[str, str, bytes]
"""A text to read: the id of its blob, its language, and its bytes."""
NO_GRAMMAR = "?"
"""Stands before the name of a language that no grammar reads."""
ENOUGH_FOR_TWO = 1_000_000
"""Bytes of source that are worth a second process, which takes a tenth of a second to begin."""
_HANDED_OVER = 150_000
_UNDER_WAY = 2
"""How many bundles the partner has before it, so that it never waits for the next."""
PART_BYTES = 4_000_000
"""Bytes of source whose facts are written at once: about a second's work."""
_WORK = "verifflowcc.services.code.parsing:work"


def read_texts(texts: Iterator[Text], write: Callable[[Part], None], advance: Advance) -> None:
    """Read texts and `write` their facts, a part after the other; `advance` gets how many texts were read."""
    first: list[Text] = []
    size = 0
    for text in texts:
        first.append(text)
        size += len(text[2])
        if size >= ENOUGH_FOR_TWO:
            break
    reading = _Reading(write, advance, _partner() if size >= ENOUGH_FOR_TWO else None)
    collects = gc.isenabled()
    gc.disable()  # facts are many objects without a cycle among them
    try:
        reading.read(deque(first), texts)
    finally:
        reading.end()
        if collects:
            gc.enable()


def _partner() -> Partner | None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        return Partner(_WORK) if cores > 1 else None
    except PartnerGoneError:
        return None


class _Reading:
    """Texts being read by two; what the other one was given and has not brought back is kept, lest it ends early."""

    def __init__(self, write: Callable[[Part], None], advance: Advance, partner: Partner | None) -> None:
        self._write, self._advance, self._partner = write, advance, partner
        self._own = GrowingPart()
        self._given: list[Text] = []
        self._bundles = 0

    def read(self, waiting: deque[Text], more: Iterator[Text]) -> None:
        while self._fill(waiting, more):
            if self._partner is None or not self._give(waiting, more):
                self._read_one(waiting.popleft())
                self._take()
        self._give_all_back(waiting)
        while waiting:
            self._read_one(waiting.popleft())
        if len(self._own):
            self._write(self._own.finish())

    def end(self) -> None:
        if self._partner is not None:
            self._partner.end()

    def _fill(self, waiting: deque[Text], more: Iterator[Text]) -> bool:
        if not waiting:
            waiting.extend(text for text in [next(more, None)] if text is not None)
        return bool(waiting)

    def _read_one(self, text: Text) -> None:
        add(self._own, text)
        self._advance(1)
        if self._own.size >= PART_BYTES:
            self._write(self._own.finish())
            self._own = GrowingPart()

    def _give(self, waiting: deque[Text], more: Iterator[Text]) -> bool:
        """Hand a bundle over, where the partner has too few; return whether it had."""
        if self._bundles >= _UNDER_WAY or self._partner is None:
            return False
        bundle: list[Text] = []
        size = 0
        while size < _HANDED_OVER and self._fill(waiting, more):
            bundle.append(waiting.popleft())
            size += len(bundle[-1][2])
        self._given += bundle
        self._bundles += 1
        try:
            self._partner.send(bundle)
        except PartnerGoneError:
            self._lose_partner(waiting)
        return True

    def _take(self) -> None:
        """Take what the partner has brought back, without waiting for more."""
        try:
            while self._partner is not None and self._partner.has_answer():
                self._taken(self._partner.receive())
        except PartnerGoneError:
            self._bundles = _UNDER_WAY  # its texts are read in the end

    def _taken(self, answer: "Any") -> None:
        """Note an answer: how many texts of a bundle were read, or a part with all that was given before."""
        if isinstance(answer, int):
            self._bundles -= 1
            self._advance(answer)
        else:
            self._write(answer)
            done = {(unit[0], unit[1]) for unit in answer[0]}
            self._given = [text for text in self._given if text[:2] not in done]

    def _give_all_back(self, waiting: deque[Text]) -> None:
        """Wait for all that the partner was given; what it does not bring back is to be read here."""
        try:
            if self._partner is not None:
                self._partner.send([])
                while self._given:
                    self._taken(self._partner.receive())
        except PartnerGoneError:
            self._lose_partner(waiting)

    def _lose_partner(self, waiting: deque[Text]) -> None:
        self.end()
        self._partner = None
        waiting.extend(self._given)
        self._given = []


def work(bundles: Iterable[list[Text]]) -> Iterator["Any"]:
    """Be the partner: read bundles up to an empty one; yield how many texts were read, and parts."""
    gc.disable()
    part = GrowingPart()
    for bundle in bundles:
        for text in bundle:
            add(part, text)
        if part.size >= PART_BYTES or (not bundle and len(part)):
            yield part.finish()
            part = GrowingPart()
        yield len(bundle)


def add(part: GrowingPart, text: Text) -> None:
    """Read a text into a part."""
    blob, language, data = text
    if language.startswith(NO_GRAMMAR):
        facts = FileFacts("", problem=f"there is no grammar for {language[1:]}")
    elif language.startswith(MANIFEST):
        facts = FileFacts("", imports=read_manifest(language[1:], data))
    else:
        facts = read_facts(language, data)
    marks = marks_by_text(data)
    searched = not facts.problem or (language.startswith(NO_GRAMMAR) and "m" not in marks and b"\0" not in data)
    words = words_of(facts, data if searched and not language.startswith(MANIFEST) else b"")
    lines = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    part.add((blob, language, lines, words.length, marks, facts.problem), facts, words.inside, words.named, len(data))
