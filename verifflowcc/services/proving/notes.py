"""Notes on a proof: what its scratch tree has otherwise than a checkout, and what its environment seems to lack."""

from collections.abc import Collection, Iterator

from verifflowcc.adapters.git.work_tree import FOLDER
from verifflowcc.proving.missing_modules import missing_modules
from verifflowcc.proving.verdicts import TestVerdict, Verdict
from verifflowcc.services.proving.changes import Change


def tree_notes(change: Change, made: Collection[str], pointers: Collection[str]) -> Iterator[str]:
    """Yield what a scratch tree has otherwise than a checkout of the change would."""
    empty = [path for path, file in change.after.items() if file.mode == FOLDER]
    for paths, what in (
        (empty, "not checked out at the commit of the change, so left empty: submodule"),
        (pointers, "content not on this machine, so left a pointer of Git LFS:"),
        (made, "ignored by git, so copied as it is now:"),
    ):
        if paths:
            first, *others = sorted(paths)
            yield f"{what} {first}{f' and {len(others)} more' if others else ''}"


def not_installed(why: str, tests: Collection[TestVerdict], files: Collection[str]) -> Iterator[str]:
    """Yield a hint where tests fail with the change for want of a module that is not the project's."""
    failures = [why, *(each.why for each in tests if each.verdict is Verdict.BROKEN)]
    names = missing_modules(failures, files)
    if names:
        listed = ", ".join(names)
        yield f"not installed where the tests run: {listed}; test requirements seem to be missing in this environment"
