"""`vfcc waive`: leave to pass a criterion that is not met."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import CommitFlag, ExpiresOption, JsonFlag, ReasonOption, SprintOption, YesFlag

if TYPE_CHECKING:
    from verifflowcc.services.waivers import Waivable, Waived
    from verifflowcc.services.workspace import Workspace


def waive(
    criterion: Annotated[str, typer.Argument(metavar="CRITERION", help="Its id, as check gate shows it.")],
    reason: ReasonOption,
    expires: ExpiresOption = None,
    stage: Annotated[
        str | None, typer.Option("--stage", metavar="ID", help="Stage id (default: that of what blocks now).")
    ] = None,
    yes: YesFlag = False,
    sprint: SprintOption = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Waive a criterion that is not met.

    For what lies there now, and no longer than that: a waiver ends when its files change, or with its last day. It
    takes a person at a terminal; in a strict workflow, two.
    """
    from verifflowcc.cli import moves
    from verifflowcc.services import waivers
    from verifflowcc.services.sprint_reading import active_sprint

    acting = moves.acting_here()
    here = acting.workspace
    what = waivers.what_to_waive(here, active_sprint(here, sprint).id, criterion, stage)
    email = acting.email
    waivers.check_waiver(here, what, reason, expires, actor=acting.actor, email=email)
    _ask(what, reason, expires, yes=yes)
    done = waivers.waive(here, what, reason, expires, actor=acting.actor, email=email, commit=acting.commits(commit))
    _show(done, what, here, as_json=as_json)


def _ask(what: "Waivable", reason: str, expires: str | None, *, yes: bool) -> None:
    from verifflowcc.cli import moves as asking

    asked = what.asked
    shown = [
        f"{what.sprint}/{what.stage}, {asked.criterion.id}: {asked.criterion.title} ({asked.criterion.mode})",
        f"{asked.verdict}: {asked.reason}",
        f"reason: {reason}",
        f"until {expires}" if expires else "with no last day, as long as nothing that it looks at changes",
    ]
    asking.confirm(shown, "Waive?", yes=yes)


def _show(done: "Waived", what: "Waivable", here: "Workspace", *, as_json: bool) -> None:
    from verifflowcc.cli import moves as asking

    until = f" until {done.waiver.expires}" if done.waiver.expires else ""
    lines = [f"{what.sprint}/{what.stage}, {what.asked.criterion.id}: waived by {done.waiver.actor}{until}"]
    if done.people < done.needed:
        lines.append(f"{done.people} of {done.needed}: another person must waive it too")
    asking.show_note(done, done.done, lines, here, as_json=as_json)
