"""The pages of a report: facts in, the text of each file out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from verifflowcc import __version__
from verifflowcc.base.model.entries import LayerUse, Prompt
from verifflowcc.base.model.layers import Layer
from verifflowcc.base.model.sprint_state import DONE, SprintLine, SprintState, StageState, StageStatus
from verifflowcc.base.model.trace_values import Severity
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.report_page import (
    ReportSection,
    SprintReport,
    report_opening,
    report_page,
    report_sections,
)
from verifflowcc.gates.rules.stage_failures import review_line, waiver_line
from verifflowcc.memory.use.memory_listing import ItemLine
from verifflowcc.report.rules.page_drawings import step_line, tree_of, v_picture
from verifflowcc.report.rules.page_parts import TONES, PageTemplates, StatusMark, mark_of, mark_of_test, page_text
from verifflowcc.report.use.committed_source import ReportOrigin, origin_of
from verifflowcc.report.use.report_facts import ReportedScope, ReportFacts, SprintFacts
from verifflowcc.run.rules.run_fold import client_name, cost_text
from verifflowcc.sprint.rules.stage_numbers import lasting, shown
from verifflowcc.sprint.store.workflow_load import templates_folder
from verifflowcc.trace.rules.answers import ItemTest
from verifflowcc.trace.rules.item_state import ItemState
from verifflowcc.trace.rules.matrix import Matrix

INDEX, GATES, TRACE, PROMPTS, MEMORY = "index.html", "gates.html", "trace.html", "prompts.html", "memory.html"
PAGES = ((INDEX, "Board"), (GATES, "Gates"), (TRACE, "Trace"), (PROMPTS, "Prompts"), (MEMORY, "Memory"))
STAMP = "stamp.js"
MOST_ITEMS = 5_000
"""Items or tests of a kind on one page; the page says how many more there are, and which command has them."""
MOST_SOURCES = 150
_SEVERITIES = tuple(Severity)
_REST = ("Baselines", "Out of order", "Comments", "Deviations")


@dataclass(frozen=True, slots=True)
class ScopePart:
    """The items of a scope that a page shows: `left` more are not on it."""

    scope: str
    rows: tuple[ItemLine, ...]
    total: int
    left: int


def report_files(facts: ReportFacts, version: str, *, stamp: str = "") -> dict[str, str]:
    """Return the text of each file of a report by its name; equal arguments give equal texts.

    With a `stamp` the pages look each second whether the file that holds it has another, and load themselves again.
    """
    templates = _templates()
    common = _common(facts.origin, version) | {"pages": PAGES, "facts": facts, "stamp": stamp}
    values: dict[str, Mapping[str, object]] = {
        INDEX: _board_values(facts),
        GATES: {"sprints": facts.sprints},
        TRACE: _trace_values(facts.matrix, facts.trace_problem),
        PROMPTS: {"layers": (*map(str, _layers(facts)), "template")},
        MEMORY: _memory_values(facts.memory),
    }
    names = {INDEX: "board", GATES: "gates", TRACE: "trace", PROMPTS: "prompts", MEMORY: "memory"}
    files = {
        file: templates.page(f"{names[file]}.html.j2", {**common, "title": title, **values[file]}, reloads=bool(stamp))
        for file, title in PAGES
    }
    files |= {markdown_name(each.line.id): withhold(report_page(each.report)) for each in facts.sprints}
    if stamp:
        files[STAMP] = f'document.documentElement.dataset.newest = "{stamp}";\n'
    return files


def matrix_html(matrix: Matrix, origin: ReportOrigin, version: str) -> str:
    """Return the page Trace alone, for a matrix that may be narrowed."""
    values = _common(origin, version) | {"title": f"Trace matrix of {origin.project}", "pages": (), "stamp": ""}
    values["trace_file"] = ""
    return _templates().page("trace.html.j2", {**values, **_trace_values(matrix, "")})


def sprint_html(sprint: SprintFacts, origin: ReportOrigin, version: str) -> str:
    """Return the page Gates of one sprint alone, from its records."""
    values = _common(origin, version) | {"title": f"Report of {sprint.line.id}", "pages": (), "stamp": ""}
    return _templates().page("gates.html.j2", {**values, "sprints": (sprint,)})


def markdown_name(sprint_id: str) -> str:
    """Return the name of the file with a sprint's report in Markdown; browsers show one that ends so as text."""
    return f"sprint-{sprint_id}.txt"


def _templates() -> PageTemplates:
    folder = templates_folder() / "report"
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}
    css, script = texts.pop("report.css"), texts.pop("report.js")
    return PageTemplates(texts, css, script)


def _common(origin: ReportOrigin, version: str) -> dict[str, object]:
    def link(path: str, line: int) -> str:
        return origin.forge.link(path, line) if origin.forge and path else ""

    return {
        "origin": origin,
        "version": version,
        "link": link,
        "trace_file": TRACE,
        "mark_of": mark_of,
        "mark_of_test": _test_mark,
        "v_picture": v_picture,
        "step_line": step_line,
        "stage_time": stage_time,
        "kind_of": _kind_of,
        "opening": report_opening,
        "review_line": review_line,
        "waiver_line": waiver_line,
        "rest": _rest,
        "metrics_section": _metrics,
        "markdown_name": markdown_name,
        "layer_counts": _layer_counts,
        "loop0": _index,
        "most": MOST_SOURCES,
        "cost_text": cost_text,
        "client_name": client_name,
    }


def _test_mark(test: ItemTest) -> StatusMark:
    return mark_of_test(test.word, passed=test.passed, broke=test.broke)


def stage_time(sprint: SprintFacts, stage_id: str) -> str:
    """Return how long a stage took; of an active one since when, so that no clock moves a page."""
    state = sprint.state.stage(stage_id)
    if state is not None and state.status is StageStatus.ACTIVE:
        return f"since {state.entered_at[:16].replace('T', ' ')}" if state.entered_at else "–"
    found = next((each for each in sprint.report.metrics.stages if each.stage == stage_id), None)
    return shown(found.numbers["duration_s"], lasting) if found else "–"


def _kind_of(name: str) -> str:
    return f"t-{name}" if name in TONES else "t-calm" if name == "template" else f"l-{name}"


def _rest(report: SprintReport) -> tuple[ReportSection, ...]:
    return tuple(each for each in report_sections(report) if each.title in _REST and each.lines != ("none",))


def _metrics(report: SprintReport) -> ReportSection:
    """Return the table of numbers; the time of an active stage is in it as since when it lasts."""
    section = next(each for each in report_sections(report) if each.title == "Metrics")
    active = {each.stage for each in report.metrics.stages if each.status is StageStatus.ACTIVE}
    rows = tuple(
        (row[0], "in progress" if row[0] in active or (active and row[0] == "total") else row[1], *row[2:])
        for row in section.rows
    )
    return ReportSection(section.title, headings=section.headings, rows=rows, lines=section.lines)


def _index(layers: Sequence[LayerUse], layer: LayerUse) -> int:
    return layers.index(layer)


def _layers(facts: ReportFacts) -> tuple[Layer, ...]:
    used = {
        each.layer
        for prompt in facts.prompts
        if prompt.package
        for each in prompt.package.prompt.layers
        if each.used_tokens
    }
    return tuple(each for each in Layer if each in used)


def _layer_counts(prompt: Prompt) -> list[tuple[str, int]]:
    """Return the tokens of each layer, of the template around them, and nothing for the room that is left."""
    counts = [(str(each.layer), each.used_tokens) for each in prompt.layers if each.used_tokens]
    rest = max(prompt.tokens - sum(count for _, count in counts), 0)
    return [*counts, ("template", rest)]


def _board_values(facts: ReportFacts) -> dict[str, object]:
    return {
        "sprint_alone": "",
        "index_of": {name: place for place, name in enumerate(facts.listed)},
        "remembered": sum(len(each.listing.rows) for each in facts.memory),
    }


def _trace_values(matrix: Matrix | None, problem: str) -> dict[str, object]:
    if matrix is None:
        return {"matrix": None, "trace_problem": problem}
    rows = matrix.rows[:MOST_ITEMS]
    types = dict.fromkeys(row.type for row in matrix.rows)
    counts = {name: Counter(mark_of(row.state).tone for row in matrix.rows if row.type == name) for name in types}
    findings = [each for row in matrix.rows for each in row.findings]
    return {
        "matrix": matrix,
        "matrix_command": "trace matrix",
        "rows": rows,
        "tree": tree_of(rows),
        "left_out": len(matrix.rows) - len(rows),
        "tests": matrix.tests[:MOST_ITEMS],
        "tests_left": max(len(matrix.tests) - MOST_ITEMS, 0),
        "passed_tests": sum(each.test.passed for each in matrix.tests),
        "findings": sorted(findings, key=lambda each: _SEVERITIES.index(each.severity)),
        "progress": [(name, [(tone, found[tone]) for tone in TONES if found[tone]]) for name, found in counts.items()],
        "tone_words": TONES,
        "states": [state for state in ItemState if state in matrix.states],
    }


def _memory_values(memory: Sequence[ReportedScope]) -> dict[str, object]:
    rows = [row for each in memory for row in each.listing.rows]
    return {
        "by_type": _by_type(rows),
        "chains": _chains(memory),
        "shown": tuple(_parts(memory)),
    }


def _parts(memory: Sequence[ReportedScope]) -> Iterable[ScopePart]:
    room = MOST_ITEMS
    for each in memory:
        rows = each.listing.rows[:room]
        room -= len(rows)
        yield ScopePart(each.scope, rows, len(each.listing.rows), len(each.listing.rows) - len(rows))


def _by_type(rows: Sequence[ItemLine]) -> list[tuple[Any, ...]]:
    found = []
    for name in sorted({row.item.type for row in rows}):
        those = [row for row in rows if row.item.type == name]
        statuses = sorted(Counter(row.status for row in those).items())
        trusts = sorted(Counter(str(row.item.trust) for row in those).items())
        found.append((name, len(those), statuses, trusts))
    return found


def _chains(memory: Sequence[ReportedScope]) -> list[list[ItemLine]]:
    """Return each item that is in force with what it replaced, newest first; each item once."""
    chains = []
    for each in memory:
        older: dict[str, list[ItemLine]] = {}
        for row in each.listing.rows:
            if row.superseded_by:
                older.setdefault(row.superseded_by, []).append(row)
        for row in each.listing.rows:
            if row.item.id in older and not row.superseded_by:
                chains.append(_chain(row, older))
    return chains


def _chain(newest: ItemLine, older: Mapping[str, Sequence[ItemLine]]) -> list[ItemLine]:
    chain, waiting, seen = [newest], list(older.get(newest.item.id, ())), {newest.item.id}
    while waiting:
        row = waiting.pop(0)
        if row.item.id not in seen:
            seen.add(row.item.id)
            chain.append(row)
            waiting += older.get(row.item.id, ())
    return chain


# Single pages of a report as a file of their own: the matrix of the trace, and a sprint's records.


def matrix_page(workspace: Workspace, shown: Matrix) -> str:
    """Return the page of a matrix as the working folder has it."""
    return matrix_html(shown, origin_of(workspace, local=False), __version__)


def sprint_page(workspace: Workspace, state: SprintState, report: SprintReport) -> str:
    """Return the page of a sprint as the working folder has it, from its records; no gate is asked."""
    done = sum(each.status in DONE for each in state.stages)
    line = SprintLine(
        *(state.id, state.title, state.status, state.current, done, len(state.stages)),
        problems=len(state.problems),
        gaps=state.gaps,
    )
    return sprint_html(SprintFacts(line, state, report, (), (), {}), origin_of(workspace, local=False), __version__)


# The board of a report as Markdown, for the summary of a step in CI.

_SPECIAL = str.maketrans({each: f"\\{each}" for each in "\\`*_{}[]<>#|~!@"})
_LONGEST = 300


def report_summary(facts: ReportFacts) -> str:
    """Return the board in Markdown; equal facts give equal texts. No text of the project is markup in it."""
    return "\n".join(_lines(facts)) + "\n"


def _lines(facts: ReportFacts) -> Iterator[str]:
    origin = facts.origin
    yield f"## {_text(origin.project)}"
    yield ""
    commit = f"`{origin.commit[:10]}`" if origin.commit else "no commit"
    linked = f"[{commit}]({origin.forge.commit_link})" if origin.forge else commit
    yield f"{len(facts.status.open)} open, {facts.status.closed} closed; {linked}, judged on {origin.today}."
    for sprint in facts.open_sprints:
        yield from _sprint(sprint, facts)
    if not facts.open_sprints:
        yield ""
        yield f"No sprint is open. Next: {_code(facts.status.next)}"
    if facts.matrix:
        yield ""
        yield "| trace | items |"
        yield "|---|--:|"
        for name, count in facts.matrix.states.items():
            yield f"| {_mark(name)} | {count} |"


def _sprint(sprint: SprintFacts, facts: ReportFacts) -> Iterator[str]:
    line = sprint.line
    yield ""
    yield f"### {_text(line.title)} ({_text(line.id)}): {line.done} of {line.total} stages passed, {line.gaps} gaps"
    yield ""
    yield "| stage | leg | status |"
    yield "|---|---|---|"
    for each in sprint.state.stages:
        yield f"| {_text(each.stage.id)} | {each.stage.leg} | {_mark(str(each.status))}{_gaps(each)} |"
    unmet = [one for gate in sprint.gates.gates for one in gate.assessments if not one.met] if sprint.gates else []
    if unmet:
        yield ""
    for one in unmet:
        where = (
            f" ([{_text(one.file)}]({facts.origin.forge.link(one.file)}))" if one.file and facts.origin.forge else ""
        )
        yield f"- {_mark(str(one.verdict))} {_text(one.criterion.id)}: {_text(one.reason)}{where}"
    if sprint.problem:
        yield f"- {_mark('blocked')} {_text(sprint.problem)}"
    for run in sprint.runs:
        count = len(run.state.attempts)
        attempts = f"{count} attempt{'' if count == 1 else 's'}, {cost_text(run.state.usage)}"
        detail = f": {_text(run.state.detail)}" if run.state.detail else ""
        yield f"- {_mark(run.status)} run {_text(run.state.id)}, {attempts}{detail}"
    if sprint.next:
        yield ""
        yield f"Next: {_code(sprint.next.command)}"


def _gaps(stage: StageState) -> str:
    return f", {stage.gaps} gap{'' if stage.gaps == 1 else 's'}" if stage.gaps else ""


def _mark(word: str) -> str:
    mark = mark_of(word)
    return f"{mark.symbol} {mark.word}"


def _text(text: str) -> str:
    """Return a text in which nothing is Markdown or HTML, on one line."""
    return " ".join(page_text(text, _LONGEST).split()).translate(_SPECIAL)


def _code(text: str) -> str:
    line = " ".join(page_text(text, _LONGEST).replace("`", "'").split())
    return f"`{line}`"
