"""A file of questions whose answers are known: a list of `question`, `expect`, and how it is asked."""

from collections.abc import Mapping, Sequence

from verifflowcc.domain.labelled import Expectation, Labelled
from verifflowcc.errors import FormatError
from verifflowcc.text.article import nearest

KEYS = ("question", "expect", "scope", "type", "as_of", "all", "files")
LONGEST_QUESTION = 2_000
Place = tuple[str | int, ...]


def labelled_queries(value: object, lines: Mapping[Place, int], file: str) -> tuple[Labelled, ...]:
    """Return the questions of a file that was read as plain values; `lines` has the line of each place in it.

    Raises FormatError with every problem, each `file:line: sentence` on a line of its own. No question at all is one.
    """
    reading = _Reading(lines, file)
    if not isinstance(value, list) or not value:
        reading.wrong((), "there is no question in it; write a list of - question: … and expect: […]")
        value = []
    found = [reading.query(each, (index,)) for index, each in enumerate(value)]
    if reading.problems:
        raise FormatError("\n".join(dict.fromkeys(reading.problems)))
    return tuple(found)


class _Reading:
    """Reads values at places and notes every problem."""

    def __init__(self, lines: Mapping[Place, int], file: str) -> None:
        self.problems: list[str] = []
        self._lines = lines
        self._file = file

    def query(self, value: object, place: Place) -> Labelled:
        if not isinstance(value, Mapping):
            self.wrong(place, f"a question with its answers is expected ({', '.join(KEYS)}), not {_shown(value)}")
            value = {"question": "-", "expect": ["-"]}
        for key in value:
            if key not in KEYS:
                near = nearest(str(key), KEYS)
                ask = f"did you mean {near}?" if near else f"known are {', '.join(KEYS)}"
                self.wrong((*place, key), f"unknown key {key}; {ask}")
        for key in ("question", "expect"):
            if key not in value:
                self.wrong(place, f"{key} is missing")
        expected = self._texts(value, "expect", place)
        if "expect" in value and not value["expect"]:
            self.wrong((*place, "expect"), "expect names no item; a question that nothing answers cannot be counted")
        return Labelled(
            self._text(value, "question", place) or "",
            tuple(Expectation(name, self.line((*place, "expect", index))) for index, name in expected),
            self.line(place),
            self._text(value, "scope", place),
            tuple(name for _, name in self._texts(value, "type", place)),
            self._text(value, "as_of", place),
            self._flag(value, "all", place),
            tuple(name for _, name in self._texts(value, "files", place)),
        )

    def wrong(self, place: Place, reason: str) -> None:
        self.problems.append(f"{self._file}:{self.line(place)}: {reason}")

    def line(self, place: Place) -> int:
        """The line of a place, or of the nearest thing around it."""
        while place and place not in self._lines:
            place = place[:-1]
        return self._lines.get(place, 1)

    def _text(self, record: Mapping[str, object], key: str, place: Place) -> str | None:
        value = record.get(key)
        if key not in record:
            return None
        if not isinstance(value, str) or not value.strip():
            self.wrong((*place, key), f"{key} must be text, not {_shown(value)}")
            return None
        if len(value) > LONGEST_QUESTION:
            self.wrong((*place, key), f"{key} is longer than {LONGEST_QUESTION:,} characters")
        return value.strip()

    def _texts(self, record: Mapping[str, object], key: str, place: Place) -> list[tuple[int, str]]:
        """The texts of a list, or a text alone, with their places in it."""
        value = record.get(key, [])
        values: Sequence[object] = value if isinstance(value, list) else [value]
        found: list[tuple[int, str]] = []
        for index, each in enumerate(values):
            at = (*place, key, index)
            if not isinstance(each, str) or not each.strip():
                self.wrong(at, f"{key} must be text or a list of texts, not {_shown(each)}")
            elif each.strip() in [name for _, name in found]:
                self.wrong(at, f"{key} names {each.strip()} twice")
            else:
                found.append((index, each.strip()))
        return found

    def _flag(self, record: Mapping[str, object], key: str, place: Place) -> bool:
        value = record.get(key, False)
        if not isinstance(value, bool):
            self.wrong((*place, key), f"{key} must be true or false, not {_shown(value)}")
        return value is True


def _shown(value: object) -> str:
    if value is None or value == "":
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return repr(value[:40])
    if isinstance(value, list):
        return "a list"
    return "a mapping" if isinstance(value, Mapping) else str(value)
