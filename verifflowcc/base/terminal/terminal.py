"""Whether a person looks at a stream, and how text is drawn for them: colours, symbols, and shapes by rich.

In a pipe, with NO_COLOR, TERM=dumb or CI, and under `--no-color`, text stays plain. At a terminal, styled text carries
marks that `output.emit` and `output.say` turn into colour last, so that secrets are withheld and control characters
written out before. The marks hold random letters: text in a file cannot forge one.

This module imports next to nothing, since `fast` needs it; rich is imported where a shape is drawn.
"""

import os
import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Collection
    from typing import TextIO

    from rich.console import RenderableType
    from rich.live import Live

    from verifflowcc.base.use.workspace import Workspace


_BEGIN, _END = "\ufdd0", "\ufdd1"
"""Noncharacters, which Unicode keeps for a program's own use."""
_SETTINGS = {"color": True, "quiet": False, "verbose": False}
"""For this process: `fast` sets them from the options before the command, each command from those behind it."""
_KEY: list[str] = []
CODES = {
    "good": "32",
    "bad": "1;31",
    "warn": "33",
    "accent": "36",
    "quiet": "2",
    "strong": "1",
}
"""The colours of the terminal's own palette, so that they fit a dark background and a light one."""
RICH = {
    "good": "green",
    "bad": "bold red",
    "warn": "yellow",
    "accent": "cyan",
    "quiet": "dim",
    "strong": "bold",
}
"""The same styles in the words of rich."""
LABELS = {"next": "strong", "hint": "strong", "to do": "strong", "error": "bad", "warning": "warn", "note": "quiet"}
"""Words before a colon that begin a line of the program's own, and their styles."""
_COMMANDS = ("next", "hint", "to do")
SYMBOLS = {
    "passed": ("✓", "+", "good"),
    "failed": ("✗", "X", "bad"),
    "stale": ("~", "~", "warn"),
    "missing": ("!", "!", "bad"),
    "waived": ("◇", "w", "warn"),
    "pending": ("·", ".", "quiet"),
    "active": ("▶", ">", "accent"),
    "blocked": ("■", "#", "bad"),
    "skipped": ("×", "x", "quiet"),
    "open": ("○", "o", "accent"),
    "closed": ("●", "*", "quiet"),
}
"""A symbol for each status word, as Unicode and as ASCII, and its colour. The word is beside it on every screen."""


def apply_flags(flags: "Collection[str]") -> None:
    """Apply the flags that are given, by any of their names; NO_COLOR is set for the programs that it starts, too."""
    from verifflowcc.base.model.command_words import NO_COLOR, QUIET, VERBOSE

    _SETTINGS["quiet"] |= not set(QUIET).isdisjoint(flags)
    _SETTINGS["verbose"] |= not set(VERBOSE).isdisjoint(flags)
    if NO_COLOR in flags:
        os.environ["NO_COLOR"] = "1"


def is_quiet() -> bool:
    """Whether notes and progress are left out."""
    return _SETTINGS["quiet"]


def is_verbose() -> bool:
    """Whether notes say what a command works on."""
    return _SETTINGS["verbose"]


def switch_color_off() -> None:
    """Switch colours and shapes off for this process."""
    _SETTINGS["color"] = False


def wants_color(stream: "TextIO | None" = None) -> bool:
    """Return whether a person looks at `stream` (default: stdout) who wants colours and shapes."""
    return _SETTINGS["color"] and not os.environ.get("NO_COLOR") and can_draw(stream)


def can_draw(stream: "TextIO | None" = None) -> bool:
    """Return whether `stream` (default: stdout) is a terminal on which the cursor can move, outside of CI."""
    if os.environ.get("TERM", "") in ("", "dumb") or os.environ.get("CI", "").lower() not in ("", "0", "false"):
        return False
    return (sys.stdout if stream is None else stream).isatty()


def has_unicode(stream: "TextIO | None" = None) -> bool:
    """Return whether `stream` (default: stdout) takes every character; a legacy console gets ASCII."""
    encoding = (sys.stdout if stream is None else stream).encoding or "ascii"
    return encoding.replace("-", "").lower() == "utf8"


def shows_progress() -> bool:
    """Return whether a person looks at stderr who wants to see there how far work is."""
    return can_draw(sys.stderr) and os.environ.get("VFCC_PROGRESS") != "never"


UNBOUNDED = 1_000
"""Columns in a pipe, where nothing is folded or cut."""


def width_of(stream: "TextIO") -> int:
    """Return the columns of the terminal behind `stream`; `UNBOUNDED` where there is none."""
    if not stream.isatty():
        return UNBOUNDED
    asked = os.environ.get("COLUMNS", "")
    if asked.isascii() and asked.isdecimal() and int(asked) > 0:
        return int(asked)
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80


def live_on_stderr(renderable: "Callable[[], RenderableType]") -> "Live":
    """Return a display on stderr, begun, that draws when it is refreshed.

    The cursor stays visible: a killed process could not show it again. Raises OSError where the terminal is gone.
    """
    from rich.console import Console
    from rich.live import Live

    class VisibleCursor(Console):
        def show_cursor(self, show: bool = True) -> bool:
            return True

    live = Live(
        console=VisibleCursor(
            file=sys.stderr, color_system="auto" if wants_color(sys.stderr) else None, highlight=False
        ),
        get_renderable=renderable,
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    live.start()
    return live


def encodable(text: str) -> str:
    """Return a text with signs in the place of what stderr cannot encode."""
    if has_unicode(sys.stderr):
        return text
    encoding = sys.stderr.encoding or "ascii"
    return text.replace(" · ", " - ").encode(encoding, "replace").decode(encoding)


def painted(text: str, style: str, stream: "TextIO | None" = None) -> str:
    """Return `text` in a style of `CODES`, where a person wants colours; else the text itself."""
    if not text or not wants_color(stream):
        return text
    return f"{_mark(CODES[style])}{text}{_mark('0')}"


def colored(text: str, stream: "TextIO") -> str:
    """Return `text` with its labels and commands in colour where a person wants that: `next: vfcc …`, `error: …`."""
    if not wants_color(stream):
        return text
    import re

    def label(found: "re.Match[str]") -> str:
        name, rest = found[1], found[2]
        if name not in _COMMANDS:
            return f"{painted(f'{name}:', LABELS[name], stream)} {rest}"
        command, comment, why = rest.partition("  # ")
        return f"{painted(f'{name}:', 'strong', stream)} {painted(command, 'accent', stream)}" + painted(
            f"{comment}{why}", "quiet", stream
        )

    return re.sub(rf"^({'|'.join(LABELS)}): (.*)$", label, text, flags=re.MULTILINE)


def status_symbol(word: str) -> str:
    """Return the symbol of a status word, in its colour; "" for other words."""
    if word not in SYMBOLS:
        return ""
    full, ascii_only, style = SYMBOLS[word]
    return painted(full if has_unicode() else ascii_only, style)


def status_style(word: str) -> str:
    """Return the style of a status word; "" for other words."""
    return SYMBOLS[word][2] if word in SYMBOLS else ""


def drawn(shape: "RenderableType", width: int, stream: "TextIO | None" = None) -> str:
    """Return what rich draws of `shape` in `width` columns, in lines with marks for its colours."""
    from io import StringIO

    from rich.console import Console

    class Sink(StringIO):
        encoding = "utf-8" if has_unicode(stream) else "ascii"

    console = Console(
        file=Sink(),
        width=width,
        force_terminal=True,
        color_system="standard" if wants_color(stream) else None,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
        _environ={},
    )
    with console.capture() as capture:
        console.print(shape)
    text = capture.get().rstrip("\n")
    lines = (text if has_unicode(stream) else text.replace("…", ">")).split("\n")
    return "\n".join(with_marks(line) for line in lines)


def visible(text: str) -> str:
    """Return `text` without marks: what takes columns."""
    return _pattern().sub("", text) if _BEGIN in text else text


def around_marks(text: str, change: "Callable[[str], str]") -> str:
    """Return `text` with `change` applied to everything but its marks."""
    if _BEGIN not in text or not _KEY:
        return change(text)
    parts = _pattern().split(text)
    return "".join(_mark(part) if place % 2 else change(part) for place, part in enumerate(parts))


def revealed(text: str) -> str:
    """Return `text` with a colour for each mark."""
    return _pattern().sub("\x1b[\\1m", text) if _BEGIN in text and _KEY else text


def with_marks(text: str) -> str:
    """Return text of the program's own, which rich or help has coloured, with a mark for each colour."""
    import re

    return re.sub(r"\x1b\[([0-9;]*)m", lambda found: _mark(found[1]), text).rstrip()


def _mark(code: str) -> str:
    return f"{_BEGIN}{_key()}{code}{_END}"


def _key() -> str:
    if not _KEY:
        _KEY.append(f"{os.urandom(8).hex()}:")
    return _KEY[0]


def _pattern() -> "re.Pattern[str]":
    import re

    return re.compile(f"{_BEGIN}{_key()}([0-9;]*){_END}")


def from_root(workspace: "Workspace | None", file: str) -> str:
    """Return the path of a file from the project's root; it may be given from there, from this folder, or whole."""
    if workspace is None or not file:
        return file
    from pathlib import Path

    here = Path.cwd() / file
    root = workspace.root.resolve()
    if here.exists() and (there := here.resolve()).is_relative_to(root):
        return there.relative_to(root).as_posix()
    return file
