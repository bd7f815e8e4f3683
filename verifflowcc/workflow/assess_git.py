"""What git tells of the work since the sprint's base: which files changed, and what the commits say."""

import re
from collections.abc import Iterable, Sequence

from verifflowcc.domain.facts import Change, CommitNote, Facts, History
from verifflowcc.domain.gates import Assessment, Criterion, Verdict
from verifflowcc.text.canonical import digest_text
from verifflowcc.text.glob import finds, pattern_fault, select

MEMORY = ".memory/"
MILLION = 1_000_000
LARGEST_MESSAGE = 4_000
"""Characters of a commit's message that are looked at; a pattern is somebody's, and may be slow on long texts."""

NO_ITEMS = ("UTF", "ISO", "IEC", "IEEE", "SHA", "RFC", "PEP", "CVE", "MD")
"""What stands before a number in plain prose (UTF-8, SHA-256) names no item."""

_NUMBERED = rf"(?<![A-Za-z0-9-])(?!(?:{'|'.join(NO_ITEMS)})-)[A-Z]{{2,}}-[0-9]+(?![A-Za-z0-9-])"
_ITEMS = ".memory/project/items/"
_FEW = 3


def assess_diff(criterion: Criterion, _stage_id: str, facts: Facts) -> Assessment:
    """Return what became of a diff criterion: the project's files that changed since the sprint's base.

    With `files`, one changed file at least must match; those that do not are told in the notes. Measures for limits are
    `files` (that changed, and match) and `lines` (that are new in them). Nothing changed is not evaluable.
    """
    history, refused = _known(criterion, facts)
    if refused:
        return refused
    changes = _outside_memory(history)
    subject = _changes_digest(changes, facts)
    if not changes:
        reason = f"no file outside {MEMORY} changed {_since(history)}"
        return Assessment(
            criterion, Verdict.NOT_EVALUABLE, reason, "make the change, then: vfcc check gate", (), subject
        )
    inside = set(select([each.path for each in changes], criterion.files))
    outside = sorted(each.path for each in changes if each.path not in inside)
    wanted = ", ".join(criterion.files)
    if not inside:
        reason = f"{_files(len(changes))} changed {_since(history)}, none of them in {wanted}: {_listed(outside)}"
        return Assessment(criterion, Verdict.FAIL, reason, f"make the change in {wanted}", subject=subject)
    notes = (f"outside of {wanted}: {_listed(outside)}",) if outside else ()
    fitting = [each for each in changes if each.path in inside]
    measures = {"files": len(fitting), "lines": sum(len(each.lines) for each in fitting)}
    counted = f"{_files(len(fitting))} changed {_since(history)}"
    for broken in _limits(criterion, measures):
        step = "split the change, or: vfcc waive"
        return Assessment(criterion, broken[0], f"{counted}; {broken[1]}", step, subject=subject, notes=notes)
    return Assessment(criterion, Verdict.PASS, counted, subject=subject, notes=notes)


def assess_commit(criterion: Criterion, _stage_id: str, facts: Facts) -> Assessment:
    """Return what became of a commit criterion: each commit since the base says what it is for.

    A commit that touches `.memory/` alone is left out. Without a pattern, a message must hold the sprint's id or that
    of an item of the project; in a project without items, that of a ticket elsewhere (`SHOP-12`).

    `used` are the commits looked at, shortened; `subject` is the digest of those at fault, if any, else of all: leave
    to pass these stays good when a sound one follows.
    """
    history, refused = _known(criterion, facts)
    if refused:
        return refused
    notes = _uncommitted(history)
    commits = [each for each in history.commits if any(not path.startswith(MEMORY) for path in each.paths)]
    if not commits:
        reason = f"no commit {_since(history)} touches a file outside {MEMORY}"
        return Assessment(criterion, Verdict.NOT_EVALUABLE, reason, "git commit", (), digest_text(""), notes)
    fault = pattern_fault(criterion.pattern) if criterion.pattern else None
    if fault:
        reason = f"its pattern {criterion.pattern!r} cannot be used: {fault}"
        return Assessment(
            criterion, Verdict.NOT_EVALUABLE, reason, "mend the workflow's pattern", (), digest_text(""), notes
        )
    pattern = re.compile(criterion.pattern or _ids(facts))
    used = tuple(short(each.sha) for each in commits)
    wrong = [each for each in commits if not finds(pattern, _message(each))]
    subject = digest_text("".join(f"{sha}\n" for sha in sorted(each.sha for each in wrong or commits)))
    wanted = f"what matches {criterion.pattern}" if criterion.pattern else f"{facts.sprint.id} or an item's id"
    if wrong:
        shown = "; ".join(f'{short(each.sha)} "{each.subject[:60]}"' for each in wrong[:_FEW])
        more = f" and {len(wrong) - _FEW} more" if len(wrong) > _FEW else ""
        reason = f"{len(wrong)} of {_commits(len(commits))} without {wanted} in the message: {shown}{more}"
        return Assessment(criterion, Verdict.FAIL, reason, _reword(history, wanted), used, subject, notes)
    reason = f"{_commits(len(commits))} {_since(history)}, each with {wanted}"
    return Assessment(criterion, Verdict.PASS, reason, "", used, subject, notes)


def _ids(facts: Facts) -> str:
    """Return the pattern of what a message may name: the sprint, or an item, by the name of its file."""
    stems = {path.rpartition("/")[2].removesuffix(".md") for path in facts.memory if path.startswith(_ITEMS)}
    named = "|".join(map(re.escape, sorted({facts.sprint.id, *stems}, reverse=True)))
    exact = rf"(?<![\w-])(?:{named})(?![\w-])"
    return exact if stems else f"{exact}|{_NUMBERED}"


def short(sha: str) -> str:
    """Return a commit's id as people read it."""
    return sha[:12]


def _known(criterion: Criterion, facts: Facts) -> tuple[History, Assessment | None]:
    """Return what git knows, and the refusal where it knows nothing."""
    history = facts.history or History(problem="git was not asked")
    if not history.problem:
        return history, None
    step, subject = "git status  # is this a repository?", digest_text(history.problem)
    return history, Assessment(criterion, Verdict.NOT_EVALUABLE, history.problem, step, subject=subject)


def _outside_memory(history: History) -> list[Change]:
    return [each for each in history.changes if not each.path.startswith(MEMORY)]


def _since(history: History) -> str:
    return f"since {short(history.base)}" if history.base else "in this sprint"


def _changes_digest(changes: Iterable[Change], facts: Facts) -> str:
    lines = sorted(f"{each.path}\0{'' if each.deleted else facts.content.get(each.path, '')}\n" for each in changes)
    return digest_text("".join(lines))


def _limits(criterion: Criterion, measures: dict[str, int]) -> list[tuple[Verdict, str]]:
    """Return a verdict and a clause for each limit that is not kept, or that speaks of what a diff does not measure."""
    found = []
    for limits, least in ((criterion.at_least, True), (criterion.at_most, False)):
        for name, limit in sorted(limits.items()):
            if name not in measures:
                known = " and ".join(measures)
                found.append((Verdict.NOT_EVALUABLE, f"a diff measures {known}, and not {name}"))
            elif (measures[name] * MILLION < limit) if least else (measures[name] * MILLION > limit):
                words = "at least" if least else "at most"
                found.append((Verdict.FAIL, f"{measures[name]} {name}, of {words} {limit / MILLION:g}"))
    return found


def _uncommitted(history: History) -> tuple[str, ...]:
    committed = {path for each in history.commits for path in each.paths}
    left = sorted(
        each.path for each in history.changes if each.path not in committed and not each.path.startswith(MEMORY)
    )
    return (f"in no commit yet: {_listed(left)}",) if left else ()


def _message(commit: CommitNote) -> str:
    return f"{commit.subject}\n{commit.body}"[:LARGEST_MESSAGE]


def _reword(history: History, wanted: str) -> str:
    base = short(history.base) if history.base else "--root"
    return f"put {wanted} into the message: git commit --amend (the last one), git rebase -i {base} (older ones)"


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _FEW} more" if len(paths) > _FEW else ""
    return ", ".join(paths[:_FEW]) + more


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


def _commits(count: int) -> str:
    return "1 commit" if count == 1 else f"{count} commits"
