"""The project's code as the trace sees it: which files hold marks, which are tests, which the items speak of."""

from collections.abc import Iterable, Mapping, Sequence

from verifflowcc.adapters.project.code import CodeIndex, read_code_files
from verifflowcc.domain.trace import CodeFile, TraceItem
from verifflowcc.domain.trace_codes import TracePolicy
from verifflowcc.services.trace_reading import INDEX
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.glob import select


def read_code(
    workspace: Workspace,
    content: Mapping[str, str],
    policy: TracePolicy,
    items: Iterable[TraceItem],
    exclude: Sequence[str] = (),
) -> tuple[CodeFile, ...]:
    """Return the files with marks, the test files, and those that items speak of, by path.

    `content` maps the project's paths to their digests; `exclude` are patterns of files that are not scanned, save
    those that items speak of.
    """
    wanted = {ref.path for item in items for ref in item.refs}
    left_out = frozenset(select(content, exclude)) - wanted if exclude else frozenset()
    scanned = {path: digest for path, digest in content.items() if path not in left_out}
    with CodeIndex(workspace.local / INDEX) as index:
        return read_code_files(workspace.root, scanned, index, tests=policy.tests, wanted=wanted)
