"""What the code graph holds, and what bringing it up to the files took."""

from collections import Counter
from collections.abc import Iterator, Sequence

from verifflowcc.base.use.workspace import Workspace
from verifflowcc.code.rules.code_views import GraphStatus, IndexingResult, LanguageCount
from verifflowcc.code.rules.graph import SourceFile
from verifflowcc.code.use.indexing import FILE, IndexUpdate, bring_up


def index_code(workspace: Workspace) -> IndexingResult:
    """Bring the graph up to the files, and return what that took. Raises as `bring_up`."""
    brought = bring_up(workspace)
    with brought.code:
        return what_it_took(brought)


def what_it_took(brought: IndexUpdate) -> IndexingResult:
    """Return what bringing the graph up took."""
    files = len(brought.code.files)
    return IndexingResult(files, brought.parsed, brought.known, brought.removed, brought.skipped, brought.notices)


def graph_status(workspace: Workspace) -> GraphStatus:
    """Return what the graph holds. Raises as `bring_up`."""
    brought = bring_up(workspace)
    with brought.code as code:
        files = code.files
        code.heads(list(files))
        symbols = Counter(each.kind.value for path in files for each in code.head(path).definitions)
        marked = Counter(mark.value for each in files.values() for mark in each.marks)
        kept = workspace.local / FILE
        return GraphStatus(
            files=len(files),
            lines=sum(each.lines for each in files.values()),
            languages=_languages(list(files.values())),
            symbols=dict(sorted(symbols.items())),
            imports=sum(len(taken) for taken in code.imports().values()),
            marked=dict(sorted(marked.items())),
            skipped=brought.skipped,
            bytes=kept.stat().st_size if kept.exists() else 0,
            notices=brought.notices,
        )


def _languages(files: Sequence[SourceFile]) -> tuple[LanguageCount, ...]:
    def counts() -> Iterator[LanguageCount]:
        for name in sorted({each.language for each in files}):
            of = [each for each in files if each.language == name]
            yield LanguageCount(name or "no grammar", len(of), sum(each.lines for each in of), bool(name))

    return tuple(sorted(counts(), key=lambda each: (-each.files, each.language)))
