"""A value of vfcc as the data of a document: keys, scales and what is left out, by the rules of its class.

A lean form has the keys of a full one, in the same places, and fewer of them: those that a rule names, without what is
empty (null, "", [], {}). Numbers and truth values are never empty, and a list right in the data stays, so that a
program can go through it.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, IntEnum
from functools import cache
from pathlib import PurePath
from typing import Any

from verifflowcc.base.errors import GateClosed, VfccError
from verifflowcc.base.records import dataclass, field_names, is_record

# The rules of documents, by class: keys that differ from names of fields, units of numbers, and what is lean.
#
# A class is named by its module below the package and its own name. A field that no rule names is shown under its own
# name, as it is. Keys and units are fixed: a change of one is a break that CHANGELOG.md announces.


class Units(IntEnum):
    """What a whole number counts, as parts of one; a document shows 0.8 for 800 thousandths."""

    HUNDREDTHS = 100
    THOUSANDTHS = 1_000
    BASIS_POINTS = 10_000
    MILLIONTHS = 1_000_000
    BASIS_POINTS_BY_NAME = -10_000
    """An object in which names that end with `_bp` are in basis points; the ending goes with the unit."""


KEYS: Mapping[str, Mapping[str, str]] = {
    "verifflowcc.base.model.trace_values.Verification": {"saw": "observation"},
}
"""Field → key, where the two differ: here the field is called as in the committed file."""

UNITS: Mapping[str, Mapping[str, Units]] = {
    "verifflowcc.memory.rules.candidates.StatementCandidate": {
        "importance": Units.THOUSANDTHS,
        "confidence": Units.THOUSANDTHS,
    },
    "verifflowcc.code.rules.code_views.AffectedTest": {"confidence": Units.HUNDREDTHS},
    "verifflowcc.code.rules.code_views.ReachedCode": {"confidence": Units.HUNDREDTHS},
    "verifflowcc.code.rules.code_views.RelevantFile": {"score": Units.THOUSANDTHS},
    "verifflowcc.base.model.entries.LayerUse": {"share": Units.MILLIONTHS},
    "verifflowcc.base.model.entries.PartUse": {"share": Units.MILLIONTHS},
    "verifflowcc.base.model.entries.Prompt": {"compression": Units.THOUSANDTHS},
    "verifflowcc.history.rules.agent_history.LearnedPattern": {"confidence": Units.THOUSANDTHS},
    "verifflowcc.history.rules.agent_history.SessionLearning": {"confidence": Units.THOUSANDTHS},
    "verifflowcc.history.rules.agent_history.WindowPart": {"relevance": Units.THOUSANDTHS},
    "verifflowcc.base.model.gate_values.Criterion": {"at_least": Units.MILLIONTHS, "at_most": Units.MILLIONTHS},
    "verifflowcc.code.rules.graph.BindingCandidate": {"confidence": Units.HUNDREDTHS},
    "verifflowcc.base.model.item_values.Item": {"importance": Units.THOUSANDTHS, "confidence": Units.THOUSANDTHS},
    "verifflowcc.base.model.recall_values.Parts": {
        "importance": Units.THOUSANDTHS,
        "confidence": Units.THOUSANDTHS,
        "recency": Units.THOUSANDTHS,
        "uses": Units.THOUSANDTHS,
        "validity": Units.THOUSANDTHS,
    },
    "verifflowcc.base.model.sprint_state.StageState": {"metrics": Units.BASIS_POINTS_BY_NAME},
    "verifflowcc.history.rules.window_values.WindowItem": {"relevance": Units.THOUSANDTHS},
    "verifflowcc.history.rules.saved_calls.SavingReport": {
        "share_of_all_calls": Units.THOUSANDTHS,
        "interval": Units.THOUSANDTHS,
    },
    "verifflowcc.history.rules.saved_calls.Tally": {"share": Units.THOUSANDTHS, "covered": Units.THOUSANDTHS},
    "verifflowcc.prompt.use.allocation_tuning.LayerTuning": {"share": Units.MILLIONTHS, "suggested": Units.MILLIONTHS},
    "verifflowcc.memory.use.recall_evaluating.Evaluation": {
        "reciprocal_rank": Units.BASIS_POINTS,
        "minimum": Units.BASIS_POINTS,
    },
    "verifflowcc.memory.use.recall_evaluating.RecallAt": {"recall": Units.BASIS_POINTS},
    "verifflowcc.history.use.window_use.WindowRow": {"relevance": Units.THOUSANDTHS},
    "verifflowcc.history.use.window_use.WindowPage": {"share": Units.THOUSANDTHS},
    "verifflowcc.sprint.rules.stage_numbers.SprintMetrics": {"totals": Units.BASIS_POINTS_BY_NAME},
    "verifflowcc.sprint.rules.stage_numbers.StageMetrics": {"numbers": Units.BASIS_POINTS_BY_NAME},
}
"""Field → the unit of its whole numbers, where a document shows them as parts of one."""

ADDED: Mapping[str, Mapping[str, str]] = {
    "verifflowcc.base.model.gate_values.Gate": {"open": "is_open"},
    "verifflowcc.base.model.item_values.Link": {"fingerprint": "fingerprint"},
    "verifflowcc.base.model.recall_values.Hit": {"score": "score"},
    "verifflowcc.gates.use.gates_now.StageGates": {"open": "is_open"},
}
"""Key → property, for what a class works out."""

_ITEM = "id type title scope"

LEAN: Mapping[str, str] = {
    "verifflowcc.code.rules.code_views.AffectedTest": "path name distance confidence",
    "verifflowcc.code.rules.code_views.ReachedCode": "path line name distance",
    "verifflowcc.code.rules.code_views.SymbolRelations": "symbol(path line name)"
    " links(path line kind symbol candidate(confidence))",
    "verifflowcc.code.rules.code_views.CodeContext": "text tokens budget_tokens",
    "verifflowcc.code.rules.code_views.CodeMap": "text tokens budget_tokens",
    "verifflowcc.base.model.entries.ContextPackage": "prompt(agent sprint stage text tokens budget_tokens) task",
    "verifflowcc.base.model.events.Event": "id type",
    "verifflowcc.base.model.gate_values.Assessment": "criterion(id mode) verdict reason step waiver notes",
    "verifflowcc.base.model.gate_values.Gate": "stage side open assessments notes",
    "verifflowcc.code.rules.graph.BindingCandidate": "path confidence",
    "verifflowcc.code.rules.graph.Dependency": "path line module name alias files symbol",
    "verifflowcc.code.rules.graph.LocatedDefinition": "path line kind name signature",
    "verifflowcc.code.rules.graph.ReferenceLink": "path line kind symbol candidate external",
    "verifflowcc.base.model.item_values.Item": f"{_ITEM} key status importance confidence tags",
    "verifflowcc.base.model.recall_values.Hit": "item(id type title path trust) scope score heading via"
    " invalid_reason stale",
    "verifflowcc.base.model.recall_values.OmittedHit": "item(id title) why",
    "verifflowcc.base.model.recall_values.RecallResult": "hits notices",
    "verifflowcc.base.model.sprint_state.SprintState": "id title status current goals branch stages gaps fork set_aside"
    " unfinished problems",
    "verifflowcc.base.model.sprint_state.StageState": "stage(id leg pair role) status artifacts(path) gaps skip",
    "verifflowcc.base.model.trace_values.Finding": "code severity item path line message",
    "verifflowcc.base.model.trace_values.TraceItem": "id type title path status verification planned",
    "verifflowcc.base.model.trace_values.TraceReport": "findings fixed notices",
    "verifflowcc.base.model.sprint_state.Workflow": "name title stages(id title leg pair role artifacts) strict gates",
    "verifflowcc.prompt.use.artifact_drafting.ArtifactCheck": "criterion met reason",
    "verifflowcc.prompt.use.artifact_drafting.StoredArtifact": "path digest changed checks command committed warnings",
    "verifflowcc.gates.use.evidence_making.FinishedCommand": "run(command exit_code failure duration_ms)",
    "verifflowcc.gates.use.evidence_making.EvidenceRow": "stage criterion command verdict reason step evidence notes",
    "verifflowcc.gates.use.evidence_listing.EvidenceLine": "id stage criterion actor latest verdict reason time",
    "verifflowcc.gates.use.gates_now.StageGates": "sprint(id) stage(stage(id)) open exit entry following failures route"
    " notices",
    "verifflowcc.memory.use.adding.AddResult": "item(id type title path) scope outcome pending notes",
    "verifflowcc.memory.use.memory_listing.ItemLinkEnd": "id relation title",
    "verifflowcc.memory.use.memory_listing.ItemLine": (
        "item(id type title path importance) scope status superseded_by stale"
    ),
    "verifflowcc.memory.use.memory_listing.ItemView": "item scope status text superseded_by links linked_by stale",
    "verifflowcc.gates.use.next_action.NextStep": "sprint why command unmet(criterion kind mode file headings person)"
    " alternative chosen_by notes",
    "verifflowcc.gates.use.owed.UnmetCriterion": "criterion kind mode stage entering reason command file headings"
    " person",
    "verifflowcc.prompt.use.stages.StageDetails": "sprint(id status current)"
    " stage(stage(id title leg pair role) status entered_by) gates unmet(criterion kind file command)"
    " files(artifact(path) empty) folder next",
    "verifflowcc.trace.use.trace_checking.TraceCheckResult": "report notices",
    "verifflowcc.trace.use.trace_narrowing.ItemPage": "item(id type title path text status verification planned) status"
    " review links"
    " linked_by code tests",
    "verifflowcc.trace.use.trace_narrowing.TraceListRow": "id type title status parents children review",
    "verifflowcc.sprint.use.people_acting.Transition": "state(id status current gaps) event(id) changed before after"
    " notes warnings"
    " committed git_command learnings",
    "verifflowcc.trace.rules.answers.CodePlace": "path line symbol",
    "verifflowcc.trace.rules.answers.ItemTest": "test outcome stale message proof",
}
"""What the lean form of a class keeps; all keys of one that is not here. Brackets name the keys of what it holds."""

WHOLE: Mapping[str, str] = {
    "verifflowcc.base.model.item_values.Item": "links(to relation fingerprint)",
    "verifflowcc.base.model.trace_values.TraceItem": "links(to relation line stamp)",
}
"""What a class shows of the links that it holds: one of memory the digest alone, one of the trace the whole stamp."""


Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Selection = Mapping[str, "Selection | None"]
"""The keys that are kept, each with those of what it holds; None: as the rule of the class there says."""


def form(value: object, *, full: bool) -> Json:
    """Return a value as JSON holds it: whole, or lean."""
    return _record(value, None, full=full, top=True) if is_record(value) else _form(value, None, full=full)


def class_name(record: type) -> str:
    """Return the name of a class as rules spell it: its module below the package, and its own."""
    return f"{record.__module__}.{record.__qualname__}"


@cache
def key_sources(record: type) -> Mapping[str, tuple[str, Units | None]]:
    """Return the keys of a class in order, each with the attribute that it shows and the unit of that."""
    name = class_name(record)
    keys, units = KEYS.get(name, {}), UNITS.get(name, {})
    fields = {keys.get(each, each): (each, units.get(each)) for each in field_names(record)}
    return {**fields, **{key: (each, units.get(each)) for key, each in ADDED.get(name, {}).items()}}


@cache
def lean_keys(record: type) -> Selection | None:
    """Return what the lean form of a class keeps; None where that is every key."""
    rule = LEAN.get(class_name(record))
    return None if rule is None else selection(rule)


@cache
def held_keys(record: type) -> Selection:
    """Return what either form of a class shows of what it holds, by key, where that is not all of it."""
    return selection(WHOLE.get(class_name(record), ""))


def selection(rule: str) -> Selection:
    """Read a rule: keys with a blank between, each with the keys of what it holds in brackets.

    >>> selection("event(id) before")
    {'event': {'id': None}, 'before': None}
    """
    words = iter(rule.replace("(", " ( ").replace(")", " ) ").split())
    return _selected(words)


def _selected(words: Iterator[str]) -> Selection:
    found: dict[str, Selection | None] = {}
    last = ""
    for word in words:
        if word == ")":
            break
        if word == "(":
            found[last] = _selected(words)
        else:
            found[last := word] = None
    return found


def _form(value: object, chosen: Selection | None, *, full: bool) -> Json:
    if isinstance(value, Enum):
        return _form(value.value, None, full=full)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, PurePath):
        return value.as_posix()
    if is_record(value):
        return _record(value, chosen, full=full)
    if isinstance(value, Mapping):
        pairs = ((str(_form(key, None, full=full)), one) for key, one in value.items())
        return {key: _form(one, chosen, full=full) for key, one in sorted(pairs, key=lambda pair: pair[0])}
    if isinstance(value, Sequence | set | frozenset):
        listed = sorted(value) if isinstance(value, set | frozenset) else value
        return [_form(one, chosen, full=full) for one in listed]
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _record(value: object, chosen: Selection | None, *, full: bool, top: bool = False) -> Json:
    kind: Any = type(value)
    kept = chosen if full else chosen or lean_keys(kind)
    held = held_keys(kind)
    found: dict[str, Json] = {}
    for key, (attribute, unit) in key_sources(kind).items():
        if kept is not None and key not in kept:
            continue
        shown = _form(getattr(value, attribute), (kept[key] if kept else None) or held.get(key), full=full)
        shown = scaled(shown, unit) if unit else shown
        if full or not is_empty(shown) or (top and isinstance(shown, list)):
            found[key] = shown
    return found


def is_empty(value: Json) -> bool:
    """Whether a lean form leaves a value out: it is null, or a text, a list or an object with nothing in it."""
    return value is None or value in ("", [], {})


def scaled(value: Json, unit: Units) -> Json:
    """Return whole numbers of a unit as plain numbers; those in a list or an object, each of them.

    >>> scaled(800, Units.THOUSANDTHS), scaled({"recall_bp": 9_050}, Units.BASIS_POINTS_BY_NAME)
    (0.8, {'recall': 0.905})
    """
    if isinstance(value, list):
        return [scaled(each, unit) for each in value]
    if isinstance(value, dict) and unit is Units.BASIS_POINTS_BY_NAME:
        return dict(_named(name, each) for name, each in value.items())
    if isinstance(value, dict):
        return {name: scaled(each, unit) for name, each in value.items()}
    if isinstance(value, bool) or not isinstance(value, int):
        return value
    whole, rest = divmod(value, unit.value)
    return whole if rest == 0 else value / unit.value


def _named(name: str, value: Json) -> tuple[str, Json]:
    if not name.endswith("_bp"):
        return name, value
    return name.removesuffix("_bp"), scaled(value, Units.BASIS_POINTS)


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a command failed: a word that stays, a sentence, a command to run, and what keeps a gate closed."""

    code: str
    message: str
    hint: str | None = None
    blockers: tuple[object, ...] = ()


NOTHING = object()
"""In the place of data, where there is none."""

BY_EXIT_CODE = {
    1: Problem("findings", "the command has findings; they are in data"),
    2: Problem("usage", "the command line does not fit"),
    3: Problem("not_evaluable", "there is nothing to evaluate, or something could not be"),
    4: Problem("gate_closed", "a gate is closed"),
    5: Problem("conflict", "the sprint was moved on two sides", "vfcc sprint resolve"),
    6: Problem("waiting", "a run waits for a person", "vfcc run status"),
    7: Problem("limit", "a run reached a limit", "vfcc run status"),
    130: Problem("interrupted", "interrupted"),
}
"""What a failure is called that names nothing more than its exit code."""


def problem_of(error: VfccError) -> Problem:
    """Return an error as a program reads it; what a message lists of a closed gate is in the blockers alone."""
    blockers = error.blockers if isinstance(error, GateClosed) else ()
    message = error.message.partition("\n")[0] if blockers else error.message
    return Problem(error.code, message, error.hint, blockers)


def problem_with(exit_code: int) -> Problem:
    """Return the problem of a command that ended with an exit code and gave no reason."""
    return BY_EXIT_CODE.get(exit_code) or Problem("error", "the command failed")


def document(data: object, problem: Problem | None, *, full: bool) -> Json:
    """Return the document: `data` where there is any, and the problem where there is one."""
    shown: dict[str, Json] = {"ok": problem is None}
    if problem is not None:
        shown["error"] = {"code": problem.code, "message": problem.message, "hint": problem.hint}
        shown["blockers"] = form(problem.blockers, full=full)
    if data is not NOTHING:
        shown["data"] = form(data, full=full)
    return shown


def document_text(value: Json, *, indent: bool = False) -> str:
    """Return a document as text, without secrets and with invisible characters escaped; compact unless indented."""
    import json

    from verifflowcc.base.text.hidden_text import escape_invisible, withhold_json

    separators = None if indent else (",", ":")
    text = json.dumps(withhold_json(value), indent=2 if indent else None, separators=separators, ensure_ascii=False)
    return escape_invisible(text)


def data_text(value: object, *, full: bool = False) -> str:
    """Return the document of a command that succeeded, as one line."""
    return document_text(document(value, None, full=full)) + "\n"
