"""What `vfcc doctor` says of the history: how much of it there is, and whether its tables are behind."""

from collections.abc import Iterator

from verifflowcc.adapters.index.history import FILE, sizes_read
from verifflowcc.domain.ports import Health, Remark
from verifflowcc.errors import WorkspaceError
from verifflowcc.services.history.reading import history_files
from verifflowcc.services.workspace import Workspace

AREA = "history"
LARGE_BYTES = 200 * 1024 * 1024


def history_remarks(workspace: Workspace) -> Iterator[Remark]:
    """Yield what there is to say of the history. Nothing is read into its tables by this."""
    files = history_files(workspace)
    if not files:
        yield Remark(AREA, Health.OK, "nothing was recorded")
        return
    try:
        size = sum(path.stat().st_size for path in files)
    except OSError as error:
        raise WorkspaceError(f"cannot read {error.filename}: {error.strerror or error}") from error
    behind = size - sum(sizes_read(workspace.local / FILE).values())
    days = "1 file" if len(files) == 1 else f"{len(files):,} files"
    told = f"{_kib(size)} in {days}"
    if behind > 0:
        yield Remark(AREA, Health.OK, f"{told}; its tables are {_kib(behind)} behind, which the next question reads")
    else:
        yield Remark(AREA, Health.OK, f"{told}; its tables are up to it")
    if size > LARGE_BYTES:
        yield Remark(AREA, Health.NOTE, f"the history takes {_kib(size)}", "vfcc history prune --older-than 90d")


def _kib(size_bytes: int) -> str:
    return f"{(size_bytes + 1023) // 1024:,} KiB"
