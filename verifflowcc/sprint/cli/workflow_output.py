"""How workflows are shown to a person."""

import sys
from collections.abc import Mapping, Sequence
from textwrap import wrap

from verifflowcc.base.model.gate_values import Criterion, EvidenceTrust
from verifflowcc.base.model.sprint_state import Leg, StageStatus, Workflow
from verifflowcc.base.terminal.table import table
from verifflowcc.base.terminal.terminal import width_of
from verifflowcc.sprint.rules.workflow_drawing import draw_v
from verifflowcc.sprint.use.role_files import created_notes
from verifflowcc.sprint.use.workflow_use import WorkflowChoice, WorkflowLine, WorkflowList, WorkflowView

_MARKS = {
    StageStatus.PASSED: ("✓", "+"),
    StageStatus.ACTIVE: ("▶", ">"),
    StageStatus.STALE: ("~", "~"),
    StageStatus.SKIPPED: ("×", "x"),
}
_WORDS = {
    StageStatus.PASSED: "passed",
    StageStatus.ACTIVE: "active",
    StageStatus.STALE: "stale",
    StageStatus.SKIPPED: "skipped",
}
_NARROWEST = 30
_UNIT = 1_000_000


def listed(found: WorkflowList) -> str:
    """Return the workflows as a table; the one that new sprints follow is marked."""
    return table(("", "name", "title", "stages", "gates", "from"), [_row(each) for each in found.workflows], right=(3,))


def whole(view: WorkflowView, *, ascii_only: bool) -> str:
    """Return a workflow as a V, or as a list where that has no room, and the criteria of its gates."""
    workflow, width = view.workflow, width_of(sys.stdout)
    marks = {name: _MARKS[status][ascii_only] for name, status in view.statuses.items() if status in _MARKS}
    drawn = draw_v(workflow, width, marks, ascii_only=ascii_only) or _as_list(workflow, marks)
    parts = [_head(view, width), drawn, _legend(view, ascii_only), _gates(workflow, width)]
    text = "\n\n".join(part for part in parts if part)
    return text.encode("ascii", "replace").decode("ascii") if ascii_only else text


def chosen(done: WorkflowChoice) -> str:
    """Return what changed and what did not."""
    if done.before == done.workflow:
        lines = [f"new sprints follow {done.workflow} already; {done.file} is as it was"]
    else:
        lines = [f"new sprints follow {done.workflow} (was {done.before}); {done.file} says so"]
    if done.running:
        lines.append(f"running sprints keep theirs: {', '.join(done.running)}")
    if done.created:
        lines += created_notes(done.created)
    return "\n".join(lines)


def _row(each: WorkflowLine) -> tuple[str, ...]:
    gates = f"{each.gates}, strict" if each.strict else str(each.gates)
    source = ".memory/workflow.yaml" if each.own else "vfcc"
    return (">" if each.default else "", each.name, each.title, str(len(each.stages)), gates, source)


def _head(view: WorkflowView, width: int) -> str:
    workflow = view.workflow
    notes = [f"gates {workflow.gates}"]
    notes += ["strict: config.yaml may soften none"] if workflow.strict else []
    notes += ["the project's own"] if view.own else []
    notes += ["followed by new sprints"] if view.default else []
    notes += [f"as {view.sprint} follows it"] if view.sprint else []
    lines = [_plain(f"{workflow.name} - {workflow.title}"), f"({'; '.join(notes)})"]
    return "\n".join(part for line in lines for part in wrap(line, max(width, _NARROWEST)))


def _legend(view: WorkflowView, ascii_only: bool) -> str:
    there = [status for status in _MARKS if status in view.statuses.values()]
    return ", ".join(f"{_MARKS[status][ascii_only]} {_WORDS[status]}" for status in there)


def _as_list(workflow: Workflow, marks: dict[str, str]) -> str:
    lines = []
    for stage in workflow.stages:
        mark = f"{marks[stage.id]} " if stage.id in marks else "  " if marks else ""
        pair = ""
        if stage.pair:
            pair = f", answered by {stage.pair}" if stage.leg is Leg.LEFT else f", answers {stage.pair}"
        lines.append(f"{mark}{stage.id} ({stage.leg}{pair})")
    return "\n".join(lines)


def _gates(workflow: Workflow, width: int) -> str:
    blocks = []
    for stage in workflow.stages:
        head = _plain(f"{stage.id}: {stage.title} ({stage.leg}, {stage.role})")
        lines = wrap(head, max(width, _NARROWEST), subsequent_indent="  ")
        lines += _gate("enter", stage.enter, width) + _gate("exit", stage.exit, width)
        if stage.route:
            times = "1 failure" if stage.route.after == 1 else f"{stage.route.after} failures"
            lines.append(f"  after {times}: back to {stage.route.to}")
        blocks.append("\n".join(lines))
    return "\n".join(blocks)


def _gate(side: str, criteria: Sequence[Criterion], width: int) -> list[str]:
    lines: list[str] = []
    for each in criteria:
        head = f"  {'' if lines else side:5}  {each.mode:4}  "
        indent = " " * len(head)
        text = _plain(f"{each.id}: {each.title} ({_what(each)})")
        lines += wrap(
            text, max(width, _NARROWEST), initial_indent=head, subsequent_indent=indent, break_on_hyphens=False
        )
    return lines


def _what(each: Criterion) -> str:
    """The kind, where it reads from, and its limits."""
    source = f"{each.kind} of {each.command}" if each.command else str(each.kind)
    more = [f"at least {_limits(each.at_least)}"] if each.at_least else []
    more += [f"at most {_limits(each.at_most)}"] if each.at_most else []
    files = [pattern for pattern in each.files if pattern not in each.title]
    more += [f"in {', '.join(files)}"] if files else []
    more += [f"with {', '.join(each.requires)}"] if each.requires else []
    more += [f"matching {each.pattern}"] if each.pattern else []
    more += ["on a tagged commit"] if each.tagged else []
    more += [str(each.trust)] if each.trust is not EvidenceTrust.RAN_BY_VFCC else []
    more += [] if each.waivable else ["never waived"]
    return "; ".join([source, *more])


def _plain(text: str) -> str:
    return "".join(letter if letter.isprintable() else "�" for letter in text)


def _limits(limits: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {_number(value)}" for name, value in limits.items())


def _number(millionths: int) -> str:
    whole, rest = divmod(abs(millionths), _UNIT)
    digits = f"{whole}.{rest:06}".rstrip("0").rstrip(".")
    return f"-{digits}" if millionths < 0 else digits
