"""The JSON Schema of what each command prints with `--json`: writes docs/reference/schemas/*.json.

    python docs/schemas.py

A schema is made from the types of the values that a command returns and from the rules that shape documents
(`verifflowcc/base/use/document_form.py`), so that neither can change without it. Descriptions are the docstrings of
the types, of their properties, and those below their fields. It holds for a lean document and for one of `--full`:
`required` names the keys that both have.
"""

import ast
import importlib
import inspect
import json
import pkgutil
import sys
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from pathlib import Path, PurePath

import verifflowcc
from verifflowcc.base.model.baselines import BaselineStatus
from verifflowcc.base.records import field_names
from verifflowcc.base.use.document_form import Selection, Units, held_keys, key_sources, lean_keys

FOLDER = Path(__file__).resolve().parent / "reference" / "schemas"
DIALECT = "http://json-schema.org/draft-07/schema#"
Schema = dict[str, typing.Any]

COMMANDS: Mapping[str, object] = {
    "allow": ["verifflowcc.sprint.use.allow_use.CommandTable", {"withdrawn": "bool"}],
    "approve": "verifflowcc.gates.use.approvals.Approval",
    "baseline lint": "verifflowcc.gates.use.baseline_making.RecordedBaseline",
    "baseline show": "Baselines",
    "baseline tests": "verifflowcc.gates.use.baseline_making.RecordedBaseline",
    "baseline trace": "verifflowcc.gates.use.baseline_making.RecordedBaseline",
    "check": ["verifflowcc.cli.use.checking.AllChecks", "verifflowcc.gates.use.rerun.Reproduction"],
    "check config": "verifflowcc.sprint.use.configuration.ConfigReport",
    "check gate": [
        "verifflowcc.gates.use.gates_now.StageGates",
        "verifflowcc.base.model.gate_values.Gate",
        "verifflowcc.gates.use.canary.Canaries",
    ],
    "check memory": "verifflowcc.cli.use.memory_checking.MemoryCheck",
    "check trace": "verifflowcc.trace.use.trace_checking.TraceCheckResult",
    "check workflow": "verifflowcc.sprint.use.workflow_use.WorkflowReport",
    "code context": "verifflowcc.code.rules.code_views.CodeContext",
    "code file": "verifflowcc.code.rules.code_views.Outline",
    "code find": "verifflowcc.code.rules.code_views.SymbolSearch",
    "code impact": "verifflowcc.code.rules.code_views.CodeImpact",
    "code index": "verifflowcc.code.rules.code_views.IndexingResult",
    "code map": "verifflowcc.code.rules.code_views.CodeMap",
    "code refs": "verifflowcc.code.rules.code_views.Relations",
    "code status": "verifflowcc.code.rules.code_views.GraphStatus",
    "config show": ("verifflowcc.base.config.config_provenance.Setting",),
    "context diff": "verifflowcc.prompt.use.prompt_diff.Comparison",
    "context show": "verifflowcc.base.model.entries.ContextPackage",
    "context tune": "verifflowcc.prompt.use.allocation_tuning.Tuning",
    "doctor": [
        {"remarks": ("verifflowcc.base.model.ports.Remark",), "findings": "int"},
        {
            "moved": ("verifflowcc.sprint.use.repairing.MovedFile",),
            "restorable": ("verifflowcc.sprint.use.repairing.RestorableFile",),
        },
    ],
    "evidence add": "verifflowcc.gates.use.evidence_making.EvidenceAddition",
    "evidence list": ("verifflowcc.gates.use.evidence_listing.EvidenceLine",),
    "evidence redact": "verifflowcc.gates.use.evidence_redacting.Redaction",
    "evidence run": "verifflowcc.gates.use.evidence_making.EvidenceRun",
    "evidence show": ["verifflowcc.gates.use.evidence_listing.EvidenceView", {"output": "str"}],
    "evidence stale": "verifflowcc.gates.use.evidence_listing.Staleness",
    "feedback add": "verifflowcc.sprint.use.feedback.RecordedComment",
    "feedback list": ("verifflowcc.base.model.people.Feedback",),
    "feedback triage": "verifflowcc.sprint.use.feedback.RecordedComment",
    "history export": ("str",),
    "history import": "verifflowcc.history.use.history_import.HistoryImport",
    "history learn": ("verifflowcc.history.use.history_sharing.PatternProposal",),
    "history prune": "verifflowcc.history.use.analysing.Pruning",
    "history saved": "verifflowcc.history.rules.saved_calls.SavingReport",
    "history show": [
        ("verifflowcc.history.use.history_offers.Action",),
        ("verifflowcc.history.rules.agent_history.FileInteraction",),
        ("verifflowcc.history.use.questions.ToolUse",),
        ("verifflowcc.history.rules.agent_history.TaskEpisode",),
        ("verifflowcc.history.rules.agent_history.CoEdit",),
        ("verifflowcc.history.rules.agent_history.LearnedPattern",),
        ("verifflowcc.history.rules.agent_history.SessionLearning",),
        ("verifflowcc.history.use.history_offers.SessionLine",),
    ],
    "history similar": ("verifflowcc.history.rules.agent_history.TaskEpisode",),
    "history sql": ("Row",),
    "init": "verifflowcc.cli.use.initialise.InitResult",
    "integrate": "verifflowcc.history.use.client_setup.ClientSetup",
    "memory add": ["verifflowcc.memory.use.adding.AddResult", "verifflowcc.trace.use.trace_edits.NewTraceItem"],
    "memory copy": "verifflowcc.memory.use.copying.CopyResult",
    "memory edit": "verifflowcc.memory.use.editing.EditResult",
    "memory eval": "verifflowcc.memory.use.recall_evaluating.Evaluation",
    "memory export": {"counts": "Counts", "number": "int", "problems": ("str",)},
    "memory forget": [
        "verifflowcc.memory.use.forgetting.ForgottenItem",
        "verifflowcc.memory.use.forgetting.ClearScopeResult",
        "verifflowcc.memory.use.purging.PurgeResult",
    ],
    "memory import": "verifflowcc.memory.use.importing.MemoryImportResult",
    "memory inbox": "verifflowcc.memory.use.inbox.Inbox",
    "memory ingest": "verifflowcc.memory.use.ingesting.IngestResult",
    "memory link": "verifflowcc.memory.use.editing.ItemLinkResult",
    "memory list": "verifflowcc.memory.use.memory_listing.ItemListing",
    "memory maintain": "verifflowcc.memory.use.consolidating.MaintenanceResult",
    "memory move": "verifflowcc.memory.use.moving.MoveResult",
    "memory promote": ("verifflowcc.memory.use.moving.Promotion",),
    "memory reject": ("verifflowcc.memory.use.inbox.RejectedItem",),
    "memory restore": "verifflowcc.memory.use.consolidating.RestoreResult",
    "memory search": "verifflowcc.base.model.recall_values.RecallResult",
    "memory show": "verifflowcc.memory.use.memory_listing.ItemView",
    "memory stats": "verifflowcc.memory.use.statistics.Numbers",
    "metrics": "verifflowcc.gates.use.sprint_metrics.ProjectMetrics",
    "migrate": "verifflowcc.cli.use.migrating.Migration",
    "next": "verifflowcc.gates.use.next_action.NextStep",
    "prove": "verifflowcc.gates.use.proof.Proof",
    "report": "verifflowcc.report.use.report_writing.ReportWritten",
    "run": ["verifflowcc.run.use.run_reading.RunLine", "verifflowcc.run.use.run_opening.RunPlan"],
    "run clean": "verifflowcc.run.use.run_opening.RunCleanup",
    "run resume": "verifflowcc.run.use.run_reading.RunLine",
    "run retry": "verifflowcc.run.use.run_reading.RunLine",
    "run status": "verifflowcc.run.use.run_reading.RunLine",
    "run stop": {"message": "str"},
    "sprint close": "verifflowcc.sprint.use.people_acting.Transition",
    "sprint list": ("verifflowcc.base.model.sprint_state.SprintLine",),
    "sprint report": "verifflowcc.gates.rules.report_page.SprintReport",
    "sprint resolve": ["verifflowcc.sprint.use.people_acting.Transition", "verifflowcc.base.model.sprint_state.Fork"],
    "sprint show": "verifflowcc.base.model.sprint_state.SprintState",
    "sprint start": "verifflowcc.sprint.use.people_acting.Transition",
    "stage advance": "verifflowcc.sprint.use.people_acting.Transition",
    "stage draft": "verifflowcc.prompt.use.artifact_drafting.StageDrafts",
    "stage list": ("verifflowcc.base.model.sprint_state.StageState",),
    "stage put": "verifflowcc.prompt.use.artifact_drafting.StoredArtifact",
    "stage reopen": "verifflowcc.sprint.use.people_acting.Transition",
    "stage show": "verifflowcc.prompt.use.stages.StageDetails",
    "stage skip": "verifflowcc.sprint.use.people_acting.Transition",
    "status": "verifflowcc.sprint.use.sprint_status.ProjectStatus",
    "task fail": "verifflowcc.memory.use.task_ending.EndedTask",
    "task finish": "verifflowcc.memory.use.task_ending.EndedTask",
    "task list": ("verifflowcc.memory.use.task_finding.TaskLine",),
    "task note": "verifflowcc.memory.use.task_filling.NoteResult",
    "task show": "verifflowcc.memory.use.task_finding.TaskPage",
    "task start": "verifflowcc.memory.rules.tasks.Task",
    "trace add": "verifflowcc.trace.use.trace_edits.NewTraceItem",
    "trace baseline create": "verifflowcc.base.model.trace_values.TraceBaseline",
    "trace baseline diff": "verifflowcc.trace.use.trace_sources.Drift",
    "trace baseline list": ("verifflowcc.base.model.trace_values.TraceBaseline",),
    "trace coverage": "verifflowcc.trace.rules.matrix.Statistics",
    "trace impact": "verifflowcc.trace.rules.impact.Impact",
    "trace import": "verifflowcc.trace.use.trace_import.ImportReport",
    "trace link": "verifflowcc.trace.use.trace_edits.LinkChange",
    "trace list": ("verifflowcc.trace.use.trace_narrowing.TraceListRow",),
    "trace matrix": "verifflowcc.trace.rules.matrix.Matrix",
    "trace retire": "verifflowcc.trace.use.trace_edits.Retirement",
    "trace review": [
        "verifflowcc.trace.use.trace_reviews.ReviewResult",
        "verifflowcc.trace.use.trace_reviews.LinkClearance",
    ],
    "trace show": "verifflowcc.trace.use.trace_narrowing.ItemPage",
    "trace unlink": "verifflowcc.trace.use.trace_edits.LinkChange",
    "trace verify": "verifflowcc.base.model.trace_values.Verification",
    "trace why": "verifflowcc.trace.rules.impact.Story",
    "waive": "verifflowcc.cli.use.gate_exceptions.WaiverResult",
    "window add": "verifflowcc.history.use.window_use.WindowAddition",
    "window prune": "verifflowcc.history.use.window_use.PruningReport",
    "window restore": "verifflowcc.history.use.window_use.WindowRestore",
    "window show": "verifflowcc.history.use.window_use.WindowPage",
    "window snapshots": ("verifflowcc.history.use.window_use.SnapshotLine",),
    "workflow list": "verifflowcc.sprint.use.workflow_use.WorkflowList",
    "workflow show": "verifflowcc.sprint.use.workflow_use.WorkflowView",
    "workflow use": "verifflowcc.sprint.use.workflow_use.WorkflowChoice",
}
"""Command → the class of its data; in a tuple: a list of such, in a list: one of several, in a dictionary: by key."""

PLAIN: Mapping[str, object] = {
    "bool": bool,
    "int": int,
    "str": str,
    "Baselines": Mapping[str, BaselineStatus],
    "Counts": Mapping[str, int],
    "Row": Mapping[str, object],
}
TO_A_FILE = frozenset({"check memory", "check trace", "context show", "sprint report", "trace matrix"})
"""Commands with `--output`: the document is in the file then, and the one on stdout names it."""
BLOCKER = "verifflowcc.gates.use.owed.UnmetCriterion"


def main() -> None:
    """Write the schemas, and remove those of commands that are gone."""
    FOLDER.mkdir(exist_ok=True)
    texts = schema_texts()
    for path in FOLDER.glob("*.json"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(texts)} schemas in {FOLDER}\n")


def schema_texts() -> dict[str, str]:
    """Return the text of each schema by the name of its file; `failure.json` is for what no command answers."""
    found = {name_of(command): _document(command, data) for command, data in COMMANDS.items()}
    found["failure.json"] = _document("a command that failed", None)
    return {name: _text(schema) for name, schema in found.items()}


def _text(schema: Schema) -> str:
    """Return a schema with each of its definitions and properties on a line of its own, so that a diff names them."""
    lines = [f"{json.dumps(key)}: {_value(key, value)}" for key, value in sorted(schema.items())]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _value(key: str, value: object) -> str:
    if key not in {"definitions", "properties"} or not isinstance(value, dict):
        return json.dumps(value, sort_keys=True)
    lines = [f" {json.dumps(name)}: {json.dumps(each, sort_keys=True)}" for name, each in sorted(value.items())]
    return "{\n" + ",\n".join(lines) + "\n}"


def name_of(command: str) -> str:
    """Return the name of the file with the schema of a command."""
    return f"{command.replace(' ', '-')}.json"


class _Types:
    """The classes that one schema speaks of, each with the keys that every use of it keeps."""

    def __init__(self) -> None:
        self.kept: dict[type, set[str]] = {}
        self.shown: dict[type, set[str]] = {}
        self.names: dict[str, type] = {}

    def name(self, record: type) -> str:
        """Return the name of a class in the schema; one with its module for a second class of that name."""
        short = record.__qualname__.lstrip("_")
        if self.names.setdefault(short, record) is record:
            return short
        return f"{record.__module__.removeprefix('verifflowcc.')}.{short}"

    def see(self, kind: object, chosen: Selection | None, held: Selection | None = None) -> None:
        """Note what a use of a type keeps, and of all types below it; `held` are the keys that its holder shows."""
        if not _is_record(kind):
            for part in typing.get_args(kind):
                self.see(part, chosen, held)
            return
        assert isinstance(kind, type)
        if held:
            self.shown.setdefault(kind, set()).update(held)
        kept = chosen or lean_keys(kind)
        names = set(key_sources(kind)) if kept is None else set(kept)
        before = self.kept.get(kind)
        self.kept[kind] = names if before is None else before & names
        if before is not None and self.kept[kind] == before and chosen is None:
            return
        for key, field in _fields(kind).items():
            inside = held_keys(kind).get(key)
            self.see(field, (kept.get(key) if kept else None) or inside, inside)

    def of(self, kind: object, unit: Units | None = None) -> Schema:
        """Return the schema of a type."""
        if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
            return _one_of([self.of(each, unit) for each in typing.get_args(kind)])
        if _is_record(kind):
            assert isinstance(kind, type)
            return {"$ref": f"#/definitions/{self.name(kind)}"}
        origin, parts = typing.get_origin(kind), typing.get_args(kind)
        if origin is typing.Literal:
            return {"enum": list(parts)}
        if origin is tuple and parts[-1:] != (...,):
            listed = _one_of([self.of(each, unit) for each in parts])
            return {"type": "array", "items": listed, "minItems": len(parts), "maxItems": len(parts)}
        if isinstance(origin, type) and issubclass(origin, Mapping):
            named = Units.BASIS_POINTS if unit is Units.BASIS_POINTS_BY_NAME else unit
            return {"type": "object", "additionalProperties": self.of(parts[1], named)}
        if isinstance(origin, type) and issubclass(origin, Sequence | frozenset):
            return {"type": "array", "items": self.of(parts[0], unit)}
        return _plain(kind, unit)

    def record(self, kind: type) -> Schema:
        """Return the schema of a class."""
        units = {key: unit for key, (_, unit) in key_sources(kind).items()}
        fields = {key: each for key, each in _fields(kind).items() if key in self.shown.get(kind, units)}
        sure = [key for key in fields if key in self.kept[kind] and _never_empty(fields[key])]
        shown: Schema = {
            "type": "object",
            "properties": {key: _described(self.of(each, units[key]), kind, key) for key, each in fields.items()},
            "additionalProperties": False,
        }
        shown |= {"description": _sentences(kind.__doc__)} if kind.__doc__ else {}
        return {**shown, "required": sure} if sure else shown


def _described(schema: Schema, record: type, key: str) -> Schema:
    """Return the schema of a key with its description; beside a `$ref`, validators of draft 7 read nothing."""
    attribute, _ = key_sources(record)[key]
    own = getattr(record, attribute, None)
    text = own.__doc__ if isinstance(own, property) else field_docstrings(record).get(attribute)
    if not text:
        return schema
    return {"description": _sentences(text)} | ({"allOf": [schema]} if "$ref" in schema else schema)


@cache
def field_docstrings(record: type) -> Mapping[str, str]:
    """Return the text below each field of a class that has one."""
    (node,) = ast.parse(inspect.cleandoc(inspect.getsource(record))).body
    assert isinstance(node, ast.ClassDef)
    found = {}
    for field, below in zip(node.body, node.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            found[field.target.id] = str(ast.literal_eval(below.value))
    return found


def _sentences(docstring: str) -> str:
    """Return a docstring on one line, without examples."""
    return " ".join(inspect.cleandoc(docstring).partition(">>>")[0].split())


def _document(command: str, data: object) -> Schema:
    known = _Types()
    shapes = (
        [] if data is None else [_seen(known, each, top=True) for each in (data if isinstance(data, list) else [data])]
    )
    known.see(_class(BLOCKER), None)
    if command in TO_A_FILE:
        shapes.append({"type": "object", "required": ["output"], "properties": {"output": {"type": "string"}}})
    blockers = {"type": "array", "items": known.of(_class(BLOCKER))}
    text, hint = {"type": "string"}, {"type": ["string", "null"]}
    error = {
        "type": "object",
        "properties": {"code": text, "message": text, "hint": hint},
        "required": ["code", "message", "hint"],
        "additionalProperties": False,
    }
    succeeded = {"properties": {"ok": {"const": True}}, "required": ["ok", "data"], "not": {"required": ["error"]}}
    failed = {"properties": {"ok": {"const": False}}, "required": ["ok", "error", "blockers"]}
    definitions = {known.name(each): known.record(each) for each in known.kept}
    return {
        "$schema": DIALECT,
        "title": f"vfcc {command} --json" if data is not None else command,
        "type": "object",
        "properties": {
            "ok": {"type": "boolean"},
            "data": _one_of(shapes) if shapes else {},
            "error": error,
            "blockers": blockers,
        },
        "additionalProperties": False,
        "oneOf": [succeeded, failed] if data is not None else [failed],
        "definitions": definitions,
    }


def _seen(known: _Types, data: object, *, top: bool = False) -> Schema:
    if isinstance(data, dict):
        properties = {key: _seen(known, each) for key, each in data.items()}
        return {
            "type": "object",
            "properties": properties,
            "required": [*properties],
            "additionalProperties": False,
        }
    if isinstance(data, tuple):
        return {"type": "array", "items": _seen(known, data[0])}
    kind = _class(str(data))
    known.see(kind, None)
    lists = _lists_kept(kind) if top else []
    return {"allOf": [known.of(kind), {"required": lists}]} if lists else known.of(kind)


def _lists_kept(kind: object) -> list[str]:
    """Return the lists that the lean data of a class has in any case."""
    if not isinstance(kind, type) or not _is_record(kind):
        return []
    kept = lean_keys(kind)
    origins = {key: typing.get_origin(field) for key, field in _fields(kind).items()}
    return [key for key, origin in origins.items() if origin is tuple and (kept is None or key in kept)]


@cache
def _class(name: str) -> object:
    if name in PLAIN:
        return PLAIN[name]
    module, _, own = name.rpartition(".")
    return getattr(importlib.import_module(module), own)


@cache
def _names() -> dict[str, object]:
    """Return all classes of the package by name, for annotations whose imports are for type checkers alone."""
    found: dict[str, object] = {}
    for each in _modules():
        found.update({name: value for name, value in vars(each).items() if isinstance(value, type)})
    return found


def _modules() -> Iterator[types.ModuleType]:
    for each in pkgutil.walk_packages(verifflowcc.__path__, "verifflowcc."):
        if not each.name.endswith("__main__"):
            yield importlib.import_module(each.name)


@cache
def _fields(record: type) -> dict[str, object]:
    """Return the type of each key of a class."""
    own = vars(sys.modules[record.__module__])
    try:
        hints = typing.get_type_hints(record, localns=own)
    except NameError:
        hints = typing.get_type_hints(record, localns={**_names(), **own})
    sources = {key: attribute for key, (attribute, _) in key_sources(record).items()}
    fields = set(field_names(record))
    return {key: hints[name] if name in fields else _returned(record, name) for key, name in sources.items()}


def _returned(record: type, name: str) -> object:
    return typing.get_type_hints(getattr(record, name).fget)["return"]


def _is_record(kind: object) -> bool:
    return isinstance(kind, type) and hasattr(kind, "__record_fields__")


def _plain(kind: object, unit: Units | None) -> Schema:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"type": "string", "enum": [each.value for each in kind]} if list(kind) else {"type": "string"}
    if kind is type(None):
        return {"type": "null"}
    if isinstance(kind, type) and issubclass(kind, PurePath | str):
        return {"type": "string"}
    simple: Mapping[object, str] = {bool: "boolean", float: "number", int: "number" if unit else "integer"}
    return {"type": simple[kind]} if kind in simple else {}


def _one_of(shapes: list[Schema]) -> Schema:
    found: list[Schema] = []
    for each in shapes:
        if each not in found:
            found.append(each)
    return found[0] if len(found) == 1 else {"anyOf": found}


def _never_empty(kind: object) -> bool:
    """Whether a lean document has the key of a value of this type in any case."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return all(each.value != "" for each in kind) and bool(list(kind))
    return kind in (bool, int, float)


if __name__ == "__main__":
    main()
