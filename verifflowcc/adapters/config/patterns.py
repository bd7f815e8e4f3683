"""What a pattern, a path, a name and a share may be. Each rule returns a predicate for a sentence, or None."""

import re
from decimal import Decimal

from verifflowcc.domain.config import SHARE_UNIT
from verifflowcc.domain.layers import Layer
from verifflowcc.domain.sources import LAYER_OF, USER
from verifflowcc.text.near import nearest

ROLE = r"^[a-z][a-z0-9]*([-_][a-z0-9]+)*$"
LONGEST_ROLE = 64
NAME = r"^[a-z][a-z0-9_-]*$"
LONGEST_NAME = 40
LONGEST_PATTERN = 300
MOST_DOUBLE_STARS = 2
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_BRANCH = re.compile(r"[^\s\x00-\x20\x7f~^:?*\[\\]+")
_DRIVE = re.compile(r"[A-Za-z]:")
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


def millionths(value: object) -> int | None:
    """Return a number as whole millionths, exactly; None where it is no number or has more than six decimals.

    >>> millionths(Decimal("0.3")), millionths(1), millionths(Decimal("0.0000001"))
    (300000, 1000000, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    scaled = Decimal(value) * SHARE_UNIT
    return int(scaled) if scaled == int(scaled) else None


def decimal_text(value_millionths: int) -> str:
    """Return millionths as a decimal number.

    >>> decimal_text(300_000), decimal_text(1_000_000), decimal_text(1)
    ('0.3', '1', '0.000001')
    """
    whole, rest = divmod(value_millionths, SHARE_UNIT)
    return f"{whole}.{rest:06}".rstrip("0").rstrip(".")
