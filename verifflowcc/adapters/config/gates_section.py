"""The shape of the section `gates` of `config.yaml`: commands whose results are evidence, and modes of criteria."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator, Field, StringConstraints, WithJsonSchema, create_model, model_validator

from verifflowcc.adapters.config.patterns import (
    LONGEST_NAME,
    LONGEST_PATTERN,
    NAME,
    inputs_problem,
    name_problem,
    path_problem,
)
from verifflowcc.adapters.config.section import Section, obeys, sentence
from verifflowcc.adapters.config.yaml_values import Ambiguous
from verifflowcc.domain.gates import REPORTS
from verifflowcc.text.placeholders import placeholder_problem

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
    return "off" if isinstance(value, Ambiguous) and value.text == "off" else value


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


class ReportPaths(Section):
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


class CommandSection(Section):
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


class GatesSection(Section):
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
