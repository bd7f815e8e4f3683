"""Take a project that is there no more off as the source of user items; the items stay."""

from verifflowcc.adapters.files.private import USER
from verifflowcc.domain.items import Item
from verifflowcc.errors import FormatError, UsageError
from verifflowcc.services.memory.maintained import Step, StepKind
from verifflowcc.services.memory.opening import open_store
from verifflowcc.services.memory.reading_only import open_for_reading
from verifflowcc.services.memory.rewriting import with_source
from verifflowcc.services.people_acting import require_person
from verifflowcc.text.article import nearest


def forget_project(name: str, *, actor: str, dry_run: bool = False) -> list[Step]:
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
                        steps.append(Step(StepKind.TOLD, USER, item_id, f"its source stays: {error.message}"))
                    else:
                        steps.append(_step(item_id, project))
        return steps


def _step(item_id: str, project: str) -> Step:
    return Step(StepKind.FORGOTTEN, USER, item_id, f"{project} is not its source any more")


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
    said = f"did you mean {near}?" if near else f"they name {', '.join(known) or 'none'}"
    raise UsageError(f"no user item is from the project {name}; {said}", hint="vfcc memory list --scope user")
