"""Artifacts: whether what a stage owes is there, says something, and holds the sections asked for."""

from collections.abc import Sequence

from verifflowcc.domain.facts import ArtifactText, Facts
from verifflowcc.domain.gates import Assessment, Criterion, Verdict
from verifflowcc.records import dataclass
from verifflowcc.text.glob import matches
from verifflowcc.text.placeholder import placeholder_line, read_json, says_something
from verifflowcc.text.required_parts import has_part, part_word
from verifflowcc.workflow import artifacts

ANY = ("**",)
"""The patterns of a criterion that names no files."""
BLANK = "\ufeff \t\r\n\f\v"
_YAML = (".yaml", ".yml")
_LONGEST_QUOTE = 40


@dataclass(frozen=True, slots=True)
class _Fault:
    """What is wrong with a file: a clause, and what the person is to do about it."""

    reason: str
    step: str


def assess_artifact(criterion: Criterion, stage_id: str, facts: Facts, folder: str) -> Assessment:
    """Return what became of an artifact criterion; `folder` is where the stage's artifacts lie, as a person types it.

    One sound file among those that match is enough; what is wrong with the others is told in the notes. `used` are the
    sound files, relative to `folder`, and `subject` is the digest of all that match.
    """
    found = [each for each in facts.artifacts.get(stage_id, ()) if _named(each.artifact.path, criterion.files)]
    subject = artifacts_digest(found)
    if not found:
        reason, step = _nothing(criterion, folder)
        return Assessment(criterion, Verdict.FAIL, reason, step, subject=subject)
    faults = [_fault(each, f"{folder}/{each.artifact.path}") for each in found]
    sound = [each for each, fault in zip(found, faults, strict=True) if fault is None]
    wrong = [fault for fault in faults if fault is not None]
    missing = _missing(criterion.requires, sound, found, folder) if sound else wrong[0]
    notes = tuple(fault.reason for fault in wrong if fault is not missing)
    used = tuple(each.artifact.path for each in sound)
    if missing:
        return Assessment(criterion, Verdict.FAIL, missing.reason, _then(missing.step), used, subject, notes)
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


def _nothing(criterion: Criterion, folder: str) -> tuple[str, str]:
    patterns = criterion.files
    if not patterns or "**" in patterns:
        return f"nothing in {folder}/{_asks(criterion)}", _then(f"write a file into {folder}/")
    listed = " or ".join(f"{folder}/{pattern}" for pattern in patterns)
    return f"nothing matches {listed}{_asks(criterion)}", _then(f"write {folder}/{suggested(patterns[0])}")


def _asks(criterion: Criterion) -> str:
    """Return the parts that the missing file must have, so that its writer knows them before writing."""
    if not criterion.requires:
        return ""
    listed = ", ".join(f'"{part}"' for part in criterion.requires)
    word = part_word(suggested((criterion.files or ANY)[0]), len(criterion.requires))
    return f", which needs a text under the {word} {listed}"


def _fault(each: ArtifactText, path: str) -> _Fault | None:
    if each.text is None:
        return None if each.artifact.bytes else _Fault(f"{path} is empty", f"fill {path}")
    if not each.text.strip(BLANK):
        return _Fault(f"{path} is empty", f"fill {path}")
    if path.lower().endswith(".json"):
        try:
            read_json(each.text)
        except ValueError as error:
            return _Fault(f"{path}:{getattr(error, 'lineno', 1)} is not JSON: {_clause(error)}", f"mend {path}")
    markdown = not path.lower().endswith(_YAML)
    if says_something(each.text, markdown=markdown):
        return None
    line = placeholder_line(each.text, markdown=markdown)
    if line is None:
        return _Fault(f"{path} has no text besides headings, labels and comments", f"fill {path}")
    return _Fault(f"{path}:{line} only holds the place of a text: {_quoted(each.text, line)}", f"fill {path}")


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
    return _Fault(f"{where} under the {word} {listed}", f"write {listed} in {path}")


def _shown(sound: Sequence[ArtifactText]) -> str:
    first = sound[0].artifact
    if len(sound) == 1:
        return f"{first.path} ({first.bytes:,} bytes)"
    return f"{len(sound)} files ({sum(each.artifact.bytes for each in sound):,} bytes), {first.path} first"


def _then(step: str) -> str:
    return f"{step}, then: vfcc stage advance"


def _clause(error: ValueError) -> str:
    """The reason without the place, which is told before it."""
    return str(getattr(error, "msg", error))


def _quoted(text: str, line: int) -> str:
    said = " ".join(text.split("\n")[line - 1].split())
    return f'"{said}"' if len(said) <= _LONGEST_QUOTE else f'"{said[:_LONGEST_QUOTE]}…"'
