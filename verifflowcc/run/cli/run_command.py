"""`vfcc run`: drive a sprint with agents, and what there is to do with a run."""

import sys
import time
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import DryRunFlag, FullFlag, JsonFlag, SprintOption, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifflowcc.run.rules.run_fold import RunAttempt, RunState
    from verifflowcc.run.use.run_machinery import RunMachinery
    from verifflowcc.run.use.run_opening import RunCleanup, RunOrder, RunPlan
    from verifflowcc.run.use.run_reading import RunLine

EXIT_CODES = {"done": 0, "failed": 3, "blocked": 4, "waiting": 6, "limit": 7, "stopped": 130}
"""How a run ended → the exit code."""
_FOLLOW_S = 0.5
_MICRO = 1_000_000

app = typer.Typer(help="Run a sprint with agents, stage by stage; evidence decides.", no_args_is_help=False)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or len(text) > 6 or int(text) < 1:
        raise typer.BadParameter(f"{text!r} is not a whole number from 1 up")
    return int(text)


def _money(text: str) -> int:
    try:
        found = Decimal(text)
    except InvalidOperation:
        found = Decimal(0)
    if not Decimal("0.01") <= found <= Decimal(1_000_000):
        raise typer.BadParameter(f"{text!r} is not an amount of US dollars (expected, for example, 12.5)")
    return int(found * _MICRO)


RunArgument = Annotated[
    str | None, typer.Argument(metavar="RUN", help="Run id (default: the latest that is not done).")
]
MinutesOption = Annotated[
    int | None,
    typer.Option("--max-minutes", metavar="N", parser=_count, help="Working time of all agents (default: 240)."),
]
MoneyOption = Annotated[
    int | None,
    typer.Option("--max-usd", metavar="N", parser=_money, help="Cost, as the clients report it (default: none)."),
]
MaxTokensOption = Annotated[
    int | None,
    typer.Option(
        "--max-tokens", metavar="N", parser=tokens, help="Tokens of all agents, in and out (default: 20 million)."
    ),
]


@app.callback(invoke_without_command=True)
def run(
    context: typer.Context,
    sprint: SprintOption = None,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="STAGE", help="End once this stage is passed (default: the close)."),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            metavar="CLIENT",
            help="claude, codex, CLIENT:MODEL or a command; again for the next to try (default: claude).",
        ),
    ] = None,
    role: Annotated[
        list[str] | None,
        typer.Option("--role", metavar="ROLE=CLIENT", help="The client of one role; may be repeated."),
    ] = None,
    review: Annotated[
        list[str] | None,
        typer.Option(
            "--review",
            metavar="CRITERION=CLIENT",
            help="Let a fresh session review a metric criterion, reading only; may be repeated.",
        ),
    ] = None,
    max_attempts: Annotated[
        int | None,
        typer.Option("--max-attempts", metavar="N", parser=_count, help="Attempts per stage and client (default: 3)."),
    ] = None,
    max_minutes: MinutesOption = None,
    max_usd: MoneyOption = None,
    max_tokens: MaxTokensOption = None,
    parallel: Annotated[
        bool,
        typer.Option("--parallel", help="Let the tester begin with the coder, from the specification."),
    ] = False,
    fleet: Annotated[
        bool, typer.Option("--fleet", help="Let workers on other machines make the attempts (vfcc run worker).")
    ] = False,
    take_over: Annotated[
        bool, typer.Option("--merge", help="At the end, fast-forward the current branch if nothing in it changed.")
    ] = False,
    dry_run: DryRunFlag = False,
    as_json: JsonFlag = False,
    full: FullFlag = False,
) -> None:
    """Run a sprint with agents from its active stage to its close.

    Each attempt works in a git worktree of its own; vfcc commits, merges, runs the checks and asks the gate. It never
    pushes, approves or waives, and leaves the checkout alone. Exits with 4 where a gate stays closed, 6 where a person
    is asked, 7 where a limit is reached.
    """
    if context.invoked_subcommand is not None:
        given = (sprint, until, agent, role, review, max_attempts, max_minutes, max_usd, max_tokens)
        if any(given) or parallel or fleet or take_over or dry_run:
            raise typer.TyperException(f"options that start a run go without {context.invoked_subcommand}")
        return
    from verifflowcc.base.records import replace
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.run.use.run_opening import plan_run, start_run

    order = _order(agent, role, review, until, max_attempts, max_minutes, max_usd, max_tokens, parallel=parallel)
    order = replace(order, fleet=fleet)
    workspace = open_workspace()
    if dry_run:
        plan = plan_run(workspace, sprint, order, _machinery())
        out.emit_json(plan) if as_json else out.emit_lines(list(_plan_lines(plan)))
        return
    with _shown() as tools:
        state = start_run(workspace, sprint, order, tools)
    _finish(state, as_json=as_json, take_over=take_over)


def _order(
    agent: list[str] | None,
    role: list[str] | None,
    review: list[str] | None,
    until: str | None,
    max_attempts: int | None,
    max_minutes: int | None,
    max_usd: int | None,
    max_tokens: int | None,
    *,
    parallel: bool,
) -> "RunOrder":
    from verifflowcc.base.records import replace
    from verifflowcc.run.use.run_opening import RunOrder

    clients: dict[str, tuple[str, ...]] = {"*": tuple(agent or ("claude",))}
    for each in role or ():
        name, client = _named_client(each, "ROLE=CLIENT", "coder=codex")
        clients[name] = (*clients.get(name, ()), client)
    reviews = dict(_named_client(each, "CRITERION=CLIENT", "code-review=codex") for each in review or ())
    order = replace(RunOrder(), clients=clients, until=until, micro_usd=max_usd, parallel=parallel)
    order = replace(order, reviews={name: (client,) for name, client in reviews.items()})
    order = replace(order, attempts=max_attempts or order.attempts, minutes=max_minutes or order.minutes)
    return replace(order, tokens=max_tokens or order.tokens)


def _named_client(given: str, form: str, example: str) -> tuple[str, str]:
    name, equals, client = given.partition("=")
    if not equals or not name.strip() or not client.strip():
        raise typer.BadParameter(f"{given!r} is not {form} (expected, for example, {example})")
    return name.strip(), client.strip()


def _machinery() -> "RunMachinery":
    """Return the machinery of a driver that writes its steps to stderr."""
    from verifflowcc.base.records import replace
    from verifflowcc.base.terminal import output as out
    from verifflowcc.run.use.run_machinery import RunMachinery

    return replace(RunMachinery(), say=out.say)


@contextmanager
def _shown() -> "Iterator[RunMachinery]":
    """Give the machinery of a driver whose run is drawn while it works, where a person looks."""
    from verifflowcc.base.records import replace
    from verifflowcc.run.cli.run_view import run_view

    tools = _machinery()
    with run_view() as view:
        yield replace(tools, on_step=view.take_step, on_state=view.take_state) if view else tools


def _finish(state: "RunState", *, as_json: bool, take_over: bool = False) -> None:
    """Show how a run ended, and exit with the code for it."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.document_form import Problem
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.run.use.run_opening import take_over_run
    from verifflowcc.run.use.run_reading import find_run, run_line

    found = find_run(open_workspace(), state.id)
    line = run_line(found)
    if take_over and line.status == "done":
        out.say(take_over_run(open_workspace(), found))
    out.emit_json(line) if as_json else out.emit_lines(list(_run_lines(line)))
    code = EXIT_CODES.get(line.status, 3)
    if code:
        out.explain(Problem(line.status, line.detail or f"the run is {line.status}", line.next))
        raise typer.Exit(code)


@app.command()
def status(run: RunArgument = None, as_json: JsonFlag = False) -> None:
    """Show a run: its attempts, what they used, what blocks it, and the next command."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.run.use.run_reading import find_run, run_line

    line = run_line(find_run(open_workspace(), run))
    out.emit_json(line) if as_json else out.emit_lines(list(_run_lines(line)))


@app.command()
def events(
    run: RunArgument = None,
    follow: Annotated[bool, typer.Option("--follow", help="Continue until the run ends or waits.")] = False,
) -> None:
    """Print the events of a run as NDJSON, one line each; the same lines whenever it is asked."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.document_form import document_text, form
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.run.use.run_reading import event_lines, find_run, run_line

    shown = 0
    while True:
        found = find_run(open_workspace(), run)
        run = found.state.id
        line = run_line(found)
        for each in event_lines(found, shown):
            out.emit(document_text(form(each, full=True)), withheld=True)
            shown += 1
        if not follow or line.status != "working":
            return
        sys.stdout.flush()
        time.sleep(_FOLLOW_S)


@app.command()
def stop(
    run: RunArgument = None,
    now: Annotated[bool, typer.Option("--now", help="End the agent that works now (default: let it end).")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Ask the driver of a run to stop; `vfcc run resume` continues.

    Without a driver, end what it left running.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.run.use.run_opening import stop_run

    done = stop_run(open_workspace(), run, _machinery(), now=now)
    out.emit_json({"message": done}) if as_json else out.emit(done)


@app.command()
def resume(
    run: RunArgument = None,
    max_minutes: MinutesOption = None,
    max_usd: MoneyOption = None,
    max_tokens: MaxTokensOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Resume a run after a crash, a stop, a limit, or once a person did what was asked.

    Exits as `vfcc run` does.
    """
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.run.use.run_opening import resume_run

    given = {"minutes": max_minutes, "micro_usd": max_usd, "tokens": max_tokens}
    limits: dict[str, int | None] = {name: value for name, value in given.items() if value is not None}
    with _shown() as tools:
        state = resume_run(open_workspace(), run, limits, tools)
    _finish(state, as_json=as_json)


@app.command()
def retry(
    stage: Annotated[str, typer.Argument(metavar="STAGE", help="The stage; one that was left is reopened.")],
    run: RunArgument = None,
    as_json: JsonFlag = False,
) -> None:
    """Retry a stage of a run, with all of its attempts.

    Exits as `vfcc run` does.
    """
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.run.use.run_opening import retry_stage

    with _shown() as tools:
        state = retry_stage(open_workspace(), stage, run, tools)
    _finish(state, as_json=as_json)


@app.command()
def worker(
    agent: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            metavar="CLIENT",
            help="A client that it may start; may be repeated (default: claude and codex).",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Its name (default: of the machine and the folder).")
    ] = None,
) -> None:
    """Make attempts of the project's fleet on this machine, until it is stopped.

    Each attempt gets a clone of its own; its result is pushed to the remote that run.fleet names. VFCC_FLEET_DATABASE
    has the URL of the team's PostgreSQL.
    """
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.run.use.fleet_worker import WorkerOrder, work_for_fleet

    order = WorkerOrder(tuple(agent or ("claude", "codex")), name or "")
    try:
        work_for_fleet(open_workspace(), order, _machinery())
    except KeyboardInterrupt:
        raise typer.Exit(EXIT_CODES["stopped"]) from None


@app.command()
def clean(
    run: RunArgument = None,
    force: Annotated[
        bool, typer.Option("--force", help="Remove worktrees with unmerged work too; a ref keeps it.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Remove the worktrees and branches of a run whose work is merged.

    Unmerged work is kept under refs/vfcc/rescue/ before anything is removed.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.run.use.run_opening import clean_run

    done = clean_run(open_workspace(), run, _machinery(), force=force)
    out.emit_json(done) if as_json else out.emit_lines(list(_cleaned(done)))


def _plan_lines(plan: "RunPlan") -> "Iterator[str]":
    yield f"{plan.run}: would drive {plan.sprint} on the branch {plan.branch}"
    for stage, role, clients in plan.stages:
        yield f"  {stage}: {role}, by {', then '.join(clients)}"
    for stage in plan.ahead:
        yield f"  {stage} begins with the stage before it"
    limits = [f"{value:,} {name}" for name, value in plan.limits.items() if value is not None and name != "micro_usd"]
    money = plan.limits.get("micro_usd")
    yield f"limits: {', '.join([*limits, *([f'${money / _MICRO:.2f}'] if money else [])])}"
    yield f"worktrees: {plan.trees}"
    yield "nothing was written; to start: the same without --dry-run"


def _run_lines(line: "RunLine") -> "Iterator[str]":
    where = f", in {line.stage}" if line.stage else ""
    yield f"{line.run}: {line.status}{where}"
    for each in line.attempts:
        yield f"  {_attempt(each)}"
    if line.detail and not line.asks:
        yield f"why: {line.detail}"
    for ask in line.asks:
        yield f"asked: {ask}"
    cost = "" if line.micro_usd is None else f", ${line.micro_usd / _MICRO:.2f}"
    worked = f"{line.seconds // 60} min {line.seconds % 60} s"
    yield f"used: {line.input_tokens + line.output_tokens:,} tokens{cost}, {worked}"
    yield f"next: {line.next}"


def _attempt(attempt: "RunAttempt") -> str:
    outcome = attempt.outcome or "started"
    merged = ", merged" if attempt.merged else ""
    paths = f": {', '.join(attempt.paths[:3])}" if attempt.paths else ""
    return f"{attempt.id} ({attempt.client}): {outcome}{merged}{paths}"


def _cleaned(done: "RunCleanup") -> "Iterator[str]":
    for name in done.removed:
        yield f"removed: {name}"
    for name in done.kept:
        yield f"kept: {name} has unmerged work (remove it with --force)"
    for ref in done.rescued:
        yield f"rescued: {ref}"
    if not (done.removed or done.kept):
        yield f"{done.run}: nothing is left to remove"
