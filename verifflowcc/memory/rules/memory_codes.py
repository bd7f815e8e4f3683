"""The checks of remembered items: each with its stable code, how much it weighs, what it means and what to do then.

Codes never change their meaning; one that is no longer asked is never used for something else.
"""

from collections.abc import Mapping
from enum import StrEnum

from verifflowcc.base.model.trace_codes import Check
from verifflowcc.base.model.trace_help import Catalogue, Help
from verifflowcc.base.model.trace_values import Severity


class MemoryFamily(StrEnum):
    """What a check is about, in the order of the page that explains them."""

    FILES = "files"
    FIELDS = "fields"
    IDENTITY = "identity"
    LINKS = "links"
    PLACE = "place"
    LIFE = "life"


_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE
_Row = tuple[str, Severity, str, str, str]
_TABLE: Mapping[MemoryFamily, tuple[_Row, ...]] = {
    MemoryFamily.FILES: (
        (
            "unreadable-file",
            _E,
            "a file cannot be read",
            "It is closed to this user, no ordinary file, a link that leads nowhere, or has a name that is not UTF-8.",
            "Open it to its readers, or put the file itself in its place.",
        ),
        (
            "not-utf8",
            _E,
            "a file is not UTF-8",
            "Its bytes are no text in UTF-8, so nothing of it enters a prompt.",
            "Save it as UTF-8: `iconv -f WINDOWS-1252 -t UTF-8 FILE`.",
        ),
        (
            "too-large",
            _E,
            "a file is too large",
            "A memory file may have 1 MiB; what is larger is not read.",
            "Split it, or keep it elsewhere and remember what matters of it.",
        ),
        (
            "link-outside",
            _E,
            "a link leads out of the memory",
            "A symbolic link leads to a file outside of the project, or to a folder, and is not followed.",
            "Put the file itself here.",
        ),
        (
            "conflict-markers",
            _E,
            "a merge was left unfinished in a file",
            "The markers of a merge stand in it, so it says two things at once.",
            "Edit the file and keep what is right.",
        ),
        (
            "bad-front-matter",
            _E,
            "front matter cannot be read",
            "It is no YAML mapping, or is opened by `---` and never closed, so all fields have their defaults.",
            "Mend the line that is named.",
        ),
    ),
    MemoryFamily.FIELDS: (
        (
            "unknown-type",
            _W,
            "a type is in no table",
            "Neither the table of types nor the project's workflow has it, so it has the defaults of none.",
            "Write the type that was meant.",
        ),
        (
            "bad-value",
            _W,
            "a field has a value that it cannot have",
            "A number is out of range, a date is none, a word is not one of those allowed; the default holds.",
            "Write a value that the field can have, or take the line out.",
        ),
        (
            "near-key",
            _W,
            "an unknown key is nearly a known one",
            "A key differs by one letter from one that vfcc reads, so it goes unheard. Other unknown keys are yours.",
            "Write the key that was meant.",
        ),
        (
            "secret",
            _E,
            "a file holds what looks like a secret",
            "It contains a key, a token or a password. Prompts and lists redact it, but git keeps it for everybody.",
            "Revoke the secret where it was issued, remove it from the file, and name the place where it is kept.",
        ),
        (
            "raised-trust",
            _W,
            "an item is trusted more than its author",
            "Its source is no person, it says that a person vouches for it, and it does not say who.",
            "Read it. If it is right: `vfcc memory edit ID --trust human`; else forget it.",
        ),
        (
            "unpromoted",
            _W,
            "an item says that it is active, and only a machine says so",
            "An agent or a job wrote it and no person promoted it: it stays pending despite its status.",
            "Read it, then `vfcc memory promote ID` or `vfcc memory reject ID`.",
        ),
    ),
    MemoryFamily.IDENTITY: (
        (
            "duplicate-id",
            _E,
            "two items have one id",
            "A link or a command that names the id can mean either. For items of the trace, `check trace` reports it.",
            "Give one of them an id of its own.",
        ),
        (
            "duplicate-key",
            _E,
            "two active items have one key",
            "Of one scope, type and key there is one active item that nothing supersedes, and adding updates that one.",
            "Keep one: `vfcc memory forget ID`, or give one another key.",
        ),
        (
            "duplicate-item",
            _W,
            "two items say the same",
            "Scope, type, title, key and text are the same, as where two branches added one thing.",
            "Keep one: `vfcc memory link ID supersedes OTHER`, or `vfcc memory reject OTHER` for a proposal.",
        ),
        (
            "alike-names",
            _W,
            "two names differ in case or Unicode form alone",
            "Two files, or two ids, are one on a file system that does not tell such names apart.",
            "Rename one of them.",
        ),
    ),
    MemoryFamily.LINKS: (
        (
            "dangling-link",
            _E,
            "a link leads to no item",
            "The target of a link is no id, path, file name or key of an existing item.",
            "Correct the id, or remove the link.",
        ),
        (
            "link-to-archived",
            _W,
            "an active item links to an archived one",
            "A link other than `supersedes` and `contradicts` leads from an active item to an archived one.",
            "Link to what holds now, or remove the link.",
        ),
        (
            "supersession-circle",
            _E,
            "items supersede each other in a circle",
            "None of them is the newest, so all of them stand.",
            "Remove the link that is wrong.",
        ),
        (
            "contradiction",
            _N,
            "two active items contradict each other",
            "A `contradicts` link joins two items that both hold, and both enter prompts.",
            "Decide between them: forget one, or let one supersede the other.",
        ),
        (
            "ref-gone",
            _W,
            "a file that an item refers to does not exist",
            "A path under `refs` names no file of the project.",
            "Correct the path, or remove the ref.",
        ),
        (
            "ref-changed",
            _N,
            "a file that an item refers to has changed",
            "The digest under `refs` is not that of the file, or of the symbol in it, as it is now.",
            "Read the item again. If it still holds: `vfcc memory edit ID --holds`; else correct or forget it.",
        ),
        (
            "ref-symbol-gone",
            _W,
            "a symbol that an item refers to does not exist",
            "A symbol under `refs` is not in its file, and no such word is.",
            "Read the item again, and name the code that it refers to: `vfcc memory edit ID --unref OLD --ref NEW`.",
        ),
    ),
    MemoryFamily.PLACE: (
        (
            "wrong-folder",
            _W,
            "an item lies in the folder of another type",
            "Its type says one thing and its folder another; commands look for it in the folder of its type.",
            "Move the file, or correct its type.",
        ),
        (
            "user-type-in-project",
            _N,
            "an item about a person lies in the project",
            "A preference, a goal or the like is committed with the project, for everybody to read.",
            "If it is about you alone: `vfcc memory move ID --to user`.",
        ),
        (
            "project-type-in-user",
            _W,
            "an item about a project lies in user memory",
            "Its type belongs to a project or a task, and here it would enter the prompts of every project.",
            "Move it: `vfcc memory move ID --to project`.",
        ),
        (
            "in-both",
            _W,
            "an item is here and in user memory",
            "One id is in the project and in user memory, as an interrupted move leaves it.",
            "Forget the one that is not wanted, or move it again.",
        ),
    ),
    MemoryFamily.LIFE: (
        (
            "expired",
            _W,
            "an active item has expired",
            "The day under `expires`, or the last of its type's time to live, is over, and it still enters prompts.",
            "`vfcc memory maintain` archives what has expired; else set another day.",
        ),
        (
            "pending",
            _N,
            "an item waits for a person",
            "It was proposed and enters no prompt before a person approves it.",
            "`vfcc memory promote ID`, or `vfcc memory reject ID`.",
        ),
        (
            "stale-summary",
            _W,
            "a summary contains a replaced item",
            "One of its original items was replaced, and the summary still contains the old text.",
            "`vfcc memory maintain` restores its items and summarises those that hold again.",
        ),
        (
            "future-use",
            _W,
            "an item was last used in the future",
            "The day under `uses` is in the future, so the time since the last use is unknown.",
            "Correct the day, and the clock that wrote it.",
        ),
    ),
}

CHECKS: Mapping[str, Check] = {
    code: Check(code, family, severity, title)
    for family, rows in _TABLE.items()
    for code, severity, title, _, _ in rows
}
HELP: Mapping[str, Help] = {
    code: Help(meaning, remedy) for rows in _TABLE.values() for code, _, _, meaning, remedy in rows
}
CATALOGUE = Catalogue(
    "vfcc check memory", "memory", "memory", CHECKS, HELP, tuple(MemoryFamily), ".memory", "vfccMemory/v1"
)
