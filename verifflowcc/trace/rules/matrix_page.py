"""The matrix as one page of HTML, with its styles and script inside.

Nothing is fetched.

Its content security policy names the one script and the one style sheet by their digests, so that nothing that an item
says could ever run, were it not escaped. Everything is in the tables; the script only hides, shows and finds.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Mapping
from hashlib import sha256
from string import Template

from verifflowcc.base.formats.html import html_text
from verifflowcc.base.records import dataclass
from verifflowcc.trace.rules.item_lines import ItemState
from verifflowcc.trace.rules.matrix import Matrix, item_rows, row_of_test, tone_of


@dataclass(frozen=True, slots=True)
class PageParts:
    """The shipped parts of the page: a skeleton with `$names`, styles, a script."""

    html: str
    css: str
    js: str


def matrix_page(matrix: Matrix, parts: PageParts, *, project: str, today: str) -> str:
    """Return the page; equal arguments give equal pages.

    `project` is the name and `today` the day that the page shows.
    """
    outcomes = Counter(each.seen.word for each in matrix.tests)
    return Template(parts.html).substitute(
        title=html_text(f"Trace matrix of {project}"),
        summary=html_text(_summary(matrix, today)),
        policy=html_text(_policy(parts)),
        css=parts.css,
        js=parts.js,
        types="".join(_option(name) for name in dict.fromkeys(row.type for row in matrix.rows)),
        item_states=_buttons(matrix.states, {name: ItemState(name).tone for name in matrix.states}),
        test_states=_buttons(
            dict(sorted(outcomes.items())), {each.seen.word: tone_of(each.seen) for each in matrix.tests}
        ),
        items="\n".join(map(item_rows, matrix.rows)),
        tests="\n".join(map(row_of_test, matrix.tests)),
        legend="".join(_meaning(state) for state in ItemState if state in matrix.states),
    )


def _summary(matrix: Matrix, today: str) -> str:
    part = "" if len(matrix.rows) == matrix.total else f" of {matrix.total}"
    passed = sum(each.seen.passed for each in matrix.tests)
    return (
        f"{len(matrix.rows)}{part} items, {len(matrix.tests)} tests, {passed} of them passed on this content; {today}"
    )


def _policy(parts: PageParts) -> str:
    script, style = (b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii") for text in (parts.js, parts.css))
    return (
        f"default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _option(name: str) -> str:
    return f'<option value="{html_text(name)}">{html_text(name)}</option>'


def _buttons(counts: Mapping[str, int], tones: Mapping[str, str]) -> str:
    return "".join(
        f'<button type="button" class="{tones[name]}" value="{html_text(name)}" aria-pressed="false">'
        f"{html_text(name)}: {count}</button>"
        for name, count in counts.items()
    )


def _meaning(state: ItemState) -> str:
    return f'<dt><span class="word {state.tone}">{state}</span></dt><dd>{html_text(state.means)}</dd>'
