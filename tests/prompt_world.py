"""Projects with typed items of all scopes, to ask for prompts in; the person's home is a folder of the test's."""

from pathlib import Path

import pytest

from verifflowcc.base.model.entries import ContextPackage, Fate, Question
from verifflowcc.base.model.layers import Layer
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.prompt.use.prompt_use import compile_context

PROMPT = "You write.\n"


def person(tmp_path: Path, patch: pytest.MonkeyPatch) -> Path:
    """Give the person a home of this test's; return the folder of their items."""
    for variable in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        patch.setenv(variable, str(tmp_path / variable.lower()))
    return tmp_path / "xdg_data_home" / "vfcc" / "user" / "items"


def item(folder: Path, type_name: str, name: str, text: str = "", **front: object) -> Path:
    """Write an item's file below the folder of the items of its scope; `front` are lines of its front matter."""
    path = folder / type_name / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    head = "".join(f"{key}: {value}\n" for key, value in front.items())
    path.write_text(f"---\nid: {name}\n{head}---\n{text or f'This is {name}.'}\n", encoding="utf-8")
    return path


def ask(root: Path, agent: str = "coder", **question: object) -> ContextPackage:
    """Return the prompt and its explanation."""
    return compile_context(Workspace(root), Question(agent, **question))  # type: ignore[arg-type]


def keys(package: ContextPackage, layer: Layer, *fates: Fate) -> list[str]:
    """Return the keys of a layer's candidates in rank order."""
    return [
        one.candidate.key
        for one in package.placed
        if one.candidate.layer is layer and (not fates or one.outcome in fates)
    ]


def skipped(package: ContextPackage) -> dict[str, str]:
    """Return key → reason of what was left out before packing."""
    return {one.key: one.reason for one in package.skipped}
