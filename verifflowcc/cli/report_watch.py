"""`vfcc report --watch`: the site, written again when files change; its pages load themselves again."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifflowcc.services.workspace import Workspace

EVERY_S = 1.0
"""How often the files are looked at."""


def watch_report(workspace: "Workspace", folder: Path, sprint_id: str | None, *, open_page: bool) -> None:
    """Write the site whenever a file that it may show has changed, until Ctrl-C. No server and no daemon runs."""
    from verifflowcc import __version__
    from verifflowcc.cli import output as out
    from verifflowcc.cli.board_watch import until_told_to_end
    from verifflowcc.errors import VfccError
    from verifflowcc.report.writing import read_report, write_report
    from verifflowcc.services.workspace import Workspace

    with until_told_to_end() as wait:
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
    from verifflowcc.adapters.git.patches import uncommitted_state
    from verifflowcc.adapters.git.place import in_repository
    from verifflowcc.cli.board_watch import memory_stamp
    from verifflowcc.errors import VfccError
    from verifflowcc.text.canonical import digest_text

    own, root = folder.resolve(), workspace.root.resolve()
    prefix = f"{own.relative_to(root).as_posix()}/" if own.is_relative_to(root) else "/"
    try:
        state = uncommitted_state(workspace.root) if in_repository(workspace.root) else ""
    except VfccError:  # before the first commit there is nothing to compare with
        state = ""
    lines = [line for line in state.split("\n") if not line.startswith(prefix)]
    text = "\n".join((memory_stamp(workspace.memory), *lines))
    return digest_text(text).removeprefix("sha256:")[:16]
