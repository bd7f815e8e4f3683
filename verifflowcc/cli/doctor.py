"""`vfcc doctor`."""

import typer

from verifflowcc.cli.options import JsonFlag

FINDINGS = 1


def doctor(as_json: JsonFlag = False) -> None:
    """Check this machine, the configuration, ledgers and evidence.

    Nothing is changed. Exits with 1 if there is something to mend.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.services.doctor import diagnose

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
