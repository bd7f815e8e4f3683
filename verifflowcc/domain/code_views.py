"""Code as it is shown: pieces of files for a task, and a map of a repository."""

from verifflowcc.records import dataclass

LANGUAGES = (
    *("python", "javascript", "typescript", "tsx", "go", "rust", "java", "c", "cpp", "csharp", "ruby", "php", "bash"),
)
"""The languages whose structure can be read, as they are called in answers and in fences."""

DIFF_LANGUAGE = "diff"


@dataclass(frozen=True, slots=True)
class Snippet:
    """The lines `first` to `last` of a file. `name` is the qualified name of what stands there, empty for a file's own
    lines. `whole` is false where `text` is a signature alone. `why` is a short clause. `tokens` counts it as shown.
    An overview has no lines: `first` is 0. `part` is the part of a role's mix that it belongs to. `of` says what it is
    a piece of, where that is not the file as it is; `local` marks what other clones do not have.
    """

    path: str
    first: int
    last: int
    name: str
    text: str
    tokens: int
    why: str
    language: str = ""
    whole: bool = True
    """False for a signature."""
    part: str = ""
    """The part of the role's code mix."""
    of: str = ""
    """Only for pieces of a diff in prompts."""
    local: bool = False
    """Only for pieces of a diff in prompts: whether other clones lack it."""

    @property
    def place(self) -> str:
        """The path with its lines; the path alone where there are none."""
        where = self.path
        if self.first:
            where += f":{self.first}-{self.last}" if self.last != self.first else f":{self.first}"
        return f"{where} ({self.of})" if self.of else where


@dataclass(frozen=True, slots=True)
class FileFound:
    """A file that bears on a task. `score` is in thousandths of the best one's; `why` names what speaks for it."""

    path: str
    score: int
    """1 for the best file."""
    why: str


@dataclass(frozen=True, slots=True)
class NotShown:
    """A piece that was looked at and is not shown, with the reason."""

    path: str
    first: int
    last: int
    name: str
    tokens: int
    why: str


@dataclass(frozen=True, slots=True)
class CodeContext:
    """The code for a task, at most `budget_tokens` as it is shown; `not_shown` are the best of what is left out."""

    task: str
    budget_tokens: int
    tokens: int
    text: str
    snippets: tuple[Snippet, ...]
    """Shown pieces, best first."""
    files: tuple[FileFound, ...]
    """The best files."""
    not_shown: tuple[NotShown, ...]
    """The best pieces that did not fit."""
    counter: str
    """What counted the tokens."""
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeMap:
    """An overview of a repository, at most `budget_tokens`: `files` of its `all_files` and `symbols` are in it."""

    budget_tokens: int
    tokens: int
    text: str
    files: int
    """How many files are on the map."""
    all_files: int
    symbols: int
    """How many symbols are on the map."""
    counter: str
    """What counted the tokens."""
    notices: tuple[str, ...] = ()
