"""All checks of remembered items in one run: what is wrong, and of how many things was asked."""

from collections import Counter

from verifflowcc.domain.trace import TraceReport
from verifflowcc.lifecycle.memory_fields import check_fields, check_files
from verifflowcc.lifecycle.memory_findings import MemoryFindings
from verifflowcc.lifecycle.memory_identity import check_identity
from verifflowcc.lifecycle.memory_life import check_life, check_place
from verifflowcc.lifecycle.memory_links import check_links
from verifflowcc.lifecycle.memory_sources import MemorySources
from verifflowcc.lifecycle.memory_vouching import check_vouching


def check_memory(sources: MemorySources) -> TraceReport:
    """Return what all checks say; equal sources give an equal report, whatever their order.

    `counts` of the report maps a type to its items, and a file that could not be read counts as `unread`.
    """
    tell = MemoryFindings()
    check_files(sources, tell)
    check_fields(sources, tell)
    check_identity(sources, tell)
    check_links(sources, tell)
    check_place(sources, tell)
    check_life(sources, tell)
    check_vouching(sources, tell)
    counts = Counter(each.item.type for each in sources.items)
    if sources.unread:
        counts["unread"] = len(sources.unread)
    return TraceReport(tell.findings(), tell.asked(), {name: counts[name] for name in sorted(counts)})
