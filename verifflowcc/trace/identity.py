"""Checks of identity: each id is there once, is never used again, fits the pattern, and names its file."""

import re
from collections import defaultdict

from verifflowcc.domain.items import Status
from verifflowcc.domain.trace import TraceItem
from verifflowcc.trace.telling import Telling
from verifflowcc.trace.view import TraceView

_CODES = ("duplicate-id", "bad-id", "reused-id", "id-collision", "file-name")


def check_identity(view: TraceView, tell: Telling) -> None:
    """Tell what is wrong with ids. Retired items keep theirs: nothing new may have them."""
    tell.ask(_CODES, len(view.live))
    _spelling(view, tell)
    if len(view.by_id) < len(view.items):
        _twice(view, tell)
    _as_git_knows(view, tell)


def _spelling(view: TraceView, tell: Telling) -> None:
    fits = re.compile(view.policy.id_pattern).fullmatch
    for item in view.live:
        name = item.id
        if fits(name) is None:
            message = f"{name!r} does not fit the pattern of ids, {view.policy.id_pattern}"
            tell.item("bad-id", item, item.line("id"), message, f"give it another id in {item.path}")
        if not item.path.endswith(f"/{name}.md"):
            message = f"{name} is in {item.path.rpartition('/')[2]}, not in {name}.md"
            tell.item("file-name", item, item.line("id"), message, f"rename {item.path}, or correct its id")


def _twice(view: TraceView, tell: Telling) -> None:
    same: dict[str, list[TraceItem]] = defaultdict(list)
    for item in view.items:
        same[item.id].append(item)
    for items in same.values():
        live = [item for item in items if item.status is not Status.ARCHIVED]
        retired = [item for item in items if item.status is Status.ARCHIVED]
        for item in live[1:]:
            message = f"{item.id} is also the id of {live[0].path}"
            step = f"give one of them another id, in {item.path} or {live[0].path}"
            tell.item("duplicate-id", item, item.line("id"), message, step, item.path, [live[0].path])
        if live and retired:
            message = f"{live[0].id} was the id of {retired[0].path}, which is retired"
            step = f"give {live[0].path} another id"
            tell.item("reused-id", live[0], live[0].line("id"), message, step, also=[retired[0].path])


def _as_git_knows(view: TraceView, tell: Telling) -> None:
    git = view.sources.git
    for item in view.live:
        if item.path in git.reused:
            message = f"{item.id} was the id of another item before: {git.reused[item.path]}"
            tell.item("reused-id", item, item.line("id"), message, f"give {item.path} another id", "git")
        if item.id in git.collisions:
            other = git.collisions[item.id]
            message = f"{git.target or 'the target branch'} added another {item.id}, in {other}"
            step = f"give {item.path} another id before merging"
            tell.item("id-collision", item, item.line("id"), message, step, item.path, [other])
