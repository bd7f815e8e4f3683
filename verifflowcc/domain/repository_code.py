"""Code that a git repository brings along and a commit would run."""

from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class RepositoryCode:
    """A hook, or a setting of git that names a program.

    `kind` is `hook` or `setting`; `name` the hook or the setting's key. `text` is the hook's file, or the setting's
    value, and `digest` that of the file's bytes, or of the value.
    """

    kind: str
    """`hook` or `setting`."""
    name: str
    text: str
    """The file, or the value."""
    digest: str
