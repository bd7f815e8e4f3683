"""Gather, rank, pack and render: the work behind a prompt that is not in the cache."""

from collections.abc import Callable, Sequence

from verifflowcc.base.errors import StrictError
from verifflowcc.base.files.layout import MEMORY
from verifflowcc.base.files.write import ProjectFile
from verifflowcc.base.model.config_values import SHARE_UNIT
from verifflowcc.base.model.entries import (
    Candidate,
    ContextPackage,
    Fate,
    MemoryUse,
    PartUse,
    PlacedCandidate,
    Prompt,
    SkippedEntry,
)
from verifflowcc.base.model.item_values import is_trace_type
from verifflowcc.base.model.layers import HANDOVER, PRIORITY, RECALL, USER, Layer
from verifflowcc.base.records import replace
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.guarding import safe_entries, safe_text, text_warnings
from verifflowcc.code.rules.code_views import Snippet
from verifflowcc.prompt.rules.compile import CompiledPrompt, ShownEntry, Tools, compile_prompt, trimmer
from verifflowcc.prompt.rules.fill import LayerQueue
from verifflowcc.prompt.rules.pack import pack
from verifflowcc.prompt.use.gathering import PromptCandidates, brief_of, gather
from verifflowcc.prompt.use.prompt_inputs import PromptInputs
from verifflowcc.prompt.use.prompt_sources import PAID_BY, handed_over
from verifflowcc.prompt.use.prompt_view import Pages, prompt_view
from verifflowcc.prompt.use.source_files import BodyReader
from verifflowcc.prompt.use.source_reader import SourceReader
from verifflowcc.sprint.use.item_loading import not_loaded

ROOM_CHARS = 65_536
ROOM_PER_ENTRY_CHARS = 1024
LEFTOVER_PART = 10
_RETRIEVED = (RECALL, USER)
OFTEN = 8
"""A template may print what it is given this often and some words of its own; one that prints more is stopped."""


def with_texts(placed: Sequence[PlacedCandidate], reading: BodyReader) -> tuple[tuple[PlacedCandidate, str], ...]:
    """Return the entries of the prompt, each with its text as shown."""
    text_of = _text_of(reading)
    kept = (one for one in placed if one.outcome is not Fate.DROPPED)
    return tuple((one, text_of(one.candidate) if one.text is None else one.text) for one in kept)


def pack_layer(here: PromptInputs, reading: BodyReader, layer: Layer) -> tuple[PlacedCandidate, ...]:
    """Return the fates of one layer's candidates where the whole budget is theirs."""
    gathered = _gathered(here, reading, explained=False)
    queues = [replace(queue, share=SHARE_UNIT) for queue in _queues(here, gathered) if queue.layer is layer]
    trim = trimmer(here.counter.count, _text_of(reading))
    placed = pack(queues, here.budget_tokens, lambda _: 0, trim).placed
    _save(here)
    return placed


def _gathered(here: PromptInputs, reading: BodyReader, *, explained: bool) -> PromptCandidates:
    past, checking = here.past, here.checking
    return gather(here.selection, reading, here.sources, here.aim, here.caps, past, checking, explained=explained)


def _save(here: PromptInputs) -> tuple[str, ...]:
    """Keep what was learned; return what keeps an index from being kept."""
    here.index.save()
    if here.sources.theirs is None:
        return here.index.notices
    theirs = here.sources.theirs[1]
    theirs.save()
    return (*here.index.notices, *theirs.notices)


TextOf = Callable[[Candidate], str]


def _text_of(reading: BodyReader) -> TextOf:
    """Return what gives the text of an entry as a prompt may show it: without secrets, nothing in it unseen."""
    known: dict[tuple[str, str], str] = {}

    def text_of(candidate: Candidate) -> str:
        key = (candidate.path, candidate.digest)
        if key not in known:
            known[key] = safe_text(reading.text(*key))
        return known[key]

    return text_of


def compile_here(here: PromptInputs, reading: BodyReader) -> ContextPackage:
    """Return the prompt and its explanation. Raises as `services.context.compile_context` says."""
    gathered = _gathered(here, reading, explained=True)
    prompt, compiled = _compiled(here, gathered, reading)
    placed, failed = compiled.packing.placed, here.sources.reader
    return ContextPackage(
        prompt=prompt,
        task=withhold(here.question.task),
        placed=safe_entries(placed),
        skipped=(*gathered.skipped, *_failed_sources(failed), *_not_named(here), *_of_trace(here), *_not_loaded(here)),
        sources={one.candidate.path: one.candidate.digest for one in placed if one.outcome is not Fate.DROPPED},
        inputs={**here.inputs, **gathered.digests},
        caps={"user_items": here.caps.user_items, "project_items": here.caps.project_items},
        tiers=_tiers(placed),
        code=_code_use(here, placed),
    )


def compile_unexplained(here: PromptInputs, reading: BodyReader) -> Prompt:
    """Return the same prompt, with nothing read that is not in it or competes for it. Raises the same."""
    gathered = _gathered(here, reading, explained=False)
    return _compiled(here, gathered, reading)[0]


def _compiled(here: PromptInputs, gathered: PromptCandidates, reading: BodyReader) -> tuple[Prompt, CompiledPrompt]:
    """Return the prompt with its notices, and how it was packed."""
    text_of = _text_of(reading)
    compiled = _pack(here, gathered, text_of)
    placed, failed = compiled.packing.placed, here.sources.reader
    notices = (
        *(*here.notices, *gathered.notices, *failed.notices),
        *(*_not_whole(placed), *_changed_for_show(placed, reading, text_of)),
    )
    if here.question.strict:
        _refuse_failed(failed)
        _refuse_partial(placed, here)
    prompt = _prompt(here, compiled, gathered, notices)
    return replace(prompt, notices=(*prompt.notices, *_save(here))), compiled


def _not_named(here: PromptInputs) -> list[SkippedEntry]:
    """Return the artifacts of earlier stages where the stage layer's strategy names no source that has them."""
    if HANDOVER in here.sources.offered:
        return []
    named = {one.path for one in here.selection.selected}
    reason = f"the stage layer's strategy does not name {HANDOVER}"
    offered = handed_over(here.place, here.state, here.tree)
    paths = [found.path if isinstance(found, ProjectFile) else found.item.path for found in offered]
    return [
        SkippedEntry(Layer.STAGE, path.removeprefix(f"{MEMORY}/"), path, 0, reason)
        for path in paths
        if path not in named
    ]


def _of_trace(here: PromptInputs) -> list[SkippedEntry]:
    """Return the trace items that `@trace` does not offer, each with the reason."""
    left_out = here.sources.trace_left_out
    return [SkippedEntry(Layer.SPRINT, each.id, each.path, 0, each.why) for each in left_out]


def _not_loaded(here: PromptInputs) -> list[SkippedEntry]:
    """Return the project's items that no layer loads, each with what to add to the configuration."""
    folder, seen = f"{MEMORY}/project", {one.path for one in here.selection.selected}
    if not here.config.memory.enabled:
        return []
    found = [each.path for pattern in ("items/**/*.md", "decisions/*.md") for each in here.tree.find(folder, pattern)]
    reasons = {
        path: not_loaded(here.config, path, seen, traced=_is_trace_path(path)) for path in found if path not in seen
    }
    return [
        SkippedEntry(Layer.PROJECT, path.removeprefix(f"{folder}/"), path, 0, why)
        for path, why in reasons.items()
        if why
    ]


def _is_trace_path(path: str) -> bool:
    return is_trace_type(path.rpartition("/")[0].rpartition("/")[2])


def _changed_for_show(placed: Sequence[PlacedCandidate], reading: BodyReader, text_of: TextOf) -> list[str]:
    """Return a sentence for each thing in an entry of the prompt that is not shown as it is kept."""
    kept = (one.candidate for one in placed if one.outcome is not Fate.DROPPED)
    texts = ((one, reading.text(one.path, one.digest)) for one in kept)
    # To look for secrets takes long, and what is shown was looked through already.
    changed = [(one.key, text) for one, text in texts if text_of(one) != text]
    return [sentence for key, text in changed for sentence in text_warnings(key, text)]


def _plans(here: PromptInputs) -> bool:
    """Whether a checklist comes before the planning of a task."""
    return bool(here.question.task) and here.caps.kind == "thinking" and here.caps.active.pre_brief


def _tiers(placed: Sequence[PlacedCandidate]) -> dict[str, int]:
    return {
        tier: sum(one.tokens for one in placed if one.candidate.tier == tier) for tier in ("task", "project", "global")
    }


def _code_use(here: PromptInputs, placed: Sequence[PlacedCandidate]) -> dict[str, PartUse]:
    parts = {one.path: one.source.part for one in here.selection.selected if isinstance(one.source, Snippet)}
    if not parts:
        return {}
    shares = here.config.code_mix_for(here.question.agent).shares()
    used = [(parts[one.candidate.path], one.tokens) for one in placed if one.candidate.path in parts]
    return {name: PartUse(sum(tokens for part, tokens in used if part == name), shares[name]) for name in shares}


def _pack(here: PromptInputs, gathered: PromptCandidates, text_of: TextOf) -> CompiledPrompt:
    template = here.template()
    brief = brief_of(gathered.candidates) if _plans(here) else ()
    pages: Pages = {}

    def render(shown: Sequence[ShownEntry]) -> str:
        supplied = len(here.question.task) + sum(len(one.text) + ROOM_PER_ENTRY_CHARS for one in shown)
        return template.render(prompt_view(here, shown, brief, pages), ROOM_CHARS + OFTEN * supplied)

    tools = Tools(here.counter.count, text_of, render)
    return compile_prompt(_queues(here, gathered), here.budget_tokens, tools)


def _queues(here: PromptInputs, gathered: PromptCandidates) -> tuple[LayerQueue, ...]:
    return tuple(
        LayerQueue(
            layer,
            here.allocation.shares.get(layer, 0),
            _most(here, layer),
            gathered.candidates.get(layer, ()),
            here.config.strategies[layer].head_tail_preserve,
        )
        for layer in PRIORITY
        if layer in here.config.strategies
    )


def _most(here: PromptInputs, layer: Layer) -> int:
    """The most that a layer may take; a user layer with no share of its own has a tenth of the budget at most."""
    most = here.config.strategies[layer].max_tokens
    if layer is Layer.USER and not here.allocation.shares.get(layer, 0):
        return min(most, here.budget_tokens // LEFTOVER_PART)
    return most


def _not_whole(placed: tuple[PlacedCandidate, ...]) -> list[str]:
    return [
        f"{one.candidate.key} is always loaded but {one.reason}"
        for one in placed
        if one.candidate.always and one.outcome is not Fate.KEPT
    ]


def _refuse_partial(placed: tuple[PlacedCandidate, ...], here: PromptInputs) -> None:
    partial = _not_whole(placed)
    state = here.state
    if state and (state.problems or state.fork):
        raise StrictError(f"the ledger of {state.id} is not sound", hint=f"vfcc sprint show {state.id}")
    if partial:
        raise StrictError("; ".join(partial), hint=f"a --budget above {here.budget_tokens}, or without --strict")


def _refuse_failed(reader: SourceReader) -> None:
    if reader.failures:
        raise StrictError("\n".join(reader.notices), hint="vfcc doctor, or without --strict")


def _failed_sources(reader: SourceReader) -> list[SkippedEntry]:
    """Return the sources that failed as `--explain` lists them, in the layers that would have paid for them."""
    return [
        SkippedEntry(PAID_BY[each.source], each.source, each.source, 0, f"left out: {each.reason}")
        for each in reader.failures
        if each.source in PAID_BY
    ]


def _prompt(
    here: PromptInputs, compiled: CompiledPrompt, gathered: PromptCandidates, notices: tuple[str, ...]
) -> Prompt:
    offered = sum(one.candidate.tokens for one in compiled.packing.placed)
    used = sum(one.tokens for one in compiled.packing.placed)
    return Prompt(
        agent=here.question.agent,
        sprint=here.place.sprint,
        stage=here.place.stage,
        text=compiled.text,
        tokens=compiled.tokens,
        budget_tokens=here.budget_tokens,
        layers=compiled.packing.layers,
        notices=notices,
        compression=used * 1000 // offered if offered else 1000,
        counter=here.counter.name,
        estimated=here.counter.estimated,
        items=_items(compiled.packing.placed),
        memory=_memory_use(here, gathered, compiled.packing.placed),
        room_tokens=compiled.packing.available_tokens,
    )


def _memory_use(here: PromptInputs, gathered: PromptCandidates, placed: Sequence[PlacedCandidate]) -> MemoryUse:
    inside = [one for one in placed if one.candidate.item and one.outcome is not Fate.DROPPED]
    paths = {one.candidate.path for one in inside}
    sourced = {one.candidate.path for one in inside if one.candidate.origin in _RETRIEVED}
    return MemoryUse(
        tokens=sum(one.tokens for one in inside),
        candidates=len({one.path for one in here.selection.selected if one.origin in _RETRIEVED}),
        final=len(sourced),
        filtered=gathered.filtered,
        conflicts=sum(paths.issuperset(pair) for pair in gathered.conflicts),
    )


def _items(placed: Sequence[PlacedCandidate]) -> dict[str, tuple[str, ...]]:
    """Return the ids of the typed items in the prompt, by scope."""
    found: dict[str, list[str]] = {}
    for one in placed:
        if one.candidate.item and one.outcome is not Fate.DROPPED:
            found.setdefault(one.candidate.scope, []).append(one.candidate.item)
    return {scope: tuple(dict.fromkeys(ids)) for scope, ids in sorted(found.items())}
