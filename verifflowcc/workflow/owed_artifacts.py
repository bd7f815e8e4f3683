"""The artifacts that a stage's gates ask for: their names, what each must fill, and a skeleton to begin with."""

import json
import re
from collections.abc import Collection, Iterator

from verifflowcc.domain.gates import Criterion, Kind, Mode
from verifflowcc.domain.sprints import Stage
from verifflowcc.records import dataclass
from verifflowcc.text.glob import matches
from verifflowcc.workflow.assess_artifact import ANY, suggested

LONGEST_NAME = 200
_PART = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._+-]{0,78}[A-Za-z0-9_+-])?")
_PLAIN = re.compile(r"[A-Za-z][\w -]*")
_YAML = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class OwedArtifact:
    """An artifact that the gates ask for: a name that fits, and the headings or keys that it must fill."""

    name: str
    requires: tuple[str, ...]


def artifact_criteria_of(stage: Stage) -> tuple[Criterion, ...]:
    """Return the criteria of both gates of a stage that ask for artifacts."""
    both = (*stage.enter, *stage.exit)
    return tuple(each for each in both if each.kind is Kind.ARTIFACT and each.mode is not Mode.OFF)


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

    >>> from verifflowcc.domain.sprints import Leg, artifact_criteria
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
    if lower.endswith(_YAML):
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
