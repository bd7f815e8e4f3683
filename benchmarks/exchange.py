"""Requirements of other projects, imported, exported and imported again, with counts that vfcc did not make.

    python benchmarks/exchange.py [--openfasttrace FOLDER] [--zephyr FOLDER] [--rtems FOLDER] [--doorstop FOLDER]
                                  [--strictdoc FOLDER] [--tools BIN] [--json]

Each FOLDER is a checkout of that tree, as it is. Items and links are counted by patterns of this script and by vfcc;
where they differ, or what comes back from an export is not what went out, it exits with 1. With --tools, a folder with
the programs of StrictDoc and doorstop, these read the exports, and their counts are shown. Processor time of whole
imports is shown by item: RTEMS' mapping is that of the documentation.
"""

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import Command, machine, run_once

VFCC = str(Path(sys.executable).with_name("vfcc"))
MAPPING = Path(__file__).resolve().parents[1] / "docs" / "examples" / "rtems-mapping.yml"
FORMS = ("json", "csv", "reqif")
FIELDS = (
    *("id", "type", "title", "status", "verification", "text", "rationale", "derived", "integrity", "planned"),
    *("tests", "evidence", "tags", "fingerprint"),
)
"""What each format carries of an item; links are compared by relation and end."""

Pairs = tuple[int, int]


@dataclass(frozen=True)
class Tree:
    """A tree of another project: how it is imported, and how its items and links are counted without vfcc."""

    name: str
    arguments: Sequence[str]
    count: Callable[[Path], tuple[int, int | None]]


@dataclass
class Row:
    """What became of a tree; a count of None was not made."""

    name: str
    items: int
    links: int
    own_items: int
    own_links: int | None
    cpu_ms: float
    by_item_ms: float
    again: int
    comes_back: dict[str, str]
    read_by: dict[str, str]

    @property
    def is_right(self) -> bool:
        """Whether both counts agree, and each format came back equal."""
        counts = self.items == self.own_items and self.own_links in (None, self.links)
        return counts and not self.again and all(each.startswith("equal") for each in self.comes_back.values())


def main() -> None:
    """Import each tree that is given, and print what became of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    trees = (
        Tree("openfasttrace", (), count_openfasttrace),
        Tree("zephyr", (), count_strictdoc),
        Tree("strictdoc", (), count_strictdoc),
        Tree("doorstop", (), count_doorstop),
        Tree("rtems", ("--mapping", str(MAPPING)), count_files),
    )
    for tree in trees:
        parser.add_argument(f"--{tree.name}", type=Path)
    parser.add_argument("--tools", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    given = [(tree, vars(options)[tree.name]) for tree in trees if vars(options)[tree.name]]
    with tempfile.TemporaryDirectory() as scratch:
        rows = [looked_at(tree, folder.resolve(), Path(scratch), options.tools) for tree, folder in given]
    if options.json:
        print(json.dumps({"machine": machine(), "trees": [asdict(row) for row in rows]}, indent=2))
    else:
        print("; ".join(machine().values()))
        for row in rows:
            show(row)
    sys.exit(not all(row.is_right for row in rows))


def looked_at(tree: Tree, folder: Path, scratch: Path, tools: Path | None) -> Row:
    """Import a tree into a new project, export it in each format, and import that into another."""
    there = project(scratch / tree.name)
    source = there / "source"
    shutil.copytree(folder, source, ignore=shutil.ignore_patterns(".git"), symlinks=True)
    arguments = [VFCC, "trace", "import", "source", *tree.arguments]
    _, cpu_ms, _ = run_once(Command(tree.name, arguments, there))
    again = json.loads(asked(there, *arguments[1:], "--json"))["data"]["written"]
    before = exported(there, "json")
    comes_back = {form: returned(there, form, scratch / f"{tree.name}-{form}", before) for form in FORMS}
    items = len(before)
    own_items, own_links = tree.count(folder)
    return Row(
        tree.name,
        items,
        sum(len(each["links"]) for each in before),
        own_items,
        own_links,
        round(cpu_ms),
        round(cpu_ms / items, 2),
        again,
        comes_back,
        read_by_others(there, scratch, tree.name, tools) if tools else {},
    )


def project(folder: Path) -> Path:
    """Make an empty project."""
    folder.mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    asked(folder, "init", "--yes")
    return folder


def asked(folder: Path, *arguments: str) -> str:
    """Run `vfcc`, which must succeed, and return what it prints."""
    done = subprocess.run([VFCC, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"vfcc {' '.join(arguments)}: {done.stderr or done.stdout}")
    return done.stdout


def exported(folder: Path, form: str) -> list[dict[str, Any]]:
    """Return the exported items; written into a file of the project beside."""
    name = f"items.{form}"
    asked(folder, "trace", "export", "--format", form, "--output", name)
    found: list[dict[str, Any]] = json.loads((folder / name).read_text("utf-8"))["items"] if form == "json" else []
    return found


def returned(there: Path, form: str, folder: Path, before: list[dict[str, Any]]) -> str:
    """Import an export into an empty project; say whether it is equal, and what the format cannot carry."""
    done = subprocess.run(
        [VFCC, "trace", "export", "--format", form, "--output", f"items.{form}"],
        cwd=there,
        capture_output=True,
        text=True,
        check=True,
    )
    lost = [line.partition(": ")[2] for line in done.stderr.splitlines() if "cannot carry" in line]
    here = project(folder)
    shutil.copy(there / f"items.{form}", here)
    asked(here, "trace", "import", f"items.{form}")
    after = exported(here, "json")
    if form == "json":
        return "equal" if before == after else "different"
    if [carried(each) for each in before] == [carried(each) for each in after]:
        return "; ".join(["equal", *lost])
    differing = sum(carried(one) != carried(other) for one, other in zip(before, after, strict=False))
    return f"{differing} of {len(before)} different, {len(after)} came back"


def carried(item: dict[str, Any]) -> list[Any]:
    """Return what each format carries of an item."""
    return [*(item[name] for name in FIELDS), [(each["relation"], each["to"]) for each in item["links"]]]


# Counts that vfcc did not make.

_OFT_ITEM = re.compile(r"`?([a-zA-Z]+~[\w.\-]+)~\d+`?\s*")
_OFT_NAME = re.compile(r"([a-zA-Z]+~[\w.\-]+)~\d+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def count_openfasttrace(folder: Path) -> Pairs:
    """Count ids on lines of their own, and the ids below `Covers` and `Depends`, outside of code and of `oft:off`."""
    items, links = list[str](), set[tuple[str, str]]()
    for path in sorted(folder.rglob("*.md")):
        listing = False
        for line in shown_lines(path.read_text("utf-8", "replace")):
            if own := _OFT_ITEM.fullmatch(line):
                items.append(own[1])
                listing = False
            elif line.startswith(("Covers:", "Depends:")):
                listing = bool(items)
            elif line.startswith(("Needs:", "Rationale:", "Comment:", "#")):
                listing = False
            if listing:
                named = _OFT_NAME.findall(line)
                links |= {(items[-1], name) for name in named}
                listing = bool(named) or not line.strip() or line.lstrip()[0] in "*+-" or ":" in line
    return len(items), len(links)


def shown_lines(text: str) -> Iterator[str]:
    """Yield the lines of Markdown outside of fences and of what OpenFastTrace is told to leave out."""
    fence, off = "", False
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence:
            off = "oft:off" in line or (off and "oft:on" not in line)
            if not off and "oft:on" not in line:
                yield line


def count_strictdoc(folder: Path) -> Pairs:
    """Count nodes with a UID that are no document, text or section, and their relations to a parent."""
    items, links = 0, 0
    for path in sorted(folder.rglob("*.sdoc")):
        kind, node, relation, inside = "", "", False, False
        for line in path.read_text("utf-8", "replace").splitlines():
            inside = line != "<<<" and (inside or line.endswith(": >>>"))
            if inside:
                continue
            if line.startswith("["):
                kind, node, relation = line.strip("[]"), "", False
            if line.startswith("UID: ") and kind not in (
                "DOCUMENT",
                "TEXT",
                "SECTION",
                "[SECTION",
                "DOCUMENT_FROM_FILE",
            ):
                items, node = items + 1, line[5:]
            relation = (relation or line.strip() in ("- TYPE: Parent", "- TYPE: Child")) and bool(node)
            if relation and line.strip().startswith("VALUE: "):
                links, relation = links + 1, False
    return items, links


def count_doorstop(folder: Path) -> Pairs:
    """Count the files beside a `.doorstop.yml` that are items, and their links."""
    items, links = 0, 0
    for document in sorted(folder.rglob(".doorstop.yml")):
        for path in sorted(document.parent.iterdir()):
            if path.suffix in (".yml", ".md") and path.name != ".doorstop.yml":
                text = path.read_text("utf-8")
                head = text.split("---\n")[1] if path.suffix == ".md" and text.startswith("---\n") else text
                data = yaml.safe_load(head) if path.suffix == ".yml" or head is not text else None
                if isinstance(data, dict) and "active" in data:
                    items, links = items + 1, links + len(data.get("links") or [])
    return items, links


def count_files(folder: Path) -> tuple[int, None]:
    """Count files of YAML; which of their links count is what the mapping says."""
    return sum(1 for _ in folder.rglob("*.yml")), None


# What other tools read.


def read_by_others(there: Path, scratch: Path, name: str, tools: Path) -> dict[str, str]:
    """Let StrictDoc read the ReqIF, and doorstop the table of its own tree; return what they count."""
    out = scratch / f"{name}-strictdoc"
    strictdoc, doorstop = tools / "strictdoc", tools / "doorstop"
    found = {}
    if strictdoc.exists():
        done = ran([str(strictdoc), "convert", "items.reqif", str(out)], there)
        texts = [path.read_text("utf-8") for path in out.rglob("*.sdoc")]
        items = sum(len(re.findall(r"^UID: ", text, re.MULTILINE)) for text in texts)
        links = sum(len(re.findall(r"^- TYPE: Parent$", text, re.MULTILINE)) for text in texts)
        found["strictdoc"] = f"{items} items, {links} links" if texts else f"refuses it: {done[-200:]}"
    if doorstop.exists() and name == "doorstop":
        found["doorstop"] = imported_by_doorstop(there, scratch / "by-doorstop", str(doorstop))
    return found


def imported_by_doorstop(there: Path, folder: Path, doorstop: str) -> str:
    """Import the table by prefix; doorstop has links without a relation."""
    folder.mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    with (there / "items.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    prefixes = sorted({re.sub(r"\d+$", "", row["id"]) for row in rows})
    for prefix in prefixes:
        ran([doorstop, "create", prefix, prefix, *(["--parent", prefixes[0]] if prefix != prefixes[0] else [])], folder)
        table = folder / f"{prefix}.csv"
        with table.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["uid", "header", "text", "links"])
            for row in rows:
                if re.sub(r"\d+$", "", row["id"]) == prefix:
                    ends = "\n".join(each.partition(":")[2] for each in row["links"].split())
                    writer.writerow([row["id"], row["title"], row["text"], ends])
        ran([doorstop, "import", table.name, prefix], folder)
    return "{} items, {} links".format(*count_doorstop(folder))


def ran(arguments: list[str], folder: Path) -> str:
    """Run another tool, and return what it prints, whatever it makes of the input."""
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(arguments, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def show(row: Row) -> None:
    """Print what became of a tree."""
    own = f"{row.own_items} items" + ("" if row.own_links is None else f", {row.own_links} links")
    print(f"\n{row.name}: {row.items:,} items, {row.links:,} links; counted without vfcc: {own}")
    print(f"  import: {row.cpu_ms:,.0f} ms of processor time, {row.by_item_ms} ms an item; again: {row.again} written")
    for form, said in row.comes_back.items():
        print(f"  {form} comes back {said}")
    for tool, said in row.read_by.items():
        print(f"  {tool} reads {said}")


if __name__ == "__main__":
    main()
