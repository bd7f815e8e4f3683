"""The rows of the matrix's page: one body of a table for each item, and for each test."""

from collections.abc import Iterable, Sequence

from verifflowcc.domain.trace import Finding
from verifflowcc.formats.html_text import html_text
from verifflowcc.trace.answers import TestSeen
from verifflowcc.trace.matrix import LinkEnd, MatrixRow, TestRow
from verifflowcc.trace.matrix_csv import place_word

FOLDED = 5
"""A cell with more lines than this shows so many, and how many more there are; on paper it shows all."""


def item_rows(row: MatrixRow) -> str:
    """Return an item: a row of the table, and one with all that is known of it, which a button opens."""
    name = html_text(row.id)
    cells = (
        f'<th scope="row" role="rowheader"><button type="button" class="toggle" aria-expanded="false" '
        f'aria-label="All about {name}"></button><span class="id">{name}</span>'
        f'<span class="name">{html_text(row.title)}</span></th>'
        + _cell("State", _word(row.state, row.state.tone))
        + _cell("Type", html_text(row.type))
        + _cell("Traces to", _list(map(_linked, _once(row.parents))))
        + _cell("Answered by", _list(map(_linked, _once(row.children))))
        + _cell("Implemented by", _list(dict.fromkeys(html_text(each.path) for each in row.code)))
        + _cell("Verified by", _list(map(_tested, row.tests)))
        + _cell("Findings", _list(map(html_text, dict.fromkeys(each.code for each in row.findings))))
    )
    return (
        f'<tbody role="rowgroup" id="item={name}" data-type="{html_text(row.type)}" data-state="{row.state}">'
        f'<tr role="row">{cells}</tr><tr role="row" class="more"><td role="cell" colspan="8">{_more(row)}</td></tr>'
        "</tbody>"
    )


def row_of_test(row: TestRow) -> str:
    """Return a test: what became of it, and whom it speaks for."""
    seen = row.seen
    types = " ".join(dict.fromkeys(end.type for end in row.items if end.type))
    told = [seen.report, f"{seen.cases} cases" if seen.cases > 1 else "", seen.stale, seen.message]
    cells = (
        f'<th scope="row" role="rowheader"><span class="id">{html_text(seen.test)}</span></th>'
        + _cell("Outcome", _word(seen.word, tone_of(seen)))
        + _cell("Items", _list(map(_linked, row.items)) or '<span class="fact">none</span>')
        + _cell("Needs", _list(map(_titled, row.needs)))
        + _cell("Report", _list(html_text(each) for each in told if each))
    )
    return (
        f'<tbody role="rowgroup" data-type="{html_text(types)}" data-state="{html_text(seen.word)}">'
        f'<tr role="row">{cells}</tr></tbody>'
    )


def tone_of(seen: TestSeen) -> str:
    """Return the tone of a test's outcome: `good`, `bad` or `open`."""
    return "good" if seen.passed else "bad" if seen.broke else "open"


def _more(row: MatrixRow) -> str:
    facts = [f"file: {row.path}", f"verification: {row.method}" if row.method else ""]
    facts.append(f"planned: {row.planned}" if row.planned else "")
    return (
        f"<p>{html_text(row.text.strip())}</p>"
        + _part("Facts", [html_text(each) for each in facts if each])
        + _part("Traces to", [f"{html_text(end.relation)} {_titled(end)}" for end in row.parents])
        + _part("Answered by", [f"{_titled(end)} {html_text(f'({end.relation})')}" for end in row.children])
        + _part("Implemented by", [html_text(each) for each in dict.fromkeys(map(place_word, row.code))])
        + _part("Verified by", [_tested(each) + _of_test(each) for each in row.tests])
        + _part("Findings", [_finding(each) for each in row.findings])
    )


def _part(title: str, lines: Sequence[str]) -> str:
    return f"<h3>{title}</h3><ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>" if lines else ""


def _cell(label: str, content: str) -> str:
    return f'<td role="cell" data-label="{label}">{content}</td>'


def _list(lines: Iterable[str]) -> str:
    parts = [f"<li>{line}</li>" for line in lines]
    if not parts:
        return ""
    if len(parts) <= FOLDED:
        return f"<ul>{''.join(parts)}</ul>"
    return f'<ul class="many">{"".join(parts)}<li class="rest">and {len(parts) - FOLDED} more</li></ul>'


def _word(word: str, tone: str) -> str:
    return f'<span class="word {tone}">{html_text(word)}</span>'


def _once(ends: Iterable[LinkEnd]) -> Iterable[LinkEnd]:
    return {end.id: end for end in ends}.values()


def _linked(end: LinkEnd) -> str:
    name = html_text(end.id)
    return f'<a href="#item={name}" title="{html_text(end.title)}">{name}</a>' if end.type else f"{name} (not there)"


def _titled(end: LinkEnd) -> str:
    return f"{_linked(end)} {html_text(end.title)}"


def _tested(test: TestSeen) -> str:
    return f"{_word(test.word, tone_of(test))} {html_text(test.test)}"


def _of_test(test: TestSeen) -> str:
    told = [f"by {test.via}" if test.via else "", test.report, test.stale, test.message]
    said = "; ".join(each for each in told if each)
    return f' <span class="fact">{html_text(said)}</span>' if said else ""


def _finding(each: Finding) -> str:
    step = f' <span class="fact">next: {html_text(each.step)}</span>' if each.step else ""
    return f"{html_text(f'{each.severity} {each.code}: {each.message}')}{step}"
