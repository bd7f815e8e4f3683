"""`vfcc code`: the structure of the project's code, and what of it a task needs.

The answers are made in `code_answers`, which plain command lines reach without typer.
"""

from typing import Annotated

from verifflowcc.base.model.config_values import MOST_FOUND
from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import JsonFlag, tokens

app = typer.Typer(help="Ask who calls what, and which code a task needs.", no_args_is_help=True)

SymbolArgument = Annotated[
    str, typer.Argument(metavar="SYMBOL", help="A name, Class.name, path::name, or path:line; or a file's path.")
]
BudgetOption = Annotated[
    int | None,
    typer.Option(
        "--budget",
        metavar="TOKENS",
        parser=tokens,
        help="At most so many tokens; 4k is 4,000 (default: 4,000; for a map 2,000).",
    ),
]
KindOption = Annotated[
    str, typer.Option("--kind", metavar="KIND", help="callers, callees, imports, imported-by, inherits or uses.")
]


@app.command()
def index(as_json: JsonFlag = False) -> None:
    """Bring the graph up to the files.

    Every other command does so by itself; this one says what it took, and what was left out and why.
    """
    from verifflowcc.cli.cli.code_answers import answer_index

    answer_index(as_json=as_json)


@app.command()
def status(as_json: JsonFlag = False) -> None:
    """Show what the graph holds, by language.

    Also which files it does not read, and why.
    """
    from verifflowcc.cli.cli.code_answers import answer_status

    answer_status(as_json=as_json)


@app.command()
def find(
    symbol: SymbolArgument,
    kind: Annotated[str | None, typer.Option("--kind", metavar="KIND", help="Only functions, classes, …")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="NUMBER", min=1, help="At most so many.")] = MOST_FOUND,
    as_json: JsonFlag = False,
) -> None:
    """Show where a symbol is defined, all places.

    Whole names come first; where there is none, those that differ in case, then those that have it as a part.
    """
    from verifflowcc.cli.cli.code_answers import answer_find

    answer_find(symbol, kind=kind, limit=limit, as_json=as_json)


@app.command()
def file(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A source file.")], as_json: JsonFlag = False
) -> None:
    """Show the functions and classes of a file, and what it imports."""
    from verifflowcc.cli.cli.code_answers import answer_file

    answer_file(path, as_json=as_json)


@app.command()
def refs(
    symbol: SymbolArgument,
    kind: KindOption = "callers",
    everything: Annotated[bool, typer.Option("--all", help="Show all that is possible, however unsure.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show who refers to a symbol, or what it refers to.

    Each reference has a file, a line and a certainty; possible ones are listed apart. For imports and imported-by,
    give a file.
    """
    from verifflowcc.cli.cli.code_answers import answer_refs

    answer_refs(symbol, kind=kind, everything=everything, as_json=as_json)


@app.command()
def map(budget: BudgetOption = None, as_json: JsonFlag = False) -> None:
    """Show an overview of the code within a number of tokens.

    The files that others lean on first, each with what it offers; the same for the same code.
    """
    from verifflowcc.cli.cli.code_answers import answer_map

    answer_map(budget=budget, as_json=as_json)


@app.command()
def context(
    task: Annotated[str, typer.Argument(metavar="TASK", help="Task, in words.")],
    budget: BudgetOption = None,
    tests: Annotated[bool, typer.Option("--tests", help="Count tests and vendored files as the others.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show why each is there, and what is left out.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show the code that a task needs, within a number of tokens.

    The best functions whole, the signatures of what they call, each with path and lines.
    """
    from verifflowcc.cli.cli.code_answers import answer_context

    answer_context(task, budget=budget, tests=tests, explain=explain, as_json=as_json)


@app.command()
def impact(
    symbol: Annotated[
        str | None,
        typer.Argument(
            metavar="[SYMBOL]",
            help="A name, Class.name, path::name or path:line; or a file's path. With --diff: the revision BASE.",
        ),
    ] = None,
    diff: Annotated[
        bool,
        typer.Option("--diff", help="Ask about the changes since BASE (default: where the branch left the default)."),
    ] = False,
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="RUNNER", help="Print only the commands that run the tests: pytest, go, …"),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show what a change of a file, a symbol or a diff reaches.

    Product code by distance, the tests that reach it and how to run them, the trace, memories and owners.
    """
    from verifflowcc.cli.cli.code_answers import answer_impact

    answer_impact(symbol, diff=diff, format=form, as_json=as_json)
