"""How it is shown what became of clients' files."""

from verifflowcc.history.rules.client_files import FileOutcome
from verifflowcc.history.use.client_setup import ClientSetup, DoorFile
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


def setup_lines(done: ClientSetup) -> str:
    """Return a line for each file or folder of files, and what is left for a person."""
    shown = [lines(IntegrationResult(done.files, done.dry_run))] if done.files else []
    groups: dict[tuple[FileOutcome, str], list[DoorFile]] = {}
    changed = any(each.outcome is not FileOutcome.NOTHING for each in done.doors)
    for each in done.doors:
        if changed and each.outcome is FileOutcome.NOTHING:
            continue
        folder = "all" if each.outcome is FileOutcome.NOTHING else _folder(each.path)
        groups.setdefault((each.outcome, folder), []).append(each)
    shown += [_door_line(outcome, files, would=done.dry_run) for (outcome, _), files in groups.items()]
    return "\n".join([*shown, *(f"  {step}" for step in done.steps if not done.dry_run)])


def _folder(path: str) -> str:
    """Return the folder of skills or agents that holds a file; another file's own path."""
    above, _, _ = path.removesuffix("/SKILL.md").rpartition("/")
    return above if above.endswith(("/skills", "/agents", "/agent")) else path


def _door_line(outcome: FileOutcome, files: list[DoorFile], *, would: bool) -> str:
    first, more = files[0].path, len(files) - 1
    name = f"{_folder(first)}/ ({more + 1} files)" if more and outcome is not FileOutcome.NOTHING else first
    if outcome is FileOutcome.EDITED:
        return f"edited: {', '.join(each.path for each in files)} was left as it is: vfcc's part of it was changed"
    if outcome is FileOutcome.NOTHING:
        return f"nothing to do: {first}{f' and {more} more files' if more else ''}"
    verb = "write" if outcome is FileOutcome.WRITTEN else "remove"
    past = "wrote" if outcome is FileOutcome.WRITTEN else "removed"
    return f"{f'would {verb}' if would else past}: {name}"
