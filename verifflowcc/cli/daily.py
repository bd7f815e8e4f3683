"""The order of `vfcc --help`: the commands that carry a day, then the others by subject. Plumbing is not listed."""

from typing import TYPE_CHECKING

from verifflowcc.cli.who_may import Group

if TYPE_CHECKING:
    from typer._click.core import Context
    from typer._click.formatting import HelpFormatter

SECTIONS = {
    "Every day": ("init", "status", "next", "sprint", "stage", "context", "memory", "check", "approve", "doctor"),
    "Gates and evidence": ("evidence", "prove", "allow", "waive", "baseline", "metrics"),
    "Tasks and comments": ("task", "feedback"),
    "Requirements, code and history": ("trace", "code", "history"),
    "Setup": ("integrate", "workflow", "config"),
}
"""The commands that help lists. Those that are rarely typed are hidden: they run and have help all the same."""


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
