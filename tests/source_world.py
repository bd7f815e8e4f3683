"""A project in which every virtual source of a prompt has something to offer, and how each can be damaged."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.history_world import edit, prompt, stop, tell
from tests.prompt_world import item
from tests.trees import git, write_tree
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.initialise import initialise
from verifflowcc.gates.use.sprints import start_sprint
from verifflowcc.memory.use.stores import database_of
from verifflowcc.memory.use.task_filling import Note, note_in_task, start_task
from verifflowcc.prompt.use.stages import advance_stage
from verifflowcc.sprint.use.feedback import add_feedback

TASK = "sum the invoice total"
SHOWN = {
    "@recall": "Totals are sums of invoice lines.",
    "@task": "The invoice total must not be negative.",
    "@code": "def total(lines):",
    "@history": "## Past tasks like this one",
    "@user": "Short names for totals.",
    "recent_actions.json": "### recent_actions.json",
    "progress.json": " is open, in ",
    "feedback.md": "Round the total to cents.",
    "@handover": "Totals are kept in cents.",
    "@trace": "A total shall be exact.",
}
"""By source, what of it a prompt shows."""
EARLIER = ".memory/stage/totals/planning/artifacts"


def project_of_sources(root: Path, home: Path) -> Workspace:
    """Make a project in which every virtual source has something to offer."""
    write_tree(root, {"shop/invoice.py": "def total(lines):\n    return sum(lines)\n"})
    initialise(root)
    git(root, "init", "--quiet")
    workspace = Workspace(root)
    start_sprint(workspace, "Totals", workflow="light", actor="human:a")
    write_tree(root / EARLIER, {"plan.md": f"# Plan\n\n{SHOWN['@handover']}\n"})
    advance_stage(workspace, "totals", actor="human:a")
    add_feedback(workspace, "totals", SHOWN["feedback.md"], "design", actor="human:a")
    item(root / ".memory" / "project" / "items", "fact", "totals", SHOWN["@recall"])
    item(root / ".memory" / "project" / "items", "requirement", "REQ-TOTAL", SHOWN["@trace"])
    item(home, "preference", "names", SHOWN["@user"], category="style")
    task = start_task(workspace, TASK, actor="human:a").id
    note_in_task(workspace, Note(SHOWN["@task"], "reasoning"), actor="human:a", task=task)
    tell(workspace, prompt(0, "Sum the invoice total", role="coder"), edit(1, "shop/invoice.py", role="coder"))
    tell(workspace, stop(2, "It sums the lines."))
    return workspace


def configure(here: Workspace, **values: str) -> None:
    """Set keys of the configuration: the backends of scopes, or of `hooks`."""
    backends = {key: value for key, value in values.items() if key in ("user", "project")}
    hooks = {key: value for key, value in values.items() if key not in backends}
    lines = [f"  {key}: {value}\n" for key, value in hooks.items()]
    more = f"hooks:\n{''.join(lines)}" if hooks else ""
    lines = [f"    {key}: {value}\n" for key, value in backends.items()]
    more += f"memory:\n  backends:\n{''.join(lines)}" if backends else ""
    with (here.memory / "config.yaml").open("a", encoding="utf-8") as file:
        file.write(more)


# Real damage, one for each source that a file can break without breaking what the whole prompt needs.


def break_task_record(here: Workspace, _: Path) -> None:
    next((here.local / "tasks").glob("*/task.json")).write_bytes(b"\xff{")


def break_git_index(here: Workspace, _: Path) -> None:
    (here.root / ".git" / "index").write_bytes(b"damaged")


def break_history_folder(here: Workspace, _: Path) -> None:
    (here.local / "history").rename(here.local / "elsewhere")
    (here.local / "history").symlink_to("history")  # a link to itself, which no folder can be read through


def break_user_database(_: Workspace, home: Path) -> None:
    settings = home.parents[3] / "xdg_config_home" / "vfcc" / "config.yaml"
    write_tree(settings.parent, {settings.name: "memory: {backend: sqlite}\n"})
    write_tree(home.parents[1], {"user.db": b"no database" * 1000})


def break_project_database(here: Workspace, _: Path) -> None:
    configure(here, project="sqlite")
    write_tree(database_of(here, "project").parent, {"items.db": b"no database" * 1000})


def break_feedback_text(here: Workspace, _: Path) -> None:
    write_tree(here.memory, {"stage/totals/design/feedback.md": b"\xff\xfe"})


def break_earlier_artifacts(here: Workspace, _: Path) -> None:
    folder = here.root / EARLIER
    folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to(folder.name)


def break_later_artifacts(here: Workspace, _: Path) -> None:
    folder = here.memory / "stage" / "totals" / "testing"
    folder.mkdir(parents=True)
    (folder / "artifacts").symlink_to("artifacts")


DAMAGE: dict[str, Callable[[Workspace, Path], None]] = {
    "@recall": break_project_database,
    "@task": break_task_record,
    "@code": break_git_index,
    "@history": break_history_folder,
    "recent_actions.json": break_history_folder,
    "@user": break_user_database,
    "feedback.md": break_feedback_text,
    "@handover": break_earlier_artifacts,
    "@trace": break_later_artifacts,
}
BREAKS_TOGETHER = {
    "@history": {"recent_actions.json"},
    "recent_actions.json": {"@history"},
    "@handover": {"@trace"},
}
PARTS_BROKEN = {"@code": {"states of trace items"}}
"""Parts of other sources that are missing then; the rest of these is shown."""
NOTHING_REAL_BREAKS = {"progress.json"}
"""It is made from the ledger, which the prompt's place was read from a moment before."""


def left_out(notices: Sequence[str]) -> set[str]:
    """Return the sources that notices name as left out."""
    found = [notice.partition(" left out: ")[0].split(", ") for notice in notices if " left out: " in notice]
    return {name for names in found for name in names}


def missing(text: str) -> set[str]:
    """Return the sources of which a prompt shows nothing."""
    return {name for name, shown in SHOWN.items() if shown not in text}


def plant(monkeypatch: pytest.MonkeyPatch, table: Any, name: str, error: BaseException) -> None:
    """Make an entry of a table of sources raise: a fault of ours that nothing on disk brings about."""

    def broken(*_: object) -> object:
        raise error

    monkeypatch.setitem(table, name, broken)
