"""Requirements of other projects, imported, exported and imported again, with counts that vfcc did not make.

    python benchmarks/exchange.py [--openfasttrace FOLDER] [--zephyr FOLDER] [--rtems FOLDER] [--doorstop FOLDER]
                                  [--strictdoc FOLDER] [--tools BIN] [--runs N] [--json]

Each FOLDER is a checkout of that tree, as it is; of StrictDoc it is `docs`, of RTEMS `spec`. Items, links and tags in
code are counted by patterns of this script and by vfcc; where they differ, or what comes back from an export is not
what went out, it exits with 1. With --tools, a folder with the programs of StrictDoc and doorstop, these read the
exports, and their counts are shown. The processor time of whole imports is the median of so many, by item: RTEMS'
mapping is that of the documentation.
"""

import argparse
import csv
import json
import os
import posixpath
import re
import shutil
import statistics
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
MOST_MS = 2.0
"""An import takes so much processor time for an item at most, in a tree of more than a thousand."""
LARGE = 1000


@dataclass(frozen=True)
class Tree:
    """A tree of another project: how it is imported, and how its items and links are counted without vfcc."""

    name: str
    arguments: Sequence[str]
    count: Callable[[Path], Pairs]
    tags: Callable[[Path, set[str]], set[tuple[str, str]]] | None = None
    """Counts tags in code: pairs of file and item."""


@dataclass
class Row:
    """What became of a tree."""

    name: str
    items: int
    links: int
    tags: int
    own_items: int
    own_links: int
    own_tags: int
    cpu_ms: float
    by_item_ms: float
    again: int
    comes_back: dict[str, str]
    read_by: dict[str, str]

    @property
    def is_right(self) -> bool:
        """Whether both counts agree, and each format came back equal."""
        counts = (self.items, self.links, self.tags) == (self.own_items, self.own_links, self.own_tags)
        quick = self.items < LARGE or self.by_item_ms <= MOST_MS
        back = all(each.startswith("equal") for each in self.comes_back.values())
        return counts and quick and back and not self.again


def main() -> None:
    """Import each tree that is given, and print what became of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    trees = (
        Tree("openfasttrace", (), count_openfasttrace, tagged),
        Tree("zephyr", (), count_strictdoc),
        Tree("strictdoc", (), count_strictdoc),
        Tree("doorstop", (), count_doorstop),
        Tree("rtems", ("--mapping", str(MAPPING)), count_rtems),
    )
    for tree in trees:
        parser.add_argument(f"--{tree.name}", type=Path)
    parser.add_argument("--tools", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    given = [(tree, vars(options)[tree.name]) for tree in trees if vars(options)[tree.name]]
    with tempfile.TemporaryDirectory() as scratch:
        rows = [looked_at(tree, folder.resolve(), Path(scratch), options) for tree, folder in given]
    if options.json:
        print(json.dumps({"machine": machine(), "trees": [asdict(row) for row in rows]}, indent=2))
    else:
        print("; ".join(machine().values()))
        for row in rows:
            show(row)
    sys.exit(not all(row.is_right for row in rows))


def looked_at(tree: Tree, folder: Path, scratch: Path, options: argparse.Namespace) -> Row:
    """Import a tree into a new project, export it in each format, and import that into another."""
    arguments = [VFCC, "trace", "import", "source", *tree.arguments]
    times = []
    for number in range(options.runs):
        there = project(scratch / f"{tree.name}{number}")
        shutil.copytree(folder, there / "source", ignore=shutil.ignore_patterns(".git"), symlinks=True)
        times.append(run_once(Command(tree.name, arguments, there))[1])
    cpu_ms = statistics.median(times)
    again = json.loads(asked(there, *arguments[1:], "--json"))["data"]["written"]
    before = exported(there, "json")
    tags, own_tags = counted_tags(tree, there) if tree.tags else (0, 0)
    comes_back = {form: returned(there, form, scratch / f"{tree.name}-{form}", before) for form in FORMS}
    own_items, own_links = tree.count(folder)
    return Row(
        name=tree.name,
        items=len(before),
        links=sum(len(each["links"]) for each in before),
        tags=tags,
        own_items=own_items,
        own_links=own_links,
        own_tags=own_tags,
        cpu_ms=round(cpu_ms),
        by_item_ms=round(cpu_ms / len(before), 2),
        again=again,
        comes_back=comes_back,
        read_by=read_by_others(there, scratch, tree.name, options.tools) if options.tools else {},
    )


def counted_tags(tree: Tree, there: Path) -> Pairs:
    """Return in how many pairs of file and item vfcc finds a mark in code, and how many pairs there are."""
    rows = json.loads(asked(there, "trace", "matrix", "--json"))["data"]["rows"]
    found = {(each["path"], row["id"]) for row in rows for each in row.get("code", ())}
    found |= {(each["test"].partition("::")[0], row["id"]) for row in rows for each in row.get("tests", ())}
    assert tree.tags is not None
    own = tree.tags(there, {row["id"] for row in rows})
    return len(found), len(own) if found == own else -len(own)


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
    known = {each["id"] for each in before} if any("not exported" in each for each in lost) else None
    differing = sum(not is_same(one, other, known) for one, other in zip(before, after, strict=False))
    if len(before) == len(after) and not differing:
        return "; ".join(["equal", *lost])
    return f"{differing} of {len(before)} different, {len(after)} came back"


def is_same(before: dict[str, Any], after: dict[str, Any], known: set[str] | None) -> bool:
    """Say whether all came back that each format carries of an item; with `known`, of links those to these items.

    A fingerprint is of all links: where one was not exported, there is another.
    """
    links = [(each["relation"], each["to"]) for each in before["links"]]
    left = [each for each in links if known is None or each[1] in known]
    names = [name for name in FIELDS if name != "fingerprint" or left == links]
    came = [(each["relation"], each["to"]) for each in after["links"]]
    return left == came and all(before[name] == after[name] for name in names)


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


_TAG = re.compile(r"\[\s*[a-zA-Z]+(?:~[\w.-]*~\d+)?\s*->\s*([a-zA-Z]+)~([\w.-]+)~\d+")


def tagged(folder: Path, known: set[str]) -> set[tuple[str, str]]:
    """Return the files that are no Markdown, each with the items that its tags name."""
    found = set()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and path.suffix not in (".md", ".rst") and not name.parts[0].startswith("."):
            pairs = _TAG.findall(path.read_bytes().decode("utf-8", "replace"))
            found |= {(name.as_posix(), f"{kind}-{item}") for kind, item in pairs if f"{kind}-{item}" in known}
    return found


def count_doorstop(folder: Path) -> Pairs:
    """Count the files beside a `.doorstop.yml` that are items, and their links; doorstop skips what is marked so."""
    items, links = 0, 0
    for place, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if not each.startswith(".")]
        if ".doorstop.skip" in names or ".doorstop.skip-all" in names:
            folders.clear()
        elif ".doorstop.yml" in names:
            for path in sorted(Path(place) / name for name in names):
                data = _front(path)
                if isinstance(data, dict) and "active" in data:
                    items, links = items + 1, links + len(data.get("links") or [])
    return items, links


def _front(path: Path) -> object:
    """Return the values of a file of YAML, or of the front matter of Markdown."""
    if path.suffix not in (".yml", ".md") or path.name == ".doorstop.yml":
        return None
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        text = text.split("---\n")[1] if text.startswith("---\n") else ""
    return yaml.safe_load(text)


def count_rtems(folder: Path) -> Pairs:
    """Count files of YAML, and what has a role and a uid in them; roles of one relation to one end are one link."""
    relations = yaml.safe_load(MAPPING.read_text("utf-8"))["relations"]
    items, links = 0, set[tuple[str, str, str]]()
    for path in folder.rglob("*.yml"):
        items += 1
        own = path.relative_to(folder).with_suffix("").as_posix()
        for role, uid in _roles(yaml.load(path.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))):
            to = posixpath.normpath(posixpath.join("/", posixpath.dirname(own), uid))
            links.add((own, relations.get(role, "refines"), to))
    return items, len(links)


def _roles(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the role and the uid of each link in a value, however deep."""
    if isinstance(value, dict) and "role" in value and "uid" in value:
        yield value["role"], value["uid"]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from _roles(each)


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
    own = f"{row.own_items:,} items, {row.own_links:,} links"
    tags = f", {row.tags} tags in code" if row.tags else ""
    own += f", {row.own_tags} tags" if row.tags else ""
    print(f"\n{row.name}: {row.items:,} items, {row.links:,} links{tags}; counted without vfcc: {own}")
    print(f"  import: {row.cpu_ms:,.0f} ms of processor time, {row.by_item_ms} ms an item; again: {row.again} written")
    if row.items >= LARGE:
        print(f"  target: at most {MOST_MS:g} ms an item ({'met' if row.by_item_ms <= MOST_MS else 'MISSED'})")
    for form, said in row.comes_back.items():
        print(f"  {form} comes back {said}")
    for tool, said in row.read_by.items():
        print(f"  {tool} reads {said}")


if __name__ == "__main__":
    main()
