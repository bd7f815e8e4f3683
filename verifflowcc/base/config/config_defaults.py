"""What holds where `config.yaml` is silent. `templates/config.yaml`, which `vfcc init` writes, says the same."""

from pathlib import Path
from stat import S_ISREG

from verifflowcc.base.errors import ConfigError, FileErrors
from verifflowcc.base.files.layout import is_inside
from verifflowcc.base.model.config_values import Allocation, Config, GitSettings, LayerStrategy, TokenSettings
from verifflowcc.base.model.layers import CODE, HANDOVER, HISTORY, RECALL, TASK, TRACE, USER, Layer
from verifflowcc.base.text.canonical import digest_text

# Read a small settings file: its size is looked at before its content, and a device or a far link is never opened.

LARGEST_SETTINGS_BYTES = 1 << 20


def read_small(path: Path, name: str, *, inside: Path, limit_bytes: int = LARGEST_SETTINGS_BYTES) -> bytes | None:
    """Return the file's bytes; None where there is no such file.

    `name` is what it is called in messages; `inside` is the folder that a symbolic link must not lead out of. Raises
    ConfigError where it is too large, not an ordinary file or a link that leads nowhere or out, WorkspaceError where it
    cannot be read.
    """
    with FileErrors("read", path):
        if not path.exists():
            if path.is_symlink():
                raise ConfigError((f"{name}:1: this is a link to a file that is not there",))
            return None
        if not is_inside(path, inside):
            raise ConfigError((f"{name}:1: this is a link that leaves the project; put the file itself here",))
        stat = path.stat()
        if not S_ISREG(stat.st_mode):
            raise ConfigError((f"{name}:1: this is not an ordinary file",))
        if stat.st_size > limit_bytes:
            raise ConfigError((too_large(name, stat.st_size, limit_bytes),))
        return path.read_bytes()


def too_large(name: str, size_bytes: int, limit_bytes: int) -> str:
    """Return the sentence for a file that is not read because of its size."""
    return f"{name}:1: the file has {size_bytes:,} bytes; vfcc reads at most {limit_bytes:,} here"


LAYERS = (Layer.PROJECT, Layer.SPRINT, Layer.STAGE, Layer.AGENT, Layer.USER)
"""The layers that a configuration speaks of, in the order of the file."""

WORKFLOW = "light"

STRATEGIES = {
    Layer.PROJECT: LayerStrategy(
        ("CLAUDE.md", "conventions/python.md", "conventions/*.md"),
        ("decisions/*.md", RECALL),
        5_000,
    ),
    Layer.SPRINT: LayerStrategy(
        ("goals.md", "progress.json"),
        (TRACE, "context.md", "knowledge.md", "retrospectives/*.md"),
        10_000,
    ),
    Layer.STAGE: LayerStrategy(
        ("current_artifacts/*",),
        ("feedback.md", HANDOVER),
        15_000,
    ),
    Layer.AGENT: LayerStrategy(
        ("prompt_template.md", "tools_config.yaml"),
        (TASK, CODE, "context.json", "recent_actions.json", HISTORY),
        20_000,
    ),
    Layer.USER: LayerStrategy((), (USER,), 3_000),
}


def _shares(project: int, sprint: int, stage: int, agent: int) -> Allocation:
    return Allocation(dict(zip(LAYERS, (project, sprint, stage, agent, 0), strict=True)))


ALLOCATIONS = {
    "planner": _shares(300_000, 400_000, 200_000, 100_000),
    "coder": _shares(100_000, 100_000, 300_000, 500_000),
}
"""Taken where the file has no `token_allocation`; where it has one, that alone counts."""


def default_config() -> Config:
    """Return the configuration of a project whose `config.yaml` is empty or absent."""
    return Config(STRATEGIES, ALLOCATIONS, WORKFLOW, GitSettings(), TokenSettings(), digest_text(b""))
