"""Where the files that come with vfcc lie: inside the wheel, or at the top of a checkout that is installed editable."""

from pathlib import Path

import verifflowcc

_PACKAGE = Path(verifflowcc.__file__).resolve().parent
_IN_WHEEL = _PACKAGE / "_shipped"


def templates_folder() -> Path:
    """Return the folder of the shipped templates (`prompts/`, `workflows/`, `agents/` …)."""
    inside = _IN_WHEEL / "templates"
    return inside if inside.is_dir() else _PACKAGE.parent / "templates"


def example_folder() -> Path:
    """Return the folder of the worked example."""
    inside = _IN_WHEEL / "memory.example"
    return inside if inside.is_dir() else _PACKAGE.parent / ".memory.example"
