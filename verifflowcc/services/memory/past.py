"""A scope's items as they were on a day, with what was newer then."""

from collections.abc import Sequence

from verifflowcc.context.standing import superseded
from verifflowcc.domain.items import Item
from verifflowcc.errors import UsageError
from verifflowcc.lifecycle.expire import NO_LIFETIMES, Lifetimes
from verifflowcc.services.memory.opening import memory_settings
from verifflowcc.services.workspace import Workspace


def day_said(text: str | None) -> str | None:
    """Return the ISO day that `--as-of` means; None where it was left out. Raises UsageError where it is none."""
    if text is None:
        return None
    from verifflowcc.text.dates import read_moment

    moment = read_moment(text.strip())
    if moment is None:
        raise UsageError(f"{text!r} is no day; write it as 2026-11-21", hint="--as-of 2026-11-21")
    return moment[:10]


def items_as_of(items: Sequence[Item], day: str | None, ttl_days: Lifetimes = NO_LIFETIMES) -> list[Item]:
    """Return items as they were on a day; as they are where none is asked for."""
    if day is None:
        return list(items)
    from verifflowcc.lifecycle.as_of import as_of

    newer = {path: each.newer for path, each in superseded(items).found.items()}
    return list(as_of(items, day, ttl_days=ttl_days, newer=newer))


def lifetimes_here(workspace: Workspace | None, scope: str) -> Lifetimes:
    """Return the days that the settings give to types in a scope; what is known of a person does not run out."""
    return memory_settings(workspace).ttl_days if workspace is not None and scope != "user" else NO_LIFETIMES
