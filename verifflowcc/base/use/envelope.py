"""The document itself: `{"ok": true, "data": …}`, or `{"ok": false, "error": …, "blockers": […]}`."""

from verifflowcc.base.errors import GateClosed, VfccError
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.document_form import Json, form


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a command failed: a word that stays, a sentence, a command to run, and what keeps a gate closed."""

    code: str
    message: str
    hint: str | None = None
    blockers: tuple[object, ...] = ()


NOTHING = object()
"""In the place of data, where there is none."""

BY_EXIT_CODE = {
    1: Problem("findings", "the command has findings; they are in data"),
    2: Problem("usage", "the command line does not fit"),
    3: Problem("not_evaluable", "there is nothing to evaluate, or something could not be"),
    4: Problem("gate_closed", "a gate is closed"),
    5: Problem("conflict", "the sprint was moved on two sides", "vfcc sprint resolve"),
    6: Problem("waiting", "a run waits for a person", "vfcc run status"),
    7: Problem("limit", "a run reached a limit", "vfcc run status"),
    130: Problem("interrupted", "interrupted"),
}
"""What a failure is called that names nothing more than its exit code."""


def problem_of(error: VfccError) -> Problem:
    """Return an error as a program reads it; what a message lists of a closed gate is in the blockers alone."""
    blockers = error.blockers if isinstance(error, GateClosed) else ()
    message = error.message.partition("\n")[0] if blockers else error.message
    return Problem(error.code, message, error.hint, blockers)


def problem_with(exit_code: int) -> Problem:
    """Return the problem of a command that ended with an exit code and gave no reason."""
    return BY_EXIT_CODE.get(exit_code) or Problem("error", "the command failed")


def document(data: object, problem: Problem | None, *, full: bool) -> Json:
    """Return the document: `data` where there is any, and the problem where there is one."""
    shown: dict[str, Json] = {"ok": problem is None}
    if problem is not None:
        shown["error"] = {"code": problem.code, "message": problem.message, "hint": problem.hint}
        shown["blockers"] = form(problem.blockers, full=full)
    if data is not NOTHING:
        shown["data"] = form(data, full=full)
    return shown


def document_text(value: Json, *, indent: bool = False) -> str:
    """Return a document as text, without secrets and with invisible characters escaped; compact unless indented."""
    import json

    from verifflowcc.base.text.hidden_text import escape_invisible, withhold_json

    separators = None if indent else (",", ":")
    text = json.dumps(withhold_json(value), indent=2 if indent else None, separators=separators, ensure_ascii=False)
    return escape_invisible(text)


def data_text(value: object, *, full: bool = False) -> str:
    """Return the document of a command that succeeded, as one line."""
    return document_text(document(value, None, full=full)) + "\n"
