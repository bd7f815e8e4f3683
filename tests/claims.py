"""Check every sentence that hooks put into a conversation against what happened.

The truth comes from elsewhere than the sentences: from what clients reported to their hooks, whole outputs included,
from the outcome of each test as pytest itself reported it, and from the files of the ledger.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.claim_rules import RULES
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
    """Yield each sentence of every context that was answered, with whether it was true then."""
    for number, moment in enumerate(record.moments):
        ran = [each for each in record.outcomes if each.at_ns <= moment.at_ns]
        session, agent = str(moment.payload.get("session_id", "")), str(moment.payload.get("agent_id", ""))
        so_far = record.moments[: number + 1]
        for marked in _MARK.findall(moment.context):
            truth = Truth(record.root, session, agent, so_far, ran, lines=marked.split("\n"))
            for line in truth.lines:
                if line.endswith(":") and not line.startswith((" ", "- ")):
                    truth.heading = line.removesuffix(":")
                elif line.strip():
                    if not line.startswith((" ", "- ")):
                        truth.heading = ""
                    event = str(moment.payload["hook_event_name"])
                    yield Claim(event, truth.heading, line, _verdict(truth, line))


def _verdict(truth: Truth, line: str) -> bool | None:
    text = line.removeprefix("- ")
    for heading, pattern, rule in RULES:
        if re.fullmatch(heading, truth.heading) and (found := re.fullmatch(pattern, text, re.DOTALL)):
            return rule(truth, found)
    return None
