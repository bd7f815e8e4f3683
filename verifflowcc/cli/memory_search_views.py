"""How what recall found is shown: a block of lines for each hit, and on demand why it stands where it stands."""

from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.cli.memory_views import place
from verifflowcc.cli.output import folded
from verifflowcc.domain.recall import Edge, Hit, Lost, Recalled

_PARTS = ("importance", "confidence", "recency", "uses", "standing")


def found(recalled: Recalled, scopes: Sequence[str], *, explain: bool) -> list[str]:
    """Return the lines of an answer; with `explain` the parts of scores, links, and what is not there and why."""
    return list(_lines(recalled, scopes, explain=explain))


def _lines(recalled: Recalled, scopes: Sequence[str], *, explain: bool) -> Iterator[str]:
    if not recalled.hits:
        yield _nothing(recalled, scopes)
    for number, hit in enumerate(recalled.hits, start=1):
        yield from _hit(number, hit, explain=explain)
    if explain:
        yield from _explained(recalled)
    elif hidden := [lost for lost in recalled.lost if not lost.why.startswith("behind")]:
        yield ""
        yield folded(f"not shown: {', '.join(f'{lost.item.id} ({lost.why})' for lost in hidden)}; --all shows them", 2)


def _nothing(recalled: Recalled, scopes: Sequence[str]) -> str:
    where = "memory here" if len(scopes) > 1 else f"{scopes[0]} memory"
    words = ", ".join(dict.fromkeys(recalled.words))
    if not words:
        return "the question has no word that could be looked for"
    return folded(f"nothing in {where} bears on this; looked for: {words}", 2)


def _hit(number: int, hit: Hit, *, explain: bool) -> Iterator[str]:
    item = hit.item
    by = "" if item.trust == "human" else f", trust {item.trust}"
    said = "".join(f", {word}" for word in (hit.standing, "stale" if hit.stale else "") if word)
    yield folded(f"{number}. {item.title}", 3)
    section = f", section {hit.heading!r}" if hit.heading else ""
    yield folded(f"   {item.id}: {item.type} {place(hit.scope, item.path)}{section}{by}{said}", 3)
    if hit.stale:
        yield folded(f"   stale: {hit.stale}", 3)
    if hit.via:
        yield folded(f"   found by a link: {_edge(hit.via, item.id)}", 3)
    if explain:
        yield folded(f"   score {hit.score:,}{_parts(hit)}", 3)
        if hit.matched:
            yield folded(f"   words: {_matched(hit.matched)}", 3)


def _parts(hit: Hit) -> str:
    changed = {name: getattr(hit.parts, name) for name in _PARTS if getattr(hit.parts, name)}
    said = ", ".join(f"{name} {value / 10:+.1f} %" for name, value in changed.items())
    meaning = f", meaning {hit.parts.meaning:,}" if hit.parts.meaning else ""
    return f": words {hit.parts.words:,}{meaning}{', ' if said else ''}{said}"


def _matched(matched: Mapping[str, tuple[str, ...]]) -> str:
    return "; ".join(f"{word} in {' and '.join(fields)}" for word, fields in matched.items())


def _edge(edge: Edge, item: str) -> str:
    ends = (edge.hit, item) if edge.outward else (item, edge.hit)
    return f"{ends[0]} {edge.relation} {ends[1]}"


def _explained(recalled: Recalled) -> Iterator[str]:
    if recalled.lost:
        yield ""
        yield "left out"
        yield from (_lost(lost) for lost in recalled.lost)
    yield ""
    yield folded(f"looked for: {', '.join(dict.fromkeys(recalled.words)) or 'nothing'}", 2)
    yield f"scored: {recalled.candidates:,} {'text' if recalled.candidates == 1 else 'texts'}"
    yield folded(f"rerank: {recalled.reranked.why}", 2)


def _lost(lost: Lost) -> str:
    return folded(f"  {lost.item.id}: {lost.why}", 4)
