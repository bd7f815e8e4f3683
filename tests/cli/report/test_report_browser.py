"""The report in a real browser: no error in its console, nothing serious for axe-core, and readable without scripts."""

import re
from pathlib import Path

import pytest

from tests.browser import axe_findings, axe_source, dump, in_browser
from tests.cli.process import by_person, git, vfcc
from tests.trace_project import traced
from tests.trees import write_tree
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.report.use.report_writing import read_report, write_report

PAGES = ("index", "gates", "trace", "prompts", "memory")
DARK, LIGHT = "--blink-settings=preferredColorScheme=0", "--blink-settings=preferredColorScheme=1"
pytestmark = [pytest.mark.sweep, in_browser]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a project with a trace, and a sprint whose title is a script."""
    root = tmp_path_factory.mktemp("shown") / "project"
    root.mkdir()
    assert vfcc(root, "init", "--worked-example").code == 0
    traced(root)
    words = ("Odd <script>document.title='broken'</script>", "--id", "odd")
    assert by_person(root, "sprint", "start", *words).code == 0
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message=Begin")
    assert vfcc(root, "report", "--html", "../site").code == 0
    return root.parent / "site"


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    return axe_source(tmp_path_factory.mktemp("axe"))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_writes_no_error_and_runs_no_text(site: Path, page: str, tmp_path: Path) -> None:
    text, console = dump((site / f"{page}.html").as_uri(), tmp_path / "profile")

    assert console == []
    assert "<title>broken" not in text


@pytest.mark.parametrize("scheme", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing_serious(site: Path, axe: str, page: str, scheme: str, tmp_path: Path) -> None:
    found = axe_findings(site / f"{page}.html", axe, tmp_path, scheme, "--window-size=1280,900")

    assert [each for each in found if each["impact"] in ("serious", "critical")] == []


@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing_serious_on_a_phone(site: Path, axe: str, page: str, tmp_path: Path) -> None:
    found = axe_findings(site / f"{page}.html", axe, tmp_path, LIGHT, "--window-size=500,900")

    assert [each for each in found if each["impact"] in ("serious", "critical")] == []


@pytest.mark.parametrize("page", PAGES)
def test_without_scripts_all_is_shown_but_search_and_filters(site: Path, page: str, tmp_path: Path) -> None:
    file = site / f"{page}.html"
    plain = re.sub("<script>.*</script>", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    without = tmp_path / file.name
    without.write_text(plain, encoding="utf-8")

    text, _ = dump(without.as_uri(), tmp_path / "profile")

    hidden = re.findall(r"<(\w+)[^>]* hidden=", text)
    assert hidden == (["form"] if page in ("trace", "memory") else [])


@pytest.mark.parametrize("width", [390, 1280, 2560])
@pytest.mark.parametrize("page", PAGES)
def test_no_page_is_wider_than_its_window(site: Path, page: str, width: int, tmp_path: Path) -> None:
    frame = tmp_path / "frame.html"
    source = (site / f"{page}.html").as_uri()
    measure = "const d = f.contentDocument.documentElement; document.title = d.scrollWidth + ' of ' + d.clientWidth"
    frame.write_text(
        f'<iframe id="f" src="{source}" width="{width}" height="900" onload="{measure}"></iframe>', encoding="utf-8"
    )

    text, _ = dump(frame.as_uri(), tmp_path / "profile", "--allow-file-access-from-files")

    assert f"<title>{width} of {width}</title>" in text


def test_a_page_that_is_watched_asks_for_the_newest_stamp(site: Path, tmp_path: Path) -> None:
    root = site.parent / "project"
    facts = read_report(Workspace(root), local=True)
    write_report(facts, tmp_path / "site", "0", stamp="one")
    write_tree(
        tmp_path, {"site/stamp.js": 'document.documentElement.dataset.newest = "one";\ndocument.title = "asked";\n'}
    )

    text, console = dump((tmp_path / "site/index.html").as_uri(), tmp_path / "profile", budget_ms=4000)

    assert console == []
    assert "<title>asked</title>" in text
    assert "data-stamp" not in (site / "index.html").read_text(encoding="utf-8")


def test_five_thousand_items_are_on_one_page(tmp_path: Path) -> None:
    root = tmp_path / "large"
    root.mkdir()
    assert vfcc(root, "init").code == 0
    items = root / ".memory/project/items"
    for number in range(5_000):
        kind = "need" if number % 10 == 0 else "requirement"
        link = "" if kind == "need" else f"links: [{{to: ITEM-{number - number % 10:04}, relation: refines}}]\n"
        (items / kind).mkdir(parents=True, exist_ok=True)
        front = f"---\nid: ITEM-{number:04}\ntype: {kind}\ntitle: Item {number}\n{link}---\n"
        (items / kind / f"{number:04}.md").write_text(f"{front}It shall do {number}.\n", encoding="utf-8")
    done = vfcc(root, "report", "--local", "--html", "site", "--json")
    size = {each["name"]: each["bytes"] for each in done.data["files"]}["trace.html"]
    page = (root / "site/trace.html").read_text(encoding="utf-8")
    text, console = dump((root / "site/trace.html").as_uri(), tmp_path / "profile")

    assert console == []
    assert ">5000 of 5000 items</output>" in text
    assert page.count('data-row="item"') == 5_000
    assert size < 15_000_000
