"""Typed reading of a workflow's YAML that notes every problem, with its line, and goes on."""

from collections.abc import Callable, Collection, Mapping

from verifflowcc.adapters.config.yaml_values import Ambiguous, Lines, Loc
from verifflowcc.text.article import nearest

LONGEST_TEXT = 300
Record = Mapping[str, object]


class Reader:
    """Reads values at places in one file; `problems` are sentences that begin with `file:line:`."""

    def __init__(self, file: str, lines: Lines, problems: Collection[str] = ()) -> None:
        self._found: list[tuple[int, str]] = [(int(each.split(":", 2)[1]), each) for each in problems]
        self._file = file
        self._lines = lines

    @property
    def problems(self) -> tuple[str, ...]:
        """What was wrong so far, each thing once, in the order of the lines."""
        return tuple(dict.fromkeys(told for _, told in sorted(self._found, key=lambda one: one[0])))

    def wrong(self, place: Loc, reason: str) -> None:
        """Note a problem at the line of `place`, or of the nearest thing around it."""
        while place and place not in self._lines:
            place = place[:-1]
        line = self._lines.get(place, 1)
        self._found.append((line, f"{self._file}:{line}: {reason}"))

    def record(self, value: object, place: Loc, known: Collection[str], needed: Collection[str] = ()) -> Record:
        """Return a mapping; note keys that are unknown or missing. Empty where the value is no mapping."""
        if not isinstance(value, Mapping):
            self.wrong(place, f"a mapping with {', '.join(known)} is expected, not {shown(value)}")
            return {}
        for key in value:
            if key not in known:
                self.wrong((*place, key), f"unknown key {key}; {self.ask(key, known)}")
        for key in needed:
            if key not in value:
                self.wrong(place, f"{key} is missing")
        return value

    def text(self, record: Record, key: str, place: Loc) -> str | None:
        """Return a text that is not blank; None where the key is not there, or is not one (which is noted)."""
        if key not in record:
            return None
        value = record[key]
        if isinstance(value, str) and value.strip():
            if not value.isprintable():
                self.wrong((*place, key), f"{key} holds a control character")
            elif len(value) > LONGEST_TEXT:
                self.wrong((*place, key), f"{key} is longer than {LONGEST_TEXT} characters")
            return value
        self.wrong((*place, key), f"{key} must be text, not {shown(value)}")
        return None

    def named(self, record: Record, key: str, place: Loc, problem: Callable[[str], str | None]) -> str | None:
        """Return a text with which `problem` finds nothing wrong."""
        value = self.text(record, key, place)
        found = problem(value) if value else None
        if found:
            self.wrong((*place, key), f"{key} {value!r} {found}")
        return None if found else value

    def choice(self, record: Record, key: str, place: Loc, options: Collection[str]) -> str | None:
        """Return one of `options`; None where the key is not there, or is none of them (which is noted)."""
        if key not in record:
            return None
        value = record[key]
        if isinstance(value, Ambiguous) and value.text in options:
            return value.text
        if isinstance(value, str) and value in options:
            return value
        near = nearest(value, options) if isinstance(value, str) else None
        also = f"; did you mean {near}?" if near else ""
        self.wrong((*place, key), f"{key} must be one of {', '.join(options)}, not {shown(value)}{also}")
        return None

    def flag(self, record: Record, key: str, place: Loc, default: bool) -> bool:
        """Return true or false."""
        value = record.get(key, default)
        if isinstance(value, bool):
            return value
        self.wrong((*place, key), f"{key} must be true or false, not {shown(value)}")
        return default

    def whole(self, record: Record, key: str, place: Loc, least: int, most: int) -> int | None:
        """Return a whole number in a range."""
        value = record.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        if key in record:
            self.wrong((*place, key), f"{key} must be a whole number from {least} to {most:,}, not {shown(value)}")
        return None

    def texts(
        self, record: Record, key: str, place: Loc, problem: Callable[[str], str | None] = lambda _: None
    ) -> tuple[str, ...]:
        """Return a list of texts with which `problem` finds nothing wrong; what is wrong is left out."""
        value = record.get(key, [])
        if not isinstance(value, list):
            self.wrong((*place, key), f"{key} must be a list, not {shown(value)}")
            return ()
        found = []
        for index, each in enumerate(value):
            at: Loc = (*place, key, index)
            if not isinstance(each, str) or not each.strip():
                self.wrong(at, f"an item of {key} must be text, not {shown(each)}")
            elif not each.isprintable():
                self.wrong(at, f"an item of {key} holds a control character")
            elif each in found:
                self.wrong(at, f"{key} names {each} twice")
            elif reason := problem(each):
                self.wrong(at, f"{key}: {each!r} {reason}")
            else:
                found.append(each)
        return tuple(found)

    @staticmethod
    def ask(name: str, known: Collection[str]) -> str:
        """Return the nearest name as a question, else all names."""
        near = nearest(name, known)
        return f"did you mean {near}?" if near else f"known are {', '.join(known)}"


def shown(value: object) -> str:
    """Return a value as it may stand in a sentence."""
    if isinstance(value, Ambiguous):
        return f"{value.text} (YAML reads it as {value.reading}; {value.advice})"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value[:40]}"' if value.isprintable() else "a text with control characters"
    if isinstance(value, list):
        return "a list"
    return "a mapping" if isinstance(value, Mapping) else str(value)
