"""Edit the front matter of every Markdown file in a folder, in memory, and check what changed.

For each file, each key in turn is set, and a new one is added. A value of one line must give a diff of one line; a
value of several lines may lose its own lines only; YAML must read all other keys as before. Nothing is written.

    python benchmarks/front_matter_edits.py --data FOLDER [--json]
"""

import argparse
import difflib
import json
import re
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import yaml

from verifflowcc.errors import FormatError
from verifflowcc.formats.front_matter import edit, split
from verifflowcc.formats.front_matter_spans import Refused, key_spans

VALUE = "edited-by-the-benchmark"
NEW_KEY = "a_key_that_nobody_has"


@dataclass
class Report:
    """Counts over a folder; `damaged` names every edit that did more than it should."""

    files: int = 0
    with_front_matter: int = 0
    not_yaml: int = 0
    edited_files: int = 0
    edits_of_one_line: int = 0
    one_line_diffs: int = 0
    edits_of_several_lines: int = 0
    added_keys: int = 0
    added_as_one_line: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    refused_files: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    seconds: float = 0.0


def check_folder(folder: Path) -> Report:
    """Return the report on every `*.md` and `*.mdx` below `folder`."""
    report, start = Report(), time.perf_counter()
    for path in sorted(folder.rglob("*.md*")):
        if path.suffix in {".md", ".mdx"} and path.is_file():
            check_file(path.relative_to(folder).as_posix(), path.read_bytes(), report)
    report.seconds = round(time.perf_counter() - start, 2)
    return report


def check_file(name: str, data: bytes, report: Report) -> None:
    """Edit one file in every way and add what was seen to the report."""
    report.files += 1
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        refuse(name, "not UTF-8", report)
        return
    block = split(text).block
    if block is None:
        return
    report.with_front_matter += 1
    before = read(block)
    if before is None:
        report.not_yaml += 1
        return
    try:
        spans = key_spans(block)
    except Refused as refusal:
        refuse(name, str(refusal), report)
        return
    report.edited_files += 1
    for span in spans:
        one_line = block.count("\n", span.start, span.end) == 1
        if span.key is not None and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]{0,99}", span.key):
            check_edit(name, text, (span.key, one_line), before, report)
    check_edit(name, text, (NEW_KEY, True), before, report)


def check_edit(name: str, text: str, change: tuple[str, bool], before: dict[str, object], report: Report) -> None:
    """Set one key and compare: lines outside the value, and what YAML reads."""
    key, one_line = change
    try:
        after = edit(text, {key: VALUE})
    except FormatError as refusal:
        refuse(f"{name} {key}", str(refusal).partition("edited: ")[2], report)
        return
    diff = [line for line in difflib.ndiff(*lines_around(text, after)) if line[0] in "+-"]
    added = [line for line in diff if line[0] == "+"]
    single = len(added) == 1 and len(diff) == (1 if key == NEW_KEY else 2)
    if key == NEW_KEY:
        report.added_keys += 1
        report.added_as_one_line += single
    elif one_line:
        report.edits_of_one_line += 1
        report.one_line_diffs += single
    else:
        report.edits_of_several_lines += 1
    found = read(split(after).block or "")
    mine = yaml.safe_load(f"{key}: 1")
    expected = {each: value for each, value in before.items() if each not in mine}
    if found is None or {each: found[each] for each in found if each in expected} != expected:
        report.damaged.append(f"{name} {key}: other keys")
    elif VALUE not in found.values() or (one_line and not single) or len(added) != 1:
        report.damaged.append(f"{name} {key}: lines")


def lines_around(text: str, after: str) -> tuple[list[str], list[str]]:
    """Return both texts as lines, without the lines that they share at their heads and ends."""
    old, new = text.split("\n"), after.split("\n")
    while old and new and old[-1] == new[-1]:
        old.pop()
        new.pop()
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    return old[head:], new[head:]


def read(block: str) -> dict[str, object] | None:
    """Return the block as YAML reads it; None where it is no mapping or not YAML."""
    try:
        found = yaml.load(block, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError):
        return None
    if found is None:
        return {}
    return found if isinstance(found, dict) else None


def refuse(name: str, reason: str, report: Report) -> None:
    """Count a refusal and name the file."""
    report.refused[reason] = report.refused.get(reason, 0) + 1
    report.refused_files.append(f"{name}: {reason}")


def main() -> int:
    """Print the report; 1 where an edit did damage."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder with Markdown files")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    report = check_folder(arguments.data)
    if arguments.json:
        print(json.dumps(asdict(report), ensure_ascii=False, indent=2))
    else:
        for name, value in asdict(report).items():
            print(f"{name:24} {value if not isinstance(value, list) else len(value)}")
        for line in [*report.damaged[:20], *report.refused_files[:20]]:
            print(f"  {line}")
    return 1 if report.damaged or not report.edited_files else 0


if __name__ == "__main__":
    sys.exit(main())
