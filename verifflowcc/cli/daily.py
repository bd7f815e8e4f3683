"""Which commands help lists: those of every day. `vfcc help --all` lists every one."""

from typing import TYPE_CHECKING

from verifflowcc.cli.who_may import Group

if TYPE_CHECKING:
    from typer import Typer
    from typer._click.core import Context
    from typer._click.formatting import HelpFormatter

SECTIONS = {
    "Every day": ("init", "status", "next", "sprint", "stage", "context", "memory", "check", "approve", "doctor"),
    "Gates and evidence": ("evidence", "prove", "allow", "waive"),
    "Requirements and code": ("trace", "code"),
    "Reports": ("report",),
    "Setup": ("integrate",),
}
"""The commands of `vfcc --help`, by subject."""
BELOW = {
    "sprint": ("start", "show", "close"),
    "stage": ("show", "put", "advance", "reopen"),
    "context": ("show",),
    "memory": ("add", "show", "search", "edit", "forget", "inbox", "promote"),
    "check": ("config", "gate", "trace", "memory"),
    "evidence": ("run", "list"),
    "trace": ("add", "link", "review", "why"),
    "code": ("context", "impact"),
}
"""The commands that the help of a group lists. A test holds all lines of all help screens together at 45."""
PLUMBING = frozenset(("hook", "mcp", "migrate", "window", "memory copy", "memory schema"))
"""Commands for programs and for rare moments; completion does not offer them either."""


class Daily(Group):
    """A group whose help shows its daily commands first."""

    def list_commands(self, ctx: "Context") -> list[str]:
        """Return the commands in the order of the sections, then those that no section has."""
        listed = [name for names in SECTIONS.values() for name in names]
        return [*listed, *(name for name in self.commands if name not in listed)]

    def format_commands(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write a section for each subject."""
        width = formatter.width - 6 - max(len(name) for names in SECTIONS.values() for name in names)
        for heading, names in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(width)) for name in names])


def hide_the_rest(app: "Typer", group: str = "") -> None:
    """Hide the commands that help does not list: they run, and have help and completion all the same."""
    from typer.main import get_command_name

    listed = BELOW.get(group, ()) if group else tuple(name for names in SECTIONS.values() for name in names)
    for command in app.registered_commands:
        name = command.name or get_command_name(getattr(command.callback, "__name__", ""))
        command.hidden = name not in listed
    for below in app.registered_groups:
        below.hidden = below.name not in listed
        if below.typer_instance is not None:
            hide_the_rest(below.typer_instance, f"{group} {below.name}".strip())
