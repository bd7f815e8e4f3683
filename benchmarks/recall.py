"""How well recall finds what it is asked for, on real data, through the product's own search in projects of their own.

    python benchmarks/recall.py --data PATH [--only locomo|memorycode|decisions] [--split tune|report|all]
                                [--tuned ID ...] [--without-parts] [--embeddings] [--json]

--data is a folder with `locomo/*.json`, `memorycode/` and `cloud-platform-adrs/`; with --only it may be that data set
itself: for LoCoMo a JSON of any number of conversations, for the others their folder.

- locomo: the share of each question's evidence among the first 5, 10 and 25 turns, with a 95 % interval (bootstrap over
  questions, fixed seed), each of the five categories alone, beside plain BM25 on the same questions, and what each part
  of the formula brings (`recall_parts`). Conversations named by --tuned were tuned on, all others are reported.
- memorycode: whether the rule in force stands above those that it replaced (`recall_rules`); halves as in `extraction`.
- decisions: the questions of `docs/examples/eval-decisions.yaml`; they are one set, whatever the split.

The figures of a half are never mixed with those of the other: `--split all` prints both.
"""

import argparse
import json
import sqlite3
import sys
from pathlib import Path

if __package__ in (None, ""):
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import recall_decisions, recall_rules, recall_talks
from benchmarks.measure import machine
from benchmarks.recall_locomo import TUNED

SETS = {"locomo": "locomo", "memorycode": "memorycode", "decisions": "cloud-platform-adrs"}


def main() -> None:
    """Measure what is asked for, and print it."""
    options = _options()
    content: dict[str, object] = {"machine": _machine()}
    lines = ["; ".join(_machine().values()), ""]
    for name in [options.only] if options.only else SETS:
        data = _place(options.data, name)
        if name == "locomo":
            groups = recall_talks.measured(
                data,
                options.split,
                options.tuned,
                ablate=not options.without_parts,
                embeddings=options.embeddings,
            )
            content[name] = recall_talks.as_plain(groups)
            lines += recall_talks.shown(groups)
        elif name == "memorycode":
            halves = recall_rules.measured(data, options.split)
            content[name] = recall_rules.as_plain(halves)
            lines += recall_rules.shown(halves)
        else:
            found = recall_decisions.measured(data)
            content[name] = recall_decisions.as_plain(found)
            lines += recall_decisions.shown(found)
    print(json.dumps(content, indent=2) if options.json else "\n".join(lines))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", choices=tuple(SETS))
    parser.add_argument("--split", choices=("tune", "report", "all"), default="report")
    parser.add_argument("--tuned", nargs="+", default=TUNED, metavar="ID", help="conversations that were tuned on")
    parser.add_argument("--without-parts", action="store_true", help="do not switch each part of the formula off")
    parser.add_argument("--embeddings", action="store_true", help="ask with memory.embeddings on, too (its extra)")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _place(data: Path, name: str) -> Path:
    """Return where a data set lies: in a folder of all of them, or where it was named itself."""
    below = data / SETS[name] if (data / SETS[name]).is_dir() else data
    if name != "locomo" or below.is_file():
        return below
    files = sorted(below.glob("*.json"))
    if len(files) != 1:
        raise SystemExit(f"{below}: {len(files)} JSON files; name one with --data FILE --only locomo")
    return files[0]


def _machine() -> dict[str, str]:
    told = machine()
    return {**told, "packages": f"{told['packages']}, SQLite {sqlite3.sqlite_version}"}


if __name__ == "__main__":
    main()
