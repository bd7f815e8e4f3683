"""Items for the memory set for coding, made from git repositories at fixed commits.

A decision record is one item, a changelog and a contributing page are one item per section, and a commit with a real
explanation is one item: a failure if its subject speaks of a fix, else history. A reference names an item: a path, a
path and a heading (`CHANGELOG.md#4.0.0`), or a commit id.
"""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

FOLDERS = {
    "decision": "decisions",
    "convention": "items/guideline",
    "failure": "items/failure",
    "history": "items/fact",
}
"""Kinds, and the folders below `.memory/project/` that give them their type."""

_FENCE = re.compile(r"^\s*(```|~~~)")
_HEADING = re.compile(r"^(#{1,6}) +(.*?)[ #]*$")
_LINK = re.compile(r"!?\[([^\]]*)\](\([^)]*\))?")
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.S)
_TRAILER = re.compile(r"^(Co-authored-by|Signed-off-by|Reviewed-by|Trello|git-svn-id):?", re.I)
_FIX = re.compile(r"\b(fix(es|ed|ing)?|bugs?|broken|revert\w*|prevent\w*|avoid\w*|crash\w*|leaks?|deadlock)\b", re.I)
_LEAST_SECTION, _LEAST_MESSAGE, _MOST_COMMITS = 12, 30, 250


@dataclass(frozen=True)
class Pages:
    """Files that hold items of a kind; with a level, each section down to it is an item of its own."""

    kind: str
    pattern: str
    level: int = 0


@dataclass(frozen=True)
class Project:
    """A public project, the commit that is read, and the files that hold its memory."""

    name: str
    source: str
    commit: str
    pages: tuple[Pages, ...]


PROJECTS = (
    Project(
        "madr",
        "github.com/adr/madr",
        "11807d877dbc5eb952591d54bc3124ddbc4c924c",
        (
            Pages("decision", "docs/decisions/00*.md"),
            Pages("history", "CHANGELOG.md", 2),
            Pages("convention", "CONTRIBUTING.md", 2),
        ),
    ),
    Project(
        "log4brains",
        "github.com/thomvaill/log4brains",
        "37187fc8e0cd615c155eb27d6116e1e05681a918",
        (
            Pages("decision", "docs/adr/2*.md"),
            Pages("decision", "packages/core/docs/adr/2*.md"),
            Pages("decision", "packages/web/docs/adr/2*.md"),
            Pages("history", "CHANGELOG.md", 2),
            Pages("convention", "CONTRIBUTING.md", 2),
        ),
    ),
    Project(
        "content-publisher",
        "github.com/alphagov/content-publisher",
        "a268264bd0ccfb4956f401c328bacced0b5a1d93",
        (Pages("decision", "docs/adr/0*.md"), Pages("convention", "docs/*.md", 2)),
    ),
    Project(
        "brighter",
        "github.com/BrighterCommand/Brighter",
        "4032a065b3d8f48106e115ebfa2cd8f7124ef1cd",
        (
            Pages("decision", "docs/adr/0*.md"),
            Pages("history", "release_notes.md", 3),
            Pages("convention", "CONTRIBUTING.md", 3),
            Pages("failure", "docs/CI-Test-Reliability.md", 3),
        ),
    ),
)


@dataclass(frozen=True)
class Record:
    """One item: its reference, kind, title and text; a commit has a day, too."""

    ref: str
    kind: str
    title: str
    text: str
    day: str = ""


def records_of(repository: Path, project: Project) -> list[Record]:
    """Return the items of a project, in a fixed order. Raises SystemExit if the commit is not there."""
    listed = _git(repository, "ls-tree", "-r", "-z", "--name-only", project.commit).split("\0")
    found: list[Record] = []
    for pages in project.pages:
        depth = pages.pattern.count("/")
        for path in sorted(listed):
            if path.count("/") == depth and fnmatch(path, pages.pattern):
                text = _git(repository, "show", f"{project.commit}:{path}")
                found += sections(path, text, pages) if pages.level else [_page(path, text, pages.kind)]
    return [*found, *commits(_git(repository, "log", "--no-merges", f"--format={_FORMAT}", project.commit))]


def _git(repository: Path, *words: str) -> str:
    command = ["git", "-C", str(repository), *words]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{repository}: git {words[0]} failed: {done.stderr.decode('utf-8', 'replace').strip()}")
    return done.stdout.decode("utf-8", "replace")


def _page(path: str, text: str, kind: str) -> Record:
    body = _FRONT.sub("", text).strip()
    titles = [found[2] for found in map(_HEADING.match, body.splitlines()) if found]
    return Record(path, kind, _plain(titles[0]) if titles else Path(path).stem, body)


def sections(path: str, text: str, pages: Pages) -> Iterator[Record]:
    """Yield the sections of a page that have at least a dozen words.

    >>> text = "# Changes\\n## [2.0](x) \\n" + "word " * 12
    >>> [each.ref for each in sections("CHANGES.md", text, Pages("history", "", 2))]
    ['CHANGES.md#2.0']
    """
    heads: dict[int, str] = {}
    seen: dict[str, int] = {}
    fenced = False
    lines: list[str] = []
    title = ""
    for line in [*_FRONT.sub("", text).splitlines(), "# "]:
        fenced ^= bool(_FENCE.match(line))
        found = None if fenced else _HEADING.match(line)
        if line != "# " and (found is None or len(found[1]) > pages.level):
            lines.append(line)
            continue
        body = "\n".join(lines).strip()
        if title and len(body.split()) >= _LEAST_SECTION:
            seen[title] = seen.get(title, 0) + 1
            ref = f"{path}#{title}" + (f" ({seen[title]})" if seen[title] > 1 else "")
            above = [heads[level] for level in sorted(heads) if level > 1]
            yield Record(ref, pages.kind, " / ".join([Path(path).stem, *above]), body)
        if found:
            level, title, lines = len(found[1]), _plain(found[2]), []
            heads = {each: head for each, head in heads.items() if each < level} | {level: title}


def _plain(title: str) -> str:
    return " ".join(_LINK.sub(r"\1", title).replace("`", "").replace("*", "").split())


_FORMAT = "%x1e%H%x1f%cs%x1f%an%x1f%s%x1f%b"


def commits(log: str) -> Iterator[Record]:
    """Yield the newest commits that people explained in at least 30 words, at most 250."""
    left = _MOST_COMMITS
    for entry in log.split("\x1e")[1:]:
        name, day, author, subject, message = entry.split("\x1f")
        body = "\n".join(line for line in message.splitlines() if not _TRAILER.match(line)).strip()
        if "bot" in author.casefold() or subject.startswith("Bump ") or len(body.split()) < _LEAST_MESSAGE:
            continue
        kind = "failure" if _FIX.search(subject) else "history"
        yield Record(name[:12], kind, subject.strip(), body, day)
        left -= 1
        if not left:
            return
