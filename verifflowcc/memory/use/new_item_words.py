"""What somebody types for an item: its text, its title, its key, its days, each checked before anything is written."""

import unicodedata
from collections.abc import Iterable, Sequence
from datetime import date

from verifflowcc.base.errors import UsageError
from verifflowcc.base.files.private_files import USER
from verifflowcc.base.model.config_values import ScopeMode
from verifflowcc.base.model.item_values import GUARDED, TYPES, USER_TYPES, ScopeKind, item_type
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.trace_codes import TracePolicy
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.identifiers import GIVEN_ID
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.use.stage_words import LONGEST_TITLE, one_line
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.use.scopes import PROJECT, is_role, read_scope
from verifflowcc.memory.use.stores import memory_settings

LONGEST_TEXT = 500_000
DETAIL_OF = {"convention": "scope", "failure": "code", "pattern": "domain", "preference": "category"}
"""The one detail that a type asks for; its value is a tag too."""
_KEY = lazy_pattern(r"\w[\w .:+@#-]{0,118}\w|\w")
_DETAIL = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_-]{0,59}")
_WRITTEN_BY_PROMOTION = frozenset({"promoted_by", "promoted_on", "vouched_by", "vouched_on"})
_JOINERS = frozenset("\u200c\u200d\u00ad")
_SHOWN_BY_NOTHING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def checked_text(text: str, what: str) -> str:
    """Return a text with LF newlines and no blank lines around it.

    Raises UsageError where it says nothing, is too long, or holds a character that cannot be seen and could steer a
    terminal or a reader: control, bidirectional and tag characters.
    """
    folded = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if len(folded) > LONGEST_TEXT:
        raise UsageError(f"{what} has {len(folded):,} characters; an item may have {LONGEST_TEXT:,}")
    odd = next((each for each in folded if each not in "\n\t" and _hidden(each)), None)
    if odd is not None:
        raise UsageError(f"{what} holds U+{ord(odd):04X}, which cannot be shown; leave it out")
    stripped = folded.strip("\n").rstrip()
    if not stripped.strip():
        raise UsageError(f"{what} says nothing", hint='vfcc memory add fact "What it says"')
    return stripped


def checked_title(text: str) -> str:
    """Return a title: one line, not empty. Raises UsageError."""
    title = one_line(text, "the title", LONGEST_TITLE)
    if not title:
        raise UsageError("the title says nothing", hint="--title TEXT")
    return title


def checked_key(text: str) -> str:
    """Return a key: letters and digits, spaces and `. : + @ # - _` between them. Raises UsageError."""
    key = one_line(text, "the key", LONGEST_TITLE)
    if not _KEY.fullmatch(key):
        raise UsageError(
            f"{text!r} cannot be a key: it has letters, digits and . : + @ # - _ alone, at most 120", hint="--key WORD"
        )
    return key


def checked_id(text: str) -> str:
    """Return an id that can name a file. Raises UsageError."""
    if not GIVEN_ID.fullmatch(text) or text.endswith("."):
        raise UsageError(f"{text!r} cannot be an id: it names a file, with letters, digits and . _ - alone")
    return text


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return each tag once, in the order given. Raises UsageError."""
    lines = [one_line(each, "a tag", LONGEST_TITLE) for each in tags]
    if not all(lines):
        raise UsageError("a tag says nothing", hint="--tag WORD")
    if comma := next((each for each in lines if "," in each), None):
        raise UsageError(f"the tag {comma!r} holds a comma; give two tags", hint="--tag ONE --tag OTHER")
    return tuple(dict.fromkeys(lines))


def checked_details(details: Iterable[str], type_name: str, own: str | None) -> tuple[tuple[str, str], ...]:
    """Return `name=value` texts as pairs, with the detail of its own that the type has. Raises UsageError."""
    pairs: dict[str, str] = {}
    for each in details:
        name, equals, value = each.partition("=")
        if not equals or not _DETAIL.fullmatch(name) or not value.strip():
            raise UsageError(f"{each!r} is no detail; write it as name=value", hint="--detail name=value")
        if name in _WRITTEN_BY_PROMOTION:
            raise UsageError(f"the detail {name} is written by a promotion alone", hint="vfcc memory promote ID")
        pairs[name] = one_line(value, f"the detail {name}", LONGEST_TITLE)
    if own is not None and type_name in DETAIL_OF:
        pairs[DETAIL_OF[type_name]] = one_line(own, DETAIL_OF[type_name], LONGEST_TITLE)
    return tuple(pairs.items())


def checked_day(text: str | None, option: str, today: str, *, may_be_over: bool) -> str | None:
    """Return a day as in 2026-12-31. Raises UsageError where it is none, or over already."""
    if text is None:
        return None
    try:
        day = date.fromisoformat(text).isoformat()
    except ValueError:
        day = ""
    if day != text:
        raise UsageError(f"{text!r} is no day", hint=f"{option} {today}")
    if day < today and not may_be_over:
        raise UsageError(f"{text} is over: today is {today} (UTC)", hint=f"{option} {today}")
    return day


def checked_type(name: str, scope: str, policy: TracePolicy | None) -> str:
    """Return the type that was meant, in a scope. `policy` has the workflow's trace types, where there is a project.

    Raises UsageError for another, with the nearest; for a trace item, which `vfcc trace add` makes.
    """
    wanted = name.strip().casefold().replace("-", "_")
    if scope == "user":
        return _category(name, wanted)
    own = {each.name for each in TYPES.values() if not each.trace}
    if wanted in own:
        return wanted
    trace = {each.name for each in TYPES.values() if each.trace} | set(policy.types if policy else ())
    if wanted in trace:
        raise UsageError(f"{wanted} is a type of the trace from need to test", hint=f'vfcc trace add {wanted} "Title"')
    near = nearest(wanted, own | trace)
    meant = f"did you mean {near}?" if near else f"there is {', '.join(sorted(own))}"
    raise UsageError(f"there is no type {name}; {meant}", hint=_add(near if near in own else None))


def _category(name: str, wanted: str) -> str:
    if wanted in USER_TYPES:
        return wanted
    near = nearest(wanted, USER_TYPES)
    meant = f"did you mean {near}?" if near else f"they are {_listed(USER_TYPES)}"
    raise UsageError(f"{name} is no category of what is known of a person; {meant}", hint=f"{_add(near)} --scope user")


def default_scope(name: str) -> ScopeKind:
    """Return the scope of a type's items by default, however the type was written."""
    return item_type(name.strip().casefold().replace("-", "_")).scope


def _add(near: str | None) -> str:
    return f'vfcc memory add {near or "TYPE"} "What it says"'


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _hidden(letter: str) -> bool:
    return unicodedata.category(letter) in _SHOWN_BY_NOTHING and letter not in _JOINERS


# Choose the scope of what is new where nobody names one: what `memory.scope.mode` says.
#
# `workspace` goes by whose a statement is: the person's or the project's. `skill` gives what an agent's role learns to
# that role, and no other role's prompt has it. `manual` places nothing by itself: a person names the scope.

MANUAL = "memory.scope.mode is manual"
_NOT_LEARNED = frozenset(ScopeKind) - {ScopeKind.USER, ScopeKind.PROJECT, ScopeKind.AGENT}


@dataclass(frozen=True, slots=True)
class LearningScopes:
    """The scopes that a conversation is learned into; `proposes` says why a person is to say yes to each, if so."""

    scopes: tuple[str, ...]
    proposes: str = ""


def scopes_to_learn(workspace: Workspace | None, named: str | None, *, agent: str | None) -> LearningScopes:
    """Return the scopes that learned statements go to.

    A scope that is named goes before the mode. `agent` is the role that acts.

    Raises UsageError for a scope that nothing is learned into, and as `read_scope` does.
    """
    if named is not None:
        if named.partition("/")[0] in _NOT_LEARNED:
            message = f"what is learned is of the user, the project or an agent's role, not of {named}"
            raise UsageError(message, hint="--scope project")
        return LearningScopes((read_scope(workspace, named, agent=agent),))
    if workspace is None:
        return LearningScopes((USER,))
    mode = memory_settings(workspace).scope.mode
    if mode is ScopeMode.SKILL and agent is not None and is_role(workspace, agent):
        return LearningScopes((USER, PROJECT, f"{ScopeKind.AGENT}/{agent}"))
    return LearningScopes((USER, PROJECT), f"{MANUAL}: a person says the scope" if mode is ScopeMode.MANUAL else "")


def scope_to_add(workspace: Workspace | None, type_name: str) -> str:
    """Return the scope of a new item of a type for which none was named.

    Raises UsageError where a person is to name it.
    """
    home = str(default_scope(type_name))
    if home in GUARDED and workspace is not None and memory_settings(workspace).scope.mode is ScopeMode.MANUAL:
        raise UsageError(f"{MANUAL}: name the scope of what is added", hint=f"--scope {home}")
    return home
