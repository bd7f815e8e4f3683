"""`vfcc doctor`."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import JsonFlag, YesFlag

if TYPE_CHECKING:
    from verifflowcc.services.repairing import RepairPlan

FINDINGS = 1
RepairFlag = Annotated[
    bool, typer.Option("--repair", help="Move files that vfcc did not write out of the ledgers. It takes a person.")
]


def doctor(repair: RepairFlag = False, yes: YesFlag = False, as_json: JsonFlag = False) -> None:
    """Check this machine, the configuration, ledgers and evidence.

    Nothing is changed without --repair. Exits with 1 if there is something to mend.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.services.doctor import diagnose

    if repair:
        _repair(yes=yes, as_json=as_json)
        return
    found = diagnose()
    if as_json:
        out.emit_json({"remarks": found.remarks, "findings": len(found.findings)})
    else:
        width = max(len(each.about) for each in found.remarks)
        for each in found.remarks:
            out.emit(f"{each.health:7}  {each.about:{width}}  {each.text}")
            if each.step:
                out.emit(f"{'':7}  {'':{width}}  {each.step}")
    if found.findings:
        raise typer.Exit(FINDINGS)


def _repair(*, yes: bool, as_json: bool) -> None:
    """Show what would be moved, ask, and move it to `.memory/local/quarantine/`."""
    from verifflowcc.cli import moves
    from verifflowcc.cli import moves as asking
    from verifflowcc.cli import output as out
    from verifflowcc.services import repairing
    from verifflowcc.services.people_acting import require_person

    acting = moves.acting_here()
    plan = repairing.plan_repair(acting.workspace)
    require_person(acting.actor, "moving files out of a ledger", hint="vfcc doctor --repair  # at a terminal")
    if plan.strays:
        asking.confirm(_lines(plan), "Move them to .memory/local/quarantine/?", yes=yes)
    moved = repairing.repair(acting.workspace, plan, actor=acting.actor)
    if as_json:
        out.emit_json({"moved": moved, "restorable": plan.restorable})
        return
    for each in moved:
        out.emit(f"moved: {each.stray.path} to {each.to}")
    for left in plan.restorable:
        out.emit(f"left: {left.path}: {left.reason}")
        out.emit(f"  {left.step}")
    if not moved:
        out.emit("no file was moved")


def _lines(plan: "RepairPlan") -> list[str]:
    from verifflowcc.cli import moves as asking

    lines = []
    for each in plan.strays:
        by = f", by {each.actor} as it says" if each.actor else ""
        lines.append(f"- {each.path} ({each.what}{by}): {each.reason}")
    return asking.listed(lines)
