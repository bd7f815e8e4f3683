"""The command `vfcc`: its groups, in the order in which `--help` shows them.

`app` is the whole tree. A process that runs one command gets it from `app_for`, which imports the module of that
command alone: all of them take several times as long as most commands.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer._completion_shared import _completion_scripts

from verifflowcc import __version__
from verifflowcc.base.model.agent_clients import FILES
from verifflowcc.base.model.lazy import load
from verifflowcc.base.terminal import declared
from verifflowcc.base.terminal.terminal import apply_flags
from verifflowcc.cli.cli import who_may
from verifflowcc.cli.cli.command_places import COMMANDS
from verifflowcc.cli.cli.who_may import CommandGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typer import Typer
    from typer._click.core import Command, Context
    from typer._click.formatting import HelpFormatter
    from typer.core import TyperGroup
    from typer.models import CommandInfo

    app: Typer


# The scripts that bash, zsh and fish load to complete `vfcc`, as templates in typer's form.
#
# None evaluates what the program prints: titles come from the repository, which may be a stranger's. The first line
# that the program prints is `values` or `files`; with `files` the shell completes file names.

BASH = """
%(complete_func)s() {
    local line IFS=$'\\n'
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(env _VFCC_LINE="${COMP_WORDS[*]:0:$((COMP_CWORD + 1))}" _VFCC_COMP_TYPE="$COMP_TYPE" \\
        %(autocomplete_var)s=list_bash "$1" 2>/dev/null)
    if [ "${COMPREPLY[0]}" = values ]; then
        compopt +o default 2>/dev/null
    fi
    COMPREPLY=("${COMPREPLY[@]:1}")
    return 0
}

complete -o default -F %(complete_func)s %(prog_name)s
"""

ZSH = """
#compdef %(prog_name)s

%(complete_func)s() {
    local kind
    local -a lines
    lines=("${(@f)$(env _VFCC_LINE="${(pj:\\n:)words[1,$CURRENT]}" %(autocomplete_var)s=list_zsh \\
        %(prog_name)s 2>/dev/null)}")
    kind=$lines[1]
    shift lines
    if (( $#lines )); then
        _describe '%(prog_name)s' lines -M 'm:{a-zA-Z}={A-Za-z}'
    elif [[ $kind == files ]]; then
        _files
    fi
}

if [[ $funcstack[1] == _%(prog_name)s ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""

FISH = """
function %(complete_func)s
    set -l lines (env _VFCC_LINE=(commandline -cp | string collect) %(autocomplete_var)s=list_fish \\
        %(prog_name)s 2>/dev/null)
    if test (count $lines) -gt 1
        string join \\n -- $lines[2..-1]
    else if test "$lines[1]" = files
        __fish_complete_path (commandline -ct)
    end
end

complete --command %(prog_name)s --no-files --arguments '(%(complete_func)s)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def script(shell: str) -> str:
    """Return the script of a shell, for `vfcc`."""
    names = {"complete_func": "_vfcc_completion", "prog_name": "vfcc", "autocomplete_var": "_VFCC_COMPLETE"}
    return (SCRIPTS[shell] % names).strip() + "\n"


# Which commands help lists: those of every day. `vfcc help --all` lists every one.

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


class DailyGroup(CommandGroup):
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
    listed = BELOW.get(group, ()) if group else tuple(name for names in SECTIONS.values() for name in names)
    for command in app.registered_commands:
        command.hidden = _name_of(command) not in listed
    for below in app.registered_groups:
        below.hidden = below.name not in listed
        if below.typer_instance is not None:
            hide_the_rest(below.typer_instance, f"{group} {below.name}".strip())


def _name_of(command: "CommandInfo") -> str:
    assert command.callback
    return declared.command_name(command.name, command.callback)


# `vfcc help`: the help of a command, or all commands on one page.


def help_(
    context: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[COMMAND]…", help="A command or a group (default: all).")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="List every command, the rarely typed ones too.")] = False,
) -> None:
    """Show the help of a command, or list all commands.

    `vfcc help COMMAND` is `vfcc COMMAND --help`.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.cli.cli.usage import no_command

    here: Command = context.find_root().command
    where = context.find_root()
    for name in names or ():
        below = getattr(here, "commands", {}).get(name)
        if below is None:
            raise no_command(context.find_root().command, where.command_path, name)
        here, where = below, below.context_class(below, info_name=name, parent=where)
    out.emit(_all(where) if everything and hasattr(here, "commands") else where.get_help())


def _all(context: "Context") -> str:
    """Return a section for each group below a command, and one of the commands that belong to none."""
    formatter = context.make_formatter()
    group: TyperGroup = context.command  # type: ignore[assignment]
    rows = [(name, group.commands[name]) for name in group.list_commands(context)]
    with formatter.section(context.command_path):
        formatter.write_dl([(name, each.get_short_help_str(100)) for name, each in rows])
    below = [each.context_class(each, info_name=name, parent=context) for name, each in rows if _is_group(each)]
    return "\n".join([formatter.getvalue().rstrip("\n"), *(f"\n{_all(each)}".rstrip("\n") for each in below)])


def _is_group(command: "Command") -> bool:
    return hasattr(command, "commands")


# `vfcc hook` is here only for its help: `fast/` answers all other calls before this module is imported.

_NAMES = " or ".join(", ".join(FILES).rsplit(", ", 1))


def hook(
    client: Annotated[str, typer.Argument(metavar="CLIENT", help=f"The client: {_NAMES}.")],
    event: Annotated[
        str | None, typer.Argument(metavar="[EVENT]", help="Event name, for clients that do not send it on stdin.")
    ] = None,
) -> None:
    """Record what an agent does, and answer its client.

    A client runs this, with JSON on stdin. It never fails: what goes wrong is in .memory/local/hook-errors.jsonl.
    """


_completion_scripts.update(SCRIPTS)  # what --show-completion prints and --install-completion writes


def _version(asked: bool) -> None:
    if asked:
        from verifflowcc.base.terminal.output import emit

        emit(f"vfcc {__version__}")
        raise typer.Exit


def _folder(given: str | None) -> None:
    """Refuse a folder that was not entered: `fast` enters it before anything is parsed, where it can."""
    if given is None:
        return
    if Path(given).is_dir():
        raise typer.BadParameter(f"write it as two words, before the command: vfcc -C {given}")
    raise typer.BadParameter(f"there is no folder {given!r}")


def _flag(given: bool, parameter: typer.CallbackParam) -> bool:
    """Apply a flag that came in one word with others, as in -qv."""
    if given:
        apply_flags(parameter.opts)
    return given


def vfcc(
    folder: Annotated[
        str | None, typer.Option("-C", metavar="FOLDER", help="Run as if started in FOLDER.", callback=_folder)
    ] = None,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Write no notes and no progress.", callback=_flag)
    ] = False,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Write what ran, where, and for how long.", callback=_flag)
    ] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="Use no color; sets NO_COLOR.", callback=_flag)] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """V-Model sprints and one committed memory, for teams that work with agents."""


def app_for(words: "Sequence[str]") -> "Typer":
    """Return an app that runs the command line `words` as the whole one does, with as few commands as that needs."""
    if not words or words[0] not in COMMANDS or words[0] == "help":
        return whole_app()
    made = _new_app()
    _register(made, words[0], words[1:])
    return _finished(made)


@cache
def whole_app() -> "Typer":
    """Return the app with every command."""
    made = _new_app()
    for name in COMMANDS:
        _register(made, name, ())
    return _finished(made)


def __getattr__(name: str) -> "Typer":
    """Return the whole app as `app`."""
    if name == "app":
        return whole_app()
    raise AttributeError(name)


def _new_app() -> "Typer":
    made = typer.Typer(
        cls=DailyGroup,
        help="V-Model sprints and one committed memory, for teams that work with agents.",
        rich_markup_mode=None,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    made.callback()(vfcc)
    return made


def _register(made: "Typer", name: str, words: "Sequence[str]") -> None:
    """Add a command or a group; of a group that has the command `words[0]`, that command alone."""
    found = load(COMMANDS[name])
    if isinstance(found, declared.Typer):
        made.add_typer(declared.as_typer(found, words[0] if words else ""), name=name)
    else:
        made.command(name)(declared.for_typer(found))


def _finished(made: "Typer") -> "Typer":
    who_may.guard(made)
    hide_the_rest(made)
    return made
