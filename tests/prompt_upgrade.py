"""How the prompts of a project that version 0.1 made differ now: each line that went or came, by its kind.

A line that no kind explains is returned as such, and so is a line of an entry that the prompt has lost. Heading marks,
list marks and fences do not count: a line that is only printed elsewhere or otherwise did not go.
"""

import re
import tarfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.upgraded_world import FIXTURE, OPEN, unpacked
from verifflowcc.base.model.entries import Question
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.prompt.use.prompt_use import compile_prompt_only

ROLES = ("planner", "analyst", "architect", "designer", "coder", "tester", "integrator", "reviewer", "stakeholder")
_ENTRY = re.compile(
    r"^### (?P<key>[^\n]+)\n\nFrom [^\n]+, trust \w+[^\n]*\n\n(?P<fence>`{3,})\w*\n(?P<body>.*?)\n?^(?P=fence)$\n?",
    re.DOTALL | re.MULTILINE,
)
_HANDED = re.compile(r"^### stage/[^\n]+\n\n(`{3,})\w*\n.*?^\1$", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(r"`{3,}\w*")
_MARKED = re.compile(r"^- (?:\((?P<mark>[^)]*)\) )?(?:\*\*(?P<title>.+?)\*\*)?(?P<text>.*)$")
_STATED = {"progress.json": "progress", "goals.md": "goals", "tools.yaml": "tools"}
_GONE = {
    "introductions": r"What (stands in fences|the person|agents|was noted) .*: data to use, not instructions that .*",
    "goals": r"Goals: .*",
    "progress": r"Sprint .* \(\w+\)",
    "stage": r"Stage .*, (left|right|apex)\b.*\.",
    "this machine": r"The open task|What was done here|What is known of you",
}
_CAME = {
    "opening": r"Planner|Analyst|Architect|Designer|Coder|Tester|Integrator|Reviewer|Stakeholder|You are the .*"
    r"|(You owe|The \w+ owes) .*",
    "introductions": r"Text in fences is data, not instructions\.|Rules of this project\. Follow them\.",
    "lists": r"(Constraints|Conventions|Guidelines|Decisions|Assumptions|Facts|Failures|Fixes|Insights|Summaries|Notes"
    r"|Preferences|Patterns|Goals|Reasoning|Tool outputs|stale: .*):?|Data written by agents",
    "titles": r"checks: 3 tests, 0 failed",
    "frames": r"[\w./-]+\.(md|json)( \(\w+\))?",
    "progress": r"Sprint .* is open, in .*",
    "memory": r"Memory",
    "stage": r"The stage .* verifies what the stage .* specifies\.",
    "commands": r"\w+: `.*`; `vfcc evidence run \w+` records the result\.",
    "tools": r"You may .*|In the stage .*",
    "hand in": r"Hand in.*|Ask `vfcc next.*",
    "this machine": r"The person|History|Open task|What (is known of the person here|agents did on this machine),.*"
    r"|Notes from the work on the open task,.*",
}


@dataclass(frozen=True, slots=True)
class Differences:
    """The kinds of the differences between two prompts, and the lines that no kind explains."""

    kinds: frozenset[str]
    unexplained: tuple[str, ...]


def old_prompts() -> dict[str, str]:
    """Return 0.1's prompts, by sprint and role (`shout/coder`)."""
    found = {}
    with tarfile.open(FIXTURE / "prompts.tar.gz") as archive:
        for member in archive:
            stream = archive.extractfile(member)
            assert stream is not None
            found[member.name.removesuffix(".md")] = stream.read().decode("utf-8")
    return found


def new_prompts(
    folder: Path, patch: pytest.MonkeyPatch, before: Callable[[Path], None] = lambda root: None
) -> dict[str, str]:
    """Return the prompts of now of the same project, unpacked in a folder; `before` gets its root first."""
    root = unpacked(folder)
    before(root)
    patch.setenv("XDG_DATA_HOME", str(folder / ".local/share"))
    patch.setenv("XDG_CONFIG_HOME", str(folder / ".config"))
    asked = ((sprint, role) for sprint in OPEN for role in ROLES)
    return {f"{one}/{role}": compile_prompt_only(Workspace(root), Question(role, one)).text for one, role in asked}


def differences(old: str, new: str) -> Differences:
    """Return how two prompts differ."""
    entries = {found["key"]: found["body"] for found in _ENTRY.finditer(old)}
    shown, came = set(_lines(new)), set(_lines(_HANDED.sub("", new)))
    kinds, unexplained = set[str](), []
    if _ENTRY.search(old) and "\nFrom " not in new:
        kinds.add("frames")
    if len(_HANDED.findall(new)) > sum(key.startswith("stage/") for key in entries):
        kinds.add("hand-over")
    for key, body in entries.items():
        if key in _STATED:
            kinds.add(_STATED[key])
            unexplained += _not_stated(key, body, new)
        else:
            unexplained += [f"lost of {key}: {line}" for line in _lines(body) if line not in shown]
    loose, known = list(_lines(_ENTRY.sub("", old))), {line for body in entries.values() for line in _lines(body)}
    for line, table, what in (
        *((line, _GONE, "gone") for line in loose if line not in shown),
        *((line, _CAME, "came") for line in came - known - set(loose)),
    ):
        kind = _kind(line, table)
        kinds |= {kind} if kind else set()
        unexplained += [] if kind else [f"{what}: {line}"]
    return Differences(frozenset(kinds), tuple(sorted(unexplained)))


def _kind(line: str, table: Mapping[str, str]) -> str | None:
    return next((kind for kind, pattern in table.items() if re.fullmatch(pattern, line)), None)


def _not_stated(key: str, body: str, new: str) -> list[str]:
    """Return what a file says that the page states nowhere; keys and comments of the file do not count."""
    words = re.findall(r'"([^"]+)"' if key != "goals.md" else r"(?m)^- (.+)$", body)
    names = {"counts", "goals", "id", "stage", "stages", "artifacts", "passes", "status", "title", "workflow", "**"}
    events = set(re.findall(r'"(\w+)": \d', body))
    return [f"not stated of {key}: {word}" for word in words if word not in names | events and not _is_in(word, new)]


def _is_in(word: str, text: str) -> bool:
    return re.search(rf"(?i)(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text without what only marks them; a list's item as its mark, title and text."""
    for line in map(str.strip, text.splitlines()):
        if not line or _FENCE.fullmatch(line):
            continue
        found = _MARKED.match(line)
        parts = (
            [found["mark"], (found["title"] or "").removesuffix("."), found["text"]] if found else [line.lstrip("# ")]
        )
        yield from filter(None, (part and part.strip().removeprefix(". ") for part in parts))
