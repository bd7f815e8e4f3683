"""A terminal session as an animated SVG, without scripts or fonts of its own, so that it runs in a README.

A scene is a list of lines. Each scene starts on an empty screen, and its lines appear one after another, at a pace for
reading: how long the commands took is not shown. Where motion is not wanted or not supported, the last scene is shown.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from textwrap import wrap

Scene = list[str]
COLUMNS = 92
LONGEST_MS = 25_000
KINDS = {"# ": "caption", "$ ": "command"}
PACE_MS = {"caption": 2_000, "command": 1_000, "output": 250}
HOLD_MS = 2_500
INDENT = "    "
SIZE, ADVANCE, LEADING, MARGIN, BAR = 15, 9.03, 22, 18, 30
"""In pixels: the size of the font, the width of a character in it, the height of a row, the frame's margin and bar."""
CLASSES = {
    "bad": r"(?<= )fail(?= )|^error|all \d+ tests still pass|^\[exit \d+\]|^-.*",
    "good": r"(?<= )pass(?= )|\d+ passed\b|red without the change, green with it|^\+.*|\d of \d stages passed",
}
STYLE = """\
    svg { --back: #ffffff; --edge: #d0d7de; --text: #1f2328; --dim: #59636e; --bad: #c4161c; --good: #116329; }
    @media (prefers-color-scheme: dark) {
      svg { --back: #0d1117; --edge: #3d444d; --text: #e6edf3; --dim: #9198a1; --bad: #ff7b72; --good: #56d364; }
    }
    rect { fill: var(--back); stroke: var(--edge); }
    circle { fill: var(--edge); }
    text { fill: var(--text); font: %dpx ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
    .caption { fill: var(--dim); font-style: italic; }
    .command { font-weight: bold; }
    .bad { fill: var(--bad); }
    .good { fill: var(--good); }
    .early { visibility: hidden; }
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the screen, and from when to when it is seen, in milliseconds."""

    text: str
    kind: str
    place: int
    start: int
    end: int


def animation(scenes: Sequence[Scene]) -> str:
    """Return the SVG of `scenes`; it repeats after at most 25 seconds."""
    rows, total = schedule(scenes)
    height = BAR + 2 * MARGIN + LEADING * (1 + max(row.place for row in rows))
    width = round(COLUMNS * ADVANCE) + 2 * MARGIN
    dots = "".join(f'  <circle cx="{MARGIN + 4 + 18 * dot}" cy="{BAR // 2 + 4}" r="5"/>\n' for dot in range(3))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">\n'
        f"  <style>\n{STYLE % SIZE}{''.join(_moves(rows, total))}  </style>\n"
        f'  <rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>\n'
        f"{dots}{''.join(_texts(rows, total))}</svg>\n"
    )


def schedule(scenes: Sequence[Scene]) -> tuple[list[Row], int]:
    """Return the rows in order, and the length of all, which is scaled down to the longest allowed."""
    shown: list[Row] = []
    now = 0
    for scene in scenes:
        placed: list[tuple[str, str, int]] = []
        for line in scene:
            kind = KINDS.get(line[:2], "output")
            parts = wrap(line, COLUMNS, subsequent_indent=INDENT, break_on_hyphens=False) or [""]
            placed += [(part, kind, now) for part in parts]
            now += PACE_MS[kind] * len(parts)
        now += HOLD_MS
        shown += [Row(text, kind, place, start, now) for place, (text, kind, start) in enumerate(placed)]
    total = min(now, LONGEST_MS)
    return [replace(row, start=row.start * total // now, end=row.end * total // now) for row in shown], total


def _moves(rows: Sequence[Row], total: int) -> Iterator[str]:
    """Yield a rule of motion for each row."""
    for number, row in enumerate(rows):
        yield (
            f"    @keyframes r{number} {{ 0% {{ visibility: hidden; }}"
            f" {row.start * 100 / total:.2f}% {{ visibility: visible; }}"
            f" {row.end * 100 / total:.2f}% {{ visibility: hidden; }} }}\n"
        )
    yield "    @media (prefers-reduced-motion: no-preference) {\n"
    yield f"      text {{ animation: {total / 1000:.2f}s step-end infinite; }}\n"
    yield from (f"      #r{number} {{ animation-name: r{number}; }}\n" for number in range(len(rows)))
    yield "    }\n"


def _texts(rows: Sequence[Row], total: int) -> Iterator[str]:
    """Yield the text of each row; those that are gone at the end are hidden where nothing moves."""
    for number, row in enumerate(rows):
        classes = f"{row.kind} early" if row.end < total else row.kind
        y = BAR + MARGIN + LEADING * row.place + SIZE
        place = f'class="{classes}" x="{MARGIN}" y="{y}"'
        yield f'  <text id="r{number}" {place} xml:space="preserve">{_coloured(row)}</text>\n'


def _coloured(row: Row) -> str:
    """The text of a row, escaped, with the words that decide in colour."""
    if row.kind != "output":
        return escape(row.text, quote=False)
    pattern = "|".join(f"(?P<{name}>{each})" for name, each in CLASSES.items())
    parts: list[str] = []
    done = 0
    for found in re.finditer(pattern, row.text):
        parts += [escape(row.text[done : found.start()], quote=False)]
        parts += [f'<tspan class="{found.lastgroup}">{escape(found[0], quote=False)}</tspan>']
        done = found.end()
    return "".join(parts) + escape(row.text[done:], quote=False)
