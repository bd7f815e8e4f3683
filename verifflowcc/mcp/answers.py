"""What a tool answers: text for a model, its last line the next step, within a number of tokens."""

from collections.abc import Callable, Sequence

from verifflowcc.domain.command_classes import CI_TOO, PERSON, class_of
from verifflowcc.records import dataclass
from verifflowcc.services.sent_prompts import project_counter
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.invisible import printable
from verifflowcc.text.secrets import withhold

MOST_TOKENS = 1500
"""The most that an answer takes unless a budget is given."""
MOST_CHARACTERS = 40_000
"""Two clients cut a result in the middle, or put it into a file, from about 45,000 characters on."""
_SURELY_FITS = 1400
_TOOLS = {"stage advance": "advance", "evidence run": "check", "next": "next", "check gate": "check"}


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The text of an answer; `refused` says that nothing was done."""

    text: str
    refused: bool = False


def answer(workspace: Workspace, lines: Sequence[str], step: str, *, budget_tokens: int = MOST_TOKENS) -> ToolAnswer:
    """Return lines as an answer within a budget; what does not fit is counted, and the last line is the next step."""
    shown = [printable(withhold(line)) for text in lines for line in text.split("\n")]
    last = f"next: {printable(step)}"
    whole = "\n".join([*shown, last])
    if len(whole) <= min(_SURELY_FITS, budget_tokens):
        return ToolAnswer(whole)
    with project_counter(workspace) as counter:
        fits = _most_that_fit(shown, last, lambda text: counter.count(text) <= budget_tokens)
    if fits < len(shown):
        shown = [*shown[:fits], _missing(len(shown) - fits)]
    return ToolAnswer("\n".join([*shown, last]))


def refusal(message: str, step: str) -> ToolAnswer:
    """Return why nothing was done, and what leads on."""
    reason = printable(withhold(message))[: MOST_CHARACTERS // 8]
    return ToolAnswer(f"refused: {reason}\nnext: {printable(step)}", refused=True)


def step_of(command: str | None, stay: str = "") -> str:
    """Return a command of `vfcc` as the call that does it; `stay` is the stay in the active stage.

    >>> step_of("vfcc stage put plan.md  # or write it")
    'put(name="plan.md", text=…)'
    >>> step_of("vfcc approve plan")
    'only a person can do this, at a terminal: vfcc approve plan'
    >>> step_of("vfcc trace list"), step_of("write a test")
    ('in a shell: vfcc trace list', 'write a test')
    """
    if not command:
        return "next()"
    words = command.partition("  # ")[0].split()
    if not words or words[0] != "vfcc":
        return command
    if words[1:3] == ["stage", "put"] and "--stage" not in words:
        return f'put(name="{words[3]}", text=…)'
    if class_of(words[1:]) in (PERSON, CI_TOO):
        return f"only a person can do this, at a terminal: {' '.join(words)}"
    if words[1:3] == ["sprint", "close"]:
        return 'advance(stage="close")'
    tool = next((name for start, name in _TOOLS.items() if words[1:] == start.split()), None)
    if tool == "advance":
        return f'advance(stage="{stay}")' if stay else "next()"
    if words[1:3] == ["evidence", "run"]:
        return f'check(criterion="{words[3]}")' if len(words) > 3 and not words[3].startswith("-") else "check()"
    return f"{tool}()" if tool else f"in a shell: {command}"


def _most_that_fit(lines: Sequence[str], last: str, fits: Callable[[str], bool]) -> int:
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        missing = [_missing(len(lines) - middle)] if middle < len(lines) else []
        text = "\n".join([*lines[:middle], *missing, last])
        if len(text) <= MOST_CHARACTERS and fits(text):
            low = middle
        else:
            high = middle - 1
    return low


def _missing(count: int) -> str:
    return f"({count} more lines were left out; ask for less, or with a larger budget)"
