"""Planted secrets that are refused, and lines of ordinary text that raise a false alarm.

    python benchmarks/planted_secrets.py [--scanner own|detect-secrets|both] [--data PATH] [--seed N] [--list] [--json]

300 secrets of 30 kinds, drawn with a seed from the forms that their issuers describe, none of them real. Half of each
kind stands where the patterns were written for it, half in contexts that they were not written for nor changed after.
A secret counts as refused by our own patterns where all of it lies in what was found; by the library (--scanner
detect-secrets, which must be installed) where what it found touches it, since it tells of some secrets only the
beginning. Both together refuse what either does. The targets are those of the patterns that are on by default. False
alarms are counted on every line of every text file of this repository (those that git knows), and of --data, each
finding as one. --list shows what was missed, by its kind and context, and each false alarm by its file and line.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

if __package__ in (None, ""):
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.secret_forms import (
    FORMS,
    HELD_OUT_CONTEXTS,
    HELD_OUT_SURROUNDINGS,
    KNOWN_CONTEXTS,
    KNOWN_SURROUNDINGS,
    Form,
)
from verifflowcc.base.text.secrets import SecretMatch, find_secrets
from verifflowcc.sprint.store.scanned_backend import scan_text

ROOT = Path(__file__).resolve().parents[1]
OWN, LIBRARY, BOTH = "own", "detect-secrets", "both"
LEAST_REFUSED, MOST_ALARMS = 0.95, 1.0


@dataclass(frozen=True)
class Planted:
    """A text with a secret in it: its kind, its context, and the stretch of the text that it is."""

    kind: str
    context: str
    held_out: bool
    text: str
    start: int
    end: int

    @property
    def refused(self) -> bool:
        """Whether all of the secret lies in one thing that our own patterns find."""
        return any(each.start <= self.start and self.end <= each.end for each in find_secrets(self.text))

    def refused_by(self, scanner: str) -> bool:
        """Whether the scanner finds it."""
        if scanner != LIBRARY and self.refused:
            return True
        return scanner != OWN and any(e.start < self.end and self.start < e.end for e in scan_text(self.text))


@dataclass
class Figures:
    """What came out: refused of planted, overall and held out, and alarms of lines."""

    scanner: str
    planted: int = 0
    refused: int = 0
    held_out: int = 0
    held_out_refused: int = 0
    lines: int = 0
    alarms: int = 0
    seconds: float = 0.0
    megabytes: float = 0.0
    kinds: dict[str, str] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)
    alarmed: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Whether both targets are met."""
        return self.refused >= LEAST_REFUSED * self.planted and self.alarms * 1000 <= MOST_ALARMS * self.lines


def main() -> None:
    """Plant, look, count."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("--scanner", choices=(OWN, LIBRARY, BOTH), default=OWN, help="who looks")
    asked.add_argument("--data", type=Path, help="more text files without secrets")
    asked.add_argument("--seed", type=int, default=6)
    asked.add_argument("--list", action="store_true", help="name what was missed and each false alarm")
    asked.add_argument("--json", action="store_true")
    options = asked.parse_args()
    found = Figures(options.scanner)
    _look_for(found, tuple(planted(options.seed)))
    _look_at_texts(found, [*_own_files(), *(_below(options.data) if options.data else ())])
    print(json.dumps(asdict(found), indent=2) if options.json else "\n".join(_page(found, everything=options.list)))
    raise SystemExit(0 if found.good else 1)


def planted(seed: int) -> Iterator[Planted]:
    """Yield ten texts for each kind, five of them in contexts that are held out."""
    rng = random.Random(seed)
    for kind, form in FORMS.items():
        known = KNOWN_SURROUNDINGS if form.whole else KNOWN_CONTEXTS
        unknown = HELD_OUT_SURROUNDINGS if form.whole else HELD_OUT_CONTEXTS
        for held_out, contexts in ((False, known), (True, unknown)):
            for context in contexts:
                yield _plant(kind, form, context, rng, held_out=held_out)


def _plant(kind: str, form: Form, context: str, rng: random.Random, *, held_out: bool) -> Planted:
    value = form.draw(rng)
    lower = form.name.lower()
    text = context.format(NAME=form.name, lower=lower, words=lower.replace("_", " "), value=value)
    start = text.index(value)
    if not form.whole:
        return Planted(kind, context, held_out, text, start, start + len(value))
    first, end = _secret_in(kind, value)
    return Planted(kind, context, held_out, text, start + first, start + end)


def _secret_in(kind: str, value: str) -> tuple[int, int]:
    """Return the stretch that is secret in a form that brings its own surroundings."""
    if kind in ("database URL", "basic auth in a URL"):
        return value.index(":", value.index("://") + 3) + 1, value.index("@")
    if kind == "Azure storage connection":
        start = value.index("AccountKey=") + len("AccountKey=")
        return start, value.index(";", start)
    for before in ("password ", "= ", "_authToken="):
        if kind in (".netrc", "AWS secret key", ".npmrc") and before in value:
            return value.index(before) + len(before), len(value)
    return 0, len(value)


def _look_for(found: Figures, texts: tuple[Planted, ...]) -> None:
    by_kind = dict.fromkeys(FORMS, 0)
    for each in texts:
        refused = each.refused_by(found.scanner)
        by_kind[each.kind] += refused
        found.planted += 1
        found.refused += refused
        found.held_out += each.held_out
        found.held_out_refused += each.held_out and refused
        if not refused:
            found.missed.append(f"{each.kind}: {each.context!r}{', held out' if each.held_out else ''}")
    for kind in FORMS:
        found.kinds[kind] = f"{by_kind[kind]}/{sum(each.kind == kind for each in texts)}"


def _own_files() -> Iterator[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    yield from (ROOT / name for name in listed.decode().split("\0") if name)


def _below(folder: Path) -> Iterator[Path]:
    yield from sorted(each for each in folder.rglob("*") if each.is_file() and ".git" not in each.parts)


def _look_at_texts(found: Figures, files: list[Path]) -> None:
    for path in files:
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, OSError):
            continue  # no text, or listed and not there
        began = time.perf_counter()
        alarms = alarms_in(text, found.scanner)
        found.seconds += time.perf_counter() - began
        found.megabytes += len(text) / 1e6
        found.lines += text.count("\n") + 1
        found.alarms += len(alarms)
        found.alarmed += [f"{path}:{text.count(chr(10), 0, each.start) + 1}: {each.kind}" for each in alarms]


def alarms_in(text: str, scanner: str) -> tuple[SecretMatch, ...]:
    """Return what the scanner finds in a text."""
    own = find_secrets(text) if scanner != LIBRARY else ()
    library = scan_text(text) if scanner != OWN else ()
    return (*own, *(each for each in library if not any(e.start < each.end and each.start < e.end for e in own)))


def _page(found: Figures, *, everything: bool) -> Iterator[str]:
    yield f"scanner: {found.scanner}"
    yield f"refused {found.refused} of {found.planted} ({found.refused / found.planted:.1%}), of {len(FORMS)} kinds"
    known, of_known = found.refused - found.held_out_refused, found.planted - found.held_out
    yield f"  where the patterns were written for it: {known} of {of_known}"
    yield f"  in contexts held out: {found.held_out_refused} of {found.held_out}"
    for kind, share in found.kinds.items():
        if share != "10/10":
            yield f"  {kind}: {share}"
    yield f"false alarms: {found.alarms} in {found.lines:,} lines ({found.alarms * 1000 / found.lines:.3f} per 1,000)"
    yield f"{found.megabytes:.1f} MB in {found.seconds:.2f} s ({found.megabytes / found.seconds:.1f} MB/s)"
    met = "met" if found.good else "MISSED"
    yield f"targets {met}: at least {LEAST_REFUSED:.0%}, at most {MOST_ALARMS:g} per 1,000"
    if everything:
        yield from (f"missed: {each}" for each in found.missed)
        yield from (f"false alarm: {each}" for each in found.alarmed)


if __name__ == "__main__":
    main()
