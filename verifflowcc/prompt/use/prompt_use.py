"""Compile the prompt for an agent, in full or from the cache, and load its entries for programs."""

import os
from _blake2 import blake2b  # hashlib takes longer to import
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.base.errors import UsageError, WorkspaceError
from verifflowcc.base.files.layout import Stamps, as_on_disk, settled, stamp
from verifflowcc.base.files.private_files import user_home, user_settings_file
from verifflowcc.base.files.write import DerivedFile
from verifflowcc.base.model.entries import ContextPackage, Prompt, Question
from verifflowcc.base.model.layers import CODE, Layer
from verifflowcc.base.model.sprint_state import SPRINT_VARIABLE
from verifflowcc.base.records import replace
from verifflowcc.base.text.canonical import sha256
from verifflowcc.base.text.record_codec import RecordCodec, plain_text
from verifflowcc.base.use.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from verifflowcc.base.model.entries import PlacedCandidate
    from verifflowcc.code.use.review import ReviewScope
    from verifflowcc.prompt.use.prompt_inputs import PromptInputs
    from verifflowcc.prompt.use.source_files import BodyReader


# The last prompts, each with the stamps of everything that it depends on.
#
# Compiling is a pure function of its inputs, so while none of their stamps has changed, what it gave once it gives
# again: with one stat for each input, and nothing opened, parsed or imported; a prompt with code of its task asks the
# code graph whether any file changed. Prompts of commits are not kept.

FOLDER = "prompts"
KEPT = 32
_MANY = 20
"""Of more files than these in one folder, all stamps are kept as one digest."""
_FILE = DerivedFile(f"{FOLDER}/*.json", 9, keyed_by="the question; stamps of all inputs", most=KEPT)
_PROMPT: RecordCodec[Prompt] = RecordCodec(Prompt)


def recall(workspace: Workspace, question: Question) -> Prompt | None:
    """Return the prompt that these very inputs gave before, if it is kept."""
    if question.committed:
        return None
    kept = _FILE.read(_path(workspace, question))
    if kept is None:
        return None
    same = _unchanged(workspace, kept["depends"], kept["folders"]) and (
        not kept["code"] or kept["code"] == _code_now(workspace, kept["scope"])
    )
    return replace(_PROMPT.made(kept["prompt"]), cached=True) if same else None


def _unchanged(workspace: Workspace, depends: "Mapping[str, str]", folders: "Mapping[str, Sequence[str]]") -> bool:
    root = f"{workspace.root}/"
    if any(stamp(path if path[0] == "/" else root + as_on_disk(path)) != was for path, was in depends.items()):
        return False
    return all(
        _digest_of(stamp(f"{root}{as_on_disk(folder)}/{as_on_disk(name)}") for name in names.split("/")) == was
        for folder, (names, was) in folders.items()
    )


def _folders_apart(stamps: "Mapping[str, str]") -> "tuple[dict[str, str], dict[str, Sequence[str]]]":
    """Return stamps by path, and for each folder with many files the names of these and a digest of their stamps."""
    by_folder: dict[str, list[str]] = {}
    for path in stamps:
        folder = path.rpartition("/")[0]
        those = by_folder.get(folder)
        if those is None:
            those = by_folder[folder] = []
        those.append(path)
    alone: dict[str, str] = {}
    apart: dict[str, Sequence[str]] = {}
    for folder, paths in by_folder.items():
        found = [stamps[path] for path in paths]
        if len(paths) > _MANY and folder[:1] not in ("", "/"):
            start = len(folder) + 1
            apart[folder] = ("/".join([path[start:] for path in paths]), _digest_of(found))
        else:
            alone.update(zip(paths, found, strict=True))
    return alone, apart


def _digest_of(stamps: "Iterable[str]") -> str:
    return blake2b("\n".join(stamps).encode(), digest_size=16).hexdigest()


def _code_now(workspace: Workspace, scope: "Sequence[str | None] | None") -> str | None:
    """Return the state of the code, and of what is reviewed where there is a scope; None where that is unknown."""
    from verifflowcc.code.use.code_offers import state_now
    from verifflowcc.prompt.use.source_reader import SourceReader

    return SourceReader().read(CODE, lambda: state_now(workspace, scope), None)  # compiling reports what is wrong


def keep(
    workspace: Workspace,
    question: Question,
    prompt: Prompt,
    stamps: Stamps,
    code: str = "",
    scope: "ReviewScope | None" = None,
) -> None:
    """Keep a prompt for the next command, unless an input was touched a moment ago or the place cannot be written.

    `code` is the state of the code that pieces of it were chosen from, empty where it has none; `scope` says which
    changes it shows.
    """
    if question.committed or not settled(stamps.touched_ns):
        return
    reviewed = [scope.base, scope.target] if scope else None
    depends, folders = _folders_apart(stamps.by_path)
    kept = {"depends": depends, "folders": folders, "code": code, "scope": reviewed, "prompt": _PROMPT.plain(prompt)}
    _FILE.write(_path(workspace, question), kept)


def _home() -> str:
    """Whose prompt it is, and of which project: another home is another person's memory, or none."""
    try:
        return f"{user_home()}\0{user_settings_file()}\0{os.environ.get('VFCC_PROJECT', '')}"
    except WorkspaceError:
        return ""


def _path(workspace: Workspace, question: Question) -> Path:
    key = "\0".join((_home(), os.environ.get(SPRINT_VARIABLE, ""), plain_text(question)))
    return workspace.local / FOLDER / f"{sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.json"


def role_of_stage(workspace: Workspace | None, sprint: str | None, stage: str | None) -> str:
    """Return the role of the stage, of the active one where None.

    Raises UsageError where no sprint is open, the sprint has no such stage, or none is active.
    """
    from verifflowcc.base.use.stage_words import find_stage
    from verifflowcc.sprint.use.sprint_reading import active_sprint, resolve_sprint

    if workspace is None or (sprint is None and not resolve_sprint(workspace).branches):
        raise UsageError("vfcc context show needs --agent ROLE", hint="vfcc context show --help")
    state = active_sprint(workspace, sprint)
    wanted = stage or state.current
    if wanted is None:
        raise UsageError(
            f"{state.id} has no active stage, so vfcc context show needs --agent ROLE", hint="vfcc context show --help"
        )
    return find_stage(state, wanted).stage.role


__all__ = ["Question", "compile_context", "compile_prompt_only", "load_entries", "load_layer_entries", "note_prompt"]


def compile_context(workspace: Workspace, question: Question) -> "ContextPackage":
    """Return the prompt for the question's agent with its whole explanation.

    Raises UsageError for an unknown agent, sprint or stage; BudgetError where the budget holds nothing; StrictError
    under `strict` where an always-load entry is not whole or a source failed; ConfigError, TemplateError or FormatError
    for files that are not what they should be.
    """
    from verifflowcc.prompt.use.compiling import compile_here
    from verifflowcc.prompt.use.prompt_inputs import circumstances

    with circumstances(workspace, question) as here:
        return compile_here(here, reading_of(here))


def compile_prompt_only(workspace: Workspace, question: Question) -> Prompt:
    """Return the same prompt without the explanation; answered from the cache where no input has changed."""
    kept = recall(workspace, question)
    if kept is not None:
        return kept
    from verifflowcc.prompt.use.compiling import compile_unexplained
    from verifflowcc.prompt.use.prompt_inputs import circumstances

    with circumstances(workspace, question) as here:
        prompt = compile_unexplained(here, reading_of(here))
        if here.sources.may_be_kept:
            keep(workspace, question, prompt, here.tree.stamps, here.sources.code, here.sources.scope)
        return prompt


def note_prompt(workspace: Workspace | None, question: Question, prompt: Prompt) -> tuple[str, ...]:
    """Note a prompt and its items' use; return notices where that cannot be done.

    A prompt of a commit is for comparing and for CI, and counts as no use, nor does a look at the past. No tracked file
    changes.
    """
    if workspace is not None:
        from verifflowcc.history.use.prompt_record import note_sent

        note_sent(workspace, question, prompt)
    if question.committed or question.as_of:
        return ()
    from verifflowcc.memory.use.access_counts import note_prompt_use, note_uses

    uses = note_uses(workspace, prompt.items, "context") if prompt.items else ()
    return (*uses, *note_prompt_use(workspace, prompt.memory))


def load_entries(
    workspace: Workspace, question: Question
) -> "tuple[ContextPackage, tuple[tuple[PlacedCandidate, str], ...]]":
    """Return the prompt with its explanation, and its entries, each with its text as in the prompt. Raises the same."""
    from verifflowcc.prompt.use.compiling import compile_here, with_texts
    from verifflowcc.prompt.use.prompt_inputs import circumstances

    with circumstances(workspace, question) as here:
        reading = reading_of(here)
        package = compile_here(here, reading)
        return package, with_texts(package.placed, reading)


def load_layer_entries(
    workspace: Workspace, question: Question, layer: Layer
) -> "tuple[tuple[PlacedCandidate, str], ...]":
    """Return what fits of one layer alone in the question's budget: bodies only, with no template around them."""
    from verifflowcc.prompt.use.compiling import pack_layer, with_texts
    from verifflowcc.prompt.use.prompt_inputs import circumstances

    with circumstances(workspace, question) as here:
        reading = reading_of(here)
        return with_texts(pack_layer(here, reading, layer), reading)


def reading_of(here: "PromptInputs") -> "BodyReader":
    """Return what reads the files and items of a prompt, with nothing read yet."""
    from verifflowcc.prompt.use.source_files import BodyReader, folder_for_caches

    reading = BodyReader(here.tree, here.index, here.counter, local=folder_for_caches(here.question, here.tree))
    if here.sources.theirs is not None:
        from verifflowcc.base.tokens.token_counter import open_counter

        tree, index = here.sources.theirs
        reading.theirs = BodyReader(tree, index, open_counter(here.config.tokens, index.counts))
    return reading
