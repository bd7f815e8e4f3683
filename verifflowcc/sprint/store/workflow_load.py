"""Where workflows lie.

The shipped ones are `templates/workflows/<name>.yaml`; `.memory/workflow.yaml`, where there is one, adds the project's
own under the `name` that it gives itself.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import verifflowcc
from verifflowcc.base.config.config_defaults import read_small
from verifflowcc.base.errors import ConfigError, FileErrors, UsageError, WorkspaceError
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.text.identifiers import is_slug
from verifflowcc.base.text.plain_words import nearest

if TYPE_CHECKING:
    from verifflowcc.base.model.sprint_state import Workflow


# Where the files that come with vfcc lie: inside the wheel, or at the top of a checkout that is installed editable.

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


OWN = "workflow.yaml"
_NAME = lazy_pattern(r"""(?m)^name[ \t]*:[ \t]*(["']?)([a-z0-9-]+)\1[ \t]*(?:#.*)?\r?$""")


def load_workflow(memory: Path, name: str) -> "Workflow":
    """Return the workflow called `name`, the project's own or a shipped one.

    Raises UsageError for a name that no workflow has, and ConfigError, with file, line and reason, for a bad file.
    """
    return parse_workflow(*workflow_text(memory, name))


def load_shipped(name: str) -> "Workflow":
    """Return a workflow that comes with vfcc, whatever the project's own is called. `name` is one of them."""
    return parse_workflow(_bytes(_shipped()[name]), f"workflows/{name}.yaml")


def parse_workflow(data: bytes, file: str) -> "Workflow":
    """Return the workflow in a file's bytes. Raises ConfigError with every problem, each as `file:line: reason`."""
    from verifflowcc.sprint.store.workflow_parse import parse

    return parse(data, file)


def workflow_text(memory: Path, name: str) -> tuple[bytes, str]:
    """Return the bytes of the file that holds the workflow called `name`, and what to call it in messages.

    Raises UsageError for a name that no workflow has, ConfigError where the project's own workflow has the name of a
    shipped one, or none that can be read.
    """
    shipped, own = _shipped(), own_bytes(memory)
    found = None if own is None else _name_in(own)
    if own is not None and found in shipped:
        raise ConfigError((f"{OWN}:{_line(own)}: {found} is the name of a shipped workflow; give it another",))
    if name in shipped:
        return _bytes(shipped[name]), f"workflows/{name}.yaml"
    if own is not None and found is None:
        found = parse_workflow(own, OWN).name  # what is wrong with a file that may be the one meant goes first
    if own is not None and found == name:
        return own, OWN
    known = sorted([*shipped, *([found] if found else [])])
    near = nearest(name, known)
    ask = f"did you mean {near}?" if near else f"there is {', '.join(known)}"
    raise UsageError(f"there is no workflow {name}; {ask}", hint="vfcc workflow list")


def shipped_names() -> tuple[str, ...]:
    """Return the names of the workflows that come with vfcc, sorted."""
    return tuple(_shipped())


def workflow_names(memory: Path) -> tuple[str, ...]:
    """Return the names that `workflow` may have: the shipped ones and the project's own, sorted. Parses nothing."""
    own = own_name(memory)
    return tuple(sorted({*_shipped(), *([own] if own else [])}))


def own_name(memory: Path) -> str | None:
    """Return the name that `.memory/workflow.yaml` gives itself, by its line alone; None where it has none to offer."""
    try:
        own = own_bytes(memory)
    except (ConfigError, WorkspaceError):  # what is wrong with it is told where it is used or checked
        return None
    return None if own is None else _name_in(own)


def own_bytes(memory: Path) -> bytes | None:
    """Return the bytes of `.memory/workflow.yaml`, None where there is none. Raises as `read_small` does."""
    return read_small(memory / OWN, OWN, inside=memory.parent)


def _shipped() -> dict[str, Path]:
    return {path.stem: path for path in sorted((templates_folder() / "workflows").glob("*.yaml"))}


def _name_in(data: bytes) -> str | None:
    found = _NAME.search(_text(data))
    return found[2] if found and is_slug(found[2]) else None


def _line(data: bytes) -> int:
    found = _NAME.search(_text(data))
    return _text(data).count("\n", 0, found.start()) + 1 if found else 1


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").removeprefix("\ufeff")


def _bytes(path: Path) -> bytes:
    with FileErrors("read", path):
        return path.read_bytes()
