"""Checks of where an item is, and of where in its life."""

from verifflowcc.domain.items import NOTE, USER_TYPES, ScopeKind, Status, item_type
from verifflowcc.formats.item_record import type_of_path
from verifflowcc.lifecycle.expire import has_ended, last_day, why_ended
from verifflowcc.lifecycle.memory_findings import MemoryFindings
from verifflowcc.lifecycle.memory_sources import Looked, MemorySources

_USER = "user"
_EITHER = frozenset({NOTE, "pattern", "decision", "convention", "fact", "guideline", "insight", "summary", "question"})
"""What a person may well keep for themselves, whatever scope its type has by default."""


def check_place(sources: MemorySources, tell: MemoryFindings) -> None:
    """Tell of items that lie in another scope or folder than their type belongs to."""
    tell.ask(len(sources.items), "wrong-folder", "in-both")
    for looked in sources.items:
        item = looked.item
        tell.ask(1, "project-type-in-user" if item.scope == _USER else "user-type-in-project")
        folder = type_of_path(item.path)
        if folder not in (NOTE, item.type):
            message = f"{item.id} is of type {item.type} and lies in the folder of {folder}"
            step = f"move {item.path} to the folder of {item.type}, or correct its type"
            tell.item("wrong-folder", item, looked.line("type"), message, step, folder)
        if item.id in sources.elsewhere and not item.path.startswith(item.id):
            other = sources.elsewhere[item.id]
            message = f"{item.id} is here and in {other}, as an interrupted move leaves it"
            tell.item("in-both", item, looked.line("id"), message, f"vfcc memory show {item.id}", "", [other])
        _check_scope(looked, tell)


def _check_scope(looked: Looked, tell: MemoryFindings) -> None:
    item = looked.item
    if item.scope == "project" and item.type in USER_TYPES and item.type not in _EITHER:
        message = f"{item.id} is a {item.type}, which is about a person, and lies in the project"
        step = f"vfcc memory move {item.id} --to user"
        tell.item("user-type-in-project", item, looked.line("type"), message, step)
    home = item_type(item.type)
    if item.scope == _USER and home.name and home.scope is not ScopeKind.USER and item.type not in _EITHER:
        message = f"{item.id} is of type {item.type}, which belongs to a {home.scope}, and lies in user memory"
        step = f"vfcc memory move {item.id} --to project"
        tell.item("project-type-in-user", item, looked.line("type"), message, step)


def check_life(sources: MemorySources, tell: MemoryFindings) -> None:
    """Tell of items that have ended and still hold, that wait for a person, or were used in days to come."""
    for looked in sources.items:
        item = looked.item
        tell.ask(1, "pending")
        tell.ask(last_day(item, sources.ttl_days) is not None, "expired")
        tell.ask(item.uses.last is not None, "future-use")
        tell.ask(item.type == "summary", "stale-summary")
        if item.status is Status.PENDING:
            by = item.source.actor
            message = f"{item.id} was proposed by {by} and waits for a person"
            tell.item("pending", item, looked.line("status"), message, f"vfcc memory promote {item.id}")
        if item.status is Status.ACTIVE and has_ended(item, sources.today, sources.ttl_days):
            message = f"{item.id} has ended and is active: {why_ended(item, sources.ttl_days)}"
            tell.item("expired", item, looked.line("expires"), message, "vfcc memory maintain")
        if item.path in sources.stale:
            message = f"{item.id} {sources.stale[item.path]}"
            tell.item("stale-summary", item, looked.line("links"), message, "vfcc memory maintain")
        if item.uses.last is not None and item.uses.last[:10] > sources.today:
            message = f"{item.id} was last used on {item.uses.last[:10]}, which is yet to come"
            tell.item("future-use", item, looked.line("uses"), message, f"correct uses in {item.path}")
