"""All checks of a trace in one run: what is wrong, and of how many things was asked."""

from collections import Counter
from collections.abc import Iterable

from verifflowcc.domain.trace import TraceReport, TraceSources
from verifflowcc.domain.trace_codes import TracePolicy
from verifflowcc.trace.change import check_baseline, check_links_reviewed, check_reviews
from verifflowcc.trace.coverage import check_children, check_depth, check_interfaces, check_parents
from verifflowcc.trace.evidence import check_evidence
from verifflowcc.trace.failing import check_below
from verifflowcc.trace.identity import check_identity
from verifflowcc.trace.links import check_links
from verifflowcc.trace.marks import check_marks
from verifflowcc.trace.ownership import check_owners
from verifflowcc.trace.process import check_process
from verifflowcc.trace.refs import check_refs
from verifflowcc.trace.results import check_anything, check_results
from verifflowcc.trace.schema import check_schema
from verifflowcc.trace.telling import Telling
from verifflowcc.trace.type_digests import type_digests
from verifflowcc.trace.verifying import check_verified
from verifflowcc.trace.view import TraceView


def check(sources: TraceSources, policy: TracePolicy) -> TraceReport:
    """Return what all checks say; equal sources give an equal report, whatever their order.

    Nothing is left out: which findings are known, or of unchanged files, is for `narrow`.
    """
    return check_view(TraceView(sources, policy))


def check_view(view: TraceView) -> TraceReport:
    """Return what all checks say of a view; what it worked out stays there for whoever asks it further."""
    tell, joins = Telling(view.policy), view.joins
    check_identity(view, tell)
    check_schema(view, tell)
    check_links(view, tell)
    check_refs(view, tell)
    check_marks(view, tell)
    check_parents(view, tell)
    check_children(view, joins, tell)
    check_verified(view, joins, tell)
    check_interfaces(view, tell)
    check_owners(view, joins, tell)
    check_depth(view, tell)
    check_links_reviewed(view, tell)
    check_reviews(view, tell)
    check_baseline(view, tell)
    check_results(view, joins, tell)
    check_evidence(view, tell)
    check_below(view, joins, tell)
    check_anything(view, joins, tell)
    check_process(view, joins, tell)
    return TraceReport(
        tell.findings(),
        tell.asked(),
        _counted(item.type for item in view.live),
        notices=(f"of its history nothing is known: {view.sources.git.problem}",) if view.sources.git.problem else (),
        planned=_counted(item.type for item in view.live if item.planned is not None),
        digests=type_digests(view.items),
    )


def _counted(types: Iterable[str]) -> dict[str, int]:
    found = Counter(types)
    return {name: found[name] for name in sorted(found)}
