"""Take a project that is there no more off as the source of user items; the items stay."""

from verifflowcc.base.config.config_load import USER
from verifflowcc.base.errors import FormatError, UsageError
from verifflowcc.base.model.item_values import Item
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.memory.use.consolidating import MaintenanceStep, StepKind
from verifflowcc.memory.use.recording import with_source
from verifflowcc.memory.use.stores import open_for_reading, open_store
from verifflowcc.sprint.use.people_acting import require_person


def forget_project(name: str, *, actor: str, dry_run: bool = False) -> list[MaintenanceStep]:
    """Take the project called `name` off every user item that names it as its source; return what was done.

    A project is named by its whole identity (`shop@1a2b3c4d5e6f`), or by the part before the @ where that is of one.
    Raises UsageError where no user item names such a project, NotAllowed where no person acts.
    """
    if not dry_run:
        require_person(
            actor, "taking a project off user items", hint=f"vfcc memory maintain --forget-project {name} --dry-run"
        )
    with (open_for_reading if dry_run else open_store)(None, USER) as store:
        project = _meant(name, store.items())
        mine = [item.id for item in store.items() if item.source.project == project]
        if dry_run:
            return [_step(item, project) for item in mine]
        with store.writing():
            steps = []
            for item_id in mine:
                stored = store.get(item_id)
                if stored is not None and stored.item.source.project == project:
                    try:
                        store.add(with_source(stored, project=None))
                    except FormatError as error:
                        steps.append(
                            MaintenanceStep(StepKind.NOT_DONE, USER, item_id, f"its source stays: {error.message}")
                        )
                    else:
                        steps.append(_step(item_id, project))
        return steps


def _step(item_id: str, project: str) -> MaintenanceStep:
    return MaintenanceStep(StepKind.FORGOTTEN, USER, item_id, f"{project} is not its source any more")


def _meant(name: str, items: list[Item]) -> str:
    known = sorted({item.source.project for item in items if item.source.project})
    found = [each for each in known if each == name] or [each for each in known if each.rpartition("@")[0] == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(
            f"{name} can be any of {len(found)} projects: {', '.join(found)}",
            hint=f"vfcc memory maintain --forget-project {found[0]}",
        )
    near = nearest(name, [*known, *(each.rpartition("@")[0] for each in known)])
    choice = f"did you mean {near}?" if near else f"they name {', '.join(known) or 'none'}"
    raise UsageError(f"no user item is from the project {name}; {choice}", hint="vfcc memory list --scope user")
