"""A sprint's report as one page: its sections, and Markdown made of them."""

from collections.abc import Iterator, Sequence

from verifflowcc.domain.actors import Decision, Feedback
from verifflowcc.domain.baselines import BaselineAct
from verifflowcc.domain.gates import Kind, Mode
from verifflowcc.domain.sprints import StageStatus, with_gaps
from verifflowcc.records import dataclass
from verifflowcc.workflow.deviations import clause
from verifflowcc.workflow.metrics_words import Numbers, lasting, shown, stage_time, words_of_coverage, words_of_tests
from verifflowcc.workflow.report import ReportedEvidence, ReportedStage, ReportedVerdict, SprintReport
from verifflowcc.workflow.said import review_line, waiver_line

NO_VERDICTS = "none on record: it was passed before gates kept their verdicts"
_COUNTS = ("failures", "rework", "findings", "waived")


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A part of the page: a title, then whichever it has of a sentence, a table and a list."""

    title: str
    lines: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    text: str = ""
    level: int = 2


def report_page(report: SprintReport) -> str:
    """Return the page as Markdown; equal reports give equal pages."""
    parts = [f"# {report_title(report)}", report_opening(report), *map(_markdown, report_sections(report))]
    return "\n\n".join(parts) + "\n"


def report_title(report: SprintReport) -> str:
    """Return the title of the page."""
    return f"{clause(report.title)}: report of the sprint {report.id}"


def report_sections(report: SprintReport) -> tuple[ReportSection, ...]:
    """Return what the page has below its opening; lists that are empty name that."""
    return (
        *([ReportSection("Not to be trusted", tuple(report.problems))] if report.problems else []),
        _listed("Goals", [clause(goal) for goal in report.goals], "none stated"),
        _v(report),
        *(_verdicts(stage) for stage in report.stages if stage.passes or stage.verdicts),
        _listed("Evidence", [_evidence(one) for one in report.evidence]),
        _listed("Approvals", [f"{one.stage}: {review_line(one, None, report.today)}" for one in report.reviews]),
        _listed("Waivers", [f"{one.stage}: {waiver_line(one, None, report.today)}" for one in report.waivers]),
        *([_listed("Baselines", [_baseline(one) for one in report.baselines])] if report.baselines else []),
        _listed("Out of order", list(_moves(report))),
        _listed("Comments", [_comment(one, report.id) for one in report.feedback]),
        _listed("Deviations", report.deviations),
        _metrics(report),
    )


def _markdown(section: ReportSection) -> str:
    table = _grid(section.headings, section.rows) if section.headings else ""
    listed = "\n".join(f"- {line}" for line in section.lines)
    return "\n\n".join(filter(None, (f"{'#' * section.level} {section.title}", section.text, table, listed)))


def _baseline(one: BaselineAct) -> str:
    faults = f"{one.entries} old fault{'' if one.entries == 1 else 's'}"
    return clause(f"{one.kind}: {faults} accepted by {one.actor} on {one.day}, until {one.expires}: {one.reason}")


def report_opening(report: SprintReport) -> str:
    """Return the sentence below the title."""
    where = f", in {report.current}" if report.current else ""
    begun = f" Started on {report.started_at[:10]} by {report.started_by}" if report.started_at else ""
    base = f", from commit {report.base[:12]}" if report.base else ""
    status = f"{report.status}{with_gaps(report.gaps)}"
    return clause(
        f"Status: {status}{where}. Workflow: {report.workflow or 'unknown'}.{begun}{base}. As of event "
        f"{', '.join(report.as_of) or 'none'}; what expires is judged on {report.today}."
    )


def _v(report: SprintReport) -> ReportSection:
    rows = tuple(
        (
            each.id,
            each.leg,
            each.pair or "–",
            each.role,
            f"{each.status}{with_gaps(each.gaps)}",
            f"{each.passed_at[:10]} by {each.passed_by}" if each.passed_at else "–",
            str(each.passes),
            str(each.reopened),
        )
        for each in report.stages
    )
    headings = ("stage", "leg", "pair", "role", "status", "last passed", "passes", "reopened")
    return ReportSection("The V", headings=headings, rows=rows)


def _verdicts(stage: ReportedStage) -> ReportSection:
    lines = tuple(_verdict(each, stage) for each in stage.verdicts)
    again = "It is not passed now; these are the verdicts of its last pass." if _undone(stage) else ""
    return ReportSection(f"{stage.id}: verdicts", lines or (NO_VERDICTS,), text=again, level=3)


def _undone(stage: ReportedStage) -> bool:
    return stage.status is not StageStatus.PASSED


def _verdict(each: ReportedVerdict, stage: ReportedStage) -> str:
    soft = ", soft" if each.mode is Mode.SOFT else ""
    entering = f" (to enter {each.gate})" if each.gate != stage.id else ""
    used = f" ({', '.join(each.used)})" if each.used and each.kind is not Kind.ARTIFACT else ""
    word = str(each.verdict).replace("_", " ")
    return f"{word}{soft}: `{each.criterion}`{entering}: {clause(each.reason)}{used}"


def _evidence(one: ReportedEvidence) -> str:
    name = f"{one.stage}: `{one.criterion}`: {one.id}" if one.stage else one.id
    if not one.opened:
        told = f"none: {one.problem}" if one.problem else f"added by {one.actor}; later evidence takes its place"
        return clause(f"{name}: {told}")
    ran = f", command {one.command} with exit code {_code(one.exit_code)}" if one.command else ""
    counted = {name: count for name, count in one.measures.items() if count} or one.measures
    counts = ", ".join(f"{name} {count}" for name, count in counted.items()) or "nothing measured"
    files = "1 input" if one.inputs == 1 else f"{one.inputs} inputs"
    wrong = f"; {one.problem}" if one.problem else ""
    return clause(f"{name}: {one.kind}, {one.trust}, by {one.actor} on {one.time[:10]}{ran}, {files}: {counts}{wrong}")


def _code(code: int | None) -> str:
    return "none" if code is None else str(code)


def _moves(report: SprintReport) -> Iterator[str]:
    for move in report.moves:
        why = f": {move.reason}" if move.reason else ""
        yield clause(f"{move.time[:10]}: {move.actor} {move.does}{why}")


def _comment(one: Feedback, sprint: str) -> str:
    where = one.stage or "the sprint"
    origin = "" if one.sprint == sprint else f", from {one.sprint}"
    decided = f" by {one.decided_by}" if one.decided_by and one.decision is not Decision.OPEN else ""
    why = f": {one.reason}" if one.reason else ""
    return clause(f"{where}: {one.text} ({one.actor}{origin}) – {one.decision}{decided}{why}")


def _metrics(report: SprintReport) -> ReportSection:
    rows = [(each.stage, stage_time(each), *_numbers(each.numbers)) for each in report.metrics.stages]
    total = report.metrics.totals
    rows.append(("total", shown(total["duration_s"], lasting), *_numbers(total)))
    wrong = tuple(each.problem for each in report.metrics.stages if each.problem)
    return ReportSection("Metrics", wrong, ("stage", "time", *_COUNTS, "tests", "coverage"), tuple(rows))


def _numbers(numbers: Numbers) -> tuple[str, ...]:
    return (*(shown(numbers[name]) for name in _COUNTS), words_of_tests(numbers), words_of_coverage(numbers))


def _grid(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def _listed(title: str, lines: Sequence[str], nothing: str = "none") -> ReportSection:
    return ReportSection(title, tuple(lines) or (nothing,))
