"""Commands and groups that show examples in their help, and refuse an actor that may not run them.

What an actor may do with one item, stage or sprint is for the services to decide; they refuse it again. Every command
that takes `--json` and has no `--full` of its own gets it here, and every option for a text its short form.
"""

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperGroup, TyperOption

from verifflowcc.base.model.command_classes import CI_TOO, PERSON, class_with
from verifflowcc.base.model.command_words import NO_COLOR, QUIET, VERBOSE
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.terminal.declared import TEXT, TEXTS
from verifflowcc.base.terminal.options import FULL
from verifflowcc.base.terminal.terminal import CODES, apply_flags, wants_color

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typer import Typer
    from typer._click.core import Context, Parameter
    from typer._click.formatting import HelpFormatter


# Help at a terminal: its headings stand out, and so do commands, options and examples. In a pipe it is plain.

_HEADING = lazy_pattern(r"^(Usage|[A-Z][A-Za-z ,]*):(?=$| )", re.MULTILINE)
_ENTRY = lazy_pattern(r"^  ((?:-[\w-]+(?:, )?)+|[a-z][\w-]*)(?=  +\S|$| [A-Z\[<])", re.MULTILINE)
_EXAMPLE = lazy_pattern(r"^  (vfcc .*)$", re.MULTILINE)


def colored_help(text: str) -> str:
    """Return a page of help, coloured if stdout is a terminal that wants colour."""
    if not wants_color():
        return text
    text = _EXAMPLE.sub(_in("accent", "  "), text)
    return _HEADING.sub(_in("strong", "", ":"), _ENTRY.sub(_in("accent", "  "), text))


def _in(style: str, before: str, after: str = "") -> str:
    return f"{before}\x1b[{CODES[style]}m\\1{after}\x1b[0m"


INSTEAD = {"approve": "vfcc approve --request  # asks a person for the approval"}
"""The next step for an agent, for commands where a person does not run the same one."""
_MAY = {PERSON: "a person at a terminal", CI_TOO: "a person at a terminal or a CI job"}


class GuardedCommand(TyperCommand):
    """A command that refuses actors after its options are parsed, so that help and usage errors reach everybody."""

    def __init__(self, name: str | None, **given: Any) -> None:
        super().__init__(name, **given)
        for each in self.params:
            _write_default(each)
            if not TEXTS.isdisjoint(each.opts) and TEXT not in each.opts:
                each.opts = [*each.opts, TEXT]
        known = {option for each in self.params for option in each.opts}
        if "--json" in known and "--full" not in known:
            self.params.append(TyperOption(param_decls=["full", "--full"], is_flag=True, expose_value=False, help=FULL))

    def get_params(self, ctx: "Context") -> "list[Parameter]":
        """Return the parameters of the command, and the options that it shares with `vfcc` itself."""
        own = super().get_params(ctx)
        taken = {option for each in own for option in each.opts}
        return [*own, *(each for each in _of_all_commands() if taken.isdisjoint(each.opts))]

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


class CommandGroup(TyperGroup):
    """A group of commands, with examples at the end of its help."""

    def get_help(self, ctx: "Context") -> str:
        """Return the help, in colour where a person looks."""
        return colored_help(super().get_help(ctx))

    def format_epilog(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write where its other commands are listed, and the examples."""
        if rare := sum(command.hidden for command in self.commands.values()):
            more = " more" if rare < len(self.commands) else ""
            with formatter.section("Rarely typed"):
                line = f"{rare}{more} command{'' if rare == 1 else 's'}: vfcc help --all {_name(ctx)}"
                formatter.write_text(line.rstrip())
        _write_examples(ctx, formatter)


def _write_default(parameter: Any) -> None:
    """Write the default of a parameter as the end of its help, in the same form for all of them."""
    text, default = parameter.help or "", parameter.default
    if not parameter.show_default or isinstance(default, bool) or default in (None, "", ()) or callable(default):
        return
    if "(default: " not in text:
        parameter.help = f"{text.removesuffix('.')} (default: {default})."
    parameter.show_default = False


@cache
def _of_all_commands() -> "tuple[TyperOption, ...]":
    """The options before a command that may stand behind it, too; one set of them for all commands."""

    def applied(ctx: "Context", parameter: "Parameter", given: bool) -> None:
        if given:
            apply_flags(parameter.opts)

    names = {"no_notes": QUIET, "more_notes": VERBOSE, "plain": (NO_COLOR,)}
    return tuple(
        TyperOption(
            param_decls=[name, *options], is_flag=True, default=False, expose_value=False, hidden=True, callback=applied
        )
        for name, options in names.items()
    )


def _write_examples(ctx: "Context", formatter: "HelpFormatter") -> None:
    from verifflowcc.cli.cli.examples import write_examples

    write_examples(_name(ctx), formatter)


def guard(app: "Typer") -> None:
    """Make every command of an app and of the apps below it a guarded one, and every group one with examples."""
    for command in app.registered_commands:
        command.cls = GuardedCommand
    for group in app.registered_groups:
        if group.typer_instance is not None:
            group.cls = CommandGroup
            guard(group.typer_instance)


def demand(name: str, needed: str, words: "Sequence[str]") -> None:
    """Raise NotAllowed unless who acts here may run a command of this class, which was typed as `words`."""
    from shlex import join

    from verifflowcc.base.errors import NotAllowed
    from verifflowcc.base.model.people import needs
    from verifflowcc.base.process.acting import actor_here
    from verifflowcc.base.use.workspace import current_folder
    from verifflowcc.sprint.use.people_acting import require_person

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
