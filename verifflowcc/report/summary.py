"""The board of a report as Markdown, for the summary of a step in CI."""

from collections.abc import Iterator

from verifflowcc.domain.sprints import StageState
from verifflowcc.report.page_template import page_text
from verifflowcc.report.report_facts import ReportFacts, SprintFacts
from verifflowcc.report.status_marks import mark_of

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
