"""`vfcc migrate`."""

from verifflowcc.cli.options import DryRunFlag, JsonFlag


def migrate(
    dry_run: DryRunFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Upgrade .memory/ to the current format.

    Nothing is overwritten; an interrupted migration continues.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.services.migrating import migrate as migrate_memory
    from verifflowcc.services.workspace import open_workspace
    from verifflowcc.text.invisible import printable

    done = migrate_memory(open_workspace(), dry_run=dry_run)
    for notice in done.notices:
        out.warn(notice)
    if as_json:
        out.emit_json(done)
    elif not done.steps:
        out.emit(f"nothing to migrate: the memory has format {done.format_after}")
    else:
        lines = [f"{'would do' if dry_run else 'done'}: {step.what}" for step in done.steps]
        out.emit(printable("\n".join(lines)))
