"""Ask whether a person saw every change of the protected files: configuration, tools, workflow, baselines, clients.

The criterion exists in a gate only while one of them differs from the sprint's start. Anybody may have made the change,
and its author may approve it: it needs a person, not another one.
"""

from verifflowcc.domain.actors import NAMELESS, Opinion, Review
from verifflowcc.domain.facts import Facts, RuleChange
from verifflowcc.domain.gates import Assessment, Criterion, Kind, Mode, Verdict
from verifflowcc.records import replace
from verifflowcc.text.canonical import digest_text
from verifflowcc.workflow.assess_people import by_person, shortened
from verifflowcc.workflow.people import expired, latest_words

RULES = Criterion("rules", Kind.RULES, "a person approved each change of the rules", waivable=False)
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
    listed = _listed(facts.rules)
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


def _listed(changes: tuple[RuleChange, ...]) -> str:
    shown = [f"{each.path} ({_how(each)})" for each in changes[:_SHOWN]]
    more = [f"and {len(changes) - _SHOWN} more"] if len(changes) > _SHOWN else []
    return ", ".join([*shown, *more])


def _how(change: RuleChange) -> str:
    what = "removed" if not change.digest else "changed" if change.was_there else "new"
    by = f" by {', '.join(change.authors)}" if change.authors else ""
    return "; ".join([f"{what}{by}{', not committed' if change.uncommitted else ''}", *change.recorded])
