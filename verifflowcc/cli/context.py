"""`vfcc context`: compile and compare prompts, and tune their shares."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli import context_tune
from verifflowcc.cli.options import JsonFlag, OutputOption, SprintOption, StageOption, tokens

if TYPE_CHECKING:
    from verifflowcc.domain.entries import ContextPackage, Question

app = typer.Typer(help="Compile the prompt for an agent, compare two, and tune shares.", no_args_is_help=True)

Agent = Annotated[str, typer.Option("--agent", "-a", metavar="ROLE", help="The role, e.g. coder.")]
Task = Annotated[
    str, typer.Option("--task", metavar="TEXT", help="Task of the agent; it ranks memory and is in the prompt.")
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

    Without --agent, the prompt is for the active stage, and its task is the sprint's title and goals. A table of what
    each layer uses of the budget goes to stderr, where that is a terminal. With --json, the prompt and its whole
    explanation. Outside of a project, the prompt holds what is known of you.
    """
    from verifflowcc.cli import context_views
    from verifflowcc.cli import output as out
    from verifflowcc.domain.entries import Question
    from verifflowcc.services.context import compile_context, compile_prompt_only, note_prompt
    from verifflowcc.services.workspace import find_workspace

    workspace = find_workspace()
    if agent is None:
        from verifflowcc.services.stage_question import role_and_task

        agent, task = role_and_task(workspace, sprint, stage, task)
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
        from verifflowcc.cli.explanation import explanation

        out.say(explanation(package))
    looking = explain or (workspace is None and not as_json and out.person_is_looking())
    more = note_prompt(workspace, question, package.prompt)
    context_views.account(package.prompt, looking=looking, more=more)


def _day(text: str | None) -> str | None:
    if text is None:
        return None
    from verifflowcc.services.memory.finding import day_said

    return day_said(text)


def _for_person(question: "Question") -> "ContextPackage":
    """Return the prompt outside of any project: of what is known of the person, where anything is."""
    from verifflowcc.services.context import compile_context
    from verifflowcc.services.user_prompt import compile_for_person
    from verifflowcc.services.workspace import open_workspace

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
    from verifflowcc.cli import context_views
    from verifflowcc.cli import output as out
    from verifflowcc.cli.painting import changes
    from verifflowcc.services.context_diff import compare_contexts, sides
    from verifflowcc.services.workspace import open_workspace

    left, right = sides(agent, stage or [], commit or [], sprint=sprint, task=task, budget_tokens=budget)
    comparison = compare_contexts(open_workspace(), left, right)
    if as_json:
        out.emit_json(comparison)
    else:
        out.emit(context_views.comparison(comparison), paint=changes)


app.command("tune")(context_tune.tune)
