"""Calls of tools as learning compares them, and the signature of an error."""

import json

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass

# What is the same in two errors of one cause: their words without paths, numbers, times and quoted names.

LONGEST = 160
_QUOTED = lazy_pattern(r"(['\"`])[^'\"`\n]{1,200}\1")
_PATH = lazy_pattern(r"(?:[A-Za-z]:)?[\w.~-]*(?:[/\\][\w.@+-]+)+")
_NUMBER = lazy_pattern(r"0x[0-9a-fA-F]+|\b[0-9a-f]{12,}\b|\d+")
_SPACE = lazy_pattern(r"\s+")
_ERROR_WORDS = lazy_pattern(
    r"(?i)error|exception|fail|fatal|panic|not found|no such|denied|cannot|undefined|unexpected"
)


def signature_of(error: str) -> str:
    """Return the signature of an error; empty where there are no words in it.

    The line that names the error is taken: the last one that looks like it, else the last that says anything.

    >>> signature_of("Traceback:\\n  File \\"a.py\\", line 3\\nKeyError: 'user_17'")
    'keyerror: ?'
    >>> signature_of("Exit code 2\\nsrc/app.py:12: error: Name 'x' is not defined")
    '?:#: error: name ? is not defined'
    """
    lines = [line.strip() for line in error[:4000].split("\n") if line.strip()]
    telling = [line for line in lines if _ERROR_WORDS.search(line)]
    if not lines:
        return ""
    line = (telling or lines)[-1]
    for pattern, word in ((_QUOTED, "?"), (_PATH, "?"), (_NUMBER, "#"), (_SPACE, " ")):
        line = pattern.sub(word, line)
    return line.casefold().strip()[:LONGEST]


_LONGEST_COMMAND = 120


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool, with the parts that learning compares.

    `changed` are the files that it edited or wrote; `touched` are all files of the call, if the caller asked for them.
    """

    session: str
    task: str | None
    at_ms: int
    time: str
    tool: str
    parameters: str
    success: bool | None
    signature: str
    error: str
    changed: tuple[str, ...]
    touched: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The shell command on one line; empty for other tools."""
        return " ".join(self.given("command").split())[:_LONGEST_COMMAND] if self.tool == "Bash" else ""

    def given(self, name: str) -> str:
        """Return a text parameter; empty where it is missing or no text."""
        try:
            value = json.loads(self.parameters)
        except ValueError:
            return ""
        found = value.get(name) if isinstance(value, dict) else None
        return found if isinstance(found, str) else ""
