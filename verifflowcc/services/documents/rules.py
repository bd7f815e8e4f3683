"""The rules of documents, by class: keys that differ from names of fields, units of numbers, and what is lean.

A class is named by its module below the package and its own name. A field that no rule names is shown under its own
name, as it is. Keys and units are fixed: a change of one is a break that CHANGELOG.md announces.
"""

from collections.abc import Mapping
from enum import IntEnum


class Units(IntEnum):
    """What a whole number counts, as parts of one; a document shows 0.8 for 800 thousandths."""

    HUNDREDTHS = 100
    THOUSANDTHS = 1_000
    BASIS_POINTS = 10_000
    MILLIONTHS = 1_000_000
    BASIS_POINTS_BY_NAME = -10_000
    """An object in which names that end with `_bp` are in basis points; the ending goes with the unit."""


KEYS: Mapping[str, Mapping[str, str]] = {
    "domain.code_told.CodeImpact": {"asked": "question"},
    "domain.code_told.Finding": {"all_found": "total"},
    "domain.code_told.Relations": {"asked": "question"},
    "domain.code_views.CodeMap": {"all_files": "total_files"},
    "domain.entries.Candidate": {"standing": "invalid_reason", "unsettled": "conflict"},
    "domain.entries.Placed": {"fate": "outcome"},
    "domain.graph_answers.Dependency": {"inside": "symbol_number", "around": "symbol"},
    "domain.graph_answers.Link": {"inside": "symbol_number", "around": "symbol"},
    "domain.health.Remark": {"about": "subject"},
    "domain.items.Archived": {"was": "previous_status"},
    "domain.people.Review": {"seen": "file_digests"},
    "domain.recall.Hit": {"standing": "invalid_reason"},
    "domain.recall.Parts": {"standing": "validity"},
    "domain.recall.Recalled": {"lost": "left_out"},
    "domain.sprints.Move": {"does": "action"},
    "domain.sprints.SetAside": {"does": "action"},
    "domain.sprints.SprintState": {"aside": "set_aside", "carried": "carried_comments"},
    "domain.trace.Asked": {"asked": "examined", "passed_over": "skipped"},
    "domain.trace.TraceReport": {"asked": "checks", "outside": "outside_changes"},
    "domain.trace.Verified": {"saw": "observation"},
    "episodes.saved.Saved": {
        "unasked": "not_judged",
        "of_all_calls": "share_of_all_calls",
        "twice": "at_double_budget",
    },
    "episodes.saved.Tally": {"wholly": "answered", "partly": "partly_answered", "again": "repeated"},
    "services.baseline_making.BaselineRecorded": {"done": "move"},
    "services.approvals.Approval": {
        "word": "review",
        "asked": "assessment",
        "line": "commit_line",
        "done": "move",
    },
    "services.canary.Planted": {"what": "violation", "said": "reason"},
    "services.checking.Everything": {"unasked": "not_checked"},
    "services.checking.Unasked": {"code": "exit_code"},
    "services.context_diff.Change": {"what": "change"},
    "services.evidence_adding.EvidenceAdded": {"asked": "assessment"},
    "services.evidence_listing.EvidenceView": {"asked": "assessment"},
    "services.feedback.Said": {"done": "move"},
    "services.evidence_redacting.Redaction": {"done": "move"},
    "services.history.showing.Action": {"about": "subject"},
    "services.memory.importing.ImportedItem": {"fate": "outcome"},
    "services.memory.inbox.Waiting": {"who": "proposed_by"},
    "services.memory.moving.Moved": {"was": "previous_scope"},
    "services.memory.promoting.Promoted": {"was": "previous_scope"},
    "services.memory.purging.Purged": {
        "gone": "removed",
        "back": "restored",
        "stand": "in_force_again",
        "said_too": "other_sessions",
    },
    "services.memory.remembering.Learned": {"fate": "outcome"},
    "services.memory.tasks_ending.Ended": {"gone": "removed"},
    "services.migrating_step.Step": {"what": "action"},
    "services.next_step.NextStep": {"owed": "unmet", "instead": "alternative", "by": "chosen_by"},
    "services.people_said.Word": {"word": "opinion"},
    "services.proving.proof.ChangeProof": {"untried": "not_tried"},
    "services.proving.proving.Proof": {"left": "remaining"},
    "services.recall.evaluating.Answer": {"standing": "invalid_reason"},
    "services.recall.evaluating.Evaluation": {
        "asked": "questions",
        "reciprocal_rank_bp": "reciprocal_rank",
        "looked": "depth",
        "at": "at_k",
        "least_bp": "minimum",
        "enough": "reached",
    },
    "services.recall.evaluating.RecallAt": {"recall_bp": "recall"},
    "services.rerun.Rerun": {"found": "result"},
    "services.stages.StageView": {"owed": "unmet"},
    "services.status.OpenSprint": {"words": "opinions"},
    "services.status.Status": {"by": "chosen_by"},
    "services.trace_adding.Added": {"lacks": "missing"},
    "services.trace_checking.TraceChecked": {"looked_at": "examined"},
    "services.trace_import.ImportReport": {"left": "not_imported"},
    "services.trace_import.ImportedItem": {"foreign": "foreign_id"},
    "services.trace_reviewing.Reviews": {"passed_over": "skipped"},
    "services.vouching.Vouched": {"what": "decision", "good": "vouched", "written": "authors"},
    "services.waivers.Waived": {"asked": "assessment", "people": "people_so_far", "done": "move"},
    "trace.answers.CodePlace": {"by": "source", "there": "exists"},
    "trace.answers.TestSeen": {"by": "source", "via": "specification"},
    "trace.matrix.TestRow": {"seen": "test"},
    "trace.reach.Reached": {"way": "route"},
    "trace.statistics.Share": {"of": "total"},
    "trace.story.Looked": {"what": "observation"},
    "trace.story.Story": {"lacking": "missing", "looked": "records"},
    "workflow.report.ReportedEvidence": {"opened": "readable"},
    "workflow.report.ReportedMove": {"does": "action"},
}
"""Field → key, where the two differ."""

UNITS: Mapping[str, Mapping[str, Units]] = {
    "domain.candidates.Candidate": {"importance": Units.THOUSANDTHS, "confidence": Units.THOUSANDTHS},
    "domain.code_reach.AffectedTest": {"confidence": Units.HUNDREDTHS},
    "domain.code_reach.ReachedCode": {"confidence": Units.HUNDREDTHS},
    "domain.code_views.FileFound": {"score": Units.THOUSANDTHS},
    "domain.entries.LayerUse": {"share": Units.MILLIONTHS},
    "domain.entries.PartUse": {"share": Units.MILLIONTHS},
    "domain.entries.Prompt": {"compression": Units.THOUSANDTHS},
    "domain.episodes.LearnedPattern": {"confidence": Units.THOUSANDTHS},
    "domain.episodes.SessionLearning": {"confidence": Units.THOUSANDTHS},
    "domain.episodes.WindowPart": {"relevance": Units.THOUSANDTHS},
    "domain.gates.Criterion": {"at_least": Units.MILLIONTHS, "at_most": Units.MILLIONTHS},
    "domain.graph_answers.Candidate": {"confidence": Units.HUNDREDTHS},
    "domain.items.Item": {"importance": Units.THOUSANDTHS, "confidence": Units.THOUSANDTHS},
    "domain.recall.Parts": {
        "importance": Units.THOUSANDTHS,
        "confidence": Units.THOUSANDTHS,
        "recency": Units.THOUSANDTHS,
        "uses": Units.THOUSANDTHS,
        "standing": Units.THOUSANDTHS,
    },
    "domain.sprints.StageState": {"metrics": Units.BASIS_POINTS_BY_NAME},
    "domain.window.WindowItem": {"relevance": Units.THOUSANDTHS},
    "episodes.saved.Saved": {"of_all_calls": Units.THOUSANDTHS, "interval": Units.THOUSANDTHS},
    "episodes.saved.Tally": {"share": Units.THOUSANDTHS, "covered": Units.THOUSANDTHS},
    "packing.suggest.LayerFindings": {"share": Units.MILLIONTHS, "suggested": Units.MILLIONTHS},
    "services.recall.evaluating.Evaluation": {
        "reciprocal_rank_bp": Units.BASIS_POINTS,
        "least_bp": Units.BASIS_POINTS,
    },
    "services.recall.evaluating.RecallAt": {"recall_bp": Units.BASIS_POINTS},
    "services.window.showing.ItemNow": {"relevance": Units.THOUSANDTHS},
    "services.window.showing.WindowPage": {"share": Units.THOUSANDTHS},
    "workflow.metrics_table.SprintMetrics": {"totals": Units.BASIS_POINTS_BY_NAME},
    "workflow.metrics_table.StageMetrics": {"numbers": Units.BASIS_POINTS_BY_NAME},
}
"""Field → the unit of its whole numbers, where a document shows them as parts of one."""

ADDED: Mapping[str, Mapping[str, str]] = {
    "domain.gates.Gate": {"open": "is_open"},
    "domain.recall.Hit": {"score": "score"},
    "services.gates.StageGates": {"open": "is_open"},
}
"""Key → property, for what a class works out."""

_ITEM = "id type title scope"

LEAN: Mapping[str, str] = {
    "domain.code_reach.AffectedTest": "path name distance confidence",
    "domain.code_reach.ReachedCode": "path line name distance",
    "domain.code_told.Related": "symbol(path line name) links(path line kind symbol candidate(confidence))",
    "domain.code_views.CodeContext": "text tokens budget_tokens",
    "domain.code_views.CodeMap": "text tokens budget_tokens",
    "domain.entries.ContextPackage": "prompt(agent sprint stage text tokens budget_tokens) task",
    "domain.events.Event": "id type",
    "domain.gates.Assessment": "criterion(id mode) verdict reason step waiver notes",
    "domain.gates.Gate": "stage side open assessments notes",
    "domain.graph_answers.Candidate": "path confidence",
    "domain.graph_answers.Dependency": "path line module name alias files symbol",
    "domain.graph_answers.Found": "path line kind name signature",
    "domain.graph_answers.Link": "path line kind symbol candidate external",
    "domain.items.Item": f"{_ITEM} key status importance confidence tags",
    "domain.recall.Hit": "item(id type title path trust) scope score heading via invalid_reason stale",
    "domain.recall.Lost": "item(id title) why",
    "domain.recall.Recalled": "hits notices",
    "domain.sprints.SprintState": "id title status current goals branch stages gaps fork set_aside unfinished problems",
    "domain.sprints.StageState": "stage(id leg pair role) status artifacts(path) gaps skip",
    "domain.trace.Finding": "code severity item path line message",
    "domain.trace.TraceItem": "id type title path status verification planned",
    "domain.trace.TraceReport": "findings fixed notices",
    "domain.workflows.Workflow": "name title stages(id title leg pair role artifacts) strict gates",
    "services.artifact_putting.ArtifactCheck": "criterion met reason",
    "services.artifact_putting.StoredArtifact": "path digest changed checks command committed warnings",
    "services.evidence.CommandDone": "run(command exit_code failure duration_ms)",
    "services.evidence.EvidenceRow": "stage criterion command verdict reason step evidence notes",
    "services.evidence_listing.EvidenceLine": "id stage criterion actor latest verdict reason time",
    "services.gates.StageGates": "sprint(id) stage(stage(id)) open exit entry following failures route notices",
    "services.memory.adding.Added": "item(id type title path) scope outcome pending notes",
    "services.memory.listing.End": "id relation title",
    "services.memory.listing.Row": "item(id type title path importance) scope status superseded_by stale",
    "services.memory.listing.Shown": "item scope status text superseded_by links linked_by stale",
    "services.next_step.NextStep": "sprint why command unmet(criterion kind mode file headings person)"
    " alternative chosen_by notes",
    "services.owed.Owed": "criterion kind mode stage entering reason command file headings person",
    "services.stages.StageView": "sprint(id status current)"
    " stage(stage(id title leg pair role) status entered_by) gates unmet(criterion kind file command)"
    " files(artifact(path) empty) folder next",
    "services.trace_checking.TraceChecked": "report notices",
    "services.trace_listing.ItemPage": "item(id type title path text status verification planned) status review links"
    " linked_by code tests",
    "services.trace_listing.Row": "id type title status parents children review",
    "services.transitions.Transition": "state(id status current gaps) event(id) changed before after notes warnings"
    " committed git_command learnings",
    "trace.answers.CodePlace": "path line symbol",
    "trace.answers.TestSeen": "test outcome stale message proof",
}
"""What the lean form of a class keeps; all keys of one that is not here. Brackets name the keys of what it holds."""
