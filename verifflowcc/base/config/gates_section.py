"""The shape of the section `gates` of `config.yaml`: commands whose results are evidence, and modes of criteria."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from verifflowcc.base.config.yaml_values import AmbiguousScalar
from verifflowcc.base.model.config_values import SHARE_UNIT
from verifflowcc.base.model.gate_values import REPORTS
from verifflowcc.base.model.layers import LAYER_OF, USER, Layer
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.text.command_placeholders import placeholder_problem
from verifflowcc.base.text.plain_words import nearest

# What a pattern, a path, a name and a share may be. Each rule returns a predicate for a sentence, or None.

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


# What every section of `config.yaml` shares: how strict it is, and how a rule tells its sentence.

WRONG = "wrong"
"""The type of an error that the table of expectations explains."""
SENTENCE = "sentence"
"""The type of an error that brings its own predicate; `at`, if any, is the key below that it is about."""


class StrictSection(BaseModel):
    """A mapping in the file: known keys only, and no value is bent to fit."""

    model_config = ConfigDict(extra="forbid", strict=True)


def sentence(text: str, at: str = "") -> PydanticCustomError:
    """Return an error whose predicate is `text`."""
    return PydanticCustomError(SENTENCE, "{text}", {"text": text, "at": at})


def obeys(problem: Callable[[str], str | None]) -> AfterValidator:
    """Turn a function that returns a text's problem into a validator."""

    def check(text: str) -> str:
        found = problem(text)
        if found:
            raise sentence(f'"{text}" {found}')
        return text

    return AfterValidator(check)


DEFAULT_TIMEOUT_S = 600
LONGEST_TIMEOUT_S = 86_400
LONGEST_WORD = 4_000
MOST_WORDS = 200
MODES = ("hard", "soft", "off")
_LOCAL = [".memory", "local"]


def _word_problem(word: str) -> str | None:
    if "\0" in word:
        return "holds the character NUL, which no command can take"
    return placeholder_problem(word, REPORTS)


def _report_problem(path: str) -> str | None:
    found = path_problem(path, "the project")
    if found:
        return found
    if path.endswith("/"):
        return "names a folder; name the file that the command writes"
    parts = path.split("/")
    if parts[0] == ".git" or (parts[0] == ".memory" and (parts[:2] != _LOCAL or len(parts) < 3)):
        return "must not be written by a command; below .memory/ there is .memory/local/ for it"
    return None


def _off_is_a_mode(value: object) -> object:
    """`off` without quotes, which YAML may read as false, is what a person writes here."""
    return "off" if isinstance(value, AmbiguousScalar) and value.text == "off" else value


Name = Annotated[
    str, obeys(name_problem), WithJsonSchema({"type": "string", "pattern": NAME, "maxLength": LONGEST_NAME})
]
Word = Annotated[
    str, StringConstraints(max_length=LONGEST_WORD), obeys(_word_problem), WithJsonSchema({"type": "string"})
]
InputPattern = Annotated[
    str,
    obeys(inputs_problem),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": LONGEST_PATTERN, "pattern": r"^[^/~\\][^\\]*$"}),
]
ReportPath = Annotated[
    str,
    obeys(_report_problem),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": LONGEST_PATTERN, "pattern": r"^[^/~\\][^\\]*$"}),
]
GateMode = Annotated[Literal["hard", "soft", "off"], BeforeValidator(_off_is_a_mode)]


class ReportPaths(StrictSection):
    """Where a command writes its reports, relative to the project's root; a report that is left out has a path."""

    def given(self) -> dict[str, str]:
        """Return the paths that the file gives, by kind."""
        return {kind: path for kind in REPORTS if (path := getattr(self, kind)) is not None}


if TYPE_CHECKING:
    ReportsSection = ReportPaths
else:
    ReportsSection = create_model(
        "ReportsSection",
        __base__=ReportPaths,
        __doc__=ReportPaths.__doc__,
        **{
            kind: (ReportPath | None, Field(default=None, description=report.title)) for kind, report in REPORTS.items()
        },
    )


class CommandSection(StrictSection):
    """A command that vfcc may run for evidence, once it is allowed on this machine. No shell is involved."""

    run: list[Word] = Field(
        min_length=1,
        max_length=MOST_WORDS,
        description="The program and its arguments; {junit}, {coverage} … are the paths of its reports.",
    )
    timeout: Annotated[int, Field(ge=1, le=LONGEST_TIMEOUT_S)] = Field(
        default=DEFAULT_TIMEOUT_S, description="After so many seconds it is ended, and has failed."
    )
    reports: ReportsSection = Field(default_factory=ReportsSection, description="Paths of the reports that it writes.")
    inputs: list[InputPattern] = Field(
        default_factory=list, description="The files on which its result depends; none means all of the project."
    )

    @model_validator(mode="after")
    def names_a_program(self) -> "CommandSection":
        """Refuse a command with no program, and one whose reports would overwrite one another."""
        if not self.run[0].strip():
            raise sentence("begins with an empty word; it must name a program", "run")
        paths = list(self.reports.given().values())
        twice = next((path for path in paths if paths.count(path) > 1), None)
        if twice:
            raise sentence(f"names {twice} twice; each report is a file of its own", "reports")
        return self


class GatesSection(StrictSection):
    """What is run for evidence, and how strict a new sprint's gates are."""

    commands: dict[Name, CommandSection] = Field(
        default_factory=dict, description="The commands that criteria name, each by its name."
    )
    modes: dict[Name, GateMode] = Field(
        default_factory=dict,
        description="Per kind or id of a criterion: hard closes the gate, soft is recorded only, off is not evaluated.",
    )

    @model_validator(mode="after")
    def writes_each_report_once(self) -> "GatesSection":
        """Refuse two commands that write the same file: one would count for the other."""
        written: dict[str, str] = {}
        for name, command in self.commands.items():
            for path in command.reports.given().values():
                if path in written:
                    raise sentence(f"write {path} both as {written[path]} and as {name}; give each its own", "commands")
                written[path] = name
        return self
