"""Patterns of paths: `src/**/*.py`, as configuration and workflows write them.

A path is names joined by `/`, relative, without a `/` at either end. A pattern speaks of the whole path:

- `*` is any part of one name, `?` one character of it, `[a-z]` one of these, `[!a-z]` none of these; a `[` without its
  `]` is itself. Names that begin with a dot are names as any other.
- `**` as a whole name is any number of folders, none included; at the end it is everything below (`src/**`, or `src/`
  for short). Elsewhere (`**.py`) it is a `*`.
- A difference of case is a difference.

Matching takes time in proportion to path times pattern, whatever the pattern: what is between two stars has a fixed
length, so its first match is as good as any, and nothing before it is tried again.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import count

from verifflowcc.base.model.layers import LAYER_OF, USER, Layer
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.text.plain_words import nearest

# Regular expressions from a repository, bounded before they are run: a hostile one must not hang who only reads.

MOST_REPEATS = 3
LONGEST_LINE = 300
_ESCAPE = lazy_pattern(r"\\.", re.DOTALL)
_CLASS = lazy_pattern(r"\[\^?\]?[^\]]*\]")
_REPEATED_GROUP = lazy_pattern(r"\)[*+{]")
_POSSESSIVE_GROUP = lazy_pattern(r"\)\?\+")
_REPEAT = lazy_pattern(r"[*+]|\{\d*,?\d*\}")
_BACK_REFERENCE = lazy_pattern(r"\\[1-9]|\(\?P=|\(\?\(")


def pattern_fault(pattern: str) -> str | None:
    """Return why a pattern cannot be used: it is no regular expression, or it could take for ever; None if it can.

    At most three repeats and no repeated group leave at most a cubic search, over lines of at most 300 characters.

    >>> pattern_fault("(REQ|NEED)-[0-9]+"), pattern_fault("(a+)+b")
    (None, 'it repeats a group, which can take for ever; repeat single characters')
    """
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"it is no regular expression: {error}"
    if _BACK_REFERENCE.search(pattern):
        return "it refers back to a group, which can take for ever"
    plain = _CLASS.sub("x", _ESCAPE.sub("x", pattern))
    if _REPEATED_GROUP.search(plain):
        return "it repeats a group, which can take for ever; repeat single characters"
    if _POSSESSIVE_GROUP.search(plain):
        return "it has a possessive group, which Python before 3.11.5 matches wrongly; write ? in place of ?+"
    repeats = len(_REPEAT.findall(plain))
    if repeats > MOST_REPEATS:
        return f"it has {repeats} repeats; more than {MOST_REPEATS} can take for ever"
    return None


def finds(pattern: re.Pattern[str], text: str) -> bool:
    """Say whether a pattern with no fault is found in a line of `text`, in its first 300 characters."""
    return any(pattern.search(line[:LONGEST_LINE]) for line in text.splitlines())


_ANY_FOLDERS = "(?:[^/]++/)*?"
_END_OF_NAME = "(?=/|\\Z)"
_NEVER = "(?!)"
_WILD = frozenset("*?[")
"""What makes a pattern more than the path itself; an expression takes as long to compile as a module to load."""


def matches(path: str, pattern: str) -> bool:
    """Say whether `path` is one that `pattern` speaks of.

    >>> [matches(path, "src/**/*.py") for path in ("src/a.py", "src/b/c.py", "a.py", "src/b/c.pyc")]
    [True, True, False, False]
    """
    if not pattern.endswith("/") and _WILD.isdisjoint(pattern):
        return path == pattern
    return _compiled(pattern).fullmatch(path) is not None


def select(paths: Iterable[str], patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the paths that some pattern names and no pattern with a leading `!` takes out, sorted, each once.

    Without a pattern that names any, all are named; the order of patterns does not matter.

    >>> select(["b.py", "a.py", "a.md"], ["*.py", "!b*"])
    ('a.py',)
    """
    named = [_compiled(pattern) for pattern in patterns if not pattern.startswith("!")]
    out = [_compiled(pattern[1:]) for pattern in patterns if pattern.startswith("!")]
    return tuple(
        path
        for path in sorted(set(paths))
        if (not named or any(each.fullmatch(path) for each in named)) and not any(each.fullmatch(path) for each in out)
    )


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    names = pattern.split("/")
    if len(names) > 1 and names[-1] == "":
        names[-1] = "**"
    below = names[-1] == "**"
    if below:
        names.pop()
    first, *runs = _runs(names)
    groups = count()
    parts = [_folders(first, groups)]
    if below:
        parts += [_first_match(run, groups) for run in runs] + [".+"]
    elif runs:
        parts += [_first_match(run, groups) for run in runs[:-1]] + [_last_run(runs[-1], groups)]
    else:
        parts = [_whole_run(first, groups)]
    return re.compile("".join(parts), re.DOTALL)


def _runs(names: Sequence[str]) -> list[list[str]]:
    """Split the names at each `**`."""
    runs: list[list[str]] = [[]]
    for name in names:
        if name == "**":
            runs.append([])
        else:
            runs[-1].append(name)
    return runs


def _once(expression: str, groups: Iterator[int]) -> str:
    """Return an expression that keeps its first match; `groups` numbers the groups of the whole pattern.

    A look ahead is never tried again, as an atomic group is not; unlike that, every Python matches it alike.
    """
    group = f"g{next(groups)}"
    return f"(?=(?P<{group}>{expression}))(?P={group})"


def _first_match(run: Sequence[str], groups: Iterator[int]) -> str:
    return _once(_ANY_FOLDERS + _folders(run, groups), groups) if run else ""


def _last_run(run: Sequence[str], groups: Iterator[int]) -> str:
    """A run that ends the path: only there does it matter where it matches."""
    return _ANY_FOLDERS + _whole_run(run, groups)


def _whole_run(run: Sequence[str], groups: Iterator[int]) -> str:
    return "/".join(_name(name, groups) for name in run)


def _folders(run: Sequence[str], groups: Iterator[int]) -> str:
    return "".join(_name(name, groups) + "/" for name in run)


def _name(name: str, groups: Iterator[int]) -> str:
    """Return the expression of one name; it matches in at most one way."""
    first, *rest = _between_stars(name)
    if not rest:
        return first + _END_OF_NAME
    found = "".join(_once(f"[^/]*?{piece}", groups) for piece in rest[:-1] if piece)
    return f"(?=[^/]){first}{found}[^/]*?{rest[-1]}{_END_OF_NAME}"


def _between_stars(name: str) -> list[str]:
    """Return the expressions for the parts before, between and after the stars."""
    pieces, place = [""], 0
    while place < len(name):
        letter = name[place]
        end = name.find("]", place + (3 if name[place + 1 : place + 2] == "!" else 2)) if letter == "[" else -1
        if letter == "*":
            pieces.append("")
        elif end > 0:
            pieces[-1] += _one_of(name[place + 1 : end])
            place = end
        else:
            pieces[-1] += "[^/]" if letter == "?" else re.escape(letter)
        place += 1
    return pieces


def _one_of(letters: str) -> str:
    """Return the expression for what `[` and `]` enclose; a reversed range is empty."""
    listed = letters.removeprefix("!")
    parts, place = "", 0
    while place < len(listed):
        low, high, width = listed[place], listed[place], 1
        if listed[place + 1 : place + 2] == "-" and place + 2 < len(listed):
            high, width = listed[place + 2], 3
        if low <= high:
            parts += f"{re.escape(low)}-{re.escape(high)}"
        place += width
    if letters.startswith("!"):
        return f"[^/{parts}]"
    return f"(?!/)[{parts}]" if parts else _NEVER


# What a pattern, a path and a name may be in configuration and workflows. Each rule returns a predicate for a sentence,
# or None. They are apart from the models of the configuration, which take pydantic to load.

ROLE = r"^[a-z][a-z0-9]*([-_][a-z0-9]+)*$"
LONGEST_ROLE = 64
NAME = r"^[a-z][a-z0-9_-]*$"
LONGEST_NAME = 40
LONGEST_PATTERN = 300
MOST_DOUBLE_STARS = 2
_CONTROL = lazy_pattern(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_BRANCH = lazy_pattern(r"[^\s\x00-\x20\x7f~^:?*\[\\]+")
_DRIVE = lazy_pattern(r"[A-Za-z]:")
_SOURCES = ", ".join(f"{name} (in the {layer} layer)" for name, layer in LAYER_OF.items())


def pattern_problem(pattern: str, layer: Layer | None = None) -> str | None:
    """Say why a pattern cannot name files of a layer, or a virtual source of it; None where it can.

    >>> pattern_problem("../secrets.md")
    "leaves the tree with `..`; patterns stay in the layer's folder"
    """
    if not pattern:
        return "is empty; name a file, or a pattern such as decisions/*.md"
    if pattern.startswith("@"):
        return source_problem(pattern, layer)
    if layer is Layer.USER:
        return f"is a pattern, and the user layer has no files to name; name {USER}"
    if _CONTROL.search(pattern):
        return "holds a control character; it can name no file of a layer"
    if len(pattern) > LONGEST_PATTERN:
        return f"is longer than {LONGEST_PATTERN} characters"
    return _root_problem(pattern) or _parts_problem(pattern) or _wildcard_problem(pattern.split("/"))


def source_problem(name: str, layer: Layer | None) -> str | None:
    """Say why a text that begins with `@` names no virtual source of a layer (None: of any); None where it does.

    >>> source_problem("@recal", Layer.PROJECT), source_problem("@recall", Layer.PROJECT)
    ('names no source that there is; did you mean @recall?', None)
    """
    home = LAYER_OF.get(name)
    if home is None:
        near = nearest(name, LAYER_OF)
        return "names no source that there is; " + (f"did you mean {near}?" if near else f"there is {_SOURCES}")
    if layer is None or layer is home:
        return None
    mine = [each for each, owner in LAYER_OF.items() if owner is layer]
    here = f"; the {layer} layer has {mine[0]}" if mine else ""
    return f"is a source of the {home} layer; name it under loading_strategy.{home}{here}"


def path_problem(path: str, folder: str) -> str | None:
    """Say why a relative path, or a pattern of paths, cannot lie below `folder` (what to call it); None where it can.

    >>> path_problem("/etc/passwd", "the project")
    'is an absolute path; it is relative to the project'
    """
    if not path.strip():
        return "is empty; name a file"
    if _CONTROL.search(path):
        return "holds a control character"
    if len(path) > LONGEST_PATTERN:
        return f"is longer than {LONGEST_PATTERN} characters"
    if "\\" in path:
        return "has a backslash; separate folders with /"
    if path.startswith("/") or _DRIVE.match(path):
        return f"is an absolute path; it is relative to {folder}"
    if path.startswith("~"):
        return f"begins with ~, somebody's home; it is relative to {folder}"
    parts = path.removesuffix("/").split("/")
    if ".." in parts:
        return f"leaves {folder} with `..`"
    if "" in parts or "." in parts:
        return "has an empty part or a `.` between its slashes"
    return None


def inputs_problem(pattern: str) -> str | None:
    """Say why a pattern cannot choose files of the project; None where it can. A leading `!` takes files out.

    >>> inputs_problem("!src/**/generated/*.py"), inputs_problem("!../secrets")
    (None, 'leaves the project with `..`')
    """
    bare = pattern.removeprefix("!")
    found = path_problem(bare, "the project")
    if found or bare.split("/")[0] != ".memory":
        return found
    return "lies below .memory/, which is never an input of evidence"


def branch_problem(name: str) -> str | None:
    """Say why a text cannot name a branch for git to compare with; None where it can.

    >>> branch_problem("origin/main"), branch_problem("--output=x")
    (None, 'begins with -; name a branch, such as main or origin/main')
    """
    if not name:
        return "is empty; name a branch, such as main or origin/main"
    if name.startswith("-"):
        return "begins with -; name a branch, such as main or origin/main"
    if len(name) > LONGEST_PATTERN:
        return f"is longer than {LONGEST_PATTERN} characters"
    if not _BRANCH.fullmatch(name) or ".." in name or "@{" in name:
        return "is no name of a branch; name one, such as main or origin/main"
    return None


def name_problem(name: str) -> str | None:
    """Say why a text cannot name a command or a criterion; None where it can."""
    if len(name) <= LONGEST_NAME and re.fullmatch(NAME, name):
        return None
    return f"is no name: use at most {LONGEST_NAME} lower-case letters, digits, - and _, beginning with a letter"


def _root_problem(pattern: str) -> str | None:
    if "\\" in pattern:
        return "has a backslash; separate folders with /"
    if pattern.startswith("/") or _DRIVE.match(pattern):
        return "is an absolute path; patterns are relative to the layer's folder"
    if pattern.startswith("~"):
        return "begins with ~, somebody's home; patterns are relative to the layer's folder"
    return None


def _parts_problem(pattern: str) -> str | None:
    parts = pattern.split("/")
    if ".." in parts:
        return "leaves the tree with `..`; patterns stay in the layer's folder"
    if pattern.endswith("/"):
        return f"names a folder; write {pattern}* for the files in it"
    if "" in parts or "." in parts:
        return "has an empty part or a `.` between its slashes"
    return None


def _wildcard_problem(parts: list[str]) -> str | None:
    if any("**" in part and part != "**" for part in parts):
        return "has ** beside other characters; write ** alone between slashes, as in **/*.md"
    if parts.count("**") > MOST_DOUBLE_STARS:
        return f"has ** more than {MOST_DOUBLE_STARS} times"
    if any(_unclosed(part) for part in parts):
        return "has a [ with no ] after it before the next slash"
    return None


def _unclosed(part: str) -> bool:
    """Whether a bracket is left open; `]` right after `[` or `[!` is a member, as in the shell."""
    return "[" in re.sub(r"\[!?\]?[^\]]*\]", "", part)


def role_problem(role: str) -> str | None:
    """Say why a text cannot name a role (it is also the name of the folder under `agent/`); None where it can."""
    if len(role) <= LONGEST_ROLE and re.fullmatch(ROLE, role):
        return None
    return "is no name for a role: use lower-case letters and digits, with single - or _ between them, such as coder"
