"""What every command and group has: examples in its help and, a command, the refusal of an actor that may not run it.

What an actor may do with one item, stage or sprint is for the services to decide; they refuse it again. Every command
that takes `--json` and has no `--full` of its own gets it here.
"""

from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperGroup, TyperOption

from verifflowcc.cli.help_colors import colored_help
from verifflowcc.cli.options import FULL
from verifflowcc.domain.command_classes import CI_TOO, PERSON, class_with

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typer import Typer
    from typer._click.core import Context
    from typer._click.formatting import HelpFormatter

INSTEAD = {"approve": "vfcc approve --request  # asks a person for the approval"}
"""What else leads on, for commands where that is not a person who runs the same."""
_MAY = {PERSON: "a person at a terminal", CI_TOO: "a person at a terminal or a CI job"}


class Guarded(TyperCommand):
    """A command that runs only for who may run it, once its options are parsed: help and wrong options come first."""

    def __init__(self, name: str | None, **given: Any) -> None:
        super().__init__(name, **given)
        known = {option for each in self.params for option in each.opts}
        if "--json" in known and "--full" not in known:
            self.params.append(TyperOption(param_decls=["full", "--full"], is_flag=True, expose_value=False, help=FULL))

    def invoke(self, ctx: "Context") -> object:
        """Run the command. Raises NotAllowed for an actor that the class of the command leaves out."""
        name = _name(ctx)
        needed = class_with(name, _given(ctx))
        if needed in _MAY:
            demand(name, needed, ctx.obj or name.split())
        return super().invoke(ctx)

    def get_help(self, ctx: "Context") -> str:
        """Return the help, in colour where a person looks."""
        return colored_help(super().get_help(ctx))

    def format_epilog(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write examples at the end of the help."""
        _write_examples(ctx, formatter)


class Group(TyperGroup):
    """A group of commands, with examples at the end of its help."""

    def get_help(self, ctx: "Context") -> str:
        """Return the help, in colour where a person looks."""
        return colored_help(super().get_help(ctx))

    def format_epilog(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write the examples."""
        _write_examples(ctx, formatter)


def _write_examples(ctx: "Context", formatter: "HelpFormatter") -> None:
    from verifflowcc.cli.examples import write_examples

    write_examples(_name(ctx), formatter)


def guard(app: "Typer") -> None:
    """Make every command of an app and of the apps below it a guarded one, and every group one with examples."""
    for command in app.registered_commands:
        command.cls = Guarded
    for group in app.registered_groups:
        if group.typer_instance is not None:
            group.cls = Group
            guard(group.typer_instance)


def demand(name: str, needed: str, words: "Sequence[str]") -> None:
    """Raise NotAllowed unless who acts here may run a command of this class, which was typed as `words`."""
    from shlex import join

    from verifflowcc.adapters.actor import actor_here
    from verifflowcc.domain.actors import needs
    from verifflowcc.errors import NotAllowed
    from verifflowcc.services.people_acting import require_person
    from verifflowcc.services.workspace import current_folder

    actor = actor_here(current_folder())
    if actor.name.startswith("human:") or (needed == CI_TOO and actor.name == "ci"):
        if needed == PERSON:
            require_person(actor.name, f"vfcc {name}", hint="")
        return
    hint = INSTEAD.get(name, f"{join(('vfcc', *words))}  # a person runs it, at a terminal")
    raise NotAllowed(needs(_MAY[needed], f"vfcc {name}", actor.name, actor.why), hint=hint)


def _name(ctx: "Context") -> str:
    """Return the command's name as it is typed behind `vfcc`."""
    names = []
    here: Context | None = ctx
    while here is not None and here.parent is not None:
        names.append(str(here.info_name))
        here = here.parent
    return " ".join(reversed(names))


def _given(ctx: "Context") -> set[str]:
    """Return the options that are given, each by all of its names."""
    typed = (each for each in ctx.command.params if each.name and _is_typed(ctx, each.name))
    return {option for parameter in typed for option in parameter.opts}


def _is_typed(ctx: "Context", name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"
