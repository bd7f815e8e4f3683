"""The package `reqif`, which is installed where ReqIF is wanted: `verifflowcc[reqif]`."""

import importlib
from types import ModuleType

from verifflowcc.errors import WorkspaceError


def reqif_module(name: str) -> ModuleType:
    """Return a module of the package, such as `parser`. Raises WorkspaceError where it is not installed."""
    try:
        return importlib.import_module(f"reqif.{name}")
    except ModuleNotFoundError as error:
        raise WorkspaceError(
            "ReqIF is read and written by the package reqif, which is not installed",
            hint="pip install 'verifflowcc[reqif]'",
        ) from error
