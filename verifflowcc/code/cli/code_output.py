"""How what the code graph answers is shown: one line for each place, as `path:line`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from verifflowcc.base.terminal.output import folded
from verifflowcc.base.text.plain_words import counted
from verifflowcc.code.rules.graph import CONFIDENT, Dependency, LocatedDefinition, ReferenceLink, confidences_of

if TYPE_CHECKING:
    from verifflowcc.code.rules.code_views import (
        CodeContext,
        CodeImpact,
        CodeMap,
        GraphStatus,
        IndexingResult,
        Outline,
        Relations,
        SymbolRelations,
        SymbolSearch,
        TouchedItem,
    )

FEW = 10
"""So many of what is only possible, or was left out, are listed."""
MOST = 40
"""So many calls of what is in a file, and so many tests, are listed."""
LONGEST_COMMAND = 400
"""A longer command line is printed by `--format` alone."""


def indexed(found: "IndexingResult") -> list[str]:
    """Return what an indexing took."""
    return list(_indexed(found))


def _indexed(found: "IndexingResult") -> Iterator[str]:
    gone = f", {found.removed:,} gone" if found.removed else ""
    yield f"{counted(found.files, 'source file')}: {found.read:,} read, {found.known:,} known already{gone}"
    yield from _skipped(found.skipped)


def status(found: "GraphStatus") -> list[str]:
    """Return what the graph holds."""
    return list(_status(found))


def _status(found: "GraphStatus") -> Iterator[str]:
    yield f"{counted(found.files, 'source file')}, {found.lines:,} lines; index {found.bytes / 1_000_000:.1f} MB"
    if found.languages:
        from verifflowcc.base.terminal.table import table

        rows = [
            (each.language, f"{each.files:,}", f"{each.lines:,}" if each.read else "no grammar")
            for each in found.languages
        ]
        yield table(("language", "files", "lines"), rows, right=(1, 2))
    symbols = ", ".join(f"{number:,} {kind if number == 1 else _many(kind)}" for kind, number in found.symbols.items())
    yield folded(f"symbols: {symbols or 'none'}; {counted(found.imports, 'import')}", 2)
    if found.marked:
        yield folded(f"ranked down: {', '.join(f'{number:,} {mark}' for mark, number in found.marked.items())}", 2)
    yield from _skipped([each for each in found.skipped if "grammar" not in each[1]])


def _many(kind: str) -> str:
    return f"{kind}es" if kind.endswith("s") else f"{kind}s"


def _skipped(skipped: Sequence[tuple[str, str]]) -> Iterator[str]:
    if skipped:
        yield f"not read, or not whole: {counted(len(skipped), 'file')}"
        yield from (folded(f"  {path}: {why}", 4) for path, why in skipped[:FEW])
        if len(skipped) > FEW:
            yield f"  and {len(skipped) - FEW:,} more: --json lists them"


def finding(found: "SymbolSearch") -> list[str]:
    """Return where a symbol is defined."""
    lines = [line for each in found.found for line in _found(each)]
    left = found.total - len(found.found)
    return [*lines, *([f"and {left:,} more: --limit {found.total}"] if left else [])]


def _found(each: LocatedDefinition) -> Iterator[str]:
    yield folded(f"{each.path}:{each.line} {each.kind} {each.name}", 2)
    if each.signature:
        yield folded(f"  {each.signature}", 4)


def outline(found: "Outline") -> list[str]:
    """Return what is in a file."""
    return list(_outline(found))


def _outline(found: "Outline") -> Iterator[str]:
    marks = f", {', '.join(found.marks)}" if found.marks else ""
    yield f"{found.path}: {found.language or 'no grammar'}, {counted(found.lines, 'line')}{marks}"
    if found.problem:
        yield folded(f"not read whole: {found.problem}", 2)
    for row in found.symbols:
        yield folded(f"{'  ' * (row.depth + 1)}{row.line}: {row.signature or row.name}", 2 * row.depth + 6)
    if found.imports:
        yield "imports"
        yield from (_import(each) for each in found.imports)


def relations(found: "Relations", *, everything: bool = False) -> list[str]:
    """Return who refers to what; what is only possible apart from what is sure."""
    return list(_relations(found, everything))


def _relations(found: "Relations", everything: bool) -> Iterator[str]:
    if found.kind in ("imports", "imported-by"):
        if not found.imports:
            importing = found.kind == "imports"
            yield f"{found.question} imports nothing" if importing else f"nothing imports {found.question}"
        for each in found.imports:
            yield _import(each) if found.kind == "imports" else _importing(each)
        return
    for number, related in enumerate(found.symbols):
        if number:
            yield ""
        yield from _related(found.kind, related, everything)
    if found.more:
        yield ""
        yield folded(f"{counted(found.more, 'more symbol')} of that name: say which, as path::name", 2)


def _related(kind: str, each: "SymbolRelations", everything: bool) -> Iterator[str]:
    yield folded(f"{each.symbol.path}:{each.symbol.line} {each.symbol.kind} {each.symbol.name}", 2)

    def outward(link: ReferenceLink) -> bool:
        """Return whether a link leads out of the symbol: a call, or a base of a type."""
        within = (link.path, link.symbol_number) == (each.symbol.path, each.symbol.place)
        return kind == "callees" or (kind == "inherits" and within)

    confidences = confidences_of(each.links)
    sure = [each.links[place] for place, confidence in enumerate(confidences) if confidence >= CONFIDENT]
    possible = [place for place, confidence in enumerate(confidences) if 0 < confidence < CONFIDENT]
    outside = [each.links[place] for place, confidence in enumerate(confidences) if not confidence]
    if not each.links:
        yield (
            f"  no {kind}" if kind not in ("inherits", "uses") else f"  no {kind[:-1]}s" if kind == "uses" else "  none"
        )
    yield from _links(sure, outward)
    if possible:
        yield f"  possible: {len(possible):,}"
        shown = possible if everything else possible[:FEW]
        yield from _links([each.links[place] for place in shown], outward)
        if len(shown) < len(possible):
            yield f"  and {len(possible) - len(shown):,} more: --all"
    if outside:
        names = dict.fromkeys(f"{link.receiver}.{link.name}" if link.receiver else link.name for link in outside)
        shown_names = list(names) if everything else list(names)[:FEW]
        more = len(names) - len(shown_names)
        yield folded(f"  outside or unknown: {', '.join(shown_names)}{f' and {more} more' if more else ''}", 4)


def _links(
    links: Iterable[ReferenceLink],
    outward: Callable[[ReferenceLink], bool] = lambda link: False,
    *,
    named: bool = False,
) -> Iterator[str]:
    for link in links:
        if link.candidate is None:
            continue
        out = outward(link)
        to = f" → {link.candidate.path}" if out else ""
        where = f"in {link.symbol}" if link.symbol else "at the top"
        several = len(link.candidates) > 1 and not link.candidate.why.startswith("one of ")
        others = f", one of {len(link.candidates)}" if several else ""
        shown_name = f"{link.receiver}.{link.name}" if link.receiver else link.name
        what = f" {shown_name}" if out else f" {shown_name} {where}" if named else f" {where}"
        yield folded(f"  {link.path}:{link.line}{what}{to} ({link.confidence} %: {link.candidate.why}{others})", 6)


def _import(each: Dependency) -> str:
    name = f" {each.name}" if each.name else ""
    to = ", ".join(each.files) if each.files else "outside"
    return folded(f"  {each.path}:{each.line} {each.module}{name} → {to}", 6)


def _importing(each: Dependency) -> str:
    name = f" {each.name}" if each.name else ""
    where = f" in {each.symbol}" if each.symbol else ""
    return folded(f"  {each.path}:{each.line} {each.module}{name}{where}", 6)


def mapped(found: "CodeMap") -> list[str]:
    """Return a map, and what is not on it."""
    missing = found.total_files - found.files
    left = f"; {counted(missing, 'file')} {'is' if missing == 1 else 'are'} not on it" if missing else ""
    size = f"{found.tokens:,} of {found.budget_tokens:,} tokens: {counted(found.symbols, 'symbol')} of "
    return [*found.text.removesuffix("\n").split("\n"), "", f"{size}{counted(found.files, 'file')}{left}"]


def context(found: "CodeContext") -> list[str]:
    """Return the code for a task."""
    if not found.snippets:
        return [_nothing(found)]
    return [*found.text.removesuffix("\n").split("\n"), "", f"{found.tokens:,} of {found.budget_tokens:,} tokens"]


def explained(found: "CodeContext") -> list[str]:
    """Return why each piece is there, and what is left out, in the place of the code itself."""
    return list(_explained(found))


def _explained(found: "CodeContext") -> Iterator[str]:
    if not found.snippets:
        yield _nothing(found)
    if found.files:
        yield "files"
        yield from (folded(f"  {each.score:>5,} {each.path}: {each.why}", 8) for each in found.files)
    if found.snippets:
        yield "shown"
        for each in found.snippets:
            what = "" if each.whole else ", its signature"
            reason = f": {each.why}" if each.why else ""
            yield folded(f"  {_named(each.place, each.name)} ({each.tokens:,} tokens{what}){reason}", 6)
    if found.not_shown:
        yield "left out"
        for one in found.not_shown:
            place = _named(f"{one.path}:{one.first}-{one.last}", one.name)
            yield folded(f"  {place} ({one.tokens:,} tokens): {one.why}", 6)
    yield f"{found.tokens:,} of {found.budget_tokens:,} tokens, counted by {found.counter}"


def _named(place: str, name: str) -> str:
    return f"{place} {name}" if name else place


def _nothing(found: "CodeContext") -> str:
    if found.files:
        return f"nothing fits in {found.budget_tokens:,} tokens: the smallest piece takes more"
    return "no word of the task is in the code"


def impact(found: "CodeImpact") -> list[str]:
    """Return what a change reaches: product code by distance, the tests and how to run them, what speaks of it."""
    return list(_impact(found))


def _impact(found: "CodeImpact") -> Iterator[str]:
    far = max((each.distance for each in found.reached), default=0)
    steps = f" in {far} steps" if far > 1 else ""
    counts = (
        f"{counted(len(found.reached), 'place')} in product code{steps}",
        counted(len(found.tests), "test"),
        counted(len(found.items), "trace item"),
        f"{len(found.memories):,} {'memory' if len(found.memories) == 1 else 'memories'}",
    )
    yield folded(f"{found.question}: a change reaches {', '.join(counts[:-1])} and {counts[-1]}", 2)
    shown = found.symbols[:FEW]
    yield from (folded(f"  {each.path}:{each.line} {each.kind} {each.name}", 4) for each in shown)
    if len(found.symbols) > len(shown):
        yield f"  and {len(found.symbols) - len(shown):,} more"
    if found.followed_in_part:
        more = len(found.followed_in_part) - FEW
        names = ", ".join(found.followed_in_part[:FEW]) + (f" and {more:,} more" if more > 0 else "")
        yield folded(f"  followed only near their file, since very many files use the name: {names}", 4)
    if not found.whole:
        yield "  more code uses this than is followed: run all tests"
    yield from _reached(found)
    yield from _affected(found)
    yield from _touched("trace", found.items)
    yield from _touched("memories", found.memories)
    if found.owners:
        yield "\nowners"
        yield from (folded(f"  {each.path}: {', '.join(each.owners)}", 4) for each in found.owners[:MOST])
    if found.imported_by:
        yield "\nimported by"
        yield from (_importing(each) for each in found.imported_by)


def _reached(found: "CodeImpact") -> Iterator[str]:
    """Yield the product code by distance: direct calls with their reasons, then what uses these."""
    sure, possible, others = found.in_product()
    if sure or others:
        yield "\ncode"
    yield from _links(sure[:MOST], named=len(found.symbols) != 1)
    room = max(MOST - len(sure), FEW)
    for each in others[:room]:
        where = f"in {each.name}" if each.name else "at the top"
        way = f"{counted(each.distance, 'step')}, through {each.through.rpartition('::')[2]}"
        yield folded(f"  {each.path}:{each.line} {where} ({way})", 6)
    left = len(sure[MOST:]) + len(others[room:])
    if left:
        yield f"  and {left:,} more: --json lists them"
    if possible:
        are = "is" if len(possible) == 1 else "are"
        yield f"  and {counted(len(possible), 'call')} that {are} only possible: --json"


def _affected(found: "CodeImpact") -> Iterator[str]:
    if not found.affected_tests:
        return
    sure = [each for each in found.affected_tests if each.confidence >= CONFIDENT]
    likely = [each for each in found.affected_tests if each.confidence < CONFIDENT]
    if sure:
        yield "\ntests that reach it"
        yield from (folded(f"  {each.id} ({each.why})", 6) for each in sure[:MOST])
        if len(sure) > MOST:
            yield f"  and {len(sure) - MOST:,} more: --json lists them"
    if likely:
        yield "\ntests that share words with it"
        yield from (folded(f"  {each.id}", 6) for each in likely[:FEW])
        if len(likely) > FEW:
            yield f"  and {len(likely) - FEW:,} more: --json lists them"
    yield "\nrun all these"
    short = [each for each in found.commands if len(each.command) <= LONGEST_COMMAND]
    yield from (f"  {each.command}" for each in short[:FEW])
    if len(short) < len(found.commands) or len(short) > FEW:
        for each in dict.fromkeys(each.format for each in found.commands):
            yield f"  add --format {each} to print the command"


def commands(found: "CodeImpact") -> list[str]:
    """Return the command lines that run the affected tests."""
    return [each.command for each in found.commands]


def _touched(heading: str, items: "Sequence[TouchedItem]") -> Iterator[str]:
    if items:
        yield f"\n{heading}"
        for each in items:
            place = f", {each.place}" if each.place else ""
            yield folded(f"  {each.id} ({each.type}): {each.title} ({each.why}{place})", 6)
