"""From what somebody typed for a new item to what is wanted: scope, type and title found, every word checked."""

from verifflowcc.domain.items import Source, SourceKind
from verifflowcc.errors import UsageError
from verifflowcc.formats.front_matter_read import read_thousandths
from verifflowcc.records import dataclass
from verifflowcc.services.finding import LONGEST_TITLE, one_line
from verifflowcc.services.memory.adding import Wanted
from verifflowcc.services.memory.choosing_scope import scope_to_add
from verifflowcc.services.memory.finding import find_item
from verifflowcc.services.memory.identity import identity_of
from verifflowcc.services.memory.recording import title_of
from verifflowcc.services.memory.refs import refs_said
from verifflowcc.services.memory.scopes import agent_of, read_scope
from verifflowcc.services.memory.words import (
    DETAIL_OF,
    day_said,
    details_said,
    id_said,
    key_said,
    said,
    tags_said,
    title_said,
    type_said,
)
from verifflowcc.services.workspace import Workspace

_KINDS = ("explicit", "inferred", "extracted")
_OPTION = {"scope": "--for", "code": "--code", "domain": "--domain", "category": "--category"}


@dataclass(frozen=True, slots=True)
class Typed:
    """An item as it was typed; `own` is the detail that its type asks for: a failure's code, a convention's scope …

    `lesson` is what was learned from a failure: then the text is its title.
    """

    type: str
    text: str
    title: str | None = None
    key: str | None = None
    scope: str | None = None
    importance: str | None = None
    confidence: str | None = None
    tags: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    own: tuple[tuple[str, str], ...] = ()
    lesson: str | None = None
    refs: tuple[str, ...] = ()
    expires: str | None = None
    deadline: str | None = None
    supersedes: str | None = None
    source: str = "explicit"
    id: str | None = None


def wanted_of(workspace: Workspace | None, typed: Typed, *, actor: str, today: str) -> Wanted:
    """Return what is wanted. Raises UsageError, in one sentence, for the first word that does not fit."""
    agent = agent_of(actor)
    named = typed.scope or scope_to_add(workspace, typed.type)
    type_name = _type(workspace, typed.type, named)
    scope = read_scope(workspace, named, agent=agent)
    text, title = _text(typed, type_name)
    own = _own(typed, type_name)
    details = details_said(typed.details, type_name, own)
    tags = (*typed.tags, *(value for name, value in details if name == DETAIL_OF.get(type_name)))
    return Wanted(
        scope=scope,
        type=type_name,
        title=title,
        text=text,
        source=_source(workspace, typed.source, scope, actor),
        title_given=typed.title is not None or typed.lesson is not None,
        key=key_said(typed.key) if typed.key is not None else None,
        importance=thousandths(typed.importance, "importance"),
        confidence=thousandths(typed.confidence, "confidence"),
        tags=tags_said(tags),
        details=details,
        refs=refs_said(workspace, typed.refs),
        expires=day_said(typed.expires, "--expires", today, may_be_over=False),
        deadline=day_said(typed.deadline, "--deadline", today, may_be_over=True),
        supersedes=_superseded(workspace, typed.supersedes, scope),
        id=id_said(typed.id) if typed.id is not None else None,
    )


def _type(workspace: Workspace | None, name: str, scope: str) -> str:
    """Refuse a word that is no type before a scope that is none for it is told."""
    from verifflowcc.domain.items import TYPES

    wanted = name.strip().casefold().replace("-", "_")
    policy = None
    if workspace is not None and scope != "user" and wanted not in TYPES:
        from verifflowcc.services.pinned_workflow import policy_of

        policy = policy_of(workspace)
    return type_said(name, scope, policy)


def _text(typed: Typed, type_name: str) -> tuple[str, str]:
    """Return the body and the title."""
    text = said(typed.text, "the text")
    if typed.lesson is None:
        return text, title_said(typed.title) if typed.title is not None else title_of(text, type_name)
    if type_name != "failure":
        raise UsageError(
            f"a lesson is what was learned from a failure, not of a {type_name}", hint="leave out --lesson"
        )
    lesson = said(typed.lesson, "the lesson")
    if typed.title is not None:
        return f"{text}\n\n{lesson}", title_said(typed.title)
    return lesson, one_line(text, "the text of a failure with a lesson", LONGEST_TITLE)


def _own(typed: Typed, type_name: str) -> str | None:
    """Return the detail that the type asks for. Raises UsageError for that of another type."""
    wrong = next((name for name, _ in typed.own if name != DETAIL_OF.get(type_name)), None)
    if wrong is not None:
        owner = next(each for each, name in DETAIL_OF.items() if name == wrong)
        raise UsageError(
            f"the option {_OPTION[wrong]} is for a {owner}, not for a {type_name}",
            hint=f"--detail {wrong}=… (on any type)",
        )
    value = dict(typed.own).get(DETAIL_OF.get(type_name, ""))
    if value is not None and not value.strip():
        raise UsageError(f"the {DETAIL_OF[type_name]} says nothing", hint=f"{_OPTION[DETAIL_OF[type_name]]} WORD")
    return value


def _source(workspace: Workspace | None, kind: str, scope: str, actor: str) -> Source:
    if kind not in _KINDS:
        raise UsageError(f"there is no source {kind}; there is {', '.join(_KINDS)}", hint="--source explicit")
    project = identity_of(workspace).text if scope == "user" and workspace is not None else None
    return Source(SourceKind(kind), actor, project)


def thousandths(text: str | None, name: str) -> int | None:
    """Return a number from 0 to 1 in thousandths; None for None. Raises UsageError; `name` is that of the option."""
    if text is None:
        return None
    value = read_thousandths(text.strip())
    if value is None:
        raise UsageError(f"the {name} is a number from 0 to 1, not {text!r}", hint=f"--{name} 0.9")
    return value


def _superseded(workspace: Workspace | None, name: str | None, scope: str) -> str | None:
    return None if name is None else find_item(workspace, name, (scope,)).item.id
