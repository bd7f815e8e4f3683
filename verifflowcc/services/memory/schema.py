"""The script that an organisation's administrator runs on PostgreSQL."""

from verifflowcc.adapters.workflows.load import templates_folder
from verifflowcc.errors import WorkspaceError


def schema_script() -> str:
    """Return the script. Raises WorkspaceError where the installation lacks it."""
    path = templates_folder() / "postgres.sql"
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise WorkspaceError(f"cannot read {path}: {error.strerror or error}") from error
