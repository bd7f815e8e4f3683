"""`vfcc context`: compile and compare prompts, and tune their shares."""

from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import JsonFlag, OutputOption, SprintOption, StageOption, tokens

if TYPE_CHECKING:
    from verifflowcc.base.model.entries import ContextPackage, Question
    from verifflowcc.prompt.use.allocation_tuning import RoleTuning, Tuning


# `vfcc context tune`: compile recent prompts of a role again, and suggest the shares that keep more.


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or len(text) > 6 or int(text) < 1:
        raise typer.BadParameter(f"{text!r} is no number of prompts; give a whole number from 1 up")
    return int(text)


def tune(
    agent: Annotated[
        str | None, typer.Option("--agent", "-a", metavar="ROLE", help="One role (default: each that has prompts).")
    ] = None,
    last: Annotated[
        int | None,
        typer.Option(
            "--last", metavar="NUMBER", parser=_number, help="Number of recent prompts per role (default: 20)."
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show which layers lacked or wasted room, and suggest better shares.

    The last prompts of each role that were made here are compiled again, as they are now and with other shares.
    It suggests only what keeps more, and changes nothing.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.prompt.use.allocation_tuning import LAST, tune_allocation

    found = tune_allocation(open_workspace(), agent, last or LAST)
    out.emit_json(found) if as_json else out.emit(_page(found))


def _page(found: "Tuning") -> str:
    """Return a part for each role, the lines for the configuration, and the roles without prompts."""
    from verifflowcc.base.terminal.output import folded

    parts = [_role(each) for each in found.roles]
    if found.snippet:
        lead = "To follow it, put this into .memory/config.yaml, in the place of what these roles have there:"
        parts.append(f"{folded(lead, 0)}\n\ntoken_allocation:\n{found.snippet.rstrip()}")
    if found.without_runs:
        parts.append(folded(f"no prompt was compiled here yet for {', '.join(found.without_runs)}", 2))
    return "\n\n".join(parts)


def _role(found: "RoleTuning") -> str:
    from verifflowcc.base.terminal.output import folded
    from verifflowcc.base.terminal.table import table
    from verifflowcc.prompt.use.allocation_tuning import share_text

    lines = [f"{found.agent}: {found.runs} {'prompt' if found.runs == 1 else 'prompts'} compiled again; medians"]
    if found.layers:
        rows = [
            (
                str(one.layer),
                share_text(one.share),
                f"{one.used_tokens:,}",
                f"{one.wanted_tokens:,}",
                share_text(one.suggested) if found.change and one.suggested != one.share else "as it is",
                f"{one.suggested_tokens:,}",
            )
            for one in found.layers
            if one.share or one.used_tokens
        ]
        lines.append(table(("layer", "share", "used", "wanted", "suggested", "then"), rows, right=(1, 2, 3, 4, 5)))
    return "\n".join([*lines, folded(found.why, 2)])


app = typer.Typer(help="Compile the prompt for an agent, compare two, and tune shares.", no_args_is_help=True)

Agent = Annotated[str, typer.Option("--agent", "-a", metavar="ROLE", help="The role, e.g. coder.")]
Task = Annotated[
    str,
    typer.Option("--task", metavar="TEXT", help="Task of the agent; it ranks memory and code, and is in the prompt."),
]
Budget = Annotated[
    int | None,
    typer.Option(
        "--budget",
        metavar="TOKENS",
        parser=tokens,
        help="At most so many tokens; 16k is 16,000 (default: the role's, or 50,000).",
    ),
]
Committed = Annotated[bool, typer.Option("--committed", help="Only what HEAD holds: the same bytes on every clone.")]


@app.command()
def show(
    agent: Annotated[
        str | None, typer.Option("--agent", "-a", metavar="ROLE", help="The role (default: that of the stage).")
    ] = None,
    sprint: SprintOption = None,
    stage: StageOption = None,
    task: Task = "",
    budget: Budget = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail where an always-load file is not whole or a source failed.")
    ] = False,
    committed: Committed = False,
    allocation: Annotated[
        str | None,
        typer.Option(
            "--allocation", metavar="SHARES", help="A preset (lifetimes), a role, or shares: agent=0.6,project=0.4."
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Take in what is superseded or archived too, marked as such.")
    ] = False,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="DAY", help="Use items as of a day, by the dates in them.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="List every candidate, its fate and why.")] = False,
    output: OutputOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Print the prompt for an agent: on stdout, and nothing else.

    Without --agent, the prompt is for the role of the active stage. Where no task is named, the title and goals of the
    sprint rank memory and code, and the code also by what earlier stages' artifacts name. A table of what each layer
    uses of the budget goes to stderr, where that is a terminal. As --json it has its whole explanation. Outside of a
    project, the prompt holds what is known of you.
    """
    from verifflowcc.base.model.entries import Question
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import find_workspace
    from verifflowcc.prompt.cli import context_output as context_views
    from verifflowcc.prompt.use.prompt_use import compile_context, compile_prompt_only, note_prompt

    workspace = find_workspace()
    if agent is None:
        from verifflowcc.prompt.use.prompt_use import role_of_stage

        agent = role_of_stage(workspace, sprint, stage)
    question = Question(
        *(agent, sprint, stage, task, budget),
        strict=strict,
        committed=committed,
        allocation=allocation,
        with_past=everything,
        as_of=_day(as_of),
    )
    if workspace is not None and not (explain or as_json):
        prompt = compile_prompt_only(workspace, question)
        context_views.deliver(prompt.text, output)
        context_views.account(prompt, looking=out.person_is_looking(), more=note_prompt(workspace, question, prompt))
        return
    package = compile_context(workspace, question) if workspace else _for_person(question)
    if as_json:
        out.emit_json(package, output)
    else:
        context_views.deliver(package.text, output)
    if explain and not as_json:
        from verifflowcc.prompt.cli.context_output import explanation

        out.say(explanation(package))
    looking = explain or (workspace is None and not as_json and out.person_is_looking())
    more = note_prompt(workspace, question, package.prompt)
    context_views.account(package.prompt, looking=looking, more=more)


def _day(text: str | None) -> str | None:
    if text is None:
        return None
    from verifflowcc.memory.use.item_search import read_as_of

    return read_as_of(text)


def _for_person(question: "Question") -> "ContextPackage":
    """Return the prompt outside of any project: of what is known of the person, where anything is."""
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.prompt.use.prompt_use import compile_context
    from verifflowcc.prompt.use.user_prompt import compile_for_person

    needs_project = question.committed or question.sprint or question.stage
    package = None if needs_project else compile_for_person(question)
    return package or compile_context(open_workspace(), question)


@app.command()
def diff(
    agent: Annotated[list[str], typer.Option("--agent", "-a", metavar="ROLE", help="The role; twice to compare two.")],
    sprint: SprintOption = None,
    stage: Annotated[
        list[str] | None, typer.Option("--stage", metavar="ID", help="The stage; twice to compare two.")
    ] = None,
    commit: Annotated[
        list[str] | None, typer.Option("--commit", metavar="REVISION", help="A commit; twice to compare two.")
    ] = None,
    task: Task = "",
    budget: Budget = None,
    as_json: JsonFlag = False,
) -> None:
    """Compare the prompts of two agents, two stages or two commits.

    Lists which entries came (+), went (-) or changed (~), and the difference in tokens. Give exactly one of --agent,
    --stage and --commit twice.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.memory.cli.painting import changes
    from verifflowcc.prompt.cli import context_output as context_views
    from verifflowcc.prompt.use.prompt_diff import compare_contexts, sides

    left, right = sides(agent, stage or [], commit or [], sprint=sprint, task=task, budget_tokens=budget)
    comparison = compare_contexts(open_workspace(), left, right)
    if as_json:
        out.emit_json(comparison)
    else:
        out.emit(context_views.comparison(comparison), paint=changes)


app.command("tune")(tune)
