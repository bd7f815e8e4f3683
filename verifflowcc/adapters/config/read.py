"""Read a small settings file: its size is looked at before its content, and a device or a far link is never opened."""

from pathlib import Path
from stat import S_ISREG

from verifflowcc.errors import ConfigError, WorkspaceError

LARGEST_SETTINGS_BYTES = 1 << 20


def read_small(path: Path, name: str, *, inside: Path, limit_bytes: int = LARGEST_SETTINGS_BYTES) -> bytes | None:
    """Return the file's bytes; None where there is no such file.

    `name` is what it is called in messages; `inside` is the folder that a symbolic link must not lead out of. Raises
    ConfigError where it is too large, not an ordinary file or a link that leads nowhere or out, WorkspaceError where it
    cannot be read.
    """
    try:
        if not path.exists():
            if path.is_symlink():
                raise ConfigError((f"{name}:1: this is a link to a file that is not there",))
            return None
        if not path.resolve().is_relative_to(inside.resolve()):
            raise ConfigError((f"{name}:1: this is a link that leaves the project; put the file itself here",))
        stat = path.stat()
        if not S_ISREG(stat.st_mode):
            raise ConfigError((f"{name}:1: this is not an ordinary file",))
        if stat.st_size > limit_bytes:
            raise ConfigError((too_large(name, stat.st_size, limit_bytes),))
        return path.read_bytes()
    except OSError as error:
        raise WorkspaceError(f"cannot read {path}: {error.strerror or error}") from error


def too_large(name: str, size_bytes: int, limit_bytes: int) -> str:
    """Return the sentence for a file that is not read because of its size."""
    return f"{name}:1: the file has {size_bytes:,} bytes; vfcc reads at most {limit_bytes:,} here"
