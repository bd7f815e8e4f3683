"""How it is shown what became of clients' files."""

from verifflowcc.history.rules.client_files import FileOutcome
from verifflowcc.history.use.integrating import ClientFile, IntegrationResult


def lines(done: IntegrationResult) -> str:
    """Return a line for each file, and what is left to do below it."""
    shown = []
    for each in done.files:
        shown.append(_line(each, would=done.dry_run))
        if each.outcome is FileOutcome.EDITED or not done.dry_run:
            shown += [f"  {step}" for step in each.steps]
    return "\n".join(shown)


def _line(file: ClientFile, *, would: bool) -> str:
    hooks = f"{len(file.events)} hook{'' if len(file.events) == 1 else 's'}"
    if file.outcome is FileOutcome.WRITTEN:
        return f"{'would write' if would else 'wrote'}: {file.path} ({hooks})"
    if file.outcome is FileOutcome.REMOVED:
        return f"{'would remove' if would else 'removed'}: {hooks} from {file.path}"
    if file.outcome is FileOutcome.EDITED:
        return f"edited: {file.path} was left as it is: somebody changed vfcc's hooks in it ({', '.join(file.events)})"
    return f"nothing to do: {file.path}"
