"""`vfcc prove`."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import JsonFlag

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verifflowcc.services.proving.command import TestCommand
    from verifflowcc.services.proving.proof import ChangeProof
    from verifflowcc.services.proving.proving import Proof

FINDINGS, OPEN = 1, 3


def prove(
    revisions: Annotated[
        str | None,
        typer.Argument(
            metavar="[RANGE]",
            help="A commit, or a range of commits (default: the work tree; HEAD if it is unchanged).",
        ),
    ] = None,
    work_tree: Annotated[bool, typer.Option("--working-tree", help="Prove what is not committed yet.")] = False,
    staged: Annotated[bool, typer.Option("--staged", help="Prove what is staged.")] = False,
    command: Annotated[
        str | None,
        typer.Option("--command", metavar="COMMAND", help="How the tests run (default: by the files)."),
    ] = None,
    tests: Annotated[
        list[str] | None, typer.Option("--tests", metavar="GLOB", help="Further files that are tests; repeatable.")
    ] = None,
    refactoring: Annotated[
        bool, typer.Option("--refactoring", help="State that behaviour stays: every test must pass both times.")
    ] = False,
    whole: Annotated[bool, typer.Option("--whole", help="Put the change back as a whole, not also by hunk.")] = False,
    time_s: Annotated[
        int,
        typer.Option(
            "--time", metavar="SECONDS", min=1, show_default=False, help="Start no run after it (default: 600)."
        ),
    ] = 600,
    runs: Annotated[
        int,
        typer.Option(
            "--runs", metavar="N", min=2, show_default=False, help="Runs of the tests for each change (default: 20)."
        ),
    ] = 20,
    fresh: Annotated[bool, typer.Option("--fresh", help="Use no outcome of an earlier proof.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Allow the command without asking; for a person or CI.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown, for a pull request.")] = False,
    sarif: Annotated[bool, typer.Option("--sarif", help="Print SARIF, for code scanning.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Check that the tests of a change fail without it.

    The tests that a change adds or alters run with it and without it, in a scratch tree of any git repository.
    Exits with 1 where a change's tests pass without it or fail with it, with 3 where a change could not be judged.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli import prove_views
    from verifflowcc.errors import UsageError
    from verifflowcc.services.proving.changes import Choice, repository_top
    from verifflowcc.services.proving.command import test_command
    from verifflowcc.services.proving.proof import Wanted
    from verifflowcc.services.proving.proving import prove as prove_changes
    from verifflowcc.services.workspace import current_folder

    if as_json + markdown + sarif > 1:
        raise UsageError("only one of --json, --markdown and --sarif makes sense", hint="vfcc prove --help")
    folder = current_folder().resolve()
    top = repository_top(folder)
    found = test_command(top, folder, command)
    _allow(top, found, yes=yes)
    wanted = Wanted(
        argv=found.argv,
        runner=found.runner,
        folder="" if folder == top else folder.relative_to(top).as_posix(),
        patterns=tuple(tests or ()),
        grain=not whole,
        cached=not fresh,
        refactoring=refactoring,
    )
    proof = prove_changes(
        top, Choice(revisions, work_tree, staged), wanted, time_s=time_s, runs=runs, on_change=_progress()
    )
    if as_json:
        out.emit_json(proof)
    else:
        out.emit(
            prove_views.sarif(proof) if sarif else prove_views.markdown(proof) if markdown else prove_views.text(proof)
        )
    _exit(proof)


def _exit(proof: "Proof") -> None:
    if proof.red:
        raise typer.Exit(FINDINGS)
    if proof.open:
        raise typer.Exit(OPEN)


def _progress() -> "Callable[[ChangeProof], None] | None":
    from verifflowcc.cli import output as out

    def show(done: "ChangeProof") -> None:
        out.say(f"{done.change}: {done.verdict}")

    return show if out.person_is_looking() else None


def _allow(top: "Path", command: "TestCommand", *, yes: bool) -> None:
    """Return where the command may run: allowed before, or now. Raises CommandsNotAllowed, typer.Abort."""
    from verifflowcc.adapters.actor import actor_here
    from verifflowcc.adapters.clock import SystemClock, terminal_in_use
    from verifflowcc.cli import output as out
    from verifflowcc.cli.allow_views import quoted
    from verifflowcc.errors import CommandsNotAllowed
    from verifflowcc.services.proving.command import allow_command

    if command.allowed:
        return
    words = " ".join(map(quoted, command.argv))
    if not yes:
        by_person = actor_here(top).name.startswith("human:")
        if not (by_person and sys.stdin.isatty()):
            raise CommandsNotAllowed(
                f"`{words}` runs the code of {top} and is not allowed on this machine yet",
                hint="vfcc prove --yes  # a person at a terminal, or a CI job",
            )
        out.say(f"vfcc prove runs the code of this repository, in a copy of it:\n  {words}\nin {quoted(str(top))}")
        with terminal_in_use():
            typer.confirm("Allow this command on this machine?", default=False, abort=True, err=True)
    allow_command(top, command, SystemClock())
