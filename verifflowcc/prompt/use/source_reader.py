"""Read the sources of a prompt, a brief or a hook's answer one by one: a source that fails is left out with a notice.

Every virtual source is read through here. The notice is short and the same on every machine; what happened in detail,
with the traceback of an exception that is a fault of ours, is in `.memory/local/source-errors.jsonl`.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import verifflowcc
from verifflowcc.base.errors import BudgetError, StrictError, VfccError
from verifflowcc.base.process.clock import OutOfTimeError
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.plain_words import plain_line
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.store.partitions import add_fault

_T = TypeVar("_T")
LOG = "local/source-errors.jsonl"
"""Below `.memory/`. Each line is an object: `time` in milliseconds, `source`, `error`, `traceback` (may be empty)."""

_ABOUT_THE_WHOLE = (BudgetError, StrictError, OutOfTimeError)
"""Errors of the prompt or brief itself: no source is to blame, and leaving one out would hide them."""
_LONGEST_LOG_BYTES = 262_144
_LONGEST, _LONGEST_TRACEBACK = 300, 8_000
_PACKAGE = Path(verifflowcc.__file__).parent


@dataclass(frozen=True, slots=True)
class SourceFailure:
    """A source that was left out, why, and the command that helps."""

    source: str
    reason: str
    hint: str


@dataclass(slots=True)
class SourceReader:
    """Reads sources and notes those that fail in `failures`.

    `workspace` is the project whose log has the details; None where there is no project. `root` is the folder that the
    sources lie in, where that is another one (a commit's files lie in a temporary folder, which no notice may name).
    """

    workspace: Workspace | None = None
    root: Path | None = None
    failures: list[SourceFailure] = field(default_factory=list)

    @property
    def notices(self) -> tuple[str, ...]:
        """One line for each reason, with the sources that were left out for it."""
        sources: dict[tuple[str, str], list[str]] = {}
        for each in self.failures:
            sources.setdefault((each.reason, each.hint), []).append(each.source)
        return tuple(
            f"{', '.join(names)} left out: {reason} (hint: {hint})" for (reason, hint), names in sources.items()
        )

    def read(self, source: str, ask: Callable[[], _T], instead: _T) -> _T:
        """Return what `ask` returns; where that raises, note why the source is left out, and return `instead`.

        What ends the whole command passes: an interrupt, a time limit, errors of the budget or of `--strict`.
        """
        try:
            return ask()
        except _ABOUT_THE_WHOLE:
            raise
        except Exception as error:  # noqa: BLE001 - one source must not take the others with it, whatever its fault is
            self._note(source, error)
            return instead

    def has_failed(self, source: str) -> bool:
        """Say whether a source was left out."""
        return any(each.source == source for each in self.failures)

    def _note(self, source: str, error: Exception) -> None:
        hint = (error.hint if isinstance(error, VfccError) else None) or "vfcc doctor"
        reason, hint = (plain_line(withhold(self._anywhere(text)), _LONGEST) for text in (_reason(error), hint))
        self.failures.append(SourceFailure(source, reason, hint))
        if self.workspace is not None:
            _log(self.workspace, source, error)

    def _anywhere(self, text: str) -> str:
        """Return a text without the folders of this machine: the same in every clone."""
        for root in (self.root, self.workspace.root if self.workspace else None):
            text = text.replace(f"{root}/", "").replace(f"{root}", "the project") if root else text
        return text


def _reason(error: Exception) -> str:
    """Return a clause. The text of an unexpected error is left to the log: it may differ from one run to the next."""
    if isinstance(error, VfccError):
        return error.message.replace("\n", "; ")
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'the system'}: {error.strerror}"
    return f"unexpected {type(error).__name__} in {_place(error)}"


def _place(error: Exception) -> str:
    """Return file and line of the innermost frame that is ours."""
    import traceback

    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(_PACKAGE)
    ]
    last = frames[-1]
    return f"{Path(last.filename).relative_to(_PACKAGE).as_posix()}:{last.lineno}"


def _log(workspace: Workspace, source: str, error: Exception) -> None:
    """Write down what happened; nothing where the log cannot be written, since the notice says the main thing."""
    import traceback

    expected = isinstance(error, VfccError)
    line = {
        "time": int(workspace.clock.now().timestamp() * 1000),
        "source": source,
        "error": withhold(f"{type(error).__name__}: {error}"),
        "traceback": "" if expected else withhold("".join(traceback.format_exception(error)))[-_LONGEST_TRACEBACK:],
    }
    try:
        data = json.dumps(line).encode("ascii") + b"\n"
        add_fault(str(workspace.memory / LOG), data, _LONGEST_LOG_BYTES)
    except (OSError, ValueError):
        return
