"""The shape of the section `trace` of `config.yaml`: where the trace looks, beside its items."""

from typing import Annotated

from pydantic import Field, WithJsonSchema

from verifflowcc.adapters.config.gates_section import InputPattern
from verifflowcc.adapters.config.patterns import LONGEST_PATTERN, branch_problem, path_problem
from verifflowcc.adapters.config.section import Section, obeys
from verifflowcc.domain.config import TraceSettings
from verifflowcc.text.bounded_pattern import pattern_fault


def _file_problem(path: str) -> str | None:
    found = path_problem(path, "the project")
    if found:
        return found
    if path.endswith("/"):
        return "names a folder; name the file"
    return "lies in .git/, where git keeps its own" if path.split("/", maxsplit=1)[0] == ".git" else None


def _id_pattern_problem(pattern: str) -> str | None:
    if not pattern:
        return "is empty; no id would fit it"
    if len(pattern) > LONGEST_PATTERN:
        return f"is longer than {LONGEST_PATTERN} characters"
    fault = pattern_fault(pattern)
    return f"cannot be used: {fault}" if fault else None


def _command_problem(command: str) -> str | None:
    if not command.strip():
        return "is empty; name a command, such as make test"
    if len(command) > LONGEST_PATTERN:
        return f"is longer than {LONGEST_PATTERN} characters"
    if not command.isprintable() or "`" in command:
        return "must be one line of printable characters, with no backquote"
    return None


TraceFile = Annotated[
    str,
    obeys(_file_problem),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": LONGEST_PATTERN, "pattern": r"^[^/~\\][^\\]*$"}),
]
IdPattern = Annotated[
    str,
    obeys(_id_pattern_problem),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": LONGEST_PATTERN, "format": "regex"}),
]
Command = Annotated[
    str,
    obeys(_command_problem),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": LONGEST_PATTERN}),
]
Branch = Annotated[
    str,
    obeys(branch_problem),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": LONGEST_PATTERN, "pattern": r"^[^-\s]\S*$"}),
]


class TraceSection(Section):
    """Where the trace looks, beside its items."""

    code: list[InputPattern] = Field(
        default_factory=list, description="Product files that must belong to an item; none means it is not asked."
    )
    tests: list[InputPattern] = Field(
        default_factory=list, description="Files of tests; none means those that are usually called so."
    )
    exclude: list[InputPattern] = Field(default_factory=list, description="Files that are not scanned for marks.")
    reports: list[TraceFile] = Field(
        default_factory=list, description="Reports of results (JUnit XML) that every check of the trace reads."
    )
    results_from: Command | None = Field(
        default=None, description="The command that makes these reports; shown where results are missing, never run."
    )
    target: Branch | None = Field(
        default=None, description="The branch whose ids must not collide with those here; else that of origin."
    )
    id_pattern: IdPattern | None = Field(
        default=None, description="A regular expression that every id obeys; else that of the workflow."
    )
    baseline: TraceFile | None = Field(
        default=None,
        description="No longer read: a person accepts old findings with vfcc baseline trace.",
    )

    def settings(self) -> TraceSettings:
        """Return what the section says, as the program uses it."""
        return TraceSettings(
            code=tuple(self.code),
            tests=tuple(self.tests),
            exclude=tuple(self.exclude),
            reports=tuple(self.reports),
            results_from=self.results_from,
            target=self.target,
            id_pattern=self.id_pattern,
            baseline=self.baseline,
        )
