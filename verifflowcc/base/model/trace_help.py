"""What each trace check means and what to do about what it finds, in the words of the reference and of SARIF.

The catalogue of a check has that beside the codes and names that the writers of reports need.
"""

from collections.abc import Mapping
from enum import StrEnum

from verifflowcc.base.model.trace_codes import CHECKS, Check
from verifflowcc.base.model.trace_values import Family
from verifflowcc.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Help:
    """`meaning` says when a check finds something, `remedy` what to do then."""

    meaning: str
    remedy: str


HELP: Mapping[str, Help] = {
    code: Help(meaning, remedy)
    for code, meaning, remedy in (
        (
            "duplicate-id",
            "Two files that are not retired have the same id, so a link to it could mean either.",
            "Give one of them another id and rename its file; `vfcc trace list` shows both.",
        ),
        (
            "bad-id",
            "An id does not fit the project's pattern (`trace.id_pattern`, else that of the workflow).",
            "Give it an id that fits, and rename its file; or change the pattern.",
        ),
        (
            "reused-id",
            "Git knows an item of this id that was retired and removed; old reports and commits refer to that one.",
            "Give the new item an id of its own.",
        ),
        (
            "id-collision",
            "The branch that this one will be merged into added an item under an id that was added here too.",
            "Rename the item here before the merge.",
        ),
        (
            "file-name",
            "The name of the file is not the item's id, so people look for it in vain.",
            "Rename the file to `<id>.md`, or correct the id.",
        ),
        (
            "unreadable-item",
            "A file below `items/` is not UTF-8, holds conflict markers, is too large, or is a folder or a far link.",
            "Mend the file; nothing that it says is part of the trace.",
        ),
        (
            "missing-field",
            "A field that the workflow asks of the type is not there (a requirement needs `verification`).",
            "Add the field to the front matter.",
        ),
        (
            "bad-field",
            "A field holds what it cannot mean: an unknown verification method, a date that is none, broken YAML.",
            "Correct the field at the line that is named.",
        ),
        (
            "unknown-field",
            "A field is not one that vfcc knows; it may be mistyped. It is kept as it is.",
            "Correct its name, or leave it where another tool reads it.",
        ),
        (
            "unknown-type",
            "The item's type is none of the workflow's item types, so nothing is known of what it needs.",
            "Correct the type; `vfcc trace coverage` names those that there are.",
        ),
        (
            "empty-text",
            "The item has a title and no text that says anything.",
            "Write what is meant below the front matter.",
        ),
        (
            "placeholder",
            "The title or the text still holds what a template put there (TBD, `<…>`, `[name]`).",
            "Write what is meant in its place.",
        ),
        (
            "weak-wording",
            "A requirement uses a word that no test can decide (fast, user-friendly, as appropriate).",
            "Say it with a number or a condition.",
        ),
        (
            "non-atomic",
            "One requirement asks for several things; one test cannot answer for all of them.",
            "Give each its own item.",
        ),
        (
            "dangling-link",
            "A link names an id that no item has.",
            "Correct the id, or remove the link: `vfcc trace unlink ITEM TARGET`.",
        ),
        (
            "unknown-relation",
            "A link's relation is none of the workflow's.",
            "Correct the relation.",
        ),
        (
            "wrong-end",
            "The workflow does not let this relation go from the one type to the other.",
            "Use the relation that is meant, or link to the item that is meant.",
        ),
        (
            "wrong-level",
            "A `refines` link leads down in the V, so that the upper item would have the lower one as its parent.",
            "Reverse the link: it belongs in the lower item.",
        ),
        ("self-link", "An item links to itself.", "Remove the link: `vfcc trace unlink ITEM ITEM`."),
        (
            "link-cycle",
            "Following links upwards leads back to the same item; no item of the circle reaches a need.",
            "Remove the link that is wrong.",
        ),
        (
            "duplicate-link",
            "An item holds the same link (target and relation) twice.",
            "Remove one of the two.",
        ),
        (
            "link-to-draft",
            "An item that is agreed (active) links to one that is still a draft (pending).",
            "Agree on the draft, or make this item a draft as well.",
        ),
        (
            "link-to-retired",
            "A link leads to an item that is retired.",
            "Link to what took its place, or remove the link.",
        ),
        (
            "file-gone",
            "`refs` name a file that the project does not have.",
            "Correct the path, or remove the reference.",
        ),
        (
            "symbol-gone",
            "`refs` name a function or class that is not in its file.",
            "Correct the name, or remove the reference.",
        ),
        (
            "unknown-mark",
            "A mark (`vfcc: REQ-…`) in code or tests names an id that no item has.",
            "Correct the id in the mark, or remove the mark.",
        ),
        (
            "retired-mark",
            "A mark in code or tests names an item that is retired.",
            "Remove the mark, or name what took the item's place.",
        ),
        (
            "no-parent",
            "An item below the top has no link upwards and is not marked as derived, so it has no origin.",
            "Link it to what it answers, or say `derived: true` and why.",
        ),
        (
            "derived-without-rationale",
            "A derived item does not say why it is there.",
            "Add `rationale:` to the front matter, or a section `## Rationale`.",
        ),
        (
            "missing-child",
            (
                "The workflow asks for something below the item (a requirement below a need, a test specification "
                "below a requirement), and there is not enough of it."
            ),
            'Add what is missing and link it: `vfcc trace add TYPE "…"`, `vfcc trace link`.',
        ),
        (
            "not-verified",
            "Nothing shows the item by the method that it declares: no passing test, no metric, no word of a person.",
            "Mark a test with its id and run it, or record the verification: `vfcc trace verify ITEM`.",
        ),
        (
            "orphan-test",
            "A test that a runner would collect, or that has a result, names no item, and no item names it.",
            "Mark the test with the id of what it tests, or leave it.",
        ),
        (
            "orphan-component",
            "A component, interface or unit answers no requirement.",
            "Link it to the requirement that it answers.",
        ),
        (
            "orphan-file",
            "A file that changed since the sprint began belongs to no item.",
            "Mark it with the id of the item that it implements, or name it in an item's `refs`.",
        ),
        (
            "untraced-code",
            "A file that `trace.code` names belongs to no item.",
            "Mark it with an id, name it in an item's `refs`, or take it out of `trace.code`.",
        ),
        (
            "deep-coverage",
            "The item itself is answered, but something further below it is not.",
            "See what is open with `vfcc trace why ITEM`.",
        ),
        (
            "one-ended-interface",
            "An interface is linked with fewer than two components.",
            "Link it with the component at its other end.",
        ),
        (
            "suspect-upstream",
            "The parent of an item changed since the link was reviewed.",
            'Look whether the item still answers it, then `vfcc trace review ITEM --to PARENT --reason "…"`.',
        ),
        (
            "suspect-downstream",
            "An item changed since its link upwards was reviewed.",
            'Look whether it still answers its parent, then `vfcc trace review ITEM --to PARENT --reason "…"`.',
        ),
        ("unreviewed", "The item has not been reviewed.", "Read it, then `vfcc trace review ITEM`."),
        (
            "unreviewed-link",
            "The link has not been reviewed since it was made.",
            "Look at both ends, then `vfcc trace review ITEM`.",
        ),
        (
            "self-reviewed",
            "The item was reviewed by somebody who wrote it.",
            "Have somebody else review it: `vfcc trace review ITEM`.",
        ),
        (
            "stale-review",
            "The item changed since its review, or the review is of another tool and says nothing of today.",
            "Review it again: `vfcc trace review ITEM`.",
        ),
        (
            "code-edited",
            "Code that an item refers to changed since the last review.",
            "Look whether it still does what the item says, then `vfcc trace review ITEM`.",
        ),
        (
            "code-moved",
            "Code that an item refers to is unchanged but in another file or under another name now.",
            "Correct `refs` in the item.",
        ),
        (
            "baseline-drift",
            "The item is not as the newest baseline has it: changed, new, or gone.",
            "See what changed with `vfcc trace baseline diff`; make a new baseline once it is agreed.",
        ),
        (
            "cleared-without-reason",
            "A suspect link was cleared without a reason why it still holds.",
            'Clear it again with a reason: `vfcc trace review ITEM --to PARENT --reason "…"`.',
        ),
        (
            "no-result",
            "A test of the item has no result in any report.",
            "Run it, and hand over the report: `vfcc evidence run`, or `vfcc check trace --junit FILE`.",
        ),
        (
            "failed-result",
            "A test of the item failed.",
            "Mend the code or the test and run it again: `vfcc evidence run`.",
        ),
        (
            "failed-below",
            "A test of something below the item failed, so the item is not shown either.",
            "See which with `vfcc trace why ITEM`.",
        ),
        (
            "skipped-result",
            "A test of the item was skipped, and no waiver covers that.",
            "Run it, or waive it: `vfcc waive`.",
        ),
        (
            "flaky-result",
            "A test of the item failed and passed in one run; a retry hides no failure.",
            "Find out why, and run it again: `vfcc evidence run`.",
        ),
        (
            "conflicting-result",
            "Reports of the same content disagree about a test.",
            "Hand over the reports of one run only.",
        ),
        (
            "stale-result",
            "The results were made on other content than that which is here now, or do not say on which.",
            "Run the tests again: `vfcc evidence run`.",
        ),
        (
            "unknown-test",
            "A report names a test that the tree does not contain.",
            "Make the report again on this tree.",
        ),
        (
            "untrusted-result",
            "The results are worth less than the workflow asks (asserted by a person instead of run by vfcc or CI).",
            "Have vfcc run the tests: `vfcc evidence run`.",
        ),
        (
            "low-coverage",
            "The tests reach less of the code than a criterion of the workflow asks.",
            "Test what is not reached; `vfcc evidence list` shows the measures.",
        ),
        (
            "weak-test",
            "By the evidence of `red-first`, a new or altered test of the item passes without the change as well.",
            "Assert what the change does, and prove it again: `vfcc evidence run red-first`.",
        ),
        (
            "unreadable-report",
            "A report of results is not there, is empty, or is no JUnit XML.",
            "Make the report again, or take it out of `trace.reports`.",
        ),
        (
            "nothing-to-evaluate",
            "There is no trace item, or no test result, so a green answer would mean nothing.",
            'Add the first item: `vfcc trace add need "…"`; hand over results with `--junit`.',
        ),
        (
            "missing-artifact",
            "A stage was passed on an artifact that no longer exists.",
            'Bring it back, or reopen the stage: `vfcc stage reopen STAGE --reason "…"`.',
        ),
        (
            "left-changed",
            "An artifact of a left stage changed after the right stage that answers it had passed.",
            'Reopen the right stage and verify again: `vfcc stage reopen STAGE --reason "…"`.',
        ),
        ("waiver-expired", "The last day of a waiver is over.", "Meet the criterion, or waive it again: `vfcc waive`."),
        (
            "waiver-orphaned",
            "The criterion or the findings of a waiver no longer exist.",
            "Nothing needs to be waived; the waiver counts no more.",
        ),
        (
            "waiver-unapproved",
            "A waiver was not given by a person.",
            "Have a person give it: `vfcc waive`.",
        ),
        (
            "integrity-inversion",
            "An item has a lower integrity level than its parent.",
            "Raise its level, or say why the parent's is too high and lower that.",
        ),
        (
            "unconfirmed-rationale",
            "The rationale was inferred, extracted or written by an agent, and no person has confirmed it.",
            "Read it, correct it, and review the item: `vfcc trace review ITEM`.",
        ),
        (
            "planned-but-built",
            "An item is marked as planned, and a test of it passes.",
            "Remove `planned` from its front matter, so that it counts.",
        ),
    )
}
"""Help for every code, in the order of the table of codes."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All codes of one check. `name` is its command, `suite` the first part of its suites' names, `tag` its subject.

    `nowhere` is what a finding that is about no file is shown at; `fingerprint` names the rule that makes its
    fingerprints.
    """

    name: str
    suite: str
    tag: str
    checks: Mapping[str, Check]
    help: Mapping[str, Help]
    families: tuple[StrEnum, ...]
    nowhere: str
    fingerprint: str


TRACE = Catalogue(
    "vfcc check trace",
    "trace",
    "traceability",
    CHECKS,
    HELP,
    tuple(Family),
    ".memory/project/items",
    "vfccTrace/v1",
)
