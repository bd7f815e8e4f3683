"""`vfcc context`: compile and compare prompts."""

from pathlib import Path
from typing import Annotated

import typer

from verifflowcc.cli.options import JsonFlag, SprintOption, StageOption, tokens

app = typer.Typer(help="Compile the prompt for an agent, and compare two of them.", no_args_is_help=True)

Agent = Annotated[str, typer.Option("--agent", "-a", metavar="ROLE", help="The role, e.g. coder.")]
Task = Annotated[
    str, typer.Option("--task", metavar="TEXT", help="What the agent is to do; ranks the memory and ends the prompt.")
]
Budget = Annotated[
    int | None,
    typer.Option("--budget", metavar="TOKENS", parser=tokens, help="The most it may have; else the role's, or 50,000."),
]
Committed = Annotated[bool, typer.Option("--committed", help="Only what HEAD holds: the same bytes on every clone.")]


@app.command()
def show(
    agent: Agent,
    sprint: SprintOption = None,
    stage: StageOption = None,
    task: Task = "",
    budget: Budget = None,
    strict: Annotated[bool, typer.Option("--strict", help="Fail where an always-load file is not whole.")] = False,
    committed: Committed = False,
    explain: Annotated[bool, typer.Option("--explain", help="List every candidate, its fate and why.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a file instead of stdout.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Print the prompt for an agent: on stdout, and nothing else.

    A table of what each layer uses of the budget goes to stderr, where that is a terminal. With --json, the prompt and
    its whole explanation.
    """
    from verifflowcc.cli import context_views
    from verifflowcc.cli import output as out
    from verifflowcc.cli.explanation import explanation
    from verifflowcc.services.context import Question, compile_context, compile_prompt_only
    from verifflowcc.services.workspace import open_workspace

    question = Question(agent, sprint, stage, task, budget, strict=strict, committed=committed)
    workspace = open_workspace()
    if not (explain or as_json):
        prompt = compile_prompt_only(workspace, question)
        context_views.deliver(prompt.text, output)
        context_views.account(prompt, looking=out.person_is_looking())
        return
    package = compile_context(workspace, question)
    if as_json:
        context_views.deliver(out.json_text(package), output)
    else:
        context_views.deliver(package.text, output)
        out.say(explanation(package))
    context_views.account(package.prompt, looking=explain)


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
    from verifflowcc.services.context_diff import compare_contexts, sides
    from verifflowcc.services.workspace import open_workspace

    left, right = sides(agent, stage or [], commit or [], sprint=sprint, task=task, budget_tokens=budget)
    comparison = compare_contexts(open_workspace(), left, right)
    if as_json:
        out.emit_json(comparison)
    else:
        out.emit(context_views.comparison(comparison))
