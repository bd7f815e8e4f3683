"""One digest for all items of a type, so that a ledger can say in a line what a stage handed over."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from verifflowcc.domain.items import Status
from verifflowcc.domain.trace import TraceItem
from verifflowcc.text.canonical import digest_text


def type_digests(items: Iterable[TraceItem]) -> Mapping[str, str]:
    """Return type → digest over the ids and fingerprints of its items that are not retired, whatever their order."""
    lines: dict[str, list[str]] = defaultdict(list)
    for item in items:
        if item.status is not Status.ARCHIVED:
            lines[item.type].append(f"{item.id}\0{item.digest}\n")
    return {name: digest_text("".join(sorted(lines[name]))) for name in sorted(lines)}
