"""Artifacts: whether what a stage owes is there, says something, and holds the sections asked for."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence

from verifflowcc.base.formats import event_payloads as fields
from verifflowcc.base.model import sprint_state as artifacts
from verifflowcc.base.model.events import Event, EventType, Json
from verifflowcc.base.model.gate_input import ArtifactPut, Facts, RecordedEdit
from verifflowcc.base.model.gate_values import PEOPLE, Assessment, Criterion, CriterionKind, Mode, Verdict
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.people import NAMELESS, Contributor, Opinion
from verifflowcc.base.model.sprint_state import Artifact, ArtifactText, Leg, Stage, artifacts_folder
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.glob import matches, select
from verifflowcc.base.text.placeholders import has_part, part_word, placeholder_line, read_json, says_something

# Who made which content: the `artifact_put` events of a sprint's ledger.
#
# An event of `stage put` names one artifact. One that took over edits from the history of a machine has `recorded`:
# each file's path below the project's root, with its digest after the edit.

_RECORDED = "recorded"


def put_payload(stage: str, artifact: Artifact, email: str = "") -> dict[str, Json]:
    """Return the payload of `artifact_put`; `email` is the address of the person who stores it."""
    payload: dict[str, Json] = {"stage": stage, "path": artifact.path, "digest": artifact.digest}
    return {**payload, "bytes": artifact.bytes, **({"email": email} if email else {})}


def edits_payload(stage: str, first: Artifact, recorded: Mapping[str, str]) -> dict[str, Json]:
    """Return the payload of an `artifact_put` that takes over recorded edits; `first` is one of the files."""
    return {**put_payload(stage, first), "recorded": dict(recorded)}


def artifact_puts(notes: Sequence[Event]) -> tuple[ArtifactPut, ...]:
    """Return what `stage put` stored, in the order of `notes`."""
    return tuple(
        ArtifactPut(
            stage=fields.text(event.payload, "stage"),
            path=fields.text(event.payload, "path"),
            digest=fields.text(event.payload, "digest"),
            actor=event.actor,
            event=event.id,
            email=fields.optional_text(event.payload, "email") or "",
        )
        for event in notes
        if event.type is EventType.ARTIFACT_PUT and _RECORDED not in event.payload
    )


def recorded_edits(notes: Sequence[Event]) -> tuple[RecordedEdit, ...]:
    """Return the edits that were taken over, in the order of `notes`."""
    found = [event for event in notes if event.type is EventType.ARTIFACT_PUT and _RECORDED in event.payload]
    return tuple(
        RecordedEdit(path, str(digest), event.actor)
        for event in found
        for path, digest in fields.record(event.payload[_RECORDED]).items()
    )


# What an approval or an acceptance speaks of, as one digest.


def subject_of(criterion: Criterion, stage_id: str, facts: Facts) -> str:
    """Return the digest of all that `criterion` asks a person about in that stage.

    These are the stage's artifacts as they are now, and the project's files that `inputs` chooses; at the apex, where
    what is made is the code, no `inputs` means all of them.
    """
    return subject_digest(criterion, subject_files(criterion, stage_id, facts))


def subject_digest(criterion: Criterion, files: Sequence[tuple[str, str]]) -> str:
    """Return the digest of a criterion's files, as `subject_files` lists them."""
    return digest_text("".join([f"{criterion.id}\n", *(f"{path}\0{digest}\n" for path, digest in files)]))


def subject_files(criterion: Criterion, stage_id: str, facts: Facts) -> tuple[tuple[str, str], ...]:
    """Return the files behind `subject_of`, each with its digest; paths are relative to the project's root."""
    folder = artifacts_folder(facts.sprint.id, stage_id)
    files = {f"{folder}/{one.artifact.path}": one.artifact.digest for one in facts.artifacts.get(stage_id, ())}
    stage = facts.sprint.workflow.stage(stage_id) if facts.sprint.workflow else None
    if criterion.inputs or (stage and stage.leg is Leg.APEX):
        files |= {path: facts.content[path] for path in select(facts.content, criterion.inputs)}
    return tuple(sorted(files.items()))


# Who wrote the content of a review, so that no author approves it, waives its review, or skips it.

"""The kinds of criteria that an author does not decide on their own work."""
_MEMORY = ".memory/"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Authorship:
    """The authors of a review's content, and the files whose author is not known.

    A person who asks for the review answers for those files; an agent's request names no author of what it may not have
    written.
    """

    authors: tuple[Contributor, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether a person can be compared with every author."""
        return bool(self.authors) and not self.unknown

    @property
    def doubt(self) -> str:
        """Why it is not known who wrote all of it."""
        names = [path.rpartition("/")[2] for path in self.unknown]
        shown = names if len(names) <= _SHOWN else [*names[: _SHOWN - 1], f"{len(names) - _SHOWN + 1} more files"]
        return f"cannot tell who wrote {' and '.join(shown) or 'it'}, so self-approval cannot be ruled out"

    def objection(self, who: Contributor) -> str:
        """Return why `who` may not decide on it, as a clause; empty where they may."""
        if who.actor == NAMELESS:
            return "git has no name for them, so they may be the author"
        if any(who.is_same(author) for author in self.authors):
            return "they are its author"
        return "" if self.is_known else self.doubt


def authorship(criterion: Criterion, stage_id: str, facts: Facts) -> Authorship:
    """Return who wrote the content that `criterion` asks a person about in that stage.

    Bytes that an actor stored with `stage put`, or that a hook recorded after an edit, are that actor's, whoever
    commits them. All other files are by the authors and committers of the commits since the sprint's base that touch
    them; of one that is not committed, git does not know. Who asks for the review is an author, too.
    """
    files = subject_files(criterion, stage_id, facts)
    records = _records(facts)
    by_git = facts.history.authors if facts.history else {}
    found = {author for file in files for author in records.get(file) or by_git.get(file[0], ())}
    requested = _requested(criterion, stage_id, facts, files)
    unrecorded = [path for path, digest in files if (path, digest) not in records]
    answered = any(one.actor.startswith("human:") for one in requested)
    unknown = () if answered else tuple(_unknown(unrecorded, facts))
    return Authorship(tuple(sorted(found | requested, key=str)), unknown)


def objection_to(who: Contributor, criterion: Criterion, stage_id: str, facts: Facts) -> str:
    """Return why `who` may not waive a criterion or skip its stage: as its author; empty where they may.

    Only what people decide has authors; where nothing changed in this sprint, they have written nothing of it.
    """
    if criterion.kind not in PEOPLE or not subject_files(criterion, stage_id, facts):
        return ""
    found = authorship(criterion, stage_id, facts)
    return found.objection(who) if found.authors or found.unknown else ""


def _records(facts: Facts) -> Mapping[tuple[str, str], set[Contributor]]:
    """Return who made each content that is on record, by (path below the root, digest).

    A person without a name could be the approver, and counts as unknown.
    """
    found: dict[tuple[str, str], set[Contributor]] = {}
    for put in facts.puts:
        if put.actor != NAMELESS:
            path = f"{artifacts_folder(facts.sprint.id, put.stage)}/{put.path}"
            found.setdefault((path, put.digest), set()).add(put.by)
    for edit in facts.edits:
        found.setdefault((edit.path, edit.digest), set()).add(edit.by)
    return found


def _requested(criterion: Criterion, stage_id: str, facts: Facts, files: Sequence[tuple[str, str]]) -> set[Contributor]:
    """Return who asked for a review of the present content."""
    subject = subject_digest(criterion, files)
    wanted = (stage_id, criterion.id, subject)
    return {
        Contributor(one.actor, one.email, "review request")
        for one in facts.reviews
        if one.opinion is Opinion.REQUESTED and (one.stage, one.criterion, one.subject) == wanted
    }


def _unknown(paths: Sequence[str], facts: Facts) -> list[str]:
    """Return those of the files without a record whose author git cannot name."""
    history = facts.history
    if history is None or history.problem:
        return list(paths)
    changed = {each.path for each in history.changes}
    unsaved = set(history.unsaved)
    return [
        path
        for path in paths
        if path in unsaved or (path not in history.authors and (path in changed or path.startswith(_MEMORY)))
    ]


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
    """Return the reason of an error without its place, which the message names."""
    return str(getattr(error, "msg", error))


def _quoted(text: str, line: int) -> str:
    words = " ".join(text.split("\n")[line - 1].split())
    return f'"{words}"' if len(words) <= _LONGEST_QUOTE else f'"{words[:_LONGEST_QUOTE]}…"'


# The artifacts that a stage's gates ask for: their names, what each must fill, and a skeleton to begin with.

LONGEST_NAME = 200
_PART = lazy_pattern(r"[A-Za-z0-9_](?:[A-Za-z0-9._+-]{0,78}[A-Za-z0-9_+-])?")
_PLAIN = lazy_pattern(r"[A-Za-z][\w -]*")
_OWED_ARTIFACTS_YAML = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class OwedArtifact:
    """An artifact that the gates ask for: a name that fits, and the headings or keys that it must fill."""

    name: str
    requires: tuple[str, ...]


def artifact_criteria_of(stage: Stage) -> tuple[Criterion, ...]:
    """Return the criteria of both gates of a stage that ask for artifacts."""
    both = (*stage.enter, *stage.exit)
    return tuple(each for each in both if each.kind is CriterionKind.ARTIFACT and each.mode is not Mode.OFF)


def owed_artifacts(stage: Stage, present: Collection[str] = ()) -> tuple[OwedArtifact, ...]:
    """Return what a stage's gates ask for, each name once, but for criteria that one of the `present` files fits."""
    asked = [each for each in artifact_criteria_of(stage) if not any(_fits(name, each) for name in present)]
    return tuple(OwedArtifact(name, requires_of(stage, name)) for name in dict.fromkeys(map(suggested_for, asked)))


def requires_of(stage: Stage, name: str) -> tuple[str, ...]:
    """Return the headings or keys that the gates ask of a file of that name."""
    about = [each for each in artifact_criteria_of(stage) if _fits(name, each)]
    return tuple(dict.fromkeys(part for each in about for part in each.requires))


def suggested_for(criterion: Criterion) -> str:
    """Return a name for the file that a criterion asks for."""
    return suggested((criterion.files or ANY)[0])


def artifact_name(stage: Stage, name: str) -> str:
    """Return the name of the file that is meant: the suffix may be left out where the gates ask for one such name.

    >>> from verifflowcc.base.model.sprint_state import Leg, artifact_criteria
    >>> stage = Stage("plan", "Plan", Leg.LEFT, None, "planner", (), exit=artifact_criteria(["plan.*"], Mode.HARD))
    >>> artifact_name(stage, "plan"), artifact_name(stage, "plan.json"), artifact_name(stage, "notes")
    ('plan.md', 'plan.json', 'notes')
    """
    if "." in name.rpartition("/")[2]:
        return name
    fitting = set(_with_suffix(stage, name))
    return fitting.pop() if len(fitting) == 1 else name


def name_problem(name: str) -> str:
    """Return why an artifact cannot have this name below `artifacts/`, as a clause; empty where it can."""
    parts = name.split("/")
    if name.startswith(("/", "~")) or "\\" in name or ".." in parts:
        return "must be a path inside of the stage's artifacts/"
    if any(part.startswith(".") for part in parts):
        return "is hidden, and hidden files are no artifacts"
    if len(name) > LONGEST_NAME or any(len(part) > 80 for part in parts):
        return f"is too long: 80 characters between two slashes, {LONGEST_NAME} in all"
    if not all(map(_PART.fullmatch, parts)):
        return "may hold letters, digits, '.', '_', '-' and '+', with '/' between folders"
    return ""


def skeleton(name: str, requires: tuple[str, ...]) -> str:
    """Return an artifact with its headings or keys and nothing in them; it passes no gate.

    >>> print(skeleton("sprint-plan.md", ("Goals",)), end="")
    # Sprint plan
    <BLANKLINE>
    ## Goals
    <BLANKLINE>
    <!-- Write this part here. -->
    >>> skeleton("plan.json", ("goals", "risks"))
    '{\\n  "goals": "",\\n  "risks": ""\\n}\\n'
    """
    lower = name.lower()
    if lower.endswith(".json"):
        return json.dumps(dict.fromkeys(requires, ""), indent=2, ensure_ascii=False) + "\n"
    title = name.rpartition("/")[2].partition(".")[0].replace("-", " ").replace("_", " ").strip()
    head = f"# {title[:1].upper()}{title[1:]}"
    if lower.endswith(_OWED_ARTIFACTS_YAML):
        return "\n".join([head, *map(_yaml_line, requires)]) + "\n"
    parts = [f"## {part}\n\n<!-- Write this part here. -->" for part in requires]
    return "\n\n".join([head, *(parts or ["<!-- Write the text here. -->"])]) + "\n"


def _yaml_line(part: str) -> str:
    """Return a key without a value; what is no plain word is a comment, since a `:` in it would begin a value."""
    return f'{part}: ""' if _PLAIN.fullmatch(part) else f"# {part}"


def _fits(name: str, criterion: Criterion) -> bool:
    return any(matches(name, pattern) for pattern in criterion.files or ANY)


def _with_suffix(stage: Stage, name: str) -> Iterator[str]:
    for criterion in artifact_criteria_of(stage):
        for pattern in criterion.files or ANY:
            suffix = suggested(pattern).rpartition(".")[2]
            if matches(f"{name}.{suffix}", pattern):
                yield f"{name}.{suffix}"
