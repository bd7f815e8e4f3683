"""Every error that vfcc raises on purpose.

One class per thing the caller can do about it. The exit code and the `code` that programs read are on the class, the
hint (a command to run) on the instance. `cli` and `fast` map them to the terminal; nothing else does.
"""


class VfccError(Exception):
    """A problem in one sentence: subject, then fact."""

    exit_code = 3
    code = "error"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class FindingsError(VfccError):
    """A check ran and found something."""

    exit_code = 1
    code = "findings"


class UsageError(VfccError):
    """The command's words do not fit: an unknown agent, stage or option value."""

    exit_code = 2
    code = "usage"


class WorkspaceError(VfccError):
    """There is no usable `.memory/` here, or it cannot be read or written."""

    code = "workspace"


class FormatError(VfccError):
    """A file is invalid; the message begins with `file:line:`."""

    code = "format"


class ConfigError(FormatError):
    """`config.yaml` or `workflow.yaml` says something that vfcc cannot do."""

    code = "config"

    def __init__(self, problems: tuple[str, ...], *, hint: str | None = None) -> None:
        super().__init__("\n".join(problems), hint=hint)
        self.problems = problems


class TemplateError(FormatError):
    """A prompt template uses more of Jinja than a prompt may."""

    code = "template"


class LedgerError(FormatError):
    """An event file is not one that vfcc wrote."""

    code = "ledger"


class BackendError(VfccError):
    """A store of items cannot do what it was asked: it is not there, closed, full, or refuses."""

    code = "backend"


class ModelError(VfccError):
    """A language model did not answer, or gave an unusable answer; `why` is the counted cause.

    `tokens` is what it used all the same, in and out together; None if unknown.
    """

    code = "model"

    def __init__(self, message: str, *, why: str, tokens: int | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.why = why
        self.tokens = tokens


class SecretError(VfccError):
    """A text contains what looks like a secret; the message has its kind and place only."""

    exit_code = 2
    code = "secret"


class BudgetError(VfccError):
    """The token budget cannot hold the prompt; `needed` is the smallest that would."""

    code = "budget"

    def __init__(self, message: str, *, needed: int, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.needed = needed


class StrictError(VfccError):
    """Under `--strict`, something that must be in the prompt is missing or not whole."""

    code = "strict"


class NotAllowed(VfccError):  # noqa: N818 - reads as what happened
    """This actor may not do this: no person at a terminal, the author, or a criterion that cannot be waived."""

    code = "not_allowed"


class CommandsNotAllowed(NotAllowed):
    """The project's commands are not allowed on this machine, or changed since they were."""

    code = "commands_not_allowed"


class GateClosed(VfccError):  # noqa: N818 - reads as what happened
    """A stage cannot be left or entered yet; `blockers` are the criteria that block it, as in `vfcc next`."""

    exit_code = 4
    code = "gate_closed"

    def __init__(self, message: str, *, hint: str | None = None, blockers: tuple[object, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.blockers = blockers


class ConflictError(VfccError):
    """Somebody else moved first: a fork, a held lock, heads that changed, a merge left unfinished."""

    exit_code = 5
    code = "conflict"


class FileErrors:
    """Raise what the system refuses in a block as an error of ours: `cannot DO WHAT: why`.

    `what` is the file, by default the one that the system names.

    >>> with FileErrors("read", "notes.md"):
    ...     raise PermissionError(13, "Permission denied")
    Traceback (most recent call last):
    verifflowcc.base.errors.WorkspaceError: cannot read notes.md: Permission denied
    """

    def __init__(self, do: str, what: object = None, *, raises: type[VfccError] = WorkspaceError) -> None:
        self._do, self._what, self._raises = do, what, raises

    def __enter__(self) -> None:
        """Begin the block."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        """Raise the error, if there is one of the system."""
        if isinstance(error, OSError):
            what = error.filename if self._what is None else self._what
            raise self._raises(f"cannot {self._do} {what}: {error.strerror or error}") from error
