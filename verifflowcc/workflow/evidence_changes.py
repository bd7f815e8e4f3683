"""What changed about the evidence of a criterion: its command, the number of its tests.

None of these is a fault. A person who reads the gate should know of them.
"""

import shlex
from collections.abc import Iterator, Sequence

from verifflowcc.domain.evidence import Evidence
from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import Criterion, Kind
from verifflowcc.text.invisible import withhold_words
from verifflowcc.workflow.evidence_choice import chosen

_SHOWN = 3
_LONGEST = 200


def evidence_changes(criterion: Criterion, stage_id: str, facts: Facts) -> tuple[str, ...]:
    """Return a sentence for each change that a reader of the gate should know of."""
    return (
        *_of_command(criterion, stage_id, facts),
        *_of_tests(criterion, stage_id, facts),
        *_of_old_log(criterion, facts),
    )


def fewer_tests(criterion: Criterion, stage_id: str, facts: Facts) -> tuple[Evidence, Evidence] | None:
    """Return the newest evidence and the earlier one with the most tests, where that one ran more; else None."""
    if criterion.kind is not Kind.JUNIT:
        return None
    before, now = _before_and_now(criterion, stage_id, facts)
    counted = [one for one in before if "tests" in one.measures]
    most = max(counted, key=tests_run, default=None)
    if now is None or most is None or "tests" not in now.measures or tests_run(now) >= tests_run(most):
        return None
    return now, most


def tests_run(evidence: Evidence) -> int:
    """Return how many tests ran, without those that were skipped."""
    return evidence.measures.get("tests", 0) - evidence.measures.get("skipped", 0)


def _of_command(criterion: Criterion, stage_id: str, facts: Facts) -> Iterator[str]:
    name = criterion.command
    command = facts.commands.get(name) if name else None
    if name is None or command is None:
        return
    now = withhold_words(command.argv)
    then = facts.commands_then
    if then is not None and name not in then:
        yield f"{name}: command added after the sprint started. Now: {_words(now)}"
    elif then is not None and then[name] != command.argv:
        was = withhold_words(then[name])
        yield f"{name}: command changed since the sprint started. Was: {_words(was)} Now: {_words(now)}"
    before, newest = _before_and_now(criterion, stage_id, facts)
    runs = [one.run.argv for one in (*before, newest) if one and one.run and one.run.command == name]
    other = next((argv for argv in reversed(runs) if argv not in {now, command.argv}), None)
    if other is not None and (then is None or other != withhold_words(then.get(name, ()))):
        yield f"{name}: command changed since earlier evidence. Was: {_words(other)} Now: {_words(now)}"


def _of_tests(criterion: Criterion, stage_id: str, facts: Facts) -> Iterator[str]:
    found = fewer_tests(criterion, stage_id, facts)
    if found is None:
        return
    now, most = found
    lost = facts.lost_tests.get(now.id, ())
    more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
    names = f"; no result now for {', '.join(lost[:_SHOWN])}{more}" if lost else ""
    yield f"fewer tests ran: {tests_run(now)} now, {tests_run(most)} before{names}"


def _of_old_log(criterion: Criterion, facts: Facts) -> Iterator[str]:
    """Yield that the list of known findings which version 0.1 read does not count any more."""
    path = f".memory/project/baselines/{criterion.command or criterion.id}.sarif"
    if criterion.kind is Kind.SARIF and path in facts.memory:
        yield f"{path} is no longer read; see vfcc baseline lint"


def _before_and_now(criterion: Criterion, stage_id: str, facts: Facts) -> tuple[Sequence[Evidence], Evidence | None]:
    """Return earlier evidence and the newest of the criterion; before its first, that of its command elsewhere."""
    of_it = chosen(criterion, stage_id, facts)
    newest = of_it.latest[-1] if of_it.latest else None
    now = newest.evidence if newest else None
    if of_it.earlier or criterion.command is None:
        return of_it.earlier, now
    others = [
        one.evidence
        for one in facts.recorded
        if one.evidence and not one.problem and (newest is None or one.order < newest.order)
    ]
    same = [one for one in others if one.kind is criterion.kind and one.run and one.run.command == criterion.command]
    return same, now


def _words(argv: Sequence[str]) -> str:
    text = shlex.join(argv)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
