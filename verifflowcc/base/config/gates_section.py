"""The shape of the section `gates` of `config.yaml`: commands whose results are evidence, and modes of criteria."""

from collections.abc import Callable
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
from verifflowcc.base.model.gate_values import REPORTS
from verifflowcc.base.text.command_placeholders import placeholder_problem
from verifflowcc.base.text.glob import LONGEST_NAME, LONGEST_PATTERN, NAME, inputs_problem, name_problem, path_problem

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
