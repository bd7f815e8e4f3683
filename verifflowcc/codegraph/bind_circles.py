"""Questions that lead to each other, at times in circles: each has one answer, whatever was asked before."""

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifflowcc.codegraph.bind_things import Thing

    Answer = tuple[Thing, ...]

DEEPEST = 60
"""A question that leads to more questions inside of each other has no answer: well below what Python itself allows."""
_NONE: frozenset[Hashable] = frozenset()


class _TooDeepError(Exception):
    pass


class Circles:
    """Answers questions once.

    A question that is met again while it is answered has no answer there: its circle is cut. Which cut it is depends
    on where the circle was entered, so what was found inside of a circle serves only while that is open, and the answer
    of the question where it was entered serves as long as no other one of the circle is open. So each answer is the one
    that the question has where nothing was asked before.

    Of each open question: `_grounds` has the outermost open one that its answer rests on so far, `_made` the questions
    of its circle that were answered inside of it, `_heights` how many questions stand inside of each other in it.
    """

    def __init__(self) -> None:
        self._answers: dict[Hashable, tuple[Answer, int, frozenset[Hashable]]] = {}
        self._for_now: dict[Hashable, tuple[Answer, int, int]] = {}
        self._open: dict[Hashable, int] = {}
        self._grounds: list[int] = []
        self._made: list[list[Hashable]] = []
        self._heights: list[int] = []

    def ask(self, question: Hashable, answer: "Callable[[], Answer]") -> "Answer":
        """Return the answer to a question: a known one, or what `answer` returns."""
        known = self._answers.get(question)
        if known is not None and (not known[2] or self._open.keys().isdisjoint(known[2])):
            self._rests_on(len(self._grounds), known[1])
            return known[0]
        if self._open:
            return self._answer_inside(question, answer)
        try:
            return self._answer_inside(question, answer)
        except _TooDeepError:
            self._answers[question] = ((), DEEPEST, _NONE)
            return ()
        finally:
            for each in (self._for_now, self._open, self._grounds, self._made, self._heights):
                each.clear()

    def _answer_inside(self, question: Hashable, answer: "Callable[[], Answer]") -> "Answer":
        if question in self._for_now:
            found, ground, height = self._for_now[question]
            self._rests_on(ground, height)
            return found
        if question in self._open:
            self._rests_on(self._open[question], 0)
            return ()
        depth = len(self._grounds)
        self._rests_on(depth, 0)
        self._open[question] = depth
        self._grounds.append(depth + 1)
        self._made.append([])
        self._heights.append(0)
        found = answer()
        self._close(question, found, depth)
        return found

    def _close(self, question: Hashable, found: "Answer", depth: int) -> None:
        ground, made, height = self._grounds.pop(), self._made.pop(), self._heights.pop()
        del self._open[question]
        for each in made:
            if each in self._for_now and self._for_now[each][1] >= depth:
                del self._for_now[each]
        if ground >= depth:
            self._answers[question] = (found, height, frozenset([*made, question]) if ground == depth else _NONE)
        else:
            self._for_now[question] = (found, ground, height)
            self._made[-1] += [*made, question]
        self._rests_on(ground, height)

    def _rests_on(self, ground: int, height: int) -> None:
        """Note that the innermost open question rests on another one, in which so many stand inside of each other."""
        if not self._grounds:
            return
        if len(self._grounds) + height >= DEEPEST:
            raise _TooDeepError
        self._grounds[-1] = min(self._grounds[-1], ground)
        self._heights[-1] = max(self._heights[-1], height + 1)
