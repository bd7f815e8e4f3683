"""`vfcc trace import` and `vfcc trace export` as commands."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.process import vfcc

TABLE = "id,type,title,text,parent\nN-1,need,Doors,People walk in.,\nR-1,requirement,Open,It shall open.,N-1\n,,,x,\n"


@pytest.fixture
def project(tmp_path: Path, _young: Path) -> Path:
    folder = shutil.copytree(_young, tmp_path / "project")
    (folder / "a.csv").write_text(TABLE, encoding="utf-8")
    return folder


def files(project: Path) -> list[str]:
    return sorted(path.name for path in (project / ".memory/project/items").rglob("*.md"))


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-TRACE-IMPORT")
def test_an_import_says_what_it_did_and_what_it_left(project: Path) -> None:
    done = vfcc(project, "trace", "import", "a.csv")
    assert (done.code, files(project)) == (0, ["N-1.md", "R-1.md"])
    assert done.out.splitlines() == [
        "csv: 2 new",
        "  need → need",
        "  requirement → requirement",
        "not carried over: 1",
        "  a.csv:4: a row has no id",
        "next: vfcc check trace",
    ]


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-TRACE-IMPORT")
def test_the_second_import_says_that_all_is_the_same(project: Path) -> None:
    vfcc(project, "trace", "import", "a.csv")
    assert vfcc(project, "trace", "import", "a.csv").out.startswith("csv: 2 the same\n")


def test_a_dry_run_writes_nothing_and_says_so(project: Path) -> None:
    done = vfcc(project, "trace", "import", "a.csv", "--dry-run")
    assert (done.code, files(project)) == (0, [])
    assert done.out.startswith("csv: 2 would be new\n")
    assert done.out.endswith("nothing was written: this was a dry run\n")


def test_what_changed_there_is_told_with_the_way_to_take_it(project: Path) -> None:
    vfcc(project, "trace", "import", "a.csv")
    (project / "a.csv").write_text(TABLE.replace("It shall open", "It shall close"), encoding="utf-8")
    told = vfcc(project, "trace", "import", "a.csv").out
    assert "different here and there: 1\n  R-1: text changed there\n" in told
    assert "to take what changed there: the same command with --update\n" in told
    taken = vfcc(project, "trace", "import", "a.csv", "--update").out
    assert taken.startswith("csv: 1 updated, 1 the same\n")
    assert "  R-1: text changed there, taken\n" in taken


def test_json_holds_all_that_was_left(project: Path) -> None:
    report = vfcc(project, "trace", "import", "a.csv", "--json", "--full").data
    assert (report["tool"], report["written"], report["not_imported"]) == ("csv", 2, ["a.csv:4: a row has no id"])
    assert [(each["id"], each["outcome"]) for each in report["items"]] == [("N-1", "new"), ("R-1", "new")]


def test_options_map_types_columns_and_lines(project: Path) -> None:
    (project / "b.csv").write_text("Code,Says\nX-1,It shall open.\n", encoding="utf-8")
    chosen = ("--map", "Code=id", "--map", "Says=text", "--type", "hazard", "--verification", "analysis")
    assert vfcc(project, "trace", "import", "b.csv", *chosen).code == 0
    text = (project / ".memory/project/items/hazard/X-1.md").read_text(encoding="utf-8")
    assert "verification: analysis\n" in text
    (project / "c.md").write_text("<<y1>> Close\n\nIt shall close.\n", encoding="utf-8")
    assert vfcc(project, "trace", "import", "c.md", "--pattern", "<<(?P<id>y1)>> (?P<title>.*)").code == 0
    assert "title: Close\n" in (project / ".memory/project/items/requirement/y1.md").read_text(encoding="utf-8")


@pytest.mark.points(4)
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("nowhere.csv",), 2, ("there is no file or folder nowhere.csv",)),
        (("a.csv", "--format", "cvs"), 2, ("cvs", "csv")),
        (("a.csv", "--map-type", "need"), 2, ("NAME=VALUE",)),
        (("a.csv", "--map", "Nothing=id"), 3, ("a.csv:1", "Nothing")),
        (("bad.sdoc",), 3, ("bad.sdoc:1: here an element such as [REQUIREMENT] should begin",)),
        (("bad.reqif",), 3, ("bad.reqif:1", "ReqIF")),
    ],
)
def test_what_cannot_be_imported_is_refused_in_one_sentence(
    project: Path, arguments: tuple[str, ...], code: int, words: tuple[str, ...]
) -> None:
    if "bad.reqif" in arguments:
        pytest.importorskip("reqif", reason="the package reqif is not here")
    for name in ("bad.sdoc", "bad.reqif"):
        (project / name).write_text("<nonsense", encoding="utf-8")
    vfcc(project, "trace", "import", *arguments).refused(code, *words)
    assert files(project) == []


@pytest.mark.sweep
def test_without_the_package_reqif_says_what_to_install(project: Path) -> None:
    (project / "reqif.py").write_text("raise ModuleNotFoundError('reqif')\n", encoding="utf-8")
    (project / "a.reqif").write_text("<REQ-IF/>", encoding="utf-8")
    done = vfcc(project, "trace", "import", "a.reqif", env={"PYTHONPATH": str(project)})
    done.refused(3, "the package reqif, which is not installed", "hint: pip install 'verifflowcc[reqif]'")


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-TRACE-EXPORT")
def test_an_export_goes_to_stdout_or_into_a_file(project: Path) -> None:
    vfcc(project, "trace", "import", "a.csv")
    shown = vfcc(project, "trace", "export")
    assert shown.out.startswith("id,type,title,status,")
    written = vfcc(project, "trace", "export", "--output", "out.csv")
    assert (written.out, (project / "out.csv").read_text(encoding="utf-8")) == ("", shown.out)
    needs = json.loads(vfcc(project, "trace", "export", "--format", "json", "--type", "need").out)
    assert [each["id"] for each in needs["items"]] == ["N-1"]


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-TRACE-EXPORT")
def test_a_file_is_written_as_its_name_ends(project: Path) -> None:
    vfcc(project, "trace", "import", "a.csv")

    for name, begins in (("out.JSON", "{"), ("out.csv", "id,type,"), ("out.txt", "id,type,")):
        assert vfcc(project, "trace", "export", "--output", name).code == 0
        assert (project / name).read_text(encoding="utf-8").startswith(begins)


@pytest.mark.vfcc("REQ-TRACE-EXPORT")
def test_an_export_of_nothing_is_refused(project: Path) -> None:
    vfcc(project, "trace", "export").refused(2, "there is no item to export")
    vfcc(project, "trace", "export", "--format", "xml").refused(2, "xml")
