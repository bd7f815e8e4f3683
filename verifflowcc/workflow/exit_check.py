"""The exit check of a stage, in its first form: its declared artifacts exist and are not empty."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from verifflowcc.domain.sprints import ArtifactFile, Criterion
from verifflowcc.domain.workflows import Stage


def exit_criteria(stage: Stage, files: Sequence[ArtifactFile], folder: str) -> tuple[Criterion, ...]:
    """Return every criterion for leaving `stage`, met or not; there is always at least one.

    `files` are what its `artifacts/` holds, `folder` is where that lies, as a person would type it. A stage that
    declares no artifact still needs one that is not empty: nothing to evaluate blocks.
    """
    if not stage.artifacts:
        return (_any(files, folder),)
    return tuple(_matched(pattern, files, folder) for pattern in stage.artifacts)


def matches(path: str, pattern: str) -> bool:
    """Say whether an artifact's path fits a pattern; `*` and `?` do not cross a `/`.

    >>> matches("plan.md", "plan.*"), matches("old/plan.md", "plan.*")
    (True, False)
    """
    parts, wanted = path.split("/"), pattern.split("/")
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))


def _any(files: Sequence[ArtifactFile], folder: str) -> Criterion:
    if any(not file.empty for file in files):
        return Criterion("any artifact", met=True)
    reason = f"all files in {folder}/ are empty" if files else f"nothing in {folder}/"
    return Criterion("any artifact", met=False, reason=reason, step=f"write a file into {folder}/")


def _matched(pattern: str, files: Sequence[ArtifactFile], folder: str) -> Criterion:
    fitting = [file for file in files if matches(file.artifact.path, pattern)]
    name = f"artifact {pattern}"
    if any(not file.empty for file in fitting):
        return Criterion(name, met=True)
    if fitting:
        path = f"{folder}/{fitting[0].artifact.path}"
        return Criterion(name, met=False, reason=f"{path} is empty", step=f"fill {path}")
    path = f"{folder}/{pattern}"
    example = f"{folder}/{suggested(pattern)}"
    return Criterion(name, met=False, reason=f"nothing matches {path}", step=f"write {example}")


def suggested(pattern: str) -> str:
    """Return a file name that fits the pattern.

    >>> suggested("plan.*"), suggested("*.md"), suggested("report.pdf")
    ('plan.md', 'notes.md', 'report.pdf')
    """
    name = pattern[:-2] + ".md" if pattern.endswith(".*") else pattern
    return name.replace("*", "notes").replace("?", "1")
