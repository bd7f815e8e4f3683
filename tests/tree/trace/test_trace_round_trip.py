"""Laws of exports: what is exported and imported into an empty project is the same, but for what the export names."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trees import write_memory
from verifflowcc.base.files.item_files import read_item_file
from verifflowcc.base.model.item_values import Link, Ref, Stamp, Status
from verifflowcc.base.model.trace_codes import METHODS
from verifflowcc.base.model.trace_values import TraceItem, Verification
from verifflowcc.base.records import replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.items.rules.front_matter import split
from verifflowcc.sprint.use.pinned_workflow import policy_of
from verifflowcc.trace.rules.adopt import AdoptionChoices
from verifflowcc.trace.rules.fingerprint import stamp_of_item, stamp_of_link
from verifflowcc.trace.rules.trace_render import render_trace_item
from verifflowcc.trace.store.foreign_files import ImportSource
from verifflowcc.trace.use.trace_code import read_items
from verifflowcc.trace.use.trace_import import export_items, import_items

pytestmark = pytest.mark.vfcc("REQ-TRACE-EXPORT", "REQ-TRACE-IMPORT")
TYPES = ("need", "requirement", "component", "unit", "test_spec", "information")
LINES = (
    "It shall end.",
    "  - a, b; c",
    "a | b",
    '"quoted"',
    "## Limits",
    "### More",
    "x\u2028y",
    "tab\there",
    "",
    "\u00e9 <b> &amp;",
)
ODD = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12).map(str.strip)
WORDS = st.lists(st.sampled_from(LINES) | ODD, max_size=5).map("\n".join)
TITLES = (st.sampled_from(("Open", "A, b", "a  b; c", "1|2")) | ODD).map(
    lambda text: " ".join(text.split("\n")).strip()
)
NAMES = st.sampled_from(("web", "a b", "slow", "x/y.py", "tests/t.py::t*"))
DIGEST = "0123456789abcdef0123"
DAY = "2026-11-24"


@st.composite
def trees(draw: st.DrawFn) -> list[tuple[TraceItem, str]]:
    """Draw items with their bodies; links lead to each other, and one may lead nowhere."""
    ids = draw(st.lists(st.sampled_from([f"REQ-{n}" for n in (1, 2, 10, 11, 100)]), min_size=1, unique=True))
    return [_item(draw, name, [*ids, "REQ-gone"]) for name in ids]


def _item(draw: st.DrawFn, name: str, ids: list[str]) -> tuple[TraceItem, str]:
    kind, reviewed = draw(st.sampled_from(TYPES)), draw(st.booleans())
    stamp = Stamp(stamp_of_link(DIGEST, DIGEST), "human:You", DAY, "seen")
    links = tuple(
        Link(to, relation, 1, stamp if draw(st.booleans()) else None)
        for to in draw(st.lists(st.sampled_from(ids), max_size=2, unique=True))
        for relation in draw(st.sampled_from((("refines",), ("verifies", "implements"))))
    )
    refs = (Ref("src/a.py", "run" if draw(st.booleans()) else None),) if draw(st.booleans()) else ()
    item = TraceItem(
        id=name,
        type=kind,
        title=draw(TITLES) or name,
        path=f".memory/project/items/{kind}/{name}.md",
        text="",
        digest="",
        status=draw(st.sampled_from(list(Status))),
        verification=draw(st.sampled_from((None, *METHODS))),
        links=links,
        refs=refs,
        tests=tuple(draw(st.lists(NAMES, max_size=2, unique=True))),
        evidence=tuple(draw(st.lists(NAMES, max_size=1))),
        derived=draw(st.booleans()),
        planned=draw(st.sampled_from((None, "release 2", "2027-01-01"))),
        integrity=draw(st.sampled_from((None, "SIL2"))),
        reviewed=Stamp(stamp_of_item(DIGEST), "human:You", DAY) if reviewed else None,
        verified=Verification("inspection", "human:You", DAY, DIGEST, DIGEST, "all of it") if reviewed else None,
        tags=tuple(draw(st.lists(NAMES, max_size=2, unique=True))),
    )
    body = draw(WORDS)
    if why := draw(WORDS).strip():
        body += f"\n\n## Rationale\n\n{why}"
    if draw(st.booleans()):
        body += "\n\n## Notes\n\n**owner**: Ann"
    return item, body


def project(folder: Path, files: Mapping[str, str]) -> Workspace:
    """Make a project with files that items may name."""
    (folder / "src").mkdir(parents=True)
    (folder / "src/a.py").write_text("def run(): ...\n", encoding="utf-8")
    write_memory(folder, {"config.yaml": "format: 2\nworkflow: standard\n", **files})
    return Workspace(folder)


def read(here: Workspace) -> dict[str, tuple[TraceItem, str]]:
    """Return each item without what is about its file, and its body."""
    found = {}
    for item in read_items(here, policy_of(here)).items:
        body = split(read_item_file(here.root, item.path).decode("utf-8")).body.strip("\n")
        links = tuple(replace(each, line=0) for each in item.links)
        found[item.id] = (replace(item, links=links, author=None, reconstructed=False, lines={}, flaws=()), body)
    return found


def without(item: TraceItem, lost: str, known: set[str]) -> TraceItem:
    """Return an item without what an export says that it cannot carry."""
    if "reviews" in lost:
        item = replace(item, reviewed=None)
    if "stamps of links" in lost:
        item = replace(item, links=tuple(replace(each, stamp=None) for each in item.links))
    if "were verified" in lost:
        item = replace(item, verified=None)
    if "symbol" in lost:
        item = replace(item, refs=tuple(Ref(each.path) for each in item.refs))
    if "not exported" in lost:
        links = tuple(each for each in item.links if each.to in known)
        item = replace(item, links=links, digest="")
    return item


@pytest.mark.parametrize("form", ["json", "csv", "reqif"])
@settings(max_examples=40, deadline=None)
@given(tree=trees())
def test_what_is_exported_comes_back_equal(
    tmp_path_factory: pytest.TempPathFactory, form: str, tree: list[tuple[TraceItem, str]]
) -> None:
    if form == "reqif":
        pytest.importorskip("reqif")
    folder = tmp_path_factory.mktemp("trip")
    files = {item.path.removeprefix(".memory/"): render_trace_item(item, body) for item, body in tree}
    there, here = project(folder / "there", files), project(folder / "here", {})
    before = read(there)

    exported = export_items(there, form)
    (folder / f"items.{form}").write_text(exported.text, encoding="utf-8", newline="")
    import_items(here, ImportSource((folder / f"items.{form}",)), AdoptionChoices(), actor="human:You")

    after = read(here)
    lost = " ".join(exported.notices)
    assert list(after) == list(before)
    for name in before:
        wanted, found = (without(each[name][0], lost, {*before}) for each in (before, after))
        assert (wanted.digest == found.digest) or "not exported" in lost
        assert replace(wanted, digest="") == replace(found, digest="")
    if form == "json":
        assert not lost
        assert {name: body for name, (_, body) in before.items()} == {name: body for name, (_, body) in after.items()}
        assert export_items(here, form).text == exported.text


@pytest.mark.parametrize(("by", "after"), [("tool:doorstop", "tool:doorstop"), ("human:You", "tool:vfcc")])
def test_a_program_imports_the_stamps_of_tools_alone(tmp_path: Path, by: str, after: str) -> None:
    review = f"reviewed: {{fingerprint: {stamp_of_item(DIGEST)}, by: {by}}}"
    text = f"---\ntitle: Open\nverification: review\n{review}\n---\n\nIt shall open.\n"
    there = project(tmp_path / "there", {"project/items/requirement/REQ-1.md": text})
    here = project(tmp_path / "here", {})
    (tmp_path / "items.json").write_text(export_items(there, "json").text, encoding="utf-8")

    import_items(here, ImportSource((tmp_path / "items.json",)), AdoptionChoices(), actor="agent:coder")

    (item, _) = read(here)["REQ-1"]
    assert item.reviewed == Stamp(stamp_of_item(DIGEST), after)
