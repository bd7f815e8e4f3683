"""`vfcc report`: the project or one sprint as a static site, and its board as Markdown."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from verifflowcc import __version__
from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import JsonFlag, SprintArgument, SprintOption, sprint_of

if TYPE_CHECKING:
    from verifflowcc.base.use.workspace import Workspace
    from verifflowcc.report.use.report_facts import ReportFacts
    from verifflowcc.report.use.report_writing import ReportWritten


# `vfcc report --watch`: the site, written again when files change; its pages load themselves again.

EVERY_S = 1.0
"""How often the files are looked at."""


def watch_report(workspace: "Workspace", folder: Path, sprint_id: str | None, *, open_page: bool) -> None:
    """Write the site whenever a file that it may show has changed, until Ctrl-C. No server and no daemon runs."""
    from verifflowcc.base.errors import VfccError
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import Workspace
    from verifflowcc.cli.cli.board import stop_signal
    from verifflowcc.report.use.report_writing import read_report, write_report

    with stop_signal() as wait:
        before, is_first = "", True
        while True:
            stamp = _stamp(workspace, folder)
            if stamp != before:
                try:
                    facts = read_report(Workspace(workspace.root, workspace.clock), sprint_id, local=True)
                    done = write_report(facts, folder, __version__, stamp=stamp)
                    out.emit(str(done.index))
                except VfccError as error:
                    if is_first:
                        raise
                    out.warn(error.message.splitlines()[0])
                if open_page and is_first:
                    import webbrowser

                    webbrowser.open((folder / "index.html").resolve().as_uri())
                before, is_first = stamp, False
            if wait(EVERY_S):
                return


def _stamp(workspace: "Workspace", folder: Path) -> str:
    """Return what changes when a file of the memory or of the project does; the site itself does not count."""
    from verifflowcc.base.errors import VfccError
    from verifflowcc.base.git.git_patches import uncommitted_state
    from verifflowcc.base.git.git_place import in_repository
    from verifflowcc.base.text.canonical import digest_text
    from verifflowcc.cli.cli.board import memory_stamp

    own, root = folder.resolve(), workspace.root.resolve()
    prefix = f"{own.relative_to(root).as_posix()}/" if own.is_relative_to(root) else "/"
    try:
        state = uncommitted_state(workspace.root) if in_repository(workspace.root) else ""
    except VfccError:  # before the first commit there is nothing to compare with
        state = ""
    lines = [line for line in state.split("\n") if not line.startswith(prefix)]
    text = "\n".join((memory_stamp(workspace.memory), *lines))
    return digest_text(text).removeprefix("sha256:")[:16]


FOLDER = Path(".memory/local/report")
"""Where a report goes if no folder is given; git ignores it."""


def report(
    sprint: SprintArgument = None,
    named: SprintOption = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FOLDER", help="Folder of the site (default: .memory/local/report)."),
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the site in a browser.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Write it again whenever files change, until Ctrl-C; implies --local.")
    ] = False,
    summary: Annotated[
        bool,
        typer.Option("--summary", help="Print the board as Markdown; in GitHub Actions, add it to the step summary."),
    ] = False,
    local: Annotated[
        bool,
        typer.Option("--local", help="Read the working folder, and add history, inbox and open tasks, marked as such."),
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show the project, or one sprint, as a static site.

    Board, gates, trace, prompts and memory, as plain files that load nothing from elsewhere. It holds what the commit
    holds: on the same day, every clone writes the same bytes. User memory is never in it. Exits with 1 where an event
    or evidence file cannot be trusted; the report shows that too.
    """
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.report.use.report_writing import read_report, written

    workspace = open_workspace()
    wanted = sprint_of(sprint, named)
    folder = html or workspace.root / FOLDER
    if watch:
        if as_json or summary:
            raise UsageError("--watch writes a site until Ctrl-C; give neither --json nor --summary with it")

        watch_report(workspace, folder, wanted, open_page=open_)
        return
    facts = read_report(workspace, wanted, local=local)
    for notice in facts.notices:
        out.warn(notice)
    if summary:
        _summarize(facts, as_json=as_json)
    done = written(facts, {}, "") if summary and html is None and not open_ else _write(facts, folder)
    if as_json:
        out.emit_json(done)
    elif done.folder:
        _tell(done, workspace)
    if open_:
        _open(done.index)
    if any(each.report.problems for each in facts.sprints):
        raise typer.Exit(1)


def _write(facts: "ReportFacts", folder: Path) -> "ReportWritten":
    from verifflowcc.report.use.report_writing import write_report

    return write_report(facts, folder, __version__)


def _tell(done: "ReportWritten", workspace: "Workspace") -> None:
    from verifflowcc.base.terminal import output as out

    size = sum(each.bytes for each in done.files)
    out.emit(f"{done.index}")
    out.say(f"{len(done.files)} files, {size:,} bytes")
    if not done.local:
        changed = _uncommitted(workspace, done)
        if changed:
            files = "1 uncommitted file is" if changed == 1 else f"{changed} uncommitted files are"
            out.note(f"{files} not in it; to report on the working folder: vfcc report --local")


def _uncommitted(workspace: "Workspace", done: "ReportWritten") -> int:
    """Return how many files of the project differ from the commit; the report itself does not count."""
    from verifflowcc.base.git.git_patches import changed_from

    if done.commit is None:
        return 0
    own, root = Path(done.folder).resolve(), workspace.root.resolve()
    prefix = f"{own.relative_to(root).as_posix()}/" if own.is_relative_to(root) else "/"
    return sum(not path.startswith(prefix) for path in changed_from(workspace.root, done.commit))


def _summarize(facts: "ReportFacts", *, as_json: bool) -> None:
    import os

    from verifflowcc.base.errors import FileErrors
    from verifflowcc.base.terminal import output as out
    from verifflowcc.report.use.report_pages import report_summary

    text, file = report_summary(facts), os.environ.get("GITHUB_STEP_SUMMARY", "")
    if not file:
        (out.say if as_json else out.emit)(text)
        return
    with FileErrors("write to", "GITHUB_STEP_SUMMARY"), Path(file).open("a", encoding="utf-8") as opened:
        opened.write(text)


def _open(index: Path) -> None:
    import webbrowser

    from verifflowcc.base.terminal import output as out

    if not webbrowser.open(index.resolve().as_uri()):
        out.warn(f"no browser could be started; open {index}")
