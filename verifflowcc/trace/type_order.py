"""The order in which types are shown: from the top of the V down, then those that have no level."""

from verifflowcc.domain.trace_codes import TracePolicy


def type_order(policy: TracePolicy, name: str) -> tuple[int, int, str]:
    """Return what sorts types: the level, then the workflow's own order, then the name; unknown types come last."""
    rule = policy.types.get(name)
    if rule is None:
        return (1_000_001, 0, name)
    place = list(policy.types).index(name)
    return (1_000_000 if rule.level is None else rule.level, place, name)
