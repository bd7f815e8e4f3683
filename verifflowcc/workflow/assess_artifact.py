"""Artifacts: whether what a stage owes is there, says something, and holds the sections asked for."""

from collections.abc import Sequence

from verifflowcc.domain import sprints as artifacts
from verifflowcc.domain.facts import ArtifactText, Facts
from verifflowcc.domain.gates import Assessment, Criterion, Verdict
from verifflowcc.records import dataclass
from verifflowcc.text.glob import matches
from verifflowcc.text.placeholder import has_part, part_word, placeholder_line, read_json, says_something

ANY = ("**",)
"""The patterns of a criterion that names no files."""
BLANK = "\ufeff \t\r\n\f\v"
_YAML = (".yaml", ".yml")
_LONGEST_QUOTE = 40


@dataclass(frozen=True, slots=True)
class _Fault:
    """A fault of a file: a clause, what to do about it, and the file's path."""

    reason: str
    step: str
    file: str


def assess_artifact(criterion: Criterion, stage_id: str, facts: Facts, folder: str = "") -> Assessment:
    """Return what became of an artifact criterion; `folder` has the stage's artifacts (default: the stage's own).

    One sound file among those that match is enough; the notes name the faults of the others. `used` are the sound
    files, relative to `folder`, and `subject` is the digest of all that match.
    """
    folder = folder or artifacts.artifacts_folder(facts.sprint.id, stage_id)
    found = [each for each in facts.artifacts.get(stage_id, ()) if _named(each.artifact.path, criterion.files)]
    subject = artifacts_digest(found)
    if not found:
        absent = _nothing(criterion, folder, takes_text=stage_id == facts.sprint.current)
        return Assessment(criterion, Verdict.FAIL, absent.reason, absent.step, subject=subject, file=absent.file)
    faults = [_fault(each, f"{folder}/{each.artifact.path}") for each in found]
    sound = [each for each, fault in zip(found, faults, strict=True) if fault is None]
    wrong = [fault for fault in faults if fault is not None]
    missing = _missing(criterion.requires, sound, found, folder) if sound else wrong[0]
    notes = tuple(fault.reason for fault in wrong if fault is not missing)
    used = tuple(each.artifact.path for each in sound)
    if missing:
        return Assessment(
            criterion, Verdict.FAIL, missing.reason, missing.step, used, subject, notes, file=missing.file
        )
    return Assessment(criterion, Verdict.PASS, _shown(sound), "", used, subject, notes)


def artifacts_digest(found: Sequence[ArtifactText]) -> str:
    """Return the digest over the paths and digests of artifacts, whatever their order."""
    in_order = sorted((each.artifact for each in found), key=lambda one: (one.path, one.digest))
    return artifacts.artifacts_digest(in_order)


def suggested(pattern: str) -> str:
    """Return a file name that fits the pattern.

    >>> suggested("plan.*"), suggested("*.md"), suggested("report.pdf"), suggested("**"), suggested("units/**")
    ('plan.md', 'notes.md', 'report.pdf', 'notes.md', 'units/notes.md')
    """
    parts = [*pattern.split("/")]
    if parts[-1] in {"**", ""}:
        parts[-1] = "notes.md"
    name = "/".join(part for part in parts if part != "**")
    name = name[:-2] + ".md" if name.endswith(".*") else name
    return name.replace("*", "notes").replace("?", "1")


def _named(path: str, patterns: Sequence[str]) -> bool:
    return any(matches(path, pattern) for pattern in patterns or ANY)


def _nothing(criterion: Criterion, folder: str, *, takes_text: bool) -> _Fault:
    """Return the fault of an artifact that does not exist; `vfcc stage put` takes the text of the stage in progress."""
    patterns = criterion.files or ANY
    name = suggested(patterns[0])
    path = f"{folder}/{name}"
    step = f"vfcc stage put {name}  # or write {path}" if takes_text else f"write {path}"
    parts = ", ".join(f'"{part}"' for part in criterion.requires)
    needs = f" (it needs text under the {part_word(name, len(criterion.requires))} {parts})" if parts else ""
    if "**" in patterns:
        return _Fault(f"nothing in {folder}/{needs}", step, path)
    return _Fault(f"nothing matches {' or '.join(f'{folder}/{pattern}' for pattern in patterns)}{needs}", step, path)


def _fault(each: ArtifactText, path: str) -> _Fault | None:
    if each.text is None:
        return None if each.artifact.bytes else _Fault(f"{path} is empty", f"fill {path}", path)
    if not each.text.strip(BLANK):
        return _Fault(f"{path} is empty", f"fill {path}", path)
    if path.lower().endswith(".json"):
        try:
            read_json(each.text)
        except ValueError as error:
            return _Fault(f"{path}:{getattr(error, 'lineno', 1)} is not JSON: {_clause(error)}", f"mend {path}", path)
    markdown = not path.lower().endswith(_YAML)
    if says_something(each.text, markdown=markdown):
        return None
    line = placeholder_line(each.text, markdown=markdown)
    if line is None:
        return _Fault(f"{path} has no text besides headings, labels and comments", f"fill {path}", path)
    return _Fault(f"{path}:{line} only holds the place of a text: {_quoted(each.text, line)}", f"fill {path}", path)


def _missing(
    requires: Sequence[str], sound: Sequence[ArtifactText], found: Sequence[ArtifactText], folder: str
) -> _Fault | None:
    """Return the parts that no sound file fills, as one fault."""
    lacking = [part for part in requires if not any(has_part(each.artifact.path, each.text, part) for each in sound)]
    if not lacking:
        return None
    path = f"{folder}/{sound[0].artifact.path}"
    where = f"{path} has no text" if len(sound) == 1 else f"none of {len(sound)} files in {folder}/ has a text"
    listed = ", ".join(f'"{part}"' for part in lacking)
    word = part_word(sound[0].artifact.path, len(lacking))
    return _Fault(f"{where} under the {word} {listed}", f"write {listed} in {path}", path)


def _shown(sound: Sequence[ArtifactText]) -> str:
    first = sound[0].artifact
    if len(sound) == 1:
        return f"{first.path} ({first.bytes:,} bytes)"
    return f"{len(sound)} files ({sum(each.artifact.bytes for each in sound):,} bytes), {first.path} first"


def _clause(error: ValueError) -> str:
    """The reason without the place, which is told before it."""
    return str(getattr(error, "msg", error))


def _quoted(text: str, line: int) -> str:
    said = " ".join(text.split("\n")[line - 1].split())
    return f'"{said}"' if len(said) <= _LONGEST_QUOTE else f'"{said[:_LONGEST_QUOTE]}…"'
