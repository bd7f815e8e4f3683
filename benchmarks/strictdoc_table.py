"""Import StrictDoc's own documents, run `vfcc check trace`, and class every finding: is it true of the documents?

    python -m benchmarks.strictdoc_table [--data FOLDER] [--json] > docs/compare/strictdoc.csv

What a document says or does not say (a parent, a statement, a status, a verification method) is looked up here by a
small reading of its own, not by the parser of the import. What takes judgement (wording) was read by a person and
stands in `JUDGED`; a finding that is in neither makes the run fail. Exits with 1 where a finding has no class, or where
more than ten are not true.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("VFCC_DATA", ROOT.parent / "shared" / "data")) / "strictdoc-docs" / "docs"
VFCC = Path(sys.executable).with_name("vfcc")
LEVELS = ("*_l1_*=need", "*_40_*=need", "*_41_*=need")
"""The system level and the standards that it answers are needs, which may stand on nothing."""
MOST_FALSE = 10
_FIELD = re.compile(r"([A-Z_]+):(?: (.*))?")
_DRAFT = frozenset({"Draft", "Backlog"})
JUDGED: Mapping[tuple[str, str, str], tuple[bool, str]] = {
    ("SDOC-LLR-164", "non-atomic", "text"): (True, "a scope, an optional parameter and two examples, each with shall"),
    ("SDOC-LLR-196", "non-atomic", "text"): (True, "equal content, and then aspects that shall additionally apply"),
    ("SDOC-LLR-209", "non-atomic", "text"): (True, "an argument, its return value, and a way back to the default"),
    ("SDOC-LLR-210", "non-atomic", "text"): (True, "an argument, its return value, and a way back to the default"),
    ("SDOC-SRS-137", "non-atomic", "text"): (True, "markers, and an optional scope attribute"),
    ("SDOC-LLR-196", "weak-wording", "etc."): (True, "which other formats are meant stays open"),
    ("SDOC-LLR-198", "weak-wording", "etc."): (False, "it goes on a series of heading levels that is clear"),
    ("SDOC-SRS-133", "weak-wording", "utmost"): (True, "no test decides which priority is utmost"),
    ("SDOC-SRS-42", "weak-wording", "modern"): (True, "no test decides which practices are modern"),
    ("SDOC-SRS-22", "placeholder", "TBD"): (True, "the set of characters is still to be decided"),
    ("SDOC-SRS-86", "placeholder", "text"): (True, "the whole statement is to be decided"),
}


@dataclass(slots=True)
class Node:
    """What a document says of one UID: its fields, and what it relates to."""

    tag: str
    file: str
    fields: dict[str, str] = field(default_factory=dict)
    parents: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Classed:
    """A finding, whether it is true of the documents, and why. No text of theirs is in it."""

    uid: str
    code: str
    about: str
    verdict: str
    why: str


def main() -> int:
    """Class the findings, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows = classed(given.data)
    counts = Counter(row.verdict for row in rows)
    if given.json:
        print(json.dumps({"counts": counts, "findings": [asdict(row) for row in rows]}, indent=2))
    else:
        write(rows)
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())), file=sys.stderr)
    return 1 if counts["unclassed"] or counts["false"] > MOST_FALSE else 0


def write(rows: Iterable[Classed]) -> None:
    """Print the table as CSV."""
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(("uid", "code", "about", "true of the documents", "why"))
    table.writerows((row.uid, row.code, row.about, row.verdict, row.why) for row in rows)


def classed(data: Path) -> list[Classed]:
    """Return every finding of a check of the imported documents, by UID and code, with its class."""
    nodes = read_nodes(data)
    below: dict[str, list[str]] = defaultdict(list)
    for uid, node in nodes.items():
        for parent in node.parents:
            below[parent].append(uid)
    rows = [_classed(each, nodes, below) for each in findings(data)]
    return sorted(rows, key=lambda row: (row.uid, row.code, row.about))


def findings(data: Path) -> list[Mapping[str, str]]:
    """Return the findings of `vfcc check trace` in a new project that holds the documents and nothing else."""
    levels = [word for level in LEVELS for word in ("--map-type", level)]
    with tempfile.TemporaryDirectory() as folder:
        for arguments in (["init", "--workflow", "standard"], ["trace", "import", str(data), *levels]):
            subprocess.run([VFCC, *arguments], cwd=folder, capture_output=True, check=True)
        done = subprocess.run(
            [VFCC, "check", "trace", "--json", "--full"], cwd=folder, capture_output=True, text=True, check=False
        )
    if done.returncode not in {0, 1}:
        raise SystemExit(done.stderr)
    return list(json.loads(done.stdout)["data"]["report"]["findings"])


def read_nodes(data: Path) -> dict[str, Node]:
    """Return what the documents say, by UID: elements line by line, multi-line fields up to `<<<`."""
    found: dict[str, Node] = {}
    for path in sorted(data.glob("*.sdoc")):
        node, name = Node("", path.name), ""
        for line in path.read_text(encoding="utf-8").split("\n"):
            if name:
                node.fields[name] += "" if line == "<<<" else line
                name = "" if line == "<<<" else name
            elif re.fullmatch(r"\[\[?/?[A-Z]+\]\]?", line):
                node = Node(line.strip("[]/"), path.name)
            elif relation := re.fullmatch(r"  (VALUE|PATH): (.*)", line):
                (node.parents if node.fields.get("TYPE") == "Parent" else node.files).append(relation[2])
            elif kind := re.fullmatch(r"- TYPE: (\w+)", line):
                node.fields["TYPE"] = kind[1]
            elif said := _FIELD.fullmatch(line):
                name = said[1] if said[2] == ">>>" else ""
                node.fields[said[1]] = "" if name else said[2] or ""
                if said[1] == "UID":
                    found[said[2]] = node
    return {uid: node for uid, node in found.items() if node.tag not in {"TEXT", "SECTION", "DOCUMENT"}}


def _classed(each: Mapping[str, str], nodes: Mapping[str, Node], below: Mapping[str, list[str]]) -> Classed:
    uid, code, about = each["item"], each["code"], each["about"]
    if (uid, code, about) in JUDGED:
        true, why = JUDGED[uid, code, about]
        return Classed(uid, code, about, "true" if true else "false", why)
    if code == "nothing-to-evaluate":
        return Classed(uid, code, about, "true", "the documents come without tests")
    node = nodes.get(uid)
    look = LOOKED_UP.get(f"{code} {about}" if code == "missing-child" else code)
    if node is None or look is None:
        return Classed(uid, code, about, "unclassed", "")
    true, why = look(node, about.split()[-1] if about else "", nodes, below.get(uid, []))
    return Classed(uid, code, about, "true" if true else "false", why)


Look = Callable[[Node, str, Mapping[str, Node], list[str]], tuple[bool, str]]


def _not_verified(node: Node, about: str, nodes: Mapping[str, Node], below: list[str]) -> tuple[bool, str]:
    tests = [each for each in node.files if each.startswith("tests/")]
    return not tests, "a File relation names a file of tests" if tests else "no relation to a test"


def _refined(node: Node, about: str, nodes: Mapping[str, Node], below: list[str]) -> tuple[bool, str]:
    code = "; its File relations name code, which is no item" if node.files else ""
    return not below, f"{len(below)} have it as Parent" if below else f"no node has it as Parent{code}"


LOOKED_UP: Mapping[str, Look] = {
    "unreviewed": lambda node, *_: ("REVIEWED" not in node.fields, "no field records a review"),
    "unreviewed-link": lambda node, about, *_: (about in node.parents, "a Parent relation, with no record of a review"),
    "missing-field": lambda node, *_: (not {"VERIFICATION"} & set(node.fields), "no field VERIFICATION"),
    "not-verified": _not_verified,
    "no-parent": lambda node, *_: (not node.parents, "no Parent relation"),
    "orphan-component": lambda node, *_: (not node.parents, "no Parent relation"),
    "empty-text": lambda node, *_: (not node.fields.get("STATEMENT"), "no STATEMENT"),
    "link-to-draft": lambda node, about, nodes, _: (
        about in node.parents and nodes[about].fields.get("STATUS") in _DRAFT,
        f"STATUS of the parent is {nodes[about].fields.get('STATUS')}",
    ),
    "missing-child accepted-by": lambda *_: (True, "the documents hold no acceptance criteria"),
    "missing-child specified": lambda *_: (True, "the documents hold no test specifications"),
    "missing-child refined": _refined,
    "missing-child allocated": _refined,
    "missing-child divided": _refined,
}


if __name__ == "__main__":
    raise SystemExit(main())
