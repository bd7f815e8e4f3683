"""The order of `vfcc --help`: the commands that carry a day, and the rest under "More"."""

from typing import TYPE_CHECKING

from verifflowcc.cli.who_may import Group

if TYPE_CHECKING:
    from typer._click.core import Context
    from typer._click.formatting import HelpFormatter

DAILY = ("init", "status", "next", "sprint", "stage", "context", "memory", "check", "approve", "doctor")


class Daily(Group):
    """A group whose help shows its daily commands first."""

    def list_commands(self, ctx: "Context") -> list[str]:
        """Return the daily commands, then the others as they were added."""
        return [*(name for name in DAILY if name in self.commands), *(n for n in self.commands if n not in DAILY)]

    def format_commands(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write both sections."""
        names = self.list_commands(ctx)
        width = formatter.width - 6 - max(map(len, names))
        for heading, wanted in (("Commands", True), ("More", False)):
            rows = [
                (name, self.commands[name].get_short_help_str(width)) for name in names if (name in DAILY) is wanted
            ]
            with formatter.section(heading):
                formatter.write_dl(rows)
