"""Counting tokens in fresh processes: our counter, tiktoken, and bare Python, side by side.

    python benchmarks/tokens.py [--runs N] [--data PATH] [--json]

`--data` names a file or a folder whose Markdown and text files are joined; without it the project's own sources are.
Each command reads its text from a file, counts it once and ends, so that start-up, imports and mapping are included.
"Cached" counts the text again with the chunks' counts read from a JSON file.
"""

import argparse
import sys
import tempfile
from itertools import islice
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import Command, measure, report

ROOT = Path(__file__).resolve().parents[1]
SIZES = {"10 KB": 10_000, "100 KB": 100_000, "1 MB": 1_000_000}
OPEN = """
import sys
from pathlib import Path
text = Path(sys.argv[1]).read_text(encoding="utf-8")
"""
OURS = f"""{OPEN}
from verifflowcc.base.tokens.token_counter import open_counter
from verifflowcc.base.model.config_values import TokenSettings
open_counter(TokenSettings()).count(text)
"""
CACHED = f"""{OPEN}
import json
from verifflowcc.base.tokens.token_counter import open_counter
from verifflowcc.base.model.config_values import TokenSettings
saved = Path(sys.argv[1] + ".counts")
cache = json.loads(saved.read_text()) if saved.exists() else {{}}
open_counter(TokenSettings(), cache).count(text)
if not saved.exists():
    saved.write_text(json.dumps(cache))
"""
TIKTOKEN = f"""{OPEN}
from verifflowcc.base.tokens.token_counter import DATA
from verifflowcc.base.tokens.token_counter import build_delegate
from verifflowcc.base.tokens.vocabulary import ENCODINGS
from verifflowcc.base.tokens.vocabulary import open_vocabulary
encoding = ENCODINGS["o200k_base"]
path = DATA / "o200k_base.vocab"
len(build_delegate(encoding, open_vocabulary(path, name=encoding.name, digest=encoding.digest))(text))
"""


def main() -> None:
    """Write the texts, time the commands, print the figures."""
    options = _options()
    text = _text(options.data, max(SIZES.values()))
    with tempfile.TemporaryDirectory() as scratch:
        commands = [Command("python -c pass", [sys.executable, "-c", "pass"], ROOT)]
        for size, characters in SIZES.items():
            path = Path(scratch) / f"{characters}.txt"
            path.write_text(text[:characters], encoding="utf-8")
            for name, program in (("ours", OURS), ("ours, cached", CACHED), ("tiktoken", TIKTOKEN)):
                commands.append(Command(f"{name}, {size}", [sys.executable, "-c", program, str(path)], ROOT))
        report(measure(commands, options.runs), "python -c pass", {}, as_json=options.json)


def _text(source: Path | None, characters: int) -> str:
    """Join the source's files, and repeat them only where they are too short."""
    if source is not None and source.is_file():
        parts = [source.read_text(encoding="utf-8", errors="replace")]
    else:
        folder, endings = (source, {".md", ".txt", ".sdoc", ".json"}) if source else (ROOT, {".md", ".py"})
        paths = (path for path in sorted(folder.rglob("*")) if path.suffix in endings and ".venv" not in path.parts)
        parts = [path.read_text(encoding="utf-8", errors="replace") for path in islice(paths, 2_000) if path.is_file()]
    text = "\n".join(parts)
    if not text:
        raise SystemExit(f"{source}: no text found")
    return text * -(-characters // len(text))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
