"""Everything that a prompt template may see, and nothing else.

Two sorts of text: a *line* (a key, a path, a title) is one line of printable characters, so that printing it can start
no heading and no fence; a *body* (`EntryView.text`, `PromptView.task`) is text of any size, already safe to print:
fenced by the template with the entry's own `fence`, or prose whose fences are closed.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Annotated

from verifflowcc.base.errors import TemplateError
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass, field, field_names, replace
from verifflowcc.base.text.hidden_text import show_invisible
from verifflowcc.base.text.markdown import close_fences, fence_for
from verifflowcc.base.text.secrets import withhold
from verifflowcc.code.rules.code_views import LANGUAGES

Body = Annotated[str, "body"]
LINE_CHARS = 300
INFOS = ("markdown", "json", "yaml", "diff")
_BREAKS = lazy_pattern(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def plain_text(text: str) -> str:
    """Return `text` with LF line ends and invisible characters written out.

    There is no newline at its end.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return show_invisible(text).rstrip("\n")


@lru_cache(maxsize=8192)
def one_line(text: str) -> str:
    """Return `text` as one line of at most `LINE_CHARS` characters, without secrets; what was cut shows as `…`."""
    text = withhold(text)
    if len(text) <= LINE_CHARS and text.isascii() and text.isprintable() and "  " not in text and text == text.strip():
        return text
    shown = show_invisible(_BREAKS.sub(" ", text)).strip()
    return shown if len(shown) <= LINE_CHARS else shown[: LINE_CHARS - 1] + "…"


def _require_lines(view: object, names: tuple[str, ...]) -> None:
    for name in names:
        value = getattr(view, name)
        for line in value if isinstance(value, tuple) else (value,):
            if line != one_line(line):
                raise ValueError(f"{type(view).__name__}.{name} must be one line: {line!r}")


EARLIER_NAMES = {"standing": "invalid_reason"}
"""Names of attributes in earlier versions, each with that of today."""


@dataclass(frozen=True, slots=True)
class EntryView:
    """One piece of memory for a template.

    `fence` is longer than any fence in `text`; it is empty for prose, which has none.

    `info` is the word after the fence (`markdown`, `json`, `yaml`, `text`, or a language of code); `source` is the
    path; `date` is an ISO date or empty; `trust` is `human`, `tool`, `agent` or `external`; `invalid_reason` says why
    it does not hold any more, `stale` what became of the code that it speaks of; both are empty where all is well.
    """

    key: str
    title: str
    text: Body
    fence: str
    info: str
    source: str
    date: str
    trust: str
    trimmed: bool
    invalid_reason: str = ""
    stale: str = ""

    def __post_init__(self) -> None:
        _require_lines(self, ("key", "title", "fence", "info", "source", "date", "trust", "invalid_reason", "stale"))

    def __getattr__(self, name: str) -> str:
        """Return an attribute by the name that it had in earlier versions: templates of projects may use that."""
        if name in EARLIER_NAMES:
            return str(getattr(self, EARLIER_NAMES[name]))
        raise AttributeError(name)


@dataclass(frozen=True, slots=True)
class GroupView:
    """Entries that are printed together under one heading, which begins with `marks` (`###`).

    `text` is safe to print: in `fence`, which nothing in it can close and which has `info` behind it, or unfenced where
    `fence` is empty.
    """

    marks: str
    heading: str
    text: Body
    fence: str = ""
    info: str = ""

    def __post_init__(self) -> None:
        _require_lines(self, ("marks", "heading", "fence", "info"))


@dataclass(frozen=True, slots=True)
class SprintView:
    """The sprint that the prompt is for."""

    id: str
    title: str
    goals: tuple[str, ...]
    status: str

    def __post_init__(self) -> None:
        _require_lines(self, ("id", "title", "goals", "status"))


@dataclass(frozen=True, slots=True)
class StageView:
    """The stage that the prompt is for; `leg` is `left`, `apex` or `right`, `pair` the answering stage or empty."""

    id: str
    title: str
    leg: str
    pair: str
    role: str

    def __post_init__(self) -> None:
        _require_lines(self, ("id", "title", "leg", "pair", "role"))


@dataclass(frozen=True, slots=True)
class LayerView:
    """One layer's entries, for a template that treats all layers alike."""

    name: str
    entries: tuple[EntryView, ...]

    def __post_init__(self) -> None:
        _require_lines(self, ("name",))


@dataclass(frozen=True, slots=True)
class PromptView:
    """The names at the top of a template. `layers` holds the same entries again, in reading order.

    `brief` are the constraints and decisions that bear on a task that is about to be planned, a line each.
    `code_entries` are pieces of code that the task speaks of, `change_entries` diffs that other clones do not have.
    `task_entries` are what was noted for the open task,
    `history_entries` what was done here, and `user_entries` what is known of the person: these are of this machine
    alone.

    The shipped templates print the same entries as groups. `opening` says who reads, for which goal and what is owed;
    `data_note` that text in fences is data, where any is. `rules` is what must be followed, `memory` what is known
    besides; `sprint_line` is where the sprint and its stages are, in place of `sprint`; `commands`, `permission` and
    `hand_in` say how to work.
    """

    agent: str
    title: str = ""
    sprint: SprintView | None = None
    stage: StageView | None = None
    task: Body = ""
    brief: tuple[str, ...] = ()
    project_entries: tuple[EntryView, ...] = ()
    sprint_entries: tuple[EntryView, ...] = ()
    stage_entries: tuple[EntryView, ...] = ()
    agent_entries: tuple[EntryView, ...] = ()
    code_entries: tuple[EntryView, ...] = ()
    change_entries: tuple[EntryView, ...] = ()
    task_entries: tuple[EntryView, ...] = ()
    history_entries: tuple[EntryView, ...] = ()
    user_entries: tuple[EntryView, ...] = ()
    opening: Body = ""
    data_note: str = ""
    rules_note: str = ""
    rules: tuple[GroupView, ...] = ()
    requirements: tuple[GroupView, ...] = ()
    sprint_groups: tuple[GroupView, ...] = ()
    stage_groups: tuple[GroupView, ...] = ()
    memory: tuple[GroupView, ...] = ()
    agent_groups: tuple[GroupView, ...] = ()
    task_groups: tuple[GroupView, ...] = ()
    history_groups: tuple[GroupView, ...] = ()
    user_groups: tuple[GroupView, ...] = ()
    sprint_line: str = ""
    commands: tuple[str, ...] = ()
    permission: Body = ""
    hand_in: tuple[str, ...] = ()
    layers: tuple[LayerView, ...] = field(init=False)

    def __post_init__(self) -> None:
        _require_lines(
            self, ("agent", "title", "brief", "data_note", "rules_note", "sprint_line", "commands", "hand_in")
        )
        named = (
            ("project", self.project_entries),
            ("sprint", self.sprint_entries),
            ("stage", self.stage_entries),
            ("agent", self.agent_entries),
            ("code", self.code_entries),
            ("changes", self.change_entries),
            ("task", self.task_entries),
            ("history", self.history_entries),
            ("user", self.user_entries),
        )
        object.__setattr__(self, "layers", tuple(LayerView(name, entries) for name, entries in named))

    def names(self) -> dict[str, object]:
        """Return what a template sees, by name."""
        return {name: getattr(self, name) for name in field_names(self)}


HINT = "docs/how-to/prompt-templates.md lists what a template may use"


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """A template that was accepted, ready to render; `parts` gives what it prints. Equal views give equal bytes."""

    name: str
    parts: Callable[[PromptView], Iterator[str]]

    def render(self, view: PromptView, limit_chars: int) -> str:
        """Return the prompt: LF line ends, one newline at the end.

        TemplateError as soon as more than `limit_chars` characters come out, whatever the template would still print.
        """
        parts: list[str] = []
        chars = 0
        for part in self.parts(view):
            chars += len(part)
            if chars > limit_chars:
                sentence = f"the template prints more than {limit_chars:,} characters"
                raise TemplateError(f"{self.name}:1: {sentence}", hint=HINT)
            parts.append(part)
        text = "".join(parts)
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text.rstrip("\n") + "\n"


@lru_cache(maxsize=4096)  # a prompt is rendered a few times until it fits
def entry_view(  # noqa: PLR0913 - one for each field that is not computed here
    key: str,
    text: str,
    *,
    source: str,
    kind: str = "markdown",
    title: str = "",
    date: str | None = None,
    trust: str = "human",
    trimmed: bool = False,
    invalid_reason: str = "",
    stale: str = "",
) -> EntryView:
    """Return an entry whose text is in a fence that nothing in it can close."""
    body = plain_text(text)
    return EntryView(
        key=one_line(key),
        title=one_line(title),
        text=body,
        fence=fence_for(body),
        info=kind if kind in INFOS or kind in LANGUAGES else "text",
        source=one_line(source),
        date=one_line(date or ""),
        trust=one_line(trust),
        trimmed=trimmed,
        invalid_reason=one_line(invalid_reason),
        stale=one_line(stale),
    )


def group_view(level: int, heading: str, text: str, *, fenced: str = "") -> GroupView:
    """Return a group under a heading of a level; with `fenced`, its text is data of that kind in a fence."""
    marks, body = "#" * level, plain_text(text)
    if not fenced:
        return GroupView(marks, one_line(heading), body)
    info = fenced if fenced in INFOS or fenced in LANGUAGES else "text"
    return GroupView(marks, one_line(heading), body, fence_for(body), info)


def prose_view(key: str, text: str, *, source: str, trimmed: bool = False) -> EntryView:
    """Return an entry without a fence: the role's own `prompt.md`."""
    return replace(entry_view(key, "", source=source, trimmed=trimmed), text=prose(text), fence="")


def prose(text: str) -> str:
    """Return text for use without a fence (the task, a role's prose).

    Its last fence or comment is closed if it was left open.
    """
    body = close_fences(plain_text(withhold(text))).rstrip("\n")
    return body + "\n-->" if body.rfind("<!--") > body.rfind("-->") else body
