"""A Markdown text by its sections: each heading with the beginning of what is written below it, one line each."""

from collections.abc import Callable, Sequence

from verifflowcc.text.breaks import word_ends
from verifflowcc.text.extract import WEIGHTY
from verifflowcc.text.sections import sections

LENGTHS = (640, 520, 400, 280, 200, 140, 100, 70, 40, 0)
"""So many characters of each section, the most that fits; three times as many of decisions and open points."""
_WEIGHT, _LEVELS = 3, (6, 2, 1)


def section_lines(text: str, longest: int, levels: int = 6) -> tuple[str, ...]:
    """Return a line for each section down to a level: its heading, and so many characters of its text.

    >>> section_lines("# Plan\\nA form, then tests.\\n\\n## Open\\n- Who signs?\\n- When?\\n", 10)
    ('# Plan: A form,…', '## Open: - Who signs? - When?')
    """
    found = []
    for section in sections(text):
        if section.level > levels:
            continue
        lines = text[section.start : section.end].splitlines()
        body = " ".join(" ".join(lines[_heading_lines(lines) if section.level else 0 :]).split())
        start = _start(body, longest * (_WEIGHT if WEIGHTY.match(section.title) else 1))
        heading = f"{'#' * section.level} {section.title}" if section.level else ""
        if heading or start:
            found.append(f"{heading}: {start}" if heading and start else heading or start)
    return tuple(found)


def outline(text: str, fits: Callable[[str], bool]) -> str:
    """Return the sections of a text with as much of each as fits; the headings alone, or the upper ones, at the least.

    Empty where not even those fit.
    """
    for longest in LENGTHS:
        if fits(found := "\n".join(section_lines(text, longest))):
            return found
    for levels in _LEVELS[1:]:
        if fits(found := "\n".join(section_lines(text, 0, levels))):
            return found
    return ""


def _heading_lines(lines: Sequence[str]) -> int:
    """Return how many lines a section's heading takes: one, or those down to the rule that underlines it."""
    if lines[0].lstrip().startswith("#"):
        return 1
    rules = (number for number, line in enumerate(lines, 1) if line.strip() and set(line.strip()) <= {"=", "-"})
    return next(rules, 1)


def _start(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    ends = [end for end in word_ends(text, 0, longest) if end <= longest]
    return f"{text[: ends[-1]].rstrip()}…" if ends else ""
