"""`vfcc memory search`: what bears on a question, and why."""

from typing import Annotated

import typer

from verifflowcc.cli.memory_listing import AsOfOption
from verifflowcc.cli.options import JsonFlag, ScopeOption, TypesOption
from verifflowcc.domain.recall import DEFAULT_LIMIT

FileOption = Annotated[
    list[str] | None,
    typer.Option("--file", metavar="PATH", help="A file in play: items that speak of it count more; may be repeated."),
]


def search(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="Question or task, in words.")],
    scope: ScopeOption = None,
    type_: TypesOption = None,
    file: FileOption = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Find superseded, archived and pending items too; they count half.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", metavar="NUMBER", help="At most so many.")] = DEFAULT_LIMIT,
    as_of: AsOfOption = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each score is made of, and why others are not there.")
    ] = False,
    no_model: Annotated[
        bool, typer.Option("--no-model", help="Ask no model for an order, whatever memory.rerank says.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Find what bears on a question or a task, best first.

    An item is found by any of the question's words, in its title, key, tags or text, or beside it; and then what it
    links to. Looks where memory list looks: in the project, what is open in it, and the user's own.
    """
    from verifflowcc.cli.memory_searching import answer

    answer(
        question,
        scope=scope,
        types=type_ or (),
        files=file or (),
        everything=everything,
        limit=limit,
        as_of=as_of,
        explain=explain,
        no_model=no_model,
        as_json=as_json,
    )
