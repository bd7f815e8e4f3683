"""Check every sentence that hooks put into a conversation against what happened.

The truth comes from elsewhere than the sentences: from what clients reported to their hooks, whole outputs included,
from the outcome of each test as pytest itself reported it, from the files of the project as they were at each moment,
and from the ledger. A sentence that no rule knows has no verdict, which is an error as a false one is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests import brief_rules, claim_rules
from tests.claim_truth import Moment, Outcome, Record, Truth

__all__ = ["Claim", "Moment", "Outcome", "Record", "claims"]

_MARK = re.compile(r"<!-- vfcc: memory -->\n(.*?)\n?<!-- vfcc: end -->", re.DOTALL)


@dataclass(frozen=True)
class Claim:
    """A sentence under its heading; `true` is None where no rule knows what it claims."""

    event: str
    heading: str
    text: str
    true: bool | None


def claims(record: Record) -> Iterator[Claim]:
    """Yield each sentence and heading of every context that was answered, with whether it was true then."""
    for number, moment in enumerate(record.moments):
        ran = [each for each in record.outcomes if each.at_ns <= moment.at_ns]
        session, agent = str(moment.payload.get("session_id", "")), str(moment.payload.get("agent_id", ""))
        so_far = record.moments[: number + 1]
        event = str(moment.payload["hook_event_name"])
        if moment.reason:
            truth = Truth(record.root, session, agent, so_far, ran, heading="denied")
            yield Claim(event, "denied", moment.reason, _verdict(truth, moment.reason))
        for marked in _MARK.findall(moment.context):
            truth = Truth(record.root, session, agent, so_far, ran, lines=marked.split("\n"))
            for line in filter(str.strip, truth.lines):
                if line.endswith(":") and not line.startswith((" ", "- ")):
                    truth.heading = line.removesuffix(":")
                    yield Claim(event, "", line, _heading_verdict(truth))
                    continue
                if line.startswith("- "):
                    truth.entry = line.removeprefix("- ")
                elif not line.startswith(" "):
                    truth.heading = ""
                yield Claim(event, truth.heading, line, _verdict(truth, line))


def _heading_verdict(truth: Truth) -> bool | None:
    for pattern, rule in (*brief_rules.HEADINGS, *claim_rules.HEADINGS):
        if found := re.fullmatch(pattern, truth.heading):
            return rule(truth, found)
    return None


def _verdict(truth: Truth, line: str) -> bool | None:
    text = line.removeprefix("- ")
    for heading, pattern, rule in (*brief_rules.BRIEF_RULES, *claim_rules.SESSION_RULES):
        if re.fullmatch(heading, truth.heading) and (found := re.fullmatch(pattern, text, re.DOTALL)):
            return rule(truth, found)
    return None
