"""Ask a gate: each criterion of a stage's entry or exit, against the facts.

`domain.gates.KINDS` names the function of each kind; what is the same for all of them is here.
"""

import re
from collections.abc import Iterable, Sequence

from verifflowcc.base.errors import LedgerError
from verifflowcc.base.model.gate_input import Change, CommitNote, Facts, History, OutsideEdit, RuleChange
from verifflowcc.base.model.gate_values import KINDS, Assessment, Criterion, CriterionKind, Gate, Mode, Side, Verdict
from verifflowcc.base.model.lazy import load
from verifflowcc.base.model.people import NAMELESS, Opinion, Review
from verifflowcc.base.model.sprint_state import Edits, Stage
from verifflowcc.base.records import replace
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.glob import finds, pattern_fault, select
from verifflowcc.gates.rules.evidence_wanted import assess_upstream, idle
from verifflowcc.gates.rules.people_criteria import apply_waiver, by_person, shortened
from verifflowcc.gates.rules.staleness import evidence_changes
from verifflowcc.sprint.rules.sprint_people import expired, latest_words

# What git tells of the work since the sprint's base: which files changed, and what the commits say.

MEMORY = ".memory/"
MILLION = 1_000_000
LARGEST_MESSAGE = 4_000
"""Characters of a commit's message that are looked at; a pattern is somebody's, and may be slow on long texts."""

NO_ITEMS = ("UTF", "ISO", "IEC", "IEEE", "SHA", "RFC", "PEP", "CVE", "MD")
"""What is before a number in plain prose (UTF-8, SHA-256) names no item."""

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


# Ask whether a person saw every change of the protected files: configuration, tools, workflow, baselines, clients.
#
# The criterion exists in a gate only while one of them differs from the sprint's start. Anybody may have made the
# change, and its author may approve it: it needs a person, not another one.

RULES = Criterion("rules", CriterionKind.RULES, "a person approved each change of the rules", waivable=False)
_SHOWN = 5


def rules_criterion(facts: Facts) -> Criterion:
    """Return the criterion in the mode of the sprint's workflow; no configuration softens it."""
    return replace(RULES, mode=facts.sprint.workflow.gates if facts.sprint.workflow else Mode.HARD)


def asks_rules(facts: Facts) -> bool:
    """Whether a gate asks it: a protected file changed, or nothing is known of them."""
    return bool(facts.rules or facts.rules_problem)


def rules_subject(facts: Facts) -> str:
    """Return the digest of all changed protected files as they are now."""
    return digest_text("".join(f"{each.path}\0{each.digest}\n" for each in facts.rules))


def assess_rules(criterion: Criterion, stage_id: str, facts: Facts) -> Assessment:
    """Return whether a named person approved exactly the protected files that are there now, in whatever stage."""
    if facts.rules_problem:
        reason = f"cannot compare the protected files with the sprint's start: {facts.rules_problem}"
        return Assessment(criterion, Verdict.NOT_EVALUABLE, reason, "git status")
    subject = rules_subject(facts)
    if not facts.rules:
        return Assessment(criterion, Verdict.PASS, "no protected file changed", subject=subject)
    step = (
        f"vfcc approve {stage_id} --criterion {criterion.id}"
        if stage_id
        else f"vfcc approve --criterion {criterion.id}"
    )
    listed = _assess_rules_listed(facts.rules)
    words = latest_words([one for one in facts.reviews if one.criterion == criterion.id and one.subject == subject])
    rejected = [one for one in words if one.opinion is Opinion.REJECTED]
    if rejected:
        who = f"{rejected[-1].actor}: {shortened(rejected[-1].reason)}"
        used = tuple(one.event for one in rejected)
        return Assessment(criterion, Verdict.FAIL, f"rejected by {who}; {listed}", step, used, subject)
    good = by_person([one for one in words if _counts(one, facts.today)])
    if good:
        who = ", ".join(one.actor for one in good)
        used = tuple(one.event for one in good)
        return Assessment(criterion, Verdict.PASS, f"approved by {who}: {listed}", used=used, subject=subject)
    one = len(facts.rules) == 1
    changed = "a protected file changed" if one else f"{len(facts.rules)} protected files changed"
    reason = f"{changed} since the sprint started, and no person approved {'it' if one else 'them'}: {listed}"
    return Assessment(criterion, Verdict.FAIL, reason, step, subject=subject)


def _counts(review: Review, today: str) -> bool:
    person = review.actor.startswith("human:") and review.actor != NAMELESS
    return person and review.opinion is Opinion.APPROVED and not expired(review.expires, today)


def _assess_rules_listed(changes: tuple[RuleChange, ...]) -> str:
    shown = [f"{each.path} ({_how(each)})" for each in changes[:_SHOWN]]
    more = [f"and {len(changes) - _SHOWN} more"] if len(changes) > _SHOWN else []
    return ", ".join([*shown, *more])


def _how(change: RuleChange) -> str:
    what = "removed" if not change.digest else "changed" if change.was_there else "new"
    by = f" by {', '.join(change.authors)}" if change.authors else ""
    return "; ".join([f"{what}{by}{', not committed' if change.uncommitted else ''}", *change.recorded])


# What a gate says beside its criteria: edits outside of the stage, and hooks that recorded nothing.

_GATE_NOTES_SHOWN = 5
_WHAT = {Edits.NONE: "no file of the project", Edits.TESTS: "tests only", Edits.ALL: "everything"}


def gate_notes(stage_id: str, facts: Facts) -> tuple[str, ...]:
    """Return sentences about the current stage; they block nothing."""
    stage = facts.sprint.stage(stage_id)
    if stage is None or facts.sprint.current != stage_id:
        return ()
    notes = []
    if facts.outside:
        shown = [_shown(each) for each in facts.outside[:_GATE_NOTES_SHOWN]]
        more = [f"and {len(facts.outside) - _GATE_NOTES_SHOWN} more"] if len(facts.outside) > _GATE_NOTES_SHOWN else []
        count = f"{len(facts.outside)} file{'s' if len(facts.outside) > 1 else ''} changed"
        rule = f"{stage_id} edits {_WHAT[stage.stage.edits]}"
        notes.append(f"{rule}, and {count} since it was entered: {', '.join([*shown, *more])}")
    if facts.silent:
        clients = ", ".join(facts.silent)
        notes.append(f"hooks are set up for {clients}, and no event of {stage_id} was recorded on this machine")
    return tuple(notes)


def _shown(edit: OutsideEdit) -> str:
    return f"{edit.path} ({'; '.join(edit.traces)})" if edit.traces else f"{edit.path} (not committed)"


CLOSING = Criterion("stages-hold", CriterionKind.UPSTREAM, "every stage still holds", waivable=False)
"""What closing a sprint asks, in the mode of its workflow."""
NOTHING = Criterion("nothing-to-evaluate", CriterionKind.UPSTREAM, "a gate has at least one criterion", waivable=False)
"""Stands in a gate that has nothing to ask: it blocks."""


def exit_gate(stage_id: str, facts: Facts) -> Gate:
    """Return the exit gate of a stage; the first stage's entry criteria are asked with it.

    Before the first stage there is no ledger in which what they ask for could have been recorded.
    """
    stage, first = _stage(stage_id, facts)
    return _asked(stage_id, Side.EXIT, (*stage.enter, *stage.exit) if first else stage.exit, facts)


def entry_gate(stage_id: str, facts: Facts) -> Gate:
    """Return the entry gate of a stage; it may have no criterion, and is then open."""
    stage, first = _stage(stage_id, facts)
    return _asked(stage_id, Side.ENTRY, () if first else stage.enter, facts)


def closing_gate(facts: Facts) -> Gate:
    """Return the gate before a sprint is closed: all that its stages were passed on still holds."""
    mode = facts.sprint.workflow.gates if facts.sprint.workflow else Mode.HARD
    asked = assess_upstream(replace(CLOSING, mode=mode), "", facts, assess)
    return Gate(facts.sprint.id, "", Side.EXIT, (asked, *_rules("", facts)))


def assess(criterion: Criterion, stage_id: str, facts: Facts) -> Assessment:
    """Return the assessment of one criterion as of now, waivers included."""
    asked: Assessment = load(KINDS[criterion.kind].assess)(criterion, stage_id, facts)
    if criterion.kind is not CriterionKind.UPSTREAM:
        asked = replace(asked, notes=(*asked.notes, *evidence_changes(criterion, stage_id, facts)))
    return apply_waiver(asked, stage_id, facts)


def assess_stages(criterion: Criterion, stage_id: str, facts: Facts) -> Assessment:
    """Return whether all that the stages before were passed on still holds."""
    return assess_upstream(criterion, stage_id, facts, assess)


def _stage(stage_id: str, facts: Facts) -> tuple[Stage, bool]:
    """Return a stage and whether it is the first."""
    found = facts.sprint.stage(stage_id)
    if found is None:
        raise LedgerError(f"{facts.sprint.id} has no stage {stage_id}")
    return found.stage, facts.sprint.stages[0] is found


def _asked(stage_id: str, side: Side, criteria: tuple[Criterion, ...], facts: Facts) -> Gate:
    asked = tuple(
        assess(each, stage_id, facts) for each in criteria if each.mode is not Mode.OFF and not idle(each, facts)
    )
    if side is Side.EXIT and not [each for each in asked if each.criterion.kind is not CriterionKind.UPSTREAM]:
        why = f"its workflow asks nothing of {stage_id}"
        step = f'vfcc sprint close {facts.sprint.id} --unfinished "{why}"  # and start one that asks for something'
        asked += (Assessment(NOTHING, Verdict.NOT_EVALUABLE, f"{stage_id} has no criterion to leave by", step),)
    if side is Side.ENTRY:
        return Gate(facts.sprint.id, stage_id, side, asked)
    return Gate(facts.sprint.id, stage_id, side, (*asked, *_rules(stage_id, facts)), gate_notes(stage_id, facts))


def _rules(stage_id: str, facts: Facts) -> tuple[Assessment, ...]:
    """Return what a gate asks of protected files; nothing while all are as at the sprint's start."""
    return (assess(rules_criterion(facts), stage_id, facts),) if asks_rules(facts) else ()
