"""Import a tree of doorstop's and hold `vfcc check trace` against what doorstop itself says, item by item.

    python -m benchmarks.doorstop_compare [--data FOLDER] [--doorstop PYTHON] [--plant] [--json]

Doorstop runs in an interpreter of its own (`--doorstop`, or `VFCC_DOORSTOP_PYTHON`), on a copy of the data, with
everything off that would write: no new stamps, no first reviews, no reformatting. `--plant` first changes texts, takes
stamps away and takes items out of use in the copy, so that there is more to find. Exits with 1 where doorstop knows a
suspect link or an unreviewed item that vfcc does not find, or a row has no explanation.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from verifflowcc.trace.rules.import_doorstop import read_doorstop, stamp
from verifflowcc.trace.store.foreign_files import doorstop_files

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("VFCC_DATA", ROOT.parent / "shared" / "data")) / "doorstop-reqs"
VFCC = Path(sys.executable).with_name("vfcc")
ASK = """
import json, sys
from doorstop import settings
settings.REFORMAT = settings.REVIEW_NEW_ITEMS = settings.STAMP_NEW_LINKS = settings.ADDREMOVE_FILES = False
import doorstop
from doorstop.core.validators.item_validator import ItemValidator
tree = doorstop.build(cwd=sys.argv[1], root=sys.argv[1])
rows = []
for document in tree.documents:
    for item in sorted(document, key=lambda each: str(each.uid)):
        rows.append({
            "id": str(item.uid), "stamp": str(item.stamp()), "review": str(item.stamp(links=True)),
            "issues": [str(each) for each in ItemValidator().get_issues(item)],
        })
print(json.dumps({"version": doorstop.__version__, "items": rows}))
"""
SUSPECT = ("suspect-upstream", "suspect-downstream", "unreviewed-link")
ANSWERS: Sequence[tuple[str, tuple[str, ...], str]] = (
    ("unreviewed changes", ("stale-review",), ""),
    ("needs initial review", ("unreviewed",), ""),
    ("suspect link: ", SUSPECT, ""),
    ("linked to unknown item: ", ("dangling-link", "link-to-retired"), ""),
    ("linked to inactive item: ", ("link-to-retired",), ""),
    ("linked to non-normative item: ", ("wrong-end",), ""),
    ("non-normative, but has links", ("wrong-end",), ""),
    ("no text", ("empty-text",), ""),
    ("no links to parent document", ("no-parent",), ""),
    ("no links from child document", ("missing-child",), ""),
    ("parent is ", (), "a hint of doorstop's about its own numbering of documents"),
    ("prefix differs", (), "a hint of doorstop's about its own numbering of documents"),
    ("external reference not found", (), "told by the import: not carried over"),
)
"""The beginning of what doorstop says, the codes that say the same, and why there need be none of them."""
OURS_ALONE: Mapping[str, str] = {
    "missing-child": "doorstop asks for no acceptance criteria, test specifications or components; the workflow does",
    "no-parent": "the only parent is out of use; doorstop says so of the link alone (linked to unknown item)",
    "unreviewed-link": "a link with no stamp to an item that is out of use; doorstop says that of the item alone",
    "missing-field": "doorstop has no verification method; here a requirement needs one",
    "not-verified": "doorstop knows no tests; here a requirement is verified by its method",
    "deep-coverage": "follows from not-verified below",
    "nothing-to-evaluate": "the copy has no tests",
    "file-gone": "doorstop looks for files in the repository that the data was taken from",
    "weak-wording": "doorstop does not read the words",
    "non-atomic": "doorstop does not read the words",
    "placeholder": "doorstop does not read the words",
    "suspect-downstream": "doorstop's links have a stamp of one end; ours of both",
    "link-to-draft": "doorstop has no drafts",
    "orphan-test": "doorstop knows no tests",
}


@dataclass(frozen=True, slots=True)
class Row:
    """What both say of one thing: doorstop's words without texts, our codes, and why they differ."""

    item: str
    doorstop: str
    vfcc: str
    why: str
    explained: bool


def main() -> int:
    """Compare, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--doorstop", default=os.environ.get("VFCC_DOORSTOP_PYTHON", sys.executable))
    parser.add_argument("--plant", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compared = compare(Path(folder), given.data, given.doorstop, plant=given.plant)
    rows: list[Row] = compared["rows"]  # type: ignore[assignment]
    print(json.dumps({**compared, "rows": [asdict(row) for row in rows]}, indent=2) if given.json else text(compared))
    return 0 if all(row.explained for row in rows) and not compared["wrong_stamps"] else 1


def compare(folder: Path, data: Path, doorstop: str, *, plant: bool = False) -> dict[str, object]:
    """Return the version of doorstop, how many items there are, stamps that differ, and the rows of the table."""
    theirs, ours = folder / "theirs", folder / "ours"
    shutil.copytree(data, theirs)
    subprocess.run(["git", "init", "--quiet", str(theirs)], check=True)
    if plant:
        plant_faults(theirs)
    asked = subprocess.run([doorstop, "-c", ASK, str(theirs)], capture_output=True, text=True, check=True)
    said = json.loads(asked.stdout)
    ours.mkdir()
    for arguments in (["init", "--workflow", "standard"], ["trace", "import", str(theirs)]):
        subprocess.run([VFCC, *arguments], cwd=ours, capture_output=True, check=True)
    checked = subprocess.run(
        [VFCC, "check", "trace", "--json", "--full"], cwd=ours, capture_output=True, text=True, check=False
    )
    if checked.returncode not in {0, 1}:
        raise SystemExit(checked.stderr)
    found = _findings(json.loads(checked.stdout)["data"])
    return {
        "doorstop": said["version"],
        "items": len(said["items"]),
        "wrong_stamps": wrong_stamps(theirs, said["items"]),
        "rows": list(_rows(said["items"], found)),
    }


def wrong_stamps(root: Path, items: Iterable[Mapping[str, str]]) -> list[str]:
    """Return the items whose stamps, as we compute them, are not doorstop's."""
    documents, files = doorstop_files(root, str, {})
    links = {item.id: [link.to for link in item.links] for item in read_doorstop(documents, files).items}
    computed = {
        each.name: (
            stamp(each.name, each.values, each.document.reviewed),
            stamp(each.name, each.values, each.document.reviewed, links.get(each.name, [])),
        )
        for each in files
    }
    return [each["id"] for each in items if computed.get(each["id"]) != (each["stamp"], each["review"])]


def plant_faults(root: Path) -> None:
    """Change every fifth text, take away every seventh review and the stamps of every sixth item, retire one item."""
    files = sorted(path for path in root.rglob("*.yml") if path.name[0] != ".")
    for number, path in enumerate(files):
        text = path.read_text(encoding="utf-8")
        if number % 5 == 0:
            text = re.sub(r"^text: \|\n", "text: |\n  Changed.\n", text, flags=re.MULTILINE)
        if number % 7 == 0:
            text = re.sub(r"^reviewed: .*$", "reviewed: null", text, flags=re.MULTILINE)
        if number % 6 == 0:
            text = re.sub(r"^(- [A-Z]+\d+): .*$", r"\1: null", text, flags=re.MULTILINE)
        if path.stem == "REQ016":
            text = text.replace("active: true", "active: false")
        path.write_text(text, encoding="utf-8")


def _findings(report: Mapping[str, object]) -> list[Mapping[str, str]]:
    whole = report.get("report", report)
    assert isinstance(whole, dict)
    return list(whole["findings"])


def _rows(items: Iterable[Mapping[str, object]], found: list[Mapping[str, str]]) -> Iterable[Row]:
    used: set[int] = set()
    for item in items:
        for issue in item["issues"]:  # type: ignore[attr-defined]
            yield _answered(str(item["id"]), issue, found, used)
    rest = Counter(each["code"] for number, each in enumerate(found) if number not in used)
    for code, count in sorted(rest.items()):
        why = OURS_ALONE.get(code, "")
        yield Row(f"{count} ×", "–", code, why or "no explanation", bool(why))


def _answered(item: str, issue: str, found: list[Mapping[str, str]], used: set[int]) -> Row:
    beginning, codes, why = next((each for each in ANSWERS if issue.startswith(each[0])), ("", (), ""))
    target = issue.removeprefix(beginning) if beginning.endswith(": ") else ""
    same = [
        number
        for number, each in enumerate(found)
        if each["item"] == item and each["code"] in codes and _same_thing(each, target)
    ]
    used.update(same)
    said = beginning + target if beginning else "something else"
    if same:
        return Row(item, said, ", ".join(sorted({found[number]["code"] for number in same})), "", True)
    return Row(item, said, "–", why or "NOT FOUND", bool(why))


def _same_thing(finding: Mapping[str, str], target: str) -> bool:
    """Say whether a finding is about the other end of the link that doorstop names, or about children at all."""
    about = finding["about"].split()
    return target in about if target else finding["code"] != "missing-child" or "refined" in about


def text(compared: Mapping[str, object]) -> str:
    """Return the comparison as Markdown: the items that both know, then what one alone says, counted."""
    rows: list[Row] = compared["rows"]  # type: ignore[assignment]
    wrong = compared["wrong_stamps"]
    different = ", ".join(wrong) if isinstance(wrong, list) and wrong else "none"
    lines = [
        f"doorstop {compared['doorstop']}, {compared['items']} items; stamps that we compute otherwise: {different}.",
        "",
        "| item | doorstop | vfcc check trace | why they differ |",
        "|---|---|---|---|",
        *(f"| {row.item} | {row.doorstop} | {row.vfcc} | {row.why} |" for row in rows),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
