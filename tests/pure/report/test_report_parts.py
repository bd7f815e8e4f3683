"""The report's drawings and words: places of the V, the tree, the trend, forge links, marks and the palette."""

import re
from pathlib import Path

import pytest

from verifflowcc.base.model.events import Event, EventType
from verifflowcc.base.terminal.terminal import SYMBOLS
from verifflowcc.report.rules.page_drawings import BOX_HEIGHT, DEEPEST, step_line, tree_of, trend_of, v_picture
from verifflowcc.report.rules.page_parts import TONES, PageTemplates, forge_of, mark_of, page_text
from verifflowcc.sprint.store.workflow_load import load_shipped, templates_folder
from verifflowcc.trace.rules.answers import LinkEnd
from verifflowcc.trace.rules.item_state import ItemState
from verifflowcc.trace.rules.matrix import MatrixRow

SOFT = {"good", "bad", "open", "calm", "busy", "gap"}


@pytest.mark.parametrize("width", [350, 760])
@pytest.mark.parametrize("name", ["light", "standard", "aspice", "agile", "safety"])
def test_no_two_boxes_of_a_v_overlap_and_none_leaves_the_drawing(name: str, width: int) -> None:
    workflow = load_shipped(name)

    picture = v_picture(workflow, width)

    assert [each.stage for each in picture.boxes] == [each.id for each in workflow.stages]
    for each in picture.boxes:
        assert 0 <= each.x <= each.x + each.width <= width
        assert 0 <= each.y <= each.y + BOX_HEIGHT <= picture.height
    for place, one in enumerate(picture.boxes):
        for other in picture.boxes[place + 1 :]:
            apart = one.x + one.width <= other.x or other.x + other.width <= one.x
            assert apart or abs(one.y - other.y) >= BOX_HEIGHT


def row(name: str, parents: tuple[str, ...] = (), children: tuple[str, ...] = ()) -> MatrixRow:
    ends = [tuple(LinkEnd(each, "refines", "need", each) for each in those) for those in (parents, children)]
    return MatrixRow(name, "need", name, "", "", None, None, ends[0], ends[1], (), (), ItemState.PASSED, ())


def markup(rows: list[MatrixRow]) -> str:
    """The lists of a tree, as the page writes them."""
    parts = []
    for node in tree_of(rows):
        opens = "<details><ul>" if node.depth == 0 else "<ul>"
        parts += ["<li>", node.row.id, opens if node.opens else "</li>", node.closing]
    return "".join(parts)


def test_an_item_below_two_parents_is_shown_whole_once() -> None:
    rows = [row("A", (), ("C",)), row("B", (), ("C",)), row("C", ("A", "B"), ("D",)), row("D", ("C",))]

    nodes = tree_of(rows)

    assert [(each.row.id, each.depth, each.first) for each in nodes] == [
        ("A", 0, True), ("C", 1, True), ("D", 2, True), ("B", 0, True), ("C", 1, False)
    ]  # fmt: skip
    assert markup(rows).count("<ul>") == markup(rows).count("</ul>")
    assert markup(rows).count("<li>") == markup(rows).count("</li>")


def test_a_circle_and_a_long_chain_end() -> None:
    circle = [row("A", ("B",), ("B",)), row("B", ("A",), ("A",))]
    names = [f"N{number:03}" for number in range(200)]
    above = {name: (names[place - 1],) if place else () for place, name in enumerate(names)}
    chain = [row(name, above[name], tuple(names[place + 1 : place + 2])) for place, name in enumerate(names)]

    assert [each.row.id for each in tree_of(circle)] == ["A", "B", "A"]
    assert {each.row.id for each in tree_of(chain)} == set(names)
    assert max(each.depth for each in tree_of(chain)) == DEEPEST
    assert markup(chain).count("<details>") == markup(chain).count("</details>")


def event(number: int, kind: EventType, **payload: object) -> Event:
    return Event(f"{number:026}", (), "human:Ann", f"2026-11-0{number}T00:00:00.000Z", kind, payload)  # type: ignore[arg-type]


def test_the_trend_takes_back_what_a_reopened_stage_had() -> None:
    gate = [{"verdict": "pass"}, {"verdict": "fail"}, {"verdict": "pass"}]
    events = [
        event(1, EventType.SPRINT_STARTED),
        event(2, EventType.EVIDENCE_ADDED, stage="testing", criterion="tests", evidence="E1"),
        event(3, EventType.STAGE_PASSED, stage="testing", gate=gate),
        event(4, EventType.EVIDENCE_ADDED, stage="testing", criterion="tests", evidence="E2"),
        event(5, EventType.STAGE_REOPENED, stage="testing"),
    ]
    proofs = {"E1": {"REQ-a": True, "REQ-b": False, "UNIT-c": True}, "E2": {"REQ-a": True, "REQ-b": True}}

    points = trend_of([events], proofs, {"REQ-a", "REQ-b"})

    assert [each.criteria_passed for each in points] == [0, 0, 2, 2, 0]
    assert [each.requirements_verified for each in points] == [0, 1, 1, 2, 2]
    assert step_line([], 1, 10, 10).points == ""
    assert step_line([1, 3], 3, 30, 30).points == "0,20 15,20 15,0 30,0"


def test_the_trend_of_several_sprints_keeps_what_each_reached() -> None:
    gate = [{"verdict": "pass"}]
    sprints = [[event(1, EventType.STAGE_PASSED, stage="plan", gate=gate)] for _ in range(2)]
    sprints.append([event(2, EventType.STAGE_REOPENED, stage="plan")])

    assert [each.criteria_passed for each in trend_of(sprints, {}, ())] == [1, 2, 2]


@pytest.mark.parametrize(
    ("remote", "link"),
    [
        ("https://github.com/acme/shop", "https://github.com/acme/shop/blob/c0/a%20b.py#L2"),
        ("ssh://git@gitlab.example.org:2222/team/sub/shop.git", "https://gitlab.example.org/team/sub/shop/-/blob/c0/a%20b.py#L2"),
        ("git@bitbucket.org:acme/shop.git", "https://bitbucket.org/acme/shop/src/c0/a%20b.py#lines-2"),
        ("https://codeberg.org/acme/shop.git", "https://codeberg.org/acme/shop/src/commit/c0/a%20b.py#L2"),
        ("https://git.example.org/acme/shop.git", None),
        ("../shop", None),
        ("C:\\github\\shop", None),
        ("https://github.com/../../x", None),
        ('https://github.com/"><script>', None),
        ("file:///github/shop", None),
        ("javascript:alert(1)//github.com/a", None),
        ("", None),
    ],
)  # fmt: skip
def test_a_place_links_to_the_forges_that_are_known(remote: str, link: str | None) -> None:
    forge = forge_of(remote, "c0")

    assert (forge.link("a b.py", 2) if forge else None) == link


def test_status_words_have_the_symbols_of_the_terminal() -> None:
    for word, (symbol, _, _) in SYMBOLS.items():
        assert (mark_of(word).word, mark_of(word).symbol) == (word, symbol)


def test_each_state_of_the_trace_has_a_tone_and_not_all_the_same() -> None:
    tones = {str(state): mark_of(state).tone for state in ItemState}

    assert set(tones.values()) == set(TONES)
    assert len({tones[each] for each in ("failed", "stale", "untested", "incomplete", "planned", "passed")}) == 6


def palettes() -> list[dict[str, str]]:
    css = (templates_folder() / "report" / "report.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    return [dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6})", block)) for block in blocks]


def luminance(color: str) -> float:
    digits = color[1:] if len(color) == 7 else "".join(each * 2 for each in color[1:])
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_text_has_a_contrast_of_four_and_a_half_on_every_ground() -> None:
    found = palettes()
    assert len(found) == 3, "light, dark and paper"
    for palette in found:
        pairs = [(ink, ground) for ink in ("text", "soft", "link") for ground in ("page", "raised")]
        pairs += [(tone, f"{tone}-soft") for tone in SOFT]
        low = [(*pair, contrast(palette[pair[0]], palette[pair[1]])) for pair in pairs]
        assert [each for each in low if each[2] < 4.5] == []


def test_bars_and_lines_have_a_contrast_of_three() -> None:
    for palette in palettes()[:2]:
        for name in "abcde":
            assert contrast(palette[name], palette["page"]) >= 3, name


def test_a_secret_in_a_value_is_withheld_also_at_the_cut() -> None:
    secret = "ghp_" + "Zk3vQ9xT1mB7rW5yN2cL8dF4gH6jS0pAeUiO"
    assert secret not in page_text(f"key: {secret}")
    assert "ghp_Zk3" not in page_text(f"{'x ' * 90}{secret} and more {'y' * 900}", 200)


def test_a_page_shows_values_as_text_and_names_its_digests() -> None:
    templates = PageTemplates({"p.html.j2": '<p title="{{ value }}">{{ value }}</p>{{ policy }}'}, "p {}", "1;")

    page = templates.page("p.html.j2", {"value": "<b a='\">\u202e"})

    assert '<p title="&lt;b a=&#39;&#34;&gt;[U+202E]">&lt;b a=&#39;&#34;&gt;[U+202E]</p>' in page
    assert page.count("sha256-") == 2


def test_templates_load_nothing_and_run_nothing_inline() -> None:
    for path in Path(templates_folder() / "report").iterdir():
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"https?://|\bon[a-z]+=|style=|@import|url\(", text), path.name
